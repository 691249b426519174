#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The module under a kernel that looks for mistakes (tests/debug/kernel.config): tests/debug/guest.sh
# does everything once, these look at what the detectors found.

load ../no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	kernel=$("$top/scripts/build.sh" --config "$top/studies/guest.config" --config "$top/tests/debug/kernel.config")
	export top kernel
	boots "$BATS_FILE_TMPDIR" "$top"
}

# boots FOLDER MODULE: answers and progress of a guest with the module of a folder
boots() {
	ask "$1" "$top/tests/debug/guest.sh" --kernel "$kernel" --module "$2" --smp 2 --nodes 2 --mem 2G --timeout 2400
}

@test "the detectors are on" {
	run section detectors
	[ "${lines[0]}" = 'locks 1' ]
	[ "${lines[1]}" = leaks ]
	for option in KASAN DEBUG_ATOMIC_SLEEP DEBUG_PREEMPT UBSAN DEBUG_OBJECTS FAULT_INJECTION REF_TRACKER; do
		grep -qx "CONFIG_$option=y" <<<"$output"
	done
}

@test "every test runs" {
	run section 'every test'
	[ "${lines[0]}" = 'status 0' ]
	grep -q '^# state: done$' <<<"$output"
	grep -q '^# debug: KASAN, kmemleak, lockdep, DEBUG_PREEMPT' <<<"$output"
	# but for sizes that are no size for kfree_rcu
	[ -z "$(grep '^# skipped' <<<"$output" | grep -v 'kfree_rcu 8: needs 16 bytes an object$')" ]
	grep -q '^20 times kmalloc_account(8) -> ' <<<"$output"
	grep -q '^20 times kmalloc_node(8) -> ' <<<"$output"
	balanced <<<"$output"
}

@test "every order and gfp runs" {
	run section options
	[ "$(grep -c '^done # objects: out [1-9]' <<<"$output")" = 9 ]
	balanced <<<"$output"
}

@test "every test can be aborted" {
	run section abort
	[ "$(grep -c ' aborted on request # objects' <<<"$output")" -ge 27 ]
	[ "$(grep -vc ' aborted on request # objects' <<<"$output")" = 0 ]
	balanced <<<"$output"
}

@test "every error path is taken, and nothing stays" {
	run section errors
	[ "$output" = 'not loaded' ]
	run section kill
	[ "$(grep -cx 'not loaded 0' <<<"$output")" = 6 ]
	run section 'a file is open'
	[ "$output" = 'not loaded' ]
	run section readers
	[ "$output" = 'not loaded' ]
}

@test "a CPU that goes and a machine that sleeps abort the run" {
	run section hotplug
	[ "$output" = 'aborted CPU 1 went offline
aborted CPU 1 went offline
aborted CPU 1 went offline
aborted the machine goes to sleep' ]
}

@test "twenty reloads" {
	run section reload
	[ "$output" = 'cycles 20' ]
}

@test "the detectors found nothing, and were on to the end" {
	run section leaks
	[ "$output" = 'locks 1' ]
	! grep complained "$BATS_FILE_TMPDIR/progress"
}

@test "a module that loses its header and uses what it has freed is found" {
	mkdir "$BATS_TEST_TMPDIR/broken"
	cp "$top"/*.c "$top"/*.h "$top/Kbuild" "$BATS_TEST_TMPDIR/broken"
	sed -i '/^\tkfree(run->header);$/d; s/^\tkfree(run);$/&\n\tif (READ_ONCE(run->nr_units) == 1)\n\t\tpr_info("one unit\\n");/' \
		"$BATS_TEST_TMPDIR/broken/run.c"
	[ "$(diff "$top/run.c" "$BATS_TEST_TMPDIR/broken/run.c" | grep -c '^[<>]')" = 3 ]
	"$top/scripts/vm.sh" --kernel "$kernel" --module "$BATS_TEST_TMPDIR/broken" --timeout 900 \
		-o "$BATS_TEST_TMPDIR/records" --guest 'insmod /slab_test.ko sizes=8 count=10 rounds=1 tests=null; rmmod slab_test; sleep 6
			echo scan >/sys/kernel/debug/kmemleak; sleep 6; echo scan >/sys/kernel/debug/kmemleak
			cat /sys/kernel/debug/kmemleak' >"$BATS_TEST_TMPDIR/answers" 2>"$BATS_TEST_TMPDIR/progress"
	grep 'unreferenced object' "$BATS_TEST_TMPDIR/answers"
	grep 'BUG: KASAN: use-after-free in run_' "$BATS_TEST_TMPDIR/progress"
	grep complained "$BATS_TEST_TMPDIR/progress"
}
