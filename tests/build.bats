#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/build.sh, on a small tree whose makefile pretends to be a kernel's: what is built, when it is
# built again, and what is left of a build that went wrong.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	cd "$BATS_TEST_TMPDIR"
	export SLAB_TEST_BUILD=$BATS_TEST_TMPDIR/build
	export MADE=$BATS_TEST_TMPDIR/made
	: >"$MADE"
	mkdir -p linux/mm linux/arch/x86/include linux/include linux/scripts
	cp "$BATS_TEST_DIRNAME/build/Makefile" linux/
	echo 'first' >linux/mm/slab.c
	echo 'numa' >linux/mm/numa.c
	echo 'header' >linux/include/slab.h
	echo 'asm' | tee linux/arch/x86/include/asm.h linux/scripts/tool >/dev/null
	echo 'CONFIG_SLAB=y' >slab.config
	printf 'CONFIG_SMP=y\n# a comment\nCONFIG_NUMA=y\n' >numa.config
	# change NAME FILE OLD NEW: a patch that changes a line of a file
	change() {
		printf -- '--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-%s\n+%s\n' "$2" "$2" "$3" "$4" >"$1.patch"
	}
	change two mm/slab.c first second
	change three mm/slab.c second third
}

build() { "$top/scripts/build.sh" --source linux "$@"; }

# refused CODE TEXT ARGUMENT...: ends with that code and one line that has the text
refused() {
	local code=$1 text=$2
	shift 2
	run --separate-stderr build "$@"
	echo "$* -> $status: $output / $stderr"
	[ "$status" = "$code" ]
	[ -z "$output" ]
	[[ ${stderr_lines[-1]} == "build.sh: "*"$text"* ]]
}

@test "build.sh: --help is its usage; bad usage is one line and exit code 2" {
	run "$top/scripts/build.sh" --help
	[ "$status" = 0 ]
	[[ $output == "usage: scripts/build.sh"* ]]
	for arguments in '' --config '--config nowhere' '--config .' '--frobnicate' 'slab.config' \
		'--config slab.config --patch nowhere' '--config slab.config --source nowhere' \
		'--config slab.config --source linux-source-0.1' '--config slab.config --source linux@HEAD'; do
		# shellcheck disable=SC2086 # words
		run build $arguments
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] || {
			echo "$arguments: status $status: $output"
			return 1
		}
	done
	[ ! -d build/kernels ]
}

@test "build.sh: a kernel is a folder with image, tree and what it is made of, and is built once" {
	kernel=$(build --config slab.config --config numa.config --patch two.patch --patch three.patch)
	[ "$(cat "$kernel/arch/x86/boot/bzImage" | tr '\n' ' ')" = "third numa CONFIG_X86=y CONFIG_SLAB=y CONFIG_SMP=y CONFIG_NUMA=y " ]
	for part in .config Makefile Module.symvers scripts/module.lds include/slab.h made-of/three.patch \
		made-of/slab.config made-of/build.log; do
		[ -f "$kernel/$part" ]
	done
	[ ! -e "$kernel/mm/slab.o" ]
	sum() { sha256sum "$1" | cut -c 1-12; }
	grep -qx "# built: linux-[0-9a-f]\{12\}, gcc.*" "$kernel/made-of/header"
	grep -qx "# config: slab.config $(sum slab.config), numa.config $(sum numa.config)" "$kernel/made-of/header"
	grep -qx "# patches: two.patch $(sum two.patch), three.patch $(sum three.patch)" "$kernel/made-of/header"
	: >"$MADE"
	run --separate-stderr build --config slab.config --config numa.config --patch two.patch --patch three.patch
	[ "$output" = "$kernel" ] && [ -z "$stderr" ] && [ ! -s "$MADE" ]
	# another order, another config, another source: another kernel
	[ "$(build --config slab.config --config numa.config)" != "$kernel" ]
	[ "$(build --config slab.config)" != "$(build --config slab.config --config numa.config)" ]
	echo 'changed' >linux/mm/numa.c
	[ "$(build --config slab.config --config numa.config --patch two.patch --patch three.patch)" != "$kernel" ]
	grep -q '^# patches: -$' "$(build --config slab.config)/made-of/header"
}

@test "build.sh: kernels of one config share a tree, in which only what differs is compiled" {
	plain=$(build --config slab.config --variant numa.config)
	: >"$MADE"
	patched=$(build --config slab.config --variant numa.config --patch two.patch)
	[ "$(tr '\n' ' ' <"$MADE")" = "tinyconfig mm/slab.o " ]
	grep -qx second "$patched/arch/x86/boot/bzImage"
	grep -qx first "$plain/arch/x86/boot/bzImage"
	# a patch that adds a file and changes a header, and back
	printf -- '--- /dev/null\n+++ b/include/new.h\n@@ -0,0 +1 @@\n+new\n' >header.patch
	change more include/slab.h header changed
	cat more.patch >>header.patch
	with=$(build --config slab.config --patch header.patch)
	grep -qx new "$with/include/new.h"
	grep -qx changed "$with/include/slab.h"
	change four mm/slab.c first fourth
	back=$(build --config slab.config --patch four.patch)
	grep -qx fourth "$back/arch/x86/boot/bzImage"
	grep -qx header "$back/include/slab.h"
	[ ! -e "$back/include/new.h" ]
	# kernels made before are what they were, and so is the source
	grep -qx header "$plain/include/slab.h"
	grep -qx changed "$with/include/slab.h"
	[ "$(cat linux/mm/slab.c build/sources/linux-*/mm/slab.c | tr '\n' ' ')" = "first first " ]
	[ "$(ls -d build/trees/linux-*[0-9a-f] | wc -l)" = 1 ]
	build --config numa.config >/dev/null
	[ "$(ls -d build/trees/linux-*[0-9a-f] | wc -l)" = 2 ]
}

