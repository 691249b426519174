#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/vm.sh --kernel KERNEL [OPTION...] [-- PARAMETER=VALUE...]
#
# Boots a kernel in QEMU, runs slab_test there with the module parameters given, and writes one
# record a boot. KVM is used where it works, else emulation with one host thread a vCPU.
#
#   --kernel KERNEL    a name of `scripts/kernel.sh list`, a built kernel tree, or an image
#   --kdir DIR         the tree to build the module against, when KERNEL is an image
#   --boots N          how often to boot (default 1; 2 with --exact)
#   --smp N            vCPUs (default 2)
#   --nodes N          NUMA nodes (default 1); nodes beyond the number of vCPUs hold memory only
#   --mem SIZE         memory, as 512M or 4G (default 1G)
#   --append 'ARGS'    more of the kernel's command line
#   --exact            count instructions instead of time: every boot must give the same bytes. If one
#                      does not, which with several vCPUs happens now and then, another boot is made
#                      and it is told. A record that differs is not published but kept in its run folder.
#                      Boots run side by side, one for each CPU of this machine.
#   --profile          with --exact: also count in which functions the instructions of each test were
#                      executed. The profile is kept beside the record, as boot-001.profile, for
#                      compare.sh --why. One boot more, which tells where the functions are.
#   --cgroup NAME      run everything in the guest in a memory cgroup of this name, as accounted_*
#                      tests need it
#   --workload 'ARGS'  before the plan, run scripts/workload.sh with these arguments in the guest; its
#                      metrics go into the record
#   --metrics FILE     before the plan, run this script in the guest; what it prints is metrics of the
#                      record: lines of NAME, UNIT, lower or higher, round and value, with tabs between
#   --events           after the run, run each test and size once more, alone, and add to the record what
#                      the kernel counts meanwhile: the allocator's events (needs CONFIG_SLUB_STATS)
#                      and those of list_lock (needs CONFIG_LOCK_STAT), for compare.sh --why
#   --accel kvm|tcg    do not choose by trying
#   --timeout SECONDS  for one boot (default 120 + 30 a vCPU, three times that with --exact)
#   --module DIR       where the module's source is (default: this repository)
#   --guest COMMANDS   run these shell commands in the guest instead of the plan; their output is
#                      copied to standard output. /slab_test.ko and /run.sh are there. Without -o
#                      the run folder is kept only when the guest died, hung or complained.
#   --script FILE      the same with the commands in a file
#   --file FILE        put this file into the guest's /; may be given several times
#   -o DIR             where the records go: DIR/boot-001.txt, …, numbered on from what is there
#                      (default build/records/KERNEL); DIR/boot-001.run/ has the console and qemu-cmd,
#                      which boots the same guest again
#
# The paths of the records are printed on standard output, progress on standard error.
#
# Exit: 0 done
#       2 bad usage
#       3 --exact: boots of the same kernel gave different records
#       4 the run failed in the guest
#       5 the module refused a parameter
#       6 the kernel refused the module (built against the wrong headers?)
#       7 the guest panicked or stopped
#       8 time-out
#       9 something here broke: no QEMU, no kernel, the module does not build, disk full
#      10 the commands of --guest or --script failed
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

kernel='' kdir='' boots='' smp=2 nodes=1 mem=1G append='' exact='' profile='' events='' group='' accel='' limit=''
module=$top workload='' metrics='' commands='' script='' files='' out=''

while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		help
		exit 0
		;;
	--exact)
		exact=yes
		shift
		continue
		;;
	--profile)
		profile=yes
		shift
		continue
		;;
	--events)
		events=yes
		shift
		continue
		;;
	--)
		shift
		break
		;;
	--*=*)
		option=${1%%=*}
		value=${1#*=}
		shift
		;;
	-*)
		option=$1
		[ $# -gt 1 ] || usage_error "$1 needs a value, or is no option"
		value=$2
		shift 2
		;;
	*) usage_error "'$1' is no option; module parameters stand after --" ;;
	esac
	case $option in
	--kernel) kernel=$value ;;
	--kdir) kdir=$value ;;
	--boots) boots=$value ;;
	--smp) smp=$value ;;
	--nodes) nodes=$value ;;
	--mem) mem=$value ;;
	--append) append=$value ;;
	--cgroup) group=$value ;;
	--workload) workload=$value ;;
	--metrics) metrics=$value ;;
	--accel) accel=$value ;;
	--timeout) limit=$value ;;
	--module) module=$value ;;
	--guest) commands=$value ;;
	--script) script=$value ;;
	--file) files="$files $value" ;;
	-o) out=$value ;;
	*) usage_error "unknown option $option" ;;
	esac
