#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/compare.sh on outputs as people posted them (tests/compare/posts/). The figures expected
# here are those of the posts, divided and added up by hand or by awk, never taken from compare.

setup() {
	TOP=$BATS_TEST_DIRNAME/..
	POSTS=$TOP/tests/compare/posts
}

# posted NUMBER [OPTION…]: read that post as CSV; too little data (exit 3) is what is expected
posted() {
	local number=$1

	shift
	run "$TOP/scripts/compare.sh" --format=csv "$@" "$POSTS/$number"-*.txt
	[ "$status" -eq 3 ] || { printf 'exit %s: %s\n' "$status" "$output" && return 1; }
}

# cell COLUMN TEST PHASE SIZE SIDE
cell() {
	printf '%s\n' "$output" | awk -F, -v name="$1" -v test="$2" -v phase="$3" -v size="$4" \
		-v side="$5" '
		!at["test"] && /^test,/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == test && $2 == phase && $3 == size && $at["side"] == side { print $at[name] }'
}

# pair TEST PHASE SIZE BEFORE AFTER [BASE_SIDE OTHER_SIDE]: both values, and (after-before)/before
pair() {
	local old new delta

	old=$(cell value "$1" "$2" "$3" "${6-before}")
	new=$(cell value "$1" "$2" "$3" "${7-after}")
	delta=$(cell delta "$1" "$2" "$3" "${7-after}")
	awk -v old="$old" -v new="$new" -v delta="$delta" -v before="$4" -v after="$5" '
		function near(a, b) { return a != "" && (a - b) ^ 2 < 1e-12 * (1 + b * b) }
		BEGIN { exit !(near(old, before) && near(new, after) &&
			       (delta - (after - before) / before) ^ 2 < 1e-12) }' || {
		printf '%s %s %s: %s -> %s (%s), not %s -> %s\n' "$1" "$2" "$3" "$old" "$new" "$delta" \
			"$4" "$5"
		return 1
	}
}

# sum TEST PHASE SIDE: over all sizes
sum() {
	printf '%s\n' "$output" | awk -F, -v test="$1" -v phase="$2" -v side="$3" '
		$1 == test && $2 == phase && $6 == side && $9 != "-" { sum += $9 }
		END { printf "%.10g\n", sum }'
}

rows() {
	printf '%s\n' "$output" | grep -c ",$1,$2,"
}

says() {
	case $(printf '%s\n' "$output" | tr '\n' ' ' | tr -s ' ') in
	*"$1"*) ;;
	*)
		printf 'not said: "%s" in:\n%s\n' "$1" "$output"
		return 1
		;;
	esac
}

@test "01: Before and After inside each section" {
	posted 01
	pair alloc_free pair 8 134 78
	pair alloc_then_free alloc 16 174 76		# -56 %
	pair alloc_then_free free 8 113 129		# +14 %
	# the alloc/free test as a whole: -29.6 %
	[ "$(sum alloc_free pair before) $(sum alloc_free pair after)" = '2281 1606' ]
	# alloc in test 1 as a whole: -1.7 %
	awk -v a="$(sum alloc_then_free alloc before)" -v b="$(sum alloc_then_free alloc after)" \
		'BEGIN { exit !(sprintf("%.1f", 100 * (b - a) / a) == "-1.7") }'
}

@test "02: the rows that got worse are named" {
	posted 02
	pair alloc_free pair 128 111 125
	pair alloc_then_free free 16384 286 291
	run "$TOP/scripts/compare.sh" "$POSTS"/02-*
	says '2 rows slower, against that: alloc_free pair 128 +12.6%, alloc_then_free free 16384 +1.7%'
}

@test "03: indented, Before (with curr patchset) and underlined" {
	posted 03
	pair alloc_free pair 8 112 74
	pair alloc_then_free free 16384 291 295
}

@test "04 and 03: three sides out of two posts" {
	run "$TOP/scripts/compare.sh" --format=csv --size=8 base="$(echo "$POSTS"/04-*)#before" \
		first="$(echo "$POSTS"/03-*)#before" second="$(echo "$POSTS"/03-*)#after"
	[ "$(cell value alloc_free pair 8 base)" = 68 ]
	[ "$(cell value alloc_free pair 8 first)" = 112 ]
	[ "$(cell value alloc_free pair 8 second)" = 74 ]
}

