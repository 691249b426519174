// SPDX-License-Identifier: GPL-2.0-only
/*
 * --plain-names: the tests of objects from elsewhere under the names of those with objects of
 * kmalloc, so that accounted_alloc_free of one side is laid beside alloc_free of another.
 */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

const char *plain_name(const char *test)
{
	static const char *const sources[] = { "accounted_", "cache_", "node_" };

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (starts_with(test, sources[i]))
			return test + strlen(sources[i]);
	return test;
}

static size_t plain_row(struct rows *rows, size_t row)
{
	struct row old = rows->row[row];
	struct row_key key = {
		.test = plain_name(old.test), .phase = old.phase, .unit = old.unit,
		.parameter = old.parameter, .size = old.size,
		.higher_is_better = old.higher_is_better,
	};
	size_t plain = rows_find(rows, &key);

	if (rows->row[plain].resolution < old.resolution)
		rows->row[plain].resolution = old.resolution;
	return plain;
}

/* @from: by plain row, which row of this record became it, plus one. */
static void rename_rows(struct record *record, const struct rows *rows, const size_t *plain,
			size_t *from)
{
	memset(from, 0, rows->count * sizeof(*from));
	for (size_t i = 0; i < record->samples; i++) {
		size_t old = record->sample[i].row, new = plain[old];

		if (from[new] && from[new] != old + 1)
			die(EXIT_USAGE, "--plain-names: %s has both %s and %s", record->source,
			    rows->row[from[new] - 1].test, rows->row[old].test);
		from[new] = old + 1;
		record->sample[i].row = new;
	}
}

void use_plain_names(struct rows *rows, struct side *side, size_t sides)
{
	size_t count = rows->count, *plain = allocate(count, sizeof(*plain)), *from;

	for (size_t i = 0; i < count; i++)
		plain[i] = plain_row(rows, i);
	from = allocate(rows->count, sizeof(*from));
	for (size_t i = 0; i < sides; i++)
		for (size_t j = 0; j < side[i].records; j++)
			rename_rows(side[i].record[j], rows, plain, from);
	free(from);
	free(plain);
}