done

[ -n "$kernel" ] || usage_error "--kernel is needed"
for parameter; do
	case $parameter in
	[a-z]*=*) ;;
	*) usage_error "'$parameter' is not PARAMETER=VALUE" ;;
	esac
done
: "${boots:=$([ -z "$exact" ] && echo 1 || echo 2)}"
: "${limit:=$(is_number "$smp" && echo $(((120 + 30 * smp) * $([ -z "$exact" ] && echo 1 || echo 3))))}"
is_number "$boots" || usage_error "--boots: '$boots' is no number of boots"
is_number "$smp" || usage_error "--smp: '$smp' is no number of vCPUs"
is_number "$nodes" || usage_error "--nodes: '$nodes' is no number of nodes"
is_number "$limit" || usage_error "--timeout: '$limit' is no number of seconds"
[ -z "$group" ] || is_name "$group" || usage_error "--cgroup: '$group' is no plain name"
case $accel in
'' | tcg) ;;
kvm)
	[ -z "$exact" ] || usage_error "--exact counts instructions, which KVM cannot"
	[ -z "$profile" ] || usage_error "--profile counts instructions, which KVM cannot"
	;;
*) usage_error "--accel: '$accel' is neither kvm nor tcg" ;;
esac
case $mem in
*[MG]) is_number "${mem%?}" || usage_error "--mem: '$mem' is not like 512M or 2G" ;;
*) usage_error "--mem: '$mem' is not like 512M or 2G" ;;
esac
case $mem in
*G) megabytes=$((${mem%G} * 1024)) ;;
*) megabytes=${mem%M} ;;
esac
[ "$megabytes" -ge $((16 * nodes)) ] || usage_error "--mem: $mem is too little for $nodes nodes"
[ -z "$exact" ] || [ "$boots" -gt 1 ] || usage_error "--exact needs two boots to compare"
[ -z "$profile" ] || [ -n "$exact" ] || usage_error "--profile goes with --exact"
[ -z "$commands" ] || [ -z "$script" ] || usage_error "--guest and --script exclude each other"
guest=$commands$script
[ -z "$guest" ] || [ -z "$profile" ] || usage_error "--profile is of the plan, not of --guest"
[ -z "$guest" ] || [ -z "$workload" ] || usage_error "--workload goes with the plan, not with --guest"
[ -z "$guest" ] || [ -z "$metrics" ] || usage_error "--metrics go with the plan, not with --guest"
[ -z "$metrics" ] || [ -r "$metrics" ] || usage_error "--metrics: cannot read '$metrics'"
if [ -n "$workload" ]; then
	# shellcheck disable=SC2086 # words
	"$here/workload.sh" --check $workload || exit
fi
[ -z "$guest" ] || [ -z "$events" ] || usage_error "--events are of the plan, not of --guest"
[ -z "$guest" ] || [ $# -eq 0 ] || usage_error "module parameters go with the plan, not with --guest"
[ -z "$script" ] || [ -r "$script" ] || usage_error "--script: cannot read '$script'"
for file in $files; do
	[ -r "$file" ] || usage_error "--file: cannot read '$file'"
done

# The kernel and the tree that goes with it.
if [ -f "$kernel" ] && [ ! -d "$kernel" ]; then
	[ -n "$kdir" ] || usage_error "--kernel is an image: --kdir must name the tree it was built from"
	image=$(absolute "$kernel")
	name=${kernel##*/}
else
	[ -z "$kdir" ] || usage_error "--kdir goes with an image"
	case $kernel in
	*:*) "$here/kernel.sh" get "$kernel" >/dev/null ;;
	esac
	kdir=$kernel
	image=$("$here/kernel.sh" path "$kernel" image)
	name=$(echo "${kernel##*/}" | tr : -)
fi
arch=$("$here/kernel.sh" path "$kdir" arch)
object=$("$here/kernel.sh" module "$kdir" "$module")

case $arch in
x86_64 | i386) qemu=$("$here/kernel.sh" qemu) ;;
arm64) qemu='qemu-system-aarch64' ;;
esac
command -v "$qemu" >/dev/null 2>&1 || die 9 "no $qemu: sudo scripts/setup.sh arm64 installs it"

