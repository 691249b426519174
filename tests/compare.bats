#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/compare.sh from the outside. Unit tests of the C are in tests/compare/*.c and run from here.

setup_file() {
	export TOP="$BATS_TEST_DIRNAME/.."
	export COMPARE="$TOP/scripts/compare.sh"
	export PUBLISHED="$TOP/results/published"
	# two sides of eight boots: b costs 10 cycles more, the noise is far below that
	mkdir -p "$BATS_FILE_TMPDIR/a" "$BATS_FILE_TMPDIR/b"
	for boot in 1 2 3 4 5 6 7 8; do
		made boot="$boot" noise=2 drift=1 >"$BATS_FILE_TMPDIR/a/boot-00$boot.txt"
		made boot="$boot" seed=7 add=10 noise=2 drift=1 kernel=6.12 \
			>"$BATS_FILE_TMPDIR/b/boot-00$boot.txt"
	done
}

setup() {
	A=$BATS_FILE_TMPDIR/a
	B=$BATS_FILE_TMPDIR/b
	T=$BATS_TEST_TMPDIR
}

made() {
	"$TOP/tests/compare/record.sh" "$@"
}

# compare CODE ARGUMENT…: run it, expect the exit code
compare() {
	local code=$1

	shift
	run "$COMPARE" "$@"
	if [ "$status" -ne "$code" ]; then
		printf 'exit %s, not %s:\n%s\n' "$status" "$code" "$output"
		return 1
	fi
}

has() {
	if ! printf '%s\n' "$output" | grep -qE -- "$1"; then
		printf 'no line matches "%s" in:\n%s\n' "$1" "$output"
		return 1
	fi
}

# says TEXT: it stands in the output, wherever lines are wrapped
says() {
	case $(printf '%s\n' "$output" | tr '\n' ' ' | tr -s ' ') in
	*"$1"*) ;;
	*)
		printf 'not said: "%s" in:\n%s\n' "$1" "$output"
		return 1
		;;
	esac
}

has_not() {
	if printf '%s\n' "$output" | grep -E -- "$1"; then
		return 1
	fi
}

# column NAME TEST PHASE SIZE SIDE: one number out of the CSV in $output
column() {
	printf '%s\n' "$output" | awk -F, -v name="$1" -v test="$2" -v phase="$3" -v size="$4" \
		-v side="$5" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["test"] == test && $at["phase"] == phase && $at["size"] == size &&
			$at["side"] == side { print $at[name] }'
}