@test "04: one long report: slab_test, time_bench without and with (step:0), function sizes" {
	posted 04
	pair alloc_then_free alloc 8 49 46
	pair alloc_free pair 16384 510 511
	# time_interval / invoke count
	pair 'kmem fastpath reuse' '' 0 18.59917529 17.52338378
	pair 'kmem alloc+free N-pattern' '' 0 40.07786289 40.36902781
	pair kfree '' - 274 250
}

@test "06: quoted twice, and CSV with ratios" {
	posted 06
	pair alloc_then_free alloc 2048 478 1429
	pair alloc_then_free free 16384 430 433
	pair 'Netperf average on 10 runs' '' 160 550360.8 539929.3
	run "$TOP/scripts/compare.sh" "$POSTS"/06-*
	says 'Far off its neighbours, so measure again: alloc_then_free alloc 2048 +199.0%'
}

@test "08: one run against one gives no verdict, and a shift of the whole run is pointed at" {
	posted 08
	pair 'Elapsed Time' '' - 101.873 102.47
	# alloc/free -17.6 %, kfree -22.6 %
	[ "$(sum alloc_free pair before) $(sum alloc_free pair after)" = '1629 1343' ]
	[ "$(sum alloc_then_free free before) $(sum alloc_then_free free after)" = '2064 1598' ]
	[ "$(printf '%s\n' "$output" | grep -cE ',(faster|slower|same|unclear)$')" -eq 0 ]
	run "$TOP/scripts/compare.sh" --test='alloc*' "$POSTS"/08-*
	says 'No verdict: 1 boot a side cannot tell a change from the next boot, 4 can'
	says 'looks like a shift of the whole run'
}

@test "08 and 09 have other counts: refused" {
	run "$TOP/scripts/compare.sh" "$(echo "$POSTS"/08-*)#before" "$(echo "$POSTS"/09-*)#before"
	[ "$status" -eq 3 ]
	says 'operations a round: "10000"'
}

@test "09: repeated runs say the opposite of 08" {
	posted 09
	pair alloc_then_free alloc 8 42 51		# +21 %
	pair alloc_then_free alloc 128 75 142		# +89 %
	pair alloc_then_free alloc 4096 151 423		# +180 %
	[ "$(sum alloc_then_free alloc before) $(sum alloc_then_free alloc after)" = '777 1523' ]
}

@test "10: quoted, with kernbench" {
	posted 10
	pair alloc_free pair 4096 71 67
	pair 'System Time' '' - 88.969 88.311
	# the means of the rows' changes: alloc +27.6 %, kfree +0.4 %, alloc/free -6.2 %
	printf '%s\n' "$output" | awk -F, '
		$6 == "after" && $3 != "-" { sum[$1 $2] += $14; n[$1 $2]++ }
		END { exit !(sprintf("%.1f %.1f %.1f", 100 * sum["alloc_then_freealloc"] / n["alloc_then_freealloc"],
			100 * sum["alloc_then_freefree"] / n["alloc_then_freefree"],
			100 * sum["alloc_freepair"] / n["alloc_freepair"]) == "27.6 0.4 -6.2") }'
}

@test "12: log stamps, a heading missing, sizes from 32 on" {
	posted 12
	pair alloc_then_free alloc 4096 1102 789
	[ "$(cell value alloc_then_free alloc 8 before)" = '' ]
	# -22.3 %
	[ "$(sum alloc_then_free alloc before) $(sum alloc_then_free alloc after)" = '3199 2486' ]
}

@test "13: quoted twice, averages only" {
	posted 13
	pair concurrent_alloc_then_free free 64 690 812
	pair concurrent_alloc_then_free free 128 886 1070
	[ "$(sum concurrent_alloc_then_free free before) $(sum concurrent_alloc_then_free free after)" = \
		'9472 9930' ]
}

