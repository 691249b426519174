#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every kernel: fetched or built, the module built for it, run in it. From nothing this takes an hour,
# most of it for the kernels that are built; they are kept.

@test "the module builds without a warning for every kernel, and runs there" {
	cd "$BATS_TEST_DIRNAME/../.."
	run scripts/matrix.sh run
	echo "$output"
	[ "$status" = 0 ]
	scripts/matrix.sh table | sed 's/^/# /' >&3
}