@test "unit tests, with the address and undefined behaviour sanitizers" {
	run make -s -C "$TOP/scripts/compare" OUT="$TOP/build/compare" check
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "--help says usage, formats, words, exit codes and examples" {
	compare 0 --help
	for word in usage: published csv-samples faster unproven Exit: Examples: --fail-above; do
		has "$word"
	done
	[ "$(printf '%s\n' "$output" | awk '{ if (length > 80) print }')" = "" ]
}

@test "bad usage is exit 2 and one clear line" {
	for arguments in "" "--nonsense x y" "--format=xml x y" "--alpha=2 x y" "--size=a x y" \
		"--fail-above=-1 x y" "/nowhere /nowhere"; do
		# shellcheck disable=SC2086
		compare 2 $arguments
		has '^compare: |^.*: unrecognized option'
	done
}

@test "eight boots, 10 cycles more: slower, its size in the interval, exit 1" {
	compare 1 --format=csv "$A" "$B"
	# 100 + 64/8 = 108 cycles, so +9.26 %
	low=$(column delta_low alloc_free pair 64 after)
	high=$(column delta_high alloc_free pair 64 after)
	awk -v low="$low" -v high="$high" 'BEGIN { exit !(low < 10 / 108 && 10 / 108 < high) }'
	[ "$(column verdict alloc_free pair 64 after)" = slower ]
	[ "$(column boots alloc_free pair 64 after)" = 8 ]
	[ "$(column base alloc_free pair 64 after)" = before ]
}

@test "the other way round it is faster, exit 0" {
	compare 0 --format=csv "$B" "$A"
	[ "$(column verdict alloc_free pair 64 after)" = faster ]
}

@test "a side against itself: nothing faster or slower, exit 0" {
	compare 0 "$A" "$A"
	has_not 'faster$|slower$'
}

@test "--fail-above decides the exit code, not the verdict" {
	compare 0 --fail-above=20 "$A" "$B"
	has 'slower$'
	compare 1 --fail-above=8 "$A" "$B"
}

@test "the value is the mean over boots of the median round of the mean over CPUs" {
	made rounds=3 >"$T/x.txt"
	compare 3 --format=csv "$T/x.txt" "$T/x.txt"
	# 100 + 8/8 = 101 on CPU 0, 111 on CPU 1
	[ "$(column value concurrent_alloc_then_free alloc 8 before)" = 106 ]
	[ "$(column value alloc_then_free free 8 before)" = 50.5 ]
	# the header names no overhead of this phase, so the 24 cycles of the clock stay in
	[ "$(column value control multiply - before)" = 64.024 ]
}

@test "a directory, a glob and files are the same boots" {
	compare 1 --format=csv "$A" "$B"
	directory=$output
	compare 1 --format=csv "$A/boot-*.txt" "$B/*.txt"
	[ "$output" = "$directory" ]
}

@test "the same seed gives the same bytes, another one other intervals" {
	compare 1 --format=csv "$A" "$B"
	first=$output
	compare 1 --format=csv "$A" "$B"
	[ "$output" = "$first" ]
	compare 1 --format=csv --seed=2 "$A" "$B"
	[ "$output" != "$first" ]
}

@test "one boot against one: numbers, no verdict, exit 3; --force: exit 0" {
	compare 3 "$A/boot-001.txt" "$B/boot-001.txt"
	has '^ +64 .* -$'
	has_not 'faster$|slower$|same$|unclear$'
	compare 0 --force "$A/boot-001.txt" "$B/boot-001.txt"
}

@test "rows that one side has not are shown as missing" {
	made sizes=8 >"$T/x.txt"
	compare 3 --format=csv "$A/boot-001.txt" "$T/x.txt"
	[ "$(column value alloc_free pair 64 after)" = - ]
	[ "$(column boots alloc_free pair 64 after)" = 0 ]
	[ "$(column delta alloc_free pair 64 after)" = - ]
}

@test "--test and --size choose rows" {
	compare 1 --test='concurrent*' --size=64 "$A" "$B"
	has 'concurrent_alloc_then_free, alloc'
	has_not '^alloc_|^ +8 '
	compare 2 --test=nothing "$A" "$B"
	has 'no row is left'
}

@test "--plain-names lays accounted tests beside the plain ones, one of them a side" {
	mkdir "$T/plain" "$T/accounted" "$T/both"
	made >"$T/plain/boot-001.txt"
	made add=10 | sed 's/^alloc_/accounted_&/' >"$T/accounted/boot-001.txt"
	compare 3 "$T/plain" "$T/accounted"
	has '^accounted_alloc_free,pair' || has '^accounted_alloc_free, pair'
	compare 3 --plain-names "$T/plain" "$T/accounted"
	has_not 'accounted_'
	# 100 cycles and an eighth of 64 bytes, and ten more
	has '^ +64 +108.0 +118.0 +\+9.3%'
	sed 's/^alloc_/accounted_&/p; s/^accounted_alloc/alloc/' "$T/plain/boot-001.txt" >"$T/both/boot-001.txt"
	compare 2 --plain-names "$T/both" "$T/accounted"
	says 'has both'
}

@test "other machine, clock, count, revision, debugging or merging: refused, exit 3" {
	for difference in 'machine=arm64, 2 CPUs (0-1), 1 node, Made-up CPU' \
		'machine=x86_64, 4 CPUs (0-1,3-4), 1 node, Made-up CPU' \
		'machine=x86_64, 2 CPUs (0-1), 1 node, Other CPU' \
		'clock=ns 1000.0 MHz, resolution 1' count=2000 rev=2 debug=KASAN merge=off; do
		made "$difference" >"$T/x.txt"
		compare 3 "$A/boot-001.txt" "$T/x.txt"
		has 'compare: .*: ".*" in .*boot-001.txt, ".*" in .*x.txt'
		has 'not compared; --force'
		compare 0 --force "$A/boot-001.txt" "$T/x.txt"
		has '^DIFFERS'
	done
}

@test "another compiler, governor or notice is a warning only" {
	for difference in 'compiler=gcc 13.1.0' 'notice=init_on_alloc=1: clears'; do
		made "$difference" >"$T/x.txt"
		compare 3 "$A/boot-001.txt" "$T/x.txt"
		has '^warning'
	done
	made governor=powersave >"$T/x.txt"
	made governor=performance >"$T/y.txt"
	compare 3 "$T/x.txt" "$T/y.txt"
	has '^warning +governor: "powersave"'
}

@test "boots of two kernels in one side are refused" {
	mkdir "$T/mixed"
	cp "$A/boot-001.txt" "$T/mixed/1.txt"
	cp "$B/boot-001.txt" "$T/mixed/2.txt"
	compare 3 "$A" "$T/mixed"
	has 'kernels of one side'
}

@test "a record whose run failed: exit 4" {
	made state='failed alloc_free: no memory' >"$T/x.txt"
	compare 4 "$A" "$T/x.txt"
	has 'its run is "failed alloc_free: no memory", not done'
}

@test "empty, binary, truncated, absent, empty directory: exit 2, file, line and reason" {
	: >"$T/empty.txt"
	printf 'a\n\0b\n' >"$T/binary.txt"
	head -c 3000 "$A/boot-001.txt" >"$T/cut.txt"
	head -n 40 "$A/boot-001.txt" >"$T/cut-at-a-line.txt"
	mkdir "$T/empty"
	compare 2 "$A" "$T/empty.txt"
	has 'empty.txt: empty'
	compare 2 "$A" "$T/binary.txt"
	has 'binary.txt: line 2: not a text'
	compare 2 "$A" "$T/cut.txt"
	has 'cut.txt: line [0-9]+: .* cut off'
	compare 2 "$A" "$T/cut-at-a-line.txt"
	has 'cut-at-a-line.txt: line 40: .* cut off'
	compare 2 "$A" "$T/absent.txt"
	has 'absent.txt: No such file'
	compare 2 "$A" "$T/empty"
	has 'no \*.txt file'
}

@test "the four columns of the 2016 series: S=4096 alloc is -70.4 %" {
	compare 3 base="$PUBLISHED/2016-slab-lock/base.txt" p07="$PUBLISHED/2016-slab-lock/p07.txt" \
		p10="$PUBLISHED/2016-slab-lock/p10.txt" p11="$PUBLISHED/2016-slab-lock/p11.txt"
	has '^ +4096 +16024 +13438 +-16.1% +9000 +-43.8% +4742 +-70.4%$'
	has '^ +sum +9472 .* 10090 +\+6.5%$'
}

@test "--base chooses what the others are compared with" {
	compare 3 --base=p11 base="$PUBLISHED/2016-slab-lock/base.txt" \
		p11="$PUBLISHED/2016-slab-lock/p11.txt" --format=csv
	# 16024/4742 - 1
	[ "$(column delta concurrent_alloc_then_free alloc 4096 base | cut -c1-6)" = 2.3791 ]
	compare 2 --base=nobody "$A" "$B"
}

@test "published format: Before and After as they are mailed, and readable again" {
	compare 3 --format=published "$PUBLISHED/2016-slab-lock/base.txt" \
		"$PUBLISHED/2016-slab-lock/p11.txt"
	[ "${lines[0]}" = '* Before' ]
	has '^Kmalloc N\*alloc N\*free\(4096\): Average=16024/2048$'
	printf '%s\n' "$output" >"$T/mail.txt"
	compare 3 --format=csv "$T/mail.txt"
	[ "$(column value concurrent_alloc_then_free free 32 after)" = 792 ]
	compare 1 --format=published "$A" "$B"
	has '^1000 times kmalloc\(8\) -> 10[01]\.[0-9] cycles kfree -> 50\.[0-9] cycles$'
}

@test "csv-samples holds every round and CPU of every boot" {
	made rounds=3 >"$T/x.txt"
	made rounds=3 >"$T/y.txt"
	compare 3 --format=csv-samples --test=concurrent_alloc_then_free --size=8 "$T/x.txt" "$T/y.txt"
	# 2 sides, 3 rounds, 2 CPUs, 2 phases, and the head
	[ "${#lines[@]}" -eq 25 ]
	has '^concurrent_alloc_then_free,alloc,8,cycles,lower,after,1,3,1,111,-$'
}

@test "tables are at most 72 columns wide" {
	compare 1 "$A" "$B"
	[ "$(printf '%s\n' "$output" | awk '{ if (length > 72) print }')" = "" ]
}

@test "exact sides: differences are integers, one tick an operation is found from one boot" {
	made exact=yes >"$T/x.txt"
	made exact=yes add=1 >"$T/y.txt"
	compare 0 "$T/x.txt" "$T/y.txt"
	# 1000 operations a round: 1000 ticks more, 1 an operation
	has '^ +64 +108.0 +109.0 +\+0.9% +\+1000 +\+1.00 slower$'
	# free costs half of it, and concurrent tests run on two CPUs
	has '^ +64 .* \+500 +\+0.50 slower$'
	has '^ +64 .* \+2000 +\+1.00 slower$'
	has '^ +64.0 +64.0 +\+0.0% +\+0 +\+0.00 same$'
	compare 1 --fail-above=0.9 "$T/x.txt" "$T/y.txt"
	compare 0 "$T/x.txt" "$T/x.txt"
	has_not 'slower$|faster$'
}

# turns FILE TICKS...: a record whose rounds of the concurrent test were so many ticks longer, on CPU 1; of
# the size and phase of $alone, where that is set
turns() {
	file=$1
	shift
	made exact=yes rounds=$# | awk -F'\t' -v OFS='\t' -v longer="$*" -v alone="${alone-}" '
		BEGIN { split(longer, ticks, " ") }
		$1 == "concurrent_alloc_then_free" && $5 == 1 && (alone == "" || alone == $3 " " $6) {
			$8 += ticks[$4]
		}
		{ print }' >"$file"
}

@test "exact sides: where CPUs take turns, a row is told only when its rounds lie apart" {
	turns "$T/x.txt" 9000 0 3000 100000
	turns "$T/y.txt" 0 2000 0 1000
	compare 0 --format=csv "$T/x.txt" "$T/y.txt"
	for phase in alloc free; do
		[ "$(column verdict concurrent_alloc_then_free $phase 64 after)" = unclear ]
	done
	[ "$(column verdict alloc_free pair 64 after)" = same ]
	compare 0 "$T/x.txt" "$T/y.txt"
	says '4 rows are unclear, at most concurrent_alloc_then_free'
	says 'all rounds of a side lie beyond those of the other and p, corrected for the 4 such rows, is at most 0.05'
	says 'if only one moved, 5 rounds a side would be needed'
	has_not 'part ways'
	# two boots that are the same are no ranges
	mkdir "$T/xx" "$T/yy"
	cp "$T/x.txt" "$T/xx/1.txt"
	cp "$T/x.txt" "$T/xx/2.txt"
	cp "$T/y.txt" "$T/yy/1.txt"
	cp "$T/y.txt" "$T/yy/2.txt"
	compare 0 "$T/xx" "$T/yy"
	has_not 'ranges of both'
	# one tick between the longest round of one and the shortest of the other
	turns "$T/y.txt" 100001 100001 200000 300000
	compare 1 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = slower ]
	compare 0 --format=csv "$T/y.txt" "$T/x.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = faster ]
	turns "$T/y.txt" 100000 100001 200000 300000
	compare 0 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = unclear ]
	# three rounds lie apart by chance in one of ten tables
	turns "$T/x.txt" 0 0 0
	turns "$T/y.txt" 5000 5000 5000
	compare 0 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = unclear ]
	# one row of four has to be less of a chance: 4 * 2/70 for four rounds, 4 * 2/252 for five
	turns "$T/x.txt" 0 0 0 0
	alone='64 alloc' turns "$T/y.txt" 90000 90000 90000 90000
	compare 0 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = unclear ]
	[ "$(column verdict concurrent_alloc_then_free free 64 after)" = same ]
	turns "$T/x.txt" 0 0 0 0 0
	alone='64 alloc' turns "$T/y.txt" 90000 90000 90000 90000 90000
	compare 1 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = slower ]
	column p_adjusted concurrent_alloc_then_free alloc 64 after |
		awk '{ exit !($1 > 0.0317 && $1 < 0.0318) }'
	# a small p is not enough: one round of six lies within the other side, and 4 of 924 deals are as extreme
	turns "$T/x.txt" 0 0 0 0 0 100000
	turns "$T/y.txt" 200000 200000 200000 200000 200000 99999
	compare 0 --format=csv "$T/x.txt" "$T/y.txt"
	column p_adjusted concurrent_alloc_then_free alloc 64 after | awk '{ exit !($1 > 0.0043 && $1 < 0.0044) }'
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = unclear ]
	# where one CPU works, each instruction counts
	made exact=yes rounds=1 cpus=1 >"$T/x.txt"
	made exact=yes rounds=1 cpus=1 add=1 >"$T/y.txt"
	compare 0 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = slower ]
}

