#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/deb.sh
#
# Makes the Debian packages slab-test-dkms (the module's source, which DKMS builds) and slab-test-tools
# (these scripts, the comparison and the pictures, as the command slab-test), and their source
# package, in build/deb/. Prints the paths of the two.
#
# Exit: 0 done, 2 bad usage, 9 something is missing or does not build
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

case ${1:-} in
'') ;;
-h | --help)
	help
	exit 0
	;;
*) usage_error "'$1' is no option" ;;
esac

for tool in dpkg-buildpackage dh_dkms; do
	command -v "$tool" >/dev/null 2>&1 || die 9 "no $tool: sudo scripts/setup.sh deb installs it"
done
mkdir -p "$build/deb"
work=$(mktemp -d "$build/deb/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# a copy, because the tools of Debian write beside and above the source
mkdir "$work/slab-test"
tar -C "$top" -c --exclude-vcs --exclude=./build --exclude=./.ci --exclude=./tests --exclude='*.o' \
	--exclude='*.ko' --exclude='*.mod*' --exclude='.*.cmd' --exclude=__pycache__ . | tar -x -C "$work/slab-test"
(cd "$work/slab-test" && dpkg-buildpackage -us -uc) >"$build/deb/build.log" 2>&1 || {
	tail -n 5 "$build/deb/build.log" >&2
	die 9 "the packages do not build, see $build/deb/build.log"
}
for file in "$work"/slab-test*_*; do
	mv -f "$file" "$build/deb/"
done
find "$build/deb" -maxdepth 1 -name "slab-test-*_$(dpkg-parsechangelog -l "$top/debian/changelog" -S Version)_*.deb" |
	grep -v dbgsym | sort
