#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/study.sh: in which order it boots, how it goes on after a stop, and what it says about a
# study.conf that is wrong. The guests are pretended; vm.bats has real ones.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	cd "$BATS_TEST_TMPDIR"
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
	for arguments in '' frobnicate run compare new check build 'check nowhere' 'build nowhere' 'run nowhere' 'compare nowhere' 'list more' \
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

# with_built: a study.conf with kernels of our own making
with_built() {
	cat >"$scripts/build.sh" <<-'END'
	#!/bin/sh
	echo "build $*" >>"$LOG"
	[ ! -e "$LOG.broken" ] || [ "$(grep -c ^build "$LOG")" -le "$(cat "$LOG.broken")" ] || exit 13
	echo "/kernels/$(echo "$*" | cksum | cut -d ' ' -f 1)"
	END
	chmod +x "$scripts/build.sh"
	cat >"$conf" <<-'END'
	title: mine
	source: linux-source-6.1
	config: ../a.config b.config
	config of new: c.config
	patches: all.patch
	patches of new: new.patch more.patch
	side: old = built
	side: new = built slab_nomerge
	side: distribution = debian:6.1
	boots: 2
	END
	touch "${conf%/*}/../a.config" "${conf%/*}"/b.config "${conf%/*}"/c.config "${conf%/*}"/all.patch \
		"${conf%/*}"/new.patch "${conf%/*}"/more.patch
}