@test "exact sides: CPUs take turns in a test whose phases are of one CPU each" {
	for add in 0 1; do
		made exact=yes rounds=1 add=$add | awk -F'\t' -v OFS='\t' '
			$1 ~ /^concurrent/ && $5 == ($6 == "alloc") { next } { print }' >"$T/$add.txt"
	done
	compare 0 --format=csv "$T/0.txt" "$T/1.txt"
	[ "$(column verdict concurrent_alloc_then_free alloc 64 after)" = unclear ]
	[ "$(column verdict concurrent_alloc_then_free free 64 after)" = unclear ]
	[ "$(column verdict alloc_then_free alloc 64 after)" = slower ]
}

@test "an exact side whose boots differ is reported and proves nothing" {
	mkdir "$T/x"
	made exact=yes >"$T/x/1.txt"
	made exact=yes add=3 >"$T/x/2.txt"
	compare 3 "$T/x" "$T/x/1.txt"
	has '^warning +before: counts exactly, but its boots differ in 10 rows'
	has '^ +64 .* unproven$'
}

@test "exact against not exact is refused" {
	made exact=yes >"$T/x.txt"
	compare 3 "$T/x.txt" "$A/boot-001.txt"
	has 'exact counting'
}

@test "when the control moves, nothing else is proven" {
	mkdir "$T/x"
	for boot in 1 2 3 4 5 6 7 8; do
		made boot="$boot" seed=7 add=10 noise=2 drift=1 kernel=6.12 control=70 \
			>"$T/x/$boot.txt"
	done
	compare 3 "$A" "$T/x"
	has 'unproven$'
	has_not '^ +(8|64) .*slower$'
	says 'What no allocator touches moved as well: control multiply +9.4%'
	# looking at other rows only does not hide it
	compare 3 --test='alloc*' "$A" "$T/x"
	has 'unproven$'
}

