#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/workload.sh [OPTION...] WORKLOAD...
#
# Measures on this machine what the module cannot: a workload, or the memory of all slabs. Needs root.
#
#   find               looks for a name that no file has, from / on, N times; after each the kernel
#                      drops dentries and inodes. Real, user and system time of find, and the time of
#                      the drop
#   rawudp             stress-ng --rawudp: packets to itself by raw sockets; operations a second
#   rawpkt             stress-ng --rawpkt: the same below IP; the time that --ops operations take
#   messaging          perf bench sched messaging -g 5 -t: 200 threads write to each other; their time
#   slabmem            what the slabs take, from /proc/slabinfo, as slabtop -o adds it up and by cache
#
#   --rounds N         how often, for all but slabmem (default 10)
#   --workers N        stressors of rawudp and rawpkt (default: as many as CPUs)
#   --seconds N        how long each round of rawudp is (default 10)
#   --ops N            operations of a round of rawpkt (default 1000000)
#   --loops N          messages a thread and round of messaging (default 1000)
#   -o RECORD          add the metrics to this record, or begin one (default: standard output)
#   --check            do nothing but refuse what would be refused
#
# Exit: 0 done, 2 bad usage, 9 something here is missing or broke; then no record was touched
set -eu

# Plain enough for busybox: the guests of vm.sh run it too.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

head='metric	unit	better	round	value'
rounds=10 workers='' seconds=10 ops=1000000 loops=1000 out='' check=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		help
		exit 0
		;;
	--rounds | --workers | --seconds | --ops | --loops | -o)
		[ $# -gt 1 ] || usage_error "$1 needs a value"
		[ "$1" = -o ] || is_number "$2" || usage_error "$1: '$2' is no number of ${1#--}"
		case $1 in
		--rounds) rounds=$2 ;;
		--workers) workers=$2 ;;
		--seconds) seconds=$2 ;;
		--ops) ops=$2 ;;
		--loops) loops=$2 ;;
		-o) out=$2 ;;
		esac
		shift 2
		;;
	--check)
		check=yes
		shift
		;;
	-*) usage_error "unknown option $1" ;;
	*) break ;;
	esac
done
all='find, rawudp, rawpkt, messaging or slabmem'
[ $# -gt 0 ] || usage_error "which workload? $all"
for workload; do
	case $workload in
	find) metrics='find' ;;
	rawudp | rawpkt) metrics=stress-ng.$workload ;;
	messaging) metrics=perf-bench ;;
	slabmem) metrics=slabs ;;
	*) usage_error "'$workload' is no workload: $all" ;;
	esac
	[ -z "$out" ] || ! grep -q "^$metrics\." "$out" 2>/dev/null ||
		usage_error "-o: $out has the metrics of $workload already"
done
if [ -n "$out" ] && [ -e "$out" ]; then
	[ "$(head -n 1 "$out")" = '# slab_test: 1' ] || usage_error "-o: '$out' is no record"
fi
[ -z "$out" ] || [ -d "$(dirname "$out")" ] || usage_error "-o: no folder '$(dirname "$out")'"
[ -z "$check" ] || exit 0
[ "$(id -u)" = 0 ] || die 9 "this needs root: sudo $0"

work=$(mktemp -d)
trap 'rm -rf "$work" ${out:+"$out.partial.$$"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# metric NAME UNIT BETTER ROUND VALUE
metric() { printf '%s\t%s\t%s\t%s\t%s\n' "$@"; }

# now: monotonic nanoseconds in $now. No other file tells them to a shell that has only busybox, and
# without a process that would be measured too.
now() {
	while read -r word at now _; do
		[ "$word $at" != 'now at' ] || return 0
	done </proc/timer_list
	die 9 "/proc/timer_list does not tell the time"
}

# elapsed NAME ROUND: the metric of the time since $started
elapsed() {
	now
	metric "$1" s lower "$2" "$(awk -v ns="$((now - started))" 'BEGIN { printf "%.9f", ns / 1e9 }')"
}

# used ROUND: user and system time of find, from what the shell's children had used before and after
# it: two times two lines, each like 0m1.250s 0m0.480s, the second ones of the children
used() {
	awk -v round="$1" '
	function seconds(text, part) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
	NR == 2 { user = seconds($1); sys = seconds($2) }
	NR == 4 {
		printf "find.user\ts\tlower\t%d\t%.3f\n", round, seconds($1) - user
		printf "find.sys\ts\tlower\t%d\t%.3f\n", round, seconds($2) - sys
	}' "$work/times"
}

drop_caches() {
	echo 2 >/proc/sys/vm/drop_caches || die 9 "cannot write /proc/sys/vm/drop_caches"
}

