#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/kernel.sh and scripts/setup.sh: what they fetch, from where, and that a fetch is whole or
# not there at all.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	kernel=$top/scripts/kernel.sh
	empty=$BATS_TEST_TMPDIR/build
}

# fake_apt COMMANDS: an apt-get that runs COMMANDS, found before the real one
fake_apt() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n%s\n' "$1" >"$BATS_TEST_TMPDIR/bin/apt-get"
	chmod +x "$BATS_TEST_TMPDIR/bin/apt-get"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

@test "kernel.sh: --help is its usage; bad usage is one line and exit code 2" {
	run "$kernel" --help
	[ "$status" = 0 ]
	[[ $output == "usage: scripts/kernel.sh"* ]]
	for arguments in '' frobnicate get 'get debian:6.1 more' 'get debian:0.1' 'get ../../etc' path \
		'path nowhere' 'path debian:6.1 colour' compiler 'compiler nowhere' 'module nowhere' 'module debian:6.1 /nonexistent' \
		'busybox vax' 'list more'; do
		# shellcheck disable=SC2086 # words
		run "$kernel" $arguments
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "$arguments: status $status: $output"
			return 1
		}
	done
}

@test "kernel.sh list: every line of kernels.tsv, and none is malformed" {
	run "$kernel" list
	[ "$status" = 0 ]
	[ "$(awk '{ print $1 }' <<<"$output")" = "$(grep -v '^#' "$top/scripts/kernels.tsv" | cut -f 1)" ]
	[ -z "$(grep -v '^#' "$top/scripts/kernels.tsv" | cut -f 1 | sort | uniq -d)" ]
	[ -z "$(grep -v '^#' "$top/scripts/kernels.tsv" |
		grep -vP '^debian:[0-9.]+(-[a-z0-9]+)?\t[a-z-]+\t(amd64|arm64|i386)\tlinux-image-[a-z0-9-]+\tlinux-headers-[a-z0-9-]+$')" ]
}

@test "kernel.sh get: fetches once, and what it fetched builds the module in place" {
	export SLAB_TEST_BUILD=$empty
	run --separate-stderr "$kernel" get debian:6.1
	[ "$status" = 0 ]
	[ "$output" = "$empty/kernels/debian-6.1" ]
	[[ $stderr == *"downloading 6.1."*"unpacking "*" MB"*"ready"* ]]
	[ "$("$kernel" path debian:6.1 arch)" = x86_64 ]
	[[ $("$kernel" path debian:6.1 release) == 6.1.*-cloud-amd64 ]]
	[ "$(head -c 2 "$("$kernel" path debian:6.1 image)")" = MZ ]
	# again: nothing but the answer, even with no network
	fake_apt 'exit 1'
	run "$kernel" get debian:6.1
	[ "$status" = 0 ]
	[ "$output" = "$empty/kernels/debian-6.1" ]
	# moved, as a checkout may be: the header tree follows
	mv "$empty" "$BATS_TEST_TMPDIR/moved"
	export SLAB_TEST_BUILD=$BATS_TEST_TMPDIR/moved
	"$kernel" get debian:6.1
	run "$kernel" module debian:6.1 "$top/tests/fixture"
	[ "$status" = 0 ]
	modinfo -F vermagic "$output" | grep -q "^$("$kernel" path debian:6.1 release) "
	# and again without building
	before=$(stat -c %Y.%i "$output")
	sleep 1
	[ "$(stat -c %Y.%i "$("$kernel" module debian:6.1 "$top/tests/fixture")")" = "$before" ]
}

