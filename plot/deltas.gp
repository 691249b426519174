#!/usr/bin/gnuplot -c
# SPDX-License-Identifier: GPL-2.0-only
# usage: plot/deltas.gp CSV PICTURE [TITLE]
#
# Draws how far each side is from the base, in per cent: a panel for each test, a shape for each
# phase, the interval of each change, and the band of ±1 % that compare.sh calls the same. A filled
# shape is a change that compare.sh calls faster or slower.
#
#   CSV      what scripts/compare.sh --format=csv wrote
#   PICTURE  a file to write; its name ends in .png or .svg
#
# Exit: 2 bad usage, or a CSV that cannot be drawn

script = ARG0
folder = ARG0[:strlen(ARG0) - strlen("deltas.gp")]
arguments = ARGC
csv = ARGC > 0 ? ARG1 : ""
picture = ARGC > 1 ? ARG2 : ""
title = (ARGC > 2 ? ARG3 . " – " : "") . "change from the base"
panel = "test"
load folder . "common.gp"

# the phases of the file, each with a shape, and how far the axis of each panel must reach
array phases[|$rows|]
phase_count = 0
phase_of(name) = sum [i = 1:phase_count] (phases[i] eq name ? i : 0)
add_phase(name) = phase_of(name) ? 0 : \
	(phase_count = phase_count + 1, phases[phase_count] = name, 0)
array lowest[panel_count]
array highest[panel_count]
array has_sizes[panel_count]
intervals = 0
see(p, y) = (lowest[p] = lower(lowest[p], y), highest[p] = higher(highest[p], y))
see_row(p) = (add_phase(strcol(PHASE)), has_sizes[p] = has_sizes[p] || is_known(SIZE), \
	 is_known(DELTA) ? see(p, 100 * number(DELTA)) : 0, \
	is_known(DELTA_LOW) ? \
		(see(p, 100 * number(DELTA_LOW)), see(p, 100 * number(DELTA_HIGH)), intervals = 1) : 0, 0)
do for [p = 1:panel_count] {
	lowest[p] = -1.5
	highest[p] = 1.5
	has_sizes[p] = 0
	stats $rows index block(p, 1):block(p, side_count) using (see_row(p)) nooutput
}

# sides and phases stand beside each other; the base is the line at 0
series(p) = (side_count - 1) * phase_counts[p]
series_of(p, s) = (s - (s > base) - 1) * phase_counts[p] + column(PHASE_RANK)
beside(p, s) = 0.7 / series(p) * (series_of(p, s) - (series(p) + 1) / 2.0)

caption = side_list . "; the base is " . sides[base] . ". Grey band: ±1 %.\n" . \
	(intervals ? "Bars: intervals over boots." : "No bars: an interval needs 4 boots a side.") . \
	" Filled: faster or slower; hollow: not proven."
good(better) = better eq "lower" ? "less is better" : better eq "higher" ? "more is better" : \
	"less or more is better"

# every second label where there is no room for all
label(p) = label_counts[p] > 11 && int(column(LABEL_RANK)) % 2 == 0 ? "" : strcol(LABEL)

eval open_page
set style fill solid noborder
do for [p = 1:panel_count] {
	eval place(p)
	set title panels[p] . " (" . units[p] . (units[p] eq "" ? "" : ", ") . good(better[p]) . ")"
	x_title = has_sizes[p] ? "size of an object, bytes" : ""
	y_title = "change, %"
	eval axis_titles(p)
	margin = 0.05 * (highest[p] - lowest[p])
	set xrange [0.5 : label_counts[p] + 0.5]
	set yrange [lowest[p] - margin : highest[p] + margin]
	set object 1 rectangle from graph 0, first -1 to graph 1, first 1 \
		back fc rgb "#c8c8c8" fs solid noborder
	plot $rows index block(p, base) using (column(LABEL_RANK)):(NaN):xticlabels(label(p)) notitle, \
		0 with lines lc rgb "#404040" lw 1 notitle, \
		for [s = 1:side_count] $rows index block(p, s) \
			using (column(LABEL_RANK) + beside(p, s)):(is_known(DELTA_LOW) ? 100 * number(DELTA) : NaN): \
				(100 * number(DELTA_LOW)):(100 * number(DELTA_HIGH)) \
			with yerrorbars pt -1 lw 1 lc rgb colour(s) notitle, \
		for [s = 1:side_count] for [i = 1:phase_count] $rows index block(p, s) \
			using (column(LABEL_RANK) + beside(p, s)): \
				(strcol(PHASE) eq phases[i] ? 100 * column(DELTA) : NaN) \
			with lines lw 1 dt dash(s) lc rgb colour(s) notitle, \
		for [s = 1:side_count] $rows index block(p, s) \
			using (column(LABEL_RANK) + beside(p, s)):(100 * column(DELTA)):(column(PROVEN) == 1 ? \
				filled(phase_of(strcol(PHASE))) : hollow(phase_of(strcol(PHASE)))) \
			with points pt variable ps 0.9 lc rgb colour(s) notitle
}
eval end_page('for [s = 1:side_count] keyentry \
	with lines lw 2 dt dash(s) lc rgb colour(s) title s == base ? "" : sides[s], \
	for [i = 1:phase_count] keyentry with points pt filled(i) lc rgb "black" title phases[i]')
