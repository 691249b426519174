# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/long/memory.bats, which has little memory: the default plan, and runs with
# ever less memory free. Prints a line a run.
# shellcheck source=guest-lib.sh
. /guest-lib.sh

available() { awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo; }

section default plan
echo "available $(available) MiB"
insmod /slab_test.ko
echo "$?|$(cat $files/run)"
grep -E '^# (plan|notice: count|objects)' $files/results
rmmod slab_test

# fill MIB: takes memory until so much is available. A file of tmpfs cannot be reclaimed without swap.
parts=0
fill() {
	while [ "$(available)" -gt "$1" ]; do
		dd if=/dev/zero of=/tmp/part-$parts bs=256k count=1 2>/dev/null || break
		parts=$((parts + 1))
	done
}

# try PARAMETER...: one run
try=0
try() {
	try=$((try + 1))
	before=$(available)
	tell start "$@"
	echo "$?|$before MiB|$*" >/tmp/try
}
told() {
	wait_until_over
	echo "$try|$(cat /tmp/try)|$(cat $files/run)|$(grep '^# objects' $files/results)|$(log)"
}

section tight
insmod /slab_test.ko run=0 sizes=64,4096 rounds=2
mount -t tmpfs -o size=100% none /tmp
for left in 60 50 40 35 30 25 20 18 16 14 12 10 9 8; do
	fill $left
	for gfp in kernel nowait atomic; do
		try gfp=$gfp
		told
	done
	try tests=all
	told
done
rm /tmp/part-*

# by somebody else, while a run goes on. It holds a quarter of the memory that there was, or has just freed
# it, and wants it back then: that is not taken, or the kernel has to kill somebody.
section tighter and tighter
for left in 16 12 8; do
	for gfp in kernel nowait atomic; do
		try gfp=$gfp rounds=1000 sizes=4096
		fill $((left + before / 4))
		usleep 500000
		tell abort
		told
		rm /tmp/part-*
	done
done
echo "tries $try"
umount /tmp
rmmod slab_test

section killed
dmesg | grep -iE 'out of memory|oom-kill|invoked oom'
exit 0
