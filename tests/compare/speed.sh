#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: tests/compare/speed.sh
#
# How long compare takes for one million samples, within 300 MiB of address space, and for 1,000
# rows of 8 boots a side. Prints the seconds; what they should be is under 2 and under 5.
#
# Exit: 0 both were compared, 1 one was not, 2 bad usage

set -eu

case ${1-} in
'') ;;
-h | --help)
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
	exit 0
	;;
*)
	echo "speed.sh: takes no argument (see --help)" >&2
	exit 2
	;;
esac
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# record SEED TESTS ROUNDS CPUS: a record with that many samples
record() {
	awk -v seed="$1" -v tests="$2" -v rounds="$3" -v cpus="$4" 'BEGIN {
		srand(seed)
		printf "# slab_test: 1\n# clock: tsc 2000.0 MHz, resolution 1\n"
		printf "# plan: count=10000 rounds=%d\n# state: done\n\n", rounds
		printf "test\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags\n"
		for (test = 0; test < tests; test++)
			for (round = 1; round <= rounds; round++)
				for (cpu = 0; cpu < cpus; cpu++)
					printf "t%d\t1\t%d\t%d\t%d\talloc\t10000\t%d\t0\t-\n",
					       test / 10, 8 * 2 ^ (test % 10), round, cpu,
					       1000000 + 20000 * rand()
	}'
}

# timed WHAT SIDE SIDE: compare them (exit 1 and 3 are answers) and say the seconds
timed() {
	start=$(date +%s.%N)
	code=0
	"$top/scripts/compare.sh" "$2" "$3" >"$work/table" || code=$?
	end=$(date +%s.%N)
	case $code in
	0 | 1 | 3) ;;
	*)
		echo "speed.sh: compare ended with $code" >&2
		exit 1
		;;
	esac
	echo "$1: $(echo "$end $start" | awk '{ printf "%.2f", $1 - $2 }') s"
}

"$top/scripts/compare.sh" --help >"$work/help"	# builds it
record 1 50 100 100 >"$work/a.txt"
record 2 50 100 100 >"$work/b.txt"
(
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -v 307200
	timed "1,000,000 samples, within 300 MiB" "$work/a.txt" "$work/b.txt"
)
mkdir "$work/a" "$work/b"
for boot in 1 2 3 4 5 6 7 8; do
	record "$boot" 1000 10 1 >"$work/a/$boot.txt"
	record "1$boot" 1000 10 1 >"$work/b/$boot.txt"
done
timed "1,000 rows, 8 boots a side" "$work/a" "$work/b"