@test "14 and 15: the last patch, and the series" {
	posted 14
	pair concurrent_alloc_then_free alloc 32 248 344	# +39 %
	pair concurrent_alloc_then_free alloc 4096 9000 4742	# -47 %
	posted 15
	pair concurrent_alloc_then_free alloc 4096 16024 4742	# -70.4 %
	pair concurrent_alloc_then_free alloc 32 365 344	# -5.8 %
	[ "$(sum concurrent_alloc_then_free free before) $(sum concurrent_alloc_then_free free after)" = \
		'9472 10090' ]
	# a gain that grows with size is no outlier of its column
	run "$TOP/scripts/compare.sh" "$POSTS"/15-*
	! says 'Far off its neighbours'
}

@test "17: columns typed by hand, with tabs; one tick is below resolution" {
	posted 17
	pair alloc_then_free alloc 8 7 5
	pair alloc_then_free free 16384 45 46
	pair alloc_free pair 16384 33 33
	pair concurrent_alloc_then_free alloc 1024 762 369
	pair concurrent_alloc_then_free free 4096 128 64
	pair concurrent_alloc_free pair 4096 3 3
	[ "$(cell verdict alloc_then_free alloc 16 after)" = 'below resolution' ]	# 4 -> 3
	# 3 tests of 12 rows (two of one, one of pairs) and 10 of three
	[ "$(printf '%s\n' "$output" | grep -c ',after,before,')" -eq 66 ]
}

@test "19: each record wrapped into three lines; other CPUs, and the loop itself moved" {
	posted 19
	pair for_loop '' 0 0.31823553 0.28953054
	pair 'kmem bulk_quick_reuse' '' 30 9.213071513071513 6.031953831953832
	pair 'kmem bulk_fallback' '' 250 30.9144377 30.83351
	[ "$(printf '%s\n' "$output" | grep -c ',after,before,')" -eq 30 ]
	run "$TOP/scripts/compare.sh" "$POSTS"/19-*
	says 'warning CPU that measured: "10" in before, "1" in after'
	says 'What no allocator touches moved as well: for_loop 0 -9.0%'
}

@test "20: several runs a kernel are boots of one side" {
	posted 20
	[ "$(cell boots 'kmem bulk_quick_reuse' '' 1 before)" = 2 ]
	[ "$(cell boots 'kmem bulk_quick_reuse' '' 1 after)" = 3 ]
	run "$TOP/scripts/compare.sh" "$POSTS"/20-*
	says 'kmem bulk_quick_reuse 1 spreads by 0.1 % in before and by 79.6 % in after'
}

@test "22: improved -6.5 % is slower" {
	posted 22
	pair 'bulk: fallback bulk' '' 1 15.662 12.407
	pair 'bulk: curr in-kernel' '' 1 46 49		# +6.5 %
	pair 'bulk: curr in-kernel' '' 34 78 23
	pair 'bulk: slab_nomerge' '' 64 20 48
	run "$TOP/scripts/compare.sh" --test='*curr*' --size=1 "$POSTS"/22-*
	says '1 row slower: bulk: curr in-kernel 1 +6.5%'
}

@test "23: nanoseconds where cycles read 0; the untouched atomic_inc moved" {
	posted 23
	pair atomic_inc '' 0 5.7716435 7.5809466
	[ "$(cell unit for_loop '' 0 after)" = ns ]
	run "$TOP/scripts/compare.sh" "$POSTS"/23-*
	says 'What no allocator touches moved as well: atomic_inc 0 +31.3%'
}

@test "25: the test robot's table" {
	posted 25
	pair stress-ng.rawudp.ops_per_sec '' - 67734 90929 fae950af3 b73583016	# +34.2 %
	pair vmstat.system.cs '' - 30758 43361 fae950af3 b73583016
	pair mpstat.cpu.all.usr% '' - 0.51 0.66 fae950af3 b73583016
	pair perf-stat.i.cache-references '' - 8.365e8 9.77e8 fae950af3 b73583016
	[ "$(cell better stress-ng.rawudp.ops_per_sec '' - fae950af3)" = higher ]
	[ "$(printf '%s\n' "$output" | grep -c ',b73583016,fae950af3,')" -eq 36 ]
}

