#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: scripts/selfcheck.sh [--splits N] [--of N] [--seed N] RUN
#
# What the comparison can tell on this machine, from the records of a run of studies/selfcheck:
#   false alarms: boots of one kernel, dealt out into two sides again and again: how many tables
#                 call any row faster or slower
#   power:        the same boots against boots with a handicap: how often the known cost is found in
#                 alloc_free(64), and how often the interval has the right size in it
# `scripts/study.sh selfcheck` makes the records and calls this.
#
#   --splits N   how often boots are dealt out (default 200 for false alarms, a quarter for power)
#   --of N       boots a side (default 8)
#   --seed N     of the dealing (default 1)
#
# The result is printed and kept in RUN/noise-floor; build/noise-floor has the sentence that
# compare.sh quotes below the tables of this machine.
# Exit: 0 done, 2 bad usage, 9 records are missing
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

splits=200 of=8 seed=1 run=
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		help
		exit 0
		;;
	--splits | --of | --seed)
		{ [ $# -gt 1 ] && is_number "$2"; } || usage_error "$1 needs a number"
		case $1 in
		--splits) splits=$2 ;;
		--of) of=$2 ;;
		--seed) seed=$2 ;;
		esac
		shift 2
		;;
	-*) usage_error "'$1' is no option" ;;
	*)
		[ -z "$run" ] || usage_error "one run folder, not two"
		run=$1
		shift
		;;
	esac
done
[ -n "$run" ] || usage_error "which run?"
[ -d "$run" ] || usage_error "no folder '$run'"
run=$(absolute "$run")
power_splits=$(((splits + 3) / 4))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# all the boots without a handicap, and those with one
find "$run/plain" "$run/again" -name 'boot-*.txt' 2>/dev/null | sort >"$work/plain"
[ "$(wc -l <"$work/plain")" -ge $((2 * of)) ] ||
	die 9 "$run: $((2 * of)) boots without a handicap are needed, there are $(wc -l <"$work/plain")"

# shuffle FILE: its lines in an order that depends on the seed and on how often this was called
drawn=0
shuffle() {
	drawn=$((drawn + 1))
	awk -v seed=$((seed * 100000 + drawn)) 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$1" |
		sort -n | cut -f 2
}

# deal SIDE: a side made of the records named on standard input
deal() {
	rm -rf "${work:?}/$1"
	mkdir "$work/$1"
	while read -r record; do
		ln -s "$record" "$work/$1/$(echo "${record#"$run/"}" | tr / -)"
	done
}

# compare: the rows of $work/a against $work/b, as CSV; that a row is slower, or that there are too
# few boots, is no error here
compare() {
	code=0
	"$here/compare.sh" --format=csv "a=$work/a" "b=$work/b" >"$work/rows" 2>"$work/errors" || code=$?
	case $code in 0 | 1 | 3) ;; *) die 9 "compare.sh: $(cat "$work/errors")" ;; esac
}

# column NAME: the number of a column of compare's CSV
column() { compare_head | tr , '\n' | grep -nx "$1" | cut -d : -f 1; }
compare_head() { head -n 1 "$work/rows"; }

# row TEST PHASE SIZE: the row of the second side
row() { awk -F , -v t="$1" -v p="$2" -v s="$3" '$1 == t && $2 == p && $3 == s && $6 == "b"' "$work/rows"; }

# moved: how many of the rows on standard input are called faster or slower
moved() { cut -d , -f "$verdict" | grep -cxE 'faster|slower' || true; }

