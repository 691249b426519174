// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the samples counted besides time, as a figure of a row of a side.
 */
#include "counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { COLUMNS = 72 };

const char **counter_names(const struct comparison *comparison, size_t *count)
{
	const char **name = NULL;
	size_t room = 0, known;

	*count = 0;
	for (size_t i = 0; i < comparison->sides; i++) {
		const struct side *side = &comparison->side[i];

		for (size_t j = 0; j < side->records; j++)
			for (size_t k = 0; k < side->record[j]->counters; k++) {
				for (known = 0; known < *count; known++)
					if (name[known] == side->record[j]->counter[k])
						break;
				if (known < *count)
					continue;
				name = grow(name, *count, &room, sizeof(*name));
				name[(*count)++] = side->record[j]->counter[k];
			}
	}
	return name;
}

/* Samples are sorted by row: where those of @row begin. */
static size_t first_sample(const struct record *record, size_t row)
{
	size_t low = 0, high = record->samples;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (record->sample[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The median round of the mean over CPUs; of an exact side the round that the table shows. A round
 * that was not counted on all of its CPUs has no mean.
 */
static double boot_value(const struct record *record, const struct cell *cell, size_t row,
			 size_t counter)
{
	size_t first = first_sample(record, row), rounds = 0, end;
	double *round = allocate(record->samples, sizeof(*round)), value;

	for (size_t i = first; i < record->samples && record->sample[i].row == row; i = end) {
		double sum = 0;

		for (end = i; end < record->samples && record->sample[end].row == row &&
		     record->sample[end].round == record->sample[i].round; end++)
			sum += record->sample[end].ops ?
			       record->count[record->sample[end].counted + counter] : NAN;
		if (cell->ticks_round && record->sample[i].round != cell->ticks_round)
			continue;
		if (!isnan(sum))
			round[rounds++] = sum / (end - i);
	}
	value = rounds ? median(round, rounds) : NAN;
	free(round);
	return value;
}

double counter_value(const struct comparison *comparison, size_t row, size_t side,
		     const char *counter)
{
	const struct side *records = &comparison->side[side];
	double sum = 0, value;
	size_t boots = 0;

	for (size_t i = 0; i < records->records; i++) {
		const struct record *record = records->record[i];

		for (size_t j = 0; j < record->counters; j++) {
			if (record->counter[j] != counter)
				continue;
			value = boot_value(record, cell_of(comparison, row, side), row, j);
			if (isnan(value))
				continue;
			sum += value;
			boots++;
		}
	}
	return boots ? sum / boots : NAN;
}

/* Instructions a cycle; NAN unless both were counted. */
static double instructions_per_cycle(const struct comparison *comparison, size_t row, size_t side,
				     const char *const *name, size_t names)
{
	double instructions = NAN, cycles = NAN;

	for (size_t i = 0; i < names; i++) {
		if (!strcmp(name[i], "instructions"))
			instructions = counter_value(comparison, row, side, name[i]);
		if (!strcmp(name[i], "cycles"))
			cycles = counter_value(comparison, row, side, name[i]);
	}
	return cycles > 0 ? instructions / cycles : NAN;
}

/* "266.007", "-" */
static const char *format_count(char *buffer, size_t size, double value, int decimals)
{
	if (isnan(value))
		return "-";
	snprintf(buffer, size, "%.*f", decimals, value);
	return buffer;
}

/* In lines of at most 72 columns; a pair is not broken. */
static void write_pair(FILE *out, size_t *column, const char *name, double before, double after,
		       int decimals)
{
	char old[32], new[32], pair[128];
	int length = snprintf(pair, sizeof(pair), "%s %s -> %s", name,
			      format_count(old, sizeof(old), before, decimals),
			      format_count(new, sizeof(new), after, decimals));

	if (*column && *column + 2 + length < COLUMNS) {
		*column += fprintf(out, ", %s", pair);
		return;
	}
	if (*column)
		fputs(",\n", out);
	*column = fprintf(out, "  %s", pair);
}

void write_row_counters(FILE *out, const struct comparison *comparison, size_t row, size_t side)
{
	size_t names, column = 0;
	const char **name = counter_names(comparison, &names);
	double before, after;

	for (size_t i = 0; i < names; i++) {
		before = counter_value(comparison, row, comparison->base, name[i]);
		after = counter_value(comparison, row, side, name[i]);
		if (!isnan(before) || !isnan(after))
			write_pair(out, &column, name[i], before, after, 3);
	}
	before = instructions_per_cycle(comparison, row, comparison->base, name, names);
	after = instructions_per_cycle(comparison, row, side, name, names);
	if (!isnan(before) || !isnan(after))
		write_pair(out, &column, "IPC", before, after, 2);
	if (column)
		fputc('\n', out);
	free(name);
}

static bool moved(const struct comparison *comparison, size_t row, size_t side)
{
	enum verdict verdict = change_of(comparison, row, side)->verdict;

	return verdict == VERDICT_FASTER || verdict == VERDICT_SLOWER ||
	       verdict == VERDICT_UNPROVEN;
}

void write_counters(FILE *out, const struct comparison *comparison, size_t side)
{
	size_t names, rows = 0;

	free(counter_names(comparison, &names));
	for (size_t i = 0; names && i < comparison->shown_count; i++) {
		size_t row = comparison->shown[i];
		const struct row *name = &comparison->rows->row[row];

		if (!moved(comparison, row, side))
			continue;
		if (!rows++)
			fprintf(out, "\ncounters an operation where rows moved, %s -> %s:\n",
				comparison->side[comparison->base].name,
				comparison->side[side].name);
		fprintf(out, "%s%s%s", name->test, *name->phase ? " " : "", name->phase);
		if (name->size >= 0)
			fprintf(out, " %ld", name->size);
		fputc('\n', out);
		write_row_counters(out, comparison, row, side);
	}
}
