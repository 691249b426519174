# SPDX-License-Identifier: GPL-2.0-only
# usage: awk -f beside.awk HERE.csv PUBLISHED.csv
#
# Two outputs of compare.sh --format=csv: the changes against the base that were measured here beside
# those that were published, for each row that both have, and in a sentence how far they agree.
BEGIN { FS = "," }

FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	files++
	next
}

{ row = $column["test"] FS $column["phase"] FS $column["size"]; side = $column["side"] }
$column["delta"] == "-" { next }

files == 1 { here[row, side] = $column["delta"]; verdict[row, side] = $column["verdict"]; next }

(row, side) in here {
	base = $column["base"]
	published[row, side] = $column["delta"]
	if (!(row in is_row)) {
		is_row[row] = 1
		rows[++nr_rows] = row
	}
	if (!(side in is_side)) {
		is_side[side] = 1
		sides[++nr_sides] = side
	}
}

function percent(delta) { return delta == "" ? "-" : sprintf("%+.1f%%", 100 * delta) }

# does DELTA say anything? within 1 % is called the same everywhere in compare.sh
function moved(delta) { return delta > 0.01 || delta < -0.01 }

function named(part, between) { return part[1] (part[2] == "" ? "" : between part[2]) }

# say TEXT: in lines of at most 72 characters
function say(text,    words, count, i, line) {
	count = split(text, words, " ")
	line = words[1]
	for (i = 2; i <= count; i++)
		if (length(line " " words[i]) > 72) {
			print line
			line = words[i]
		} else {
			line = line " " words[i]
		}
	print line
}

END {
	table = ""
	for (r = 1; r <= nr_rows; r++) {
		split(rows[r], part, FS)
		if (part[1] FS part[2] != table) {
			table = part[1] FS part[2]
			tables[++nr_tables] = table
			if (r > 1)
				print ""
			printf "%s: change here, and as published\n%10s", named(part, ", "), "size"
			for (s = 1; s <= nr_sides; s++)
				printf "  %17s", sides[s]
			print ""
		}
		printf "%10s", part[3]
		for (s = 1; s <= nr_sides; s++) {
			h = here[rows[r], sides[s]]
			p = published[rows[r], sides[s]]
			printf "  %8s %8s", percent(h), percent(p)
			if (h == "" || p == "")
				continue
			compared[table, sides[s]]++
			if (!moved(h) || !moved(p))
				still[table, sides[s]]++
			else if ((h > 0) == (p > 0))
				agrees[table, sides[s]]++
			else
				differs[table, sides[s]]++
		}
		print ""
	}
	if (nr_rows)
		print ""
	for (t = 1; t <= nr_tables; t++) {
		split(tables[t], part, FS)
		for (s = 1; s <= nr_sides; s++) {
			at = tables[t] SUBSEP sides[s]
			if (!compared[at])
				continue
			say(sprintf("%s against %s, %s: of %d rows %d changed here the way that was published, %d the other way, %d hardly (within 1 %%, here or as published).",
				sides[s], base, named(part, " "), compared[at], agrees[at], differs[at], still[at]))
		}
	}
}
