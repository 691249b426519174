# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For a guest of the kernel `tree`: everything that makes, fills, drains and frees alien caches, at the
# same time.
#
#   scripts/vm.sh --kernel KERNEL --smp 4 --nodes 8 --mem 1G --timeout 1200 --script studies/slab-alien/stress.sh
#
# CPUs on four nodes free each other's objects while caches come and go with each run, the arrays of
# kmalloc caches are made anew by writes to /proc/slabinfo, dentries and inodes are dropped from another
# node than that which looked them up, and the only CPU of a node goes and comes back. A lost object
# shows when its cache is destroyed, a lost alien cache in the memory of kmalloc-192. Ends with
# `stress: good`, or says what is not.
files=/sys/kernel/debug/slab_test
last=$(($(grep -c '^processor' /proc/cpuinfo) - 1))
wait_until_over() { while grep -q running $files/run; do usleep 20000; done; }
used() { awk '$1 == "kmalloc-192" { print $2 }' /proc/slabinfo; }
on_cpu() { taskset "$(printf %x $((1 << $1)))" sh -c "$2"; }

while :; do
	for limit in 16 120; do
		awk '/^kmalloc-/ && !/cg|dma|rcl/ { print $1 }' /proc/slabinfo | while read -r cache; do
			echo "$cache $limit 8 8" >/proc/slabinfo
		done
	done
done 2>/dev/null &
tuner=$!
while :; do
	on_cpu 0 'find /sys /proc >/dev/null'
	on_cpu 1 'echo 2 >/proc/sys/vm/drop_caches'
done 2>/dev/null &
dropper=$!
plugs=0
while :; do
	echo 0 >/sys/devices/system/cpu/cpu$last/online
	usleep 50000
	echo 1 >/sys/devices/system/cpu/cpu$last/online
	on_cpu $last 'find /sys/kernel >/dev/null; echo 2 >/proc/sys/vm/drop_caches'
	plugs=$((plugs + 1))
	echo $plugs >/plugs
done 2>/dev/null &
plugger=$!

insmod /slab_test.ko run=0
runs=0
before=
for round in 1 2 3; do
	for sizes in 8,256,1024 64,2048 192,4096; do
		for order in fifo lifo random; do
			echo "start tests=alloc_then_free,remote_free,ring,alloc_one_free_all,node_alloc_then_free,cache_remote_free,cache_alloc_one_free_all sizes=$sizes count=500 rounds=4 order=$order cpus=0-$((last - 1))" >$files/run
			wait_until_over
			[ "$(cat $files/run)" = 'done' ] || echo "stress: $(cat $files/run)"
			runs=$((runs + 1))
		done
	done
	# by then every pair of nodes that frees has its alien caches
	[ $round != 1 ] || before=$(used)
done
kill $tuner $dropper $plugger
wait 2>/dev/null
echo 1 >/sys/devices/system/cpu/cpu$last/online 2>/dev/null
rmmod slab_test
after=$(used)
complaints=$(dmesg | grep -E 'WARNING|BUG|INFO:|still has objects|slab error|list_(add|del) corruption')
echo "stress: $runs runs, CPU $last came back $(cat /plugs) times, objects of kmalloc-192 $before after a third, $after at the end"
[ -z "$complaints" ] || echo "stress: $complaints"
[ -z "$complaints" ] && [ "$after" -lt $((before + 500)) ] && [ "$(cat /plugs)" -gt 2 ] && [ $runs = 27 ] && echo 'stress: good'
