// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of output formats, and what they share.
 */
#include "write.h"

#include <math.h>
#include <string.h>

const struct writer writers[] = {
	{ "table", "side by side, at most 72 columns (the default)", write_table },
	{ "published", "the lines of a mail, under \"* Before\" and \"* After\"", write_published },
	{ "markdown", "the same tables for a web page or an issue", write_markdown },
	{ "csv", "a line a row and side, all numbers; what plot/ reads", write_csv },
	{ "csv-samples", "a line a round and CPU of every boot", write_csv_samples },
	{ "json", "everything, as comparison.schema.json says", write_json },
	{ "lkp", "the table of the kernel test robot", write_lkp },
	{ 0 }
};

const char *format_value(char *buffer, size_t size, double value, double resolution)
{
	int decimals = 0;

	if (isnan(value))
		return "-";
	while (decimals < 3 && resolution < 0.99) {
		resolution *= 10;
		decimals++;
	}
	if (fabs(value) >= 1e5 && decimals > 1)
		decimals = 1;
	if (fabs(value) < 0.5 * pow(10, -decimals))
		value = 0;	/* no "-0.0" */
	if (fabs(value) >= 1e9)
		snprintf(buffer, size, "%.3e", value);
	else
		snprintf(buffer, size, "%.*f", decimals, value);
	return buffer;
}

const char *format_percent(char *buffer, size_t size, double fraction)
{
	if (isnan(fraction))
		return "-";
	snprintf(buffer, size, fabs(fraction) < 10 ? "%+.1f%%" : "%+.0f%%", 100 * fraction);
	return buffer;
}

const char *format_p(char *buffer, size_t size, double p)
{
	if (isnan(p))
		return "-";
	if (p < 0.001)
		return "<.001";
	snprintf(buffer, size, "%.3f", p);
	return buffer;
}

const char *unit_words(const struct row *row)
{
	if (row->size >= 0 && !strcmp(row->unit, "cycles"))
		return "cycles an operation";
	if (row->size >= 0 && !strcmp(row->unit, "ns"))
		return "ns an operation";
	return *row->unit ? row->unit : "unit not said";
}

double geometric_mean(const struct comparison *comparison, size_t first, size_t end, size_t side,
		      size_t *rows)
{
	double logs = 0;

	*rows = 0;
	for (size_t i = first; i < end; i++) {
		size_t row = comparison->shown[i];
		double old = cell_of(comparison, row, comparison->base)->value;
		double new = cell_of(comparison, row, side)->value;

		double least = comparison->rows->row[row].resolution;

		if (!(old > least) || !(new > least))
			continue;
		logs += log(new / old);
		(*rows)++;
	}
	return *rows ? exp(logs / *rows) - 1 : NAN;
}

size_t sums(const struct comparison *comparison, size_t first, size_t end, size_t side,
	    double *old, double *new)
{
	size_t rows = 0;

	*old = *new = 0;
	for (size_t i = first; i < end; i++) {
		size_t row = comparison->shown[i];
		double base = cell_of(comparison, row, comparison->base)->value;
		double value = cell_of(comparison, row, side)->value;

		if (isnan(base) || isnan(value))
			continue;
		*old += base;
		*new += value;
		rows++;
	}
	return rows;
}
