#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Who may do what, and what hostile input does: tests/no-harm/access.sh in a guest.

load ../no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export top
	gcc -static -O2 -Wall -Wextra -Werror -o "$BATS_FILE_TMPDIR/fuzz" "$top/tests/no-harm/fuzz.c"
	ask "$BATS_FILE_TMPDIR" "$top/tests/no-harm/access.sh" --kernel debian:6.1 --append 'init_on_alloc=0 slab_nomerge' \
		--timeout 1800 --file "$BATS_FILE_TMPDIR/fuzz"
}

@test "somebody else than root reads, writes, starts and loads nothing" {
	run section nobody
	denied="can't open '/sys/kernel/debug/slab_test"
	for file in results samples tests run; do
		grep -qxF "cat: $denied/$file': Permission denied" <<<"$output"
	done
	[ "$(grep -cxF "sh: can't create /sys/kernel/debug/slab_test/run: Permission denied" <<<"$output")" = 2 ]
	grep -q "parameters/sizes': Permission denied" <<<"$output"
	grep -q "^rmmod: .*: Operation not permitted" <<<"$output"
	grep -qx idle <<<"$output"
	grep -q "^insmod: .*: Operation not permitted" <<<"$output"
	[ "${lines[-1]}" = 'not loaded' ]
}

@test "root without the capability is told what is missing" {
	run section 'no capabilities'
	grep -qx 'run.sh: the kernel lets nobody load it: locked down .*, or no CAP_SYS_MODULE' <<<"$output"
	[ "${lines[-2]}" = 'status 6' ]
	[ "${lines[-1]}" = 'not loaded' ]
}

@test "9500 hostile inputs for the files do no harm" {
	run section 'hostile input for the files'
	grep -qE '^inputs 9500, accepted [0-9]+, refused [0-9]{4,}, runs [0-9]{2,}, strange 0$' <<<"$output"
	unchanged 500 <<<"$output"
	[ "${lines[-1]}" = 'done' ]
}

@test "500 hostile loads do no harm" {
	run section 'hostile parameters'
	grep -qE '^inputs 500, accepted [0-9]+, refused [0-9]+, runs [0-9]+, strange 0$' <<<"$output"
	unchanged 500 <<<"$output"
	[ "${lines[-1]}" = 'done' ]
}

@test "in a kernel that is locked down what is there is readable, and nothing starts" {
	run section 'locked down while loaded'
	[[ ${lines[0]} == control:* ]]
	[ "$(grep -c 'Operation not permitted' <<<"$output")" -ge 3 ]
	grep -qx 'run.sh: the kernel lets nobody load it: locked down .*, or no CAP_SYS_MODULE' <<<"$output"
	[ "${lines[-2]}" = 'status 6' ]
	[ "${lines[-1]}" = 'not loaded' ]
}

@test "vm.sh says so when the kernel is locked down from the start" {
	run "$top/scripts/vm.sh" --kernel debian:6.1 --append lockdown=confidentiality -o "$BATS_TEST_TMPDIR" -- sizes=8
	[ "$status" = 6 ]
	[[ $output == *'Operation not permitted'*'the kernel refused the module: '*'locked down'* ]]
}

@test "the kernel had nothing to complain of" {
	! grep complained "$BATS_FILE_TMPDIR/progress"
}
