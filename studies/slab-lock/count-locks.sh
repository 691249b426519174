# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For vm.sh --metrics, in a kernel with count-locks.patch: how many locks SLAB takes to allocate and to
# free, for every object of concurrent_alloc_then_free, and how many of those had to be waited for.
files=/sys/kernel/debug
objects=10000
[ -r $files/slab_counts ] || {
	echo "no $files/slab_counts: this kernel is without count-locks.patch" >&2
	exit 1
}
insmod /slab_test.ko run=0 || exit 1
cpus=$(grep -c ^processor /proc/cpuinfo)
measure() {
	echo "start tests=concurrent_alloc_then_free sizes=$1 count=$objects rounds=1 warmup=0" >$files/slab_test/run
	while grep -q running $files/slab_test/run; do usleep 20000; done
	grep -q '^done' $files/slab_test/run || exit 1
}
for size in 32 64 128 256 512 1024 2048 4096; do
	# finds objects of the size before
	measure $size
	for round in 1 2 3; do
		cat $files/slab_counts >/tmp/before
		measure $size
		cat $files/slab_counts >/tmp/after
		awk -v size=$size -v round=$round -v objects=$((objects * cpus)) '
			NR == FNR { before[$1] = $2; next }
			{ change[$1] = ($2 - before[$1]) / objects }
			function tell(name, event) {
				printf "locks.%s.%d\tan object\tlower\t%d\t%.4f\n", name, size, round, change[event]
			}
			END {
				tell("alloc", "alloc_locks")
				tell("alloc-waited", "alloc_locks_contended")
				tell("free", "free_locks")
				tell("free-waited", "free_locks_contended")
			}' /tmp/before /tmp/after
	done
done
rmmod slab_test
