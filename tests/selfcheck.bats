#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/selfcheck.sh on made-up records, of which the truth is known.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	run=$BATS_TEST_TMPDIR/run
	# what is found goes beside these records, not to where this machine's own is
	export SLAB_TEST_BUILD=$BATS_TEST_TMPDIR/build
	mkdir -p "$SLAB_TEST_BUILD"
}

# boots SIDE SEED WORD...: eight boots of a side
boots() {
	side=$1 seed=$2
	shift 2
	mkdir -p "$run/$side"
	for boot in 1 2 3 4 5 6 7 8; do
		"$top/tests/compare/record.sh" boot="$boot" seed="$seed" noise=2 drift=1 "$@" \
			>"$run/$side/boot-00$boot.txt"
	done
}

@test "selfcheck.sh: a cost far above the noise is found each time, with its size" {
	boots plain 1
	boots again 2
	boots h10 3 add=10
	"$top/scripts/selfcheck.sh" --splits 8 "$run" >"$BATS_TEST_TMPDIR/out"
	cat "$BATS_TEST_TMPDIR/out"
	grep -qE '^false alarms: [0-8] of 8 tables \(' "$BATS_TEST_TMPDIR/out"
	# a pair of 64 bytes costs 100 + 64/8 cycles; ten more are 9.3 %
	awk '$1 == 10 { found = 1; if ($2 < 9.5 || $2 > 10.5 || $3 < 8.8 || $3 > 9.8 || $4 != 2 || $5 != 2) exit 1 }
		END { exit !found }' "$BATS_TEST_TMPDIR/out"
	grep -qE '^smallest change found at least 19 times in 20, with 8 boots a side: (8\.[89]|9\.[0-8]) %$' \
		"$BATS_TEST_TMPDIR/out"
	cmp "$BATS_TEST_TMPDIR/out" "$run/noise-floor"
}

@test "selfcheck.sh: a cost far below the noise is not found, and that is said" {
	boots plain 1
	boots again 2
	boots h1 3 add=0.01
	run "$top/scripts/selfcheck.sh" --splits 8 "$run"
	[ "$status" = 0 ]
	[[ $output == *'no handicap was found 19 times in 20 with 8 boots a side'* ]]
}

@test "compare.sh quotes what selfcheck found, on the same machine only" {
	boots plain 1
	boots again 2
	boots h10 3 add=10
	"$top/scripts/selfcheck.sh" --splits 4 "$run" >/dev/null
	run "$top/scripts/compare.sh" "$run/plain" "$run/again"
	[[ $(tr -s ' \n' ' ' <<<"$output") == *'This machine, by scripts/study.sh selfcheck on '*' is found 19 times in 20 with 8 boots a side; '* ]]
	boots other 4 machine='x86_64, 4 CPUs (0-3), 1 node, Made-up CPU'
	run "$top/scripts/compare.sh" "$run/other" "$run/other"
	[[ $(tr -s ' \n' ' ' <<<"$output") != *'This machine, by'* ]]
}

@test "selfcheck.sh: bad usage and missing records are one line each" {
	for arguments in '' '/nonexistent' '--splits 0 /tmp' '--of x /tmp' '--frob /tmp' '/tmp /tmp'; do
		# shellcheck disable=SC2086 # words
		run "$top/scripts/selfcheck.sh" $arguments
		echo "$arguments: $output"
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ]
	done
	mkdir "$run"
	run "$top/scripts/selfcheck.sh" "$run"
	[ "$status" = 9 ] && [ "${#lines[@]}" = 1 ]
}
