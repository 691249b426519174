// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether sides may be compared. What changes the meaning of a figure forbids it (--force allows
 * it); what may have changed its value is a warning. Unsteady readings (a calibrated frequency,
 * the load of the moment) are never part of an identity.
 */
#include "comparison.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* One fact of a record, as a string to be freed; NULL where the record does not say. */
struct fact {
	const char *name;
	char *(*get)(const struct record *record, const char *argument);
	const char *argument;
	bool forbids;
};

static char *whole_value(const struct record *record, const char *key)
{
	const char *value = record_get(record, key);

	return value ? duplicate(value, strlen(value)) : NULL;
}

/* "yes", or "no" from a record of ours that does not say so; figures out of a mail may be both. */
static char *exact_value(const struct record *record, const char *key)
{
	const char *value = record_get(record, key);

	if (!value)
		return record_get(record, "clock") ? duplicate("no", 2) : NULL;
	return duplicate(value, strcspn(value, " "));
}

static char *first_word(const struct record *record, const char *key)
{
	const char *value = record_get(record, key);

	return value ? duplicate(value, strcspn(value, " ,:")) : NULL;
}

static char *plan_word(const struct record *record, const char *name)
{
	const char *value;
	size_t length = record_plan(record, name, &value);

	return length ? duplicate(value, length) : NULL;
}

/* Parts of "x86_64, 2 CPUs (0-1), 1 node, AMD EPYC": the model may hold commas itself. */
static char *machine_part(const struct record *record, const char *argument)
{
	const char *at = record_get(record, "machine");
	int part = *argument - '0';
	size_t length;

	for (int i = 0; at && i < part; i++) {
		/* the list of CPUs has commas of its own */
		const char *open = strchr(at, '('), *comma = strchr(at, ',');

		if (open && comma && open < comma) {
			const char *close = strchr(open, ')');

			comma = close ? strchr(close, ',') : NULL;
		}
		at = comma ? skip_blank(comma + 1) : NULL;
	}
	if (!at)
		return NULL;
	length = part < 3 ? strcspn(at, ",(") : strlen(at);
	while (length && at[length - 1] == ' ')
		length--;
	return duplicate(at, length);
}

static const struct fact facts[] = {
	{ "architecture", machine_part, "0", true },
	{ "number of CPUs", machine_part, "1", true },
	{ "number of nodes", machine_part, "2", true },
	{ "CPU model", machine_part, "3", true },
	{ "clock source", first_word, "clock", true },
	{ "operations a round", plan_word, "count", true },
	{ "debugging", whole_value, "debug", true },
	{ "merging of caches", whole_value, "merge", true },
	{ "exact counting", exact_value, "exact", true },
	{ "CPUs of the plan", plan_word, "cpus", false },
	{ "order of frees", plan_word, "order", false },
	{ "interrupts", plan_word, "irqs", false },
	{ "gfp flags", plan_word, "gfp", false },
	{ "rounds", plan_word, "rounds", false },
	{ "seed", plan_word, "seed", false },
	{ "handicap", plan_word, "handicap", false },
	{ "CPU that measured", whole_value, "cpu", false },
	{ "compiler", whole_value, "compiler", false },
	{ "preemption", whole_value, "preemption", false },
	{ "command line", whole_value, "cmdline", false },
	{ "virtual machine", whole_value, "vm", false },
	{ "governor", whole_value, "governor", false },
	{ "turbo", whole_value, "turbo", false },
	{ "SMT", whole_value, "smt", false },
	{ "microcode", whole_value, "microcode", false },
};

static void differ(struct comparison *comparison, bool forbids, const char *what,
		   const char *in_a, const char *value_a, const char *in_b, const char *value_b)
{
	if (forbids)
		comparison_refuse(comparison, "%s: \"%s\" in %s, \"%s\" in %s", what, value_a, in_a,
				  value_b, in_b);
	else
		comparison_warn(comparison, "%s: \"%s\" in %s, \"%s\" in %s", what, value_a, in_a,
				value_b, in_b);
}

/*
 * Compare a fact of each record with the first record that states it. A record that does not say
 * is let pass: figures out of a mail say little.
 */
static void check_fact(struct comparison *comparison, const struct fact *fact)
{
	size_t first_side = 0;
	const struct record *first = NULL;
	char *expected = NULL;

	for (size_t i = 0; i < comparison->sides; i++)
		for (size_t j = 0; j < comparison->side[i].records; j++) {
			const struct record *record = comparison->side[i].record[j];
			char *value = fact->get(record, fact->argument);

			if (value && !expected) {
				expected = value;
				first = record;
				first_side = i;
				continue;
			}
			if (value && strcmp(value, expected)) {
				/* files where the boots of a side differ, or where it forbids */
				bool files = i == first_side || fact->forbids;

				differ(comparison, fact->forbids, fact->name,
				       files ? first->source : comparison->side[first_side].name,
				       expected,
				       files ? record->source : comparison->side[i].name, value);
				free(value);
				break;	/* once a side */
			}
			free(value);
		}
	free(expected);
}

