#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/run.sh [OPTION...] [-- PARAMETER=VALUE...]
#
# Runs slab_test on this machine: builds the module for the running kernel, loads it, runs the plan,
# writes one record and unloads it. Nothing is left loaded, however this ends. Needs root and debugfs.
#
#   -o FILE            where the record goes; must not exist yet (default: standard output)
#   -o DIR             the next DIR/boot-001.txt, …; DIR/ is made where it is not there
#   --module FILE.ko   load this module instead of building one
#   --cgroup NAME      start the run from the memory cgroup NAME, as accounted_* tests need it. It is
#                      made at the top and removed afterwards; one that is there already is used and stays.
#   --events           after the run, run each test and size once more, alone, and add to the record what
#                      the kernel counts meanwhile: the allocator's events (needs CONFIG_SLUB_STATS)
#                      and those of list_lock (needs CONFIG_LOCK_STAT), for compare.sh --why
#   --perf             perf stat of all CPUs beside the run, kept beside the record (boot-001.perf-stat)
#   --perf-record TEST after the run, run TEST once more with the plan's parameters under perf record -g;
#                      kept are boot-001.perf-data and, with this module's names, boot-001.perf-report
#
# Exit: 0 done, 2 bad usage, 4 the run failed, 5 the module refused a parameter, 6 the kernel refused
# the module, 9 something here is missing or broke, 130 interrupted
set -eu

# Plain enough for busybox: the guests of vm.sh run it too.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=cgroup.sh
. "$here/cgroup.sh"
# shellcheck source=events.sh
. "$here/events.sh"
# shellcheck source=perf.sh
. "$here/perf.sh"

out='' object='' group='' events='' stat='' profiled=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		help
		exit 0
		;;
	--events)
		events=yes
		shift
		;;
	--perf)
		stat=yes
		shift
		;;
	-o | --module | --cgroup | --perf-record)
		[ $# -gt 1 ] || usage_error "$1 needs a value"
		case $1 in
		-o) out=$2 ;;
		--module) object=$2 ;;
		--cgroup) group=$2 ;;
		--perf-record) profiled=$2 ;;
		esac
		shift 2
		;;
	--)
		shift
		break
		;;
	*) usage_error "'$1' is no option; module parameters stand after --" ;;
	esac
done
for parameter; do
	case $parameter in
	run=*) usage_error "run= is what this script sets" ;;
	[a-z]*=*) ;;
	*) usage_error "'$parameter' is not PARAMETER=VALUE" ;;
	esac
done
[ -z "$group" ] || is_name "$group" || usage_error "--cgroup: '$group' is no plain name"
[ -z "$stat$profiled" ] || [ -n "$out" ] || usage_error "what perf finds is kept beside the record: name that with -o"
[ -z "$out" ] || [ -d "$out" ] || [ ! -e "$out" ] || usage_error "-o: '$out' exists and is kept"
# before the run, which may take long
case $out in
*/) mkdir -p "$out" 2>/dev/null || die 9 "-o: cannot make the folder '$out'" ;;
esac
[ -z "$out" ] || [ -d "$out" ] || [ -d "$(dirname "$out")" ] || usage_error "-o: no folder '$(dirname "$out")'"

[ "$(id -u)" = 0 ] || die 9 "loading a module needs root: sudo $0"
debugfs=$(awk '$3 == "debugfs" { print $2; exit }' /proc/mounts)
[ -n "$debugfs" ] || die 9 "debugfs is not mounted: mount -t debugfs none /sys/kernel/debug"
files=$debugfs/slab_test
[ ! -d /sys/module/slab_test ] || die 9 "slab_test is loaded already: rmmod slab_test"
if [ -z "$object" ]; then
	kdir=/lib/modules/$(uname -r)/build
	[ -d "$kdir" ] || die 9 "no headers of the running kernel: apt-get install linux-headers-$(uname -r)"
	object=$("$here/kernel.sh" module "$kdir")
fi
[ -r "$object" ] || die 9 "cannot read $object"

work=$(mktemp -d)
# leave CODE: unloads what was loaded, a run that is going on aborted first
# shellcheck disable=SC2317,SC2329 # called by the traps
leave() {
	trap - EXIT INT TERM HUP
	if [ -e "$work/loaded" ]; then
		echo abort >"$files/run" 2>/dev/null || true
		rmmod slab_test || note "slab_test could not be unloaded"
	fi
	cgroup_remove
	rm -rf "$work"
	exit "$1"
}
trap 'leave $?' EXIT
trap 'leave 130' INT
trap 'leave 143' TERM
trap 'leave 129' HUP

