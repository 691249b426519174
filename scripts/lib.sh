# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034,SC2154
# What every script of this folder needs. Sourced after `here` is set to the folder of the script.

top=$(cd "$here/.." && pwd)
build=${SLAB_TEST_BUILD:-$top/build}
me=${0##*/}
# as kernel.sh names architectures
host_arch=$(uname -m | sed 's/^aarch64$/arm64/; s/^i[3-6]86$/i386/')

# note TEXT...: one line of progress for a person; standard output stays clean for results.
note() { printf '%s: %s\n' "$me" "$*" >&2; }

# die CODE TEXT...: one clear line, then the exit code. Each script's --help lists its codes.
die() {
	code=$1
	shift
	note "$@"
	exit "$code"
}

# usage_error TEXT...
usage_error() { die 2 "$* (see $me --help)"; }

# help: prints the comment block at the head of the script, from the first line after the SPDX line
# to the first line that is no comment.
help() { sed -n '3,/^[^#]/{ /^#/!q; s/^# \{0,1\}//; p; }' "$0"; }

# is_number TEXT: true for a positive whole number of up to six digits
is_number() {
	case $1 in
	'' | 0* | *[!0-9]* | ???????*) return 1 ;;
	esac
}

# is_name TEXT: true for letters, digits, _, - and ., the last two not in front
is_name() {
	case $1 in
	'' | [.-]* | *[!A-Za-z0-9_.-]*) return 1 ;;
	esac
}

# absolute PATH: the same path from any folder; it must exist
absolute() {
	if [ -d "$1" ]; then (cd "$1" && pwd); else echo "$(cd "$(dirname "$1")" && pwd)/${1##*/}"; fi
}

# make_folder DIR: makes it unless it is there
make_folder() {
	mkdir -p "$1" 2>/dev/null || true
	[ -w "$1" ] || die 9 "cannot write in $1: sudo chown -R $(id -un) $build, if root made it"
}

# enough_room DIR MEGABYTES: dies when the disk of DIR has less to give
enough_room() {
	room=$(df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$room" -ge "$2" ] || die 9 "no room: $2 MB are needed in $1, $room MB are free"
}

# host_lines: the header lines that user space adds to a record on this machine. Runs under busybox
# too. A value that cannot be read is "-".
host_lines() {
	cpu0=/sys/devices/system/cpu
	echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
	echo "# load: $(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null || echo -)"
	echo "# governor: $(cat $cpu0/cpu0/cpufreq/scaling_governor 2>/dev/null || echo -)"
	if [ -r $cpu0/intel_pstate/no_turbo ]; then
		echo "# turbo: $(sed 's/0/on/; s/1/off/' $cpu0/intel_pstate/no_turbo)"
	elif [ -r $cpu0/cpufreq/boost ]; then
		echo "# turbo: $(sed 's/0/off/; s/1/on/' $cpu0/cpufreq/boost)"
	else
		echo "# turbo: -"
	fi
	echo "# smt: $(cat $cpu0/smt/control 2>/dev/null || echo -)"
}

# with_header FILE: copies a record, with the lines of FILE added to its header
with_header() {
	awk -v header="$1" '
		!done && !/^#/ { while ((getline line < header) > 0) print line; done = 1 }
		{ print }'
}

# complaints FILE...: the lines of kernel logs in which a kernel says that something is wrong with it;
# true where there are some
complaints() {
	grep -hE 'WARNING: |(^|[^A-Z])BUG[: ]|Oops: |general protection|UBSAN: |ODEBUG: |rcu: INFO|INFO: trying|refcount_t: |(add|del) corruption|Bad page|detected stall|blocked for more than|suspected memory leak' "$@"
}