plugin=$build/profile/plugin.so
if [ -n "$profile" ]; then
	"$qemu" --help | grep -q '^-plugin' ||
		die 9 "--profile: $qemu knows no plugins (too old, or built without --enable-plugins)"
	command -v "${CC:-cc}" >/dev/null 2>&1 ||
		die 9 "--profile: no C compiler for the plugin: sudo scripts/setup.sh demo installs one"
	mkdir -p "$build/profile"
	flock "$build/profile" make -s -C "$here/profile" OUT="$build/profile" >&2 ||
		die 9 "--profile: the plugin in scripts/profile does not build"
fi

# What workloads need that busybox has not.
userland=
case " $workload " in
*' rawudp '* | *' rawpkt '* | *' messaging '*)
	[ "$arch" = x86_64 ] || die 9 "--workload: stress-ng and perf are there for x86_64 guests only"
	userland=$("$here/kernel.sh" userland)
	;;
esac

# A busybox that runs in this guest.
if [ "$arch" = "$host_arch" ] && [ -x /bin/busybox ]; then
	busybox=/bin/busybox
else
	busybox=$("$here/kernel.sh" busybox "$arch")
fi

work=$(mktemp -d)
scratch=
run=
# the boots that were begun and are not over, and their processes
runs=
pids=
teller=
complained=
# shellcheck disable=SC2317,SC2329 # called by the traps
stop() {
	# a second signal shall not keep this from its end
	trap - EXIT
	trap '' INT TERM HUP
	[ -z "$teller" ] || kill "$teller" 2>/dev/null || true
	for pid in $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	# shellcheck disable=SC2086 # paths without blanks
	[ -z "$runs" ] || rm -rf $runs
	case $1 in
	4 | 7 | 8 | 9) ;;
	*) [ -z "$scratch" ] || [ -n "$complained" ] || rm -rf "$scratch" ;;
	esac
	rm -rf "$work"
	exit "$1"
}
trap 'stop $?' EXIT
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP

# quoted WORD...: as a shell reads them back
quoted() {
	for word; do
		printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
	done
}

