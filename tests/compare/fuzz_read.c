// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any text is read or refused, and what is read is compared and printed.
 * make -C scripts/compare fuzz [SECONDS=600]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"
#include "text.h"
#include "write.h"

enum { MOST_CELLS = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_and_write(struct rows *rows, struct side *side, size_t sides)
{
	static const struct options options = {
		.alpha = 0.05, .fail_above = 0.03, .seed = 1, .force = true,
	};
	struct comparison comparison = {
		.options = &options, .rows = rows, .side = side, .sides = sides,
	};
	static FILE *out;

	if (!out)
		out = fopen("/dev/null", "w");
	comparison_run(&comparison);
	check_comparable(&comparison);
	for (const struct writer *writer = writers; writer->name; writer++)
		writer->write(out, &comparison);
	comparison_free(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rows rows = { 0 };
	struct reading reading;
	struct side *side;
	size_t sides = 0;

	if (read_text(&reading, &rows, "fuzz", duplicate((const char *)data, size), size)) {
		side = reading_sides(&reading, size % 2, &sides);
		if (sides * rows.count <= MOST_CELLS) {
			compare_and_write(&rows, side, sides);
		} else {
			for (size_t i = 0; i < sides; i++)
				side_free(&side[i]);
			free(side);
		}
	}
	reading_free(&reading);
	rows_free(&rows);
	return 0;
}
