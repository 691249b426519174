/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the allocator did while rows were measured: the events that --events of scripts/vm.sh and
 * scripts/run.sh adds to a record, and the slab memory before and after each run.
 */
#ifndef COMPARE_EVENTS_H
#define COMPARE_EVENTS_H

#include <stdio.h>

#include "comparison.h"

/* Whether any record has events of a test: then --why can do without profiles. */
bool has_events(const struct comparison *comparison);

/* The events of a row's test and size that differ between @side and the base, most telling first. */
void write_row_events(FILE *out, const struct comparison *comparison, size_t row, size_t side);

/* The caches that grew during the run or differ between the sides, the largest change first. */
void write_slab_memory(FILE *out, const struct comparison *comparison, size_t side);

#endif
