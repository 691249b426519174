#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/matrix.sh list
#        scripts/matrix.sh run [NAME...]
#        scripts/matrix.sh table
#
# Does slab_test build for every kernel, run there, and make sense? The kernels are the lines of
# scripts/kernels.tsv, which are fetched, and of scripts/matrix.tsv, which are built from source.
#
#   list    their names, and what each one is
#   run     all of them, or those named. A kernel is right when the module builds for it at W=1 without
#           a warning, by its own compiler, and a short plan in QEMU ends well: the kernel does not
#           complain, every test has samples, all objects come back, and no figure is called cycles that
#           the clock did not count as such. Where the module must refuse to load, that it does.
#           Records, consoles and table.tsv go to build/matrix/run-001, a new run each time.
#   table   the latest run as a table in Markdown
#
# Exit: 0 all kernels are right, 1 one is not, 2 bad usage, 9 there is nothing to show, or no room
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

runs=$build/matrix
plan='preset=quick'
tab=$(printf '\t')

# kernels: NAME, CONFIG (empty where it is fetched), MAKE and what it MUST say, one line a kernel
kernels() {
	sed -n "s/^\([^#$tab]*\)$tab.*/\1$tab-$tab-$tab-/p" "$here/kernels.tsv"
	grep -v '^#' "$here/matrix.tsv"
}

# line_of NAME COLUMN
line_of() { kernels | awk -F '\t' -v name="$1" -v column="$2" '$1 == name { print $column }'; }

list() {
	kernels | while IFS=$tab read -r name config make must; do
		[ "$config" != - ] || config="Debian's"
		[ "$make" = - ] || config="$config, the module with $make"
		[ "$must" = - ] || config="$config: must say \"$must\""
		printf '%-20s %s\n' "$name" "$config"
	done
}

# get_kernel NAME: fetched with its compiler, or built; prints what vm.sh takes as --kernel
get_kernel() {
	config=$(line_of "$1" 2)
	if [ "$config" = - ]; then
		"$here/kernel.sh" get "$1" >/dev/null && "$here/kernel.sh" compiler "$1" >/dev/null && echo "$1"
		return
	fi
	for option in $config; do
		case $option in
		*=n) echo "# CONFIG_${option%=n} is not set" ;;
		*=*) echo "CONFIG_$option" ;;
		*) echo "CONFIG_$option=y" ;;
		esac
	done >"$run/$1.config"
	"$here/build.sh" --config "$here/matrix.config" --variant "$run/$1.config"
}

# senseless: what is wrong with the record on standard input, one reason a line
senseless() {
	awk -F '\t' '
		/^# state: / && !/^# state: done$/ { print "the record says " substr($0, 3) }
		/^# objects: / { split($0, part, /[ ,]+/); if (part[4] != part[6]) print "objects are missing" }
		/^# plan: / {
			match($0, /tests=[^ ]*/); nr_tests = split(substr($0, RSTART + 6, RLENGTH - 6), tests, ",")
			match($0, /sizes=[^ ]*/); nr_sizes = split(substr($0, RSTART + 6, RLENGTH - 6), sizes, ",")
		}
		/^# clock: / {
			split($0, part, " "); clock = part[3]
			unit = clock == "arch" ? "ticks" : clock == "ns" ? "ns" : "cycles"
		}
		/^[0-9]+ times kmalloc\([0-9]+\)/ {
			lines++
			if ($0 !~ " " unit "( |$)") print "not in " unit ", which the clock " clock " counts: " $0
			for (i = split($0, word, " "); i > 1; i--)
				if (word[i] == unit && word[i - 1] <= 0) print "not above 0: " $0
		}
		$1 == "test" && $2 == "rev" { in_samples = 1; next }
		in_samples && NF > 7 && $8 > 0 { sub(/\/.*/, "", $1); seen[$1]++ }
		END {
			if (!clock) print "no record"
			else if (!lines) print "no figures"
			else if (lines % nr_sizes) print "figures of some sizes are missing"
			for (i = 1; i <= nr_tests; i++)
				if (!seen[tests[i]]) print "no sample of " tests[i]
		}'
}

