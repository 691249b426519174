# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2009 # busybox has no pgrep that tells threads of the kernel
# Runs in the guest of tests/module.bats: tries what users do, and prints what came of it, one
# section a question. What is right is said there.

files=/sys/kernel/debug/slab_test

section() { echo "## $*"; }
log() { dmesg | sed -n 's/^\[[^]]*\] //; /^slab_test: /p' | tail -n "${1:-1}"; }
tell() { echo "$*" 2>/dev/null >$files/run; }
wait_until_over() { while grep -q running $files/run; do usleep 10000; done; }
threads() { ps | grep -c '[s]lab_test/'; }
loaded() { [ -d /sys/module/slab_test ] && echo loaded || echo not loaded; }
# pages of all kmalloc caches
slab_pages() { awk '/^kmalloc-/ { pages += $15 * $6 } END { print pages }' /proc/slabinfo; }

section first minute
insmod /slab_test.ko sizes=8,64,256 rounds=2
echo "status $?"
cat $files/results

section samples
cat $files/samples

section log
log 1000

section pieces
cat $files/results >/tmp/whole
dd if=$files/results bs=7 2>/dev/null | cmp - /tmp/whole && echo results same
cat $files/samples >/tmp/whole
dd if=$files/samples bs=113 2>/dev/null | cmp - /tmp/whole && echo samples same

section access
stat -c '%a %u' $files/results $files/samples $files/metrics $files/tests $files/run

section tests
cat $files/tests
rmmod slab_test

section refused
for parameter in tests=nonesuch tests= sizes=0 sizes=4194305 sizes=eight sizes= sizes=8,,16 \
	sizes=8,8 "sizes=$(seq -s, 1 100)" count=0 count=-1 count=4294967296 count=ten rounds=0 \
	rounds=1001 warmup=101 cpus=7 cpus= cpus=0- cpus=x clock=sundial clock=arch gfp=zero \
	order=filo order=fifo,fifo order= irqs=maybe irqs=off preset=nonesuch preset= seed=x handicap=1024 batch=0 \
	bulk=10001 counters= counters=nonesuch counters=cycles,cycles \
	counters=cycles,instructions,cache-references,cache-misses,branches,branch-misses,bus-cycles,ref-cycles,page-faults; do
	insmod /slab_test.ko "$parameter" 2>/tmp/error
	echo "$parameter|$?|$(log)"
done
insmod /slab_test.ko count=1000000 2>/tmp/error
echo "memory|$?|$(log)"
insmod /slab_test.ko 'tests=node_*' 2>/tmp/error
echo "none|$?|$(log)"
insmod /slab_test.ko tests=remote_free cpus=1 2>/tmp/error
echo "one CPU|$?|$(log)"
insmod /slab_test.ko tests=ring irqs=off gfp=nowait 2>/tmp/error
echo "spins|$?|$(log)"
insmod /slab_test.ko tests=null irqs=off gfp=nowait count=10001 2>/tmp/error
echo "long|$?|$(log)"
insmod /slab_test.ko tests=kfree_rcu sizes=8,12 2>/tmp/error
echo "small|$?|$(log)"
insmod /slab_test.ko tests=batch_alloc_free batch=8 count=7 2>/tmp/error
echo "batch|$?|$(log)"
insmod /slab_test.ko tests=bulk_alloc_free bulk=8 count=7 2>/tmp/error
echo "bulk|$?|$(log)"
loaded

section counters
insmod /slab_test.ko tests=alloc_free,null sizes=64 count=100 rounds=3 \
	counters=cycles,page-faults,LLC-load-misses,context-switches
echo "status $?"
cat $files/results $files/samples
rmmod slab_test

section skipped
insmod /slab_test.ko cpus=1 sizes=8 rounds=1
grep -E '^# (skipped|plan)|^[^#]' $files/results
rmmod slab_test

section run file
insmod /slab_test.ko run=0 sizes=32 rounds=3
cat $files/run
for command in garbage 'start sizes' 'start sizes=0' 'start frobnicate=1' abort 'abort now' \
	"$(seq -s, 1 2000)" "$(printf 'start\001')"; do
	tell "$command"
	echo "$? $(log)"
done
cat $files/run
tell 'start rounds=1000 tests=alloc_then_free'
echo "status $?"
cat $files/run
tell start
echo "second $? $(log)"
sh -c "echo start >$files/run" 2>/dev/null
echo "other shell $? $(log)"
rmmod slab_test
echo "rmmod $?"
loaded
threads

section every test
insmod /slab_test.ko tests=all sizes=64 count=100 rounds=2 batch=1,50 bulk=1,16
cat $files/results
cut -f 1 $files/samples | sort -u | sed 's/$/\t/'
rmmod slab_test

section presets
insmod /slab_test.ko run=0 preset=full sizes=64 rounds=9
for line in 'preset=quick rounds=2' 'rounds=2 preset=quick' 'preset=sheaves tests=null' \
	'tests=null preset=classic sizes=32 count=100 rounds=1' 'tests=null'; do
	tell "start $line"
	wait_until_over
	echo "$line|$(cat $files/run)|$(grep -E '^# plan' $files/results)|$(grep 'preset=.*as given' $files/results | tr '\n' ' ')"
done
rmmod slab_test

section orders
insmod /slab_test.ko tests=alloc_then_free,concurrent_alloc_then_free,alloc_free,batch_alloc_free order=fifo,random \
	sizes=64 batch=10 count=100 rounds=2
grep -v '^#' $files/results
tail -n +2 $files/samples | cut -f 1 | sort | uniq -c
rmmod slab_test

