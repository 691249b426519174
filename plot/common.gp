# SPDX-License-Identifier: GPL-2.0-only
# What the gnuplot pictures have in common: arguments, reading, page and looks. A picture sets
# `script`, `folder`, `arguments`, `csv`, `picture`, `title` and `panel` (see read.awk), then loads
# this and gets sides[], panels[], units[] and $rows, whose columns are these:
PHASE = 1; PHASE_RANK = 2; LABEL = 3; LABEL_RANK = 4; SIZE = 5; VALUE = 6; LOW = 7; HIGH = 8
DELTA = 9; DELTA_LOW = 10; DELTA_HIGH = 11; PROVEN = 12
# is_known(c), number(c): asked without the warnings that a NaN column brings
is_known(c) = strcol(c) ne "NaN"
number(c) = strcol(c) + 0

me = script[strlen(folder) + 1:]
complain(why) = sprintf("%s: %s", me, why)
extension(name) = strlen(name) > 4 ? name[strlen(name) - 3:] : ""
lower(a, b) = a < b ? a : b
higher(a, b) = a > b ? a : b
# for the shell
quoted(name) = "'" . name . "'"

if (csv eq "-h" || csv eq "--help") {
	set print "-"
	print system("sed -n '3,/^[^#]/{ /^#/!q; s/^# \\{0,1\\}//; p; }' " . quoted(script))
	exit status 0
}
if (csv[1:1] eq "-" || arguments < 2 || arguments > 3) {
	print complain("needs a CSV file and the name of the picture (see " . me . " --help)")
	exit status 2
}
if (strstrt(csv . picture, "'")) {
	print complain("a file name with a ' cannot be passed on: rename it")
	exit status 2
}
if (extension(picture) ne ".png" && extension(picture) ne ".svg") {
	print complain(picture . ": the name of a picture ends in .png or .svg")
	exit status 2
}
if (system("test -f " . quoted(csv) . " && test -r " . quoted(csv) . " && echo yes") ne "yes") {
	print complain(csv . ": no such file, or not to be read")
	exit status 2
}
if (system("test -w \"$(dirname " . quoted(picture) . ")\" && echo yes") ne "yes") {
	print complain(picture . ": its folder cannot be written to")
	exit status 2
}
answer = system(sprintf("LC_ALL=C awk -v panel=%s -f %s %s", panel, \
	quoted(folder . "read.awk"), quoted(csv)))
if (GPVAL_SYSTEM_ERRNO) {
	print complain(csv . ": " . answer)
	exit status 2
}
set print $rows
print answer
set print
set datafile separator "\t"

stats $rows index 0 using (column(0)) nooutput
side_count = int(STATS_records)
array sides[side_count]
side_list = ""
base = 1
several(count, word) = sprintf("%d %s%s", count, word, count == 1 ? "" : "s")
read_side(i) = (sides[i] = strcol(1), base = column(3) == 1 ? i : base, \
	side_list = side_list . (i == 1 ? "" : (i - 1) % 6 ? ", " : ",\n") . sides[i] . \
		" (" . several(column(2), "boot") . ")", i)
stats $rows index 0 using (read_side(int(column(0)) + 1)) nooutput

stats $rows index 1 using (column(0)) nooutput
panel_count = int(STATS_records)
array panels[panel_count]
array units[panel_count]
array better[panel_count]
array phase_counts[panel_count]
array label_counts[panel_count]
read_panel(i) = (panels[i] = strcol(1), units[i] = strcol(2), better[i] = strcol(3), \
	phase_counts[i] = int(column(4)), label_counts[i] = int(column(5)), i)
stats $rows index 1 using (read_panel(int(column(0)) + 1)) nooutput

# block(p, s): the index in $rows of what panel p shows of side s
block(p, s) = 2 + (p - 1) * side_count + s - 1

