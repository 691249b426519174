#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/alternate.sh: which kernel is booted next, and when it stops. The machine is pretended.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	cd "$BATS_TEST_TMPDIR"
	cp -r "$top/scripts" .
	export LOG=$PWD/log boot=$PWD/boot modules=$PWD/modules boot_id=$PWD/boot_id
	: >"$LOG"
	mkdir -p bin boot/grub modules/6.1.0-old/build modules/6.1.0-new/build
	touch boot/vmlinuz-6.1.0-old boot/vmlinuz-6.1.0-new boot/initrd.img-6.1.0-new
	cat >boot/grub/grub.cfg <<-'END'
	if [ "${next_entry}" ] ; then set default="${next_entry}"; fi
	menuentry 'Debian GNU/Linux' --class debian $menuentry_id_option 'gnulinux-simple-1234' {
	}
	submenu 'Advanced options for Debian GNU/Linux' $menuentry_id_option 'gnulinux-advanced-1234' {
		menuentry 'Debian GNU/Linux, with Linux 6.1.0-old' --class debian $menuentry_id_option 'gnulinux-6.1.0-old-advanced-1234' {
		}
		menuentry 'Debian GNU/Linux, with Linux 6.1.0-old (recovery mode)' --class debian $menuentry_id_option 'gnulinux-6.1.0-old-recovery-1234' {
		}
		menuentry 'Debian GNU/Linux, with Linux 6.1.0-new' --class debian $menuentry_id_option 'gnulinux-6.1.0-new-advanced-1234' {
		}
	}
	END
	for tool in grub-reboot kexec systemctl; do
		printf '#!/bin/sh\necho "%s $*" >>"$LOG"\n' $tool >bin/$tool
	done
	printf '#!/bin/sh\necho 0\n' >bin/id
	printf '#!/bin/sh\ncat "%s"\n' "$PWD/running" >bin/uname
	printf '#!/bin/sh\necho "run $*" >>"$LOG"\n[ ! -e "$LOG.broken" ] || exit 4\n' >scripts/run.sh
	chmod +x bin/* scripts/run.sh
	PATH=$PWD/bin:$PATH
	boots_as 6.1.0-distribution
}

# boots_as RELEASE: the machine came up with that kernel
boots_as() {
	echo "$1" >running
	echo "boot-$((++boots))" >boot_id
}

alternate() { scripts/alternate.sh "$@"; }

@test "alternate.sh: --help is its usage; bad usage is one line, exit code 2 and no plan" {
	run alternate --help
	[ "$status" = 0 ]
	[[ $output == "usage: scripts/alternate.sh"* ]]
	for arguments in '' frobnicate start step 'step nowhere' 'start d' 'start d --boots 2' 'start d --boots 2 6.1.0-old' \
		'start d 6.1.0-old 6.1.0-new' 'start d --boots x 6.1.0-old 6.1.0-new' 'start d --boots 0 6.1.0-old 6.1.0-new' \
		'start d --boots' 'start d --boots 2 6.1.0-old 6.1.0-old' 'start d --boots 2 --frob 6.1.0-old 6.1.0-new' \
		'start d --boots 2 6.1.0-old 6.1.0-new -- sizes' 'start d --settle -1 --boots 2 6.1.0-old 6.1.0-new'; do
		# shellcheck disable=SC2086 # words
		run alternate $arguments
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "$arguments: status $status: $output"
			return 1
		}
	done
	[ ! -e d ]
}

@test "alternate.sh: A B B A, one record a boot, and then the machine is left alone" {
	run alternate start d --boots 2 --settle 0 6.1.0-old 6.1.0-new -- sizes=64 rounds=2
	[ "$status" = 0 ]
	[[ $output == *"4 boots are planned"*"alternate.sh step $PWD/d"* ]]
	alternate step d
	for kernel in old new new old; do
		[ "$(tail -n 2 "$LOG" | tr '\n' ' ')" = "grub-reboot gnulinux-advanced-1234>gnulinux-6.1.0-$kernel-advanced-1234 systemctl reboot " ]
		: >"$LOG"
		boots_as 6.1.0-$kernel
		run alternate step d
		[ "$status" = 0 ]
		[ "$(head -n 1 "$LOG")" = "run -o $PWD/d/6.1.0-$kernel/ -- sizes=64 rounds=2" ]
	done
	[ "$(wc -l <"$LOG")" = 1 ]
	[[ $output == *"scripts/compare.sh 6.1.0-old=$PWD/d/6.1.0-old 6.1.0-new=$PWD/d/6.1.0-new" ]]
	: >"$LOG"
	boots_as 6.1.0-old
	alternate step d
	[ ! -s "$LOG" ]
	run alternate start d --boots 2 6.1.0-old 6.1.0-new
	[ "$status" = 2 ]
}

@test "alternate.sh: one boot is measured once, however often step is called" {
	alternate start d --boots 2 --settle 0 6.1.0-old 6.1.0-new
	alternate step d
	boots_as 6.1.0-old
	alternate step d
	alternate step d
	[ "$(grep -c ^run "$LOG")" = 1 ]
	[ "$(grep -c 'grub-reboot.*new' "$LOG")" = 2 ]
}

@test "alternate.sh: a kernel that does not come up, or a run that fails, ends the reboots" {
	alternate start d --boots 1 --settle 0 6.1.0-old 6.1.0-new
	alternate step d
	boots_as 6.1.0-distribution
	: >"$LOG"
	run alternate step d
	[ "$status" = 9 ] && [[ $output == *"6.1.0-old was asked for and 6.1.0-distribution came up"* ]]
	[ ! -s "$LOG" ]
	rm d/asked
	alternate step d
	boots_as 6.1.0-old
	: >"$LOG"
	touch "$LOG.broken"
	run alternate step d
	[ "$status" = 4 ] && [[ $output == *"'step $PWD/d' goes on"* ]]
	[ "$(grep -c systemctl "$LOG")" = 0 ]
	rm "$LOG.broken"
	alternate step d
	[ "$(tail -n 1 "$LOG")" = "systemctl reboot" ]
}

@test "alternate.sh --kexec: loads the next kernel with its initrd, where it has one" {
	alternate start d --kexec --boots 1 --settle 0 6.1.0-old 6.1.0-new
	alternate step d
	[ "$(tr '\n' ' ' <"$LOG")" = "kexec -l $boot/vmlinuz-6.1.0-old --reuse-cmdline systemctl kexec " ]
	boots_as 6.1.0-old
	alternate step d
	grep -qx "kexec -l $boot/vmlinuz-6.1.0-new --reuse-cmdline --initrd=$boot/initrd.img-6.1.0-new" "$LOG"
}

@test "alternate.sh start: a kernel, a tree or a menu entry that is missing is said, with exit code 9" {
	missing() {
		run alternate start d --boots 1 "$@"
		echo "$output"
		[ "$status" = 9 ] && [ "${#lines[@]}" = 1 ] && [ ! -e d/schedule ]
	}
	missing 6.1.0-old 6.1.0-none
	[[ $output == *vmlinuz-6.1.0-none* ]]
	touch boot/vmlinuz-6.1.0-none
	missing 6.1.0-old 6.1.0-none
	[[ $output == *modules/6.1.0-none/build* ]]
	mkdir -p modules/6.1.0-none/build
	missing 6.1.0-old 6.1.0-none
	[[ $output == *update-grub* ]]
	alternate start d --boots 1 --kexec 6.1.0-old 6.1.0-none
}

@test "alternate.sh: a boot is not measured again after a failed reboot, although it is its kernel's turn again" {
	alternate start d --boots 2 --settle 0 6.1.0-old 6.1.0-new
	alternate step d
	boots_as 6.1.0-old
	alternate step d
	boots_as 6.1.0-new
	printf '#!/bin/sh\nexit 1\n' >bin/grub-reboot
	run alternate step d
	[ "$status" = 9 ] && [[ ${lines[-1]} == *'grub-reboot failed'* ]]
	[ "$(grep -c '^run .*6.1.0-new' "$LOG")" = 1 ]
	printf '#!/bin/sh\n' >bin/grub-reboot
	alternate step d
	[ "$(grep -c '^run .*6.1.0-new' "$LOG")" = 1 ]
	boots_as 6.1.0-new
	alternate step d
	[ "$(grep -c '^run .*6.1.0-new' "$LOG")" = 2 ]
}

@test "alternate.sh: settles before it measures" {
	printf '#!/bin/sh\necho "sleep $*" >>"$LOG"\n' >bin/sleep
	chmod +x bin/sleep
	alternate start d --boots 1 --settle 7 6.1.0-old 6.1.0-new
	alternate step d
	boots_as 6.1.0-old
	: >"$LOG"
	alternate step d
	[ "$(head -n 1 "$LOG")" = 'sleep 7' ]
	[[ $(sed -n 2p "$LOG") == run* ]]
}

@test "alternate.sh: no second step at a time, none without root, no plan without the tool" {
	alternate start d --boots 1 6.1.0-old 6.1.0-new
	run flock d/.lock scripts/alternate.sh step d
	[ "$status" = 9 ] && [[ $output == *'another step is at work'* ]]
	printf '#!/bin/sh\necho 1000\n' >bin/id
	run alternate step d
	[ "$status" = 9 ] && [[ $output == *'needs root'* ]]
	[ ! -s "$LOG" ]
	mkdir few
	for command in sh awk basename dirname grep mkdir sed tr; do
		ln -s "$(command -v $command)" few/
	done
	for tool in grub-reboot: kexec:--kexec; do
		# shellcheck disable=SC2086 # no option is no word
		PATH=$PWD/few run alternate start e --boots 1 ${tool#*:} 6.1.0-old 6.1.0-new
		[ "$status" = 9 ] && [[ $output == *"no ${tool%:*}: apt-get install"* ]]
	done
	[ ! -e e ]
}
