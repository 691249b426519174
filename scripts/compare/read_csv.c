// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV with a column a side, and perhaps a ratio in brackets, which is not read ("(101.55%)" is a
 * ratio here and a change there):
 *
 *   threads,base,change
 *   16,576943.10,585905.90 (101.55%)
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SIDES = 16 };

static void split_commas(const char *line, struct words *words)
{
	words->count = 0;
	while (words->count < MOST_WORDS) {
		words->at[words->count] = skip_blank(line);
		line += strcspn(line, ",");
		words->length[words->count] = line - words->at[words->count];
		words->count++;
		if (!*line++)
			break;
	}
}

/* Heads are words, and one of the sides says that it is one. */
static bool parse_head(const char *line, struct words *heads)
{
	bool side = false;

	split_commas(line, heads);
	if (heads->count < 3 || heads->count > MOST_SIDES)
		return false;
	for (size_t i = 0; i < heads->count; i++) {
		char head[64];

		if (!heads->length[i] || heads->length[i] >= sizeof(head) ||
		    isdigit((unsigned char)*heads->at[i]))
			return false;
		snprintf(head, sizeof(head), "%.*s", (int)heads->length[i], heads->at[i]);
		side = side || (i && side_word(head));
	}
	return side;
}

static bool parse_row(const struct words *cells, double *value)
{
	const char *end;

	for (size_t i = 1; i < cells->count; i++) {
		if (!number(cells->at[i], &end, &value[i]))
			return false;
		end = skip_blank(end);
		if (*end && *end != ',' && *end != '(')
			return false;
	}
	return true;
}

size_t read_csv(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *end;
	struct words heads, sides, cells;
	double value[MOST_SIDES], size;
	char parameter[64], test[160];
	size_t ahead = 0;

	if (!strchr(line, ',') || !parse_head(line, &heads))
		return 0;
	sides = heads;
	sides.count--;
	memmove(sides.at, sides.at + 1, sides.count * sizeof(*sides.at));
	memmove(sides.length, sides.length + 1, sides.count * sizeof(*sides.length));
	snprintf(parameter, sizeof(parameter), "%.*s", (int)heads.length[0], heads.at[0]);
	while ((line = reading_line(reading, ++ahead)) && *line) {
		struct row_key key = { .parameter = parameter, .test = test, .size = -1 };

		split_commas(line, &cells);
		if (cells.count != heads.count || !parse_row(&cells, value))
			break;
		if (number(cells.at[0], &end, &size) && *end == ',' && size >= 0 && size < 1e9) {
			key.size = size;
			snprintf(test, sizeof(test), "%.100s",
				 *reading->group ? reading->group : parameter);
		} else {
			snprintf(test, sizeof(test), "%.*s", (int)cells.length[0], cells.at[0]);
		}
		key.higher_is_better = more_is_better(test, "");
		for (size_t i = 1; i < cells.count; i++)
			reading_add(reading,
				    reading_part(reading, column_label(reading, &sides, i - 1,
								       sides.count)),
				    &key, value[i], number_resolution(cells.at[i]));
	}
	return ahead > 1 ? ahead : 0;
}
