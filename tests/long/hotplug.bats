#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# CPUs that go and come back during runs, and a machine that goes to sleep:
# tests/no-harm/hotplug.sh in a guest with four CPUs.

load ../no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export top
	ask "$BATS_FILE_TMPDIR" "$top/tests/no-harm/hotplug.sh" --kernel debian:6.1 --smp 4 --append init_on_alloc=0 \
		--timeout 900
}

@test "with CPUs going 200 times, each run is done, aborted or refused, and says why" {
	run section 'all CPUs'
	[ "${lines[-1]}" = 'switched 200' ]
	echo "${#lines[@]} lines"
	balanced <<<"$output"
	for line in "${lines[@]::${#lines[@]}-1}"; do
		[[ $line =~ ^start\|0\|done\| ]] || [[ $line =~ ^start\|0\|aborted\ CPU\ [123]\ went\ offline\| ]] ||
			[[ $line =~ ^start\|1\|.*\|slab_test:\ cpus=[0-3,-]+:\ not\ all\ are\ online\ any\ more$ ]] || {
			echo "$line"
			return 1
		}
	done
	# of each of the first two there were some
	[ "$(grep -c '|done|' <<<"$output")" -ge 3 ]
	[ "$(grep -c '|aborted CPU' <<<"$output")" -ge 10 ]
}

@test "a run on CPUs that stay is not disturbed" {
	run section 'the first CPU'
	[ "${lines[-1]}" = 'switched 40' ]
	[ "${#lines[@]}" -ge 3 ]
	[ "$(grep -c '^start|0|done|' <<<"$output")" = $((${#lines[@]} - 1)) ]
	balanced <<<"$output"
}

@test "insmod ends when one of its CPUs goes, with the reason in the log" {
	run section insmod
	[ "${#lines[@]}" = 10 ]
	[ "$(grep -cx 'not loaded|slab_test: aborted: CPU 2 went offline' <<<"$output")" = 10 ]
}

@test "a CPU that is offline is left out by itself, and refused by name" {
	run section 'a CPU that is offline'
	[ "${lines[0]}" = '22|slab_test: cpus=0-3: must be a list of online CPUs, of 0-2' ]
	[[ ${lines[1]} == '0|# machine: x86_64, 3 CPUs (0-2), '*' cpus=0-2 '* ]]
}

@test "a machine that goes to sleep aborts the run, and is not kept from it" {
	run section sleep
	[ "$output" = '0 aborted the machine goes to sleep
0 aborted the machine goes to sleep
afterwards done
0
not loaded|slab_test: aborted: the machine goes to sleep' ]
}

@test "nothing is left, and the kernel had nothing to complain of" {
	run section left
	[ "$output" = '0
not loaded' ]
	! grep complained "$BATS_FILE_TMPDIR/progress"
}

@test "isolated CPUs and those outside of the cpuset of the caller work like any other" {
	run "$top/scripts/vm.sh" --kernel debian:6.1 --smp 3 --append 'isolcpus=1 nohz_full=1' \
		-o "$BATS_TEST_TMPDIR" --guest '
			cat /sys/devices/system/cpu/isolated /sys/devices/system/cpu/nohz_full
			mkdir /cgroup && mount -t cgroup2 none /cgroup
			echo +cpuset >/cgroup/cgroup.subtree_control
			mkdir /cgroup/user && echo 0 >/cgroup/user/cpuset.cpus
			sh -c "echo \$PPID" >/cgroup/user/cgroup.procs
			grep Cpus_allowed_list /proc/self/status
			insmod /slab_test.ko sizes=64 count=100 rounds=1
			echo "status $?"
			sed -n "s/^# plan: .* cpus=/cpus=/p; /^# objects/p; /^# state/p" /sys/kernel/debug/slab_test/results
			cut -f 5 /sys/kernel/debug/slab_test/samples | sort -u | tr "\n" " "'
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *$'\n1\n1\nCpus_allowed_list:\t0\nstatus 0\n'* ]]
	[[ $output == *'cpus=0-2 '*'# state: done'*'0 1 2 cpu'* ]]
	[[ $output != *complained* ]]
}
