#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/matrix.sh: what it asks for, and that it sees what is wrong. The kernels themselves are in
# tests/long/matrix.bats; here, what fetches, builds and boots them only pretends.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export SLAB_TEST_BUILD=$BATS_TEST_TMPDIR/build
	scripts=$BATS_TEST_TMPDIR/scripts
	cp -r "$top/scripts" "$BATS_TEST_TMPDIR/"
	matrix=$scripts/matrix.sh
	cd "$BATS_TEST_TMPDIR"
	mkdir -p build object
	: >object/build.log
	record >record
	pretend kernel.sh 'case $1 in module) echo "make: ${LLVM:-gcc}" >>$tmp/asked; echo $tmp/object/slab_test.ko ;; path) echo 9.9.9-test ;; *) echo "$1 $2" >>$tmp/asked ;; esac'
	pretend build.sh 'while [ $# -gt 1 ]; do case $1 in --config) echo "on ${2##*/}" ;; --variant) cat "$2" ;; esac >>$tmp/asked; shift; done; echo /tree'
	pretend vm.sh 'echo "vm $2" >>$tmp/asked; while [ "$1" != -o ]; do shift; done; mkdir -p $2; cp $tmp/record $2/boot-001.txt'
}

# pretend SCRIPT COMMANDS: a script that runs these in place of its own
pretend() { printf '#!/bin/sh\ntmp=%s\n%s\n' "$BATS_TEST_TMPDIR" "$2" >"$scripts/$1"; }

# record: of a run in which everything is right
record() {
	cat <<-'END'
	# slab_test: 1
	# compiler: gcc 12; the module 1.0: 12.2.0
	# machine: x86_64, 2 CPUs (0-1), 1 node, QEMU
	# allocator: SLUB
	# preemption: voluntary
	# plan: tests=alloc_then_free,control sizes=64,1024 count=10
	# clock: tsc 2300.0 MHz, resolution 2, read 162.000 cycles
	# objects: out 20, back 20
	# state: done
	10 times kmalloc(64) -> 465.6 cycles kfree -> 337.5 cycles
	10 times kmalloc(1024) -> 470.1 cycles kfree -> 340.0 cycles
	control: 55.4

	test	rev	size	round	cpu	phase	ops	cycles	skew	flags
	alloc_then_free	1	64	1	0	alloc	10	5000	0	-
	alloc_then_free	1	1024	1	0	alloc	10	5000	0	-
	control	1	-	1	0	pair	10	554	0	-
	END
}

@test "usage" {
	for arguments in '' frobnicate 'list more' 'table more' 'run debian:0.1' 'run debian:6.1 nothing'; do
		# shellcheck disable=SC2086 # words
		run "$matrix" $arguments
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "$arguments: status $status: $output"
			return 1
		}
	done
	[ ! -e asked ]
	run "$matrix" table
	[ "$status" = 9 ]
}

@test "list: every line of both tables, and none is malformed" {
	[ "$("$matrix" list | awk '{ print $1 }')" = \
		"$(cat "$scripts/kernels.tsv" "$scripts/matrix.tsv" | grep -v '^#' | cut -f 1)" ]
	[ -z "$(grep -v '^#' "$scripts/matrix.tsv" |
		grep -vP '^[a-z0-9-]+\t([A-Z0-9_]+(=[0-9n]+)?( |(?=\t)))+\t(-|[A-Z]+=[0-9a-z]+)\t[^\t]+$')" ]
}

@test "run: fetched with its compiler, or built with its config; then the table" {
	run --separate-stderr "$matrix" run debian:6.1 slub-up
	[ "$status" = 0 ]
	[ "$output" = "debian:6.1 ok
slub-up ok" ]
	[[ $stderr == *"2 kernels, 2 are right, 0 are not"* ]]
	[ "$(cat asked)" = "get debian:6.1
compiler debian:6.1
make: gcc
vm debian:6.1
on matrix.config
CONFIG_SLUB=y
CONFIG_PREEMPT_NONE=y
# CONFIG_PREEMPT_DYNAMIC is not set
# CONFIG_SMP is not set
CONFIG_NR_CPUS=1
make: gcc
vm /tree" ]
	run "$matrix" table
	[ "$status" = 0 ]
	[ "${lines[0]}" = "$(date -u +%Y-%m-%d), 2 kernels:" ]
	[ "${lines[3]}" = "| debian:6.1 | 9.9.9-test | 2 CPUs x86_64 | SLUB | voluntary | gcc 12.2.0 | tsc 2300.0 MHz | ok |" ]
	# another run, beside the old one
	"$matrix" run slub-full-clang
	tail -n 2 asked | grep -qx 'make: 1'
	grep -qx 'CONFIG_PREEMPT=y' asked
	[ -f build/matrix/run-001/table.tsv ] && [ -f build/matrix/run-002/table.tsv ]
}

# wrong CHANGE REASON: a record with this change (of sed) is not right, and that is why
wrong() {
	record | sed "$1" >record
	run --separate-stderr "$matrix" run debian:6.1
	[ "$status" = 1 ] && [[ $output == "debian:6.1 "*"$2"* ]] || {
		echo "$1: status $status: $output"
		return 1
	}
}

@test "run: a record that makes no sense is not right" {
	wrong 's/^# state: done/# state: aborted/' 'the record says state: aborted'
	wrong 's/back 20/back 19/' 'objects are missing'
	wrong '/^alloc_then_free	/d' 'no sample of alloc_then_free'
	wrong '/^10 times kmalloc(1024)/d' 'figures of some sizes are missing'
	wrong '/^control	/d' 'no sample of control'
	wrong 's/kfree -> 337.5/kfree -> -0.5/' 'not above 0'
	wrong 's/^10 times.*//' 'no figures'
	wrong 's/.*//' 'no record'
	# the timer of arm64 does not count cycles
	wrong 's/^# clock: tsc 2300.0/# clock: arch 62.5/' 'not in ticks, which the clock arch counts'
	wrong 's/^# clock: tsc.*/# clock: ns 1000.0 MHz/' 'not in ns'
}

@test "run: a warning, a complaint, a kernel that fails and one that cannot be had are not right" {
	echo 'x.c:1:1: warning: unused' >object/build.log
	wrong '' '1 warnings'
	: >object/build.log
	pretend vm.sh 'echo "vm.sh: the kernel complained: c" >&2; while [ "$1" != -o ]; do shift; done; mkdir -p $2; cp $tmp/record $2/boot-001.txt'
	wrong '' 'the kernel complained'
	pretend vm.sh 'echo "vm.sh: the guest panicked" >&2; exit 7'
	wrong '' 'the guest panicked'
	pretend kernel.sh '[ "$1" != compiler ] || { echo "kernel.sh: no network" >&2; exit 9; }'
	wrong '' 'no network'
	# the next one is tried all the same
	run --separate-stderr "$matrix" run debian:6.1 debian:6.12
	[ "$status" = 1 ]
	[ "${#lines[@]}" = 2 ]
}

@test "run: where the module must refuse, it must" {
	run --separate-stderr "$matrix" run no-debugfs
	[ "$status" = 1 ]
	[[ $output == *'it did not say "no debugfs"'* ]]
	pretend vm.sh 'echo "slab_test: no debugfs (error -19)" >&2; exit 5'
	run --separate-stderr "$matrix" run no-debugfs
	[ "$status" = 0 ]
	[ "$output" = "no-debugfs ok: refuses, no debugfs (error -19)" ]
}
