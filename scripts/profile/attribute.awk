# SPDX-License-Identifier: GPL-2.0-only
# From what the plugin counted in each phase to a profile: the instructions of each row of a record,
# by CPU and function, over all rounds.
#
# usage: awk -f attribute.awk pass=record RECORD pass=count PHASES pass=sum PHASES | sort -t TAB -k 1,1n -k 8,8nr
#
# The n-th phase of a CPU is found among the samples by order: first come phases that calibrate, of
# which nothing is said in the record, then for each unit its warm-up and its rounds. So phases are
# counted from the end. That the counts then agree with the samples is checked for every one.
#
# Lines begin with the number of their row, to be sorted by and cut off.

function fail(text)
{
	print "profile: " text >"/dev/stderr"
	failed = 1
	exit 1
}

# The samples of a unit are complete: on each CPU they come after its warm-up.
function end_unit(    cpu, i)
{
	for (cpu in unit_samples) {
		due[cpu] += warmup * phases_a_round[cpu]
		for (i = 1; i <= unit_samples[cpu]; i++)
			sample_of[cpu, ++due[cpu]] = unit_sample[cpu, i]
	}
	split("", unit_samples)
	split("", phases_a_round)
}

BEGIN { FS = OFS = "\t" }

pass == "record" && /^# plan: / {
	match($0, / warmup=[0-9]+/)
	warmup = substr($0, RSTART + 8, RLENGTH - 8)
}

pass == "record" && NF == 10 && $1 != "test" {
	if ($1 != test || $3 != size)
		end_unit()
	test = $1
	size = $3
	phases_a_round[$5] += $4 == 1
	unit_sample[$5, ++unit_samples[$5]] = ++samples
	cycles[samples] = $8
	key = $1 OFS $3 OFS $6 OFS $5
	if (!(key in number)) {
		number[key] = ++rows
		row[rows] = key
	}
	row_of[samples] = number[key]
	ops[number[key]] += $7
	next
}

pass == "count" && $1 == "" { phases[$2]++ }

pass == "sum" && FNR == 1 {
	end_unit()
	for (cpu in due)
		if (phases[cpu] < due[cpu])
			fail("CPU " cpu " has " phases[cpu] + 0 " phases, and its samples need " due[cpu])
}

pass == "sum" && $1 == "" {
	sample = sample_of[$2, ++seen[$2] - (phases[$2] - due[$2])]
	current = row_of[sample]
	if (!sample)
		next
	off = $3 - cycles[sample]
	# a block that was left in the middle counts as a whole
	if (off < 0)
		off = -off
	if (off > 100 && off > cycles[sample] / 100)
		fail("sample " sample " took " cycles[sample] " instructions, and " $3 " were seen")
	next
}

pass == "sum" && current {
	if (!((current, $1) in own)) {
		names[current]++
		name[current, names[current]] = $1
	}
	own[current, $1] += $2
	elsewhere[current, $1] += $3
}

END {
	if (failed)
		exit 1
	for (i = 1; i <= rows; i++)
		for (j = 1; j <= names[i]; j++)
			print i, row[i], ops[i], name[i, j], own[i, name[i, j]], elsewhere[i, name[i, j]]
}
