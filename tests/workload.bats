#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/workload.sh: what it counts and how it adds that to a record.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	cd "$BATS_TEST_TMPDIR"
}

workload() { "$top/scripts/workload.sh" "$@"; }

# with FILE OF_PROC COMMAND...: runs COMMAND where FILE stands in for a file of the kernel
with() { unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$@"; }

# slabinfo: two caches. By hand: 75 of 90 objects, 3 of 4 slabs; 25*64 + 50*192 = 11200 bytes are in use
# of 30*64 + 60*192 = 13440
slabinfo() {
	cat <<-'END'
	slabinfo - version: 2.1
	# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
	kmalloc-64            25     30     64   64    1 : tunables  120   60    8 : slabdata      1      1      0
	kmalloc-192           50     60    192   21    1 : tunables  120   60    8 : slabdata      2      3      5
	END
}

# mkrecord FILE: a record as vm.sh and run.sh leave it
mkrecord() {
	printf '# slab_test: 1\n# state: done\ncontrol: 1.0\n\ntest\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags\ncontrol\t1\t-\t1\t0\tmultiply\t1\t1\t0\t-\n' >"$1"
}

@test "workload.sh: --help is its usage; bad usage is one line and exit code 2" {
	run workload --help
	[ "$status" = 0 ]
	[[ $output == "usage: scripts/workload.sh"* ]]
	echo 'no record' >other
	mkrecord record
	printf '\nmetric\tunit\tbetter\tround\tvalue\nslabs.slabs\t\tlower\t1\t3\n' >>record
	for arguments in '' nonsense '--rounds 0 find' '--rounds' '-o' '--frobnicate find' 'find nonsense' \
		'--seconds 0 rawudp' '--ops x rawpkt' '--loops messaging' '--workers -1 rawudp' '-o other slabmem' '-o nowhere/record slabmem' '-o record slabmem' '--check nonsense'; do
		# shellcheck disable=SC2086
		run workload $arguments
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "'$arguments': $status $output"
			return 1
		}
	done
	[ "$(cat other)" = 'no record' ]
	run workload --check --rounds 3 find slabmem rawudp rawpkt messaging
	[ "$status" = 0 ] && [ -z "$output" ]
}

@test "workload.sh: needs root, and says so before it touches anything" {
	mkdir bin && printf '#!/bin/sh\necho 1000\n' >bin/id && chmod +x bin/id
	PATH=$PWD/bin:$PATH run workload -o new slabmem
	[ "$status" = 9 ] && [[ $output == *'needs root'* ]]
	[ ! -e new ]
}

@test "workload.sh slabmem: adds up /proc/slabinfo as slabtop does" {
	slabinfo >slabinfo
	printf 'MemTotal: 9 kB\nSlab:  44 kB\n' >meminfo
	with meminfo /proc/meminfo unshare -m sh -c "mount --bind slabinfo /proc/slabinfo
		slabtop -o >slabtop; $top/scripts/workload.sh slabmem >metrics"
	cat metrics
	diff metrics - <<-END
	metric	unit	better	round	value
	slabs.active_objects		lower	1	75
	slabs.objects		lower	1	90
	slabs.active_slabs		lower	1	3
	slabs.slabs		lower	1	4
	slabs.active_memory	KiB	lower	1	10.94
	slabs.memory	KiB	lower	1	13.12
	cache.kmalloc-64.memory	KiB	lower	1	1.88
	cache.kmalloc-192.memory	KiB	lower	1	11.25
	slabs.meminfo	KiB	lower	1	44
	END
	grep 'Objects .*: 75 / 90 ' slabtop
	grep 'Slabs .*: 3 / 4 ' slabtop
	grep 'Size .*: 10.94K / 13.12K ' slabtop
}

@test "workload.sh slabmem: a slabinfo of another version is refused, and the record untouched" {
	slabinfo | sed 's/2\.1/3.0/' >slabinfo
	mkrecord record
	cp record before
	run with slabinfo /proc/slabinfo "$top/scripts/workload.sh" -o record slabmem
	[ "$status" = 9 ]
	[[ $output == *"cannot read this version of /proc/slabinfo"* ]]
	cmp record before
	[ -z "$(ls record.partial* 2>/dev/null)" ]
}

@test "workload.sh -o: begins a record, and adds to one, which compare.sh reads" {
	slabinfo >slabinfo
	with slabinfo /proc/slabinfo "$top/scripts/workload.sh" -o new slabmem
	grep -q '^# kernel: ' new
	grep -q '^# date: 20' new
	mkrecord record
	cp record before
	with slabinfo /proc/slabinfo "$top/scripts/workload.sh" -o record slabmem
	head -c "$(stat -c %s before)" record | cmp - before
	[ "$(sed '1,/^metric	/d' record | grep -c .)" = 9 ]
	# a second workload goes below the same head
	echo >drop
	mkdir bin && printf '#!/bin/sh\nexit 1\n' >bin/find && chmod +x bin/find
	PATH=$PWD/bin:$PATH with drop /proc/sys/vm/drop_caches "$top/scripts/workload.sh" --rounds 1 -o record find
	[ "$(grep -c '^metric	' record)" = 1 ]
	for record in new record; do
		run "$top/scripts/compare.sh" --format=csv a=$record b=$record
		echo "$output"
		grep -q '^slabs\.memory,.*13\.12' <<<"$output"
	done
}

