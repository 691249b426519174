// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hand-made tables of bulk sizes, two columns side by side. What the last column claims is not
 * read: "improved -6.5%" is worked out anew.
 *
 *   bulk - curr in-kernel  - improvement with this patch
 *      1 -  46 cycles(tsc) - 49 cycles(tsc) - improved (cycles:-3) -6.5%
 *      2 -  55 cycles(tsc) 13.935 ns - 30 cycles(tsc) 7.506 ns - improved 45.5%
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>

/* "46 cycles(tsc)" or "55 cycles(tsc) 13.935 ns": ns where they are, they have more digits. */
static bool parse_cell(const char **at, struct row_key *key, const char **printed, double *value)
{
	const char *end;
	double ns;

	*printed = skip_blank(*at);
	if (!number(*printed, at, value) || !starts_with(skip_blank(*at), "cycles"))
		return false;
	key->unit = "cycles";
	*at = strchr(*at, 's') + 1;
	if (starts_with(*at, "(tsc)"))
		*at += strlen("(tsc)");
	if (number(skip_blank(*at), &end, &ns) && starts_with(skip_blank(end), "ns")) {
		*printed = skip_blank(*at);
		*value = ns;
		key->unit = "ns";
		*at = skip_blank(end) + 2;
	}
	*at = skip_blank(*at);
	return true;
}

/* "bulk - curr in-kernel  - improvement with this patch" names the table "bulk: curr in-kernel". */
static size_t read_title(struct reading *reading, const char *line)
{
	const char *start = skip_blank(line + strlen("bulk")), *end;
	char *title;

	if (*start != '-')
		return 0;
	start = skip_blank(start + 1);
	end = strstr(start, " - ");
	if (!end)
		end = start + strlen(start);
	while (end > start && end[-1] == ' ')
		end--;
	title = format_string("bulk: %.*s", (int)(end - start), start);
	reading->title = rows_string(reading->rows, title);
	free(title);
	return 1;
}

size_t read_bulk(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *at, *printed[2];
	struct row_key key = { .test = reading->title, .parameter = "bulk" };
	const char *units[2];
	double value[2];

	if (starts_with(line, "bulk"))
		return read_title(reading, line);
	key.size = strtol(line, (char **)&at, 10);
	at = skip_blank(at);
	if (at == line || *at != '-' || key.size < 0)
		return 0;
	for (int i = 0; i < 2; i++) {
		if (*at++ != '-' || !parse_cell(&at, &key, &printed[i], &value[i]))
			return 0;
		units[i] = key.unit;
	}
	if (strcmp(units[0], units[1]))
		return 0;
	if (!*key.test)
		key.test = "bulk";
	for (int i = 0; i < 2; i++)
		reading_add(reading, reading_part(reading, column_label(reading, NULL, i, 2)), &key,
			    value[i], number_resolution(printed[i]));
	return 1;
}
