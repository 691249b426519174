// SPDX-License-Identifier: GPL-2.0-only
/*
 * The comparison as people mail it: "* Before" and "* After", with the published lines.
 */
#include "write.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* How the rows of a test are printed; the first figure of a line is of phase alloc or pair. */
static const struct line_format {
	const char *test;
	const char *title;	/* %ld: the size */
	bool times;		/* "N times …", else "…: Average=" */
} formats[] = {
	{ "alloc_then_free", "kmalloc(%ld)", true },
	{ "alloc_free", "kmalloc(%ld)/kfree", true },
	{ "page_alloc_then_free", "alloc_page(,%ld)", true },
	{ "page_alloc_free", "alloc( ,%ld)/free", true },
	{ "concurrent_alloc_then_free", "Kmalloc N*alloc N*free(%ld)", false },
	{ "concurrent_alloc_free", "Kmalloc N*(alloc free)(%ld)", false },
	{ "remote_free", "N*remote free(%ld)", false },
	{ "alloc_one_free_all", "1 alloc N free(%ld)", false },
	{ "page_concurrent_alloc_then_free", "Page alloc N*alloc N*free(%ld)", false },
	{ "page_concurrent_alloc_free", "Page N*(alloc free)(%ld)", false },
};

static const struct line_format *find_format(const char *test)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].test, test))
			return &formats[i];
	return NULL;
}

/* The row of the same test and size in phase free, among those shown after @i; or SIZE_MAX. */
static size_t find_free(const struct comparison *comparison, size_t i)
{
	const struct row *row = &comparison->rows->row[comparison->shown[i]];

	while (++i < comparison->shown_count) {
		const struct row *other = &comparison->rows->row[comparison->shown[i]];

		if (other->test != row->test)
			break;
		if (other->size == row->size && !strcmp(other->phase, "free"))
			return comparison->shown[i];
	}
	return SIZE_MAX;
}

static void write_line(FILE *out, const struct comparison *comparison, size_t i, size_t side)
{
	size_t row = comparison->shown[i];
	const struct row *name = &comparison->rows->row[row];
	const struct line_format *format = find_format(name->test);
	const struct cell *cell = cell_of(comparison, row, side);
	const struct record *record = comparison->side[side].record[0];
	char value[32], title[64];
	const char *count = "N";
	size_t length = record_plan(record, "count", &count), free_row;

	format_value(value, sizeof(value), cell->value, name->resolution);
	if (isnan(cell->value) || (format && !strcmp(name->phase, "free")))
		return;
	if (!format) {
		fprintf(out, "%s", name->test);
		if (name->size >= 0)
			fprintf(out, "(%ld)", name->size);
		fprintf(out, ": %s%s%s%s%s\n", name->phase, *name->phase ? "=" : "", value,
			*name->unit ? " " : "", name->unit);
		return;
	}
	snprintf(title, sizeof(title), format->title, name->size);
	if (format->times)
		fprintf(out, "%.*s times %s -> %s %s", length ? (int)length : 1, count, title,
			value, name->unit);
	else
		fprintf(out, "%s: Average=%s", title, value);
	free_row = strcmp(name->phase, "alloc") ? SIZE_MAX : find_free(comparison, i);
	if (free_row != SIZE_MAX && !isnan(cell_of(comparison, free_row, side)->value)) {
		format_value(value, sizeof(value), cell_of(comparison, free_row, side)->value,
			     comparison->rows->row[free_row].resolution);
		if (format->times)
			fprintf(out, " kfree -> %s %s", value, name->unit);
		else
			fprintf(out, "/%s", value);
	}
	fputc('\n', out);
}

void write_published(FILE *out, const struct comparison *comparison)
{
	for (size_t side = 0; side < comparison->sides; side++) {
		const char *name = comparison->side[side].name;

		fprintf(out, "%s* %c%s\n", side ? "\n" : "", toupper((unsigned char)*name),
			name + 1);
		for (size_t i = 0; i < comparison->shown_count; i++)
			write_line(out, comparison, i, side);
	}
}