@test "25: the sign of the deviation damaged on its way" {
	for sign in '\xc2\xb1' '\xc3\x82\xc2\xb1' '\xb1' '+-' '+\/-' '\xef\xbf\xbd' '?' '=C2=B1'; do
		LC_ALL=C sed "s/±/$sign/g" "$POSTS"/25-* >"$BATS_TEST_TMPDIR/25.txt"
		case $sign in =*) LC_ALL=C sed -i '1s/^=*/=3D/' "$BATS_TEST_TMPDIR/25.txt" ;; esac
		run "$TOP/scripts/compare.sh" --format=csv "$BATS_TEST_TMPDIR/25.txt"
		pair vmstat.system.cs '' - 30758 43361 fae950af3 b73583016
	done
}

@test "27: throughput and memory side by side" {
	posted 27
	pair will-it-scale.per_process_ops '' - 220399 166008 551a6e757 9b60811cb
	pair meminfo.Slab '' - 1370565 3185291 551a6e757 9b60811cb
	[ "$(cell better will-it-scale.per_process_ops '' - 551a6e757)" = higher ]
	[ "$(cell better meminfo.Slab '' - 551a6e757)" = lower ]
}

@test "30: three JSON objects, any of them the base" {
	posted 30
	pair will-it-scale.128.processes '' - 28445014 38223543.333333336 1 2	# +34.4 %
	pair will-it-scale.per_process_ops '' - 224832 220009.33333333334 1 3	# -2.1 %
	posted 30 --base=2
	pair will-it-scale.192.processes '' - 54039039 38232965.666666664 2 3	# -29.2 %
}

@test "31 and 32: three runs a side give their spread and no claim" {
	posted 31
	[ "$(cell verdict 'perf bench sched messaging -g 5 -t -l 100000' '' - after)" = - ]
	pair 'stress-ng --rawpkt 128 --rawpkt-ops 100000000' '' - 2.436666666667 2.16
	[ "$(cell unit 'stress-ng --rawpkt 128 --rawpkt-ops 100000000' '' - after)" = s ]
	posted 32
	pair 'stress-ng --rawpkt 128 --rawpkt-ops 100000000' '' - 2.206666666667 3.413333333333
	# (4.75 - 2.35) / 3.4133
	[ "$(cell spread 'stress-ng --rawpkt 128 --rawpkt-ops 100000000' '' - after | cut -c1-6)" = 0.7031 ]
	run "$TOP/scripts/compare.sh" "$POSTS"/32-*
	says 'was something else running?'
}

@test "35: cells of both sides; the printed change had the wrong base" {
	posted 35
	# two runs of clients-1: (167.96 + 167.88) / 2 and (190.72 + 191.25) / 2
	pair host-c-clients-1 Average - 167.92 190.985
	pair host-d-clients-8 Average - 1003.17 894.60
	[ "$(cell better host-d-clients-8 Average - after)" = higher ]
	[ "$(cell better host-d-clients-8 'Std. Deviation' - after)" = lower ]
}

@test "37: with and without in either order, under two allocators, time and memory" {
	run "$TOP/scripts/compare.sh" --format=csv "$POSTS"/37-*
	# means of four runs, in seconds
	pair 'with SLAB: kfree_rcu' time - 20.9715139615 17.33121987925
	pair 'with SLUB: kfree_rcu' time - 9.52263657075 9.95494195475
	pair 'with SLUB: kfree_rcu' 'memory footprint' - 365.75 426.25
}

@test "39: two samples of slabinfo -X, and which cache it was" {
	posted 39
	pair 'all slabs' memory - 96512 104892 408 409	# 98828288 and 107409408 bytes
	pair biovec-256 objects - 46 2128 408 409
	[ "$(cell value biovec-256 memory - 409)" = 8544 ]
	[ "$(cell value biovec-256 memory - 408)" = - ]
}

@test "41: free of two allocators; totals may differ" {
	posted 41
	pair 'free Mem' used - 9344 9684 SLOB SLUB
	pair 'free Mem' total - 11660 11652 SLOB SLUB
}