@test "a control that is an instruction longer is no other machine" {
	made exact=yes control=64 >"$T/x.txt"
	made exact=yes control=64.1 add=5 >"$T/y.txt"
	compare 1 "$T/x.txt" "$T/y.txt"
	has 'slower$'
	has_not 'unproven|What no allocator touches'
	made exact=yes control=66 add=5 >"$T/y.txt"
	compare 3 "$T/x.txt" "$T/y.txt"
	says 'What no allocator touches moved as well: control multiply +3.1%'
}

@test "four boots a side can say something, three cannot" {
	compare 1 "$A/boot-00[1-4].txt" "$B/boot-00[1-4].txt"
	has 'slower$'
	compare 3 "$A/boot-00[1-3].txt" "$B/boot-00[1-3].txt"
	has 'No verdict: 3 boots a side'
	has_not 'slower$'
}

@test "a change below one step of the figures is below resolution" {
	printf '10000 times kmalloc(8)/kfree -> 4 cycles\n10000 times kmalloc(16)/kfree -> 10 cycles\n' \
		>"$T/x.txt"
	printf '10000 times kmalloc(8)/kfree -> 3 cycles\n10000 times kmalloc(16)/kfree -> 14 cycles\n' \
		>"$T/y.txt"
	compare 3 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column verdict alloc_free pair 8 after)" = 'below resolution' ]
	[ "$(column verdict alloc_free pair 16 after)" = - ]
}

