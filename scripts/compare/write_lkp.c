// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of the kernel test robot. Its deviations are in per cent of the value, here over boots
 * with n-1; a change of a metric that is itself in per cent is a difference.
 */
#include "write.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

static void write_value(FILE *out, const struct cell *cell)
{
	double deviation;

	if (isnan(cell->value)) {
		fprintf(out, "%10s      ", "-");
		return;
	}
	fprintf(out, "%10.*f", fabs(cell->value) < 1000 ? 2 : 0, cell->value);
	if (cell->boots.count < 2 || cell->value == 0) {
		fputs("      ", out);
		return;
	}
	deviation = gsl_stats_sd(cell->boots.median, 1, cell->boots.count) / fabs(cell->value);
	fprintf(out, " ±%3.0f%%", 100 * deviation);
}

static void write_change(FILE *out, const struct row *row, const struct cell *base,
			 const struct cell *cell, double delta)
{
	char buffer[32];

	if (!strcmp(row->unit, "%") && !isnan(base->value) && !isnan(cell->value))
		snprintf(buffer, sizeof(buffer), "%+.1f ", cell->value - base->value);
	else
		format_percent(buffer, sizeof(buffer), delta);
	fprintf(out, " %10s ", isnan(delta) ? "" : buffer);
}

static void write_name(FILE *out, const struct row *row)
{
	char name[256];

	if (row->size >= 0)
		snprintf(name, sizeof(name), "%s.%ld%s%s", row->test, row->size,
			 *row->phase ? "." : "", row->phase);
	else
		snprintf(name, sizeof(name), "%s%s%s", row->test, *row->phase ? "." : "",
			 row->phase);
	for (char *at = name; *at; at++)
		if (*at == ' ' || *at == '\t')
			*at = '_';
	if (!strcmp(row->unit, "cycles") || !strcmp(row->unit, "ns"))
		fprintf(out, "  %s.%s\n", name, row->unit);
	else
		fprintf(out, "  %s\n", name);
}

void write_lkp(FILE *out, const struct comparison *comparison)
{
	fprintf(out, "%-16.16s", comparison->side[comparison->base].name);
	for (size_t side = 0; side < comparison->sides; side++)
		if (side != comparison->base)
			fprintf(out, " %-27.27s", comparison->side[side].name);
	fputs("\n----------------", out);
	for (size_t side = 1; side < comparison->sides; side++)
		fputs(" ---------------------------", out);
	fputs("\n         %stddev", out);
	for (size_t side = 1; side < comparison->sides; side++)
		fputs("     %change         %stddev", out);
	fputs("\n             \\  ", out);
	for (size_t side = 1; side < comparison->sides; side++)
		fputs("        |                \\  ", out);
	fputc('\n', out);
	for (size_t i = 0; i < comparison->shown_count; i++) {
		size_t row = comparison->shown[i];
		const struct cell *base = cell_of(comparison, row, comparison->base);

		write_value(out, base);
		for (size_t side = 0; side < comparison->sides; side++) {
			const struct cell *cell = cell_of(comparison, row, side);

			if (side == comparison->base)
				continue;
			write_change(out, &comparison->rows->row[row], base, cell,
				     change_of(comparison, row, side)->delta);
			write_value(out, cell);
		}
		write_name(out, &comparison->rows->row[row]);
	}
}