@test "43: the ancestor's fragments on lines of their own" {
	run "$TOP/scripts/compare.sh" --format=csv "$POSTS"/43-* "$POSTS"/43-*
	[ "$status" -eq 3 ]
	while read -r size alloc free; do
		pair concurrent_alloc_then_free alloc "$size" "$alloc" "$alloc"
		pair concurrent_alloc_then_free free "$size" "$free" "$free"
	done <<-END
		8 1003 620
		16 481 623
		32 504 659
		64 484 531
		128 516 610
		256 603 682
		512 1010 1053
		1024 1790 1297
		2048 2637 2354
		4096 4895 2235
	END
	pair alloc_one_free_all '' 4096 1363 1363
	pair alloc_then_free free 16384 2987 2987
	run "$TOP/scripts/compare.sh" --format=csv-samples --test=alloc_one_free_all --size=4096 \
		"$POSTS"/43-* "$POSTS"/43-*
	says ',before,1,1,0,2177,'
	says ',before,1,1,1,549,'
}

@test "no post is read in part without saying so" {
	for post in "$POSTS"/[0-9]*.txt; do
		"$TOP/scripts/compare.sh" "$post" >/dev/null 2>"$BATS_TEST_TMPDIR/stderr" || true
		run cat "$BATS_TEST_TMPDIR/stderr"
		case $post in
		*/0[348]-* | */10-* | */2[2357]-* | */3[059]-* | */43-*)
			says 'not read, the first is line'
			;;
		*)
			[ "$output" = '' ]
			;;
		esac
	done
}

# made TEXT [OPTION…]: read a text made up here as CSV
made() {
	printf '%s\n' "$1" >"$BATS_TEST_TMPDIR/post.txt"
	shift
	run "$TOP/scripts/compare.sh" --format=csv "$@" "$BATS_TEST_TMPDIR/post.txt"
	[ "$status" -eq 3 ] || { printf 'exit %s: %s\n' "$status" "$output" && return 1; }
}

@test "columns by hand: sizes, names, names in each column, three sides, the change beside them" {
	made 'fast path
size   before  after
8      61      45
4096   900     1000'
	pair 'fast path' '' 8 61 45
	pair 'fast path' '' 4096 900 1000
	made '           orig     patched
hackbench  12.3s    11.9s
tar        4.0s     4.2s'
	pair hackbench '' - 12.3 11.9
	pair tar '' - 4 4.2
	made '	orig		patched
real	0m1.455s	real	1m1.355s'
	pair real '' - 1.455 61.355
	made 'test	vanilla	patched	sheaves
mmap2	100	110	120'
	[ "$(cell value mmap2 '' - sheaves)" = 120 ]
	[ "$(cell base mmap2 '' - sheaves)" = vanilla ]
	made 'function    old     new   delta
kfree       274     250     -24'
	pair kfree '' - 274 250
	# turned round, and saying so
	made 'ops
patched  base
11       10'
	pair ops '' - 10 11
}

@test "words of single benchmarks below headings: time, hackbench, perf bench, tbench" {
	made 'Before:
real	0m1.455s
Time: 7.042
     Total time: 7.1 [sec]
Throughput 1234.5 MB/sec  16 clients  16 procs  max_latency=0.433 ms
After:
real	0m1.355s
Time: 6.966
     Total time: 7.2 [sec]
Throughput 1300 MB/sec  16 clients  16 procs  max_latency=0.433 ms'
	pair real '' - 1.455 1.355
	pair Time '' - 7.042 6.966
	pair 'Total time' '' - 7.1 7.2
	pair throughput '' 16 1234.5 1300
	[ "$(cell better throughput '' 16 after)" = higher ]
}