# why: the last line that the module wrote to the kernel log
why() { dmesg | sed -n 's/^\(\[[^]]*\] \)\{0,1\}\(slab_test: .*\)/\2/p' | tail -n 1 >&2; }

[ -z "$stat" ] || perf_try stat -a
[ -z "$profiled" ] || perf_try record -a -g -o "$work/perf-data"
[ -z "$group" ] || cgroup_make "$group" 2>"$work/error" || die 9 "$(cat "$work/error")"

# marked before, for a signal that comes while insmod runs
: >"$work/loaded"
if ! in_cgroup insmod "$object" "$@" run=0 2>"$work/insmod"; then
	rm "$work/loaded"
	cat "$work/insmod" >&2
	! grep -qiE 'module format|unknown symbol|key' "$work/insmod" ||
		die 6 "the kernel refused the module: was it built for $(uname -r)?"
	! grep -qi 'not permitted' "$work/insmod" ||
		die 6 "the kernel lets nobody load it: locked down (see /sys/kernel/security/lockdown), or no CAP_SYS_MODULE"
	why
	die 5 "the module refused a parameter"
fi
for parameter; do
	[ -e "/sys/module/slab_test/parameters/${parameter%%=*}" ] ||
		die 5 "slab_test has no parameter ${parameter%%=*}"
done

[ -z "$profiled" ] || cut -f 1 "$files/tests" | grep -qxF "$profiled" ||
	die 5 "--perf-record: slab_test has no test '$profiled'"

host_lines >"$work/header"
echo "# cmdline: $(cat /proc/cmdline)" >>"$work/header"
[ -z "$group" ] || echo "# cgroup: $group" >>"$work/header"

# run_plan [TEST]: the plan, or the part of it that is TEST
run_plan() {
	in_cgroup write_to "$files/run" "start${1:+ tests=$1}" || die 4 "the run did not start"
	last=
	while read -r state <"$files/run"; do
		case $state in
		running*) ;;
		*) break ;;
		esac
		[ "$state" = "$last" ] || note "$state"
		last=$state
		sleep 1
	done
	[ "$state" = 'done' ] || die 4 "the run $state"
}

[ -z "$stat" ] || echo "# perf: stat beside the run" >>"$work/header"
slab_memory before >"$work/metrics"
[ -z "$stat" ] || perf_begin stat -a -d -o "$work/perf-stat"
run_plan
[ -z "$stat" ] || perf_end
slab_memory after >>"$work/metrics"
cat "$files/results" >"$work/results"
cat "$files/samples" >"$work/samples"
# a module of yours may have no metrics at all
[ ! -r "$files/metrics" ] || tail -n +2 "$files/metrics" >>"$work/metrics"
if [ -n "$events" ]; then
	events_line >>"$work/header"
	allocator_events "$work/samples" "$files" "$work" >>"$work/metrics"
fi
{
	cat "$work/results" && echo && cat "$work/samples"
} | with_header "$work/header" | with_metrics "$work/metrics" >"$work/record"

if [ -n "$profiled" ]; then
	perf_begin record -a -g -o "$work/perf-data"
	run_plan "$profiled"
	perf_end
	# while the module is there, whose functions are to be named
	perf report -i "$work/perf-data" --stdio --no-children >"$work/perf-report" 2>"$work/perf-log" ||
		perf_refuses
fi

# Under its final name in one step, and never over an older record.
place() {
	cp "$work/record" "$1.partial.$$" && ln "$1.partial.$$" "$1" 2>/dev/null
	placed=$?
	rm -f "$1.partial.$$"
	return $placed
}
# keep RECORD: what perf found, beside it
keep() {
	for kind in ${stat:+stat} ${profiled:+data report}; do
		[ ! -e "${1%.txt}.perf-$kind" ] || die 9 "${1%.txt}.perf-$kind exists and is kept"
		cp "$work/perf-$kind" "${1%.txt}.perf-$kind" || die 9 "cannot write ${1%.txt}.perf-$kind"
	done
	echo "$1"
}
if [ -z "$out" ]; then
	cat "$work/record"
elif [ -d "$out" ]; then
	number=1
	until place "$out/$(printf 'boot-%03d.txt' $number)"; do
		[ -e "$out/$(printf 'boot-%03d.txt' $number)" ] || die 9 "cannot write in $out (disk full?)"
		number=$((number + 1))
	done
	keep "$out/$(printf 'boot-%03d.txt' $number)"
else
	place "$out" || die 9 "cannot write $out"
	keep "$out"
fi
