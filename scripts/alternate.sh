#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/alternate.sh start DIR --boots N [--kexec] [--settle SECONDS] RELEASE RELEASE... [-- PARAMETER=VALUE...]
#        scripts/alternate.sh step DIR
#
# Measures two or more kernels that are installed on this machine, each N times, booted in turn (A B, B A,
# …), one record a boot: DIR/RELEASE/boot-001.txt and so on. Needs root; THE MACHINE REBOOTS by itself.
#
#   start        writes the plan into DIR and says how to have `step` called at every boot
#   step         measures the kernel that runs, if it is its turn, and boots the next one; when all
#                boots are done it says so and leaves the machine alone
#   --boots N    boots of each kernel
#   --kexec      load the next kernel directly, which saves the firmware's minutes, instead of by GRUB
#   --settle S   wait so long after booting before measuring (default 60)
#   RELEASE      as uname -r says it; the first one is the base
#
# When a kernel does not come up as asked, or a run fails, step says so and does not reboot again.
#
# Exit: 0 done, 2 bad usage, 9 something is missing or another kernel came up than was asked for; else
# what scripts/run.sh returned
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# where the machine keeps things; the tests have others
boot=${boot:-/boot}
modules=${modules:-/lib/modules}
boot_id=${boot_id:-/proc/sys/kernel/random/boot_id}
grub_cfg=$boot/grub/grub.cfg

# grub_entry RELEASE: as grub-reboot wants it, SUBMENU>ENTRY; the recovery entries are others
grub_entry() {
	awk -F "'" -v entry="gnulinux-$1-advanced-" '
		/^submenu / { submenu = $4 }
		/^[ \t]*menuentry / && index($(NF - 1), entry) == 1 { print submenu ">" $(NF - 1); exit }' "$grub_cfg"
}

start() {
	dir=$1
	shift
	boots='' kexec='' settle=60 releases=''
	while [ $# -gt 0 ]; do
		case $1 in
		--boots | --settle)
			[ $# -gt 1 ] || usage_error "$1 needs a number"
			is_number "$2" || [ "$1 $2" = '--settle 0' ] || usage_error "$1: '$2' is no number"
			if [ "$1" = --boots ]; then boots=$2; else settle=$2; fi
			shift
			;;
		--kexec) kexec=yes ;;
		--)
			shift
			break
			;;
		-*) usage_error "'$1' is no option" ;;
		*)
			case " $releases " in
			*" $1 "*) usage_error "$1 is named twice" ;;
			esac
			releases="$releases${releases:+ }$1"
			;;
		esac
		shift
	done
	[ -n "$boots" ] || usage_error "--boots is needed"
	case $releases in
	*' '*) ;;
	*) usage_error "two kernels or more are needed, as uname -r names them" ;;
	esac
	for parameter; do
		case $parameter in
		[a-z]*=*) ;;
		*) usage_error "'$parameter' is not PARAMETER=VALUE" ;;
		esac
	done
	[ ! -e "$dir/schedule" ] || usage_error "$dir has a plan already: 'step $dir' goes on with it"
	for release in $releases; do
		[ -f "$boot/vmlinuz-$release" ] || die 9 "no kernel $boot/vmlinuz-$release: make install puts it there"
		[ -d "$modules/$release/build" ] ||
			die 9 "no $modules/$release/build to build the module against: make modules_install makes the link"
		[ -n "$kexec" ] || [ -n "$(grub_entry "$release")" ] ||
			die 9 "no entry for $release in $grub_cfg: update-grub makes it, or use --kexec"
	done
	tool=$([ -n "$kexec" ] && echo kexec || echo grub-reboot)
	command -v "$tool" >/dev/null 2>&1 || die 9 "no $tool: apt-get install $([ -n "$kexec" ] && echo kexec-tools || echo grub2-common)"
	mkdir -p "$dir" 2>/dev/null || die 9 "cannot make the folder $dir"
	dir=$(absolute "$dir")
	echo "$*" >"$dir/parameters"
	echo "$settle" >"$dir/settle"
	[ -z "$kexec" ] || : >"$dir/kexec"
	number=1
	while [ "$number" -le "$boots" ]; do
		list=$(echo "$releases" | tr ' ' '\n')
		if [ $((number % 2)) = 1 ]; then echo "$list"; else echo "$list" | tac; fi
		number=$((number + 1))
	done >"$dir/schedule.partial"
	mv "$dir/schedule.partial" "$dir/schedule"
	note "$(wc -l <"$dir/schedule") boots are planned. Have them go on by themselves:"
	note "  echo '@reboot root $here/alternate.sh step $dir >>$dir/log 2>&1' >/etc/cron.d/slab_test"
	note "begin with the first reboot: $here/alternate.sh step $dir; remove the line when all is done"
}