# The colours of Okabe and Ito, darkest first: they differ for the colour-blind and in grey. Shapes
# and dashes tell the same again. There are six shapes, each filled or hollow.
array colours[7] = ["#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
colour(i) = colours[(i - 1) % 7 + 1]
dash(i) = (i - 1) % 5 + 1
hollow(i) = 4 + 2 * ((i - 1) % 6)
filled(i) = hollow(i) + 1

# The page: a grid of panels, at most 3 a row, below a title and above the key and the caption. All
# lengths are pixels.
columns = panel_count < 3 ? panel_count : 3
WIDTH = columns == 1 ? 900 : 450 * columns
PANEL_WIDTH = WIDTH / columns
PANEL_HEIGHT = columns == 1 ? 420 : 270
HEAD = 50
MORE_SIDES = 18 * ((side_count - 1) / 6)
FOOT = 100 + 2 * MORE_SIDES
HEIGHT = HEAD + FOOT + (panel_count + columns - 1) / columns * PANEL_HEIGHT

# `eval place(p)` puts what is plotted next into panel p; `eval margins(…)` anywhere
margins(left, right, top, bottom) = sprintf( \
	"set margins at screen %g, screen %g, screen %g, screen %g", \
	1.0 * left / WIDTH, 1.0 * right / WIDTH, 1 - 1.0 * bottom / HEIGHT, 1 - 1.0 * top / HEIGHT)
x_of(p) = (p - 1) % columns * PANEL_WIDTH
y_of(p) = HEAD + (p - 1) / columns * PANEL_HEIGHT
place(p) = margins(x_of(p) + 78, x_of(p) + PANEL_WIDTH - 12, \
	y_of(p) + 30, y_of(p) + PANEL_HEIGHT - 50)

# `eval axis_titles(p)`: x_title stands below panel p and y_title beside it. Not xlabel and ylabel,
# which the terminals put at different places.
axis_titles(p) = sprintf("set label 3 x_title at screen %g, screen %g center; " . \
	"set label 4 y_title at screen %g, screen %g center rotate", \
	(x_of(p) + 78 + (PANEL_WIDTH - 90) / 2.0) / WIDTH, 1 - (y_of(p) + PANEL_HEIGHT - 9.0) / HEIGHT, \
	(x_of(p) + 16.0) / WIDTH, 1 - (y_of(p) + (PANEL_HEIGHT - 20) / 2.0) / HEIGHT)

# the svg terminal counts fonts in pixels, and has longer tics
if (extension(picture) eq ".svg") {
	set terminal svg size WIDTH, HEIGHT font "DejaVu Sans,13" noenhanced background "white"
	heading_font = ",18"
	tic_font = ",11"
	set tics scale 0.5
} else {
	set terminal pngcairo size WIDTH, HEIGHT font "DejaVu Sans,10" noenhanced background "white"
	heading_font = ",14"
	tic_font = ",8.5"
}
set title offset 0, -0.6

# `eval open_page` begins PICTURE; `eval end_page(KEYS)` writes `title`, `caption` and a key, whose
# entries are the keyentry part of a plot command, and ends it.
open_page = 'set output picture; set multiplot'
set border 3 lc rgb "#404040"
set tics out nomirror font tic_font textcolor rgb "#000000"
set grid ytics lc rgb "#d0d0d0" lt 1 lw 0.5
end_page(keys) = margins(20, WIDTH - 20, \
	HEIGHT - FOOT + 10, HEIGHT - FOOT + 40 + MORE_SIDES) . '; \
	unset object; unset label; unset title; unset border; unset tics; unset grid; \
	unset logscale; \
	set xrange [0:1]; set yrange [0:1]; \
	set label 1 title at screen 0.5, screen 1 - 22.0 / HEIGHT center font heading_font; \
	set label 2 caption at screen 0.5, screen (40.0 + MORE_SIDES / 2) / HEIGHT center; \
	set key center center horizontal maxcols 8 samplen 5 width 2; \
	plot ' . keys . ', NaN notitle; unset multiplot; unset output'
