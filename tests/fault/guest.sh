# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2009 # busybox has no pgrep that tells threads of the kernel
# Runs in the guest of tests/fault.bats: lets the first, second, third … call fail that may, until
# one run needs no more calls, and after that some in the middle of the tests.

files=/sys/kernel/debug/slab_test
number=/sys/module/slab_test/parameters/fault

echo "## load"
call=1
while :; do
	insmod /slab_test.ko fault=$call sizes=64 count=2 rounds=1 warmup=0 2>/dev/null
	status=$?
	left=$(cat $number 2>/dev/null || echo 0)
	[ "$left" = 0 ] || echo 0 >$number
	objects=$(grep '# objects' $files/results 2>/dev/null)
	rmmod slab_test 2>/dev/null
	echo "$call $status $([ -d /sys/module/slab_test ] && echo loaded) $objects"
	# a call that was never reached: all have had their turn
	[ "$left" = 0 ] || break
	call=$((call + 1))
done

echo "## run"
insmod /slab_test.ko run=0 sizes=64,256 count=100 rounds=2
for call in 1 5 10 20 50 120 121 180 300 400 500 600 700 800 1000 1200 1400 1600 2000 3000 3800 4000 4200 \
	4400 4600 4800; do
	echo $call >$number
	echo start >$files/run 2>/dev/null
	while grep -q running $files/run; do usleep 1000; done
	echo "$call $(cat $files/run) $(grep '# objects' $files/results)"
	echo 0 >$number
done
# and the files
for call in 1 2 3 4; do
	for file in results samples tests run; do
		echo $call >$number
		cat $files/$file >/dev/null 2>&1
		echo 0 >$number
	done
done
cat $files/results >/dev/null && echo "read again"
rmmod slab_test
ps | grep -c '[s]lab_test/'

echo "## complaints of the kernel"
dmesg | grep -E 'WARNING|BUG|RIP|stall|lockup|hung|blocked for'

exit 0