step() {
	[ -f "$1/schedule" ] || usage_error "step: $1 has no plan: 'start' makes one"
	dir=$(absolute "$1")
	running=$(uname -r)
	this_boot=$(cat "$boot_id")
	exec 9>"$dir/.lock"
	flock -n 9 || die 9 "another step is at work in $dir"
	done=0
	[ ! -f "$dir/done" ] || done=$(wc -l <"$dir/done")
	due=$(sed -n "$((done + 1))p" "$dir/schedule")
	# asked: the kernel of the next boot, and the boot in which it was asked for
	asked='' asked_in=''
	[ ! -f "$dir/asked" ] || read -r asked asked_in <"$dir/asked"
	[ "$asked_in" != "$this_boot" ] || asked=
	[ -z "$asked" ] || [ "$asked" = "$running" ] ||
		die 9 "$asked was asked for and $running came up: does it boot? Remove $dir/asked to try again"
	if [ -n "$asked" ] && [ "$due" = "$running" ] && [ "$(tail -n 1 "$dir/done" 2>/dev/null)" != "$this_boot" ]; then
		note "boot $((done + 1)) of $(wc -l <"$dir/schedule"): $running"
		sleep "$(cat "$dir/settle")"
		# shellcheck disable=SC2046 # parameters are words
		"$here/run.sh" -o "$dir/$running/" -- $(cat "$dir/parameters") >&2 ||
			die $? "$running was not measured; when it is mended, 'step $dir' goes on"
		echo "$this_boot" >>"$dir/done"
		done=$((done + 1))
		due=$(sed -n "$((done + 1))p" "$dir/schedule")
	fi
	if [ -z "$due" ]; then
		note "all boots are done:"
		echo "scripts/compare.sh$(awk -v dir="$dir" '!seen[$0]++ { printf " %s=%s/%s", $0, dir, $0 }' "$dir/schedule")"
		return
	fi
	[ "$(id -u)" = 0 ] || die 9 "booting another kernel needs root"
	if [ -f "$dir/kexec" ]; then
		set -- --reuse-cmdline
		[ ! -f "$boot/initrd.img-$due" ] || set -- "$@" "--initrd=$boot/initrd.img-$due"
		kexec -l "$boot/vmlinuz-$due" "$@" ||
			die 9 "kexec refuses $due (lockdown?)"
		reboot='systemctl kexec'
	else
		entry=$(grub_entry "$due")
		[ -n "$entry" ] || die 9 "no entry for $due in $grub_cfg any more: update-grub makes it"
		grub-reboot "$entry" || die 9 "grub-reboot failed"
		reboot='systemctl reboot'
	fi
	echo "$due $this_boot" >"$dir/asked"
	sync
	note "booting $due"
	$reboot
}

[ $# -gt 0 ] || usage_error "start or step?"
command=$1
shift
case $command/$# in
-h/* | --help/*) help ;;
start/0 | step/0) usage_error "$command: which folder?" ;;
start/*) start "$@" ;;
step/1) step "$1" ;;
step/*) usage_error "step: wrong number of arguments" ;;
*) usage_error "unknown command '$command'" ;;
esac
