// SPDX-License-Identifier: GPL-2.0-only
/*
 * The comparison as people mail it: "* Before" and "* After", with the published lines.
 */
#include "write.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/*
 * How the rows of a test are printed; the first figure of a line is of phase alloc or pair. Tests not
 * named here are printed plainly, as the module does with its tests in batches, null and control.
 */
static const struct line_format {
	const char *test;
	const char *title;	/* %ld: the size */
	const char *free;	/* "N times …", and the call of phase free; NULL: "…: Average=" */
} formats[] = {
	{ "alloc_then_free", "kmalloc(%ld)", "kfree" },
	{ "alloc_free", "kmalloc(%ld)/kfree", "" },
	{ "cache_alloc_then_free", "kmem_cache_alloc(%ld)", "kmem_cache_free" },
	{ "cache_alloc_free", "kmem_cache_alloc(%ld)/kmem_cache_free", "" },
	{ "accounted_alloc_then_free", "kmalloc_account(%ld)", "kfree" },
	{ "accounted_alloc_free", "kmalloc_account(%ld)/kfree", "" },
	{ "node_alloc_then_free", "kmalloc_node(%ld)", "kfree" },
	{ "node_alloc_free", "kmalloc_node(%ld)/kfree", "" },
	{ "kfree_rcu", "kmem_cache_alloc(%ld)", "kfree_rcu" },
	{ "concurrent_kfree_rcu", "Kfree_rcu N*alloc N*free(%ld)", NULL },
	{ "alloc_page_then_free", "alloc_pages(%ld)", "free_pages" },
	{ "alloc_page_free", "alloc_pages(%ld)/free_pages", "" },
	{ "page_alloc_then_free", "alloc_page(,%ld)", "__free_pages" },
	{ "page_alloc_free", "alloc( ,%ld)/free", "" },
	{ "concurrent_alloc_then_free", "Kmalloc N*alloc N*free(%ld)", NULL },
	{ "concurrent_alloc_free", "Kmalloc N*(alloc free)(%ld)", NULL },
	{ "remote_free", "N*remote free(%ld)", NULL },
	{ "alloc_one_free_all", "1 alloc N free(%ld)", NULL },
	{ "cache_concurrent_alloc_then_free", "Cache N*alloc N*free(%ld)", NULL },
	{ "cache_concurrent_alloc_free", "Cache N*(alloc free)(%ld)", NULL },
	{ "cache_remote_free", "Cache N*remote free(%ld)", NULL },
	{ "cache_alloc_one_free_all", "Cache 1 alloc N free(%ld)", NULL },
	{ "accounted_concurrent_alloc_then_free", "Accounted N*alloc N*free(%ld)", NULL },
	{ "accounted_concurrent_alloc_free", "Accounted N*(alloc free)(%ld)", NULL },
	{ "accounted_remote_free", "Accounted N*remote free(%ld)", NULL },
	{ "accounted_alloc_one_free_all", "Accounted 1 alloc N free(%ld)", NULL },
	{ "ring", "Ring N*(alloc, free of another CPU)(%ld)", NULL },
	{ "page_concurrent_alloc_then_free", "Page alloc N*alloc N*free(%ld)", NULL },
	{ "page_concurrent_alloc_free", "Page N*(alloc free)(%ld)", NULL },
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

static bool same_line(const struct comparison *comparison, size_t i, size_t j)
{
	const struct row *a = &comparison->rows->row[comparison->shown[i]];
	const struct row *b = &comparison->rows->row[comparison->shown[j]];

	return a->test == b->test && a->size == b->size;
}

/* "null(8): alloc=0.0 free=0.0 pair=0.0", "control: 64.0": all phases, at the first of them */
static void write_plain(FILE *out, const struct comparison *comparison, size_t first, size_t side)
{
	const struct row *name = &comparison->rows->row[comparison->shown[first]];
	size_t phases = 0;
	char value[32];

	for (size_t i = 0; i < first; i++)
		if (same_line(comparison, i, first))
			return;
	for (size_t i = first; i < comparison->shown_count; i++)
		phases += same_line(comparison, i, first);
	fprintf(out, "%s", name->test);
	if (name->size >= 0)
		fprintf(out, "(%ld)", name->size);
	fputc(':', out);
	for (size_t i = first; i < comparison->shown_count; i++) {
		size_t row = comparison->shown[i];
		const struct cell *cell = cell_of(comparison, row, side);

		if (!same_line(comparison, i, first))
			continue;
		name = &comparison->rows->row[row];
		fputc(' ', out);
		if (phases > 1)
			fprintf(out, "%s=", name->phase);
		fputs(isnan(cell->value) ? "-" :
		      format_value(value, sizeof(value), cell->value, name->resolution), out);
	}
	fputc('\n', out);
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
	if (!format) {
		write_plain(out, comparison, i, side);
		return;
	}
	if (isnan(cell->value) || !strcmp(name->phase, "free"))
		return;
	snprintf(title, sizeof(title), format->title, name->size);
	if (format->free)
		fprintf(out, "%.*s times %s -> %s %s", length ? (int)length : 1, count, title,
			value, name->unit);
	else
		fprintf(out, "%s: Average=%s", title, value);
	free_row = strcmp(name->phase, "alloc") ? SIZE_MAX : find_free(comparison, i);
	if (free_row != SIZE_MAX && !isnan(cell_of(comparison, free_row, side)->value)) {
		format_value(value, sizeof(value), cell_of(comparison, free_row, side)->value,
			     comparison->rows->row[free_row].resolution);
		if (format->free)
			fprintf(out, " %s -> %s %s", format->free, value, name->unit);
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
