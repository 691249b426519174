# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For a guest of the kernel `after`: everything that moves slabs between lists, at the same time.
#
#   scripts/vm.sh --kernel KERNEL --smp 2 --nodes 2 --timeout 700 --script studies/slub-freeze/stress.sh
#
# Every CPU allocates, frees its own objects and those of others, in order and at random, while lists
# are drained by shrinking all caches; then all CPUs but one go and come back. A slab that is lost or on
# two lists shows when a cache is destroyed (the kernel complains of objects that remain), or in the
# count of slabs at the end. Ends with `stress: good`, or says what is not.
files=/sys/kernel/debug/slab_test
caches=/sys/kernel/slab
wait_until_over() { while grep -q running $files/run; do usleep 20000; done; }
kmalloc_slabs() {
	for cache in "$caches"/kmalloc-*; do echo 1 >"$cache/shrink"; done
	cat $caches/kmalloc-*/slabs | awk '{ sum += $1 } END { print sum }'
}

last=$(($(grep -c '^processor' /proc/cpuinfo) - 1))
insmod /slab_test.ko run=0
before=$(kmalloc_slabs)

while :; do
	for cache in "$caches"/*; do
		[ -h "$cache" ] || echo 1 >"$cache/shrink"
		echo 1 >"$cache/validate"
	done
	usleep 20000
done 2>/dev/null &
shrinker=$!

runs=0
for order in lifo random; do
	for sizes in 8,256 1024,4096; do
		for count in 100 1000; do
			echo "start tests=fragmented,cache_fragmented,alloc_then_free,concurrent_*,remote_free,alloc_one_free_all,ring,cache_concurrent_*,cache_remote_free,cache_alloc_one_free_all,bulk_alloc_free sizes=$sizes count=$count rounds=2 warmup=0 order=$order bulk=7,64" >$files/run
			wait_until_over
			if [ "$(cat $files/run)" = 'done' ]; then
				runs=$((runs + 1))
			else
				echo "stress: $(cat $files/run)"
			fi
		done
	done
done
kill $shrinker
wait 2>/dev/null
rmmod slab_test
for online in 0 1; do
	for cpu in $(seq $last); do
		echo $online >/sys/devices/system/cpu/"cpu$cpu/online" || echo "stress: CPU $cpu stays"
	done
	find $caches >/dev/null
done
after=$(kmalloc_slabs)
complaints=$(dmesg | grep -E 'WARNING|BUG|Objects remaining|SLUB |list_(add|del) corruption')
echo "stress: $runs runs, slabs of kmalloc $before before, $after after"
[ -z "$complaints" ] || echo "stress: $complaints"
# what the kernel itself holds moves by some slabs
[ -z "$complaints" ] && [ "$after" -lt $((before + 50)) ] && [ $runs = 8 ] && echo 'stress: good'
