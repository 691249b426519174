#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/study.sh: in which order it boots, how it goes on after a stop, and what it says about a
# study.conf that is wrong. The guests are pretended; vm.bats has real ones.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	scripts=$BATS_TEST_TMPDIR/scripts
	cp -r "$top/scripts" "$scripts"
	touch "$BATS_TEST_TMPDIR/Kbuild" "$BATS_TEST_TMPDIR/slab_test.c"
	export SLAB_TEST_BUILD=$BATS_TEST_TMPDIR/build
	export LOG=$BATS_TEST_TMPDIR/log
	: >"$LOG"
	# vm.sh writes the record it is asked for, until the file `stop` says that it fails
	cat >"$scripts/vm.sh" <<-'END'
	#!/bin/sh
	echo "vm $*" >>"$LOG"
	[ ! -e "$LOG.stop" ] || [ "$(grep -c ^vm "$LOG")" -le "$(cat "$LOG.stop")" ] || exit 7
	for word; do
		[ "$last" != -o ] || out=$word
		[ "$last" != --boots ] || boots=$word
		last=$word
	done
	mkdir -p "$out"
	while [ "$boots" -gt 0 ]; do
		touch "$out/boot-00$(($(ls "$out" | wc -l) + 1)).txt"
		boots=$((boots - 1))
	done
	END
	printf '#!/bin/sh\necho "kernel $*" >>"$LOG"\n' >"$scripts/kernel.sh"
	printf '#!/bin/sh\necho "compare $*" >>"$LOG"\necho table\n' >"$scripts/compare.sh"
	mkdir "$BATS_TEST_TMPDIR/mine"
	conf=$BATS_TEST_TMPDIR/mine/study.conf
	cat >"$conf" <<-'END'
	# a comment

	title: mine
	side: old = debian:6.1
	side: new = tree/linux slab_nomerge a=b
	boots: 3
	vm: --smp 4 --mem 512M
	append: init_on_alloc=0
	parameters: sizes=8,64 count=10
	compare: --alpha=0.01
	END
}

study() { "$scripts/study.sh" "$@"; }

# sides: the sides in the order they were booted
sides() { sed -n 's/^vm .* -o [^ ]*\/\([^ ]*\) .*/\1/p' "$LOG" | tr '\n' ' '; }

@test "study.sh: --help is its usage; bad usage is one line and exit code 2" {
	run study --help
	[ "$status" = 0 ]
	[[ $output == "usage: scripts/study.sh"* ]]
	for arguments in '' frobnicate run compare 'run nowhere' 'compare nowhere' 'list more' \
		"run ${conf%/*} --boots" "run ${conf%/*} --boots 0" "run ${conf%/*} --boots x" \
		"run ${conf%/*} --frobnicate" "run ${conf%/*} --resume"; do
		# shellcheck disable=SC2086 # words
		run study $arguments
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "$arguments: status $status: $output"
			return 1
		}
	done
	[ ! -s "$LOG" ]
}

@test "study.sh list: the studies of this repository, each with a study.conf that holds" {
	run "$top/scripts/study.sh" list
	[ "$status" = 0 ]
	[ "${#lines[@]}" = "$(find "$top/studies" -name study.conf | wc -l)" ]
	[[ $output == *"demo "*"6.1"* ]]
}

@test "study.sh run: the sides are booted A B, B A, A B, each with its own command line" {
	run study run "${conf%/*}"
	[ "$status" = 0 ]
	[ "$(sides)" = "old new new old old new " ]
	run=$SLAB_TEST_BUILD/studies/mine/run-001
	grep -qxF "vm --kernel debian:6.1 --boots 1 --append init_on_alloc=0 --module $run/module -o $run/old --smp 4 --mem 512M -- sizes=8,64 count=10" \
		<(sed 's/  */ /g' "$LOG")
	grep -qxF "vm --kernel ${conf%/*}/tree/linux --boots 1 --append init_on_alloc=0 slab_nomerge a=b --module $run/module -o $run/new --smp 4 --mem 512M -- sizes=8,64 count=10" \
		"$LOG"
	grep -qxF 'kernel get debian:6.1' "$LOG"
	grep -qxF "compare --alpha=0.01 old=$run/old new=$run/new" "$LOG"
	[[ $output == *"boot 6 of 6: new, about "*" s to go"* ]]
	[ "$(cat "$run/compare.txt")" = table ]
	# the next run is a new one
	study run "${conf%/*}" --boots 1
	[ "$(find "$run/old" "${run%1}2/old" -name 'boot-*' | wc -l)" = 4 ]
}

@test "study.sh run --resume: goes on where it stopped, with the study.conf it was started with" {
	echo 3 >"$LOG.stop"
	run study run "${conf%/*}"
	[ "$status" = 7 ]
	[[ $output == *"--resume"* ]]
	[ "$(grep -c ^compare "$LOG")" = 0 ]
	rm "$LOG.stop"
	: >"$LOG"
	sed -i 's/^parameters:.*/parameters: count=99/' "$conf"
	echo edited >"$BATS_TEST_TMPDIR/slab_test.c"
	run study run "${conf%/*}" --resume
	[ "$status" = 0 ]
	[ "$(sides)" = "old old new " ]
	[ "$(grep -c count=99 "$LOG")" = 0 ]
	[ -f "$SLAB_TEST_BUILD/studies/mine/run-001/module/slab_test.c" ]
	[ ! -s "$SLAB_TEST_BUILD/studies/mine/run-001/module/slab_test.c" ]
	[ "$(ls "$SLAB_TEST_BUILD"/studies/mine/run-001/*/*.txt | wc -l)" = 6 ]
	: >"$LOG"
	study run "${conf%/*}" --resume
	[ -z "$(sides)" ]
	grep -q ^compare "$LOG"
}

@test "study.sh run: an exact study boots each side once, for all its boots" {
	sed -i 's/^vm:.*/vm: --exact/; s/^boots:.*/boots: 2/' "$conf"
	study run "${conf%/*}"
	[ "$(sides)" = "old new " ]
	[ "$(grep -c -- '--boots 2' "$LOG")" = 2 ]
}

@test "study.sh: what is wrong in study.conf is said before the first boot" {
	cp "$conf" "$conf.good"
	for wrong in 's/^boots:.*/boots: many/' '/^boots/d' '/^side: new/d' 's/^side: new/side: old/' \
		's/^side: new =.*/side: new/' 's/^side: new/side: n e w/' 's/^append:/apend:/'; do
		sed "$wrong" "$conf.good" >"$conf"
		run study run "${conf%/*}"
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] && [[ $output == *"$conf"* ]] || {
			echo "$wrong: status $status: $output"
			return 1
		}
	done
	[ ! -s "$LOG" ]
}

@test "study.sh compare: the latest run again, with the exit code of compare.sh" {
	run study compare "${conf%/*}"
	[ "$status" = 9 ]
	study run "${conf%/*}" --boots 1
	printf '#!/bin/sh\necho table\nexit 1\n' >"$scripts/compare.sh"
	run --separate-stderr study compare "${conf%/*}"
	[ "$status" = 1 ]
	[ "$output" = table ]
	printf '#!/bin/sh\nexit 2\n' >"$scripts/compare.sh"
	run study compare "${conf%/*}"
	[ "$status" -ge 2 ]
}
