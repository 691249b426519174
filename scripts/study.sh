#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/study.sh list
#        scripts/study.sh run STUDY [--boots N] [--resume]
#        scripts/study.sh compare STUDY
#        scripts/study.sh selfcheck [--boots N] [--resume]
#
# A study is a question to two or more kernels: a folder with a study.conf. Its kernels are booted in
# turn (A B, B A, …), so that what drifts on this machine meets all of them; then they are compared.
#
#   list      the studies below studies/
#   run       boot, compare, plot; records go to build/studies/NAME/run-001/SIDE, a new run each time
#   compare   the comparison of the latest run again
#   selfcheck run the study selfcheck and say what can be told on this machine (scripts/selfcheck.sh);
#             160 boots, about 20 minutes
#   --boots N boots of each side instead of what study.conf says
#   --resume  go on with the latest run where it stopped, with the study.conf and the module's source
#             that it was started with
#
# STUDY is a name below studies/ or the path of a folder.
#
# study.conf has lines of the form `key: value`; # starts a comment line.
#   title: TEXT
#   side: NAME = KERNEL [more of the kernel's command line]     at least two; the first is the base
#   boots: N
#   vm: options of scripts/vm.sh, as --smp 4 or --exact
#   append: kernel command line of all sides
#   parameters: module parameters
#   parameters of NAME: more of them, for one side
#   compare: options of scripts/compare.sh
# KERNEL is a name of `scripts/kernel.sh list` or the path of a built tree, from the study's folder.
#
# Exit: 2 bad usage or study.conf, 9 something is missing; else what vm.sh returned for the boot that
# stopped the study, or what compare.sh returned
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# value KEY, from the study.conf in use; the last line of that name holds
value() { values "$1" | tail -n 1; }
values() { sed -n "s/^$1:[[:space:]]*//p" "$conf"; }

list() {
	for conf in "$top"/studies/*/study.conf; do
		[ ! -f "$conf" ] || printf '%-16s %s\n' "$(basename "$(dirname "$conf")")" "$(value title)"
	done
}

# find_study STUDY: sets $folder, $name, $conf and $runs
find_study() {
	case $1 in
	*/* | .) folder=$1 ;;
	*) folder=$top/studies/$1 ;;
	esac
	[ -f "$folder/study.conf" ] ||
		usage_error "no study '$1': $folder/study.conf is not there; 'list' names the studies"
	folder=$(absolute "$folder")
	name=${folder##*/}
	conf=$folder/study.conf
	runs=$build/studies/$name
	# the runs of another folder of this name are not ours
	[ ! -f "$runs/folder" ] || [ "$(cat "$runs/folder")" = "$folder" ] ||
		runs=$runs-$(echo "$folder" | cksum | cut -d ' ' -f 1)
}

latest_run() { find "$runs" -maxdepth 1 -name 'run-[0-9]*' 2>/dev/null | sort | tail -n 1; }

# check_conf: everything that can be wrong is said before the first boot
check_conf() {
	bad=$(grep -vnE '^(title|side|boots|vm|append|parameters|parameters of [A-Za-z0-9._+-]+|compare):|^[[:space:]]*(#|$)' "$conf" |
		head -n 1)
	[ -z "$bad" ] || die 2 "$conf:$bad: not a key of study.conf (see $me --help)"
	bad=$(values side | grep -vE '^[A-Za-z0-9._+-]+[[:space:]]*=[[:space:]]*[^[:space:]]' | head -n 1) || true
	[ -z "$bad" ] || die 2 "$conf: side: '$bad' is not NAME = KERNEL"
	sides=$(values side | sed 's/[[:space:]]*=.*//')
	[ "$(echo "$sides" | grep -c .)" -ge 2 ] || die 2 "$conf: a study has two sides or more"
	[ -z "$(echo "$sides" | sort | uniq -d)" ] || die 2 "$conf: two sides have the same name"
	is_number "$(value boots)" || die 2 "$conf: boots: '$(value boots)' is no number of boots"
}

# kernel_of SIDE, append_of SIDE
kernel_of() {
	kernel=$(side_words "$1" | awk '{ print $1 }')
	case $kernel in
	/* | *:*) echo "$kernel" ;;
	*) echo "$folder/$kernel" ;;
	esac
}
append_of() { echo "$(value append) $(side_words "$1" | awk '{ $1 = ""; print substr($0, 2) }')"; }
side_words() {
	values side | awk -v name="$1" '{ side = $0; sub(/[ \t]*=.*/, "", side) }
		side == name { sub(/^[^=]*=[ \t]*/, ""); print }'
}

records() { find "$1" -maxdepth 1 -name 'boot-*.txt' 2>/dev/null | wc -l; }

# boot_side SIDE N: N more boots of a side
boot_side() {
	# shellcheck disable=SC2046 # options and parameters are words
	"$here/vm.sh" --kernel "$(kernel_of "$1")" --boots "$2" --append "$(append_of "$1")" \
		--module "$run/module" -o "$run/$1" $(value vm) -- $(value parameters) $(value "parameters of $1") >/dev/null 2>"$run/vm.log" || {
		code=$?
		cat "$run/vm.log" >&2
		die "$code" "$name: $1 did not finish; 'run $name --resume' goes on from here"
	}
	grep -E 'complained|KVM|emulating' "$run/vm.log" >&2 || true
}