# The initramfs: the same bytes for the same input, because exact guests see its layout.
initramfs() {
	root=$work/root
	mkdir -p "$root/bin"
	cp "$busybox" "$root/bin/busybox"
	cp "$here/vm-init" "$root/init"
	cp "$here/vm-plan" "$root/plan"
	cp "$here/run.sh" "$here/lib.sh" "$here/cgroup.sh" "$here/events.sh" "$here/perf.sh" "$here/workload.sh" "$root/"
	cp "$object" "$root/slab_test.ko" || return
	"$strip" --strip-debug "$root/slab_test.ko" 2>/dev/null || true
	# shellcheck disable=SC2086 # paths without blanks
	[ -z "$files" ] || cp $files "$root/" || return
	[ -z "$metrics" ] || cp "$metrics" "$root/metrics-script" || return
	printf "channel='%s' group='%s' progress='%s'\n" "$channel" "$group" \
		"$([ -n "$exact" ] || echo yes)" >"$root/settings"
	if [ -n "$script" ]; then
		cp "$script" "$root/job"
	elif [ -n "$commands" ]; then
		printf '%s\n' "$commands" >"$root/job"
	else
		{
			# before the module is there
			[ -z "$workload" ] || echo "sh /workload.sh $workload >/metrics 2>/words || { cat /words; exit 4; }"
			[ -z "$metrics" ] || echo "sh /metrics-script >/more-metrics 2>/words || { cat /words; echo 'the script of --metrics failed'; exit 4; }"
			echo "sh /plan${events:+ --events}$(quoted "$@") || exit"
			[ -z "$workload$metrics" ] || echo "echo"
			if [ -n "$workload" ]; then
				echo "cat /metrics"
			elif [ -n "$metrics" ]; then
				printf '%s\n' "printf 'metric\tunit\tbetter\tround\tvalue\n'"
			fi
			[ -z "$metrics" ] || echo "cat /more-metrics"
		} >"$root/job"
	fi
	chmod 755 "$root"/* "$root/bin/busybox"
	find "$root" -exec touch -h -d @0 {} +
	{
		[ -z "$userland" ] || cat "$userland"
		(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --reproducible --quiet) | gzip -n -1
	} >"$work/initramfs"
}

# kvm_works: KVM may be there and yet not run a kernel (a cloud machine's, often). So it is tried with
# this kernel and without an initramfs, until it panics for want of one. Remembered until reboot.
kvm_works() {
	[ -w /dev/kvm ] && [ "$arch" = "$host_arch" ] || return 1
	known=$build/kvm-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -f "$known" ]; then
		note "trying KVM"
		if timeout 10 "$qemu" -accel kvm -cpu host -m 512M -nodefaults -display none -no-reboot \
			-serial stdio -kernel "$image" -append "console=ttyS0 panic=-1" </dev/null 2>&1 |
			grep -q 'Kernel panic'; then
			echo yes >"$known"
		else
			echo no >"$known"
			note "/dev/kvm is there but does not run this kernel: emulating"
		fi
	fi
	[ "$(cat "$known")" = yes ]
}

# The machine. Records leave by the second serial port.
strip='strip'
case $arch in
arm64)
	strip=aarch64-linux-gnu-strip
	console=ttyAMA0 channel=ttyS0
	set_machine='-M virt,gic-version=3,dtb-randomness=off'
	# max has random numbers and emulates pointer authentication at a third of the speed
	cpu=cortex-a57
	ports='-serial file:console.log -chardev file,id=channel,path=channel -device pci-serial,chardev=channel'
	;;
*)
	console=ttyS0 channel=ttyS1
	set_machine='-M pc'
	cpu=max
	# which 32-bit kernels take for a K7, and warn of having two
	[ "$arch" = x86_64 ] || cpu=max,vendor=GenuineIntel
	ports='-serial file:console.log -serial file:channel'
	;;
esac
if [ -n "$exact" ]; then
	accel=exact
elif [ -z "$accel" ]; then
	if kvm_works; then accel=kvm; else accel=tcg; fi
fi
# the crypto code's tests of itself would run on for seconds, beside ours
cmdline="console=$console loglevel=5 panic=-1 oops=panic cryptomgr.notests"
case $accel in
kvm)
	engine='-accel kvm'
	cpu=host
	what=KVM
	;;
tcg)
	engine='-accel tcg,thread=multi'
	what='TCG, a thread a vCPU'
	# on a busy host the timer may tick too late, and the kernel would take it for broken
	[ "$arch" = arm64 ] || cmdline="$cmdline no_timer_check"
	;;
exact)
	engine='-accel tcg,thread=single -icount shift=0,sleep=off -rtc base=2020-01-01,clock=vm -seed 1'
	what='TCG, counting instructions'
	cmdline="$cmdline nokaslr"
	[ "$arch" = arm64 ] || cpu=$cpu,-rdrand,-rdseed
	;;
esac
# Emulated vCPUs read one counter of the host; kernels up to 6.1 take it for several and drop it.
[ "$arch" = arm64 ] || [ "$accel" = kvm ] || cmdline="$cmdline tsc=reliable"
cmdline="$cmdline${append:+ $append}"

numa() {
	[ "$nodes" -gt 1 ] || return 0
	share=$((megabytes / nodes))
	node=0
	while [ "$node" -lt "$nodes" ]; do
		[ "$node" -lt $((nodes - 1)) ] || share=$((megabytes - share * node))
		cpus=
		if [ "$nodes" -le "$smp" ]; then
			cpus=,cpus=$((node * smp / nodes))-$(((node + 1) * smp / nodes - 1))
		elif [ "$node" -lt "$smp" ]; then
			cpus=,cpus=$node
		fi
		printf ' -object memory-backend-ram,id=memory%d,size=%dM -numa node,nodeid=%d,memdev=memory%d%s' \
			"$node" "$share" "$node" "$node" "$cpus"
		node=$((node + 1))
	done
}

# qemu_command: the script that boots this guest, kept with each boot
qemu_command() {
	firmware=
	case $qemu in
	"$build"/*)
		share=${qemu%/bin/*}/share
		firmware=" -L$(quoted "$share/qemu") -L$(quoted "$share/seabios")"
		;;
	esac
	plugged=
	if [ -s "$work/symbols" ]; then
		folder="\$(echo \"\$here\" | sed s/,/,,/g)"
		plugged=" -plugin \"$folder/plugin.so,symbols=$folder/symbols,out=phases\""
	fi
	cat <<-EOT
	#!/bin/sh
	# usage: qemu-cmd [FOLDER]: boots this guest; console.log and channel go to FOLDER (default: a new one)
	# kernel: $kernel
	here=\$(cd "\$(dirname "\$0")" && pwd)
	cd "\${1:-\$(mktemp -d)}" && pwd || exit 9
	exec$(quoted "$qemu")$firmware$plugged $set_machine $engine -cpu $cpu \\
		-smp $smp,sockets=$smp,cores=1,threads=1 -m ${megabytes}M$(numa) \\
		-nodefaults -display none -no-reboot -monitor none $ports \\
		-kernel "\$here/kernel" -initrd "\$here/initramfs" \\
		-append$(quoted "$cmdline") </dev/null
	EOT
}

# next_run: makes the folder of the next boot in $out and names it. mkdir decides between two
# callers that count at the same time.
next_run() {
	number=$(find "$out" -maxdepth 1 -name 'boot-[0-9]*' | sed 's/.*boot-0*\([0-9]*\).*/\1/' |
		sort -n | tail -n 1)
	number=$((${number:-0} + 1))
	until mkdir "$out/$(printf 'boot-%03d.run' "$number")" 2>/dev/null; do
		[ -w "$out" ] || die 9 "cannot write $out"
		[ "$number" -lt 99999 ] || die 9 "cannot make a run folder in $out"
		number=$((number + 1))
	done
	run=$out/$(printf 'boot-%03d.run' "$number")
}

