/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a comparison: one small writer a format, in a table (write.c).
 *
 * To add a format: write write_NAME.c with one such function, and give it a line in the table.
 */
#ifndef COMPARE_WRITE_H
#define COMPARE_WRITE_H

#include <stdio.h>

#include "comparison.h"

struct writer {
	const char *name;
	const char *what;
	void (*write)(FILE *out, const struct comparison *comparison);
};

extern const struct writer writers[];

void write_table(FILE *out, const struct comparison *comparison);
void write_published(FILE *out, const struct comparison *comparison);
void write_markdown(FILE *out, const struct comparison *comparison);
void write_json(FILE *out, const struct comparison *comparison);
void write_lkp(FILE *out, const struct comparison *comparison);
void write_csv(FILE *out, const struct comparison *comparison);
void write_csv_samples(FILE *out, const struct comparison *comparison);

/* Put @value into @buffer with as many decimals as are worth showing; "-" when there is none. */
const char *format_value(char *buffer, size_t size, double value, double resolution);
/* "+12.3%", "-70.4%", "-". */
const char *format_percent(char *buffer, size_t size, double fraction);
/* "0.012", "<.001", "-". */
const char *format_p(char *buffer, size_t size, double p);

/* "cycles an operation", "KiB", "unit not said". */
const char *unit_words(const struct row *row);

/* Geometric mean of the ratios new/old - 1 over rows [first, end) of shown[]; NAN without any. */
double geometric_mean(const struct comparison *comparison, size_t first, size_t end, size_t side,
		      size_t *rows);

/* Sums of both sides over the rows that both have. */
size_t sums(const struct comparison *comparison, size_t first, size_t end, size_t side,
	    double *old, double *new);

/* The closing paragraph for one side against the base: one line, to be freed. */
char *closing_words(const struct comparison *comparison, size_t side);

/* The same in lines of at most 72 columns. */
void write_closing(FILE *out, const struct comparison *comparison, size_t side);

#endif
