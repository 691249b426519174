#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/vm.sh --exact --profile, and scripts/compare.sh --why: where instructions were executed.

bats_require_minimum_version 1.5.0

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export top
}

setup() { T=$BATS_TEST_TMPDIR; }

# profiled NAME OPTION...: two exact boots with their profiles
profiled() {
	name=$1
	shift
	run --separate-stderr "$top/scripts/vm.sh" --exact --profile -o "$BATS_FILE_TMPDIR/$name" "$@"
	[ "$status" = 0 ] || {
		echo "status $status: $stderr"
		return 1
	}
}

# sums_agree RECORD LEAST: the functions of each sample add up to its cycles, but for a block of code
# left in the middle now and then; there are at least LEAST samples
sums_agree() {
	awk -F '\t' -v least="$2" '
		FNR == NR && NF == 9 && $1 != "test" {
			sum[$1, $2, $3, $4, $5] += $8 + $9
			ops[$1, $2, $3, $4, $5] = $6
		}
		FNR < NR && NF == 10 && $1 != "test" {
			samples++
			off = sum[$1, $3, $4, $5, $6] - $8
			if (off < 0 || off > 100 || ops[$1, $3, $4, $5, $6] != $7) {
				print $0 ": off by " off
				exit 1
			}
		}
		END { if (samples < least) { print samples " samples"; exit 1 } }' "${1%.txt}.profile" "$1"
}

# why ROW: what --why said of "alloc_free, pair, 64"
why() { awk -v row="$1" '$0 == row { found = 1 } found && !NF { exit } found' <<<"$output"; }

# change FUNCTION: the instructions an operation that it gained, out of what is read
change() { awk -v name="$1" '$4 == name { print $1 }'; }

@test "the unit tests of what names an address" {
	make -s -C "$top/scripts/profile" OUT="$T" check
}

@test "init_on_alloc: 95 % of what a row gained is in named functions, and clearing is among them" {
	parameters='tests=alloc_then_free,alloc_free sizes=64,1024 count=500 rounds=2'
	# a comma in the path, because QEMU's options end there
	# shellcheck disable=SC2086
	profiled off,0 --kernel debian:6.1 --smp 1 --append init_on_alloc=0 -- $parameters
	# shellcheck disable=SC2086
	profiled on --kernel debian:6.1 --smp 1 --append init_on_alloc=1 -- $parameters
	off=$BATS_FILE_TMPDIR/off,0
	cmp "$off/boot-001.profile" "$off/boot-002.profile"
	[ "$(head -n 1 "$off/boot-001.profile")" = '# slab_test profile: 1' ]
	sums_agree "$off/boot-001.txt" 12
	sums_agree "$BATS_FILE_TMPDIR/on/boot-001.txt" 12
	# counting changes nothing: the record is the one without --profile
	# shellcheck disable=SC2086
	"$top/scripts/vm.sh" --exact --kernel debian:6.1 --smp 1 --append init_on_alloc=0 \
		-o "$T/plain" -- $parameters
	cmp "$T/plain/boot-001.txt" "$off/boot-001.txt"

	run "$top/scripts/compare.sh" --why before="$off" after="$BATS_FILE_TMPDIR/on"
	[ "$status" = 1 ]
	[ "$(awk 'length > 72' <<<"$output" | wc -l)" = 0 ]
	for row in 'alloc_free, pair, 64' 'alloc_then_free, alloc, 1024'; do
		why "$row"
		why "$row" | awk -v row="$row" '
			$4 == "all" { all = $1 }
			$4 ~ /^(memset|clear)/ { clears += $1 }
			/ % of the change is in named functions/ { percent = $1 }
			END { exit !(all > 50 && clears > 0.8 * all && percent >= 95 && percent <= 105) }'
	done
	# each operation clears 64 or 1024 bytes more, and calls for it
	[ "$(why 'alloc_free, pair, 1024' | change memset_erms | cut -d . -f 1)" = +1030 ]
}

