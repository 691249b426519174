#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare the figures of two or more kernels: see --help. The program behind it is C (in
# scripts/compare/); it is built below build/ when it is missing or older than its sources. Packages
# have it in place of the sources.

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
out=$top/build/compare

build() {
	mkdir -p "$out" || return 1
	# two comparisons at once must not build into each other
	exec 9>"$out/lock" && flock 9 || return 1
	make -s -C "$top/scripts/compare" OUT="$out"
}

if [ -x "$top/scripts/compare/compare" ]; then
	out=$top/scripts/compare
elif ! make -s -q -C "$top/scripts/compare" OUT="$out" 2>/dev/null && ! log=$(build 2>&1); then
	if ! printf '#include <gsl/gsl_rng.h>\n' | cc -E - >/dev/null 2>&1; then
		echo "compare.sh: a C compiler or the headers of GSL are missing; run: sudo make setup" >&2
	else
		printf '%s\n' "$log" >&2
		echo "compare.sh: scripts/compare does not build" >&2
	fi
	exit 2
fi
# what scripts/study.sh selfcheck found on this machine, if it ever ran
noise=${SLAB_TEST_BUILD:-$top/build}/noise-floor
[ ! -f "$noise" ] || set -- --noise-floor="$noise" "$@"
exec "$out/compare" "$@"
