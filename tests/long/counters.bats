#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Counters where the PMU is crowded, and kernels without any: in copies of the module that make it so.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	T=$BATS_TEST_TMPDIR
	cp "$top"/*.c "$top"/*.h "$top/Kbuild" "$T"
}

# boots OPTION...: the copy in a guest with a PMU that counts cycles; prints the record
boots() {
	"$top/scripts/vm.sh" --kernel debian:6.1-arm64 --smp 1 --append init_on_alloc=0 --module "$T" \
		-o "$T/records" "$@" >/dev/null && cat "$T/records/boot-001.txt"
}

# crowd FUNCTION CONDITION: 32 more events than there are counters, opened once at the start of it
crowd() {
	awk -v call="$1(struct worker *worker)" -v condition="$2" '
		{ print }
		index($0, call) { inside = 1 }
		inside && /^\tunsigned int i;$/ {
			print "\tstatic bool crowded;\n"
			print "\tfor (i = 0; " condition " && !crowded && i < 32; i++)"
			print "\t\tevent_open(worker->cpu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);"
			print "\tcrowded = crowded || (" condition ");"
			inside = 0
		}' "$T/counters.c" >"$T/new"
	mv "$T/new" "$T/counters.c"
	grep -q crowded "$T/counters.c"
}

@test "more counters than the PMU has, and an event that it has not: named reasons, the run goes on" {
	crowd counters_open true
	record=$(boots -- sizes=64 tests=alloc_free,null,control rounds=3 count=100 \
		counters=cycles,instructions,page-faults)
	grep -qx '# counter: cycles, cpus 0, not counted: no free counter' <<<"$record"
	# QEMU has this one in exact mode only
	grep -qx '# counter: instructions, cpus 0, not counted: the PMU has no such event' <<<"$record"
	grep -q '^# counter: page-faults, cpus 0, read 0.000,' <<<"$record"
	grep -q '^# state: done$' <<<"$record"
	[ "$(awk -F '\t' 'NF == 13 && $7 == 100 { print $11, $12, $13 }' <<<"$record" | sort | uniq -c)" = \
		'     15 - - 0' ]
}

@test "a counter that had to share its place in a phase is missing there, and whole elsewhere" {
	# not pinned, events take turns; the crowd comes when all is calibrated
	sed -i '/\.pinned = 1/d' "$T/perf.h"
	crowd counters_begin 'worker->round >= 0'
	record=$(boots --exact -- sizes=64 tests=null rounds=200 count=300000 clock=ns counters=cycles)
	grep -q '^# counter: cycles, cpus 0, read [1-9]' <<<"$record"
	# Cycles are nanoseconds here. Turns take four million of them, a phase one million; and for some
	# microseconds nothing counts while the kernel changes events.
	awk -F '\t' '
		NF == 11 && $11 == "-" { missing++ }
		NF == 11 && $11 ~ /^[0-9]/ { whole++; part += $11 < 0.9 * $8 }
		END { print missing, whole, part; exit !(missing > 10 && whole > 10 && !part) }' <<<"$record"
}

@test "the module builds for a kernel without CONFIG_PERF_EVENTS, and asks nothing of it" {
	echo '#undef CONFIG_PERF_EVENTS' >"$T/without.h"
	echo 'ccflags-y += -include $(src)/without.h' >>"$T/Kbuild"
	module=$("$top/scripts/kernel.sh" module debian:6.1-arm64 "$T")
	[ -s "$module" ]
	grep -q 'without CONFIG_PERF_EVENTS' "$module"
	! grep -q 'perf_event_create_kernel_counter' "$module"
}
