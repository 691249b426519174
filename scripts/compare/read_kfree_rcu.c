// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kfree_rcu() test of rcuperf and rcuscale:
 *
 *   Total time taken by all kfree'ers: 17519684419 ns, loops: 10000, batches: 3378,
 *   memory footprint: 319MB			(one line)
 *
 * Loops are a condition and batches say how the work was cut up; time and memory are results.
 */
#include "read.h"

#include <stdio.h>
#include <string.h>

size_t read_kfree_rcu(struct reading *reading)
{
	static const char head[] = "Total time taken by all kfree'ers:";
	static const char tail[] = "memory footprint:";
	const char *line = reading_line(reading, 0), *at = strstr(line, head), *end;
	struct part *part;
	struct row_key time = { .test = "kfree_rcu", .phase = "time", .unit = "s", .size = -1 };
	struct row_key memory = {
		.test = "kfree_rcu", .phase = "memory footprint", .unit = "MB", .size = -1,
	};
	double value;

	if (!at || !number(skip_blank(at + strlen(head)), &end, &value))
		return 0;
	part = reading_part(reading, NULL);
	reading_add(reading, part, &time, value * 1e-9, 1e-9);
	at = strstr(line, tail);
	if (at && number(skip_blank(at + strlen(tail)), &end, &value) && starts_with(end, "MB"))
		reading_add(reading, part, &memory, value, 1);
	return 1;
}
