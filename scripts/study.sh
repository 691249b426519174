#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/study.sh list
#        scripts/study.sh check|build STUDY
#        scripts/study.sh run STUDY [--boots N] [--resume]
#        scripts/study.sh compare STUDY
#        scripts/study.sh new STUDY --tree TREE --patch FILE...
#        scripts/study.sh selfcheck [--boots N] [--resume]
#
# A study is a question to two or more kernels: a folder with a study.conf. Its kernels are booted in
# turn (A B, B A, …), so that what drifts on this machine meets all of them; then they are compared.
#
#   list      the studies below studies/
#   check     does the study.conf hold, and do its patches apply?
#   build     fetch or build the kernels of the study that are not here yet; prints where each one is
#   run       build, boot, compare, plot; records go to build/studies/NAME/run-001/SIDE, a new run each time
#   compare   the comparison of the latest run again
#   new       begin a study of your patches (several: in the order that they are given in) against your
#             tree, from studies/TEMPLATE: a folder to look at, to change and to run. TREE is what
#             build.sh --source takes: a folder, of which FOLDER@REVISION is a commit, or linux-source-6.1
#   selfcheck run the study selfcheck and say what can be told on this machine (scripts/selfcheck.sh);
#             160 boots, about 20 minutes
#   --boots N boots of each side instead of what study.conf says
#   --resume  go on with the latest run where it stopped, with the study.conf, the kernels, the module's
#             source and the scripts for metrics that it was started with
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
#   workload: arguments of scripts/workload.sh, run in the guest before the plan
#   metrics: FILE               a script that is run in the guest and prints metrics (vm.sh --metrics)
#   compare: options of scripts/compare.sh
#   published: SIDE=FILE...     figures of a mail, to be shown beside those measured here
#   part: NAME = options of scripts/vm.sh     the same sides on another machine, compared by themselves
#   across: TEST...      below the parts, a table and a picture of these tests from part to part
# KERNEL is a name of `scripts/kernel.sh list`, the path of a built tree from the study's folder, or
# `built`: a kernel that scripts/build.sh makes of
#   source: linux-source-6.1, or a tree
#   config: FILE...      fragments on top of tinyconfig
#   patches: FILE...     in this order
# All but title, side, part and across can be said of one side or part too, as `patches of NAME: FILE...`
# (boots, compare and published of a part only). That adds to what is said of all, a part's before a side's; boots,
# source and metrics replace it.
# Files are named from the study's folder.
#
# Exit: 2 bad usage or study.conf, 9 something is missing; else what build.sh returned for the kernel or
# vm.sh for the boot that stopped the study, or the highest of what compare.sh returned
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# --check when kernels are not to be made
check=

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

# name_sides: sets $sides and $parts; a study without parts has one, whose name is -
name_sides() {
	sides=$(values side | sed 's/[[:space:]]*=.*//')
	parts=$(values part | sed 's/[[:space:]]*=.*//')
	parts=${parts:--}
}

# check_conf: everything that can be wrong is said before the first boot
check_conf() {
	bad=$(grep -vnE '^((title|side|part|across):|(boots|vm|append|parameters|workload|metrics|compare|published|source|config|patches)( of [A-Za-z0-9._+-]+)?:|[[:space:]]*(#|$))' "$conf" |
		head -n 1)
	[ -z "$bad" ] || die 2 "$conf:$bad: not a key of study.conf (see $me --help)"
	bad=$(grep -E '^(side|part):' "$conf" | grep -vE '^[a-z]+:[[:space:]]*[A-Za-z0-9._+-]+[[:space:]]*=[[:space:]]*[^[:space:]]' |
		head -n 1) || true
	[ -z "$bad" ] || die 2 "$conf: '$bad' is not $(echo "$bad" | sed 's/side:.*/side: NAME = KERNEL/; s/part:.*/part: NAME = OPTION.../')"
	name_sides
	[ "$(echo "$sides" | grep -c .)" -ge 2 ] || die 2 "$conf: a study has two sides or more"
	bad=$(printf '%s\n' "$sides" "$parts" | grep . | sort | uniq -d | head -n 1)
	[ -z "$bad" ] || die 2 "$conf: two sides or parts have the same name, $bad"
	bad=$(sed -n 's/^[a-z]* of \([^:]*\):.*/\1/p' "$conf" | grep -vxF "$(printf '%s\n' "$sides" "$parts")" | head -n 1) || true
	[ -z "$bad" ] || die 2 "$conf: '$bad' is neither a side nor a part"
	bad=$(sed -n -E 's/^((boots|compare|published) of ([^:]*)):.*/\3 \1/p' "$conf" | grep -vE "^($(echo "$parts" | tr '\n' '|' | sed 's/[.+]/\\&/g; s/|$//')) " |
		sed 's/[^ ]* //; q') || true
	[ -z "$bad" ] || die 2 "$conf: '$bad' has no meaning: that is the same for all sides of a part"
	[ -z "$(value across)" ] || [ "$parts" != - ] || die 2 "$conf: across: has no meaning: there are no parts"
	for part in $parts; do
		is_number "$(boots_of "$part")" || die 2 "$conf: boots: '$(boots_of "$part")' is no number of boots"
	done
	built=$(values side | grep -cE '=[[:space:]]*built([[:space:]]|$)') || true
	if [ "$built" = 0 ]; then
		bad=$(grep -m 1 -oE '^(source|config|patches)( of [^:]*)?:' "$conf") || true
		[ -z "$bad" ] || die 2 "$conf: $bad has no meaning: no side is 'built'"
	else
		[ -n "$(value config)" ] || die 2 "$conf: config: is needed where a side is 'built'"
	fi
	bad=$(sed -n -E 's/^(config|patches|metrics)( of [^:]*)?://p' "$conf" | xargs -n 1 |
		while read -r file; do [ -z "$file" ] || [ -r "$folder/$file" ] || echo "$file"; done | head -n 1)
	[ -z "$bad" ] || die 2 "$conf: cannot read $folder/$bad"
}

