#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What can be said of the source without running it.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	cd "$top"
}

# sources PATTERN...: the files of the repository that match
sources() { git ls-files -- "$@"; }

# builds KERNEL: the module, at W=1 and with sparse, without a word of complaint
builds() {
	kdir=$(scripts/kernel.sh get "$1" >/dev/null && scripts/kernel.sh path "$1" kdir)
	cp ./*.c ./*.h Kbuild "$BATS_TEST_TMPDIR"
	run make -C "$kdir" M="$BATS_TEST_TMPDIR" CC=gcc W=1 C=2 \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules
	echo "$output"
	[ "$status" = 0 ]
	[ -s "$BATS_TEST_TMPDIR/slab_test.ko" ]
	[ "$(grep -c '  CHECK ' <<<"$output")" = "$(ls ./*.c | wc -l)" ]
	[ -z "$(grep -iE '(warning|error)s?:' <<<"$output")" ]
}

@test "the module builds for 6.1 at W=1 with sparse and without a warning" {
	builds debian:6.1
}

@test "the module builds for 6.12 at W=1 with sparse and without a warning" {
	builds debian:6.12
}

@test "checkpatch --strict is content with the module" {
	checkpatch=$(scripts/kernel.sh checkpatch)
	# compat.h is what the first two ignored types are about: it compares versions, with the constant
	# where everybody writes it; the third one that a macro names a loop twice, to compile both
	run perl "$checkpatch" --strict --no-tree --terse --no-summary \
		--ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON,MACRO_ARG_REUSE -f ./*.c ./*.h
	echo "$output"
	[ "$status" = 0 ] && [ -z "$output" ]
}

@test "shellcheck is content with every script" {
	scripts=$(sources ':!*.bats' | while read -r file; do
		! head -n 1 "$file" | grep -qE '^#!.*\b(sh|bash)$' || echo "$file"
	done)
	grep -q scripts/vm.sh <<<"$scripts"
	# shellcheck disable=SC2086 # names without blanks
	shellcheck $scripts scripts/lib.sh scripts/cgroup.sh scripts/events.sh scripts/perf.sh tests/*/guest.sh
	# bats runs each test in a subshell with set -e and variables of its own
	shellcheck -S warning -e SC2030,SC2031,SC2154,SC2164 tests/*.bats tests/*/*.bats
}

@test "every source file says its licence" {
	sources | grep -qx slab_test.c
	for file in $(sources '*.c' '*.h' '*.sh' '*.bats' '*.gp' '*.py' Makefile Kbuild tests/run .ci/run); do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || {
			echo "$file does not"
			return 1
		}
	done
}

@test "every script has --help, and refuses an unknown option with exit code 2" {
	for script in scripts/*.sh tests/run $(sources 'plot/*.py'); do
		[ -x "$script" ] || continue
		echo "$script"
		run "$script" --help
		[ "$status" = 0 ]
		[[ ${lines[0]} == usage:* ]]
		run "$script" --no-such-option
		[ "$status" = 2 ]
	done
}

@test "every parameter and every test of the module is in the README" {
	for name in $(sed -n 's/^MODULE_PARM_DESC(\([a-z]*\),.*/\1/p' slab_test.c) \
		$(sed -n 's/^	&\([a-z_]*\)_bench,$/\1/p' slab_test.c); do
		echo "$name"
		# the six accounted ones are named once
		grep -q "\`$name\`" README.md || [[ $name == accounted_* ]]
	done
}

@test "module, DKMS and packages have one version" {
	version=$(sed -n 's/^#define SLAB_TEST_VERSION	"\(.*\)"$/\1/p' slab_test.h)
	[ -n "$version" ]
	grep -qx "PACKAGE_VERSION=\"$version\"" dkms.conf
	head -n 1 debian/changelog | grep -q "^slab-test ($version) "
	[ -z "$(grep -v "usr/src/slab_test-$version\$" debian/slab-test-dkms.install)" ]
}

@test "make help lists the targets" {
	run make help
	[ "$status" = 0 ]
	for target in modules install setup demo check check-all check-debug check-studies deb fuzz plots clean; do
		grep -q "make $target" <<<"$output"
	done
}
