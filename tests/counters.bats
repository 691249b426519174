#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Counters: counts that are known to the last one, and what compare.sh makes of them. What the
# module says where there is no PMU is in module.bats; crowded PMUs are in long/counters.bats.

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export top
}

setup() { T=$BATS_TEST_TMPDIR; }

# QEMU's arm64 counts instructions in exact mode, as the clock and as a counter.
@test "exact: a phase counts what the clock shows, on every repetition, and costs it nothing" {
	cat >"$T/guest.sh" <<-'GUEST'
		for plan in '' counters=cycles,instructions,cache-misses 'counters=instructions handicap=5'; do
			insmod /slab_test.ko sizes=64 count=1000 rounds=9 tests=alloc_free,null,control $plan
			echo "## ${plan:-without}"
			cat /sys/kernel/debug/slab_test/results /sys/kernel/debug/slab_test/samples
			rmmod slab_test
		done
	GUEST
	"$top/scripts/vm.sh" --exact --kernel debian:6.1-arm64 --smp 1 --append init_on_alloc=0 \
		-o "$T/exact" --script "$T/guest.sh" >"$T/answers"
	# two boots, of which the first will do
	part() { awk -v name="$1" '/^## / { on = substr($0, 4) == name && !seen[$0]++; next } on' "$T/answers"; }
	part without >"$T/without"
	part counters=cycles,instructions,cache-misses >"$T/with"
	part 'counters=instructions handicap=5' >"$T/handicap"

	grep -qx '# counter: cache-misses, cpus 0, not counted: the PMU has no such event' "$T/with"
	# nothing else is in the record, and the loops cost what they cost by the clock
	[ -z "$(grep counter "$T/without")" ]
	[ "$(sed -n 's/^# overhead.*, alloc/alloc/p' "$T/with")" = \
		"$(sed -n 's/^# counter: instructions.*, alloc/alloc/p' "$T/with")" ]
	[ "$(grep '^# overhead' "$T/with")" = "$(grep '^# overhead' "$T/without")" ]

	# the samples of tests that never call the allocator are the same; a tick may have struck in one
	awk -F '\t' '
		!/^(null|control)\t/ { next }
		NR == FNR { cycles[$1 $4 $6] = $8; next }
		{ rows++; other += cycles[$1 $4 $6] != $8 }
		END { exit !(rows == 9 * 4 && other <= 1) }' "$T/without" "$T/with"

	# every phase: the count without what reading adds is the clock without what reading it adds
	awk -F '\t' '
		/^# (overhead|counter: [ci])/ { gsub(/.*read |\..*/, ""); read[++clocks] = $0 }
		NF == 13 && $7 == 1000 {
			rows++
			odd += $11 - read[2] != $8 - read[1] || $12 - read[3] != $8 - read[1]
			missing += $13 == "-"
		}
		END { exit !(clocks == 4 && rows == 9 * 5 && missing == rows && odd <= 1) }' "$T/with"

	# five instructions more in each of a thousand operations
	awk -F '\t' '
		/^# counter/ { split($0, part, /(read|pair|, batch) */); read = part[2]; loop = part[3] }
		/^null\t/ && $6 == "pair" {
			rows++
			more = $11 - read - loop * 1000
			odd += more < 5000 || more > 5010
		}
		END { exit !(rows == 9 && odd <= 1) }' "$T/handicap"
}

# counted NAME cycles instructions misses...: four boots of one row, alloc_free of 8 bytes, with
# three counters; each boot has three rounds of 1000 operations
counted() {
	mkdir -p "$T/$1"
	for boot in 1 2 3 4; do
		{
			printf '# slab_test: 1\n# clock: tsc 2000 MHz, resolution 1\n# state: done\n'
			printf '# overhead: cpus 0-1, read 20.000, pair 5.000\n'
			printf '# counter: cycles, cpus 0-1, read 500.000, pair 5.000\n'
			printf '# counter: instructions, cpus 0, read 900.000, pair 4.000\n'
			printf '# counter: instructions, cpus 1, read 800.000, pair 4.000\n'
			printf '# counter: cache-misses, cpus 0-1, not counted: no free counter\n'
			printf '\ntest\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags'
			printf '\tcounter.cycles\tcounter.instructions\tlater\tcounter.cache-misses\n'
			awk -v cycles="$2" -v instructions="$3" -v boot="$boot" 'BEGIN {
				for (round = 1; round <= 3; round++)
					for (cpu = 0; cpu < 2; cpu++)
						printf "alloc_free\t1\t8\t%d\t%d\tpair\t1000\t%d\t0\t-\t%d\t%d\twhat\t-\n",
							round, cpu, cycles * 1000 + 5020 + boot,
							cycles * 1000 + 5500 + 2 * boot - round + 2,
							instructions * 1000 + 4900 - 100 * cpu + 20 * cpu
			}'
		} >"$T/$1/$boot.txt"
	done
}

