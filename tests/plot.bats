#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# plot/: each script draws what the CSV says, leaves a gap where it says nothing, and refuses what it
# cannot read. An SVG is text, so that what was drawn can be counted.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	plot=$top/plot
	cd "$BATS_TEST_TMPDIR"
	export MPLCONFIGDIR=$BATS_TEST_TMPDIR
	comparison >compare.csv
	samples >samples.csv
}

# csv_of SCRIPT: the file of the two that it reads
csv_of() {
	case $1 in
	rounds.py | cpus.py) echo samples.csv ;;
	*) echo compare.csv ;;
	esac
}
scripts='before-after.gp deltas.gp kernels.py rounds.py cpus.py'
# one for each reader of arguments, and for each reader of a CSV
readers='before-after.gp kernels.py rounds.py'

# three sides; `new` has no value for 16 bytes, `newest` has no intervals
comparison() {
	cat <<-'END'
	test,phase,size,unit,better,side,base,boots,value,low,high,spread,clusters,delta,delta_low,delta_high,p,p_adjusted,detectable,ticks,verdict
	alloc_free,pair,8,cycles,lower,old,old,6,50,45,55,0.1,1,-,-,-,-,-,-,-,base
	alloc_free,pair,8,cycles,lower,new,old,6,40,35,45,0.1,1,-0.2,-0.3,-0.1,0.01,0.01,0.05,-,faster
	alloc_free,pair,8,cycles,lower,newest,old,2,52,-,-,0.1,1,0.04,-,-,-,-,-,-,-
	alloc_free,pair,16,cycles,lower,old,old,6,60,55,65,0.1,1,-,-,-,-,-,-,-,base
	alloc_free,pair,16,cycles,lower,new,old,0,-,-,-,-,0,-,-,-,-,-,-,-,-
	alloc_free,pair,16,cycles,lower,newest,old,2,63,-,-,0.1,1,0.05,-,-,-,-,-,-,-
	alloc_free,pair,32,cycles,lower,old,old,6,70,65,75,0.1,1,-,-,-,-,-,-,-,base
	alloc_free,pair,32,cycles,lower,new,old,6,71,60,80,0.1,1,0.0143,-0.1,0.12,0.8,0.8,0.05,-,unclear
	alloc_free,pair,32,cycles,lower,newest,old,2,72,-,-,0.1,1,0.0286,-,-,-,-,-,-,-
	null,pair,8,cycles,lower,old,old,6,0,0,0,-,1,-,-,-,-,-,-,-,base
	null,pair,8,cycles,lower,new,old,6,0,0,0,-,1,-,-,-,-,-,-,-,below resolution
	find,,-,s,lower,old,old,6,2,1.9,2.1,0.1,1,-,-,-,-,-,-,-,base
	find,,-,s,lower,new,old,6,2.2,2.1,2.3,0.1,1,0.1,0.05,0.15,0.01,0.01,0.05,-,slower
	find,,-,s,lower,newest,old,0,-,-,-,-,0,-,-,-,-,-,-,-,-
	END
}

# two sides of three boots of four rounds on two CPUs, of which the second boot of `old` is in
# another cluster; one sample was disturbed, one has no value
samples() {
	echo 'test,phase,size,unit,better,side,boot,round,cpu,value,flags'
	for side in old new; do
		for boot in 1 2 3; do
			for round in 1 2 3 4; do
				for cpu in 0 1; do
					value=$((100 + round + cpu))
					flags=-
					case $side$boot in old2) value=$((value + 100)) ;; esac
					case $side$boot$round$cpu in
					new111) flags=P ;;
					new341) value=- ;;
					esac
					for size in 8 64 512; do
						echo "concurrent,alloc,$size,cycles,lower,$side,$boot,$round,$cpu,$value,$flags"
					done
				done
			done
		done
	done
}

# marks COLOUR FILE: how many marks of that colour an SVG has, those of the key
# included. The colours of the sides are the first of the palette.
black=' *0, *0, *0'
orange='213, *94, *0|#d55e00'
blue='0, *114, *178|#0072b2'
marks() {
	# ticks are marks of matplotlib too, without a fill
	grep -E '<use ' "$2" | grep -E "color='rgb\( *($1)\)'|style=\"fill: ($1)" | wc -l
}

# pixels PNG: WIDTH HEIGHT
pixels() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'; }

