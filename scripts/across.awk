# SPDX-License-Identifier: GPL-2.0-only
# A table of each row of parts.csv (compare.sh --format=csv with the part in front): a line a part, the
# value of each side, and how it differs from the base.
NR == 1 {
	for (i = 1; i <= NF; i++)
		at[$i] = i
	next
}
{
	row = $at["test"]
	if ($at["phase"] != "")
		row = row ", " $at["phase"]
	if ($at["size"] != "-")
		row = row ", " $at["size"]
	part = $1
	is_base = $at["side"] == $at["base"]
	if (!(row in unit)) {
		rows[++nr_rows] = row
		unit[row] = $at["unit"]
	}
	if (!((row, part) in line)) {
		parts[row, ++nr_parts[row]] = part
		line[row, part] = sprintf("%-12s", part)
	}
	if (!((row, $at["side"]) in seen)) {
		seen[row, $at["side"]]
		head[row] = head[row] sprintf("%12s%s", $at["side"], is_base ? "" : "   delta")
	}
	line[row, part] = line[row, part] \
		($at["value"] == "-" ? sprintf("%12s", "-") : sprintf("%12.1f", $at["value"]))
	if (!is_base)
		line[row, part] = line[row, part] \
			($at["delta"] == "-" ? sprintf("%8s", "-") : sprintf("%+7.1f%%", 100 * $at["delta"]))
}
END {
	for (i = 1; i <= nr_rows; i++) {
		row = rows[i]
		if (i > 1)
			print ""
		print row (unit[row] == "" ? "" : ", " unit[row])
		printf "%-12s%s\n", "part", head[row]
		for (j = 1; j <= nr_parts[row]; j++)
			print line[row, parts[row, j]]
	}
}
