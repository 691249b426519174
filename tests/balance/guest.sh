# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/long/balance.bats: a hundred runs of each kind, every second of which is
# aborted, each time later. Prints how each ended, and the pages of all slabs before and after.

files=/sys/kernel/debug/slab_test

tell() { echo "$*" >$files/run; }
wait_until_over() { while grep -q running $files/run; do usleep 10000; done; }
slab_pages() { awk '$6 ~ /^[0-9]/ { pages += $15 * $6 } END { print pages }' /proc/slabinfo; }

mkdir /cgroup
mount -t cgroup2 none /cgroup
echo +memory >/cgroup/cgroup.subtree_control
mkdir /cgroup/user
echo $$ >/cgroup/user/cgroup.procs

insmod /slab_test.ko run=0 sizes=4096 count=200 rounds=1 warmup=0
for tests in concurrent_kfree_rcu 'accounted_concurrent_*' ring; do
	echo "## $tests"
	# with less than 506 objects a CPU, kfree_rcu() gathers for five seconds before it frees any
	case $tests in *rcu) count=600 ;; *) count=200 ;; esac
	# what a first run keeps for the next ones is not lost
	tell "start tests=$tests count=$count"
	wait_until_over
	slab_pages
	run=0
	while [ $run -lt 100 ]; do
		if [ $((run % 2)) = 0 ]; then
			tell "start tests=$tests count=$count"
		else
			tell "start tests=$tests count=$count rounds=1000"
			until grep -q 'running 0/' $files/run; do usleep 1000; done
			usleep $((run * 1000))
			tell abort
		fi
		wait_until_over
		echo "$(cat $files/run) $(grep '# objects' $files/results)"
		run=$((run + 1))
	done
	slab_pages
done
rmmod slab_test
echo "## unloaded"
[ -d /sys/module/slab_test ] || echo not loaded
grep -c slab_test /proc/slabinfo || true
