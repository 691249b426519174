#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Again and again: tests/no-harm/soak.sh in a guest with two CPUs. What is in use afterwards is what
# was in use before.

load ../no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export top
	ask "$BATS_FILE_TMPDIR" "$top/tests/no-harm/soak.sh" --kernel debian:6.1 --append 'init_on_alloc=0 slab_nomerge' \
		--timeout 3600
}

@test "1000 times load, run, unload leave nothing behind" {
	run section cycles
	[ "${lines[0]}" = 'cycles 1000' ]
	unchanged 1000 <<<"$output"
}

@test "every test, load and unload, 10 times" {
	run section 'cycles of every test'
	[ "${lines[0]}" = 'cycles 10' ]
	unchanged 10 <<<"$output"
}

@test "100 times SIGKILL for insmod at any moment leave nothing behind" {
	run section kills
	[ "$(grep -vc $'\t' <<<"$output")" = "$(grep -cE '^(survived|kills 100)$' <<<"$output")" ]
	grep -qx 'kills 100' <<<"$output"
	unchanged 100 <<<"$output"
}

@test "100 aborted runs have all objects back and leave nothing behind" {
	run section aborts
	[ "$(grep -cE '^aborted on request # objects: out ([0-9]+), back \1$' <<<"$output")" = 100 ]
	grep -qx 'aborts 100' <<<"$output"
	unchanged 100 <<<"$output"
}

@test "eight readers during 100 runs and unloads leave nothing behind" {
	run section readers
	[ "${lines[0]}" = 'cycles 100' ]
	unchanged 100 <<<"$output"
}

@test "the kernel had nothing to complain of" {
	! grep complained "$BATS_FILE_TMPDIR/progress"
}
