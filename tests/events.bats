#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Slab memory and the allocator's events: as scripts/events.sh gets them from made-up files of the
# kernel, as a guest writes them, and as compare.sh --why tells them.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	T=$BATS_TEST_TMPDIR
}

# asked COMMANDS: by the functions of events.sh, in the shell of the guests, of the kernel in $T
asked() {
	run busybox sh -euc ". $top/scripts/cgroup.sh; . $top/scripts/events.sh; $1"
	echo "$output"
	[ "$status" = 0 ]
}

# kernel: a folder for sysfs, and where lock_stat and slabinfo are
kernel() {
	mkdir -p "$T/slab"
	export sys_slab=$T/slab lock_stat=$T/lock_stat slabinfo=$T/slabinfo
}

# counts CACHE EVENT COUNT...
counts() {
	mkdir -p "$T/slab/$1"
	cache=$1
	shift
	while [ $# -gt 0 ]; do
		echo "$2 C0=$2" >"$T/slab/$cache/$1"
		shift 2
	done
}

# locks ACQUISITIONS CONTENTIONS, as two classes of list_lock and two other locks have them
locks() {
	cat >"$T/lock_stat" <<-END
	lock_stat version 0.4
	-----------------------------------------------------------------------------------
	                class name    con-bounces    contentions   waittime-min   waittime-max waittime-total   waittime-avg    acq-bounces   acquisitions   holdtime-min
	-----------------------------------------------------------------------------------

	                &n->list_lock:             5            $2           0.20           3.10          19.30           1.20            300            $1           0.10
	                -------------
	                &n->list_lock             16          [<0000000000000001>] get_partial_node+0x30/0x270
	              &n->list_lock/1:             1              1           0.20           3.10          19.30           1.20            300             10           0.10
	               &mm->list_lock:             1             99           0.20           3.10          19.30           1.20            300             99           0.10
	                     &n->lock:             1             99           0.20           3.10          19.30           1.20            300            $1           0.10
	                 &barn->lock:              0              0           0.00           0.00           0.00           0.00              7             $1           0.10
	END
}

@test "slab memory: the variants of a size together, and all caches, in KiB" {
	kernel
	cat >"$T/slabinfo" <<-'END'
	slabinfo - version: 2.1
	# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
	ext4_inode_cache     200    270   1096   29    8 : tunables    0    0    0 : slabdata     10     10      0
	kmalloc-rnd-07-1k     32     32   1024   16    4 : tunables    0    0    0 : slabdata      2      2      0
	kmalloc-cg-1k         32     32   1024   16    4 : tunables    0    0    0 : slabdata      1      1      0
	dma-kmalloc-1k         0      0   1024   16    4 : tunables    0    0    0 : slabdata      1      1      0
	kmalloc-rcl-1k         0      0   1024   16    4 : tunables    0    0    0 : slabdata      4      4      0
	kmalloc-1k            64     64   1024   16    4 : tunables    0    0    0 : slabdata      8      8      0
	kmalloc-96            42     42     96   42    1 : tunables    0    0    0 : slabdata      3      3      0
	mykmalloc-96          42     42     96   42    1 : tunables    0    0    0 : slabdata      1      1      0
	END
	asked 'slab_memory before'
	# 4 KiB a page: 16 slabs of 4 pages, 3 of 1, 10 of 8 and 1 of 1
	[ "$output" = $'slab/kmalloc-1k/before\tKiB\tlower\t1\t256
slab/kmalloc-96/before\tKiB\tlower\t1\t12
slab/all/before\tKiB\tlower\t1\t592' ]
	rm "$T/slabinfo"
	asked 'slab_memory before'
	[ -z "$output" ]
}

@test "the caches of a size: the right class, every variant, each once" {
	kernel
	for class in 8 16 32 64 96 128 192 256 512 1k 2k 4k 8k; do
		mkdir "$T/slab/kmalloc-$class"
	done
	mkdir "$T/slab/kmalloc-rnd-01-96" "$T/slab/kmalloc-cg-96" "$T/slab/dma-kmalloc-96" "$T/slab/:a-0000096"
	ln -s :a-0000096 "$T/slab/kmalloc-rcl-96"
	ln -s kmalloc-96 "$T/slab/kmalloc-alias-96"
	asked 'for size in 1 8 9 64 65 96 97 129 193 257 1024 1025 4097 8192 8193; do
		echo "$size $(caches_of $size | grep /kmalloc-[0-9] | sed "s/.*-//")"; done'
	[ "$output" = '1 8
8 8
9 16
64 64
65 96
96 96
97 128
129 192
193 256
257 512
1024 1k
1025 2k
4097 8k
8192 8k
8193 ' ]
	asked 'caches_of 96 | sed "s/.*slab.//"'
	[ "$output" = ':a-0000096
dma-kmalloc-96
kmalloc-96
kmalloc-cg-96
kmalloc-rnd-01-96' ]
}

@test "events: the change an object, summed over the caches of the size" {
	kernel
	counts kmalloc-64 alloc_fastpath 1000 alloc_slowpath 10 free_fastpath 4294967290 cpu_partial_free 0 alloc_calls 5
	counts kmalloc-cg-64 alloc_fastpath 50 alloc_slowpath 0
	counts kmalloc-128 alloc_fastpath 7
	echo 30 >"$T/slab/kmalloc-64/cpu_partial"
	locks 1000 100
	asked "counters 64 >$T/before"
	counts kmalloc-64 alloc_fastpath 10900 alloc_slowpath 110 free_fastpath 7 cpu_partial_free 0 alloc_calls 9
	counts kmalloc-cg-64 alloc_fastpath 150 alloc_slowpath 3
	counts kmalloc-128 alloc_fastpath 700
	locks 1500 101
	asked "counters 64 >$T/after; changes alloc_free 64 10000 $T/before $T/after | sort"
	# what wrapped around is missing, what did not change is 0
	[ "$output" = $'event/alloc_free/64/alloc_fastpath\t/object\tlower\t1\t1.000000
event/alloc_free/64/alloc_slowpath\t/object\tlower\t1\t0.010300
event/alloc_free/64/barn_lock_acquisitions\t/object\tlower\t1\t0.050000
event/alloc_free/64/barn_lock_contentions\t/object\tlower\t1\t0.000000
event/alloc_free/64/cpu_partial_free\t/object\tlower\t1\t0.000000
event/alloc_free/64/list_lock_acquisitions\t/object\tlower\t1\t0.050000
event/alloc_free/64/list_lock_contentions\t/object\tlower\t1\t0.000100' ]
}

@test "events: list_lock by the names that SLAB has for it" {
	kernel
	locks 1000 100
	sed -i 's/&n->list_lock:/\&ptr->list_lock:/; s/&n->list_lock/\&parent->list_lock/' "$T/lock_stat"
	asked 'counters 64 | sort'
	[ "$output" = 'lock/barn_lock_acquisitions:1000
lock/barn_lock_contentions:0
lock/list_lock_acquisitions:1010
lock/list_lock_contentions:101' ]
}

@test "events: a counter that came, went or was reset is missing" {
	kernel
	counts kmalloc-64 alloc_fastpath 10 alloc_slowpath 10
	counts kmalloc-cg-64 alloc_slowpath 10 free_fastpath 1
	locks 1500 100
	asked "counters 64 >$T/before"
	rm "$T/slab/kmalloc-cg-64/alloc_slowpath"
	counts kmalloc-64 alloc_fastpath 20 alloc_slowpath 20 free_slowpath 9
	counts kmalloc-cg-64 free_fastpath 0
	locks 1400 101
	asked "counters 64 >$T/after; changes t/7 64 10 $T/before $T/after"
	[ "$(sort <<<"$output")" = $'event/t/7/64/alloc_fastpath\t/object\tlower\t1\t1.000000
event/t/7/64/barn_lock_contentions\t/object\tlower\t1\t0.000000
event/t/7/64/list_lock_contentions\t/object\tlower\t1\t0.100000' ]
	# lockdep gave up meanwhile
	locks 1600 150
	sed -i '1a *WARNING* lock debugging disabled!! - possibly due to a lockdep warning' "$T/lock_stat"
	asked "counters 64 >$T/after; changes t 64 10 $T/before $T/after"
	[ "$output" = $'event/t/64/alloc_fastpath\t/object\tlower\t1\t1.000000' ]
}

@test "events: the module's own cache begins at 0 and is the only one that counts" {
	kernel
	counts kmalloc-64 alloc_fastpath 10
	# of the test before
	counts slab_test alloc_fastpath 70000
	locks 10 1
	asked "counters 64 >$T/before"
	counts kmalloc-64 alloc_fastpath 20000
	counts slab_test alloc_fastpath 300 sheaf_refill 3
	locks 20 1
	asked "counters 64 >$T/after; changes cache_alloc_free 64 100 $T/before $T/after | sort"
	[ "$output" = $'event/cache_alloc_free/64/alloc_fastpath\t/object\tlower\t1\t3.000000
event/cache_alloc_free/64/barn_lock_acquisitions\t/object\tlower\t1\t0.100000
event/cache_alloc_free/64/barn_lock_contentions\t/object\tlower\t1\t0.000000
event/cache_alloc_free/64/list_lock_acquisitions\t/object\tlower\t1\t0.100000
event/cache_alloc_free/64/list_lock_contentions\t/object\tlower\t1\t0.000000
event/cache_alloc_free/64/sheaf_refill\t/object\tlower\t1\t0.030000' ]
}

@test "what counts events is named, or what would" {
	kernel
	asked events_line
	[ "$output" = '# events: none, needs a kernel with CONFIG_SLUB_STATS or CONFIG_LOCK_STAT' ]
	locks 1 1
	asked events_line
	[ "$output" = '# events: LOCK_STAT' ]
	counts kmalloc-8 alloc_slowpath 1
	asked events_line
	[ "$output" = '# events: SLUB_STATS, LOCK_STAT' ]
}

@test "in a guest: slab memory, and events of each test and size from a made-up sysfs" {
	run --separate-stderr "$top/scripts/vm.sh" --kernel debian:6.1 --smp 2 --append init_on_alloc=0 --timeout 600 \
		-o "$T/out" --guest '
		mkdir -p /slab/kmalloc-64 /slab/kmalloc-96
		for cache in 64 96; do echo "5 C0=5" >/slab/kmalloc-$cache/alloc_slowpath; done
		export sys_slab=/slab lock_stat=/none
		plan="tests=alloc_free,batch_alloc_free,alloc_page_free,null,control sizes=64,96 batch=10,20 order=fifo,random count=100 rounds=1"
		sh /run.sh --module /slab_test.ko --events -- $plan 2>/tmp/progress
		grep "events [0-9]" /tmp/progress
		echo "lines $(dmesg | grep -c "batch_alloc_free/")"
		export sys_slab=/none
		sh /run.sh --module /slab_test.ko --events -- tests=null sizes=64 rounds=1 2>/dev/null | grep -E "^(# events|event/)"
		[ ! -d /sys/module/slab_test ] || echo still loaded'
	echo "$output $stderr"
	[ "$status" = 0 ]
	record=$output
	[[ $record == *'run.sh: events 1/10 alloc_free 64'*'run.sh: events 10/10 batch_alloc_free/20/random 96'* ]]
	[ "$(grep -c '^# events: SLUB_STATS$' <<<"$record")" = 1 ]
	[ "$(grep '^event/' <<<"$record" | sort)" = $'event/alloc_free/64/alloc_slowpath\t/object\tlower\t1\t0.000000
event/alloc_free/96/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/10/fifo/64/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/10/fifo/96/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/10/random/64/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/10/random/96/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/20/fifo/64/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/20/fifo/96/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/20/random/64/alloc_slowpath\t/object\tlower\t1\t0.000000
event/batch_alloc_free/20/random/96/alloc_slowpath\t/object\tlower\t1\t0.000000' ]
	# eight were measured, and each once more alone
	[[ $record == *'lines 16'* ]]
	# the pages of the largest cache are whole in both
	for when in before after; do
		[ "$(sed -n "s/^slab.all.$when	KiB	lower	1	//p" <<<"$record")" -gt 1000 ]
		[ "$(grep -cE "^slab.kmalloc-[0-9]+k?.$when	KiB	lower	1	[0-9]+$" <<<"$record")" = 13 ]
	done
	[ "$(grep -c '^# events: none, needs a kernel' <<<"$record")" = 1 ]
	[[ $record != *'still loaded'* ]]
	# the line that separates, then the names of the columns
	grep -B 1 $'^metric\tunit\tbetter\tround\tvalue$' <<<"$record" | head -n 1 | grep -qx ''
}

@test "vm.sh --events: a kernel that counts none says so, exact boots agree, and compare.sh reads them" {
	run "$top/scripts/vm.sh" --kernel debian:6.1 --exact --events --smp 1 -o "$T/out" -- \
		tests=alloc_free,control sizes=64 count=100 rounds=1
	[ "$status" = 0 ]
	grep -q '^# events: none, needs' "$T/out/boot-001.txt"
	grep -q $'^slab/kmalloc-64/after\tKiB\tlower\t1\t[1-9]' "$T/out/boot-001.txt"
	run "$top/scripts/compare.sh" "$T/out" "$T/out"
	[ "$status" = 0 ]
	[[ $output != *slab/* ]]
	run "$top/scripts/vm.sh" --kernel debian:6.1 --events --guest true
	[ "$status" = 2 ]
	[[ $output == *'--events are of the plan'* ]]
}

# side NAME BOOTS ADD: boots of a side, whose alloc_free costs ADD more; events and memory from stdin,
# a line each: name and value, in which + is the number of the boot
side() {
	mkdir -p "$T/$1"
	cat >"$T/events"
	for boot in $(seq "$2"); do
		{
			"$top/tests/compare/record.sh" boot="$boot" noise=2 drift=1 add="$3" sizes=64
			printf '\nmetric\tunit\tbetter\tround\tvalue\n'
			sed "s/+/$boot/" "$T/events" | while read -r name value; do
				printf '%s\t/object\tlower\t1\t%s\n' "$name" "$value"
			done
		} >"$T/$1/boot-$boot.txt"
	done
}

@test "compare.sh --why: the events that changed, the largest first, and slab memory" {
	side a 8 0 <<-'END'
	event/alloc_free/64/alloc_fastpath 0.9900
	event/alloc_free/64/alloc_slowpath 0.01
	event/alloc_free/64/free_frozen 0.5
	event/alloc_free/64/deactivate_empty 0.+
	event/alloc_free/64/gone 0.25
	event/alloc_free/64/cpu_partial_node 5
	event/alloc_free/64/never 0
	event/alloc_free/640/alloc_fastpath 0.5
	slab/all/before 1000
	slab/all/after 1100
	slab/kmalloc-64/before 50
	slab/kmalloc-64/after 50
	slab/kmalloc-32/before 5
	slab/kmalloc-32/after 5
	slab/kmalloc-16/before 7
	slab/kmalloc-16/after 9
	slab/kmalloc-8/before 7
	slab/kmalloc-8/after 7
	END
	side b 8 20 <<-'END'
	event/alloc_free/64/alloc_fastpath 0.2400
	event/alloc_free/64/alloc_slowpath 0.76
	event/alloc_free/64/free_frozen 0.5001
	event/alloc_free/64/deactivate_empty 0.4
	event/alloc_free/64/sheaf_refill 0.125
	event/alloc_free/64/cpu_partial_node 5.001
	event/alloc_free/64/none 0
	event/alloc_free/640/alloc_fastpath 0.1
	slab/all/before 1000
	slab/all/after 1+00
	slab/kmalloc-64/after 40
	slab/kmalloc-32/before 6
	slab/kmalloc-32/after 6
	slab/kmalloc-16/before 9
	slab/kmalloc-16/after 9
	slab/kmalloc-8/before 7
	slab/kmalloc-8/after 7
	END
	run "$top/scripts/compare.sh" --why --test=alloc_free "$T/a" "$T/b"
	echo "$output"
	[ "$status" = 1 ]
	[ "$(sed -n '/^alloc_free, pair/d; /^== why/,$p' <<<"$output")" = "== why after is not before ==

    change      before       after  events an object
   -0.7500      0.9900      0.2400  alloc_fastpath
   +0.7500      0.0100      0.7600  alloc_slowpath
         -      0.2500           -  gone
         -           -      0.1250  sheaf_refill

slab memory in KiB, before the run and after it
               before                 after
      1000       1100       1000       1450  all
        50         50          -         40  kmalloc-64
         5          5          6          6  kmalloc-32
         7          9          9          9  kmalloc-16" ]
	# the row and its change; nothing of it in the table, nor in what others read
	grep -qE '^alloc_free, pair, 64: \+[0-9.]+%$' <<<"$output"
	[ -z "$("$top/scripts/compare.sh" "$T/a" "$T/b" | grep -E 'event|slab/')" ]
	[ -z "$("$top/scripts/compare.sh" --format=csv "$T/a" "$T/b" | grep -E 'event|slab/')" ]
}

@test "compare.sh --why: events of the phase first; none that changed; boots too few for a verdict" {
	events='alloc_fastpath free_fastpath cpu_partial_free'
	for event in $events; do echo "event/alloc_then_free/64/$event 0.1"; done | side a 1 0
	for event in $events; do echo "event/alloc_then_free/64/$event 0.2"; done | side b 1 20
	run "$top/scripts/compare.sh" --why --test=alloc_then_free "$T/a" "$T/b"
	[ "$status" = 3 ]
	[ "$(sed -n '/^alloc_then_free, alloc, 64/,/^$/p' <<<"$output" | sed 's/.* //' | tr '\n' ' ')" = \
		"$(echo "$output" | grep -o '^alloc_then_free, alloc, 64.*' | sed 's/.* //') object alloc_fastpath cpu_partial_free free_fastpath  " ]
	[ "$(sed -n '/^alloc_then_free, free, 64/,/^$/p' <<<"$output" | tail -n +3 | sed 's/.* //' | tr '\n' ' ')" = \
		'cpu_partial_free free_fastpath alloc_fastpath ' ]
	for event in $events; do echo "event/alloc_then_free/64/$event 0.1"; done | side c 1 20
	run "$top/scripts/compare.sh" --why --test=alloc_then_free "$T/a" "$T/c"
	[ "$(grep -c '^none of 3 events of the allocator changed$' <<<"$output")" = 2 ]
}

@test "compare.sh --why: records without events are refused, a damaged event as well" {
	: | side a 1 0
	: | side b 1 20
	run "$top/scripts/compare.sh" --why "$T/a" "$T/b"
	[ "$status" = 2 ]
	[ "${#lines[@]}" = 1 ]
	[[ $output == *'--why counts instructions or events: make records with'*'--events' ]]
	echo 'event/alloc_free/64/alloc_slowpath wrapped' | side b 1 20
	run "$top/scripts/compare.sh" --why "$T/a" "$T/b"
	[ "$status" = 2 ]
	[[ $output == *'value "wrapped"'* ]]
}