@test "handicap=5: five instructions more an operation are found in handicap_burn" {
	off=$BATS_FILE_TMPDIR/off,0
	[ -s "$off/boot-001.txt" ]
	profiled handicap --kernel debian:6.1 --smp 1 --append init_on_alloc=0 -- \
		tests=alloc_then_free,alloc_free sizes=64,1024 count=500 rounds=2 handicap=5
	run "$top/scripts/compare.sh" --why "$off" "$BATS_FILE_TMPDIR/handicap"
	for row in 'alloc_free, pair, 64' 'alloc_then_free, free, 1024'; do
		why "$row"
		# the calls of it cost something too, which calibration takes off
		why "$row" | awk '
			$4 == "all" { all = $1 }
			$4 == "handicap_burn" { burn = $1; before = $2 }
			$4 ~ /_objects$/ { call = $1 }
			$4 == "overhead," { overhead = $1 }
			function near(a, b) { return a - b < 0.01 && b - a < 0.01 }
			END {
				exit !(near(all, 5) && burn > 5 && before == 0 && overhead < 0 &&
				       near(burn + call + overhead, 5))
			}'
	done
}

@test "two CPUs: every phase of both is found, and what the other did meanwhile is told apart" {
	profiled two --kernel debian:6.1 --smp 2 -- \
		tests=concurrent_*,remote_free,alloc_one_free_all sizes=64 count=2000 rounds=2
	record=$BATS_FILE_TMPDIR/two/boot-001.txt
	sums_agree "$record" 20
	# each CPU allocates as many objects with as many instructions, whoever had a turn meanwhile
	awk -F '\t' '
		$1 == "concurrent_alloc_free" && $7 ~ /^__kmem_cache_alloc/ { own[$4] += $8; other += $9 }
		END { exit !(own[0] > 4000 * 50 && own[0] == own[1] && other > 0) }' "${record%.txt}.profile"
	# the run folder boots the same guest again, with the plugin
	mkdir "$T/again"
	"$BATS_FILE_TMPDIR/two/boot-001.run/qemu-cmd" "$T/again"
	[ -s "$T/again/phases" ]
	cmp "$BATS_FILE_TMPDIR/two/boot-001.run/channel" "$T/again/channel"
}

@test "arm64 and the plugin interface of an older QEMU" {
	profiled arm64 --kernel debian:6.1-arm64 --smp 2 -- sizes=64 count=500 rounds=2
	awk -F '\t' '$7 ~ /^(__)?kfree$/ { frees += $8 } END { exit !(frees > 0) }' \
		"$BATS_FILE_TMPDIR/arm64/boot-001.profile"
}

@test "vm.sh --profile: bad usage is one line and exit code 2" {
	refused() {
		run "$top/scripts/vm.sh" --kernel debian:6.1 --profile "$@"
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] && [[ $output == *"--profile"* ]] || {
			echo "$*: status $status: $output"
			return 1
		}
	}
	refused
	refused --accel tcg
	refused --accel kvm
	[[ $output == *KVM* ]]
	refused --exact --guest true
}

# qemu_of COMMANDS: a QEMU for the next vm.sh
qemu_of() {
	mkdir -p "$T/bin"
	printf '#!/bin/sh\n[ "$1" != --version ] || { echo "QEMU emulator version 99.0.0"; exit; }\n%s\n' \
		"$1" >"$T/bin/qemu-system-x86_64"
	chmod +x "$T/bin/qemu-system-x86_64"
	PATH=$T/bin:$PATH
}

# fails TEXT...: vm.sh --profile ends with exit code 9 and a line that has each TEXT; no record is left
fails() {
	run "$top/scripts/vm.sh" --kernel debian:6.1 --exact --profile --smp 1 -o "$T/out"
	echo "$output"
	[ "$status" = 9 ]
	for text; do
		[[ $output == *"$text"* ]]
	done
	[ -z "$(find "$T" -name '*.txt')" ]
}