# of KEY NAME: what the study.conf says of this one side or part
of() { value "$1 of $2"; }

boots_of() {
	own=$(of boots "$1")
	echo "${own:-$(value boots)}"
}

# last_of KEY PART SIDE: what is said last of a key with one value: that of the side, of the part or of all
last_of() {
	printf '%s\n' "$(value "$1")" "$(of "$1" "$2")" "$(of "$1" "$3")" | grep . | tail -n 1 || true
}

# vm_of PART SIDE: options of vm.sh
vm_of() {
	echo "$(value vm) $(values part | sed -n "s/^$1[[:space:]]*=//p") $(of vm "$1") $(of vm "$2")"
}

# make_kernel PART SIDE: prints what vm.sh takes as --kernel, once it is there
make_kernel() {
	kernel=$(side_words "$2" | awk '{ print $1 }')
	[ -z "$check" ] || [ "$kernel" = built ] || return 0
	case $kernel in
	built) ;;
	*:*)
		"$here/kernel.sh" get "$kernel" >/dev/null || return
		echo "$kernel"
		return
		;;
	/*)
		echo "$kernel"
		return
		;;
	*)
		echo "$folder/$kernel"
		return
		;;
	esac
	source=$(last_of source "$1" "$2")
	case $source in
	'' | /* | linux-source-*) ;;
	*) source=$folder/$source ;;
	esac
	set -- "$1" "$2" ${source:+--source "$source"}
	for file in $(value config); do set -- "$@" --config "$folder/$file"; done
	for file in $(of config "$1") $(of config "$2"); do set -- "$@" --variant "$folder/$file"; done
	for file in $(value patches) $(of patches "$1") $(of patches "$2"); do set -- "$@" --patch "$folder/$file"; done
	shift 2
	"$here/build.sh" $check "$@"
}

# make_kernels: all of them; prints a line `PART SIDE KERNEL` for each
make_kernels() {
	for part in $parts; do
		for side in $sides; do
			kernel=$(make_kernel "$part" "$side") ||
				die $? "$name: no kernel for $side$(in_part); those that were ready are kept"
			echo "$part $side $kernel"
		done
	done
}

# in_part: for messages
in_part() { [ "$part" = - ] || echo " in $part"; }

# at PART: where the sides of a part are
at() { [ "$1" = - ] && echo "$run" || echo "$run/$1"; }

append_of() {
	echo "$(value append) $(of append "$1") $(of append "$2") $(side_words "$2" | awk '{ $1 = ""; print substr($0, 2) }')"
}
side_words() {
	values side | awk -v name="$1" '{ side = $0; sub(/[ \t]*=.*/, "", side) }
		side == name { sub(/^[^=]*=[ \t]*/, ""); print }'
}

records() { find "$1" -maxdepth 1 -name 'boot-*.txt' 2>/dev/null | wc -l; }

# boot_side PART SIDE N: N more boots of a side
boot_side() {
	kernel=$(awk -v part="$1" -v side="$2" '$1 == part && $2 == side { print $3 }' "$run/kernels")
	workload=$(echo "$(value workload) $(of workload "$1") $(of workload "$2")" | xargs)
	metrics=$(last_of metrics "$1" "$2")
	# shellcheck disable=SC2046 # options and parameters are words
	"$here/vm.sh" --kernel "$kernel" --boots "$3" --append "$(append_of "$1" "$2" | xargs)" --module "$run/module" \
		-o "$(at "$1")/$2" $(vm_of "$1" "$2") ${workload:+--workload "$workload"} \
		${metrics:+--metrics "$run/$(echo "$metrics" | tr / _)"} -- $(value parameters) $(of parameters "$1") $(of parameters "$2") \
		>/dev/null 2>"$run/vm.log" || {
		code=$?
		cat "$run/vm.log" >&2
		die "$code" "$name: $2$(in_part) did not finish; 'run $name --resume' goes on from here"
	}
	grep -E 'complained|KVM|emulating|and one did not' "$run/vm.log" >&2 || true
}

