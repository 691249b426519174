# SPDX-License-Identifier: GPL-2.0-only
# The output of compare.sh --format=csv, checked and laid out for gnuplot: blocks of tab-separated
# lines, two empty lines between them. common.gp names the columns.
#
#   block 0     the sides: name, most boots of a row, 1 for the base
#   block 1     the panels: name, unit, which is better (lower, higher or both), phases, labels
#   blocks 2…   what a panel shows of a side: all sides of the first panel, all of the second, …
#
# With -v panel=phase a panel is a test and phase, and rows without a size are left out; with
# -v panel=test it is a test. The test `null` is left out: it is 0 by design. A number that does not
# exist is NaN, which is a gap in a line. What is wrong with the CSV goes to standard output; exit
# code 2.

function refuse(why) {
	print why
	refused = 1
	exit 2
}

# split_line: the fields of a CSV line in field[1..n]; "" inside quotes is a quote, which becomes '
# because gnuplot takes a quote for more than a character
function split_line(line, field,    n, quoted, i, c) {
	n = 1
	field[1] = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (quoted && c == "\"" && substr(line, i + 1, 1) == "\"") {
			i++
			c = "'"
		} else if (c == "\"") {
			quoted = !quoted
			continue
		} else if (c == "," && !quoted) {
			field[++n] = ""
			continue
		}
		field[n] = field[n] (c == "\t" ? " " : c)
	}
	if (quoted)
		refuse("line " NR ": a quote is not closed")
	return n
}

function text(name) { return field[column[name]] }

function number(name,    string) {
	string = text(name)
	if (string !~ /^-?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?$/ && string != "-")
		refuse("line " NR ": '" string "' is no " name)
	return string == "-" ? "NaN" : string
}

# rank(LIST, NAME): the place of NAME in that list, which grows by it where it is new
function rank(list, name) {
	if (!((list, name) in place)) {
		place[list, name] = ++count[list]
		entry[list, count[list]] = name
	}
	return place[list, name]
}

{ sub(/\r$/, "") }

NR == 1 {
	columns = split_line($0, field)
	for (i = 1; i <= columns; i++)
		column[field[i]] = i
	n = split("test phase size unit better side base boots value low high " \
		"delta delta_low delta_high verdict", needed, " ")
	for (i = 1; i <= n; i++)
		if (!(needed[i] in column))
			refuse("line 1: no column '" needed[i] "': compare.sh --format=csv writes one")
	next
}

{
	n = split_line($0, field)
	if (n != columns)
		refuse("line " NR ": " n " fields, where line 1 has " columns)
	size = number("size")
	if (text("test") == "null" || (panel == "phase" && size == "NaN"))
		next
	side = rank("side", text("side"))
	if (number("boots") > boots[side])
		boots[side] = number("boots")
	base = text("base")

	phase = text("phase")
	name = text("test") (panel == "phase" && phase != "" ? ", " phase : "")
	p = rank("panel", name)
	if (unit[p] == "")
		unit[p] = text("unit")
	else if (unit[p] != text("unit"))
		unit[p] = "different units"
	better[p] = better[p] == "" || better[p] == text("better") ? text("better") : "both"
	label = size == "NaN" ? "" : size

	block[p, side] = block[p, side] phase "\t" rank(name " phase", phase) \
		"\t" label "\t" rank(name " label", label) "\t" size \
		"\t" number("value") "\t" number("low") "\t" number("high") \
		"\t" number("delta") "\t" number("delta_low") "\t" number("delta_high") \
		"\t" (text("verdict") ~ /^(faster|slower)$/) "\n"
}

END {
	if (refused)
		exit 2
	if (!count["panel"])
		refuse(panel == "phase" ? "no row has a size" : "no row to draw")
	nothing = "\t1\t\t1\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\t0\n"
	for (i = 1; i <= count["side"]; i++)
		print entry["side", i] "\t" boots[i] + 0 "\t" (entry["side", i] == base)
	print "\n"
	for (p = 1; p <= count["panel"]; p++) {
		name = entry["panel", p]
		print name "\t" unit[p] "\t" better[p] "\t" count[name " phase"] "\t" count[name " label"]
	}
	for (p = 1; p <= count["panel"]; p++)
		for (i = 1; i <= count["side"]; i++)
			printf "\n\n%s", (p, i) in block ? block[p, i] : nothing
}