note "dealing out $(wc -l <"$work/plain") boots, $of against $of, $splits times"
alarmed=0 vetoed=0 tables=0 rows=0 flagged=0
while [ "$tables" -lt "$splits" ]; do
	shuffle "$work/plain" >"$work/order"
	head -n "$of" "$work/order" | deal a
	tail -n +$((of + 1)) "$work/order" | head -n "$of" | deal b
	compare
	verdict=$(column verdict)
	[ -n "$verdict" ] || die 9 "compare.sh gave no table: $(cat "$work/errors")"
	# a control that moved makes a table say nothing, which is no claim about the allocator
	here_flagged=$(grep -v '^control,' "$work/rows" | moved)
	vetoed=$((vetoed + $(grep '^control,' "$work/rows" | moved)))
	rows=$((rows + $(grep -c ',b,a,' "$work/rows")))
	flagged=$((flagged + here_flagged))
	[ "$here_flagged" = 0 ] || alarmed=$((alarmed + 1))
	tables=$((tables + 1))
	[ $((tables % 50)) != 0 ] || note "$tables of $splits"
done

percent() { awk -v part="$1" -v all="$2" 'BEGIN { printf "%.1f", 100 * part / all }'; }

{
	echo "false alarms: $alarmed of $tables tables ($(percent "$alarmed" "$tables") %), $flagged of $rows rows"
	echo "the control moved in $vetoed tables, which then say nothing"
	echo
	echo "handicap  costs, cycles      %  found  of  interval right"
} >"$work/noise-floor"

# The truth is what all boots say: what the handicap adds to a pair.
least=
for side in $(find "$run" -mindepth 1 -maxdepth 1 -name 'h[0-9]*' | sed 's/.*\/h//' | sort -n); do
	find "$run/h$side" -name 'boot-*.txt' | sort >"$work/handicapped"
	[ "$(wc -l <"$work/handicapped")" -ge "$of" ] || {
		note "h$side has less than $of boots: left out"
		continue
	}
	note "handicap $side, $power_splits times"
	deal a <"$work/plain"
	deal b <"$work/handicapped"
	compare
	truth=$(row alloc_free pair 64 | cut -d , -f "$(column delta)")
	cost=$(row alloc_free pair 64 | awk -F , -v value="$(column value)" -v truth="$truth" \
		'{ print $value - $value / (1 + truth) }')
	found=0 right=0 tables=0
	while [ "$tables" -lt "$power_splits" ]; do
		shuffle "$work/plain" | head -n "$of" | deal a
		shuffle "$work/handicapped" | head -n "$of" | deal b
		compare
		[ "$(row alloc_free pair 64 | cut -d , -f "$verdict")" != slower ] || found=$((found + 1))
		right=$((right + $(row alloc_free pair 64 |
			cut -d , -f "$(column delta_low),$(column delta_high)" |
			awk -F , -v truth="$truth" '{ print ($1 <= truth && truth <= $2) }')))
		tables=$((tables + 1))
	done
	printf '%8d %14.1f %6.1f  %5d %3d  %14d\n' "$side" "$cost" \
		"$(awk -v truth="$truth" 'BEGIN { print 100 * truth }')" "$found" "$tables" "$right" \
		>>"$work/noise-floor"
	if [ -z "$least" ] && [ $((found * 20)) -ge $((tables * 19)) ]; then
		least=$(awk -v truth="$truth" 'BEGIN { printf "%.1f", 100 * truth }')
	fi
done
{
	echo
	if [ -n "$least" ]; then
		echo "smallest change found at least 19 times in 20, with $of boots a side: $least %"
	else
		echo "no handicap was found 19 times in 20 with $of boots a side"
	fi
} >>"$work/noise-floor"
cat "$work/noise-floor"
cp "$work/noise-floor" "$run/noise-floor"

# The machine, and one sentence.
{
	sed -n 's/^# machine: //p' "$(head -n 1 "$work/plain")"
	printf 'This machine, by scripts/study.sh selfcheck on %s: ' "$(date +%Y-%m-%d)"
	if [ -n "$least" ]; then
		printf 'of changes of alloc_free(64), %s %% is found 19 times in 20 with %d boots a side' \
			"$least" "$of"
	else
		printf 'no change of alloc_free(64) that was tried is found 19 times in 20 with %d boots a side' \
			"$of"
	fi
	printf '; %s %% of tables of one kernel against itself had a false alarm.\n' \
		"$(percent "$alarmed" "$splits")"
} >"$work/quote"
mv "$work/quote" "$build/noise-floor"