# answer: what the guest's job wrote, without vm-init's last line and the end of line before it
answer() { sed '$d' "$run/channel" | head -c -1; }

# disk_broke: whether the run folder can no longer be written
disk_broke() { ! head -c 65536 /dev/zero >"$run/.room" 2>/dev/null || ! rm "$run/.room"; }

# begin: begins a boot in a new run folder
begin() {
	next_run
	runs="$runs $run"
	if ! { ln "$image" "$run/kernel" 2>/dev/null || cp "$image" "$run/kernel"; } 2>"$work/error" ||
		! cp "$work/initramfs" "$work/qemu-cmd" "$run/" 2>"$work/error" ||
		{ [ -s "$work/symbols" ] && ! cp "$plugin" "$work/symbols" "$run/" 2>"$work/error"; }; then
		die 9 "$(cat "$work/error")"
	fi
	timeout -k 5 "$limit" "$run/qemu-cmd" "$run" >"$run/qemu.log" 2>&1 &
	pids="$pids $!"
}

# finish: waits for the boot of $run, the first that was begun; sets $status to what its job returned
finish() {
	qemu_status=0
	pids=${pids# }
	pid=${pids%% *}
	# exact guests say nothing meanwhile
	if [ -z "$exact" ]; then
		tell_progress >/dev/null &
		teller=$!
	fi
	wait "$pid" || qemu_status=$?
	pids=${pids#"$pid"}
	runs=${runs#" $run"}
	[ -z "$teller" ] || kill "$teller" 2>/dev/null || true
	teller=
	status=$(tail -n 1 "$run/channel" 2>/dev/null | tr -d '\0' | sed -n 's/^vm\.sh: exit \([0-9]*\)$/\1/p')
	if [ "$qemu_status" = 124 ] || [ "$qemu_status" = 137 ]; then
		last_words
		die 8 "the guest did not finish in $limit s (--timeout); console: $run/console.log"
	elif [ -z "$status" ]; then
		! disk_broke || die 9 "cannot write $run: disk full?"
		[ -s "$run/console.log" ] || [ "$qemu_status" = 0 ] || {
			cat "$run/qemu.log" >&2
			die 9 "QEMU failed, see $run/qemu.log"
		}
		last_words
		die 7 "the guest $(grep -q 'Kernel panic' "$run/console.log" && echo panicked ||
			echo stopped); console: $run/console.log"
	fi
	if complaints "$run/console.log" >"$work/complaints"; then
		head -n 3 "$work/complaints" >&2
		complained=yes
		note "the kernel complained: $run/console.log"
	fi
}

# tell_progress: what the guest says of a plan that takes long, as it says it
tell_progress() {
	last=
	# Whoever reads what vm.sh prints shall not wait for this sleep. A signal may come before this
	# subshell hears it; so it ends without one, too.
	while sleep 5 >/dev/null 2>&1 3>&- && kill -0 "$pid" 2>/dev/null; do
		state=$(tail -c 4096 "$run/console.log" 2>/dev/null | tr -d '\r' |
			sed -n 's/.*vm\.sh: \(running .*\)/\1/p' | tail -n 1)
		[ -z "$state" ] || [ "$state" = "$last" ] || note "$state"
		last=$state
	done
}

# last_words: why the guest died, or the last lines of a console that does not say
last_words() {
	grep -m 1 'Kernel panic' "$run/console.log" >&2 ||
		grep -v '^[[:space:]]*$' "$run/console.log" | tail -n 5 >&2 || true
}

# record: what the guest sent, with the lines that only this side knows
record() {
	{
		[ -n "$exact" ] || echo "# boot: $number"
		echo "# vm: $version, $what, -smp $smp -m $mem -cpu $cpu, $nodes $([ "$nodes" = 1 ] && echo node || echo nodes)"
		echo "# cmdline: $cmdline"
		[ -z "$group" ] || echo "# cgroup: $group"
		# what scripts/build.sh says of its kernels
		[ ! -f "$kdir/made-of/header" ] || cat "$kdir/made-of/header"
		if [ -n "$exact" ]; then
			echo "# exact: yes"
		else
			host_lines
		fi
	} >"$work/header"
	if ! answer | with_header "$work/header" >"$run/record" || disk_broke; then
		rm -f "$run/record"
		die 9 "cannot write $run: disk full?"
	fi
}

# failed: says how the plan failed, and ends
failed() {
	answer >&2
	case $status in
	4) die 4 "the run failed; console: $run/console.log" ;;
	5) die 5 "the module refused a parameter" ;;
	6) die 6 "the kernel refused the module: built against other headers than those of $kernel, or locked down" ;;
	9) die 9 "the guest has no memory cgroup to run in" ;;
	*) die 7 "the guest's plan ended with exit code $status; console: $run/console.log" ;;
	esac
}