@test "rows whose rounds form two groups are marked" {
	mkdir "$T/x"
	for boot in 1 2 3 4 5 6; do
		made boot="$boot" noise=1 add=$((boot % 2 * 50)) sizes=8 >"$T/x/$boot.txt"
	done
	compare 0 "$A" "$T/x"
	has '^ +8 +[0-9.]+ +[0-9.]+\* .*unclear$'
	has '^\* its rounds fall into two groups'
	compare 1 "$A" "$B"
	has_not '\*'
}

@test "the closing words name what goes against the headline, and alloc and free parting" {
	compare 3 "$PUBLISHED/2016-slab-lock/base.txt" "$PUBLISHED/2016-slab-lock/p11.txt"
	says "slower, against that: concurrent_alloc_then_free free 64 +27.8%"
	says "the alloc column falls from 33398 to 10707 (-67.9%), the free column rises from 9472 to 10090 (+6.5%)"
}

@test "the closing words say how many boots would do" {
	compare 3 "$A/boot-001.txt" "$B/boot-001.txt"
	# 2 of 70 deals of four boots are under 0.05; 2 of 924 of six are under 0.05/10
	says "1 boot a side cannot tell a change from the next boot, 4 can, and 6 can if only one row of 10 moved"
}

@test "json is what its schema says, with the rounds of every boot" {
	"$COMPARE" --format=json "$A" "$B" >"$T/x.json" || [ $? -eq 1 ]
	python3 - "$TOP/scripts/compare/comparison.schema.json" "$T/x.json" <<-END
		import json, sys, jsonschema
		schema, found = (json.load(open(path)) for path in sys.argv[1:])
		jsonschema.Draft7Validator.check_schema(schema)
		jsonschema.validate(found, schema)
		row = [r for r in found["rows"] if r["test"] == "alloc_free" and r["size"] == 64][0]
		assert [len(boot) for boot in row["cells"][0]["rounds"]] == [5] * 8
		assert row["changes"][0]["verdict"] == "slower"
		assert ["kernel", "6.12"] in found["sides"][1]["boots"][0]["header"]
	END
}