@test "vm.sh --profile: a QEMU without plugins or with an unknown interface, a kernel without symbols" {
	qemu_of 'true'
	fails 'knows no plugins'
	[ "${#lines[@]}" = 1 ]
	qemu_of 'case "$*" in
	*help*) echo "-plugin [file=]<file>" ;;
	*) echo "vm.sh: exit 0" >channel ;;
	esac'
	fails 'does not tell where its functions are'
	# QEMU's own words, when it is told to load a plugin
	qemu_of 'case "$*" in
	*help*) echo "-plugin [file=]<file>" ;;
	*plugin*) echo "TCG plugin requires API version 2, but this QEMU supports 9 at least" >&2; exit 1 ;;
	*) printf "ffffffff81000000 T kfree\nvm.sh: exit 0\n" >channel ;;
	esac'
	fails 'requires API version 2' 'QEMU failed'
}

@test "vm.sh --profile: one boot whose counts do not fit is told and not published; a second ends it" {
	qemu_of 'case "$*" in
	*help*) echo "-plugin [file=]<file>" ;;
	*) touch phases; printf "%s\n" "ffffffff81000000 T kfree" "vm.sh: exit 0" >channel ;;
	esac'
	# an awk that finds as many misfits as the file has lines, and then none
	cat >"$T/bin/awk" <<-END
		#!/bin/sh
		case "\$*" in
		*attribute.awk*)
			[ -s "$T/misfits" ] || exit 0
			sed -i 1d "$T/misfits"
			exit 1
			;;
		esac
		exec $(command -v awk) "\$@"
	END
	chmod 755 "$T/bin/awk"
	printf '1\n2\n' >"$T/misfits"
	fails 'do not fit' 'another boot decides'
	rm -r "$T/out"
	echo 1 >"$T/misfits"
	run "$top/scripts/vm.sh" --kernel debian:6.1 --exact --profile --smp 1 -o "$T/out"
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *'do not fit the record: '*'boot-001.run: another boot decides'*'2 boots gave the same bytes, and one did not'* ]]
	[ "$(cd "$T/out" && echo *.profile *.txt)" = 'boot-002.profile boot-003.profile boot-002.txt boot-003.txt' ]
}

