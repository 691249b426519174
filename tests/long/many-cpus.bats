#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Many CPUs, far more than this machine has: slow, so only in `make check-all`.

# without preemption, where a loop that goes on for too long is a lockup
@test "64 CPUs boot, run and report" {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	run "$top/scripts/vm.sh" --kernel debian:6.1 --smp 64 --mem 2G --append 'init_on_alloc=0 preempt=none' \
		--timeout 1200 -o "$BATS_TEST_TMPDIR" -- sizes=64 count=50 rounds=1
	[ "$status" = 0 ]
	[[ $output != *complained* ]]
	record=$BATS_TEST_TMPDIR/boot-001.txt
	grep -q '^# machine: x86_64, 64 CPUs (0-63)' "$record"
	grep -q '^# preemption: none$' "$record"
	grep -q '^# state: done$' "$record"
	grep -qE '^Kmalloc N\*alloc N\*free\(64\): 0=.* 63=[0-9.]+/[0-9.]+ Average=' "$record"
	# every CPU allocated, and freed
	[ "$(grep -c '^concurrent_alloc_then_free' "$record")" = 128 ]
	[ "$(grep -c '^remote_free.*	alloc	50	' "$record")" = 63 ]
	[ "$(grep -c '^remote_free.*	free	3150	' "$record")" = 1 ]
}