@test "slabtop -o, /proc/slabinfo and /proc/meminfo in KiB" {
	made 'Before:
 Active / Total Objects (% used)    : 3849018 / 3929389 (98.0%)
 Active / Total Size (% used)       : 618610.09K / 631822.98K (97.9%)
 27776  27776 100%    0.12K    868       32      3472K kernfs_node_cache
After:
 Active / Total Objects (% used)    : 752322 / 836825 (89.9%)
 Active / Total Size (% used)       : 184632.55K / 202255.74K (91.3%)
 27776  27000  97%    0.12K    868       32      3400K kernfs_node_cache'
	pair 'all slabs' memory - 631822.98 202255.74
	pair 'all slabs' 'active objects' - 3849018 752322
	pair kernfs_node_cache memory - 3472 3400
	made 'Before:
slabinfo - version: 2.1
dentry 46200 46200 288 28 2 : tunables 0 0 0 : slabdata 1650 1650 0
SUnreclaim:      1209904 kB
After:
dentry 46300 46400 288 28 2 : tunables 0 0 0 : slabdata 1660 1660 0
SUnreclaim:      3024001 kB'
	# slabs of two pages of 4 KiB
	pair dentry memory - 13200 13280
	pair dentry objects - 46200 46300
	pair SUnreclaim '' - 1209904 3024001
}

@test "the test robot's table of three commits" {
	made 'aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbb cccccccccccccccccccccccccc
---------------- --------------------------- ---------------------------
         %stddev     %change         %stddev     %change         %stddev
             \          |                \          |                \
     30758 ± 11%     +41.0%      43361 ±  4%      +1.0%      31065        vmstat.system.cs'
	pair vmstat.system.cs '' - 30758 43361 aaaaaaaaa bbbbbbbbb
	pair vmstat.system.cs '' - 30758 31065 aaaaaaaaa ccccccccc
}

@test "pages, fractions and every CPU of a published line" {
	made 'Before
1000 times alloc_page(,3) -> 405 cycles __free_pages(,3)-> 389 cycles
Page alloc N*alloc N*free(2): 0=40/50 1=60/70 Average=50/60
Kmalloc N*alloc N*free(8): 0=361.2/799.0 1=369.4/812.6
2=370.1/813.0 Average=365.3/805.8
After
1000 times alloc_page(,3) -> 400 cycles __free_pages(,3)-> 380 cycles
Page alloc N*alloc N*free(2): 0=41/50 1=61/70 Average=51/60
Kmalloc N*alloc N*free(8): 0=361.2/799.0 1=369.4/812.6 Average=300.5/805.8'
	pair page_alloc_then_free alloc 3 405 400
	pair page_concurrent_alloc_then_free alloc 2 50 51
	pair concurrent_alloc_then_free alloc 8 365.3 300.5
}

@test "headings that name no side: sides when the text is alone, parts of a side when it is not" {
	printf '8 CPUs:\n10000 times kmalloc(8)/kfree -> 80 cycles\n16 CPUs:\n10000 times kmalloc(8)/kfree -> 90 cycles\n' \
		>"$BATS_TEST_TMPDIR/old.txt"
	sed 's/80/70/; s/90/60/' "$BATS_TEST_TMPDIR/old.txt" >"$BATS_TEST_TMPDIR/new.txt"
	run "$TOP/scripts/compare.sh" --format=csv "$BATS_TEST_TMPDIR/old.txt" "$BATS_TEST_TMPDIR/new.txt"
	pair '8 CPUs: alloc_free' pair 8 80 70
	pair '16 CPUs: alloc_free' pair 8 90 60
	run "$TOP/scripts/compare.sh" --format=csv "$BATS_TEST_TMPDIR/old.txt"
	pair alloc_free pair 8 80 90 '8 CPUs' '16 CPUs'
}

@test "a mail from another system: CRLF, a byte order mark, a record in CRLF" {
	printf '\357\273\277Before:\r\n10000 times kmalloc(8)/kfree -> 80 cycles\r\nAfter:\r\n10000 times kmalloc(8)/kfree -> 70 cycles\r\n' \
		>"$BATS_TEST_TMPDIR/x.txt"
	run "$TOP/scripts/compare.sh" --format=csv "$BATS_TEST_TMPDIR/x.txt"
	pair alloc_free pair 8 80 70
	sed 's/$/\r/' "$TOP/results/published/2016-slab-lock/p11.txt" >"$BATS_TEST_TMPDIR/y.txt"
	run "$TOP/scripts/compare.sh" --format=csv "$BATS_TEST_TMPDIR/y.txt" "$BATS_TEST_TMPDIR/y.txt"
	pair concurrent_alloc_then_free free 4096 2172 2172
}