@test "json of odd bytes is still JSON" {
	made sizes=8 "kernel=a\"b\\c $(printf '\351\001') ±" >"$T/x.txt"
	"$COMPARE" --format=json --force "$T/x.txt" "$T/x.txt" >"$T/x.json"
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sides"][0]["boots"][0]["header"][1][1])' \
		"$T/x.json" | grep -qxF "$(printf 'a"b\\c é\001 ±')"
}

@test "lkp is read again by the parser for the test robot's tables" {
	compare 1 --format=lkp "$A" "$B"
	has '^ +108\.[0-9]+ ± +1% +\+8\.[0-9]% +117\.[0-9]+ ± +1%  alloc_free\.64\.pair\.cycles$'
	printf '%s\n' "$output" >"$T/lkp.txt"
	compare 3 --format=csv "$T/lkp.txt"
	[ "$(column value control.multiply.cycles '' - after)" = 64.02 ]
}

@test "markdown has a table for each phase, and the closing words" {
	compare 1 --format=markdown "$A" "$B"
	has '^### concurrent_alloc_then_free, free$'
	has '^\| 64 \| 108\.[0-9] \| 117\.[0-9] \| \+8\.[0-9]% \| .* \| <\.001 \| slower \|$'
	has '^after against before: 10 rows slower'
}

@test "published figures of the mails come out as their authors' answers" {
	compare 0 "$PUBLISHED/2019-memcg-find/orig.txt" "$PUBLISHED/2019-memcg-find/patched.txt"
	says 'No row is shown to be faster or slower.'
	compare 3 --format=csv "$PUBLISHED/2021-slab-alien-rbtree/before.txt" \
		"$PUBLISHED/2021-slab-alien-rbtree/after.txt"
	[ "$(column delta slabs.memory '' - after | cut -c1-6)" = -0.679 ]
	[ "$(column value slabs.slabs '' - after)" = - ]
	compare 3 --format=csv "$PUBLISHED/2023-slub-delay-freezing-rawudp/before.txt" \
		"$PUBLISHED/2023-slub-delay-freezing-rawudp/after.txt"
	# 90929 / 67734 - 1
	[ "$(column delta stress-ng.rawudp.ops_per_sec '' - after | cut -c1-6)" = 0.3424 ]
	compare 3 "$PUBLISHED/2023-slub-rawpkt/before.txt" "$PUBLISHED/2023-slub-rawpkt/after.txt"
	says 'stress-ng.rawpkt spreads by 1.4 % in before and by 70.3 % in after'
	compare 3 "$PUBLISHED/2015-slub-fastpath/before.txt" "$PUBLISHED/2015-slub-fastpath/after.txt"
	has '14.821 +14.049 +-5.2%'
}

@test "a failed run without figures: exit 4; a record without figures otherwise: exit 2" {
	made state='aborted by hand' | sed '/^$/,$d' >"$T/x.txt"
	compare 4 "$A" "$T/x.txt"
	made | sed '/^$/,$d' >"$T/x.txt"
	compare 2 "$A" "$T/x.txt"
	has 'a record without figures'
}

