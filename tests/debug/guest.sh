# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/debug/debug.bats, whose kernel looks for mistakes: every test, abort, reload
# and error path once, and what the kernel's detectors say.
# shellcheck source=../../scripts/cgroup.sh
. /cgroup.sh
# shellcheck source=../no-harm/guest-lib.sh
. /guest-lib.sh

# what the detectors found that say nothing by themselves; an object must be some seconds old to count
leaks() {
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	cat /sys/kernel/debug/kmemleak
}

few='sizes=8,256,4096 count=20 rounds=1 batch=1,20 bulk=1,16'

section detectors
insmod /slab_test.ko run=0
rmmod slab_test
sed -n 's/.*debug_locks: */locks /p' /proc/lockdep_stats
echo scan >/sys/kernel/debug/kmemleak && echo leaks
# what the kernel itself lost while it booted
echo clear >/sys/kernel/debug/kmemleak
zcat /proc/config.gz | grep -E '^CONFIG_(KASAN|DEBUG_ATOMIC_SLEEP|DEBUG_PREEMPT|UBSAN|DEBUG_OBJECTS|FAULT_INJECTION|REF_TRACKER)='

section every test
mkdir /cgroup
mount -t cgroup2 none /cgroup
cgroup_make user
# shellcheck disable=SC2086 # several parameters
in_cgroup insmod /slab_test.ko $few tests=all
echo "status $?"
cat $files/results
for file in "$files"/*; do cat "$file" >/dev/null; done
rmmod slab_test

section options
insmod /slab_test.ko run=0 sizes=64 count=20 rounds=2
for order in fifo lifo random; do
	for gfp in kernel nowait atomic; do
		tell start order=$order gfp=$gfp handicap=3 clock=ns
		wait_until_over
		echo "$(cat $files/run) $(grep '^# objects' $files/results)"
	done
done

section abort
cut -f 1 $files/tests | grep -vE "^(name|null|control|accounted_.*)\$" >/tmp/names
while read -r test; do
	tell start tests="$test" rounds=1000 count=200 sizes=4096 || continue
	until grep -q "running 0/[0-9]* $test" $files/run; do usleep 1000; done
	usleep "$(random 50000)"
	tell abort
	wait_until_over
	echo "$test $(cat $files/run) $(grep '^# objects' $files/results)"
done </tmp/names
rmmod slab_test

section errors
for parameter in tests=nonesuch sizes=0 "sizes=$(seq -s, 1 100)" count=1000000 count=ten cpus=7 cpus=x \
	clock=sundial gfp=zero order=filo batch=0 bulk=10001 preset=none 'tests=bulk_alloc_free bulk=30 count=20'; do
	# shellcheck disable=SC2086
	insmod /slab_test.ko $parameter 2>/dev/null && echo "taken: $parameter"
done
insmod /slab_test.ko run=0 rounds=1000
for command in garbage 'start sizes=0' 'start nonesuch=1' abort "$(seq -s, 1 2000)" "$(printf 'start\001')"; do
	tell "$command" && echo "taken: $command"
done
tell start || echo "not started"
tell start && echo "second run"
rmmod slab_test
loaded

section kill
for pause in 0 100 300 1000 2000 4000; do
	insmod /slab_test.ko rounds=1000 2>/dev/null &
	child=$!
	usleep ${pause}000
	kill -9 $child
	wait $child 2>/dev/null
	echo "$(loaded) $(threads)"
done

section a file is open
insmod /slab_test.ko rounds=1000 2>/dev/null &
child=$!
until grep -qs running $files/run; do usleep 1000; done
exec 5<$files/samples
kill -9 $child
wait $child 2>/dev/null
cat <&5 >/dev/null 2>&1
exec 5<&-
unload
loaded

section readers
# shellcheck disable=SC2086
insmod /slab_test.ko $few rounds=20 run=0
for _ in 1 2 3 4; do
	while [ -e $files/run ]; do cat $files/results $files/samples $files/tests $files/run; usleep "$(random 800000)"; done >/dev/null 2>&1 &
done
for pause in 0 50 200 500; do
	tell start
	usleep ${pause}000
	tell abort
	wait_until_over
done
tell start
unload
wait
loaded

section hotplug
insmod /slab_test.ko run=0 rounds=1000
for pause in 100 500 1000; do
	tell start
	usleep ${pause}000
	echo 0 >/sys/devices/system/cpu/cpu1/online
	wait_until_over
	cat $files/run
	echo 1 >/sys/devices/system/cpu/cpu1/online
done
tell start
echo processors >/sys/power/pm_test
echo mem >/sys/power/state
cat $files/run
rmmod slab_test

section reload
cycle=0
while [ $cycle -lt 20 ]; do
	insmod /slab_test.ko sizes=64 count=10 rounds=1 || log
	rmmod slab_test
	cycle=$((cycle + 1))
done
echo "cycles $cycle"

section leaks
leaks
sed -n 's/.*debug_locks: */locks /p' /proc/lockdep_stats
exit 0
