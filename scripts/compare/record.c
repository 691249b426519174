// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data model: figures of rows, in the record of one boot, of one side.
 */
#include "record.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

struct row_index {
	struct rows *rows;
	size_t row;
};

static int compare_strings(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *rows_string(struct rows *rows, const char *string)
{
	char *copy = duplicate(string, strlen(string));
	char **kept = tsearch(copy, &rows->strings, compare_strings);

	if (!kept)
		die(EXIT_USAGE, "out of memory");
	if (*kept != copy)
		free(copy);
	return *kept;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row_index *l = left, *r = right;
	const struct row *a = &l->rows->row[l->row], *b = &r->rows->row[r->row];
	int order = strcmp(a->test, b->test);

	if (!order)
		order = strcmp(a->phase, b->phase);
	if (!order)
		order = strcmp(a->unit, b->unit);
	if (!order)
		order = (a->size > b->size) - (a->size < b->size);
	return order;
}

size_t rows_find(struct rows *rows, const struct row_key *key)
{
	struct row_index *index = allocate(1, sizeof(*index)), **kept;
	struct row *row;

	rows->row = grow(rows->row, rows->count, &rows->room, sizeof(*rows->row));
	row = &rows->row[rows->count];
	*row = (struct row){
		.test = key->test ? key->test : "",
		.phase = key->phase ? key->phase : "",
		.unit = key->unit ? key->unit : "",
		.size = key->size,
		.higher_is_better = key->higher_is_better,
	};
	*index = (struct row_index){ rows, rows->count };
	kept = tsearch(index, &rows->index, compare_rows);
	if (!kept)
		die(EXIT_USAGE, "out of memory");
	if (*kept != index) {
		free(index);
		return (*kept)->row;
	}
	row->test = rows_string(rows, row->test);
	row->phase = rows_string(rows, row->phase);
	row->unit = rows_string(rows, row->unit);
	row->parameter = rows_string(rows, key->parameter ? key->parameter : "size");
	return rows->count++;
}

void rows_free(struct rows *rows)
{
	tdestroy(rows->index, free);
	tdestroy(rows->strings, free);
	free(rows->row);
	*rows = (struct rows){ 0 };
}

struct record *record_new(const char *source)
{
	struct record *record = allocate(1, sizeof(*record));

	record->source = duplicate(source, strlen(source));
	return record;
}

void record_free(struct record *record)
{
	if (!record)
		return;
	free(record->source);
	free(record->header);
	free(record->sample);
	free(record->counter);
	free(record->count);
	free(record->reason);
	free(record->rounds);
	free(record->values);
	free(record);
}

void record_add(struct record *record, const struct sample *sample)
{
	record->sample = grow(record->sample, record->samples, &record->sample_room,
			      sizeof(*record->sample));
	record->sample[record->samples++] = *sample;
}

void record_explain(struct record *record, const struct reason *reason)
{
	record->reason = grow(record->reason, record->reasons, &record->reason_room,
			      sizeof(*record->reason));
	record->reason[record->reasons++] = *reason;
}

void record_set(struct record *record, struct rows *rows, const char *key, const char *value)
{
	record->header = grow(record->header, record->headers, &record->header_room,
			      sizeof(*record->header));
	record->header[record->headers++] =
		(struct header){ rows_string(rows, key), rows_string(rows, value) };
}

const char *record_get(const struct record *record, const char *key)
{
	for (size_t i = 0; i < record->headers; i++)
		if (!strcmp(record->header[i].key, key))
			return record->header[i].value;
	return NULL;
}

size_t record_plan(const struct record *record, const char *name, const char **value)
{
	const char *at = record_get(record, "plan");
	size_t length = strlen(name);

	while (at && *at) {
		at = skip_blank(at);
		if (!strncmp(at, name, length) && at[length] == '=') {
			*value = at + length + 1;
			return strcspn(*value, " \t");
		}
		at += strcspn(at, " \t");
	}
	return 0;
}

static int compare_samples(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

void record_average(struct record *record, size_t rows)
{
	size_t values = 0;

	qsort(record->sample, record->samples, sizeof(*record->sample), compare_samples);
	free(record->rounds);
	free(record->values);
	record->rows = rows;
	record->rounds = allocate(rows, sizeof(*record->rounds));
	record->values = allocate(record->samples, sizeof(*record->values));
	for (size_t i = 0; i < record->samples;) {
		const struct sample *first = &record->sample[i];
		struct rounds *rounds = &record->rounds[first->row];
		double sum = 0;
		size_t cpus = 0;

		for (; i < record->samples && record->sample[i].row == first->row &&
		     record->sample[i].round == first->round; i++) {
			if (record->sample[i].flags & SAMPLE_DETAIL)
				continue;
			sum += record->sample[i].value;
			cpus++;
		}
		if (!cpus)
			continue;
		if (!rounds->count)
			rounds->value = &record->values[values];
		rounds->value[rounds->count++] = sum / cpus;
		values++;
	}
}

void side_add(struct side *side, struct record *record)
{
	side->record = grow(side->record, side->records, &side->record_room,
			    sizeof(*side->record));
	side->record[side->records++] = record;
}

void side_free(struct side *side)
{
	for (size_t i = 0; i < side->records; i++)
		record_free(side->record[i]);
	free(side->record);
	free(side->name);
	*side = (struct side){ 0 };
}
