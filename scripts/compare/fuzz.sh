#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/compare/fuzz.sh [SECONDS]
#
# Feed the readers of compare.sh with damaged input for SECONDS (600), starting from the posts of
# tests/compare/posts. What breaks them is left in build/compare/fuzz/found; give such a file to
# build/compare/fuzz_read to see it again. Needs clang and libclang-rt-14-dev.
#
# Exit: 0 nothing found, 1 found something, 2 bad usage or no clang

set -eu

case ${1-600} in
-h | --help)
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
	exit 0
	;;
*[!0-9]* | '')
	echo "fuzz.sh: '${1-}' is no number of seconds (see --help)" >&2
	exit 2
	;;
esac
command -v clang >/dev/null 2>&1 || {
	echo "fuzz.sh: no clang here; install clang and libclang-rt-14-dev" >&2
	exit 2
}
top=$(cd "$(dirname "$0")/../.." && pwd)
make -s -C "$top/scripts/compare" OUT="$top/build/compare" fuzz SECONDS="${1-600}" || exit 1
