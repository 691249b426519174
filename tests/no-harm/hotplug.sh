# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs in the guest of tests/long/hotplug.bats: takes CPUs away and brings them back while runs are
# started, go on and end; and puts the machine to sleep in the middle of runs. Prints a line a run.
# shellcheck source=guest-lib.sh
. /guest-lib.sh

cpu=/sys/devices/system/cpu

# outcome NAME STATUS
outcome() {
	echo "$1|$2|$(cat $files/run 2>/dev/null)|$(grep '^# objects' $files/results 2>/dev/null)|$(log)"
}

# switches N: CPUs 1 to 3 in any order, N times off or on, with pauses of any length
switches() {
	switched=0
	while [ $switched -lt "$1" ]; do
		one=$cpu/cpu$((1 + $(random 3)))/online
		usleep "$(random 60000)"
		echo $((1 - $(cat $one))) >$one || echo "cannot switch $one"
		switched=$((switched + 1))
	done
	echo "switched $switched"
}
all_online() { for one in "$cpu"/cpu[1-3]/online; do echo 1 >"$one"; done; }

section all CPUs
insmod /slab_test.ko run=0 sizes=64,4096 count=500 rounds=3
switches 200 >/tmp/switched &
child=$!
while kill -0 $child 2>/dev/null; do
	tell start
	status=$?
	wait_until_over
	outcome start $status
done
cat /tmp/switched

section the first CPU
all_online
switches 40 >/tmp/switched &
child=$!
while kill -0 $child 2>/dev/null; do
	tell start cpus=0 tests=alloc_then_free,cache_alloc_free count=5000
	status=$?
	wait_until_over
	outcome start $status
done
cat /tmp/switched
unload

# busybox's insmod tries again what was refused: once is enough
ended() {
	until log | grep -q 'aborted: '; do usleep 1000; done
	said=$(log)
	kill -9 $child 2>/dev/null
	wait $child 2>/dev/null
	echo "$(loaded)|$said"
}

section insmod
all_online
for pause in 0 1 2 5 10 20 50 100 200 500; do
	dmesg -c >/dev/null
	insmod /slab_test.ko rounds=1000 2>/dev/null &
	child=$!
	until grep -qs running $files/run; do usleep 1000; done
	usleep ${pause}000
	echo 0 >$cpu/cpu2/online
	ended
	echo 1 >$cpu/cpu2/online
done

section a CPU that is offline
echo 0 >$cpu/cpu3/online
insmod /slab_test.ko cpus=0-3 2>/dev/null
echo "$?|$(log)"
insmod /slab_test.ko sizes=64 rounds=1 count=100
echo "$?|$(grep '^# machine' $files/results)|$(grep '^# plan' $files/results)"
unload
all_online

# asleep: until the clock of the machine wakes it
asleep() {
	echo 0 >/sys/class/rtc/rtc0/wakealarm
	echo +3 >/sys/class/rtc/rtc0/wakealarm
	echo mem >/sys/power/state
}

section sleep
insmod /slab_test.ko run=0 rounds=1000
for tests in alloc_then_free concurrent_alloc_free; do
	tell start tests=$tests
	usleep 300000
	asleep
	echo "$? $(cat $files/run)"
done
tell start sizes=64 rounds=1
wait_until_over
echo "afterwards $(cat $files/run)"
unload
dmesg -c >/dev/null
insmod /slab_test.ko rounds=1000 2>/dev/null &
child=$!
until grep -qs running $files/run; do usleep 1000; done
usleep 100000
asleep
echo "$?"
ended

section left
threads
loaded
exit 0
