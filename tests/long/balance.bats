#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Objects that pass between eight CPUs, RCU and a memory cgroup: all are back after each of a hundred
# runs, whether it was let through or aborted, and so is the memory.

load ../no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	"$top/scripts/vm.sh" --kernel debian:6.1 --smp 8 --append init_on_alloc=0 --timeout 3600 \
		--script "$top/tests/balance/guest.sh" -o "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/answers"
}

# hundred SECTION: fifty runs were done and fifty aborted, each with some objects out and all back
hundred() {
	run section "$1"
	echo "$output"
	[ "${#lines[@]}" = 102 ]
	[ "$(grep -cE '^done # objects: out ([1-9][0-9]*), back \1$' <<<"$output")" = 50 ]
	[ "$(grep -cE '^aborted on request # objects: out ([0-9]+), back \1$' <<<"$output")" = 50 ]
	# the objects of one CPU in one run are 200 pages or more: lost each time, 20000; the caches of eight CPUs
	# breathe by some hundreds
	[ "${lines[-1]}" -lt $((lines[0] + 2000)) ]
}

@test "kfree_rcu: 100 runs on eight CPUs" {
	hundred concurrent_kfree_rcu
}

@test "accounted: 100 runs on eight CPUs" {
	hundred 'accounted_concurrent_*'
}

@test "ring: 100 runs on eight CPUs" {
	hundred ring
}

@test "the module unloads after that, and no cache of its own is left" {
	run section unloaded
	[ "$output" = 'not loaded
0' ]
}