# schedule PART: one line a boot, PART SIDE and its number, in the order of booting
schedule() {
	boots=$(boots_of "$1")
	case " $(vm_of "$1" '') " in
	*' --exact '*)
		# nothing drifts when instructions are counted, and vm.sh compares the boots of a side
		for side in $sides; do echo "$1 $side $boots"; done
		return
		;;
	esac
	number=1
	while [ "$number" -le "$boots" ]; do
		if [ $((number % 2)) = 1 ]; then echo "$sides"; else echo "$sides" | tac; fi |
			sed "s/.*/$1 & $number/"
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
	if [ -n "$resume" ]; then
		run=$(latest_run)
		[ -n "$run" ] || usage_error "$name was never run: nothing to resume"
		conf=$run/study.conf
	else
		check_conf
		kernels=$(make_kernels) || exit $?
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
		# one module, the same kernels and scripts for all boots, whatever is edited meanwhile
		cp "$top/Kbuild" "$top"/*.[ch] "$run/module/"
		# shellcheck disable=SC2013 # names of files are words
		for file in $(sed -n 's/^metrics\( of [^:]*\)\{0,1\}://p' "$conf"); do
			cp "$folder/$file" "$run/$(echo "$file" | tr / _)"
		done
		echo "$kernels" >"$run/kernels"
		cp "$conf" "$run/study.conf"
		conf=$run/study.conf
	fi
	[ -z "$boots" ] || {
		sed -i '/^boots of /d' "$conf"
		echo "boots: $boots" >>"$conf"
	}
	check_conf

	note "$name: $(value title)"
	for part in $parts; do schedule "$part"; done >"$run/schedule"
	total=$(wc -l <"$run/schedule")
	done=0
	booted=0
	started=$(date +%s)
	# the list is kept in a file: a pipe would put the loop into a subshell
	while read -r part side number <&3; do
		done=$((done + 1))
		[ "$(records "$(at "$part")/$side")" -lt "$number" ] || continue
		left=
		[ "$booted" = 0 ] ||
			left=", about $((($(date +%s) - started) * (total - done + 1) / booted)) s to go"
		note "$name: boot $done of $total: $side$(in_part)$left"
		case " $(vm_of "$part" "$side") " in
		*' --exact '*) boot_side "$part" "$side" "$number" ;;
		*) boot_side "$part" "$side" 1 ;;
		esac
		booted=$((booted + 1))
	done 3<"$run/schedule"
	compare_run
}

# compare_run: the tables of $run on standard output; table, CSV and pictures in $run
compare_run() {
	worst=0
	for part in $parts; do
		[ "$part" = - ] || printf '%s\n\n' "$name, $part: $(vm_of "$part" '' | xargs)"
		compare_part "$part"
		[ "$part" = - ] || echo
		[ "$code" -le "$worst" ] || worst=$code
	done
	[ -z "$(value across)" ] || across
	note "records, compare.txt, CSV and pictures: $run"
	exit "$worst"
}

# across: the tests of `across:` from part to part; parts.csv, parts.txt and parts.png in $run
across() {
	for part in $parts; do
		[ -f "$run/$part/compare.csv" ] && echo "$part"
	done | while read -r part; do
		awk -F , -v part="$part" -v tests=" $(value across) " '
			FNR == 1 || index(tests, " " $1 " ") { print (FNR == 1 ? "part" : part) "," $0 }' "$run/$part/compare.csv"
	done | awk 'NR == 1 || !/^part,/' >"$run/parts.csv"
	awk -F , -f "$here/across.awk" "$run/parts.csv" >"$run/parts.txt"
	cat "$run/parts.txt"
	why=$("$top/plot/parts.py" "$run/parts.csv" "$run/parts.png" "$(value title)" 2>&1) ||
		note "no parts.png: $(echo "$why" | tail -n 1)"
}

# compare_part PART: sets $code to what compare.sh returned
compare_part() {
	where=$(at "$1")
	options="$(value compare) $(of compare "$1")"
	published="$(value published) $(of published "$1")"
	# what is for people only has no place in a CSV
	csv_options=$(echo "$options" | sed 's/--why//; s/--format=[^ ]*//')
	set --
	for side in $sides; do
		set -- "$@" "$side=$where/$side"
	done
	code=0
	# shellcheck disable=SC2086 # options are words
	"$here/compare.sh" $options "$@" >"$where/compare.txt" || code=$?
	cat "$where/compare.txt"
	# shellcheck disable=SC2086
	if "$here/compare.sh" $csv_options --format=csv "$@" >"$where/compare.csv" 2>/dev/null ||
		[ -s "$where/compare.csv" ]; then
		"$here/compare.sh" $csv_options --format=csv-samples "$@" >"$where/samples.csv" 2>/dev/null ||
			true
		beside "$published"
		plots
	else
		note "no pictures: what was compared has no table"
	fi
}

