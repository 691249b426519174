// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables whose cells hold both sides and a change, which is not read (it is put on the wrong base
 * as often as not):
 *
 *   TBench Throughput Comparisons (2.6.24-slab/2.6.24-slub-patched)
 *              Min                       Average
 *   clients-1    80.00/82.66 (  3.22%)     84.22/83.43    ( -0.95%)
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 16 };

struct cells {
	const char *printed[MOST_CELLS][2];
	double value[MOST_CELLS][2];
	size_t count;
};

static bool parse_cells(const char *at, struct cells *cells)
{
	double change;

	cells->count = 0;
	while (*(at = skip_blank(at))) {
		size_t cell = cells->count++;

		if (cell == MOST_CELLS)
			return false;
		cells->printed[cell][0] = at;
		if (!number(at, &at, &cells->value[cell][0]) || *at++ != '/')
			return false;
		cells->printed[cell][1] = at;
		if (!number(at, &at, &cells->value[cell][1]))
			return false;
		at = skip_blank(at);
		if (*at++ != '(' || !number(skip_blank(at), &at, &change) ||
		    !starts_with(at, "%)"))
			return false;
		at += 2;
	}
	return cells->count > 0;
}

/* "host-a-   Min   Average   Max   Std. Deviation": the heads are the last columns of it. */
static bool is_head(const char *line)
{
	return strstr(line, "Average") && (strstr(line, "Min") || strstr(line, "Max"));
}

static const char *cell_head(const struct words *heads, const struct cells *cells, size_t cell,
			     char *buffer, size_t size)
{
	size_t first = heads->count >= cells->count ? heads->count - cells->count : 0;

	if (heads->count < cells->count)
		snprintf(buffer, size, "column %zu", cell + 1);
	else
		snprintf(buffer, size, "%.*s", (int)heads->length[first + cell],
			 heads->at[first + cell]);
	return buffer;
}

size_t read_cells(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *at;
	char name[64], head[64];
	struct words heads;
	struct cells cells;
	size_t length;

	if (is_head(line)) {
		reading->section = line;
		return 1;
	}
	if (strstr(line, "Comparison")) {
		reading->title = line;
		return 1;
	}
	length = strcspn(line, " \t");
	at = line + length;
	if (!length || length >= sizeof(name) || !isalpha((unsigned char)*line) ||
	    !parse_cells(at, &cells))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)length, line);
	split_columns(reading->section, &heads);
	for (size_t i = 0; i < cells.count; i++) {
		struct row_key key = { .test = name, .size = -1 };

		key.phase = cell_head(&heads, &cells, i, head, sizeof(head));
		key.higher_is_better = !strstr(head, "Dev") && more_is_better(reading->title, "");
		for (int side = 0; side < 2; side++)
			reading_add(reading,
				    reading_part(reading, column_label(reading, NULL, side, 2)),
				    &key, cells.value[i][side],
				    number_resolution(cells.printed[i][side]));
	}
	return 1;
}
