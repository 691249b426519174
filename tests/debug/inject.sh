# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/debug/inject.bats: failures of allocations and of threads, counted.
# shellcheck source=../no-harm/guest-lib.sh
. /guest-lib.sh

injection=/sys/kernel/debug
few='sizes=64,4096 count=5 rounds=1 warmup=0'

# Of every kind of allocation, without a stack for each. Only tasks that are told so fail, and only
# those that were asked for.
for attribute in failslab fail_page_alloc; do
	echo Y >$injection/$attribute/task-filter
	echo 0 >$injection/$attribute/verbose
	echo N >$injection/$attribute/ignore-gfp-wait
done
echo 0 >$injection/fail_page_alloc/min-order
# what the kernel itself lost while it booted
echo scan >$injection/kmemleak
echo clear >$injection/kmemleak

# chance INTERVAL PERCENT: of each so many-th allocation of a task that may fail so many do, from now on
chance() {
	for attribute in failslab fail_page_alloc; do
		echo 1000000 >$injection/$attribute/times
		echo "$1" >$injection/$attribute/interval
		echo "$2" >$injection/$attribute/probability
	done
}

# no_more: nothing fails, and how much did since chance
no_more() {
	for attribute in failslab fail_page_alloc; do
		echo 0 >$injection/$attribute/probability
		echo "injected $((1000000 - $(cat $injection/$attribute/times)))"
	done
}
echo N >$injection/fail_page_alloc/ignore-gfp-highmem

# A load makes 1600, nearly all of them before the module is asked, so that not every one can be
# followed by a run; those of the run itself are the section "start".
section load
/inject load 41 run=0
echo "status $?"

section load and run
/inject load 301 "$few"
echo "status $?"

section threads
/inject threads "run=1 $few"
echo "status $?"

section unload
/inject unload
echo "status $?"

# shellcheck disable=SC2086 # several parameters
insmod /slab_test.ko run=0 $few
section start
/inject start
echo "status $?"

section read
tell start
wait_until_over
/inject read
echo "status $?"
rmmod slab_test

section workers
insmod /slab_test.ko run=0 sizes=64,4096 count=50 rounds=2
/inject workers 40
echo "status $?"

# of runs: the 999th allocation of all workers
section chance
chance 999 100
try=0
while [ $try -lt 20 ]; do
	tell start
	for thread in $(ps | awk '/[s]lab_test\// { print $1 }'); do
		echo 1 >"/proc/$thread/make-it-fail"
	done 2>/dev/null
	wait_until_over
	echo "$(sed 's/number [0-9]*/number N/' $files/run)|$(grep '^# objects' $files/results)"
	try=$((try + 1))
done
no_more

# A call makes the same allocations each time: every seventh would be the same ones.
section calls
chance 1 5
/inject calls 3000
echo "status $?"
no_more
rmmod slab_test

# No function of the creation of threads may be failed by name; what the thread that creates them
# allocates is the section "threads".
section functions
cut -f 1 -d ' ' $injection/error_injection/list | grep -c kthread

section afterwards
insmod /slab_test.ko sizes=64,4096 count=100
cat $files/run
grep '^# objects' $files/results
rmmod slab_test
threads
loaded

section leaks
sleep 6
echo scan >$injection/kmemleak
sleep 6
echo scan >$injection/kmemleak
cat $injection/kmemleak
sed -n 's/.*debug_locks: */locks /p' /proc/lockdep_stats
exit 0
