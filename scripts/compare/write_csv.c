// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV for plots and spreadsheets. A number that does not exist is "-" (gnuplot: set datafile
 * missing "-"). scripts/compare/FORMATS.md says what the columns are.
 */
#include "write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "text.h"

static void word(FILE *out, const char *string)
{
	if (!strpbrk(string, ",\"\n")) {
		fputs(string, out);
		return;
	}
	fputc('"', out);
	for (; *string; string++) {
		if (*string == '"')
			fputc('"', out);
		fputc(*string, out);
	}
	fputc('"', out);
}

static void value(FILE *out, double number)
{
	if (isnan(number))
		fputs(",-", out);
	else
		fprintf(out, ",%.10g", number);
}

static void row_columns(FILE *out, const struct row *row)
{
	word(out, row->test);
	fputc(',', out);
	word(out, row->phase);
	if (row->size < 0)
		fputs(",-,", out);
	else
		fprintf(out, ",%ld,", row->size);
	word(out, row->unit);
	fprintf(out, ",%s,", row->higher_is_better ? "higher" : "lower");
}

void write_csv(FILE *out, const struct comparison *comparison)
{
	size_t names;
	const char **name = counter_names(comparison, &names);

	fputs("test,phase,size,unit,better,side,base,boots,value,low,high,spread,clusters,"
	      "delta,delta_low,delta_high,p,p_adjusted,detectable,ticks,verdict", out);
	for (size_t i = 0; i < names; i++)
		fprintf(out, ",counter.%s", name[i]);
	fputc('\n', out);
	for (size_t i = 0; i < comparison->shown_count; i++)
		for (size_t side = 0; side < comparison->sides; side++) {
			size_t row = comparison->shown[i];
			const struct cell *cell = cell_of(comparison, row, side);
			const struct change *change = change_of(comparison, row, side);
			bool is_base = side == comparison->base;

			row_columns(out, &comparison->rows->row[row]);
			word(out, comparison->side[side].name);
			fputc(',', out);
			word(out, comparison->side[comparison->base].name);
			fprintf(out, ",%zu", cell->boots.count);
			value(out, cell->value);
			value(out, cell->low);
			value(out, cell->high);
			value(out, cell->spread);
			fprintf(out, ",%d", cell->boots.count ? 1 + cell->two_clusters : 0);
			value(out, is_base ? NAN : change->delta);
			value(out, is_base ? NAN : change->low);
			value(out, is_base ? NAN : change->high);
			value(out, is_base ? NAN : change->p);
			value(out, is_base ? NAN : change->p_adjusted);
			value(out, is_base ? NAN : change->detectable);
			if (comparison->exact && !is_base && cell->repeats &&
			    cell_of(comparison, row, comparison->base)->repeats)
				fprintf(out, ",%lld", (long long)change->difference);
			else
				fputs(",-", out);
			fprintf(out, ",%s", is_base ? "base" : verdict_words[change->verdict]);
			for (size_t j = 0; j < names; j++)
				value(out, counter_value(comparison, row, side, name[j]));
			fputc('\n', out);
		}
	free(name);
}

void write_csv_samples(FILE *out, const struct comparison *comparison)
{
	bool *shown = allocate(comparison->rows->count, sizeof(*shown));

	for (size_t i = 0; i < comparison->shown_count; i++)
		shown[comparison->shown[i]] = true;
	fputs("test,phase,size,unit,better,side,boot,round,cpu,value,flags\n", out);
	for (size_t side = 0; side < comparison->sides; side++)
		for (size_t boot = 0; boot < comparison->side[side].records; boot++) {
			const struct record *record = comparison->side[side].record[boot];

			for (size_t i = 0; i < record->samples; i++) {
				const struct sample *sample = &record->sample[i];

				if (!shown[sample->row])
					continue;
				row_columns(out, &comparison->rows->row[sample->row]);
				word(out, comparison->side[side].name);
				fprintf(out, ",%zu,%u", boot + 1, sample->round);
				if (sample->cpu < 0)
					fputs(",-", out);
				else
					fprintf(out, ",%d", sample->cpu);
				value(out, sample->value);
				fprintf(out, ",%s%s%s\n",
					sample->flags & SAMPLE_PREEMPTED ? "P" : "",
					sample->flags & SAMPLE_MIGRATED ? "M" : "",
					sample->flags & (SAMPLE_PREEMPTED | SAMPLE_MIGRATED) ?
					"" : "-");
			}
		}
	free(shown);
}
