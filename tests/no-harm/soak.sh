# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/long/soak.bats: loads, runs, kills, aborts and unloads, again and again,
# with and without readers, and prints what is in use before and after.
# shellcheck source=guest-lib.sh
. /guest-lib.sh

short='tests=alloc_then_free,alloc_one_free_all sizes=64 count=20 rounds=1 warmup=0'

# soak N PARAMETER...: N times load, run, unload
soak() {
	times=$1
	shift
	cycle=0
	while [ $cycle -lt "$times" ]; do
		# shellcheck disable=SC2086 # several parameters
		insmod /slab_test.ko $short "$@" || echo "load $cycle: $(log)"
		state=$(cat $files/run)
		[ "$state" = 'done' ] || echo "run $cycle: $state"
		rmmod slab_test || echo "unload $cycle"
		cycle=$((cycle + 1))
	done
	echo "cycles $cycle"
}

# killed N: N times SIGKILL for insmod, somewhere from its beginning to after its end
killed() {
	kill=0
	while [ $kill -lt "$1" ]; do
		# shellcheck disable=SC2086
		insmod /slab_test.ko $short count=1000 rounds=3 2>/dev/null &
		child=$!
		usleep "$(random 400000)"
		kill -9 $child 2>/dev/null
		wait $child 2>/dev/null
		[ "$(loaded)" = 'not loaded' ] || { echo "survived"; unload; }
		[ "$(threads)" = 0 ] || echo "threads $(threads)"
		kill=$((kill + 1))
	done
	echo "kills $kill"
}

# aborted N: N runs aborted at any moment
aborted() {
	insmod /slab_test.ko run=0 rounds=1000 count=1000 sizes=64,4096
	abort=0
	while [ $abort -lt "$1" ]; do
		tell start tests=all || echo "start $abort: $(log)"
		usleep "$(random 200000)"
		tell abort || echo "abort $abort: $(log)"
		wait_until_over
		echo "$(cat $files/run) $(grep '^# objects' $files/results)"
		abort=$((abort + 1))
	done
	unload
	echo "aborts $abort"
}

# reader: reads what there is, now and then, until told to end: while one reads, nobody can unload
reader() {
	while ! [ -e /tmp/enough ]; do
		usleep "$(random 400000)"
		cat $files/results $files/samples $files/run >/dev/null 2>&1
	done
}

# watched N: N times load, run, abort or not, unload, with eight readers at it
watched() {
	rm -f /tmp/enough
	readers=0
	while [ $readers -lt 8 ]; do
		reader &
		readers=$((readers + 1))
	done
	cycle=0
	while [ $cycle -lt "$1" ]; do
		# shellcheck disable=SC2086
		insmod /slab_test.ko $short count=100 rounds=3 2>/dev/null || echo "load $cycle: $(log)"
		tell start rounds=100
		usleep "$(random 50000)"
		[ $((cycle % 2)) = 0 ] || tell abort
		unload
		cycle=$((cycle + 1))
	done
	: >/tmp/enough
	wait
	echo "cycles $cycle"
}

# what only the first times need: a cache, a page of a table
section warming up
{ soak 5; soak 2 tests=all batch=1,20 bulk=1,16; killed 3; aborted 2; watched 2; } >/dev/null 2>&1

section cycles
usage >/tmp/before
soak 1000
usage | paste /tmp/before -

section cycles of every test
usage >/tmp/before
soak 10 tests=all batch=1,20 bulk=1,16
usage | paste /tmp/before -

section kills
usage >/tmp/before
killed 100
usage | paste /tmp/before -

section aborts
usage >/tmp/before
aborted 100
usage | paste /tmp/before -

section readers
usage >/tmp/before
watched 100
usage | paste /tmp/before -
exit 0
