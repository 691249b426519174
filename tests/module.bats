#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The module in a guest with two CPUs: tests/module/guest.sh tries things once, these look at them.

load no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export top
	"$top/scripts/vm.sh" --kernel debian:6.1 --append init_on_alloc=0 --timeout 900 \
		--script "$top/tests/module/guest.sh" -o "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/answers"
}

@test "insmod runs the plan, and results are the header and the published lines" {
	run section 'first minute'
	[ "${lines[0]}" = 'status 0' ]
	[ "${lines[1]}" = '# slab_test: 1' ]
	for key in kernel machine allocator merge debug clock overhead plan skew objects state; do
		grep -q "^# $key: ." <<<"$output"
	done
	figure='[0-9]+\.[0-9]'
	for size in 8 64 256; do
		grep -qE "^10000 times kmalloc\\($size\\) -> $figure cycles kfree -> $figure cycles\$" <<<"$output"
		grep -qE "^10000 times kmalloc\\($size\\)/kfree -> $figure cycles\$" <<<"$output"
		grep -qE "^Kmalloc N\\*alloc N\\*free\\($size\\): 0=$figure/$figure 1=$figure/$figure Average=$figure/$figure\$" <<<"$output"
		grep -qE "^Kmalloc N\\*\\(alloc free\\)\\($size\\): 0=$figure 1=$figure Average=$figure\$" <<<"$output"
		grep -qE "^N\\*remote free\\($size\\): 0=-/$figure 1=$figure/- Average=$figure/$figure\$" <<<"$output"
		grep -qE "^1 alloc N free\\($size\\): 0=$figure 1=$figure Average=$figure/$figure\$" <<<"$output"
		grep -qE "^null\\($size\\): alloc=-?$figure free=-?$figure pair=-?$figure\$" <<<"$output"
	done
	grep -qE "^control: $figure\$" <<<"$output"
	# nothing else, and in this order
	[ "$(grep -vc '^#' <<<"$output")" = $((1 + 7 * 3 + 1)) ]
}

@test "the log has each published line whole" {
	results=$(section 'first minute' | sed 1d | grep -v '^#')
	log=$(section log | sed 's/^slab_test: //')
	[ "$results" = "$(grep -F "$results" <<<"$log")" ]
}

@test "the averages are those of the CPUs that took part" {
	section 'first minute' | awk '
		function near(a, b) { return a - b < 0.11 && b - a < 0.11 }
		/remote free/ {
			split($3, first, /[=\/]/); split($4, second, /[=\/]/); split($5, average, /[=\/]/)
			if (!near(average[2], second[2]) || !near(average[3], first[3])) exit 1
			seen++
		}
		END { exit seen != 3 }'
}

@test "samples: every phase, round and CPU that took part, with what it did" {
	section samples | awk -F '\t' '
		NR == 1 { if ($0 != "test\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags") exit 1; next }
		NF != 10 || $8 <= 0 || $9 !~ /^[0-9]+$/ || $10 !~ /^(-|P?M?)$/ { print; exit 1 }
		$7 != 10000 { print; exit 1 }
		{ rows[$1 " " $6]++ }
		END {
			# three sizes, two rounds, two CPUs
			want["alloc_then_free alloc"] = want["alloc_then_free free"] = want["alloc_free pair"] = 6
			want["concurrent_alloc_then_free alloc"] = want["concurrent_alloc_then_free free"] = 12
			want["concurrent_alloc_free pair"] = 12
			want["remote_free alloc"] = want["remote_free free"] = 6
			want["alloc_one_free_all alloc"] = want["alloc_one_free_all free"] = 6
			want["null alloc"] = want["null free"] = want["null pair"] = 6
			want["control multiply"] = 2
			for (row in rows) if (rows[row] != want[row]) { print row, rows[row]; exit 1 }
			for (row in want) if (rows[row] != want[row]) { print row, rows[row]; exit 1 }
		}'
}

