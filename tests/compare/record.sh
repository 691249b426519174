#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print a made-up record of one boot, for tests: values are what the arguments say, so that the
# right answers are known.
#
# usage: record.sh [boot=N] [rounds=N] [cpus=N] [sizes=8,64] [base=CYCLES] [add=CYCLES]
#                  [noise=CYCLES] [drift=CYCLES] [seed=N] [count=N] [key=value…]
#
# Every operation of size S costs base + S/8 + add cycles, plus uniform noise of ±noise a round and
# ±drift a boot; the control costs 64. read=24 and alloc=6, free=4, pair=5 cycles of overhead are
# on top and named in the header. Any other key=value replaces that header line.

set -eu

if [ "${1-}" = --help ]; then
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
	exit 0
fi

printf '%s\n' "$@" | awk -F= '
BEGIN {
	v["boot"] = 1; v["rounds"] = 5; v["cpus"] = 2; v["sizes"] = "8,64"; v["base"] = 100
	v["add"] = 0; v["noise"] = 0; v["drift"] = 0; v["seed"] = 1; v["count"] = 1000
	v["rev"] = 1; v["control"] = 64
	h["kernel"] = "6.1.0-test #1 SMP"; h["compiler"] = "gcc 12.2.0"
	h["machine"] = "x86_64, 2 CPUs (0-1), 1 node, Made-up CPU"; h["allocator"] = "SLUB"
	h["merge"] = "on"; h["debug"] = "none"
	h["clock"] = "tsc 2000.0 MHz, resolution 1, read 24.0 cycles, loop 4.0 cycles/op"
	h["state"] = "done"
}
NF >= 2 {
	value = substr($0, length($1) + 2)
	if ($1 in v) v[$1] = value; else h[$1] = value
}
function noise(width) { return width * (2 * rand() - 1) }
function sample(test, size, round, cpu, phase, cost, ops) {
	printf "%s\t%s\t%s\t%d\t%d\t%s\t%d\t%.0f\t%d\t-\n", test, v["rev"], size, round, cpu, phase,
	       ops, cost * ops + 24, cpu * 100
}
END {
	srand(v["seed"] * 1000 + v["boot"])
	drift = noise(v["drift"])
	print "# slab_test: 1"
	split("kernel compiler machine allocator merge debug clock", order, " ")
	for (i = 1; i in order; i++) { print "# " order[i] ": " h[order[i]]; }
	printf "# overhead: cpus 0-%d, read 24.000, alloc 6.000, free 4.000, pair 5.000\n", v["cpus"] - 1
	printf "# plan: tests=all sizes=%s count=%d rounds=%d warmup=1 cpus=0-%d order=fifo gfp=kernel seed=1 handicap=0\n",
	       v["sizes"], v["count"], v["rounds"], v["cpus"] - 1
	for (key in h)
		if (index(" kernel compiler machine allocator merge debug clock state ", " " key " ") == 0)
			print "# " key ": " h[key]
	print "# state: " h["state"]
	print ""
	print "test\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags"
	n = split(v["sizes"], size, ",")
	for (s = 1; s <= n; s++)
		for (round = 1; round <= v["rounds"]; round++) {
			cost = v["base"] + size[s] / 8 + v["add"] + drift + noise(v["noise"])
			sample("alloc_then_free", size[s], round, 0, "alloc", cost + 6, v["count"])
			sample("alloc_then_free", size[s], round, 0, "free", cost / 2 + 4, v["count"])
			sample("alloc_free", size[s], round, 0, "pair", cost + 5, v["count"])
			for (cpu = 0; cpu < v["cpus"]; cpu++) {
				sample("concurrent_alloc_then_free", size[s], round, cpu, "alloc",
				       cost + 10 * cpu + 6, v["count"])
				sample("concurrent_alloc_then_free", size[s], round, cpu, "free",
				       cost + 20 * cpu + 4, v["count"])
			}
		}
	for (round = 1; round <= v["rounds"]; round++)
		sample("control", "-", round, 0, "multiply", v["control"], v["count"])
}'
