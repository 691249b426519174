/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters: what happened besides time (instructions, cache misses, …), an operation. They explain
 * a row and have no verdict of their own.
 */
#ifndef COMPARE_COUNTERS_H
#define COMPARE_COUNTERS_H

#include <stdio.h>

#include "comparison.h"

/* The names in all records, each once; the array is to be freed. */
const char **counter_names(const struct comparison *comparison, size_t *count);

/* Mean over boots of a name of counter_names(); NAN where nothing was counted. */
double counter_value(const struct comparison *comparison, size_t row, size_t side,
		     const char *counter);

/* "instructions 266.007 -> 190.006, …, IPC 1.20 -> 1.31" of a row; nothing without counters. */
void write_row_counters(FILE *out, const struct comparison *comparison, size_t row, size_t side);

/* The same below a table, of each row that moved. */
void write_counters(FILE *out, const struct comparison *comparison, size_t side);

#endif
