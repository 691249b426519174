# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For a guest of a kernel with stats.config: what SLUB counts in one round of a test, summed over the
# CPUs, in the cache of the size. A line a test and size.
files=/sys/kernel/debug/slab_test
events='alloc_from_partial alloc_refill alloc_slab cpu_partial_alloc cpu_partial_node free_frozen free_slowpath free_slab'

# count CACHE: the events, in that order
count() { for event in $events; do sed 's/ .*//' "/sys/kernel/slab/$1/$event"; done; }

insmod /slab_test.ko run=0
for test in fragmented alloc_then_free; do
	for size in 32:kmalloc-32 256:kmalloc-256 1024:kmalloc-1k; do
		count "${size#*:}" >/tmp/before
		echo "start tests=$test sizes=${size%:*} rounds=1 warmup=0" >$files/run
		while grep -q running $files/run; do usleep 20000; done
		count "${size#*:}" >/tmp/after
		echo "$test ${size%:*}: $(cat $files/run): $(for event in $events; do echo "$event"; done | paste - /tmp/before /tmp/after |
			awk '{ printf "%s%s=%d", NR > 1 ? " " : "", $1, $3 - $2 }')"
	done
done
