#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --events in a kernel that counts them, with CONFIG_SLUB_STATS and CONFIG_LOCK_STAT. It is built, which takes
# minutes the first time.

bats_require_minimum_version 1.5.0

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export KERNEL
	KERNEL=$("$top/scripts/build.sh" --config "$top/scripts/matrix.config" --variant "$top/tests/long/events.config")
	# a busy host may not deliver the timer's interrupts in the time in which Linux looks for them
	"$top/scripts/vm.sh" --kernel "$KERNEL" --smp 2 --append no_timer_check --events --timeout 1200 -o "$BATS_FILE_TMPDIR/plan" -- \
		tests=concurrent_alloc_then_free,remote_free,cache_alloc_then_free,batch_alloc_free,alloc_free \
		sizes=32,256,1024,4096 rounds=1 batch=10
}

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	record=$(echo "$BATS_FILE_TMPDIR"/plan/*.txt)
}

# event TEST SIZE EVENT: in events of ten thousand objects, rounded
event() { awk -F '\t' -v name="event/$1/$2/$3" '$1 == name { printf "%.0f", $5 * 10000 }' "$record"; }

# near VALUE EXPECTED PERCENT
near() {
	echo "$1 for $2"
	[ -n "$1" ] && awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { exit !(a >= b * (1 - p / 100) - 1 && a <= b * (1 + p / 100) + 1) }'
}

@test "what counts is named, and every test and size has its events" {
	grep -q '^# events: SLUB_STATS, LOCK_STAT$' "$record"
	for test in concurrent_alloc_then_free remote_free cache_alloc_then_free batch_alloc_free/10 alloc_free; do
		for size in 32 256 1024 4096; do
			for name in alloc_fastpath alloc_slowpath free_fastpath free_slowpath alloc_slab \
				list_lock_acquisitions list_lock_contentions; do
				[ -n "$(event $test $size $name)" ] || {
					echo "$test $size has no $name"
					return 1
				}
			done
		done
	done
}

@test "each object is allocated once and freed once, from its own cache exactly" {
	for size in 32 256 1024 4096; do
		# rounded twice
		near $(($(event cache_alloc_then_free $size alloc_fastpath) + $(event cache_alloc_then_free $size alloc_slowpath))) 10000 0
		near $(($(event cache_alloc_then_free $size free_fastpath) + $(event cache_alloc_then_free $size free_slowpath))) 10000 0
		for test in concurrent_alloc_then_free remote_free alloc_free; do
			near $(($(event $test $size alloc_fastpath) + $(event $test $size alloc_slowpath))) 10000 2
			near $(($(event $test $size free_fastpath) + $(event $test $size free_slowpath))) 10000 2
		done
	done
}

# A slab of 32 byte objects has 128, of 256 and 1024 byte 16 (with two CPUs), of 4096 byte 8; who
# allocates all before the first free takes the slow path once a slab, and so many new slabs but for
# those at hand.
@test "the slow path is taken once a slab" {
	for test in concurrent_alloc_then_free remote_free; do
		near "$(event $test 32 alloc_slowpath)" 78 4
		near "$(event $test 256 alloc_slowpath)" 625 2
		near "$(event $test 1024 alloc_slowpath)" 625 2
		near "$(event $test 4096 alloc_slowpath)" 1250 2
	done
	[ "$(event alloc_free 256 alloc_slowpath)" -lt 10 ]
}

# Each drain takes the list_lock of a node once; others who take it are counted as well.
@test "the node's lock is taken once a drain of a CPU's partial slabs or more, and not by a pair" {
	for test in concurrent_alloc_then_free remote_free; do
		for size in 32 256 1024 4096; do
			drains=$(event $test $size cpu_partial_drain)
			acquisitions=$(event $test $size list_lock_acquisitions)
			echo "$test $size: $drains drains, $acquisitions acquisitions"
			[ "$drains" -gt 0 ]
			[ "$acquisitions" -ge "$drains" ]
			[ "$(event $test $size list_lock_contentions)" -le "$acquisitions" ]
		done
	done
	[ "$(event alloc_free 256 list_lock_acquisitions)" -lt 10 ]
}

@test "exact: two boots count the same, and a profile beside them is that of the run alone" {
	run "$top/scripts/vm.sh" --kernel "$KERNEL" --smp 1 --mem 1G --exact --profile --events --timeout 1200 \
		-o "$BATS_FILE_TMPDIR/exact" -- tests=alloc_then_free,control sizes=256 rounds=2 count=1000
	echo "$output"
	[ "$status" = 0 ]
	grep -q '^event/alloc_then_free/256/alloc_slowpath' "$BATS_FILE_TMPDIR/exact/boot-001.txt"
	run "$top/scripts/compare.sh" --why "$BATS_FILE_TMPDIR/exact" "$BATS_FILE_TMPDIR/exact"
	[ "$status" = 0 ]
}
