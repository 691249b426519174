// SPDX-License-Identifier: GPL-2.0-only
/*
 * What single benchmarks print: seconds of time(1), hackbench and perf bench, throughput of dbench
 * and tbench.
 *
 *   real    0m1.455s
 *   Time: 7.042
 *   Total time: 7.042 [sec]
 *   Throughput 1234.5 MB/sec  16 clients  16 procs  max_latency=0.433 ms
 */
#include "read.h"

#include <stdio.h>
#include <string.h>

/* "0m1.455s", "7.042", "7.042s", "7.042 [sec]", and nothing behind it. */
static bool parse_seconds(const char *at, double *value, double *resolution)
{
	static const char *const units[] = { "", "s", "sec", "[sec]", "seconds" };
	double minutes = 0;
	const char *end;

	if (!number(at, &end, value))
		return false;
	if (*end == 'm') {
		minutes = *value;
		at = end + 1;
		if (!number(at, &end, value))
			return false;
	}
	*resolution = number_resolution(at);
	*value += 60 * minutes;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(skip_blank(end), units[i]))
			return true;
	return false;
}

static size_t read_throughput(struct reading *reading, const char *line)
{
	struct row_key key = {
		.test = "throughput", .parameter = "clients", .size = -1, .higher_is_better = true,
	};
	struct words words;
	double value, clients;
	const char *end;
	char unit[16];

	split_words(line, &words);
	if (words.count < 3 || !number(words.at[1], &end, &value) || end[0] != ' ' ||
	    words.length[2] >= sizeof(unit))
		return 0;
	snprintf(unit, sizeof(unit), "%.*s", (int)words.length[2], words.at[2]);
	if (!strchr(unit, '/'))
		return 0;
	key.unit = unit;
	if (words.count > 4 && number(words.at[3], &end, &clients) && clients >= 0 &&
	    clients < 1e9 && (starts_with(words.at[4], "clients") ||
			      starts_with(words.at[4], "procs")))
		key.size = clients;
	reading_add(reading, reading_part(reading, NULL), &key, value,
		    number_resolution(words.at[1]));
	return 1;
}

size_t read_time(struct reading *reading)
{
	static const char *const names[] = {
		"real", "user", "sys", "Time:", "Total time:", "Elapsed:", "Elapsed time:",
	};
	const char *line = reading_line(reading, 0);
	double value, resolution;

	if (starts_with(line, "Throughput "))
		return read_throughput(reading, line);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i]);
		struct row_key key = { .unit = "s", .size = -1 };
		char test[32];

		if (!starts_with(line, names[i]) || !strchr(" \t", line[length]) ||
		    !parse_seconds(skip_blank(line + length), &value, &resolution))
			continue;
		snprintf(test, sizeof(test), "%.*s", (int)strcspn(names[i], ":"), names[i]);
		key.test = test;
		reading_add(reading, reading_part(reading, NULL), &key, value, resolution);
		return 1;
	}
	return 0;
}
