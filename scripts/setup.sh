#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/setup.sh [GROUP...]
#
# Installs the Debian packages that the project needs. Says and does nothing when they are there.
# Needs root otherwise.
#
#   demo     to build the module, boot kernels, compare and plot (the default)
#   plot     what the pictures need besides those that the demo draws
#   check    what the tests need besides, with plot
#   build    to build kernels from source
#   workload what the guests of the workloads rawudp, rawpkt and messaging are made with
#   arm64    what building and emulating arm64 needs besides
#   deb      to make Debian packages of this
#   long     what the long tests need besides, with build, workload and deb
#
# Exit: 0 everything is installed, 2 bad usage, 9 apt-get failed or this is not root
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

demo='gcc libc6-dev make bc libelf-dev kmod cpio xz-utils qemu-system-x86 busybox-static
	libgsl-dev gnuplot-nox fonts-dejavu-core'
plot=python3-matplotlib
check="$plot bats python3-jsonschema git perl procps shellcheck sparse"
build_kernels='flex bison patch libssl-dev'
workload=mmdebstrap
arm64='gcc-aarch64-linux-gnu qemu-system-arm'
deb='debhelper dh-dkms dpkg-dev'
long="$build_kernels $workload $deb clang lld llvm"

packages=$demo
for group; do
	case $group in
	-h | --help)
		help
		exit 0
		;;
	demo) ;;
	plot) packages="$packages $plot" ;;
	check) packages="$packages $check" ;;
	build) packages="$packages $build_kernels" ;;
	workload) packages="$packages $workload" ;;
	arm64) packages="$packages $arm64" ;;
	deb) packages="$packages $deb" ;;
	long) packages="$packages $long" ;;
	*) usage_error "'$group' is not demo, plot, check, build, workload, arm64, deb or long" ;;
	esac
done

command -v apt-get >/dev/null 2>&1 || die 9 "this is no Debian: install by other means: $packages"
missing=
for package in $packages; do
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0
[ "$(id -u)" = 0 ] || die 9 "not root: sudo scripts/setup.sh $*, to install$missing"

mkdir -p "$build"
log=$build/setup.log
export DEBIAN_FRONTEND=noninteractive

# yesterday's lists name files that the mirror may have dropped
if [ -z "$(find /var/lib/apt/lists -name '*Packages*' -mtime -1 2>/dev/null | head -n 1)" ]; then
	note "apt-get update"
	apt-get -q update >"$log" 2>&1 || die 9 "apt-get update failed, see $log"
fi
note "installing$missing"
# shellcheck disable=SC2086 # a list of package names
apt-get -q -y install --no-install-recommends $missing >>"$log" 2>&1 || {
	tail -n 3 "$log" >&2
	die 9 "apt-get install failed, see $log"
}
