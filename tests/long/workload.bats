#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The workloads that need more than busybox, in a guest: stress-ng and perf are fetched.

@test "rawudp, rawpkt and messaging run in a guest, and their rounds are metrics of its record" {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	"$top/scripts/vm.sh" --kernel debian:6.1 --timeout 600 -o "$BATS_TEST_TMPDIR" \
		--workload '--rounds 2 --seconds 3 --ops 5000 --loops 20 rawudp rawpkt messaging' -- tests=control rounds=1
	record=$BATS_TEST_TMPDIR/boot-001.txt
	for metric in 'stress-ng.rawudp.ops_per_sec	ops/s	higher' 'stress-ng.rawpkt	s	lower' \
		'perf-bench.sched-messaging	s	lower'; do
		[ "$(grep -cE "^$metric	[12]	[0-9]+\.[0-9]+\$" "$record")" = 2 ]
	done
	"$top/scripts/compare.sh" --format=csv a="$record" b="$record" | grep -q '^stress-ng\.rawudp'
}
