// SPDX-License-Identifier: GPL-2.0-only
/*
 * The published lines put into columns by hand, one or two figures a side:
 *
 *                       before             fix
 *                       kmalloc    kfree   kmalloc    kfree
 *   10000 times 8       7 cycles   8 cycles  5 cycles  7 cycles
 *   10000 times kmalloc(8)/kfree   3 cycles            3 cycles
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FIGURES = 32 };

struct figures {
	const char *printed[MOST_FIGURES];
	double value[MOST_FIGURES];
	size_t count;
};

/* "7 cycles 8 cycles": false when anything else is there. */
static bool parse_figures(const char *at, struct figures *figures, const char **unit)
{
	figures->count = 0;
	while (*(at = skip_blank(at))) {
		if (figures->count == MOST_FIGURES)
			return false;
		figures->printed[figures->count] = at;
		if (!number(at, &at, &figures->value[figures->count++]))
			return false;
		at = skip_blank(at);
		if (starts_with_word(at, "cycles"))
			*unit = "cycles";
		else if (starts_with_word(at, "ns"))
			*unit = "ns";
		else
			return false;
		at += strlen(*unit);
	}
	return figures->count > 1;
}

size_t read_published_columns(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *at;
	size_t digits = strspn(line, "0123456789"), columns;
	struct row_key key = { .parameter = "size", .unit = "cycles" };
	struct figures figures;
	bool pair, call;

	if (!digits || !starts_with(line + digits, " times ") || strstr(line, "->"))
		return 0;
	at = skip_blank(line + digits + strlen(" times "));
	call = starts_with(at, "kmalloc(");
	if (call)
		at += strlen("kmalloc(");
	key.size = strtol(at, (char **)&at, 10);
	if (key.size < 0 || (call && *at++ != ')'))
		return 0;
	pair = starts_with(at, "/kfree");
	if (pair)
		at += strlen("/kfree");
	if (!parse_figures(at, &figures, &key.unit) || (!pair && figures.count % 2))
		return 0;
	columns = pair ? figures.count : figures.count / 2;
	key.test = pair ? "alloc_free" : "alloc_then_free";
	for (size_t i = 0; i < figures.count; i++) {
		size_t column = pair ? i : i / 2;
		const char *label = columns == 1 ? NULL :
				    column_label(reading, NULL, column, columns);

		key.phase = pair ? "pair" : i % 2 ? "free" : "alloc";
		reading_add(reading, reading_part(reading, label), &key, figures.value[i],
			    number_resolution(figures.printed[i]));
	}
	return 1;
}