@test "plot: --help is the usage; bad usage is one line and exit code 2" {
	for script in $scripts; do
		run --separate-stderr "$plot/$script" --help
		[ "$status" = 0 ] && [ -z "$stderr" ]
		[[ ${lines[0]} == usage:*"$script"*CSV* ]]
	done
	for script in $readers; do
		for arguments in '' "$(csv_of "$script")" --frobnicate "$(csv_of "$script") a.pdf" \
			"$(csv_of "$script") a.png title more" "$(csv_of "$script") no/such/folder/a.png" \
			"nothing.csv a.png"; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr "$plot/$script" $arguments
			[ "$status" = 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" = 1 ] || {
				echo "$script $arguments: status $status: $output $stderr"
				return 1
			}
		done
	done
	[ ! -e a.png ] && [ ! -e a.pdf ]
}

@test "plot: each draws a PNG and an SVG without a word, with title, axes, units and sides" {
	for script in $scripts; do
		echo "$script"
		for format in png svg; do
			LC_ALL=C run "$plot/$script" "$(csv_of "$script")" "$script.$format" 'A & B of "C"'
			echo "$output"
			[ "$status" = 0 ] && [ -z "$output" ]
		done
		[ "$(od -An -c -j1 -N3 "$script.png" | tr -d ' ')" = PNG ]
		read -r width height <<<"$(pixels "$script.png")"
		[ "$width" -ge 800 ] && [ "$width" -le 1400 ]
		[ "$height" -ge 300 ] && [ "$height" -le 1400 ]
		text=$(grep -oE '<text[^>]*>[^<]*|<tspan[^>]*>[^<]*' "$script.svg" | sed 's/<[^>]*>//')
		echo "$text"
		grep -q 'A &amp; B of "C" – ' <<<"$text"
		grep -qE '^cycles$|cycles, less is better' <<<"$text"
		grep -qE '^(size of an object, bytes|kernel|CPU|boot of a side)$' <<<"$text"
		grep -qE 'old(,| \([36] boots\),) new' <<<"$text"
		grep -qE '^(alloc_free|concurrent)(, | \()' <<<"$text"
		[ "$script" = kernels.py ] || grep -qxE ' ?new' <<<"$text"
		[ "$(grep -c '^null' <<<"$text")" = 0 ]
	done
}

@test "plot: the same CSV gives the same SVG" {
	for script in $scripts; do
		"$plot/$script" "$(csv_of "$script")" one.svg
		"$plot/$script" "$(csv_of "$script")" two.svg
		cmp one.svg two.svg
	done
}

@test "before-after.gp: a mark for each value, a gap for each that is missing, a bar for each interval" {
	"$plot/before-after.gp" compare.csv a.svg
	# one more of each is in the key
	[ "$(marks "$black" a.svg)" = 4 ]
	[ "$(marks "$orange" a.svg)" = 3 ]
	[ "$(marks "$blue" a.svg)" = 4 ]
	# the line of `new` breaks: it moves to both of its values
	grep -E "rgb\(213, +94, +0\).* d='M[0-9.,]+ M[0-9.,]+ +'" a.svg
	grep -q 'Bars: intervals' a.svg
	# the marks of a size stand beside each other, those of two sizes equally far apart; and 70
	# stands where a logarithm has it between 50 and 71
	sed -nE "s/.*<use .*translate\(([0-9.]*),([0-9.]*)\).*rgb\(($black)\).*/old \1 \2/p;
		s/.*<use .*translate\(([0-9.]*),([0-9.]*)\).*rgb\((213, *94, *0)\).*/new \1 \2/p" a.svg |
		awk 'function near(a, b) { return a / b > 0.998 && a / b < 1.002 }
			{ n = ++count[$1]; x[$1, n] = $2; y[$1, n] = $3 }
			END {
				apart = x["old", 2] - x["old", 1]
				beside = x["new", 1] - x["old", 1]
				ratio = (y["old", 1] - y["old", 3]) / (y["old", 1] - y["new", 2])
				print apart, beside, ratio
				exit !(beside > 0 && beside < apart / 5 && near(apart, x["old", 3] - x["old", 2]) &&
					near(ratio, log(70 / 50) / log(71 / 50)))
			}'
	sed 's/,35,45,/,-,-,/; s/,60,80,/,-,-,/; s/,[0-9]*5,[0-9]*5,/,-,-,/' compare.csv >plain.csv
	"$plot/before-after.gp" plain.csv b.svg
	grep -q 'No bars' b.svg
	[ "$(marks "$orange" b.svg)" = 3 ]
	[ "$(grep -o 'M[0-9.]*,[0-9.]* L' a.svg | wc -l)" -gt "$(grep -o 'M[0-9.]*,[0-9.]* L' b.svg | wc -l)" ]
}

