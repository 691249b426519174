// SPDX-License-Identifier: GPL-2.0-only
/*
 * time_bench and the slab_bulk tests, in one line or in three:
 *
 *   Type:kmem fastpath reuse Per elem: 46 cycles(tsc) 18.599 ns (step:0)
 *    - (measurement period time:1.859917529 sec time_interval:1859917529)
 *    - (invoke count:100000000 tsc_interval:4649791431)
 *
 * Nanoseconds are what is compared: on machines whose counter is slow the cycles read 0.
 */
#include "read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Behind @name in @line, a number. */
static bool number_behind(const char *line, const char *name, double *value)
{
	const char *at = strstr(line, name);

	return at && number(skip_blank(at + strlen(name)), &at, value);
}

static void keep_cpu(struct reading *reading, struct record *record)
{
	if (record && reading->cpu && !record_get(record, "cpu"))
		record_set(record, reading->rows, "cpu", reading->cpu);
}

size_t read_time_bench(struct reading *reading)
{
	const char *line = reading_line(reading, 0);
	const char *type = strstr(line, "Type:"), *elem, *at, *printed;
	struct row_key key = { .parameter = "step" };
	double cycles, value, interval, count, step;
	char *name;

	if (starts_with(line, "DEBUG: cpu:")) {
		reading->cpu = line + strlen("DEBUG: cpu:");
		return 1;
	}
	elem = type ? strstr(type, " Per elem: ") : NULL;
	if (!elem)
		return 0;
	at = elem + strlen(" Per elem: ");
	printed = at;
	if (!number(at, &at, &cycles) || !starts_with(skip_blank(at), "cycles"))
		return 0;
	value = cycles;
	key.unit = "cycles";
	at = strchr(at, ')');
	if (at && number(skip_blank(at + 1), &elem, &value) && starts_with(elem, " ns")) {
		printed = skip_blank(at + 1);
		key.unit = "ns";
		/* the interval has more digits than the quotient that was printed */
		if (number_behind(line, "time_interval:", &interval) &&
		    number_behind(line, "invoke count:", &count) && count > 0 &&
		    fabs(interval / count - value) <= number_resolution(printed))
			value = interval / count;
	} else {
		value = cycles;
	}
	key.size = number_behind(line, "(step:", &step) && step >= 0 && step < 1e9 ? step : 0;
	elem = strstr(type, " Per elem: ");
	type += strlen("Type:");
	name = duplicate(type, elem - type);
	key.test = name;
	keep_cpu(reading, reading_add(reading, reading_part(reading, NULL), &key, value,
				      number_resolution(printed)));
	free(name);
	return 1;
}