# beside SIDE=FILE...: what was published beside what is in $where
beside() {
	[ -n "$(echo "$1" | tr -d ' ')" ] || return 0
	# shellcheck disable=SC2046 # words
	"$here/compare.sh" --format=csv $(echo "$1" | sed "s#=\([^/]\)#=$folder/\1#g") >"$where/published.csv" 2>"$where/published.txt" ||
		[ -s "$where/published.csv" ] || die $? "the published figures cannot be read: $(tail -n 1 "$where/published.txt")"
	awk -f "$here/beside.awk" "$where/compare.csv" "$where/published.csv" >"$where/published.txt"
	[ ! -s "$where/published.txt" ] || {
		echo
		cat "$where/published.txt"
	}
}

# plots: the pictures of $where, as far as their tools are installed
plots() {
	pictures=
	while read -r script csv; do
		picture=${script%.*}.png
		if why=$("$top/plot/$script" "$where/$csv" "$where/$picture" "$(value title)" 2>&1); then
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

# new_study STUDY --tree TREE --patch FILE...
new_study() {
	case $1 in
	*/*) folder=$1 ;;
	*) folder=$top/studies/$1 ;;
	esac
	name=${1##*/}
	shift
	case $name in
	'' | *[!A-Za-z0-9._-]*) usage_error "new: '$name' is no name for a study: letters, digits, . _ -" ;;
	esac
	[ ! -e "$folder" ] || usage_error "new: $folder is there, and is kept"
	tree='' patches=''
	draft=$(mktemp -d)
	chmod 755 "$draft"
	trap 'rm -rf "$draft"' EXIT
	while [ $# -gt 0 ]; do
		case $1 in
		--tree | --patch) [ $# -gt 1 ] || usage_error "$1 needs a value" ;;
		*) usage_error "new: unknown option '$1'" ;;
		esac
		case $1/$2 in
		--tree/linux-source-*) tree=$2 ;;
		--tree/*)
			at=${2%@*}
			[ -f "$at/Makefile" ] || usage_error "--tree: no kernel tree in '$at'"
			tree=$(absolute "$at")${2#"$at"}
			;;
		--patch/*)
			file=${2##*/}
			[ -f "$2" ] || usage_error "--patch: no file '$2'"
			[ ! -e "$draft/$file" ] || usage_error "--patch: two files are called $file"
			cp "$2" "$draft/$file" || die 9 "cannot read $2"
			patches="$patches $file"
			;;
		esac
		shift 2
	done
	[ -n "$tree" ] || usage_error "new: --tree is needed"
	[ -n "$patches" ] || usage_error "new: --patch is needed"
	cp "$top/studies/guest.config" "$top/studies/TEMPLATE/slub.config" "$draft/"
	sed "s#^title: NAME#title: $name#; s#^source: TREE#source: $tree#; s#: PATCHES#:$patches#" \
		"$top/studies/TEMPLATE/study.conf.in" >"$draft/study.conf"
	mkdir -p "${folder%/*}"
	cp -r "$draft" "$folder" || die 9 "cannot write $folder"
	folder=$(absolute "$folder")
	note "made $folder: look at its study.conf, then"
	for command in check build run; do note "  scripts/study.sh $command $folder"; done
}

[ $# -gt 0 ] || usage_error "no command"
command=$1
shift
case $command/$# in
-h/* | --help/*) help ;;
list/0) list ;;
check/0 | build/0 | run/0 | compare/0) usage_error "$command: which study?" ;;
check/1)
	find_study "$1"
	check_conf
	check=--check
	make_kernels >/dev/null
	note "$name: the study.conf holds, and its patches apply"
	;;
build/1)
	find_study "$1"
	check_conf
	make_kernels
	;;
run/*) run_study "$@" ;;
new/0) usage_error "new: which study?" ;;
new/*) new_study "$@" ;;
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
	name_sides
	compare_run
	;;
list/* | check/* | build/* | compare/*) usage_error "$command: wrong number of arguments" ;;
*) usage_error "unknown command '$command'" ;;
esac