# A cycle count of the boots is 0.001, 0.002, 0.003, 0.004 above; of the CPUs the second one's
# instructions are 0.020 above.
@test "compare.sh: counters an operation and IPC beside a row that moved" {
	counted a 200 100
	counted b 100 75
	run "$top/scripts/compare.sh" "$T/a" "$T/b"
	[ "$(sed -n '/^counters/,/^$/p' <<<"$output")" = 'counters an operation where rows moved, before -> after:
alloc_free pair 8
  cycles 200.005 -> 100.005, instructions 100.010 -> 75.010,
  IPC 0.50 -> 0.75' ]
	grep -qx 'counter   cache-misses, cpus 0-1, not counted: no free counter' <<<"$output"
	[ "$(awk 'length > 72' <<<"$output")" = '' ]
	run "$top/scripts/compare.sh" --format=csv "$T/a" "$T/b"
	[ "$(cut -d, -f 1,3,6,22- <<<"$output")" = 'test,size,side,counter.cycles,counter.instructions,counter.cache-misses
alloc_free,8,before,200.005,100.01,-
alloc_free,8,after,100.005,75.01,-' ]
	"$top/scripts/compare.sh" --format=json "$T/a" "$T/b" >"$T/json"
	python3 - "$T/json" <<-'PYTHON'
		import json, sys
		cells = json.load(open(sys.argv[1]))["rows"][0]["cells"]
		assert [round(cell["counters"]["cycles"], 4) for cell in cells] == [200.005, 100.005]
		assert [cell["counters"]["cache-misses"] for cell in cells] == [None, None]
	PYTHON
}

@test "compare.sh: a row that did not move, and records without counters, have no such lines" {
	counted a 200 100
	counted b 200 75
	run "$top/scripts/compare.sh" "$T/a" "$T/b"
	[ -z "$(grep '^counters' <<<"$output")" ]
	for side in a b; do
		for file in "$T/$side"/*.txt; do
			awk -F '\t' -v OFS='\t' 'NF > 10 { NF = 10 } !/^# counter/' "$file" >"$T/new"
			mv "$T/new" "$file"
		done
	done
	run "$top/scripts/compare.sh" "$T/a" "$T/b"
	[ -z "$(grep counter <<<"$output")" ]
	run "$top/scripts/compare.sh" --format=csv "$T/a" "$T/b"
	[[ ${lines[0]} == *,verdict ]]
}

@test "compare.sh: one CPU not counted is no mean of the round, one side not counted a dash" {
	counted a 200 100
	counted b 100 75
	# a boot of the base has no instructions of the second CPU in the second round, and 0.4 more in the
	# third: its median lies between those of two rounds;
	# the other side has none at all
	awk -F '\t' -v OFS='\t' '/^alloc_free/ { if ($4 == 3) $12 += 400; if ($4 == 2 && $5 == 1) $12 = "-" } 1' \
		"$T/a/1.txt" >"$T/new"
	mv "$T/new" "$T/a/1.txt"
	for boot in 1 2 3 4; do
		awk -F '\t' -v OFS='\t' '/^alloc_free/ { $12 = "-" } 1' "$T/b/$boot.txt" >"$T/new"
		mv "$T/new" "$T/b/$boot.txt"
	done
	run "$top/scripts/compare.sh" "$T/a" "$T/b"
	grep -qF 'instructions 100.060 -> -,' <<<"$output"
	grep -qF 'IPC 0.50 -> -' <<<"$output"
}

@test "compare.sh: damaged columns are refused" {
	refused() {
		run "$top/scripts/compare.sh" "$T/a" "$T/a"
		[ "$status" = 2 ] && [[ $output == *"$1"* ]] || {
			echo "status $status: $output"
			return 1
		}
	}
	counted a 200 100
	cp -r "$T/a" "$T/good"
	sed -i '$s/\t-$//' "$T/a/1.txt"
	refused '1.txt: line 16: a sample has 13 fields, not 14'
	cp "$T/good/1.txt" "$T/a/1.txt"
	sed -i '$s/-$/-1/' "$T/a/1.txt"
	refused '1.txt: line 16: cache-misses "-1"'
	cp "$T/good/1.txt" "$T/a/1.txt"
	sed -i 's/^# counter: cycles, .*/# counter: cycles/' "$T/a/1.txt"
	refused '1.txt: line 5: counter not understood'
	cp "$T/good/1.txt" "$T/a/1.txt"
	sed -n '/^test/,$p' "$T/good/1.txt" | sed '1i\\' >>"$T/a/1.txt"
	refused 'samples a second time'
}