@test "kernel.sh get: interrupted, it leaves nothing; two at once fetch one kernel" {
	export SLAB_TEST_BUILD=$empty
	setsid "$kernel" get debian:6.1 >/dev/null 2>&1 3>&- &
	victim=$!
	for _ in $(seq 200); do
		[ -z "$(find "$empty"/.partial.*/debs -name '*.deb' 2>/dev/null)" ] || break
		sleep 0.1
	done
	[ -n "$(find "$empty"/.partial.*/debs -name '*.deb')" ]
	kill -TERM -- "-$victim"
	wait $victim && return 1
	[ -z "$(find "$empty" -maxdepth 1 -name '.partial.*')" ]
	[ ! -e "$empty/kernels/debian-6.1" ]
	run "$kernel" path debian:6.1
	[ "$status" = 9 ]
	[[ $output == *"kernel.sh get debian:6.1" ]]

	"$kernel" get debian:6.1 >"$BATS_TEST_TMPDIR/first" 2>&1 3>&- &
	"$kernel" get debian:6.1 >"$BATS_TEST_TMPDIR/second" 2>&1
	wait $!
	[ "$(cat "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second" | grep -c ready)" = 1 ]
	[ "$(cat "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second" | grep -c "^$empty/kernels/debian-6.1$")" = 2 ]
}

@test "kernel.sh get: the mirror is the machine's own; without one, and when it fails, it says so" {
	export SLAB_TEST_BUILD=$empty
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	fake_apt 'exit 1'
	run "$kernel" get debian:6.1
	[ "$status" = 9 ]
	[[ $output == *"no Debian mirror"* ]]
	fake_apt "case \"\$*\" in
	*--print-uris*)
		echo \"'http://elsewhere.example/x/dists/nodistro/InRelease' a 0\"
		echo \"'http://mirror.example/debian/dists/$codename/InRelease' b 0\"
		echo \"'http://sec.example/s/dists/$codename-security/InRelease' c 0\" ;;
	*) exit 100 ;;
	esac"
	run "$kernel" get debian:6.1
	[ "$status" = 9 ]
	[[ $output == *"apt-get update for bookworm-security failed"* ]]
	grep -q ' http://sec.example/s bookworm-security main$' "$empty"/apt/bookworm-security-amd64/sources.list
	run "$kernel" get debian:6.12
	[ "$status" = 9 ]
	grep -q ' http://mirror.example/debian bookworm-backports main$' \
		"$empty"/apt/bookworm-backports-amd64/sources.list
	[ ! -e "$empty/kernels/debian-6.1" ]
}

@test "kernel.sh get: a suite that has moved on to another release is an error, not another kernel" {
	export SLAB_TEST_BUILD=$empty
	cp -r "$top/scripts" "$BATS_TEST_TMPDIR/scripts"
	printf 'debian:6.0\tbookworm-security\tamd64\tlinux-image-cloud-amd64\tlinux-headers-cloud-amd64\n' \
		>>"$BATS_TEST_TMPDIR/scripts/kernels.tsv"
	run "$BATS_TEST_TMPDIR/scripts/kernel.sh" get debian:6.0
	[ "$status" = 9 ]
	[[ $output == *"bookworm-security has no 6.0 kernel today"* ]]
	[ ! -e "$empty/kernels/debian-6.0" ]
}

@test "kernel.sh path: a built tree is named by its folder" {
	tree=$BATS_TEST_TMPDIR/linux
	mkdir -p "$tree/arch/x86/boot" "$tree/arch/arm64/boot" "$tree/include/generated"
	run "$kernel" path "$tree"
	[ "$status" = 2 ]
	echo CONFIG_X86_64=y >"$tree/.config"
	echo '#define UTS_RELEASE "6.6.6-mine"' >"$tree/include/generated/utsrelease.h"
	run "$kernel" path "$tree"
	[ "$status" = 9 ]
	[[ $output == *"build the kernel first"* ]]
	: >"$tree/arch/x86/boot/bzImage"
	[ "$("$kernel" path "$tree")" = "$tree/arch/x86/boot/bzImage" ]
	[ "$("$kernel" path "$tree" kdir)" = "$tree" ]
	[ "$("$kernel" path "$tree" release)" = 6.6.6-mine ]
	echo CONFIG_ARM64=y >"$tree/.config"
	: >"$tree/arch/arm64/boot/Image"
	[ "$(cd "$tree/.." && "$kernel" path linux)" = "$tree/arch/arm64/boot/Image" ]
	[ "$("$kernel" path "$tree" arch)" = arm64 ]
}

