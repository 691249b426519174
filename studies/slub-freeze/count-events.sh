# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For a guest of a kernel with stats.config: what SLUB counts in one round of a test, summed over the
# CPUs, in the cache of the size. A line a test and size. In exact mode, whose clock no busy host disturbs.
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
		echo "$test ${size%:*}: $(cat $files/run): $(echo "$events" | tr ' ' '\n' | cat - /tmp/before /tmp/after |
			awk -v nr="$(echo "$events" | wc -w)" '{ value[NR] = $1 } END {
				for (i = 1; i <= nr; i++)
					printf "%s%s=%d", (i > 1 ? " " : ""), value[i], value[2 * nr + i] - value[nr + i]
			}')"
	done
done
