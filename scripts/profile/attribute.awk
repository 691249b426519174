# SPDX-License-Identifier: GPL-2.0-only
# From what the plugin counted in each phase to a profile: the instructions of each sample of a record
# by function.
#
# usage: awk -f attribute.awk pass=record RECORD pass=count PHASES pass=join PHASES
#
# Which sample a phase belongs to is told by its place: on each CPU come first phases that calibrate,
# of which nothing is said in the record, then for each unit its warm-up and its rounds. So phases are
# counted from the end. That the counts then agree with the samples is checked for every one.
#
# Lines begin with the number of their sample, to be sorted by and cut off.

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

pass == "record" && NF >= 10 && $1 != "test" {
	if ($1 != test || $3 != size)
		end_unit()
	test = $1
	size = $3
	phases_a_round[$5] += $4 == 1
	unit_sample[$5, ++unit_samples[$5]] = ++samples
	sample[samples] = $1 OFS $3 OFS $4 OFS $5 OFS $6 OFS $7
	cycles[samples] = $8
}

pass == "count" && $1 == "" { phases[$2]++ }

pass == "join" && FNR == 1 {
	end_unit()
	for (cpu in due)
		if (phases[cpu] < due[cpu])
			fail("CPU " cpu " has " phases[cpu] + 0 " phases, and its samples need " due[cpu])
	checked = 1
}

pass == "join" && $1 == "" {
	current = sample_of[$2, ++seen[$2] - (phases[$2] - due[$2])]
	off = $3 - cycles[current]
	# Seldom more than two: a block of code that is left in the middle counts as a whole. But where
	# reading the clock takes long (the PMU's), other vCPUs can have a turn before it is read.
	if (current && (off < 0 ? -off : off) > 100 + cycles[current] / 10)
		fail("sample " current " took " cycles[current] " instructions, and " $3 " were seen")
	next
}

pass == "join" && current { print current, sample[current], $1, $2, $3 }

END {
	if (!checked && !failed)
		fail("no phase was seen")
	if (failed)
		exit 1
}
