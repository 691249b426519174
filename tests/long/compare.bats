#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What takes long about scripts/compare.sh: how often its intervals cover the truth, how often it
# cries wolf, a million samples, a minute of fuzzing.

setup() {
	TOP=$BATS_TEST_DIRNAME/../..
}

@test "intervals cover the truth in 93 to 97 % of made-up comparisons" {
	run make -s -C "$TOP/scripts/compare" OUT="$TOP/build/compare" coverage
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 12 ]
}

@test "boots of one kernel against each other: a flagged table in at most 5 % of 200 splits" {
	mkdir "$BATS_TEST_TMPDIR/boots"
	for boot in $(seq 40); do
		# every third boot is in another mode
		"$TOP/tests/compare/record.sh" boot="$boot" noise=12 drift=6 \
			add=$((boot % 3 == 0 ? 30 : 0)) sizes=8,16,32,64,128,256,512,1024 \
			>"$BATS_TEST_TMPDIR/boots/$boot.txt"
	done
	flagged=0
	for split in $(seq 200); do
		rm -rf "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
		mkdir "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
		i=0
		for boot in $(seq 40 | awk -v seed="$split" 'BEGIN { srand(seed) } { print rand(), $1 }' |
			sort -n | head -n 16 | cut -d' ' -f2); do
			side=a
			[ $((i += 1)) -le 8 ] || side=b
			ln -s "$BATS_TEST_TMPDIR/boots/$boot.txt" "$BATS_TEST_TMPDIR/$side"
		done
		run "$TOP/scripts/compare.sh" --format=csv "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
		[ "$status" -le 1 ]
		! grep -qE ',(faster|slower)$' <<<"$output" || flagged=$((flagged + 1))
	done
	echo "$flagged of 200 tables"
	[ "$flagged" -le 10 ]
}

@test "a million samples are compared within 300 MiB" {
	run "$TOP/tests/compare/speed.sh"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "a minute of damaged input" {
	if ! command -v clang >/dev/null; then
		skip "no clang"
	fi
	run "$TOP/scripts/compare/fuzz.sh" 60
	[ "$status" -eq 0 ]
}
