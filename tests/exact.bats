#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Exact mode: instructions are counted, so what is claimed here is claimed to the last one.
# vm.sh itself fails when two boots differ; these tests look at what the records say.

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export top
}

# exact NAME OPTION...: two boots that must agree; prints the record
exact() {
	name=$1
	shift
	"$top/scripts/vm.sh" --exact --append init_on_alloc=0 -o "$BATS_FILE_TMPDIR/$name" "$@" \
		>"$BATS_FILE_TMPDIR/$name.records" || return
	[ "$(wc -l <"$BATS_FILE_TMPDIR/$name.records")" = 2 ] || return
	# shellcheck disable=SC2046 # two names
	cmp $(cat "$BATS_FILE_TMPDIR/$name.records") || return
	cat "$(head -n 1 "$BATS_FILE_TMPDIR/$name.records")"
}

# A count so small that the timer seldom strikes within a phase.
small='sizes=8,256 count=1000 rounds=9'

@test "one CPU: the empty loops come out 0.0, and no loop costs more than 6 instructions" {
	# shellcheck disable=SC2086
	record=$(exact plain --kernel debian:6.1 --smp 1 -- $small)
	[ "$(grep -cE '^null\([0-9]+\): alloc=0\.0 free=0\.0 pair=0\.0$' <<<"$record")" = 2 ]
	grep -q '^# clock: tsc ' <<<"$record"
	# the loop itself, and what entering it costs spread over 1000 operations; batches have two loops
	awk -F ', ' '/^# overhead/ {
		for (i = 3; i <= NF; i++) {
			split($i, loop, " ")
			most = loop[1] == "batch" ? 13 : 6.1
			if (loop[2] < 1 || loop[2] > most) { print $i; bad = 1 }
			seen++
		}
	} END { exit bad || seen != 7 }' <<<"$record"
}

@test "one CPU: handicap=5 raises each row by 5, and the control by nothing" {
	[ -s "$BATS_FILE_TMPDIR/plain/boot-001.txt" ]
	# shellcheck disable=SC2086
	record=$(exact handicap --kernel debian:6.1 --smp 1 -- $small handicap=5)
	grep -q ' handicap=5$' <<<"$record"
	# every figure of the published lines, one a line
	figures() { sed -n '/^#/d; /^$/q; s/([0-9]*)//g; s/^[0-9]* times//; p' |
		grep -oE '[0-9]+\.[0-9]'; }
	paste <(figures <"$BATS_FILE_TMPDIR/plain/boot-001.txt") <(figures <<<"$record") | awk '
		{ rise[NR] = $2 - $1 }
		END {
			# two sizes: alloc and free, pair, null three times; then the control
			if (NR != 2 * 2 + 2 + 2 * 3 + 1) exit 1
			for (i = 1; i < NR; i++) {
				# a tenth: where the timer struck
				if (rise[i] < 4.85 || rise[i] > 5.15) { print i, rise[i]; exit 1 }
				exactly += rise[i] > 4.95 && rise[i] < 5.05
			}
			if (exactly < NR - 3 || rise[NR] != 0) { print exactly, rise[NR]; exit 1 }
		}'
}

@test "fragmented: handicap=5 raises each phase by 5, whatever its number of operations" {
	half='tests=fragmented sizes=64 count=1001 rounds=9'
	# shellcheck disable=SC2086
	before=$(exact half --kernel debian:6.1 --smp 1 -- $half)
	# shellcheck disable=SC2086
	after=$(exact half-handicap --kernel debian:6.1 --smp 1 -- $half handicap=5)
	figures() { sed -n '/^fragmented(/ { s/.*): //; s/[a-z_]*=//g; y/ /\n/; p }'; }
	paste <(figures <<<"$before") <(figures <<<"$after") | awk '
		$2 - $1 < 4.85 || $2 - $1 > 5.15 { print; exit 1 } END { exit NR != 3 }'
}

@test "two CPUs: two boots give the same bytes, and skew is recorded" {
	record=$(exact two --kernel debian:6.1 --smp 2 -- sizes=64,1024 rounds=2 count=2000)
	grep -q '^# machine: x86_64, 2 CPUs' <<<"$record"
	grep -qE '^# skew: median [0-9]+ ns, largest [1-9][0-9]* ns$' <<<"$record"
	grep -q '^Kmalloc N\*alloc N\*free(1024): 0=' <<<"$record"
}

@test "eight CPUs: two boots give the same bytes, and skew is recorded" {
	record=$(exact eight --kernel debian:6.1 --smp 8 -- tests=concurrent_*,remote_free sizes=64 rounds=2 count=500)
	grep -q '^# machine: x86_64, 8 CPUs' <<<"$record"
	grep -qE '^# skew: median [0-9]+ ns, largest [1-9][0-9]* ns$' <<<"$record"
	grep -qE '^N\*remote free\(64\): 0=-/.* 7=[0-9.]+/- Average=' <<<"$record"
}

@test "arm64, four CPUs: two boots give the same bytes, and ticks of a timer are not called cycles" {
	record=$(exact arm64 --kernel debian:6.1-arm64 --smp 4 -- sizes=64 rounds=2 count=1000)
	grep -q '^# machine: aarch64, 4 CPUs' <<<"$record"
	# QEMU's cycle counter counts instructions in this mode; its timer ticks at 62.5 MHz
	grep -q '^# clock: pmu ' <<<"$record"
	grep -q '^null(64): alloc=-\?0\.0 free=-\?0\.0 pair=-\?0\.0$' <<<"$record"
	grep -q '^1000 times kmalloc(64)/kfree -> [1-9][0-9]*\.[0-9] cycles$' <<<"$record"
}