@test "vm.sh --profile: no compiler, and a plugin that does not build" {
	CC=no-such-cc fails 'no C compiler'
	# a build folder that lacks the plugin
	mkdir "$T/build"
	ln -s "$(cd "${SLAB_TEST_BUILD:-$top/build}" && pwd)"/* "$T/build"
	rm -f "$T/build/profile"
	CC=false SLAB_TEST_BUILD=$T/build fails 'does not build'
}

@test "the plugin refuses what is no list of symbols, and one without the module" {
	make -s -C "$top/scripts/profile" OUT="$T"
	load() {
		run timeout 20 "$("$top/scripts/kernel.sh" qemu)" -accel tcg -M none -display none \
			-plugin "$T/plugin.so,symbols=$T/symbols,out=$T/phases"
		[ "$status" = 1 ]
		grep -qxF "profile: $T/symbols: $1" <<<"$output" || {
			echo "$output"
			return 1
		}
	}
	load 'No such file or directory'
	echo '0000000000000000 T kfree' >"$T/symbols"
	load 'no functions with addresses in it'
	echo 'ffffffff81000000 T kfree' >"$T/symbols"
	load 'no function phase_begin of slab_test'
	[ ! -e "$T/phases" ]
}

# The joining of phases with samples, on made-up ones: two CPUs, one warm-up, one phase of calibration
# on each. CPU 1 takes part in the second unit only.
samples() {
	cat <<-EOF
	# plan: sizes=8 warmup=1 rounds=2

	test	rev	size	round	cpu	phase	ops	cycles	skew	flags
	alone	1	8	1	0	alloc	10	1000	0	-
	alone	1	8	1	0	free	10	500	0	-
	alone	1	8	2	0	alloc	10	1010	0	-
	alone	1	8	2	0	free	10	510	0	-
	both	1	-	1	0	pair	5	2000	0	-
	both	1	-	1	1	pair	5	3000	0	-
	both	1	-	2	0	pair	5	2020	0	-
	both	1	-	2	1	pair	5	3030	0	-
	EOF
}

# phases CPU TOTAL...: blocks of the plugin: half in kmalloc, the rest in kfree, a tenth of it elsewhere
phases() {
	cpu=$1
	shift
	for total; do
		printf '\t%d\t%d\nkmalloc\t%d\t0\nkfree\t%d\t%d\n' "$cpu" "$total" $((total / 2)) \
			$((total / 2 - total / 10)) $((total / 10))
	done
}

attribute() {
	run --separate-stderr awk -f "$top/scripts/profile/attribute.awk" \
		pass=record "$T/record" pass=count "$T/phases" pass=join "$T/phases"
}

@test "phases are joined with samples from the end, warm-up left out" {
	samples >"$T/record"
	{
		phases 0 77 1200 600 1000 500 1010 510
		phases 1 77 4000
		phases 0 4000 2000
		phases 1 3000 3030
		phases 0 2020
	} >"$T/phases"
	attribute
	[ "$status" = 0 ]
	[ "$output" = $'1\talone\t8\t1\t0\talloc\t10\tkmalloc\t500\t0
1\talone\t8\t1\t0\talloc\t10\tkfree\t400\t100
2\talone\t8\t1\t0\tfree\t10\tkmalloc\t250\t0
2\talone\t8\t1\t0\tfree\t10\tkfree\t200\t50
3\talone\t8\t2\t0\talloc\t10\tkmalloc\t505\t0
3\talone\t8\t2\t0\talloc\t10\tkfree\t404\t101
4\talone\t8\t2\t0\tfree\t10\tkmalloc\t255\t0
4\talone\t8\t2\t0\tfree\t10\tkfree\t204\t51
5\tboth\t-\t1\t0\tpair\t5\tkmalloc\t1000\t0
5\tboth\t-\t1\t0\tpair\t5\tkfree\t800\t200
6\tboth\t-\t1\t1\tpair\t5\tkmalloc\t1500\t0
6\tboth\t-\t1\t1\tpair\t5\tkfree\t1200\t300
8\tboth\t-\t2\t1\tpair\t5\tkmalloc\t1515\t0
8\tboth\t-\t2\t1\tpair\t5\tkfree\t1212\t303
7\tboth\t-\t2\t0\tpair\t5\tkmalloc\t1010\t0
7\tboth\t-\t2\t0\tpair\t5\tkfree\t808\t202' ]
	# with columns of counters it is the same
	joined=$output
	sed -i 's/\tflags$/&\tcounter.cycles/; s/\t-$/&\t9/' "$T/record"
	grep -q '	-	9$' "$T/record"
	attribute
	[ "$output" = "$joined" ]
}

@test "phases that do not fit the samples are refused" {
	samples >"$T/record"
	{
		phases 0 77 1200 600 1000 500 1010 510 4000 2000 2020
		phases 1 4000 3000
	} >"$T/phases"
	attribute
	[ "$status" = 1 ]
	[ "$stderr" = "profile: CPU 1 has 2 phases, and its samples need 3" ]
	phases 1 3500 >>"$T/phases"
	attribute
	[ "$status" = 1 ]
	[ "$stderr" = "profile: sample 8 took 3030 instructions, and 3500 were seen" ]
	: >"$T/phases"
	attribute
	[ "$status" = 1 ]
	[ "$stderr" = "profile: no phase was seen" ]
}

# side NAME PAIR: an exact side of one row, with PAIR instructions in all of its 1000 operations; a
# second round was interrupted
side() {
	mkdir -p "$T/$1"
	"$top/tests/compare/record.sh" exact=yes rounds=2 cpus=1 sizes=8 |
		awk -v FS='\t' -v OFS='\t' -v pair="$2" '
			/^alloc_free/ { $8 = $4 == 1 ? pair : 7777777 }
			/^#/ || NF < 2 || /^(test|alloc_free)/' >"$T/$1/boot-001.txt"
	{
		printf '# slab_test profile: 1\n# kernel: made-up\n'
		printf 'test\tsize\tround\tcpu\tphase\tops\tfunction\tinstructions\telsewhere\n'
		printf 'alloc_free\t8\t2\t0\tpair\t1000\tinterrupt\t7777777\t0\n'
		sed 's/^/alloc_free\t8\t1\t0\tpair\t1000\t/'
	} >"$T/$1/boot-001.profile"
}

@test "compare.sh --why: functions add up, suffixes of the compiler do not matter" {
	printf 'kfree\t60000\t0\nslab_alloc.isra.0\t30000\t0\ngone\t10000\t0\n' | side a 100000
	printf 'kfree\t90000\t0\nslab_alloc.constprop.0\t20000\t11000\nnew\t20000\t0\n[unknown]\t8000\t0\n' |
		side b 150000
	run "$top/scripts/compare.sh" --why "$T/a" "$T/b"
	[ "$status" = 1 ]
	[ "$(sed -n '/^== why/,$p' <<<"$output")" = "== why after is not before ==

alloc_free, pair, 8
    change      before       after  instructions an operation
   +50.000      94.976     144.976  all
   +30.000      60.000      90.000  kfree
   +20.000       0.000      20.000  new
   -10.000      10.000       0.000  gone
    +8.000       0.000       8.000  [unknown]
    +1.000      30.000      31.000  slab_alloc
    +0.000      -5.024      -5.024  overhead, subtracted
82.0 % of the change is in named functions; +11.000 ran on other CPUs" ]
	# three sides: each against the base
	cp -r "$T/a" "$T/c"
	run "$top/scripts/compare.sh" --why "$T/a" "$T/b" "$T/c"
	[ "$(grep -c '^== why . is not a ==$' <<<"$output")" = 2 ]
	[[ $output == *"== why c is not a =="*"No row moved."* ]]
}

@test "compare.sh --why: without profiles, with damaged ones and with another format" {
	refused() {
		run "$top/scripts/compare.sh" --why "$T/a" "$T/b" "${@:2}"
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] && [[ $output == *"$1"* ]] || {
			echo "status $status: $output"
			return 1
		}
	}
	printf 'kfree\t100000\t0\n' | side a 100000
	printf 'kfree\t150000\t0\n' | side b 150000
	run "$top/scripts/compare.sh" --why "$T/a" "$T/b"
	[ "$status" = 1 ]
	refused '--why goes with the table' --format=csv
	printf 'kfree\t150000\t0\n' | side b 180000
	refused 'has 150000 instructions in alloc_free, and its record 180000'
	printf 'kfree\t150000\n' | side b 150000
	refused 'boot-001.profile:5: not understood'
	printf 'kfree\t150000\t-1\n' | side b 150000
	refused 'boot-001.profile:5: not understood'
	printf 'kfree\t150000\t0' | side b 150000
	refused 'cut off'
	echo '# slab_test profile: 2' >"$T/b/boot-001.profile"
	refused 'does not begin with "# slab_test profile: 1"'
	sed -i '/^# exact/d' "$T/b/boot-001.txt"
	refused '--why counts instructions' --force
	printf 'kfree\t150000\t0\n' | side b 150000
	rm "$T/b/boot-001.profile"
	refused 'make records with scripts/vm.sh --exact --profile'
}

@test "fragmented: half of the objects of each slab are freed, so no slab is given back or taken" {
	profiled fragmented --kernel debian:6.1 --smp 1 --append init_on_alloc=0 -- \
		tests=cache_fragmented sizes=256 count=1000 rounds=2 warmup=0
	run cut -f 5,7 "$BATS_FILE_TMPDIR/fragmented/boot-001.profile"
	grep -qxP 'free_half\t(kmem_cache_free|__kmem_cache_free|__slab_free)' <<<"$output"
	grep -qxP 'alloc_half\t(kmem_cache_alloc|___slab_alloc)' <<<"$output"
	pages='__free_pages|__free_pages_ok|free_unref_page|__alloc_pages|get_page_from_freelist|rmqueue'
	grep -qP "^free_all\t($pages)\$" <<<"$output"
	[ -z "$(grep -P "^(free_half|alloc_half)\t($pages)\$" <<<"$output")" ]
}
