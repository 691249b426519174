# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For vm.sh --script, in a kernel with count-locks.patch: how many locks SLAB takes to allocate and to
# free, for every object of concurrent_alloc_then_free, and how many of those had to be waited for.
files=/sys/kernel/debug
objects=10000
[ -r $files/slab_counts ] || {
	echo "no $files/slab_counts: this kernel is without count-locks.patch"
	exit 1
}
insmod /slab_test.ko run=0 || exit 1
cpus=$(grep -c ^processor /proc/cpuinfo)
# the first round of a size finds objects of the one before
measure() {
	echo "start tests=concurrent_alloc_then_free sizes=$1 count=$objects rounds=1 warmup=0" >$files/slab_test/run
	while grep -q running $files/slab_test/run; do sleep 0.1; done
	grep -q '^done' $files/slab_test/run || exit 1
}
printf '%6s %10s %10s %10s %10s\n' size alloc waited free waited
for size in 32 64 128 256 512 1024 2048 4096; do
	measure $size
	cat $files/slab_counts >/tmp/before
	measure $size
	cat $files/slab_counts >/tmp/after
	awk -v size=$size -v objects=$((objects * cpus)) '
		NR == FNR { before[$1] = $2; next }
		{ change[$1] = ($2 - before[$1]) / objects }
		END { printf "%6d %10.4f %10.4f %10.4f %10.4f\n", size, change["alloc_locks"],
			change["alloc_locks_contended"], change["free_locks"], change["free_locks_contended"] }' \
		/tmp/before /tmp/after
done