section interrupts
insmod /slab_test.ko tests=all gfp=nowait irqs=off sizes=64,4096 count=1000 rounds=3 batch=10 bulk=16
echo "status $?"
grep -E '^# (plan|skipped|objects|disturbed)' $files/results
rmmod slab_test

section kfree_rcu
insmod /slab_test.ko tests=kfree_rcu,concurrent_kfree_rcu,batch_kfree_rcu,concurrent_batch_kfree_rcu sizes=8,64,4096 \
	count=1000 rounds=3 batch=100
echo "status $?"
cat $files/results $files/metrics
rmmod slab_test
grep -c slab_test /proc/slabinfo
for pause in 0 1 5 20 60; do
	insmod /slab_test.ko run=0 tests=kfree_rcu,concurrent_kfree_rcu,batch_kfree_rcu sizes=512
	tell start
	usleep ${pause}000
	rmmod slab_test
	echo "rmmod $? $(grep -c slab_test /proc/slabinfo) $(log)"
done

section accounted
mkdir /cgroup
mount -t cgroup2 none /cgroup
echo +memory >/cgroup/cgroup.subtree_control
mkdir /cgroup/user
insmod /slab_test.ko tests=accounted_alloc_free 2>/dev/null
echo "root $? $(log)"
(
	sh -c 'echo $PPID' >/cgroup/user/cgroup.procs
	insmod /slab_test.ko tests=accounted_* sizes=64,4096 count=100 batch=10
	echo "cgroup $?"
)
cat $files/results
echo "peak $(cat /cgroup/user/memory.peak)"
rmmod slab_test

section every parameter
insmod /slab_test.ko run=0
tell start tests=bulk_alloc_free,null,control sizes=24 count=7 rounds=3 warmup=2 cpus=1 gfp=atomic order=lifo seed=9 \
	handicap=4 clock=ns bulk=3
wait_until_over
grep -E '^# (plan|clock|state)' $files/results
tail -n +2 $files/samples | cut -f 1-7
rmmod slab_test

section balance
insmod /slab_test.ko run=0 sizes=8,100,4096 count=500 rounds=2
for order in fifo lifo random; do
	for gfp in kernel nowait atomic; do
		tell "start order=$order gfp=$gfp"
		wait_until_over
		echo "$order $gfp $(cat $files/run) $(grep '# objects' $files/results)"
	done
done

section abort
slab_pages
pause=1
for test in alloc_then_free alloc_free concurrent_alloc_then_free concurrent_alloc_free remote_free \
	alloc_one_free_all ring fragmented cache_fragmented cache_alloc_then_free cache_remote_free cache_alloc_one_free_all \
	alloc_page_then_free kfree_rcu batch_kfree_rcu batch_alloc_free concurrent_batch_alloc_free bulk_alloc_free bulk_fallback; do
	for extra in 0 7; do
		tell "start tests=$test rounds=1000 count=2000 sizes=4096"
		# in the middle of the test itself, not of the calibration
		until grep -q "running 0/[0-9]* $test" $files/run; do usleep 1000; done
		usleep $((pause * 1000 + extra * 1000))
		tell abort
		wait_until_over
		echo "$test $(cat $files/run) $(grep '# objects' $files/results)"
		pause=$((pause + 3))
	done
done
slab_pages
rmmod slab_test
insmod /slab_test.ko tests=ring rounds=1000 run=0
tell start
usleep 100000
rmmod slab_test
echo "rmmod $?"

section ring
insmod /slab_test.ko tests=ring sizes=64 rounds=20
echo "status $?"
grep '^# objects' $files/results
rmmod slab_test

section fragmented
insmod /slab_test.ko run=0
for count in 1 2 7; do
	tell "start tests=fragmented,cache_fragmented sizes=64 rounds=3 order=random count=$count"
	wait_until_over
	echo "$(cat $files/run) $(grep '^# objects' $files/results)"
	tail -n +2 $files/samples | cut -f 6,7 | sort -u | tr '\t\n' ' ,'
	echo
done
rmmod slab_test

section kill
for pause in 5 20 50 100 150 200 300 400; do
	insmod /slab_test.ko rounds=1000 2>/dev/null &
	child=$!
	usleep ${pause}000
	kill -9 $child
	wait $child 2>/dev/null
	echo "$(loaded) $(threads)"
done

section kill while a file is open
insmod /slab_test.ko rounds=1000 2>/dev/null &
child=$!
while ! [ -e $files/results ]; do usleep 1000; done
exec 5<$files/results
kill -9 $child
wait $child 2>/dev/null
loaded
cat <&5 >/dev/null 2>&1
exec 5<&-
rmmod slab_test
loaded

section many runs
insmod /slab_test.ko run=0 sizes=8,256,4096 count=1000 rounds=1
round=0
while [ $round -lt 5 ]; do
	tell start
	wait_until_over
	round=$((round + 1))
done
slab_pages
round=0
while [ $round -lt 50 ]; do
	tell start
	wait_until_over
	round=$((round + 1))
done
slab_pages
rmmod slab_test

section run.sh
sh /run.sh --module /slab_test.ko -- sizes=8 rounds=1 tests=null,control 2>/tmp/progress
echo "status $?"
loaded

section run.sh interrupted
sh /run.sh --module /slab_test.ko -- rounds=1000 >/dev/null 2>&1 &
child=$!
until grep -qs running $files/run; do usleep 10000; done
kill -TERM $child
wait $child 2>/dev/null
echo "status $?"
loaded

section no debugfs
umount /sys/kernel/debug
sh /run.sh --module /slab_test.ko -- sizes=8 2>&1
echo "status $?"
loaded

section complaints of the kernel
dmesg | grep -E 'WARNING|BUG|RIP|stall|lockup|hung|blocked for'

exit 0