# symbols PARAMETER...: asks the guest where its functions are, once it has loaded the module in the
# way that the plan does. Without KASLR they are there at every boot.
symbols() {
	note "$name: a boot to ask where the functions are"
	commands="sh /plan$(quoted "$@") run=0 && { grep ' [tTwW] ' /proc/kallsyms; true; }"
	initramfs
	commands=
	records=$out
	mkdir -p "$build"
	scratch=$(mktemp -d "$build/guest.XXXXXX")
	out=$scratch
	begin
	finish
	[ "$status" = 0 ] || failed
	sed -n '/^[0-9a-f]* [tTwW] /p' "$run/channel" >"$work/symbols"
	[ -n "$complained" ] || rm -rf "$scratch"
	scratch=
	[ -s "$work/symbols" ] || die 9 "--profile: this kernel does not tell where its functions are (no CONFIG_KALLSYMS?)"
	out=$records
}

# profile: what the plugin counted, by the samples of the record; boot-001.profile. Fails where they do not fit.
profile() {
	awk -f "$here/profile/attribute.awk" pass=record "$run/record" \
		pass=count "$run/phases" pass=join "$run/phases" >"$work/attributed" || return
	{
		echo "# slab_test profile: 1"
		sed -n '/^# kernel: /p; /^# plan: /p; /^[^#]/q' "$run/record"
		printf 'test\tsize\tround\tcpu\tphase\tops\tfunction\tinstructions\telsewhere\n'
		LC_ALL=C sort -t "$(printf '\t')" -k 1,1n -k 9,9nr "$work/attributed" | cut -f 2-
	} >"$run/profile" || die 9 "cannot write $run: disk full?"
	rm "$run/phases"
}

