#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/vm.sh: what it brings back from a guest, and how it ends when the guest does not.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	out=$BATS_TEST_TMPDIR/records
}

# fake_qemu COMMANDS: a QEMU that boots nothing and runs COMMANDS in the run folder instead
fake_qemu() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n[ "$1" != --version ] || { echo "QEMU emulator version 99.0.0"; exit; }\n%s\n' \
		"$1" >"$BATS_TEST_TMPDIR/bin/qemu-system-x86_64"
	chmod +x "$BATS_TEST_TMPDIR/bin/qemu-system-x86_64"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# vm OPTION...: one boot of the fixture. The default parameters of most tests are those of a good run.
vm() { "$top/scripts/vm.sh" --kernel debian:6.1 --module "$top/tests/fixture" --smp 1 -o "$out" "$@"; }

@test "vm.sh: --help is its usage, and lists every exit code" {
	run "$top/scripts/vm.sh" --help
	[ "$status" = 0 ]
	[[ $output == "usage: scripts/vm.sh"* ]]
	for code in 0 2 3 4 5 6 7 8 9 10; do
		grep -qE "^(Exit:)? +$code " <<<"$output"
	done
}

@test "vm.sh: bad usage is one line and exit code 2, before anything is built" {
	refused() {
		run "$top/scripts/vm.sh" "$@"
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "$*: status $status: $output"
			return 1
		}
	}
	refused
	refused --kernel
	refused --kernel debian:0.1
	refused --kernel /nonexistent
	refused --kernel "$BATS_TEST_TMPDIR"
	refused --kernel debian:6.1 --smp 0
	refused --kernel debian:6.1 --smp two
	refused --kernel debian:6.1 --boots 1.5
	refused --kernel debian:6.1 --boots -1
	refused --kernel debian:6.1 --mem 1T
	refused --kernel debian:6.1 --mem M
	refused --kernel debian:6.1 --timeout 0
	refused --kernel debian:6.1 --exact --boots 1
	refused --kernel debian:6.1 --exact --accel kvm
	refused --kernel debian:6.1 --accel hvf
	refused --kernel debian:6.1 --mem 8M --nodes 9
	refused --kernel debian:6.1 --guest true --script /etc/passwd
	refused --kernel debian:6.1 --script /nonexistent
	refused --kernel debian:6.1 --guest true -- sizes=8
	refused --kernel debian:6.1 --guest true --metrics /etc/passwd
	refused --kernel debian:6.1 --metrics /nonexistent
	refused --kernel debian:6.1 --kdir /tmp
	refused --kernel "$BATS_TEST_FILENAME"
	refused --kernel debian:6.1 --frobnicate 1
	refused --kernel debian:6.1 sizes=8
	refused --kernel debian:6.1 -- sizes
}