# schedule: one line a boot, SIDE and its number, in the order of booting
schedule() {
	number=1
	while [ "$number" -le "$boots" ]; do
		if [ $((number % 2)) = 1 ]; then echo "$sides"; else echo "$sides" | tac; fi |
			sed "s/\$/ $number/"
		number=$((number + 1))
	done
}

run_study() {
	boots='' resume=''
	find_study "$1"
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--boots)
			[ $# -gt 1 ] || usage_error "--boots needs a number"
			is_number "$2" || usage_error "--boots: '$2' is no number of boots"
			boots=$2
			shift 2
			;;
		--resume)
			resume=yes
			shift
			;;
		*) usage_error "run: unknown option '$1'" ;;
		esac
	done
	check_conf
	if [ -n "$resume" ]; then
		run=$(latest_run)
		[ -n "$run" ] || usage_error "$name was never run: nothing to resume"
		conf=$run/study.conf
	else
		mkdir -p "$runs"
		echo "$folder" >"$runs/folder"
		last=$(latest_run | sed 's/.*run-0*//')
		number=$((${last:-0} + 1))
		# mkdir decides between two callers that count at the same time
		until mkdir "$runs/run-$(printf %03d $number)" 2>/dev/null; do
			[ -d "$runs/run-$(printf %03d $number)" ] || die 9 "cannot write in $runs"
			number=$((number + 1))
		done
		run=$runs/run-$(printf %03d $number)
		mkdir "$run/module"
		cp "$conf" "$run/study.conf"
		# one module for all boots, whatever is edited meanwhile
		cp "$top/Kbuild" "$top"/*.[ch] "$run/module/"
		conf=$run/study.conf
	fi
	[ -z "$boots" ] || echo "boots: $boots" >>"$conf"
	check_conf
	boots=$(value boots)
	total=$(($(echo "$sides" | wc -l) * boots))
	done=0
	booted=0

	note "$name: $(value title)"
	for side in $sides; do
		case $(kernel_of "$side") in
		*:*) "$here/kernel.sh" get "$(kernel_of "$side")" >/dev/null ;;
		esac
	done
	started=$(date +%s)
	case " $(value vm) " in
	*' --exact '*)
		# nothing drifts when instructions are counted, and vm.sh compares the boots of a side
		for side in $sides; do
			[ "$(records "$run/$side")" -ge "$boots" ] || {
				note "$name: $side, $boots boots"
				boot_side "$side" "$boots"
			}
		done
		;;
	*)
		# the list is kept in a file: a pipe would put the loop into a subshell
		schedule >"$run/schedule"
		while read -r side number <&3; do
			done=$((done + 1))
			[ "$(records "$run/$side")" -lt "$number" ] || continue
			left=
			[ "$booted" = 0 ] ||
				left=", about $((($(date +%s) - started) * (total - done + 1) / booted)) s to go"
			note "$name: boot $done of $total: $side$left"
			boot_side "$side" 1
			booted=$((booted + 1))
		done 3<"$run/schedule"
		;;
	esac
	compare_run
}

# compare_run: the table of $run on standard output; table, CSV and pictures in $run
compare_run() {
	set --
	for side in $(values side | sed 's/[[:space:]]*=.*//'); do
		set -- "$@" "$side=$run/$side"
	done
	# what is for people only has no place in a CSV
	csv_options=$(value compare | sed 's/--why//; s/--format=[^ ]*//')
	code=0
	# shellcheck disable=SC2046 # options are words
	"$here/compare.sh" $(value compare) "$@" >"$run/compare.txt" || code=$?
	cat "$run/compare.txt"
	# shellcheck disable=SC2086
	if "$here/compare.sh" $csv_options --format=csv "$@" >"$run/compare.csv" 2>/dev/null ||
		[ -s "$run/compare.csv" ]; then
		"$here/compare.sh" $csv_options --format=csv-samples "$@" >"$run/samples.csv" 2>/dev/null ||
			true
		plots
	else
		note "no pictures: what was compared has no table"
	fi
	note "records, compare.txt, CSV and pictures: $run"
	exit "$code"
}

# plots: the pictures of $run, as far as their tools are installed
plots() {
	pictures=
	while read -r script csv; do
		picture=${script%.*}.png
		if why=$("$top/plot/$script" "$run/$csv" "$run/$picture" "$(value title)" 2>&1); then
			pictures="$pictures $picture"
		else
			note "no $picture: $(echo "$why" | tail -n 1)"
		fi
	done <<-END
		before-after.gp compare.csv
		deltas.gp compare.csv
		kernels.py compare.csv
		rounds.py samples.csv
		cpus.py samples.csv
	END
	note "pictures:${pictures:- none}"
}

[ $# -gt 0 ] || usage_error "no command"
command=$1
shift
case $command/$# in
-h/* | --help/*) help ;;
list/0) list ;;
run/0 | compare/0) usage_error "$command: which study?" ;;
run/*) run_study "$@" ;;
selfcheck/*)
	# the table of all sides is not the question here
	code=0
	"$here/study.sh" run selfcheck "$@" >/dev/null || code=$?
	case $code in 0 | 1 | 3) ;; *) exit $code ;; esac
	find_study selfcheck
	exec "$here/selfcheck.sh" "$(latest_run)"
	;;
compare/1)
	find_study "$1"
	run=$(latest_run)
	[ -n "$run" ] || die 9 "$name was never run: scripts/study.sh run $name"
	conf=$run/study.conf
	compare_run
	;;
list/* | compare/*) usage_error "$command: wrong number of arguments" ;;
*) usage_error "unknown command '$command'" ;;
esac