@test "before-after.gp: without any size it says who draws that" {
	sed '/^alloc_free/d' compare.csv >metrics.csv
	run "$plot/before-after.gp" metrics.csv a.png
	[ "$status" = 2 ]
	[[ $output == *"no row has a size"* ]]
	run "$plot/deltas.gp" metrics.csv a.png
	[ "$status" = 0 ] && [ -z "$output" ] && [ -s a.png ]
}

@test "deltas.gp: a mark for each change; filled where it is proven; nothing of the base" {
	"$plot/deltas.gp" compare.csv a.svg
	# 8 and 32 bytes and find; the phase `pair` of the key is black
	[ "$(marks "$orange" a.svg)" = 3 ]
	[ "$(marks "$blue" a.svg)" = 3 ]
	[ "$(marks "$black" a.svg)" = 1 ]
	# gpPt4, 6, 8 are filled squares, circles, triangles; 3, 5, 7 are hollow
	[ "$(grep -c "<use .*#gpPt[468]'.*rgb(213," a.svg)" = 2 ]
	[ "$(grep -c "<use .*#gpPt[357]'.*rgb(213," a.svg)" = 1 ]
	[ "$(grep -c "<use .*#gpPt[357]'.*rgb( *0, 114," a.svg)" = 3 ]
	grep -q 'the base is old' a.svg
	grep -q 'change, %' a.svg
}

@test "kernels.py: a line for each size in the order of the sides, with a gap where one has no value" {
	"$plot/kernels.py" compare.csv a.svg
	text=$(grep -oE '>(old|new|newest|[0-9]+ bytes|no size)<' a.svg | tr -d '<>\n' )
	[[ $text == oldnewnewest* ]]
	[[ $text == *"8 bytes16 bytes32 bytesno size" ]]
	# the line of 16 bytes: two marks and one in the key, and the two ends of one interval
	"$plot/kernels.py" <(sed '/^test/!{ /,16,/!d; }' compare.csv) b.svg
	[ "$(grep -cE '<use .*style="fill' b.svg)" = 5 ]
}

@test "rounds.py: a mark for each round, a cross for a disturbed one, a bar for each boot" {
	"$plot/rounds.py" samples.csv a.svg
	# 12 rounds and the key
	[ "$(marks "$orange" a.svg)" = 13 ]
	[ "$(grep -cE '<use .*fill: #d55e00.*stroke-opacity' a.svg)" = 1 ]
	[ "$(grep -c 'preempted or migrated' a.svg)" = 1 ]
	grep -q 'objects of 64 bytes' a.svg
	"$plot/rounds.py" <(sed 's/,P$/,-/' samples.csv) b.svg
	[ "$(grep -c 'preempted or migrated' b.svg)" = 0 ]
	[ "$(marks "$orange" b.svg)" = 13 ]
	[ "$(grep -cE '<use .*fill: #d55e00.*stroke-opacity' b.svg)" = 0 ]
	# no round without a value
	"$plot/rounds.py" <(sed '/,new,3,4,/s/,[0-9]*,-$/,-,-/' samples.csv) c.svg
	[ "$(marks "$orange" c.svg)" = 12 ]
	"$plot/rounds.py" --size 512 samples.csv d.svg
	grep -q 'objects of 512 bytes' d.svg
	run "$plot/rounds.py" --size 9 samples.csv e.svg
	[ "$status" = 2 ]
	[[ $output == *"no size 9: there are 8, 64, 512" ]]
}

@test "cpus.py: a mark for each CPU that has values" {
	"$plot/cpus.py" samples.csv a.svg
	[ "$(grep -cE '<use .*stroke: #d55e00' a.svg)" = 3 ]
	"$plot/cpus.py" <(sed '/new,.,.,1,/d' samples.csv) b.svg
	[ "$(grep -cE '<use .*stroke: #d55e00' b.svg)" = 2 ]
	[ "$(grep -cE '<use .*stroke: #000000; stroke-linejoin' b.svg)" = 3 ]
	run "$plot/cpus.py" <(sed -E 's/,[01],([^,]*,[^,]*)$/,-,\1/' samples.csv) c.svg
	[ "$status" = 2 ]
	[[ $output == *"no figure is that of a single CPU" ]]
}

@test "plot: a CSV that cannot be read is refused with the line and what is wrong there" {
	for script in $readers; do
		good=$(csv_of "$script")
		refuses() { # TEXT, the CSV on standard input
			cat >bad.csv
			run --separate-stderr "$plot/$script" bad.csv a.png
			echo "$script: status $status: $stderr"
			[ "$status" = 2 ] && [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == *"bad.csv: $1"* ]]
		}
		sed '3s/,cycles,\(.*\),[0-9]\{2,\},/,cycles,\1,12abc,/' "$good" | refuses "line 3: '12abc' is no "
		sed '4s/,[^,]*$//' "$good" | refuses 'line 4: '
		sed '4s/$/,more/' "$good" | refuses 'line 4: '
		sed '1s/value/worth/' "$good" | refuses "line 1: no column 'value'"
		sed 1d "$good" | refuses 'line 1: no column '
		sed '2s/8/"8/' "$good" | refuses 'line '
		head -n 1 "$good" | refuses 'no row'
		printf '' | refuses ''
		[ ! -e a.png ]
	done
}

@test "plot: names with a comma and a quote, as CSV writes them" {
	# gnuplot has an apostrophe instead
	for script in $scripts; do
		sed 's/,new,/,"n, ""w""",/' "$(csv_of "$script")" >quoted.csv
		"$plot/$script" quoted.csv a.svg
		grep -qE "n, (\"|&quot;|'|&apos;|&#39;)w" a.svg
	done
}

@test "plot: what compare.sh writes is drawn" {
	for side in old new; do
		mkdir $side
		for boot in 1 2 3 4 5; do
			for size in 8 64; do
				echo "Kmalloc N*alloc N*free($size): 0=3$boot$size/799 1=36$boot/81$boot Average=36$boot/805"
			done >$side/$boot.txt
		done
	done
	"$top/scripts/compare.sh" --format=csv old new >compare.csv || [ $? = 1 ] || [ $? = 3 ]
	"$top/scripts/compare.sh" --format=csv-samples old new >samples.csv || [ $? = 1 ] || [ $? = 3 ]
	for script in $scripts; do
		run "$plot/$script" "$(csv_of "$script")" "$script.svg"
		echo "$script: $output"
		[ "$status" = 0 ] && [ -z "$output" ]
		grep -q 'concurrent_alloc_then_free' "$script.svg"
	done
}

@test "study.sh: makes all pictures, and without matplotlib says which are missing and what to install" {
	cp -r "$top/scripts" "$top/plot" .
	printf '#!/bin/sh\ncase $1 in *samples) cat "%s/samples.csv" ;; *) cat "%s/compare.csv" ;; esac\n' \
		"$PWD" "$PWD" >scripts/compare.sh
	export SLAB_TEST_BUILD=$PWD/build
	mkdir -p mine build/studies/mine/run-001
	printf '%s\n' 'title: old or new' 'side: old = debian:6.1' 'side: new = debian:6.12' 'boots: 3' |
		tee mine/study.conf >build/studies/mine/run-001/study.conf
	run --separate-stderr scripts/study.sh compare "$PWD/mine"
	echo "$stderr"
	[ "$status" = 0 ]
	for picture in before-after deltas kernels rounds cpus; do
		[ -s build/studies/mine/run-001/$picture.png ]
		[[ $stderr == *"pictures:"*" $picture.png"* ]]
	done
	rm build/studies/mine/run-001/*.png
	mkdir broken
	echo 'raise ImportError' >broken/matplotlib.py
	PYTHONPATH=$PWD/broken run --separate-stderr scripts/study.sh compare "$PWD/mine"
	echo "$stderr"
	[ "$status" = 0 ]
	[[ $stderr == *"no rounds.png: "*"sudo scripts/setup.sh plot"* ]]
	[[ $stderr == *"pictures: before-after.png deltas.png"$'\n'* ]]
	[ "$(find build -name '*.png' | wc -l)" = 2 ]
}

@test "parts.py: a line for each side from part to part, a panel for each row that two parts have" {
	cat >parts.csv <<-'END'
	part,test,phase,size,unit,side,value
	1-node,slabs.memory,,-,KiB,old,100
	1-node,slabs.memory,,-,KiB,new,200
	8-nodes,slabs.memory,,-,KiB,old,300
	8-nodes,slabs.memory,,-,KiB,new,-
	8-nodes,null,pair,8,cycles,new,1
	END
	"$plot/parts.py" parts.csv a.svg mine
	for text in slabs.memory KiB 1-node 8-nodes old new 'mine – from part to part'; do
		grep -qF ">$text</text>" a.svg
	done
	[ -z "$(grep -F '>null' a.svg)" ]
	sed '/^8/d' parts.csv >one.csv
	run "$plot/parts.py" one.csv b.svg
	[ "$status" = 2 ]
	[ "$output" = "parts.py: one.csv: no row is in two parts" ]
}