/* "rev of TEST": measured code that changed must not be compared with what it was. */
static void check_revisions(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->rows->count; i++) {
		const char *test = comparison->rows->row[i].test;
		char *key = format_string("rev of %s", test), *name;
		struct fact fact = { .get = whole_value, .argument = key, .forbids = true };

		name = format_string("revision of %s", test);
		fact.name = name;
		if (!i || comparison->rows->row[i - 1].test != test)
			check_fact(comparison, &fact);
		free(name);
		free(key);
	}
}

static void check_states(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->sides; i++)
		for (size_t j = 0; j < comparison->side[i].records; j++) {
			const struct record *record = comparison->side[i].record[j];
			const char *state = record_get(record, "state");

			if (!state || !strcmp(state, "done"))
				continue;
			comparison->run_failed = true;
			comparison_warn(comparison, "%s: its run is \"%s\", not done",
					record->source, state);
		}
}

/* Boots of one side are meant to be of one kernel. */
static void check_kernels(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->sides; i++)
		for (size_t j = 1; j < comparison->side[i].records; j++) {
			const struct record *a = comparison->side[i].record[0];
			const struct record *b = comparison->side[i].record[j];
			const char *kernel_a = record_get(a, "kernel");
			const char *kernel_b = record_get(b, "kernel");

			if (kernel_a && kernel_b && strcmp(kernel_a, kernel_b))
				differ(comparison, true, "kernels of one side", a->source, kernel_a,
				       b->source, kernel_b);
		}
}

static bool has_notice(const struct side *side, const char *notice)
{
	for (size_t i = 0; i < side->records; i++)
		for (size_t j = 0; j < side->record[i]->headers; j++)
			if (!strcmp(side->record[i]->header[j].key, "notice") &&
			    side->record[i]->header[j].value == notice)
				return true;
	return false;
}

/* What distorts one side and not the other. Header strings are kept once: equal ones are one. */
static void check_notices(struct comparison *comparison, const struct side *side,
			  const struct side *other)
{
	for (size_t i = 0; i < side->records; i++)
		for (size_t j = 0; j < side->record[i]->headers; j++) {
			const struct header *header = &side->record[i]->header[j];

			if (!strcmp(header->key, "notice") && !has_notice(other, header->value))
				comparison_warn(comparison, "in %s, not in %s: %s", side->name,
						other->name, header->value);
		}
}

static void check_exact(struct comparison *comparison)
{
	for (size_t side = 0; comparison->exact && side < comparison->sides; side++) {
		size_t rows = 0;

		for (size_t row = 0; row < comparison->rows->count; row++) {
			const struct cell *cell = cell_of(comparison, row, side);

			rows += cell->ops && !cell->repeats;
		}
		if (rows)
			comparison_warn(comparison,
					"%s: counts exactly, but its boots differ in %zu rows",
					comparison->side[side].name, rows);
	}
}

enum { LEAST_SAMPLES = 8 };	/* fewer whole numbers are the same by chance */

static bool same_samples(const struct record *a, const struct record *b)
{
	if (a->samples != b->samples)
		return false;
	for (size_t i = 0; i < a->samples; i++)
		if (a->sample[i].row != b->sample[i].row ||
		    a->sample[i].round != b->sample[i].round ||
		    a->sample[i].cpu != b->sample[i].cpu ||
		    a->sample[i].value != b->sample[i].value)
			return false;
	return true;
}

/* Figures that agree digit for digit were measured once: carried over, or one file twice. */
static void check_copies(struct comparison *comparison)
{
	const struct record **record = NULL;
	size_t records = 0, room = 0;

	for (size_t i = 0; i < comparison->sides; i++)
		for (size_t j = 0; j < comparison->side[i].records; j++) {
			if (comparison->side[i].record[j]->samples < LEAST_SAMPLES)
				continue;
			record = grow(record, records, &room, sizeof(*record));
			record[records++] = comparison->side[i].record[j];
		}
	for (size_t i = 0; i < records; i++)
		for (size_t j = 0; j < i; j++)
			if (same_samples(record[j], record[i])) {
				comparison_warn(comparison, "digit for digit the same: %s and %s",
						record[j]->source, record[i]->source);
				i = records;	/* one example will do */
				break;
			}
	free(record);
}

static void check_flags(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->sides; i++) {
		size_t flagged = 0, samples = 0;

		for (size_t j = 0; j < comparison->side[i].records; j++) {
			const struct record *record = comparison->side[i].record[j];

			for (size_t k = 0; k < record->samples; k++)
				flagged += (record->sample[k].flags &
					    (SAMPLE_PREEMPTED | SAMPLE_MIGRATED)) != 0;
			samples += record->samples;
		}
		if (flagged)
			comparison_warn(comparison,
					"%s: %zu of %zu samples were preempted or migrated",
					comparison->side[i].name, flagged, samples);
	}
}

void check_comparable(struct comparison *comparison)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		check_fact(comparison, &facts[i]);
	check_revisions(comparison);
	check_states(comparison);
	check_kernels(comparison);
	for (size_t i = 0; i < comparison->sides; i++) {
		const struct side *base = &comparison->side[comparison->base];

		check_notices(comparison, base, &comparison->side[i]);
		check_notices(comparison, &comparison->side[i], base);
	}
	check_exact(comparison);
	check_flags(comparison);
	if (!comparison->exact)
		check_copies(comparison);
}
