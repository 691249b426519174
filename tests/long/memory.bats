#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Little memory: tests/no-harm/memory.sh in a guest with 128 MiB.

load ../no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export top
	ask "$BATS_FILE_TMPDIR" "$top/tests/no-harm/memory.sh" --kernel debian:6.1 --mem 128M --append init_on_alloc=0 \
		--timeout 900
}

@test "the default plan runs in 128 MiB, with fewer objects, and says so" {
	run section 'default plan'
	[ "${lines[1]}" = '0|done' ]
	grep -qE '^# plan: .* count=(5000|2000|1000|500) ' <<<"$output"
	grep -q '^# notice: count is lowered: objects get a quarter of the memory$' <<<"$output"
	grep -qE '^# objects: out ([0-9]+), back \1$' <<<"$output"
}

# each TRY|STATUS|MEMORY|PARAMETERS|STATE|OBJECTS|LOG: done, or refused or failed for want of memory
each_has_a_reason() {
	for line in "${lines[@]}"; do
		[[ $line =~ ^[0-9]+\|0\|.*\|(done|failed .*: [0-9]+ bytes, number [0-9]+ failed on CPU [01]|aborted on request)\|\#\ objects:\ out\ ([0-9]+),\ back\ ([0-9]+)\| ]] ||
			[[ $line =~ ^[0-9]+\|1\|.*\|slab_test:\ too\ little\ memory\ for\  ]] || {
			echo "$line"
			return 1
		}
		[ "${BASH_REMATCH[2]}" = "${BASH_REMATCH[3]}" ]
	done
}

@test "with ever less memory free, each run is done or refused, and says why" {
	run section tight
	[ "${#lines[@]}" -ge 50 ]
	each_has_a_reason
	[ "$(grep -c '|done|' <<<"$output")" -ge 40 ]
	[ "$(grep -c '^[0-9]*|1|' <<<"$output")" -ge 10 ]
}

@test "when somebody takes the memory in the middle of a run, it goes on or fails with a reason" {
	run section 'tighter and tighter'
	[ "${lines[-1]}" = 'tries 65' ]
	unset 'lines[-1]'
	[ "${#lines[@]}" = 9 ]
	each_has_a_reason
}

@test "nobody was killed for want of memory, and the kernel had nothing to complain of" {
	run section killed
	[ "$output" = '' ]
	! grep complained "$BATS_FILE_TMPDIR/progress"
}