find_missing() {
	# so that the first round finds what the others find
	drop_caches
	round=1
	while [ "$round" -le "$rounds" ]; do
		times >"$work/times"
		now
		started=$now
		# files that go while find looks at them are no failure
		find / -name fname-no-exist >/dev/null 2>&1 || [ $? = 1 ] || die 9 "find does not run"
		times >>"$work/times"
		elapsed find.real "$round"
		used "$round"
		now
		started=$now
		drop_caches
		elapsed find.drop_caches "$round"
		round=$((round + 1))
	done
}

# stress STRESSOR OPTION...: a round of one, which leaves its figures in $work/yaml
stress() {
	command -v stress-ng >/dev/null 2>&1 || die 9 "no stress-ng: apt-get install stress-ng"
	stressor=$1
	shift
	rm -f "$work/yaml"
	stress-ng "--$stressor" "${workers:-$(grep -c '^processor' /proc/cpuinfo)}" "$@" --temp-path "$work" --metrics \
		--yaml "$work/yaml" >"$work/stress" 2>&1 || die 9 "stress-ng failed: $(grep -m 1 -E 'fail|error' "$work/stress" || tail -n 1 "$work/stress")"
}

# figure NAME: of the last round of stress-ng; one that did nothing has none
figure() {
	awk -v name="$1:" '$1 == "bogo-ops:" { ops = $2 } $1 == name { value = $2 }
		END { if (!(ops > 0 && value > 0)) exit 1; print value }' "$work/yaml" ||
		die 9 "stress-ng did nothing: $(tail -n 1 "$work/stress")"
}

rawudp() {
	round=1
	while [ "$round" -le "$rounds" ]; do
		stress rawudp --timeout "${seconds}s"
		value=$(figure bogo-ops-per-second-real-time) || exit 9
		metric stress-ng.rawudp.ops_per_sec ops/s higher "$round" "$value"
		round=$((round + 1))
	done
}

rawpkt() {
	round=1
	while [ "$round" -le "$rounds" ]; do
		stress rawpkt --rawpkt-ops "$ops"
		value=$(figure wall-clock-time) || exit 9
		metric stress-ng.rawpkt s lower "$round" "$value"
		round=$((round + 1))
	done
}

messaging() {
	command -v perf >/dev/null 2>&1 || die 9 "no perf: apt-get install linux-perf"
	round=1
	while [ "$round" -le "$rounds" ]; do
		value=$(perf bench -f simple sched messaging -g 5 -t -l "$loops" 2>"$work/perf") ||
			die 9 "perf bench failed: $(tail -n 1 "$work/perf")"
		metric perf-bench.sched-messaging s lower "$round" "$value"
		round=$((round + 1))
	done
}

# The totals have the names that results/published has. Memory is objects times their size, as in
# slabtop's sums: what a cache takes in pages is a little more.
slabmem() {
	[ -r /proc/slabinfo ] || die 9 "no /proc/slabinfo (a kernel without CONFIG_SLUB_DEBUG?)"
	awk '
	function put(name, unit, form, value) { printf "%s\t%s\tlower\t1\t" form "\n", name, unit, value }
	/^slabinfo/ && $4 != "2.1" { exit 1 }
	/^slabinfo/ || /^#/ { next }
	{
		active += $2; objects += $3
		active_memory += $2 * $4; memory += $3 * $4
		active_slabs += $(NF - 2); slabs += $(NF - 1)
		names[++caches] = $1; sizes[caches] = $3 * $4 / 1024
	}
	END {
		if (!caches)
			exit 1
		put("slabs.active_objects", "", "%d", active)
		put("slabs.objects", "", "%d", objects)
		put("slabs.active_slabs", "", "%d", active_slabs)
		put("slabs.slabs", "", "%d", slabs)
		put("slabs.active_memory", "KiB", "%.2f", active_memory / 1024)
		put("slabs.memory", "KiB", "%.2f", memory / 1024)
		for (i = 1; i <= caches; i++)
			put("cache." names[i] ".memory", "KiB", "%.2f", sizes[i])
	}' /proc/slabinfo || die 9 "cannot read this version of /proc/slabinfo"
	awk '$1 == "Slab:" { printf "slabs.meminfo\tKiB\tlower\t1\t%d\n", $2 }' /proc/meminfo
}

for workload; do
	note "$workload"
	case $workload in
	find) find_missing ;;
	*) "$workload" ;;
	esac
done >"$work/metrics"

if [ -z "$out" ]; then
	echo "$head"
	cat "$work/metrics"
	exit
fi
# In one step: a record is never half of one.
{
	if [ -e "$out" ]; then
		cat "$out"
	else
		echo '# slab_test: 1'
		echo "# kernel: $(uname -r) $(uname -v)"
		host_lines
		echo "# cmdline: $(cat /proc/cmdline)"
		echo '# state: done'
	fi
	grep -qxF "$head" "$out" 2>/dev/null || printf '\n%s\n' "$head"
	cat "$work/metrics"
} >"$out.partial.$$" || die 9 "cannot write $out (disk full?)"
mv "$out.partial.$$" "$out"