@test "study.sh build: what each built side is made of, and where it is" {
	with_built
	folder=${conf%/*}
	run study build "$folder"
	echo "$output"
	[ "$status" = 0 ]
	[ "${#lines[@]}" = 3 ]
	[[ ${lines[0]} == "- old /kernels/"* ]] && [ "${lines[2]}" = "- distribution debian:6.1" ]
	common="--source linux-source-6.1 --config $folder/../a.config --config $folder/b.config"
	grep -qxF "build $common --patch $folder/all.patch" "$LOG"
	grep -qxF "build $common --variant $folder/c.config --patch $folder/all.patch --patch $folder/new.patch --patch $folder/more.patch" "$LOG"
	# a tree of one's own, from the study's folder
	sed -i 's/^source:.*/source: linux@v6/; $a source of new: /else/linux' "$conf"
	study build "$folder"
	grep -q "^build --source $folder/linux@v6 .*all.patch\$" "$LOG"
	grep -q "^build --source /else/linux .*more.patch\$" "$LOG"
	: >"$LOG"
	study check "$folder"
	[ "$(grep -c '^build --check ' "$LOG")" = 2 ] && [ "$(wc -l <"$LOG")" = 2 ]
}

@test "study.sh run: kernels are built before the first boot, and --resume boots the same ones" {
	with_built
	folder=${conf%/*}
	echo 1 >"$LOG.broken"
	run study run "$folder"
	[ "$status" = 13 ]
	[[ ${lines[-1]} == *"no kernel for new"* ]]
	[ "$(grep -c ^vm "$LOG")" = 0 ] && [ ! -d "$SLAB_TEST_BUILD/studies/mine/run-001" ]
	rm "$LOG.broken"
	echo 3 >"$LOG.stop"
	run study run "$folder"
	[ "$status" = 7 ]
	rm "$LOG.stop"
	rm "$folder/new.patch"
	sed 's/.* --kernel \([^ ]*\) .*/\1/' "$LOG" | grep -c ^/kernels/
	kernel=$(awk '$2 == "new" { print $3 }' "$SLAB_TEST_BUILD/studies/mine/run-001/kernels")
	: >"$LOG"
	echo "" >"$folder/new.patch"
	study run "$folder" --resume
	[ "$(grep -c ^build "$LOG")" = 0 ]
	[ "$(sides)" = "new old " ] || [ "$(sides)" = "distribution new old " ]
	grep -q "^vm --kernel $kernel --boots 1 --append slab_nomerge " "$LOG"
}

@test "study.sh run: parts are the same sides on other machines, compared one by one" {
	cat >>"$conf" <<-'END'
	part: small = --smp 1
	part: counted = --exact --smp 8
	boots of counted: 2
	parameters of counted: rounds=2
	append of small: nosmt
	vm of new: --mem 1G
	compare of counted: --why
	END
	printf '#!/bin/sh\necho "compare $*" >>"$LOG"\necho table\ncase $* in *counted*) exit 1; esac\n' >"$scripts/compare.sh"
	run study run "${conf%/*}" --boots 1
	[ "$status" = 1 ]
	[[ $output == *"mine, small: --smp 4 --mem 512M --smp 1"*table*"mine, counted: "*table* ]]
	run=$SLAB_TEST_BUILD/studies/mine/run-001
	[ "$(sides)" = "old new old new " ]
	: >"$LOG"
	study run "${conf%/*}" || [ $? = 1 ]
	run=$SLAB_TEST_BUILD/studies/mine/run-002
	[ "$(sides)" = "old new new old old new old new " ]
	grep -qxF "vm --kernel debian:6.1 --boots 2 --append init_on_alloc=0 --module $run/module -o $run/counted/old --smp 4 --mem 512M --exact --smp 8 -- sizes=8,64 count=10 rounds=2" "$LOG"
	grep -q -- "--append init_on_alloc=0 nosmt slab_nomerge a=b --module .* -o $run/small/new .* --smp 1 --mem 1G -- " "$LOG"
	grep -qxF "compare --alpha=0.01 old=$run/small/old new=$run/small/new" "$LOG"
	grep -qxF "compare --alpha=0.01 --why old=$run/counted/old new=$run/counted/new" "$LOG"
	[ -f "$run/small/compare.txt" ] && [ -f "$run/counted/compare.txt" ]
}

@test "study.sh run: a workload is one argument of vm.sh, and that of a part adds to that of all" {
	sed -i 's/^boots: .*/boots: 1/' "$conf"
	printf '%s\n' 'workload: --rounds 3' 'part: one = --smp 1' 'part: two = --smp 2' 'workload of one: find' \
		'workload of two: slabmem' >>"$conf"
	sed -i 's/^echo "vm .*/printf "[%s] " "$@" >>"$LOG"/' "$scripts/vm.sh"
	study run "${conf%/*}"
	[ "$(grep -oF '[--workload] [--rounds 3 find] [--] ' "$LOG" | wc -l)" = 2 ]
	[ "$(grep -oF '[--workload] [--rounds 3 slabmem] [--] ' "$LOG" | wc -l)" = 2 ]
}

@test "study.sh run: a script that prints metrics is that of the side, else of the part, else of all" {
	sed -i 's/^boots: .*/boots: 1/' "$conf"
	printf '%s\n' 'metrics: all.sh' 'part: one = --smp 1' 'part: two = --smp 2' 'metrics of two: two.sh' >>"$conf"
	touch "${conf%/*}/all.sh"
	echo before >"${conf%/*}/two.sh"
	sed -i 's/^echo "vm .*/printf "[%s] " "$@" >>"$LOG"/' "$scripts/vm.sh"
	study run "${conf%/*}"
	run=$SLAB_TEST_BUILD/studies/mine/run-001
	[ "$(grep -oF "[--metrics] [$run/all.sh] [--] " "$LOG" | wc -l)" = 2 ]
	[ "$(grep -oF "[--metrics] [$run/two.sh] [--] " "$LOG" | wc -l)" = 2 ]
	# those of the run go on, whatever is edited
	echo after >"${conf%/*}/two.sh"
	study run "${conf%/*}" --resume
	[ "$(cat "$run/two.sh")" = before ]
	rm "${conf%/*}/two.sh"
	run study check "${conf%/*}"
	[ "$status" = 2 ] && [[ $output == *"cannot read ${conf%/*}/two.sh" ]]
}

@test "study.sh run: across: lays one row of all parts in one table" {
	cat >>"$conf" <<-'END'
	part: small = --smp 1
	part: large = --smp 2
	across: slabs.memory
	END
	cat >"$scripts/compare.sh" <<-'END'
	#!/bin/sh
	case $* in
	*--format=csv\ *small*) value=100 delta=0.25 ;;
	*--format=csv\ *) value=- delta=- ;;
	*) exit ;;
	esac
	echo test,phase,size,unit,better,side,base,boots,value,low,high,spread,clusters,delta
	echo slabs.memory,,-,KiB,lower,old,old,2,80,-,-,-,1,-
	echo slabs.memory,,-,KiB,lower,new,old,2,$value,-,-,-,1,$delta
	echo slabs.objects,,-,,lower,new,old,2,3,-,-,-,1,-
	END
	study run "${conf%/*}" >"$BATS_TEST_TMPDIR/output"
	diff <(tail -n 4 "$BATS_TEST_TMPDIR/output") - <<-'END'
	slabs.memory, KiB
	part                 old         new   delta
	small               80.0       100.0  +25.0%
	large               80.0           -       -
	END
	[ "$(grep -c . "$SLAB_TEST_BUILD/studies/mine/run-001/parts.csv")" = 5 ]
}

