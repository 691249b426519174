#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# run.sh --perf and --perf-record, with a perf that is made up: the guests have none.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
}

@test "run.sh --perf: what perf finds is kept beside the record" {
	run --separate-stderr "$top/scripts/vm.sh" --kernel debian:6.1 --smp 1 -o "$BATS_TEST_TMPDIR/out" --guest '
		run="sh /run.sh --module /slab_test.ko"
		plan="tests=alloc_free,alloc_then_free,control sizes=64 count=1000 rounds=2"
		left() {
			[ ! -d /sys/module/slab_test ] || echo "still loaded"
			! ps | grep "[p]erf stat" || echo "still there"
		}
		$run --perf -o /tmp/none.txt -- $plan 2>&1; echo "missing $?"; left
		# writes down what it was asked for, and the state of the module as its command began
		cat >/bin/perf <<-"END"
		#!/bin/sh
		asked=$* data=$3
		while [ $# -gt 0 ] && [ "$1" != -- ]; do
			[ "$1" != -o ] || file=$2
			shift
		done
		case $asked in
		report*) echo "report of ${data##*/}"; exit ;;
		esac
		shift
		{ echo "${asked%% -o*}"; cat /sys/kernel/debug/slab_test/run 2>/dev/null; } >"$file"
		"$@" && cat /sys/kernel/debug/slab_test/run >>"$file" 2>/dev/null
		sed -n "s/^# plan: \(tests=[^ ]*\).*/\1/p" /sys/kernel/debug/slab_test/results >>"$file" 2>/dev/null
		true
		END
		chmod +x /bin/perf
		mkdir /out
		$run --perf --perf-record alloc_free -o /out -- $plan 2>/dev/null; echo "run $?"; left
		ls -1 /out; cat /out/boot-001.perf-stat /out/boot-001.perf-data /out/boot-001.perf-report
		grep "^# perf" /out/boot-001.txt; grep -c "^alloc_then_free" /out/boot-001.txt
		$run --perf-record nonesuch -o /out -- $plan 2>&1; echo "unknown $?"; left
		$run --perf -o /out -- rounds=1000 2>/dev/null &
		until grep -qs running /sys/kernel/debug/slab_test/run; do sleep 0.2; done; kill $!; wait $!; echo "stopped $?"; sleep 1; left
		echo kept >/out/boot-002.perf-stat
		$run --perf -o /out -- $plan 2>&1 | tail -n 1; cat /out/boot-002.perf-stat
		printf "#!/bin/sh\necho; echo No permission to enable cycles event. >&2; exit 255\n" >/bin/perf
		$run --perf -o /out -- $plan 2>&1; echo "refused $?"; left
		printf "#!/bin/sh\n[ \$# -lt 6 ] || exit 1\n" >/bin/perf
		$run --perf -o /out -- $plan 2>&1; echo "silent $?"; left
		ls -1 /out'
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = 'run.sh: no perf here: apt-get install linux-perf
missing 9
/out/boot-001.txt
run 0
boot-001.perf-data
boot-001.perf-report
boot-001.perf-stat
boot-001.txt
stat -a -d
idle
done
tests=alloc_then_free,alloc_free,control
record -a -g
done
done
tests=alloc_free
report of perf-data
# perf: stat beside the run
4
run.sh: --perf-record: slab_test has no test '"'nonesuch'"'
unknown 5
stopped 143
run.sh: /out/boot-002.perf-stat exists and is kept
kept
run.sh: perf refuses: No permission to enable cycles event.
refused 9
run.sh: perf refuses: without a word
silent 9
boot-001.perf-data
boot-001.perf-report
boot-001.perf-stat
boot-001.txt
boot-002.perf-stat
boot-002.txt' ]
}

@test "run.sh --perf: without a place for the files it is refused" {
	for option in --perf '--perf-record alloc_free'; do
		# shellcheck disable=SC2086 # an option and its value
		run "$top/scripts/run.sh" $option -- sizes=8
		[ "$status" = 2 ]
		[ "${#lines[@]}" = 1 ]
		[[ $output == *'name that with -o'* ]]
	done
	run "$top/scripts/run.sh" --perf-record
	[ "$status" = 2 ]
}