@test "workload.sh find: N times find and drop, with what find took" {
	# user time, a good deal less than real time
	mkdir bin
	cat >bin/find <<-'END'
	#!/bin/sh
	echo "find $*" >>log
	i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done
	sleep 0.5
	exit 1
	END
	chmod +x bin/find
	echo >drop
	PATH=$PWD/bin:$PATH with drop /proc/sys/vm/drop_caches "$top/scripts/workload.sh" --rounds 3 find >metrics
	cat metrics
	[ "$(grep -c '^find / -name fname-no-exist$' log)" = 3 ]
	[ "$(cat drop)" = 2 ]
	[ "$(grep -cE '^find\.(real|user|sys|drop_caches)	s	lower	[123]	[0-9]+\.[0-9]+$' metrics)" = 12 ]
	awk -F '\t' '
		$1 == "find.real" { real[$4] = $5 }
		$1 == "find.user" || $1 == "find.sys" { used[$4] += $5 }
		END {
			for (i = 1; i <= 3; i++)
				if (used[i] < 0.01 || real[i] < used[i] + 0.4)
					exit 1
			# of this round alone
			exit used[3] > 2 * used[1]
		}' metrics
}

@test "workload.sh find: a find that does not run ends it" {
	mkdir bin && printf '#!/bin/sh\nexit 127\n' >bin/find && chmod +x bin/find
	echo >drop
	PATH=$PWD/bin:$PATH run with drop /proc/sys/vm/drop_caches "$top/scripts/workload.sh" -o new find
	[ "$status" = 9 ]
	[ ! -e new ]
}

# tools: a stress-ng and a perf that say what they were asked; stress-ng counts what $did says
tools() {
	mkdir bin
	cat >bin/stress-ng <<-'END'
	#!/bin/sh
	echo "stress-ng $*" >>log
	while [ "$1" != --yaml ]; do shift; done
	printf 'system-info:\n      uptime: 7\nmetrics:\n    - stressor: x\n      bogo-ops: %s\n' "$did" >"$2"
	printf '      bogo-ops-per-second-usr-sys-time: 9.5\n      bogo-ops-per-second-real-time: 41.25\n' >>"$2"
	printf '      wall-clock-time: 2.5\n      user-time: 1.0\n' >>"$2"
	echo 'stress-ng: info: successful run'
	END
	cat >bin/perf <<-'END'
	#!/bin/sh
	echo "perf $*" >>log
	echo 0.125
	END
	chmod +x bin/*
	export did=300
}

@test "workload.sh rawudp, rawpkt, messaging: what the tools say, a row a round" {
	tools
	PATH=$PWD/bin:$PATH workload --rounds 2 --workers 3 --seconds 4 --ops 5000 --loops 20 \
		rawudp rawpkt messaging >metrics
	diff metrics - <<-END
	metric	unit	better	round	value
	stress-ng.rawudp.ops_per_sec	ops/s	higher	1	41.25
	stress-ng.rawudp.ops_per_sec	ops/s	higher	2	41.25
	stress-ng.rawpkt	s	lower	1	2.5
	stress-ng.rawpkt	s	lower	2	2.5
	perf-bench.sched-messaging	s	lower	1	0.125
	perf-bench.sched-messaging	s	lower	2	0.125
	END
	[ "$(wc -l <log)" = 6 ]
	grep -q '^stress-ng --rawudp 3 --timeout 4s ' log
	grep -q '^stress-ng --rawpkt 3 --rawpkt-ops 5000 ' log
	grep -qx 'perf bench -f simple sched messaging -g 5 -t -l 20' log
}

@test "workload.sh rawudp: operations that were not done are no figure, and a missing tool is named" {
	tools
	did=0 PATH=$PWD/bin:$PATH run workload -o new rawudp
	[ "$status" = 9 ]
	[[ ${lines[-1]} == *'stress-ng did nothing'* ]]
	for tool in rawpkt:stress-ng messaging:perf; do
		rm "bin/${tool#*:}"
		mkdir -p few
		for command in sh id mktemp rm grep sed awk cat dirname basename; do
			ln -sf "$(command -v $command)" few/
		done
		PATH=$PWD/bin:$PWD/few run workload -o new "${tool%:*}"
		[ "$status" = 9 ]
		[[ ${lines[-1]} == *"no ${tool#*:}: apt-get install"* ]]
	done
	[ ! -e new ]
}

@test "vm.sh --workload: the metrics of a guest are in its record" {
	run "$top/scripts/vm.sh" --kernel debian:6.1 --workload nonsense
	[ "$status" = 2 ]
	run --separate-stderr "$top/scripts/vm.sh" --kernel debian:6.1 --smp 1 --module "$top/tests/fixture" \
		--workload '--rounds 1 find slabmem' -o records -- value=5
	[ "$status" = 0 ]
	[ "$(grep -cE '^find\.(real|user|sys|drop_caches)	s	lower	1	[0-9.]+$' "$output")" = 4 ]
	grep -qE '^slabs\.memory	KiB	lower	1	[1-9][0-9.]+$' "$output"
	[ "$(head -n 1 "$output")" = '# slab_test: 1' ]
	grep -q '^control: 5.0' "$output"
	"$top/scripts/compare.sh" --format=csv a="$output" b="$output" | grep -q '^find\.real,'
}
