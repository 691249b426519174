#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A run in a memory cgroup: vm.sh --cgroup and run.sh --cgroup.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	out=$BATS_TEST_TMPDIR/records
}

vm() { "$top/scripts/vm.sh" --kernel debian:6.1 --smp 1 -o "$out" "$@"; }

@test "vm.sh --cgroup: accounted tests run, and the record says where" {
	run vm --cgroup user_1.a -- tests=accounted_alloc_free sizes=64 count=100 rounds=2
	[ "$status" = 0 ]
	[ "$(grep -c '^# cgroup: user_1.a$' "$out/boot-001.txt")" = 1 ]
	[ "$(grep -cE '^accounted_alloc_free	.*	pair	100	[1-9]' "$out/boot-001.txt")" = 2 ]
}

@test "vm.sh --cgroup: a kernel without memory cgroups is named as such" {
	run vm --cgroup user --append cgroup_disable=memory -- tests=control
	[ "$status" = 9 ]
	[[ $output == *"--cgroup: no memory controller"*"the guest has no memory cgroup to run in" ]]
	[ -z "$(find "$out" -name '*.txt')" ]
}

@test "run.sh --cgroup: makes the cgroup and removes it, and leaves one that was there" {
	run --separate-stderr vm --guest '
		run="sh /run.sh --module /slab_test.ko --cgroup user -o /tmp/record"
		plan="tests=accounted_alloc_free sizes=64 count=100 rounds=1"
		top=/sys/fs/cgroup
		left() {
			[ ! -d /sys/module/slab_test ] || echo "still loaded"
			[ ! -d $top/user ] || echo "cgroup there"
		}
		$run -- $plan 2>&1 | sed "s/(.*//"; left
		mount -t cgroup2 none $top
		$run -- $plan 2>/dev/null; left
		grep -cE "^# cgroup: user$|^accounted_alloc_free	.*	pair	100	" /tmp/record
		echo "enabled: $(cat $top/cgroup.subtree_control)"; rm /tmp/record
		echo +memory >$top/cgroup.subtree_control; mkdir $top/user
		$run -- $plan 2>/dev/null; left
		echo "enabled: $(cat $top/cgroup.subtree_control)"; rm /tmp/record
		rmdir $top/user
		$run -- $plan count=0 2>&1 | tail -n 1; left
		$run -- rounds=1000 2>/dev/null &
		until grep -qs running /sys/kernel/debug/slab_test/run; do sleep 0.2; done; kill $!; wait $!; echo "stopped $?"; left
		mkdir -p $top/user/below; echo "+memory" >$top/user/cgroup.subtree_control
		$run -- $plan 2>&1 | grep -- --cgroup; left
	'
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = "run.sh: --cgroup: no memory controller 
/tmp/record
2
enabled: 
/tmp/record
cgroup there
enabled: memory
run.sh: the module refused a parameter
stopped 143
--cgroup: cannot enter /sys/fs/cgroup/user
cgroup there" ]
}

@test "run.sh --cgroup: with the memory controller of version 1" {
	run --separate-stderr vm --guest '
		mount -t cgroup -o memory none /sys/fs/cgroup
		sh /run.sh --module /slab_test.ko --cgroup user -- tests=accounted_alloc_free sizes=64 count=100 rounds=1 2>/dev/null |
			grep -cE "^# cgroup: user$|^accounted_alloc_free	.*	pair	100	"
		[ ! -d /sys/fs/cgroup/user ] || echo "cgroup there"
	'
	[ "$status" = 0 ]
	[ "$output" = 2 ]
}

@test "--cgroup: what is no plain name is refused" {
	for name in . .. a/b -x 'a b' 'a;b' "a'b"; do
		for script in "run.sh" "vm.sh --kernel debian:6.1"; do
			# shellcheck disable=SC2086 # a script and its options
			run "$top/scripts/"$script --cgroup "$name"
			[ "$status" = 2 ]
			[ "${#lines[@]}" = 1 ]
			[[ $output == *"--cgroup: '$name' is no plain name"* ]]
		done
	done
}