@test "build.sh: a patch that does not apply is named, with exit code 11; the rest is kept" {
	kept=$(build --config slab.config)
	refused 11 'three.patch does not apply' --config slab.config --patch three.patch
	refused 11 'three.patch does not apply' --config slab.config --patch two.patch --patch three.patch --patch three.patch
	change other mm/none.c a b
	refused 11 'other.patch does not apply' --config slab.config --patch other.patch
	echo 'no patch at all' >text.patch
	refused 11 'text.patch does not apply' --config slab.config --patch text.patch
	refused 11 'three.patch does not apply' --check --patch three.patch
	run build --check --patch two.patch --patch three.patch
	[ "$status" = 0 ] && [ -z "$output" ]
	[ "$(ls build/kernels)" = "${kept##*/}" ]
}

@test "build.sh: an option that is asked for and not there fails by name, with exit code 12" {
	printf 'CONFIG_SLAB=y\nCONFIG_NUMA=y\n' >contradiction.config
	refused 12 'config' --config contradiction.config
	[[ $stderr == *"contradiction.config:2: CONFIG_NUMA=y was asked for and came out as n"* ]]
	[[ $stderr != *CONFIG_SLAB* ]]
	printf '# CONFIG_SLAB is not set\n' >off.config
	refused 12 'config' --config off.config --config slab.config --config off.config --variant contradiction.config
	[ -n "$(build --config slab.config --config off.config)" ]
	printf 'CONFIG_SMP=y\nSLAB=y\n' >nonsense.config
	refused 12 'config' --config nonsense.config
	[[ $stderr == *'nonsense.config:2: "SLAB=y" is no option'* ]]
	[[ $stderr != *CONFIG_SMP* ]]
	# the patched file is not compiled
	change off mm/numa.c numa other
	refused 12 'does not compile mm/numa.c, which off.patch changes' --config slab.config --patch off.patch
	[ "$(ls build/kernels | wc -l)" = 1 ]
}

@test "build.sh: a kernel that does not build: exit code 13, the compiler's words, and nothing is kept" {
	change bad mm/slab.c first 'error: this is none'
	refused 13 'error: this is none' --config slab.config --patch bad.patch
	log=$(ls build/trees/*.log)
	[[ $stderr == *"see $PWD/$log"* ]]
	[ -z "$(ls build/kernels 2>/dev/null)" ]
	[ "$(head -n 1 "$(build --config slab.config)/arch/x86/boot/bzImage")" = first ]
}

@test "build.sh: of an interrupted build nothing is used later" {
	change slow mm/slab.c first slow
	"$top/scripts/build.sh" --source linux --config slab.config --patch slow.patch 2>/dev/null &
	pid=$!
	for _ in $(seq 100); do
		! grep -q slab.o "$MADE" || break
		sleep 0.1
	done
	sleep 0.3
	kill -TERM $pid
	wait $pid && false || [ $? = 143 ]
	[ -z "$(ls build/kernels 2>/dev/null)" ]
	[ -z "$(find build -name '.partial*')" ]
	# as after a power cut: an object that is not whole and yet newer than its source
	object=$(ls -d build/trees/*/mm)/slab.o
	echo half >"$object"
	sed -i s/slow/first/ "$(dirname "$object")/slab.c"
	touch -d '1 minute ago' "$(dirname "$object")/slab.c"
	[ "$(head -n 1 "$(build --config slab.config)/arch/x86/boot/bzImage")" = first ]
}

@test "build.sh: no room, a missing tool and a folder that cannot be written are said, with exit code 9" {
	mkdir bin
	printf '#!/bin/sh\necho head\necho disk 1 1 1024 1 /\n' >bin/df
	chmod +x bin/df
	PATH=$PWD/bin:$PATH refused 9 'no room' --config slab.config
	rm bin/df
	for tool in sh dirname cat sed awk grep id mktemp rm uname; do ln -s "$(command -v $tool)" bin/; done
	PATH=$PWD/bin refused 9 'scripts/setup.sh build' --config slab.config
	: >file
	SLAB_TEST_BUILD=$PWD/file refused 9 'cannot write' --config slab.config
	[ ! -d build/kernels ]
}

@test "build.sh: a tree that somebody built in is refused, and left as it is" {
	touch linux/.config
	refused 2 'was built in' --config slab.config
	[ ! -d build/trees ] && [ ! -s linux/.config ]
}

@test "build.sh: of a git checkout the commit counts; changes that are not committed are refused" {
	git init -q linux
	commit() { git -C linux -c user.name=a -c user.email=a@b commit -qam "$1"; }
	git -C linux add .
	commit one
	one=$(build --config slab.config)
	echo 'edited' >linux/mm/slab.c
	refused 2 'not committed' --config slab.config
	commit two
	two=$(build --config slab.config)
	[ "$one" != "$two" ]
	grep -qx edited "$two/arch/x86/boot/bzImage"
	run --separate-stderr "$top/scripts/build.sh" --source linux@HEAD~1 --config slab.config
	[ "$output" = "$one" ] && [ -z "$stderr" ]
	run "$top/scripts/build.sh" --source linux@nothing --config slab.config
	[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ]
}