@test "results and samples read in pieces are the same" {
	run section pieces
	[ "$output" = 'results same
samples same' ]
}

@test "every test runs, names itself and brings its objects back" {
	run section 'every test'
	grep -q '^# state: done$' <<<"$output"
	balanced "$(grep '^# objects' <<<"$output")"
	# those that cannot run here say why, and are no failure when they were not named alone
	[ "$(section tests | grep -c '	needs ')" = 11 ]
	for test in cache_alloc_then_free cache_alloc_free cache_concurrent_alloc_then_free \
		cache_concurrent_alloc_free cache_remote_free cache_alloc_one_free_all ring fragmented cache_fragmented alloc_page_then_free \
		alloc_page_free batch_alloc_free/1 batch_alloc_free/50 concurrent_batch_alloc_free/50 \
		bulk_alloc_free/16 bulk_fallback/16 kfree_rcu concurrent_kfree_rcu batch_kfree_rcu/50 \
		concurrent_batch_kfree_rcu/1; do
		grep -q "^$test	" <<<"$output" || {
			echo "no samples of $test"
			return 1
		}
	done
	grep -q '^100 times kmem_cache_alloc(64) -> .* cycles kmem_cache_free -> .* cycles$' <<<"$output"
	grep -q '^100 times kmem_cache_alloc(64)/kmem_cache_free -> .* cycles$' <<<"$output"
	grep -q '^100 times alloc_pages(4096)/free_pages -> .* cycles$' <<<"$output"
	grep -q '^10 times alloc_pages(4194304)/free_pages -> .* cycles$' <<<"$output"
	grep -q '^bulk_alloc_free/16(64): [0-9.]*$' <<<"$output"
	grep -q '^fragmented(64): free_half=[0-9.]* alloc_half=[0-9.]* free_all=[0-9.]*$' <<<"$output"
	grep -q '^Ring N\*(alloc, free of another CPU)(64): 0=[0-9.]* 1=[0-9.]* Average=[0-9.]*$' <<<"$output"
}

@test "accounted tests charge the memory cgroup that started them, and say so to the root's" {
	run section accounted
	[[ ${lines[0]} == 'root 22 slab_test: tests=accounted_alloc_free: needs to be started from a memory cgroup'* ]]
	[ "${lines[1]}" = 'cgroup 0' ]
	balanced "$(grep '^# objects' <<<"$output")"
	grep -q '^100 times kmalloc_account(64)/kfree -> ' <<<"$output"
	# 400 pages were out at once, of which the cgroup saw most
	[ "$(sed -n 's/^peak //p' <<<"$output")" -gt 1000000 ]
}

@test "the files are for root only" {
	run section access
	[ "$output" = '400 0
400 0
400 0
400 0
600 0' ]
}

@test "the file tests names all tests with revision and title" {
	run section tests
	[ "${lines[0]}" = "name	rev	title	here" ]
	[ "${#lines[@]}" = $((1 + $(grep -c '^	&[a-z_]*_bench,$' "$top/slab_test.c"))) ]
	for line in "${lines[@]:1}"; do
		grep -qP '^[a-z_]+\t[0-9]+\t.+\t(yes|needs .+)$' <<<"$line"
	done
}

@test "a bad parameter gets EINVAL and one line that names it, its value and what is allowed" {
	run section refused
	for parameter in tests=nonesuch tests= sizes=0 sizes=4194305 sizes=eight sizes= sizes=8,,16 sizes=8,8 \
		count=0 count=-1 count=4294967296 count=ten rounds=0 rounds=1001 warmup=101 cpus=7 cpus= \
		cpus=0- cpus=x gfp=zero order=filo order=fifo,fifo order= irqs=maybe preset=nonesuch preset= seed=x handicap=1024 clock=sundial batch=0 bulk=10001; do
		grep -qF "$parameter|22|slab_test: $parameter: must be " <<<"$output" || {
			echo "$parameter"
			return 1
		}
	done
	grep -q '^sizes=1,2,.*,100|22|slab_test: sizes=1,2.*must be 1 to 32 different numbers' <<<"$output"
	grep -q '^tests=nonesuch.*alloc_then_free, alloc_free, .*, control' <<<"$output"
	for value in '' nonesuch cycles,cycles cycles,instructions,.*,page-faults; do
		grep -qE "^counters=$value\|22\|slab_test: counters=.*: must be 1 to 8 different ones of cycles, instructions, .*, context-switches\$" <<<"$output" || {
			echo "counters=$value"
			return 1
		}
	done
	grep -q '^clock=arch|22|slab_test: clock=arch: this machine has: tsc ns' <<<"$output"
	grep -q '^memory|12|slab_test: count=1000000: 2 CPUs would hold .* a quarter' <<<"$output"
	grep -q '^none|22|slab_test: tests: none of those asked for can run here' <<<"$output"
	grep -q '^one CPU|22|slab_test: tests=remote_free: needs two CPUs' <<<"$output"
	grep -q '^irqs=off|22|slab_test: irqs=off: needs gfp=nowait' <<<"$output"
	grep -q '^spins|22|slab_test: tests=ring: needs interrupts' <<<"$output"
	grep -q '^long|22|slab_test: irqs=off: needs a count of at most 10000' <<<"$output"
	grep -q '^small|22|slab_test: tests=kfree_rcu: needs larger sizes' <<<"$output"
	grep -q '^batch|22|slab_test: batch=8: must not be above the count, which is 7' <<<"$output"
	grep -q '^bulk|22|slab_test: bulk=8: must not be above the count, which is 7' <<<"$output"
	grep -q '^preset=nonesuch|.* must be classic, quick, sheaves or full' <<<"$output"
	[ "${lines[-1]}" = 'not loaded' ]
}

@test "presets set what is not given; what is given holds, and is named" {
	run section presets
	[ "${#lines[@]}" = 5 ]
	# a preset of the line wins over what the module was loaded with, but not over the line itself
	for i in 0 1; do
		[[ ${lines[i]} == *'|done|# plan: preset=quick tests=alloc_then_free,'*' sizes=16,256,4096 '*' rounds=2 '* ]]
		[[ ${lines[i]} == *'|# notice: preset=quick: rounds is as given, not 5 ' ]]
	done
	[[ ${lines[2]} == *'|done|# plan: preset=sheaves tests=null sizes=64,512 count=10000 rounds=10 '*' order=fifo,random '* ]]
	[[ ${lines[2]} == *'|# notice: preset=sheaves: tests is as given, not batch_alloc_free,'* ]]
	[[ ${lines[3]} == *'|done|# plan: preset=classic tests=null sizes=32 count=100 rounds=1 '* ]]
	[ "$(grep -o 'as given' <<<"${lines[3]}" | wc -l)" = 4 ]
	# and where a line has none, that of the module holds, with what was given there
	[[ ${lines[4]} == 'tests=null|done|# plan: preset=full tests=null sizes=64 count=10000 rounds=9 '* ]]
}

@test "with several orders a test that frees in an order runs with each and says which" {
	run section orders
	grep -q '^alloc_then_free/fifo(64): alloc=[0-9.]* free=[0-9.]*$' <<<"$output"
	grep -q '^alloc_then_free/random(64): alloc=[0-9.]* free=[0-9.]*$' <<<"$output"
	grep -q '^Kmalloc N\*alloc N\*free/random(64): 0=[0-9.]*/' <<<"$output"
	grep -q '^100 times kmalloc(64)/kfree -> ' <<<"$output"
	[ "$(sed -nE 's/^ +([0-9]+ [a-z_/0-9]+)$/\1/p' <<<"$output" | LC_ALL=C sort)" = '2 alloc_free
2 batch_alloc_free/10/fifo
2 batch_alloc_free/10/random
4 alloc_then_free/fifo
4 alloc_then_free/random
8 concurrent_alloc_then_free/fifo
8 concurrent_alloc_then_free/random' ]
}

@test "with irqs=off every test that can runs so, and nothing interrupts its phases" {
	run section interrupts
	[ "${lines[0]}" = 'status 0' ]
	grep -q '^# plan: .* irqs=off ' <<<"$output"
	grep -q '^# skipped: ring: needs interrupts' <<<"$output"
	grep -q '^# plan: tests=.*,batch_alloc_free,.*,kfree_rcu,' <<<"$output"
	grep -q '^# disturbed: 0 of [1-9]' <<<"$output"
	balanced "$(grep '^# objects' <<<"$output")"
}

@test "kfree_rcu: all objects come back, and time and memory of that are told" {
	run section kfree_rcu
	[ "${lines[0]}" = 'status 0' ]
	balanced "$(grep '^# objects' <<<"$output")"
	grep -q '^# skipped: kfree_rcu 8: needs 16 bytes an object$' <<<"$output"
	grep -q '^1000 times kmem_cache_alloc(64) -> [0-9.]* cycles kfree_rcu -> [0-9.]* cycles$' <<<"$output"
	grep -q '^Kfree_rcu N\*alloc N\*free(4096): 0=[0-9.]*/[0-9.]* 1=[0-9.]*/[0-9.]* Average=' <<<"$output"
	grep -q '^batch_kfree_rcu/100(64): [0-9.]*$' <<<"$output"
	awk -F '\t' '
		/\.return\tus\tlower\t[123]\t[1-9][0-9]*$/ { returns++ }
		# no less than all the objects, and not twice as much
		$1 == "kfree_rcu.4096.peak" && $2 == "KiB" && $5 >= 4000 && $5 < 8000 { peaks++ }
		$1 == "concurrent_kfree_rcu.4096.peak" && $5 >= 8000 && $5 < 16000 { peaks++ }
		$1 == "kfree_rcu.64.peak" && $5 >= 62 && $5 < 200 { peaks++ }
		END { exit returns != 12 || peaks != 9 }' <<<"$output"
	# no cache of ours is there any more, during the run nor after a module that was unloaded in it
	[ "$(grep -cE '^(0|rmmod 0 0 slab_test: aborted: the module is unloaded)$' <<<"$output")" = 6 ]
}

@test "counters that this machine lacks say why, and the others count" {
	run section counters
	[ "${lines[0]}" = 'status 0' ]
	grep -q ' counters=cycles,page-faults,LLC-load-misses,context-switches$' <<<"$output"
	# an emulated x86 has no PMU; the kernel's own events are there all the same
	for name in cycles LLC-load-misses; do
		grep -qx "# counter: $name, cpus 0-1, not counted: no PMU that the kernel can use" <<<"$output"
	done
	[ "$(grep -cE '^# counter: page-faults, cpus [01-]+, read 0.000, alloc 0.000, free 0.000, pair 0.000, batch 0.000(, [a-z_]+ 0.000)*$' \
		<<<"$output")" -ge 1 ]
	[ "$(grep -c '^# counter: ' <<<"$output")" -ge 4 ]
	grep -q '^# state: done$' <<<"$output"
	awk -F '\t' '
		/^test/ { head = $0; next }
		NF > 2 && (NF != 14 || $11 != "-" || $12 != 0 || $13 != "-" || $14 !~ /^[0-9]+$/) { print; exit 1 }
		NF > 2 { rows++ }
		END {
			if (head != "test\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags" \
				"\tcounter.cycles\tcounter.page-faults\tcounter.LLC-load-misses\tcounter.context-switches") exit 1
			exit rows != 3 + 3 * 3
		}' <<<"$output"
}

@test "with one CPU the tests of several are skipped, by name and with the reason" {
	run section skipped
	for name in concurrent_alloc_then_free concurrent_alloc_free remote_free alloc_one_free_all; do
		grep -q "^# skipped: $name: needs two CPUs" <<<"$output"
		[ -z "$(grep '^# plan' <<<"$output" | grep -E "[=,]${name}[, ]")" ]
	done
	[ "$(grep -vc '^#' <<<"$output")" = 4 ]
}

@test "the file run refuses nonsense and a second run, and rmmod ends a run" {
	run section 'run file'
	[ "${lines[0]}" = idle ]
	[ "${lines[1]}" = '1 slab_test: run=garbage: must be start, with parameters or without, or abort' ]
	[ "${lines[2]}" = '1 slab_test: run=sizes: parameters are written name=value' ]
	[[ ${lines[3]} == '1 slab_test: sizes=0: must be '* ]]
	[[ ${lines[4]} == '1 slab_test: frobnicate=1: no such parameter; there are preset tests sizes '* ]]
	[ "${lines[5]}" = '1 slab_test: run=abort: nothing runs' ]
	[ "${lines[6]}" = '1 slab_test: run=abort: must be start, with parameters or without, or abort' ]
	[ "${lines[7]}" = '1 slab_test: run: a command has less than 4096 characters' ]
	[[ ${lines[8]} == '1 slab_test: run=start\001: must be '* ]]
	[ "${lines[9]}" = idle ]
	[ "${lines[10]}" = 'status 0' ]
	[[ ${lines[11]} =~ ^running\ [0-9]+/1\ alloc_then_free\ 32$ ]]
	[[ ${lines[12]} =~ ^second\ 1\ slab_test:\ a\ run\ is\ in\ progress:\ alloc_then_free, ]]
	[[ ${lines[13]} =~ ^other\ shell\ 1\ slab_test:\ a\ run\ is\ in\ progress:\ alloc_then_free, ]]
	[ "${lines[14]}" = 'rmmod 0' ]
	[ "${lines[15]}" = 'not loaded' ]
	[ "${lines[16]}" = 0 ]
}

@test "every parameter is heeded, and told" {
	run section 'every parameter'
	[ "$(grep '^# plan' <<<"$output")" = "# plan: tests=bulk_alloc_free,null,control sizes=24 bulk=3 count=7 rounds=3 warmup=2 cpus=1 order=lifo gfp=atomic irqs=on seed=9 handicap=4" ]
	grep -q '^# clock: ns ' <<<"$output"
	grep -q '^# state: done$' <<<"$output"
	rows=$(grep -v '^#' <<<"$output")
	# three rounds of one, three and one phases; on CPU 1, seven operations each
	[ "$(wc -l <<<"$rows")" = 15 ]
	[ "$(cut -f 5,7 <<<"$rows" | sort -u)" = "1	7" ]
	[ "$(cut -f 4 <<<"$rows" | sort -u | tr '\n' ' ')" = '1 2 3 ' ]
	[ "$(grep ^null <<<"$rows" | cut -f 3 | sort -u)" = 24 ]
	[ "$(grep ^control <<<"$rows" | cut -f 3 | sort -u)" = - ]
}

# balanced LINES: each says that as many objects came back as went out, and some did
balanced() {
	awk '{ out = $0; sub(/.*out /, "", out); sub(/,.*/, "", out); sum += out
		if ($NF != out) { print; exit 1 } } END { exit !sum }' <<<"$1"
}

@test "objects out and back agree for every order and gfp" {
	run section balance
	[ "${#lines[@]}" = 9 ]
	[ "$(grep -c ' done # objects: out [1-9]' <<<"$output")" = 9 ]
	balanced "$output"
}

@test "objects out and back agree when a run is aborted, whenever that is" {
	run section abort
	[ "$(grep -c ' aborted on request # objects' <<<"$output")" = 38 ]
	balanced "$(grep objects <<<"$output")"
	# what is counted is also there: one round's objects lost would be 2000 pages
	[ "${lines[-2]}" -lt $((lines[0] + 500)) ]
	[ "${lines[-1]}" = 'rmmod 0' ]
}

@test "rings end, however far the CPUs are apart" {
	run section ring
	[ "${lines[0]}" = 'status 0' ]
	balanced "${lines[1]}"
}

@test "fragmented frees half of the objects, rounded up, takes as many again and frees all" {
	run section fragmented
	[ "${#lines[@]}" = 6 ]
	[ "${lines[1]}" = 'alloc_half 1,free_all 1,free_half 1,' ]
	[ "${lines[3]}" = 'alloc_half 1,free_all 2,free_half 1,' ]
	[ "${lines[5]}" = 'alloc_half 4,free_all 7,free_half 4,' ]
	# four rounds of two tests
	for i in 0:16 2:24 4:88; do
		[ "${lines[${i%:*}]}" = "done # objects: out ${i#*:}, back ${i#*:}" ]
	done
}

@test "killing insmod ends the run and leaves neither module nor threads" {
	run section kill
	[ "${#lines[@]}" = 8 ]
	[ "$(grep -cx 'not loaded 0' <<<"$output")" = 8 ]
}

@test "killing insmod while a file of it is open leaves the module until the file is closed" {
	run section 'kill while a file is open'
	[ "$output" = 'loaded
not loaded' ]
}

@test "fifty runs leave the kmalloc caches as they were" {
	run section 'many runs'
	[ "${#lines[@]}" = 2 ]
	# one object of 4096 bytes lost a round and run would be 400 pages; the caches breathe by 30
	[ "${lines[1]}" -lt $((lines[0] + 100)) ]
}

@test "run.sh writes one record and unloads the module" {
	run section run.sh
	grep -q '^# slab_test: 1$' <<<"$output"
	grep -q '^# cmdline: .*init_on_alloc=0' <<<"$output"
	grep -q '^# date: 20' <<<"$output"
	grep -q '^null(8): ' <<<"$output"
	grep -q "^control	1	-	1	0	multiply	10000	" <<<"$output"
	grep -q '^status 0$' <<<"$output"
	[ "${lines[-1]}" = 'not loaded' ]
}

@test "run.sh leaves nothing loaded when it is stopped" {
	run section 'run.sh interrupted'
	[ "$output" = 'status 143
not loaded' ]
}

@test "run.sh says how to mount debugfs where it is not" {
	run section 'no debugfs'
	[ "$output" = 'run.sh: debugfs is not mounted: mount -t debugfs none /sys/kernel/debug
status 9
not loaded' ]
}

@test "where debugfs is switched off the module says so and is not loaded" {
	run "$top/scripts/vm.sh" --kernel debian:6.1 --append debugfs=off -o "$BATS_FILE_TMPDIR/off" --guest \
		'insmod /slab_test.ko sizes=8; echo "status $?"; dmesg | grep "slab_test: "; [ -d /sys/module/slab_test ] || echo not loaded'
	[ "$status" = 0 ]
	[[ $output == *'status 1'*'slab_test: no debugfs (error -'*'): it needs CONFIG_DEBUG_FS=y and no debugfs=off'*'not loaded'* ]]
}

@test "the kernel had nothing to complain of" {
	run section 'complaints of the kernel'
	[ "$output" = '' ]
}