@test "study.sh: what was published is shown beside what was measured, row by row" {
	printf '%s\n' '# slab_test: 1' 'Kmalloc N*alloc N*free(64): Average=100/200' >"${conf%/*}/before.txt"
	printf '%s\n' '# slab_test: 1' 'Kmalloc N*alloc N*free(64): Average=50/220' \
		'Kmalloc N*alloc N*free(128): Average=50/220' >"${conf%/*}/after.txt"
	echo 'published: old=before.txt new=after.txt' >>"$conf"
	# measured: alloc 20 % less as published 50 %, free 5 % less where 10 % more were published
	cat >"$scripts/compare.sh" <<-END
	#!/bin/sh
	case \$* in
	*before.txt*) exec "$top/scripts/compare.sh" "\$@" ;;
	*csv-samples*) ;;
	*--format=csv*)
		echo test,phase,size,side,base,delta,verdict
		echo concurrent_alloc_then_free,alloc,64,old,old,-,base
		echo concurrent_alloc_then_free,alloc,64,new,old,-0.2,faster
		echo concurrent_alloc_then_free,alloc,256,new,old,-0.2,faster
		echo concurrent_alloc_then_free,free,64,new,old,-0.05,faster
		;;
	*) echo table ;;
	esac
	END
	unset SLAB_TEST_BUILD
	SLAB_TEST_BUILD=$BATS_TEST_TMPDIR/build run --separate-stderr study run "${conf%/*}" --boots 1
	echo "$output"
	[ "$status" = 0 ]
	[ "${lines[0]}" = table ]
	grep -qE '^ +64 +-20\.0% +-50\.0%$' <<<"$output"
	grep -qE '^ +64 +-5\.0% +\+10\.0%$' <<<"$output"
	! grep -qE '^ +(128|256) ' <<<"$output" || false
	words=$(tr '\n' ' ' <<<"$output")
	[[ $words == *"free alloc: of 1 rows 1 changed here the way that was published, 0 the other way, 0 hardly"* ]]
	[[ $words == *"free free: of 1 rows 0 changed here the way that was published, 1 the other way, 0 hardly"* ]]
	[ "$(wc -L <<<"$output")" -le 72 ]
	rm "${conf%/*}/after.txt"
	run study compare "${conf%/*}"
	[ "$status" != 0 ]
}

@test "study.sh new: a study of somebody's patches against his tree, which holds as it is" {
	cp -r "$top/studies" "$BATS_TEST_TMPDIR/"
	mkdir tree && touch tree/Makefile
	touch one.patch two.patch
	run study new mine --tree tree@v6.1 --patch two.patch --patch one.patch
	echo "$output"
	[ "$status" = 0 ]
	folder=$BATS_TEST_TMPDIR/studies/mine
	[[ $output == *"made $folder"* ]]
	grep -qx "source: $PWD/tree@v6.1" "$folder/study.conf"
	grep -qx "patches of after: two.patch one.patch" "$folder/study.conf"
	with_built
	study check mine
	grep -qx "build --check --source $PWD/tree@v6.1 --config $folder/guest.config --config $folder/slub.config" "$LOG"
	grep -qx "build .* --patch $folder/two.patch --patch $folder/one.patch" "$LOG"
	study list | grep -q '^mine '
	# by path, and bad usage makes nothing
	study new "$PWD/other/yours" --tree linux-source-6.1 --patch one.patch
	[ -f other/yours/study.conf ]
	for arguments in mine 'b' 'b --tree' 'b --tree nowhere --patch one.patch' 'b --tree tree' 'b --patch one.patch' \
		'b --tree tree --patch nowhere' 'b --tree tree --patch one.patch --patch ./one.patch' 'b --frob x' \
		'mine --tree tree --patch one.patch' './b/ --tree tree --patch one.patch'; do
		# shellcheck disable=SC2086 # words
		run study new $arguments
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "$arguments: status $status: $output"
			return 1
		}
	done
	[ ! -e "$BATS_TEST_TMPDIR/studies/b" ] && [ ! -e b ]
}

@test "every study.conf here holds, and its patches apply to the source that Debian has" {
	unset SLAB_TEST_BUILD
	"$top/scripts/study.sh" list | grep -q '^slab-lock '
	for conf in "$top"/studies/*/study.conf; do
		conf=${conf%/*}
		"$top/scripts/study.sh" check "${conf##*/}"
	done
}

@test "study.sh: what is wrong in study.conf is said before the first boot" {
	cp "$conf" "$conf.good"
	for wrong in 's/^boots:.*/boots: many/' '/^boots/d' '/^side: new/d' 's/^side: new/side: old/' \
		's/^side: new =.*/side: new/' 's/^side: new/side: n e w/' 's/^append:/apend:/' \
		'$a part: old = --smp 2' '$a part: p' '$a boots of nobody: 3' '$a boots of old: x' \
		'$a across: null' '$a part: p = --smp 2\nboots of p: x' '$a patches: a.patch' 's/= debian:6.1/= built/' \
		's/= debian:6.1/= built/; $a config: nowhere.config'; do
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
