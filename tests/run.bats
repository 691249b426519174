#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tests/run: that it counts what was run, and calls nothing green that was not.

setup() {
	home=$BATS_TEST_TMPDIR
	mkdir -p "$home/tests/long"
	cp "$BATS_TEST_DIRNAME/run" "$home/tests/"
	printf '@test "%s" { %s; }\n' good true >"$home/tests/good.bats"
}

# counted OPTION...: tests/run of $home, as if not called by bats, whose own programs come first in PATH
counted() {
	run env -i PATH="${more:+$more:}$(echo "$PATH" | tr : '\n' | grep -v bats-core | paste -sd :)" \
		TMPDIR="$home" "$home/tests/run" "$@"
	echo "$output"
}

@test "tests/run: usage" {
	counted --help
	[ "$status" = 0 ]
	[[ $output == "usage: tests/run "* ]]
	counted --fast
	[ "$status" = 2 ]
	[[ $output == *"'--fast' is no option"* ]]
	counted tests/missing.bats
	[ "$status" = 2 ]
	[[ $output == *"no file tests/missing.bats"* ]]
	counted --all tests/good.bats
	[ "$status" = 2 ]
	[[ $output == *"--all and tests/good.bats exclude each other"* ]]
}

@test "tests/run: the last line counts what passed, failed and was skipped" {
	counted
	[ "$status" = 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed" ]
	# one file is shown as it goes, several when they are over, each in one piece
	[[ $output != *begins* ]]
	printf '@test "%s" { %s; }\n' bad false worse 'exit 3' left-out skip fine true >"$home/tests/mixed.bats"
	counted
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "2 passed, 2 failed, 1 skipped" ]
	[[ $output == *"# tests/good.bats begins"* ]]
	[[ $output == *$'# tests/good.bats\n1..1\nok 1 good in '* ]]
	counted tests/good.bats
	[ "$status" = 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed" ]
}

@test "tests/run: nothing but skipped tests is no success" {
	printf '@test "%s" { %s; }\n' left-out skip >"$home/tests/good.bats"
	counted
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "0 passed, 0 failed, 1 skipped" ]
}

@test "tests/run: a file that bats does not run, and tests that do not end, are failures" {
	printf '@test "%s" { %s; }\n' twin true twin true >"$home/tests/twins.bats"
	counted
	[ "$status" = 1 ]
	[[ $output == *"not ok - "*"twins.bats was not run"* ]]
	[ "${lines[-1]}" = "1 passed, 1 failed" ]
	rm "$home/tests/twins.bats"
	# a bats that says that it will run three and is gone after one
	mkdir "$home/bin"
	printf '#!/bin/sh\necho 1..3\necho ok 1 good\n' >"$home/bin/bats"
	chmod 755 "$home/bin/bats"
	more=$home/bin counted
	[ "$status" = 1 ]
	[[ $output == *"# 2 tests did not end"* ]]
	[ "${lines[-1]}" = "1 passed, 2 failed" ]
}

@test "tests/run --all: the long tests too, whose failures count" {
	printf '@test "%s" { %s; }\n' long true >"$home/tests/long/one.bats"
	printf '@test "%s" { %s; }\n' longer false >"$home/tests/long/two.bats"
	counted
	[ "$status" = 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed" ]
	counted --all
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "2 passed, 1 failed" ]
	rm "$home/tests/long/two.bats"
	counted --all
	[ "$status" = 0 ]
	[ "${lines[-1]}" = "2 passed, 0 failed" ]
}
