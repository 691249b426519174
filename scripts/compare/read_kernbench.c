// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernbench: a name, a mean and its standard deviation in brackets.
 *
 *   Elapsed Time 101.873 (1.16069)
 *   Context Switches 189140 (2282.15)
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

size_t read_kernbench(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *printed = line, *end;
	struct row_key key = { .size = -1 };
	double value, deviation;
	char name[64];
	size_t length;

	while (isalpha((unsigned char)*printed) || *printed == ' ')
		printed++;
	if (!number(printed, &end, &value) || !starts_with(end, " (") ||
	    !number(end + 2, &end, &deviation) || strcmp(end, ")"))
		return 0;
	for (length = printed - line; length && line[length - 1] == ' ';)
		length--;
	if (!length || length >= sizeof(name) || !isupper((unsigned char)*line))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)length, line);
	key.test = name;
	key.unit = strstr(name, "Time") ? "s" : strstr(name, "Percent") ? "%" : "";
	reading_add(reading, reading_part(reading, NULL), &key, value,
		    number_resolution(printed));
	return 1;
}