# publish RUN: the record under its final name, in one step and never over an older one
publish() {
	ln "$1/record" "${1%.run}.txt" || die 9 "cannot write ${1%.run}.txt"
	rm "$1/record"
	if [ -n "$profile" ]; then
		ln "$1/profile" "${1%.run}.profile" || die 9 "cannot write ${1%.run}.profile"
		rm "$1/profile"
	fi
	echo "${1%.run}.txt"
}

if [ -n "$out" ]; then
	mkdir -p "$out" 2>/dev/null || die 9 "-o: cannot make the folder '$out'"
	out=$(absolute "$out")
	[ -w "$out" ] || die 9 "-o: cannot write in '$out'"
elif [ -n "$guest" ]; then
	# kept only if something is to be seen in it
	mkdir -p "$build"
	scratch=$(mktemp -d "$build/guest.XXXXXX")
	out=$scratch
else
	out=$build/records/$name
	mkdir -p "$out"
fi
version=$("$qemu" --version | sed -n 's/.*version \([0-9.]*\).*/QEMU \1/p')
if [ -n "$profile" ]; then
	qemu_command >"$work/qemu-cmd" && chmod 755 "$work/qemu-cmd"
	symbols "$@"
fi
initramfs "$@" || die 9 "cannot make the initramfs in $work (disk full?)"
qemu_command >"$work/qemu-cmd" && chmod 755 "$work/qemu-cmd"

# agree RUN RUN: did both boots give the same bytes? If not, where is in $difference.
agree() {
	for file in record ${profile:+profile}; do
		difference="$1/$file and $2/$file differ"
		cmp -s "$1/$file" "$2/$file" || return
	done
}

# same_bytes: of the boot that is over, where bytes are to be the same. Now and then one of a guest with
# several CPUs is not: something of the host's time leaks into QEMU. So one boot may differ from all
# others, or its profile from its record; it is told, and never published.
same_bytes() {
	if [ -n "$profile" ] && ! profile; then
		difference="the counts of the plugin do not fit the record: $run"
		[ -z "$odd" ] || die 9 "$difference"
	elif [ -z "$reference" ] || agree "$reference" "$run"; then
		published="$published $run"
		reference=$run
		done=$((done + 1))
		return
	elif [ -n "$odd" ] && [ "$done" = 1 ] && agree "$odd" "$run"; then
		# two against the first one
		published=" $odd $run"
		reference=$run
		done=2
		return
	elif [ -n "$odd" ]; then
		diff "$reference/$file" "$run/$file" | head -n 5 >&2 || true
		die 3 "boots diverged: $difference; nothing was published"
	fi
	odd=$run
	note "$difference: another boot decides"
}

# Boots that count instructions do not feel each other; time they would take from each other.
at_once=1
[ -z "$exact" ] || at_once=$(nproc)

done=0
published=
reference=
odd=
started=$(date +%s)
while [ "$done" -lt "$boots" ]; do
	left=
	[ "$done" -eq 0 ] ||
		left=", about $((($(date +%s) - started) * (boots - done) / done)) s to go"
	begun=0
	while [ "$begun" -lt "$at_once" ] && [ $((done + begun)) -lt "$boots" ]; do
		begun=$((begun + 1))
		note "$name: boot $((done + begun)) of $boots ($what)$left"
		begin
	done
	for run in $runs; do
		finish
		if [ -n "$guest" ]; then
			answer
			[ "$status" = 0 ] || die 10 "the commands ended with exit code $status in the guest"
		elif [ "$status" != 0 ]; then
			failed
		else
			record
			if [ -n "$exact" ]; then
				same_bytes
				continue
			fi
			publish "$run"
		fi
		done=$((done + 1))
	done
done
if [ -n "$exact" ] && [ -z "$guest" ]; then
	note "$([ -n "$odd" ] || echo 'all ')$boots boots gave the same bytes${odd:+, and one did not}"
	(
		cd "$out"
		for run in boot-*.run; do
			case "$published " in
			*" $out/$run "*) publish "$out/$run" ;;
			esac
		done
	)
fi
