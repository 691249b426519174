#!/usr/bin/gnuplot -c
# SPDX-License-Identifier: GPL-2.0-only
# usage: plot/before-after.gp CSV PICTURE [TITLE]
#
# Draws what each side costs by size: a panel for each test and phase, a line for each side, and the
# interval of each value where there are boots enough for one.
#
#   CSV      what scripts/compare.sh --format=csv wrote
#   PICTURE  a file to write; its name ends in .png or .svg
#
# Rows without a size are not shown: plot/deltas.gp has them.
# Exit: 2 bad usage, or a CSV that cannot be drawn

script = ARG0
folder = ARG0[:strlen(ARG0) - strlen("before-after.gp")]
arguments = ARGC
csv = ARGC > 0 ? ARG1 : ""
picture = ARGC > 1 ? ARG2 : ""
title = (ARGC > 2 ? ARG3 . " – " : "") . "cost by size"
panel = "phase"
load folder . "common.gp"

# How far the axes must reach, from what is above 0: a logarithm has no place for the rest.
positive(y) = y > 0 ? y : NaN
array lowest[panel_count]
array highest[panel_count]
smallest = 1e300
largest = 0
intervals = 0
see_size(size) = (smallest = lower(smallest, size), largest = higher(largest, size))
see(p, y) = y > 0 ? (lowest[p] = lower(lowest[p], y), highest[p] = higher(highest[p], y)) : 0
see_row(p) = (is_known(SIZE) ? see_size(number(SIZE)) : 0, \
	is_known(VALUE) ? see(p, number(VALUE)) : 0, \
	is_known(LOW) ? (see(p, number(LOW)), see(p, number(HIGH)), intervals = 1) : 0, 0)
do for [p = 1:panel_count] {
	lowest[p] = 1e300
	highest[p] = 0
	stats $rows index block(p, 1):block(p, side_count) using (see_row(p)) nooutput
}

set logscale x 2
set xrange [smallest / 1.4 : largest * 1.4]
set xtics 1, 2
set mxtics 1
# sides stand a little beside each other, so that one does not hide the other's bar
apart = largest < 16 * smallest ? 1.02 : side_count < 5 ? 1.06 : 1.25 ** (1.0 / side_count)
beside(side) = apart ** (side - (side_count + 1) / 2.0)

# The marks of an axis from low to high: equal steps where it is short, else 1, 2, 5 of each decade.
set logscale y 10
nice(step) = (decade = 10.0 ** power(step), step > 5 * decade ? 10 * decade : \
	step > 2 * decade ? 5 * decade : step > decade ? 2 * decade : decade)
steps(low, high) = (step = nice((high - low) / 5), list = "", \
	sum [i = 1:6] (list = list . sprintf(", %.12g", (floor(low / step) + i) * step), 0), list[3:])
power(y) = int(floor(log10(y)))
decades(low, high, each) = (list = "", sum [i = power(low):power(high)] \
	(list = list . decade_marks(10.0 ** i, each), 0), list[3:])
decade_marks(decade, each) = each == 1 ? sprintf(", %g", decade) : each == 3 ? \
	sprintf(", %g, %g, %g", decade, 2 * decade, 5 * decade) : \
	sprintf(", %g, %g, %g, %g, %g", decade, 2 * decade, 3 * decade, 5 * decade, 7 * decade)
marks(low, high) = high < 4 * low ? steps(low, high) : \
	decades(low, high, high < 20 * low ? 5 : high < 300 * low ? 3 : 1)

caption = side_list . "\n" . (intervals ? "Bars: intervals over boots." : \
	"No bars: an interval needs 4 boots a side.") . " Both axes are logarithmic."

eval open_page
do for [p = 1:panel_count] {
	eval place(p)
	set title panels[p]
	x_title = "size of an object, bytes"
	y_title = units[p]
	eval axis_titles(p)
	is_empty = highest[p] == 0
	if (is_empty) {
		lowest[p] = 1
		highest[p] = 10
	}
	margin = 1.02 * (highest[p] / lowest[p]) ** 0.06
	set yrange [lowest[p] / margin : highest[p] * margin]
	eval "set ytics (" . marks(lowest[p] / margin, highest[p] * margin) . ")"
	if (is_empty) {
		set ytics ("none" sqrt(10))
	}
	plot for [s = 1:side_count] $rows index block(p, s) \
			using (column(SIZE) * beside(s)):(is_known(LOW) ? number(VALUE) : NaN): \
				(number(LOW) > 0 ? number(LOW) : lowest[p] / margin):(number(HIGH)) \
			with yerrorbars pt -1 lw 1 lc rgb colour(s) notitle, \
		for [s = 1:side_count] $rows index block(p, s) \
			using (column(SIZE) * beside(s)):(positive(number(VALUE))) \
			with linespoints pt filled(s) ps 0.8 lw 1.5 dt dash(s) lc rgb colour(s) notitle, \
		NaN notitle
}
eval end_page('for [s = 1:side_count] keyentry \
	with linespoints pt filled(s) ps 0.8 lw 1.5 dt dash(s) lc rgb colour(s) title sides[s]')
