// SPDX-License-Identifier: GPL-2.0-only
/*
 * Markdown: a table for each phase of each test, all sides beside each other.
 */
#include "write.h"

#include <math.h>
#include <stdlib.h>

static void write_head(FILE *out, const struct comparison *comparison, size_t first)
{
	const struct row *head = &comparison->rows->row[comparison->shown[first]];
	const char *base = comparison->side[comparison->base].name;

	if (head->size >= 0)
		fprintf(out, "\n### %s%s%s\n\n%s, %s is better\n\n| %s | %s |",
			head->test, *head->phase ? ", " : "", head->phase, unit_words(head),
			head->higher_is_better ? "more" : "less", head->parameter, base);
	else
		fprintf(out, "\n### metrics\n\n| metric | %s |", base);
	for (size_t side = 0; side < comparison->sides; side++)
		if (side != comparison->base)
			fprintf(out, " %s | delta | %g %% interval | p | verdict |",
				comparison->side[side].name,
				100 * (1 - comparison->options->alpha));
	fputs("\n| ---: | ---: |", out);
	for (size_t side = 1; side < comparison->sides; side++)
		fputs(" ---: | ---: | ---: | ---: | --- |", out);
	fputc('\n', out);
}

static void write_change(FILE *out, const struct comparison *comparison, size_t row, size_t side)
{
	const struct change *change = change_of(comparison, row, side);
	const struct cell *cell = cell_of(comparison, row, side);
	double resolution = comparison->rows->row[row].resolution;
	char value[32], delta[32], low[32], high[32], p[32];

	fprintf(out, " %s%s | %s |", format_value(value, sizeof(value), cell->value, resolution),
		cell->two_clusters ? " (two groups)" : "",
		format_percent(delta, sizeof(delta), change->delta));
	if (isnan(change->low))
		fputs(" - |", out);
	else
		fprintf(out, " %s to %s |", format_percent(low, sizeof(low), change->low),
			format_percent(high, sizeof(high), change->high));
	fprintf(out, " %s | %s |", format_p(p, sizeof(p), change->p_adjusted),
		verdict_words[change->verdict]);
}

static void write_row(FILE *out, const struct comparison *comparison, size_t row)
{
	const struct row *name = &comparison->rows->row[row];
	char value[32];

	if (name->size >= 0)
		fprintf(out, "| %ld |", name->size);
	else
		fprintf(out, "| %s%s%s%s%s |", name->test, *name->phase ? ", " : "", name->phase,
			*name->unit ? ", " : "", name->unit);
	fprintf(out, " %s |", format_value(value, sizeof(value),
					   cell_of(comparison, row, comparison->base)->value,
					   name->resolution));
	for (size_t side = 0; side < comparison->sides; side++)
		if (side != comparison->base)
			write_change(out, comparison, row, side);
	fputc('\n', out);
}

void write_markdown(FILE *out, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->refusals; i++)
		fprintf(out, "- **differs**: %s\n", comparison->refusal[i]);
	for (size_t i = 0; i < comparison->warnings; i++)
		fprintf(out, "- warning: %s\n", comparison->warning[i]);
	for (size_t first = 0, end; first < comparison->shown_count; first = end) {
		end = block_end(comparison, first);
		write_head(out, comparison, first);
		for (size_t i = first; i < end; i++)
			write_row(out, comparison, comparison->shown[i]);
	}
	for (size_t side = 0; side < comparison->sides; side++) {
		char *words;

		if (side == comparison->base)
			continue;
		words = closing_words(comparison, side);
		fprintf(out, "\n%s\n", words);
		free(words);
	}
}
