# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/debug/kcsan.bats, whose kernel looks for data races: all that several
# threads of the module do at once, with readers and commands beside them. What was found is on the
# console.
# shellcheck source=../../scripts/cgroup.sh
. /cgroup.sh
# shellcheck source=../no-harm/guest-lib.sh
. /guest-lib.sh

# one access in 4000 is too seldom to catch what happens once a run
echo 500 >/sys/module/kcsan/parameters/skip_watch

few='sizes=64 count=100 batch=20'

section every test
mkdir /cgroup
mount -t cgroup2 none /cgroup
cgroup_make user
# shellcheck disable=SC2086 # several parameters
in_cgroup insmod /slab_test.ko $few tests=all rounds=2
echo "status $?"
grep -E '^# (state|objects|skipped)' $files/results
rmmod slab_test

section concurrent
# shellcheck disable=SC2086
insmod /slab_test.ko run=0 $few tests=concurrent_*,remote_free,alloc_one_free_all,ring,cache_concurrent_*,cache_remote_free,cache_alloc_one_free_all
for _ in 1 2; do
	while [ -e $files/run ]; do
		cat $files/results $files/samples $files/metrics $files/run
		usleep "$(random 100000)"
	done >/dev/null 2>&1 &
done
for order in fifo random; do
	for clock in auto ns; do
		tell start order=$order clock=$clock rounds=4
		wait_until_over
		echo "$(cat $files/run) $(grep '^# objects' $files/results)"
	done
done

section abort
abort=0
while [ $abort -lt 40 ]; do
	tell start rounds=1000 handicap=5
	usleep "$(random 300000)"
	tell abort
	wait_until_over
	echo "$(cat $files/run) $(grep '^# objects' $files/results)"
	abort=$((abort + 1))
done

section hotplug
for pause in 20 200; do
	tell start rounds=1000
	usleep ${pause}000
	echo 0 >/sys/devices/system/cpu/cpu1/online
	wait_until_over
	cat $files/run
	echo 1 >/sys/devices/system/cpu/cpu1/online
done
tell start rounds=1000
unload
wait
loaded

section detector
grep -E '^(enabled|setup_watchpoints|data_races|races_unknown_origin|used_watchpoints):' /sys/kernel/debug/kcsan
exit 0
