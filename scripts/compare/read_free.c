// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the machine: free, and lines of /proc/meminfo.
 *
 *                total       used       free     shared    buffers     cached
 *   Mem:         11660       9344       2316          0        256       3240
 *   -/+ buffers/cache:       5848       5812
 *
 *   SUnreclaim:      1209904 kB
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_plenty(const char *name, size_t length)
{
	return (length == 4 && !strncmp(name, "free", 4)) ||
	       (length == 9 && !strncmp(name, "available", 9)) ||
	       (length == 5 && !strncmp(name, "total", 5));
}

/* Figures of a row under the heads from @skip on. */
static bool read_row(struct reading *reading, const char *line, const char *colon,
		     const struct words *heads, size_t skip)
{
	struct words figures;
	char test[64], phase[32];

	split_words(colon + 1, &figures);
	if (!figures.count || figures.count + skip > heads->count)
		return false;
	snprintf(test, sizeof(test), "free %.*s", (int)(colon - line), line);
	for (size_t i = 0; i < figures.count; i++) {
		const char *head = heads->at[i + skip], *end;
		size_t length = heads->length[i + skip];
		struct row_key key = {
			.test = test, .phase = phase, .unit = "kB", .size = -1,
			.higher_is_better = is_plenty(head, length),
		};
		double value;

		if (!number(figures.at[i], &end, &value))
			return false;
		snprintf(phase, sizeof(phase), "%.*s", (int)length, head);
		reading_add(reading, reading_part(reading, NULL), &key, value, 1);
	}
	return true;
}

size_t read_free(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *colon;
	struct words heads;
	size_t ahead = 0;

	if (!starts_with(line, "total ") || !strstr(line, " used ") || !strstr(line, " free"))
		return 0;
	split_words(line, &heads);
	while ((line = reading_line(reading, ++ahead)) && (colon = strchr(line, ':')))
		if (!read_row(reading, line, colon, &heads, *line == '-'))
			break;
	return ahead;
}

size_t read_meminfo(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *end;
	size_t length = strcspn(line, ":");
	struct row_key key = { .unit = "kB", .size = -1 };
	const char *printed;
	double value;
	char test[64];

	if (!length || length >= sizeof(test) || line[length] != ':' || strpbrk(line, "%"))
		return 0;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)line[i]) && !strchr("_()", line[i]))
			return 0;
	printed = skip_blank(line + length + 1);
	if (!number(printed, &end, &value) || strcmp(skip_blank(end), "kB"))
		return 0;
	snprintf(test, sizeof(test), "%.*s", (int)length, line);
	key.test = test;
	key.higher_is_better = strstr(test, "Free") || strstr(test, "Available") ||
			       strstr(test, "Total");
	reading_add(reading, reading_part(reading, NULL), &key, value, 1);
	return 1;
}