@test "kernel.sh module: with the gcc that the tree asks for, the fetched one before this machine's" {
	export SLAB_TEST_BUILD=$empty
	tree=$BATS_TEST_TMPDIR/linux
	mkdir -p "$tree" "$empty/compilers/gcc-99/usr/bin"
	echo CONFIG_X86_64=y >"$tree/.config"
	printf 'modules:\n\t@echo cc "$(CC)"\n\t@touch "$(M)/slab_test.ko"\n' >"$tree/Makefile"
	echo 'CC = $(if $(X),$(CCACHE)) $(CROSS_COMPILE)gcc-99' >"$tree/.kernelvariables"
	object=$("$kernel" module "$tree")
	grep -qx "cc $empty/compilers/gcc-99/usr/bin/x86_64-linux-gnu-gcc-99" "${object%/*}/build.log"
	# without it, in a folder of its own
	rm -r "$empty/compilers"
	other=$("$kernel" module "$tree")
	[ "$other" != "$object" ]
	grep -qx 'cc gcc' "${other%/*}/build.log"
	run "$kernel" compiler "$tree"
	[ "$status" = 2 ]
	unset SLAB_TEST_BUILD
	"$kernel" get debian:6.1 >/dev/null
	[ "$("$kernel" compiler debian:6.1)" = "$(command -v gcc-12)" ]
}

@test "kernel.sh module: the same bytes from another folder, so that exact guests agree" {
	"$kernel" get debian:6.12 >/dev/null
	mkdir "$BATS_TEST_TMPDIR/elsewhere"
	cp "$top/Kbuild" "$top"/*.[ch] "$BATS_TEST_TMPDIR/elsewhere"
	object=$("$kernel" module debian:6.12 "$top")
	cmp "$object" "$("$kernel" module debian:6.12 "$BATS_TEST_TMPDIR/elsewhere")"
	# nor does it bear the path of the kernel's headers
	headers=$("$kernel" path debian:6.12 kdir)
	grep -q "${headers##*/}" "$object"
	! grep -qF "${headers%/*}" "$object"
}

@test "kernel.sh qemu and checkpatch: both start" {
	run --separate-stderr "$kernel" qemu
	[ "$status" = 0 ]
	version=$("$output" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
	[ "$version" -ge 10 ]
	run --separate-stderr "$kernel" checkpatch
	[ "$status" = 0 ]
	printf '// SPDX-License-Identifier: GPL-2.0-only\nint a ;\n' >"$BATS_TEST_TMPDIR/a.c"
	run perl "$output" --no-tree --strict -f "$BATS_TEST_TMPDIR/a.c"
	[[ $output == *"space prohibited before"* ]]
}

@test "setup.sh: usage, silence when nothing is missing, and root when something is" {
	run "$top/scripts/setup.sh" --help
	[ "$status" = 0 ]
	run "$top/scripts/setup.sh" frobnicate
	[ "$status" = 2 ]
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho installed\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query"
	chmod +x "$BATS_TEST_TMPDIR/bin/dpkg-query"
	fake_apt 'echo apt-get was called; exit 1'
	run "$top/scripts/setup.sh" demo check arm64
	[ "$status" = 0 ]
	[ -z "$output" ]
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query"
	printf '#!/bin/sh\necho 1000\n' >"$BATS_TEST_TMPDIR/bin/id"
	chmod +x "$BATS_TEST_TMPDIR/bin/id"
	run "$top/scripts/setup.sh" demo
	[ "$status" = 9 ]
	[[ $output == *"sudo scripts/setup.sh demo"*"busybox-static"* ]]
}