@test "vm.sh: each boot leaves one record, numbered on from what is there" {
	mkdir -p "$out"
	echo kept >"$out/boot-007.txt"
	run --separate-stderr vm --boots 2 -- value=123
	[ "$status" = 0 ]
	[ "$output" = "$out/boot-008.txt
$out/boot-009.txt" ]
	[ "$(cat "$out/boot-007.txt")" = kept ]
	[[ $stderr == *"boot 1 of 2"*"boot 2 of 2"*" s to go"* ]]
	# the guest's own words, then what vm.sh knows, all in the header
	[ "$(sed -n 1,3p "$out/boot-008.txt")" = "# slab_test: 1
# state: done
# boot: 8" ]
	for key in vm cmdline date load governor turbo smt; do
		[ "$(sed '/^[^#]/,$d' "$out/boot-008.txt" | grep -c "^# $key: .")" = 1 ]
	done
	[ "$(sed '/^#/d; /^metric/,$d' "$out/boot-008.txt")" = "control: 123.0

test	rev	size	round	cpu	phase	ops	cycles	skew	flags
control	1	-	1	0	multiply	1	123	0	-" ]
	# the run folder boots the same guest again
	mkdir "$BATS_TEST_TMPDIR/again"
	"$out/boot-008.run/qemu-cmd" "$BATS_TEST_TMPDIR/again"
	# but for its slab memory, which differs from boot to boot
	cmp <(sed '/^slab\//d' "$out/boot-008.run/channel") <(sed '/^slab\//d' "$BATS_TEST_TMPDIR/again/channel")
}

@test "vm.sh: the guest has the vCPUs, nodes, memory and command line asked for" {
	run --separate-stderr vm --smp 3 --nodes 2 --mem 768M --append 'answer=42 init_on_alloc=0' --guest '
		nproc
		ls -d /sys/devices/system/node/node* | wc -l
		awk "/MemTotal/ { print (\$2 > 600000 && \$2 < 786432) }" /proc/meminfo
		grep -c "answer=42 init_on_alloc=0" /proc/cmdline'
	[ "$status" = 0 ]
	[ "$output" = $'3\n2\n1\n1' ]
}

@test "vm.sh: --guest and --script bring output back as it was, and fail with 10" {
	printf 'printf "a\\tb\\n\\n"; echo "it'"'"'s" >&2\n' >"$BATS_TEST_TMPDIR/script"
	"$top/scripts/vm.sh" --kernel debian:6.1 --module "$top/tests/fixture" --smp 1 \
		--script "$BATS_TEST_TMPDIR/script" >"$BATS_TEST_TMPDIR/output"
	printf 'a\tb\n\nit'"'"'s\n' | cmp - "$BATS_TEST_TMPDIR/output"
	run --separate-stderr vm --guest 'echo before; exit 3'
	[ "$status" = 10 ]
	[ "$output" = before ]
	[[ $stderr == *"exit code 3 in the guest"* ]]
	# no record of what was no run
	[ -z "$(find "$out" -name '*.txt')" ]
}

@test "vm.sh: what --metrics prints is in the record, and its failure is told" {
	script=$BATS_TEST_TMPDIR/script
	measured() { vm --module "$top" --metrics "$script" -- tests=control sizes=64 rounds=2; }
	# the module is there, and not loaded
	printf '%s\n' 'insmod /slab_test.ko run=0 && rmmod slab_test' 'printf "mine\tKiB\tlower\t1\t5\n"' >"$script"
	record=$(measured)
	[ "$(tail -n 1 "$record")" = $'mine\tKiB\tlower\t1\t5' ]
	"$top/scripts/compare.sh" "$record" "$record" | grep -q '^mine, KiB'
	printf '%s\n' 'echo no such counter >&2' 'exit 1' >"$script"
	run measured
	[ "$status" = 4 ] && [[ $output == *'the script of --metrics failed'* ]]
	grep -q 'no such counter' "$out"/boot-002.run/*
}

@test "vm.sh: a refused parameter, a failed run, a panic and a hang differ" {
	run vm -- outcome=refused
	[ "$status" = 5 ]
	[[ $output == *"slab_test: outcome=refused is refused"* ]]
	run vm -- valeu=1
	[ "$status" = 5 ]
	[[ $output == *"unknown parameter 'valeu'"* ]]
	run vm -- outcome=failed
	[ "$status" = 4 ]
	[[ $output == *"slab_test: failed as asked"* ]]
	run vm -- outcome=panic
	[ "$status" = 7 ]
	[[ $output == *"Kernel panic - not syncing: as asked"*"the guest panicked; console: $out/"*"/console.log"* ]]
	run vm --timeout 15 -- outcome=hang
	[ "$status" = 8 ]
	[[ $output == *"did not finish in 15 s"* ]]
	run vm --guest 'reboot -f'
	[ "$status" = 7 ]
	[[ $output == *"the guest stopped"* ]]
	# a guest without -o that died leaves its console where the message says
	run "$top/scripts/vm.sh" --kernel debian:6.1 --module "$top/tests/fixture" --smp 1 --guest 'reboot -f'
	[ "$status" = 7 ]
	[ -s "${output##*console: }" ]
	rm -r "$(dirname "$(dirname "${output##*console: }")")"
	# nothing of all that counts as a record, and every console was kept
	[ -z "$(find "$out" -name '*.txt')" ]
	[ "$(find "$out" -name console.log | wc -l)" = 6 ]
}

@test "vm.sh: a module built against other headers is refused by the kernel" {
	"$top/scripts/kernel.sh" get debian:6.12 >/dev/null
	run "$top/scripts/vm.sh" --kernel "$("$top/scripts/kernel.sh" path debian:6.1)" \
		--kdir "$("$top/scripts/kernel.sh" path debian:6.12 kdir)" \
		--module "$top/tests/fixture" --smp 1 -o "$out"
	[ "$status" = 6 ]
	[[ $output == *"built against other headers"* ]]
}

@test "vm.sh: a full disk is told from a dead guest" {
	mkdir "$out"
	mount -t tmpfs -o size=4M tmpfs "$out"
	run vm
	umount "$out"
	[ "$status" = 9 ]
	[[ $output == *"No space left"* ]]
	# room for the kernel and the initramfs, not for what the guest says
	mount -t tmpfs -o size=18M tmpfs "$out"
	run vm --guest 'yes 0123456789012345678901234567890 | head -c 4000000'
	umount "$out"
	[ "$status" = 9 ]
	[[ $output == *"disk full?"* ]]
}

@test "vm.sh: interrupted, it kills its guest and leaves no half record" {
	for signal in INT TERM; do
		code=$((128 + $(kill -l $signal)))
		run timeout --preserve-status -s $signal 12 "$top/scripts/vm.sh" --kernel debian:6.1 \
			--module "$top/tests/fixture" --smp 1 -o "$out" -- outcome=hang
		[ "$status" = $code ]
		[ -z "$(ls -A "$out")" ]
		[ -z "$(pgrep -f "$out")" ]
	done
}

@test "vm.sh: a broken build and a missing module source say where to look" {
	mkdir "$BATS_TEST_TMPDIR/broken"
	cp "$top/tests/fixture/Kbuild" "$BATS_TEST_TMPDIR/broken/"
	echo 'this is no C' >"$BATS_TEST_TMPDIR/broken/slab_test.c"
	run "$top/scripts/vm.sh" --kernel debian:6.1 --module "$BATS_TEST_TMPDIR/broken" -o "$out"
	[ "$status" = 9 ]
	[[ $output == *"error"*"build.log"* ]]
	run "$top/scripts/vm.sh" --kernel debian:6.1 --module "$BATS_TEST_TMPDIR" -o "$out"
	[ "$status" = 2 ]
}

@test "vm.sh --exact: two boots of the module give the same bytes, on one vCPU and on two" {
	for smp in 1 2; do
		run --separate-stderr "$top/scripts/vm.sh" --kernel debian:6.1 --exact --smp $smp \
			-o "$out/$smp" -- sizes=64 count=500 rounds=2
		[ "$status" = 0 ]
		[[ $stderr == *"2 boots gave the same bytes"* ]]
		[ "${#lines[@]}" = 2 ]
		cmp "${lines[@]}"
		grep -q '^# exact: yes$' "${lines[0]}"
		[ -z "$(grep -E '^# (date|load|boot):' "${lines[0]}")" ]
		[ "$(grep -cE '^alloc_free	.*	pair	500	[1-9]' "${lines[0]}")" = 2 ]
	done
	# and the instruction count is no time: the same again with the host busy
	yes >/dev/null &
	busy=$!
	run "$top/scripts/vm.sh" --kernel debian:6.1 --exact --smp 1 -o "$out/busy" -- \
		sizes=64 count=500 rounds=2
	kill $busy
	[ "$status" = 0 ]
	cmp "$out/1/boot-001.txt" "$out/busy/boot-001.txt"
}

@test "vm.sh --exact: boots that differ are reported with 3 and not published" {
	fake_qemu 'echo "# boots: $(date +%N)" >channel; echo "vm.sh: exit 0" >>channel'
	run vm --exact
	[ "$status" = 3 ]
	[[ $output == *"another boot decides"*"boots: "*"boots: "*"boots diverged"* ]]
	[ -z "$(find "$out" -name '*.txt')" ]
	[ "$(find "$out" -name record | wc -l)" = 3 ]
}

@test "vm.sh --exact: one boot that differs, the first or another one, is told and not published; a second ends it" {
	# each boot gives its own of these letters
	fake_qemu 'number=$(pwd | sed "s/.*boot-0*//; s/.run//")
		printf "# boots: %s\nvm.sh: exit 0\n" "$(cut -c "$number" "$letters")" >channel'
	export letters=$BATS_TEST_TMPDIR/letters
	for boots in 'abb 2 002 003' 'aba 2 001 003' 'aaba 3 001 002 004' 'abbb 3 002 003 004'; do
		# shellcheck disable=SC2086 # words
		set -- $boots
		rm -rf "$out"
		echo "$1" >"$letters"
		run --separate-stderr vm --exact --boots "$2"
		[ "$status" = 0 ]
		[[ $stderr == *"boots gave the same bytes, and one did not" ]]
		shift 2
		[ "$(sed 's/.*boot-//; s/\.txt//' <<<"$output" | paste -sd ' ')" = "$*" ]
		[ "$(find "$out" -name record | wc -l)" = 1 ]
	done
	for boots in 'abcc 2' 'aabb 3' 'abab 3' 'abbc 3'; do
		# shellcheck disable=SC2086 # words
		set -- $boots
		rm -rf "$out"
		echo "$1" >"$letters"
		run vm --exact --boots "$2"
		[ "$status" = 3 ]
		[ -z "$(find "$out" -name '*.txt')" ]
	done
}

@test "vm.sh --exact: boots run side by side, as many as there are CPUs; others one after the other" {
	# each boot waits for three to have begun, for two seconds at most
	fake_qemu 'touch "$OUT/begun.$$"
		for i in $(seq 20); do [ "$(ls "$OUT" | grep -c begun)" -lt 3 ] || break; sleep 0.1; done
		printf "# begun: %s\nvm.sh: exit 0\n" "$(ls "$OUT" | grep -c begun)" >channel'
	printf '#!/bin/sh\necho 3\n' >"$BATS_TEST_TMPDIR/bin/nproc"
	chmod 755 "$BATS_TEST_TMPDIR/bin/nproc"
	mkdir "$out"
	OUT=$out run vm --exact --boots 3
	[ "$status" = 0 ]
	grep -qx '# begun: 3' "$out/boot-001.txt"
	rm "$out"/begun.*
	OUT=$out run vm --boots 3
	[ "$status" = 0 ]
	grep -qx '# begun: 1' "$out/boot-004.txt"
	grep -qx '# begun: 2' "$out/boot-005.txt"
}

@test "vm.sh: a QEMU that does not start is told from a guest that died" {
	fake_qemu 'echo "qemu: no such machine" >&2; exit 1'
	run vm
	[ "$status" = 9 ]
	[[ $output == *"no such machine"*"QEMU failed"* ]]
}

@test "run.sh: in a guest, it writes one record and leaves nothing loaded" {
	run --separate-stderr "$top/scripts/vm.sh" --kernel debian:6.1 --guest '
		run="sh /run.sh --module /slab_test.ko"
		left() { [ ! -d /sys/module/slab_test ] || echo "still loaded"; }
		$run -o /tmp/record -- sizes=8 rounds=2 count=1000 2>/tmp/progress
		echo "run $?"; left
		grep -c "^# \(date\|load\|cmdline\|governor\|turbo\|smt\): " /tmp/record
		grep -c "^# state: done" /tmp/record
		grep -c "^alloc_then_free	.*	alloc	1000	" /tmp/record
		$run -o /tmp/record >/dev/null 2>&1; echo "exists $?"
		mkdir /tmp/dir; for i in 1 2; do $run -o /tmp/dir -- sizes=8 rounds=1 count=10 2>/dev/null; done
		$run -- count=0 >/dev/null 2>&1; echo "refused $?"; left
		$run -- cuont=1 >/dev/null 2>&1; echo "unknown $?"; left
		$run -- 8 >/dev/null 2>&1; echo "usage $?"
		$run -- rounds=100 >/dev/null 2>&1 & sleep 4; kill $!; wait $!; echo "stopped $?"; left
		insmod /slab_test.ko run=0; $run >/dev/null 2>/tmp/loaded; echo "loaded $?"; rmmod slab_test
		grep -c "loaded already" /tmp/loaded
		umount /sys/kernel/debug; $run >/dev/null 2>/tmp/debugfs; echo "debugfs $?"
		grep -c "mount -t debugfs" /tmp/debugfs
	'
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = "/tmp/record
run 0
6
1
2
exists 2
/tmp/dir/boot-001.txt
/tmp/dir/boot-002.txt
refused 5
unknown 5
usage 2
stopped 143
loaded 9
1
debugfs 9
1" ]
}

@test "run.sh: --help, bad usage and no root" {
	run "$top/scripts/run.sh" --help
	[ "$status" = 0 ]
	[[ $output == "usage: scripts/run.sh"* ]]
	run "$top/scripts/run.sh" --frobnicate
	[ "$status" = 2 ]
	[ "${#lines[@]}" = 1 ]
	run "$top/scripts/run.sh" -- run=1
	[ "$status" = 2 ]
	run setpriv --reuid=65534 --clear-groups "$top/scripts/run.sh"
	[ "$status" = 9 ]
	[[ $output == *"needs root"* ]]
}