@test "a side may be a file of several records" {
	cat "$A"/*.txt >"$T/a.txt"
	cat "$B"/*.txt >"$T/b.txt"
	compare 1 --format=csv "$A" "$B"
	directory=$output
	compare 1 --format=csv "$T/a.txt" "$T/b.txt"
	[ "$output" = "$directory" ]
}

# metrics CYCLES NUMBER: a record of NUMBER metrics, the first CYCLES high, the others 100 or 101
metrics() {
	printf '# slab_test: 1\n# state: done\n\nmetric\tunit\tbetter\tround\tvalue\n'
	printf 'moved\ts\tlower\t1\t%s\n' "$1"
	for i in $(seq 2 "$2"); do
		printf 'still%s\ts\tlower\t1\t%s\n' "$i" "$((100 + (i + $3) % 2)).5"
	done
}

@test "one row among ten: four boots prove it alone and not in the table" {
	mkdir "$T/x" "$T/y"
	for boot in 1 2 3 4; do
		metrics "10$boot.25" 10 "$boot" >"$T/x/$boot.txt"
		metrics "20$boot.25" 10 "$boot" >"$T/y/$boot.txt"
	done
	# 2 of 70 deals, and ten times that
	compare 0 --format=csv "$T/x" "$T/y"
	[ "$(column p moved '' - after | cut -c1-6)" = 0.0285 ]
	[ "$(column p_adjusted moved '' - after | cut -c1-6)" = 0.2857 ]
	[ "$(column verdict moved '' - after)" = unclear ]
	compare 0 "$T/x" "$T/y"
	says 'If only one of the 10 rows moved, 6 boots a side would be needed.'
	compare 1 --format=csv --test=moved "$T/x" "$T/y"
	[ "$(column verdict moved '' - after)" = slower ]
}

@test "more is better where the record says so" {
	for boot in 1 2 3 4; do
		metrics "10$boot.25" 1 0 | sed 's/lower/higher/' >"$T/x$boot.txt"
		metrics "20$boot.25" 1 0 | sed 's/lower/higher/' >"$T/y$boot.txt"
	done
	compare 0 "$T/x*.txt" "$T/y*.txt"
	has 'faster$'
	compare 1 "$T/y*.txt" "$T/x*.txt"
	has 'slower$'
}

@test "three sides of many boots: one table of all, then one of each against the base" {
	compare 1 old="$A" new="$B" again="$A"
	has '^ +64 +108\.[0-9] +117\.[0-9] +\+8\.[0-9]% +108\.[0-9] +\+0\.0%$'
	has '^== new against old ==$'
	has '^== again against old ==$'
	says 'again against old: No row is shown to be faster or slower.'
}

@test "five sides: one table a pair" {
	compare 3 a="$A/boot-001.txt" b="$A/boot-002.txt" c="$A/boot-003.txt" d="$A/boot-004.txt" \
		e="$A/boot-005.txt"
	[ "$(printf '%s\n' "$output" | grep -c '^== [b-e] against a ==$')" -eq 4 ]
	[ "$(printf '%s\n' "$output" | awk '{ if (length > 72) print }')" = "" ]
}

@test "names: twice the same, a side that is not there, a text that is several or one" {
	compare 2 x="$A" x="$B"
	has 'two sides are called "x"'
	post=$TOP/tests/compare/posts/15-slabtest-2016-slab-concurrent-series-total.txt
	compare 2 "$post" "$A"
	has 'holds several sides \(before, after\)'
	compare 2 "$post#middle" "$A"
	has 'no side "middle" in it, but: before, after'
	compare 2 --split "$A/boot-001.txt"
	has 'holds only one side'
	compare 2 --split "$A" "$B"
	compare 2 "$A"
}

@test "a record quoted in a mail is read all the same" {
	sed 's/^/> > /' "$A/boot-001.txt" >"$T/x.txt"
	compare 3 --format=csv "$T/x.txt" "$A/boot-001.txt"
	[ "$(column delta concurrent_alloc_then_free free 64 after)" = 0 ]
}

@test "a figure beyond all measure is refused" {
	metrics 1e60 2 0 >"$T/x.txt"
	compare 2 "$T/x.txt" "$T/x.txt"
	has 'line 5: value "1e60"'
}

@test "null is shown in its unit, never as a fraction, and asks nothing" {
	for side in x y; do
		mkdir "$T/$side"
		for boot in 1 2 3 4; do
			{
				printf '# slab_test: 1\n# clock: tsc 2000 MHz, resolution 1\n# state: done\n'
				printf '\ntest\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags\n'
				[ "$side" = x ] && cycles=$((200 + boot)) || cycles=$((900 + boot))
				printf 'null\t1\t8\t1\t0\talloc\t1000\t%s\t0\t-\n' "$cycles"
			} >"$T/$side/$boot.txt"
		done
	done
	compare 3 --format=csv "$T/x" "$T/y"
	[ "$(column delta null alloc 8 after)" = - ]
	[ "$(column p null alloc 8 after)" = - ]
	[ "$(column verdict null alloc 8 after)" = - ]
}

@test "without a compiler or GSL it says what to do" {
	mkdir "$T/bin" "$T/scripts"
	cp -r "$TOP/scripts/compare" "$TOP/scripts/compare.sh" "$T/scripts"
	printf '#!/bin/sh\necho "no such header" >&2\nexit 1\n' >"$T/bin/cc"
	chmod +x "$T/bin/cc"
	PATH=$T/bin:$PATH run "$T/scripts/compare.sh" --help
	[ "$status" -eq 2 ]
	has 'run: sudo make setup$'
}

@test "two at once build once" {
	mkdir "$T/scripts"
	cp -r "$TOP/scripts/compare" "$TOP/scripts/compare.sh" "$T/scripts"
	"$T/scripts/compare.sh" --help >"$T/first" &
	"$T/scripts/compare.sh" --help >"$T/second"
	wait $!
	cmp "$T/first" "$T/second"
	grep -q '^usage:' "$T/first"
}

@test "an interrupt in one round of an exact side is not counted" {
	made exact=yes >"$T/x.txt"
	made exact=yes add=1 | awk -F'\t' -v OFS='\t' '
		$1 == "alloc_free" && $4 == 2 { $8 += 9999; $10 = "P" } { print }' >"$T/y.txt"
	compare 0 --format=csv "$T/x.txt" "$T/y.txt"
	[ "$(column ticks alloc_free pair 64 after)" = 1000 ]
	[ "$(column value alloc_free pair 64 after)" = 109 ]
}

@test "figures that agree digit for digit are pointed at" {
	compare 0 "$A" "$A"
	says 'warning digit for digit the same:'
	compare 1 "$A" "$B"
	has_not 'digit for digit'
}

@test "the lines of all tests are read, each under its own name" {
	cat >"$T/lines.txt" <<-'LINES'
		100 times kmem_cache_alloc(64) -> 50.0 cycles kmem_cache_free -> 60.0 cycles
		100 times kmalloc_account(64)/kfree -> 70.0 cycles
		100 times kmalloc(64)/kfree -> 71.0 cycles
		10 times alloc_pages(4096) -> 80.0 cycles free_pages -> 90.0 cycles
		Accounted N*alloc N*free(64): 0=1.0/2.0 1=3.0/4.0 Average=2.0/3.0
		Cache 1 alloc N free(64): 0=5.0 1=6.0 Average=5.0/6.0
		Kmalloc N*(batch alloc, batch free)/100(64): 0=5.0 1=7.0 Average=6.5
		Ring N*(alloc, free of another CPU)(64): 0=8.0 1=10.0 Average=9.0
		bulk_alloc_free/16(64): 11.0
		10000 times kmem_cache_alloc(64) -> 21.0 cycles kfree_rcu -> 31.0 cycles
		Kfree_rcu N*alloc N*free(64): 0=22.0/32.0 1=24.0/34.0 Average=23.0/33.0
		Kfree_rcu N*(batch alloc, batch free)/10/random(64): 0=41.0 1=43.0 Average=42.0
		batch_kfree_rcu/10(64): 44.0
		alloc_then_free/lifo(64): alloc=51.0 free=52.0
		Kmalloc N*alloc N*free/random(64): 0=60.0/70.0 1=62.0/72.0 Average=61.0/71.0
		null(64): alloc=0.0 free=0.0 pair=0.0
		cache_fragmented(64): free_half=12.0 alloc_half=13.0 free_all=14.0
	LINES
	run "$COMPARE" --format=csv a="$T/lines.txt" b="$T/lines.txt"
	for row in cache_alloc_then_free,alloc,64,cycles,lower,a,a,1,50 cache_alloc_then_free,free,64,cycles,lower,a,a,1,60 \
		accounted_alloc_free,pair,64,cycles,lower,a,a,1,70 alloc_free,pair,64,cycles,lower,a,a,1,71 \
		alloc_page_then_free,alloc,4096,cycles,lower,a,a,1,80 alloc_page_then_free,free,4096,cycles,lower,a,a,1,90 \
		accounted_concurrent_alloc_then_free,alloc,64,cycles,lower,a,a,1,2 \
		accounted_concurrent_alloc_then_free,free,64,cycles,lower,a,a,1,3 \
		cache_alloc_one_free_all,alloc,64,cycles,lower,a,a,1,5 cache_alloc_one_free_all,free,64,cycles,lower,a,a,1,6 \
		concurrent_batch_alloc_free/100,batch,64,cycles,lower,a,a,1,6.5 \
		ring,batch,64,cycles,lower,a,a,1,9 bulk_alloc_free/16,bulk,64,cycles,lower,a,a,1,11 \
		cache_fragmented,free_half,64,cycles,lower,a,a,1,12 cache_fragmented,alloc_half,64,cycles,lower,a,a,1,13 \
		cache_fragmented,free_all,64,cycles,lower,a,a,1,14 \
		kfree_rcu,alloc,64,cycles,lower,a,a,1,21 kfree_rcu,free,64,cycles,lower,a,a,1,31 \
		concurrent_kfree_rcu,free,64,cycles,lower,a,a,1,33 \
		concurrent_batch_kfree_rcu/10/random,batch,64,cycles,lower,a,a,1,42 \
		batch_kfree_rcu/10,batch,64,cycles,lower,a,a,1,44 \
		alloc_then_free/lifo,free,64,cycles,lower,a,a,1,52 \
		concurrent_alloc_then_free/random,alloc,64,cycles,lower,a,a,1,61; do
		grep -qF "$row," <<<"$output" || {
			echo "no row $row in:"
			echo "$output"
			return 1
		}
	done
}