# check NAME: one line of table.tsv on standard output: name, release, CPUs, allocator, preemption, the
# compiler of the module, clock, and `ok` or what is wrong
check() {
	must=$(line_of "$1" 4)
	make=$(line_of "$1" 3)
	[ "$make" = - ] || export "${make?}"
	log=$run/$1.log
	record=$run/$1/boot-001.txt
	release=- wrong=
	if ! kernel=$(get_kernel "$1" 2>"$log") || ! object=$("$here/kernel.sh" module "$kernel" 2>>"$log"); then
		wrong=$(tail -n 1 "$log")
	else
		release=$("$here/kernel.sh" path "$kernel" release)
		warnings=$(grep -ciE '(warning|error)s?[: ]' "${object%/*}/build.log") || true
		[ "$warnings" = 0 ] || wrong="$warnings warnings, see ${object%/*}/build.log"
		status=0
		# shellcheck disable=SC2086 # parameters are words
		"$here/vm.sh" --kernel "$kernel" --append init_on_alloc=0 --timeout 600 -o "$run/$1" -- $plan \
			>/dev/null 2>"$log" || status=$?
		if grep -q 'the kernel complained' "$log"; then
			wrong="$wrong; $(tail -n 1 "$log")"
		elif [ "$must" != - ]; then
			grep -qF "$must" "$log" || wrong="$wrong; it did not say \"$must\", see $log"
		elif [ "$status" != 0 ]; then
			wrong="$wrong; $(tail -n 1 "$log")"
		else
			wrong="$wrong; $(senseless <"$record" | paste -sd ';' | sed 's/;/; /g')"
		fi
	fi
	wrong=$(echo "$wrong" | sed 's/^\(; \)*//; s/\(; \)*$//' | tr '\t' ' ')
	if [ -z "$wrong" ] && [ "$must" != - ]; then
		wrong="ok: refuses, $(grep -m 1 -F "$must" "$log" | sed 's/.*slab_test: //')"
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$release" \
		"$(header machine 's/^\([^,]*\), \([0-9]* CPUs\{0,1\}\).*/\2 \1/')" \
		"$(header allocator)" "$(header preemption)" \
		"$(header compiler 's/.*; the module [^:]*: //; s/^[0-9]/gcc &/')" \
		"$(header clock 's/,.*//; s/ - MHz//')" "${wrong:-ok}"
}

# header KEY [SED]: a line of $record's header; - where there is none
header() {
	value=$(sed -n "s/^# $1: //p" "$record" 2>/dev/null | sed "${2:-}")
	echo "${value:--}"
}

run_matrix() {
	for name; do
		[ -n "$(line_of "$name" 1)" ] || usage_error "unknown kernel '$name': scripts/matrix.sh list names them"
	done
	# shellcheck disable=SC2046 # names are words
	[ $# -gt 0 ] || set -- $(kernels | cut -f 1)
	mkdir -p "$runs" 2>/dev/null || die 9 "cannot write in $runs"
	number=1
	until mkdir "$runs/run-$(printf %03d $number)" 2>/dev/null; do
		[ -d "$runs/run-$(printf %03d $number)" ] || die 9 "cannot write in $runs"
		number=$((number + 1))
	done
	run=$runs/run-$(printf %03d $number)
	started=$(date +%s)
	for name; do
		note "$name"
		(check "$name") >>"$run/table.tsv" || die 9 "cannot write in $run"
		tail -n 1 "$run/table.tsv" | cut -f 1,8 | tr '\t' ' '
	done
	ok=$(cut -f 8 "$run/table.tsv" | grep -c '^ok') || true
	note "$# kernels, $ok are right, $(($# - ok)) are not; $(($(date +%s) - started)) s; $run"
	[ "$ok" = $# ]
}

table() {
	run=$(find "$runs" -maxdepth 1 -name 'run-[0-9]*' 2>/dev/null | sort | tail -n 1)
	[ -s "$run/table.tsv" ] || die 9 "no kernel was tried yet: scripts/matrix.sh run"
	echo "$(date -u -r "$run/table.tsv" +%Y-%m-%d), $(wc -l <"$run/table.tsv") kernels:"
	echo
	echo '| kernel | release | CPUs | allocator | preemption | module built by | clock | result |'
	echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
	sed "s/|/\\\\|/g; s/$tab/ | /g; s/^/| /; s/\$/ |/" "$run/table.tsv"
}

[ $# -gt 0 ] || usage_error "no command"
command=$1
shift
case $command/$# in
-h/* | --help/*) help ;;
list/0) list ;;
run/*) run_matrix "$@" ;;
table/0) table ;;
list/* | table/*) usage_error "$command: wrong number of arguments" ;;
*) usage_error "unknown command '$command'" ;;
esac
