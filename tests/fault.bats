#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The module in copies with a fault: what it does when it gets no memory or no thread, and that the
# tests notice a barrier that does not wait.

load no-harm/answers

setup_file() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export top
}

# copy NAME: a copy of the module's source to break
copy() {
	mkdir "$BATS_FILE_TMPDIR/$1"
	cp "$top"/*.c "$top"/*.h "$top/Kbuild" "$BATS_FILE_TMPDIR/$1"
	cd "$BATS_FILE_TMPDIR/$1"
}

# boots COPY OPTION...: a copy in a guest
boots() {
	copy=$1
	shift
	"$top/scripts/vm.sh" --kernel debian:6.1 --append init_on_alloc=0 \
		--module "$BATS_FILE_TMPDIR/$copy" -o "$BATS_FILE_TMPDIR/records-$copy" "$@"
}

@test "a call that fails fails the load or the run, with every object back" {
	copy fault
	cp "$top"/tests/fault/fault.[ch] .
	cat >>Kbuild <<-'KBUILD'
		slab_test-y += fault.o
		ccflags-y += -include $(src)/fault.h
	KBUILD
	boots fault --script "$top/tests/fault/guest.sh" >"$BATS_FILE_TMPDIR/answers"

	run section load
	# at least the two objects a worker needs, two threads, the plan, the run, its units, samples, …
	[ "${#lines[@]}" -gt 30 ]
	# the last one had nothing left to fail
	[[ ${lines[-1]} == *' 0  # objects: out '* ]]
	for line in "${lines[@]}"; do
		[[ $line =~ ^[0-9]+\ (1|12)\ \ $ || $line =~ \ 0\ \ #\ objects:\ out\ ([0-9]+),\ back\ ([0-9]+)$ ]] || {
			echo "$line"
			return 1
		}
		[ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ] || [[ $line != *objects* ]]
	done

	run section run
	# some fail in each of the tests that allocate
	for name in alloc_then_free alloc_free remote_free alloc_one_free_all; do
		grep -qE " failed $name: (64|256) bytes, number [0-9]+ failed on CPU [01] " <<<"$output"
	done
	awk '/# objects/ && $(NF - 2) != $NF "," { print; exit 1 }' <<<"$output"
	[ "${lines[-2]}" = 'read again' ]
	[ "${lines[-1]}" = 0 ]

	run section 'complaints of the kernel'
	[ "$output" = '' ]
}

# skew RECORD: the median, in ns
skew() { sed -n 's/^# skew: median \([0-9]*\) ns.*/\1/p' "$1"; }

@test "the barrier waits for a CPU that comes late, and one that does not is noticed" {
	copy late
	sed -i 's/^#include <linux\/err.h>/#include <linux\/delay.h>\n&/
		s/.*if (run->unit->bench->run(worker) || meet(worker))/\t\tif (worker->index)\n\t\t\tmsleep(200);\n&/' run.c
	grep -q 'msleep(200)' run.c
	boots late -- tests=concurrent_alloc_free sizes=64 rounds=5 count=100
	copy broken
	cp ../late/run.c .
	sed -i 's/^\tunsigned int gate = READ_ONCE(run->gate);/&\n\n\tif (gate != ~0u)\n\t\treturn 0;/' worker.c
	boots broken -- tests=concurrent_alloc_free sizes=64 rounds=5 count=100
	late=$(skew "$BATS_FILE_TMPDIR/records-late/boot-001.txt")
	broken=$(skew "$BATS_FILE_TMPDIR/records-broken/boot-001.txt")
	echo "late $late ns, broken $broken ns"
	# a fifth of a second late: the one waits, the other does not
	[ "$late" -lt 100000000 ]
	[ "$broken" -gt 100000000 ]
}

@test "a barrier that does not wait fails the run where CPUs hand objects over" {
	run boots broken -- tests=remote_free sizes=64 rounds=5 count=1000
	[ "$status" = 4 ]
	[[ $output == *'failed: remote_free: '*' objects out, '*' back'* ]]
}
