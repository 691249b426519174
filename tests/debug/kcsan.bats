#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The module under a kernel that looks for data races (tests/debug/kcsan.config): tests/debug/kcsan.sh
# does what several threads do at once. A report is the module's when one of the two accesses is.

load ../no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	kernel=$("$top/scripts/build.sh" --config "$top/studies/guest.config" --config "$top/tests/debug/kcsan.config")
	export top kernel
	ask "$BATS_FILE_TMPDIR" "$top/tests/debug/kcsan.sh" --kernel "$kernel" --smp 3 --mem 1G --timeout 1200
}

# races FOLDER: the titles of the reports on the console
races() { sed -n 's/.*BUG: KCSAN: //p' "$1"/boot-001.run/console.log | tr -d '\r'; }

@test "every test, abort and unload beside readers" {
	run section 'every test'
	[ "${lines[0]}" = 'status 0' ]
	grep -qx '# state: done' <<<"$output"
	balanced <<<"$output"
	run section concurrent
	[ "$(grep -c '^done # objects: out [1-9]' <<<"$output")" = 4 ]
	balanced <<<"$output"
	run section abort
	[ "$(grep -c '^aborted on request # objects' <<<"$output")" = 40 ]
	balanced <<<"$output"
	run section hotplug
	[ "$output" = 'aborted CPU 1 went offline
aborted CPU 1 went offline
not loaded' ]
}

@test "the detector watched a hundred thousand accesses" {
	run section detector
	[ "${lines[0]}" = 'enabled: 1' ]
	awk '/^setup_watchpoints:/ { set = $2 } END { print set; exit set < 100000 }' <<<"$output"
}

@test "no data race is the module's" {
	run races "$BATS_FILE_TMPDIR"
	echo "# $(grep -c . <<<"$output") reports of the kernel's own" >&3
	[ -z "$(grep -F '[slab_test]' <<<"$output")" ]
	# and nothing else is wrong
	run grep -hE 'WARNING: |BUG: [^K]|Oops|detected stall' "$BATS_FILE_TMPDIR"/boot-001.run/console.log
	[ "$output" = '' ]
}

@test "a barrier that takes no care of order is found" {
	mkdir "$BATS_TEST_TMPDIR/broken"
	cp "$top"/*.c "$top"/*.h "$top/Kbuild" "$BATS_TEST_TMPDIR/broken"
	sed -i 's/smp_load_acquire(&run->gate) != gate/run->gate != gate/; s/smp_store_release(&run->gate, gate + 1)/run->gate = gate + 1/' \
		"$BATS_TEST_TMPDIR/broken/worker.c"
	[ "$(diff "$top/worker.c" "$BATS_TEST_TMPDIR/broken/worker.c" | grep -c '^[<>]')" = 4 ]
	"$top/scripts/vm.sh" --kernel "$kernel" --module "$BATS_TEST_TMPDIR/broken" --smp 3 -o "$BATS_TEST_TMPDIR/records" \
		--guest 'echo 300 >/sys/module/kcsan/parameters/skip_watch
			insmod /slab_test.ko sizes=64 count=100 rounds=200 tests=concurrent_alloc_free && rmmod slab_test'
	races "$BATS_TEST_TMPDIR/records" | grep -F '[slab_test]'
}
