// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON with everything: options, sides with their headers, values of every round, changes, words.
 * comparison.schema.json describes it; the number in "version" rises when a reader must change.
 */
#include "write.h"

#include <math.h>
#include <stdlib.h>

#include "counters.h"

enum { VERSION = 1 };

/* Bytes of a UTF-8 character, or 1 for a byte that begins none. */
static size_t character_length(const unsigned char *at)
{
	size_t length = *at >= 0xf0 && *at < 0xf5 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 1;

	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80 || *at >= 0xf5)
			return 1;
	return length;
}

/* Bytes that are no UTF-8 (a mail in Latin-1) are taken as Latin-1. */
static void string(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t length = character_length(at);

		if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (length == 1 && (*at < 0x20 || *at >= 0x80))
			fprintf(out, "\\u%04x", *at);
		else
			fwrite(at, 1, length, out);
		at += length;
	}
	fputc('"', out);
}

static void key(FILE *out, const char *name)
{
	string(out, name);
	fputs(": ", out);
}

static void number_or_null(FILE *out, const char *name, double value)
{
	key(out, name);
	if (isfinite(value))
		fprintf(out, "%.10g", value);
	else
		fputs("null", out);
}

static void write_record(FILE *out, const struct record *record)
{
	fputs("{ ", out);
	key(out, "source");
	string(out, record->source);
	fputs(", ", out);
	key(out, "header");
	fputc('[', out);
	for (size_t i = 0; i < record->headers; i++) {
		fputs(i ? ", [" : "[", out);
		string(out, record->header[i].key);
		fputs(", ", out);
		string(out, record->header[i].value);
		fputc(']', out);
	}
	fputs("] }", out);
}

static void write_sides(FILE *out, const struct comparison *comparison)
{
	fputs("  \"sides\": [\n", out);
	for (size_t i = 0; i < comparison->sides; i++) {
		const struct side *side = &comparison->side[i];

		fputs("    { ", out);
		key(out, "name");
		string(out, side->name);
		fprintf(out, ", \"base\": %s, \"boots\": [\n",
			i == comparison->base ? "true" : "false");
		for (size_t j = 0; j < side->records; j++) {
			fputs("      ", out);
			write_record(out, side->record[j]);
			fputs(j + 1 < side->records ? ",\n" : "\n", out);
		}
		fprintf(out, "    ] }%s\n", i + 1 < comparison->sides ? "," : "");
	}
	fputs("  ],\n", out);
}

static void write_lines(FILE *out, const char *name, char *const *line, size_t lines)
{
	fputs("  ", out);
	key(out, name);
	fputc('[', out);
	for (size_t i = 0; i < lines; i++) {
		fputs(i ? ",\n    " : "\n    ", out);
		string(out, line[i]);
	}
	fputs(lines ? "\n  ],\n" : "],\n", out);
}

static void write_counts(FILE *out, const struct comparison *comparison, size_t row, size_t side)
{
	size_t names;
	const char **name = counter_names(comparison, &names);

	if (names)
		fputs(",\n          \"counters\": { ", out);
	for (size_t i = 0; i < names; i++) {
		fputs(i ? ", " : "", out);
		number_or_null(out, name[i], counter_value(comparison, row, side, name[i]));
	}
	fputs(names ? " }" : "", out);
	free(name);
}

static void write_cell(FILE *out, const struct comparison *comparison, size_t row, size_t side)
{
	const struct cell *cell = cell_of(comparison, row, side);

	fputs("        { ", out);
	key(out, "side");
	string(out, comparison->side[side].name);
	fputs(", ", out);
	number_or_null(out, "value", cell->value);
	fputs(", ", out);
	number_or_null(out, "low", cell->low);
	fputs(", ", out);
	number_or_null(out, "high", cell->high);
	fputs(", ", out);
	number_or_null(out, "spread", cell->spread);
	fprintf(out, ", \"two_clusters\": %s,\n          \"rounds\": [",
		cell->two_clusters ? "true" : "false");
	for (size_t i = 0; i < cell->boots.count; i++) {
		fputs(i ? ", [" : "[", out);
		for (size_t j = 0; j < cell->boots.rounds[i].count; j++)
			fprintf(out, "%s%.10g", j ? ", " : "", cell->boots.rounds[i].value[j]);
		fputc(']', out);
	}
	fputs("]", out);
	if (comparison->exact && cell->ops)
		fprintf(out, ", \"ticks\": %.10g, \"operations\": %llu", cell->ticks,
			(unsigned long long)cell->ticks_ops);
	write_counts(out, comparison, row, side);
	fputs(" }", out);
}

static void write_change(FILE *out, const struct comparison *comparison, size_t row, size_t side)
{
	const struct change *change = change_of(comparison, row, side);

	fputs("        { ", out);
	key(out, "side");
	string(out, comparison->side[side].name);
	fputs(", ", out);
	number_or_null(out, "delta", change->delta);
	fputs(", ", out);
	number_or_null(out, "low", change->low);
	fputs(", ", out);
	number_or_null(out, "high", change->high);
	fputs(", ", out);
	number_or_null(out, "p", change->p);
	fputs(", ", out);
	number_or_null(out, "p_adjusted", change->p_adjusted);
	fputs(", ", out);
	number_or_null(out, "detectable", change->detectable);
	fputs(", ", out);
	key(out, "verdict");
	string(out, verdict_words[change->verdict]);
	fputs(" }", out);
}

static void write_row(FILE *out, const struct comparison *comparison, size_t row)
{
	const struct row *name = &comparison->rows->row[row];
	bool first = true;

	fputs("    { ", out);
	key(out, "test");
	string(out, name->test);
	fputs(", ", out);
	key(out, "phase");
	string(out, name->phase);
	fputs(", ", out);
	key(out, "parameter");
	string(out, name->parameter);
	fputs(", ", out);
	number_or_null(out, "size", name->size < 0 ? NAN : name->size);
	fputs(", ", out);
	key(out, "unit");
	string(out, name->unit);
	fprintf(out, ", \"better\": \"%s\", ", name->higher_is_better ? "higher" : "lower");
	number_or_null(out, "resolution", name->resolution);
	fputs(",\n      \"cells\": [\n", out);
	for (size_t side = 0; side < comparison->sides; side++) {
		fputs(side ? ",\n" : "", out);
		write_cell(out, comparison, row, side);
	}
	fputs("\n      ],\n      \"changes\": [\n", out);
	for (size_t side = 0; side < comparison->sides; side++) {
		if (side == comparison->base)
			continue;
		fputs(first ? "" : ",\n", out);
		first = false;
		write_change(out, comparison, row, side);
	}
	fputs("\n      ] }", out);
}

void write_json(FILE *out, const struct comparison *comparison)
{
	const struct options *options = comparison->options;
	bool first = true;

	fprintf(out, "{\n  \"version\": %d,\n", VERSION);
	fprintf(out, "  \"options\": { \"alpha\": %g, \"fail_above\": %g, \"seed\": %lu },\n",
		options->alpha, options->fail_above, options->seed);
	fprintf(out, "  \"exact\": %s,\n", comparison->exact ? "true" : "false");
	write_sides(out, comparison);
	write_lines(out, "refusals", comparison->refusal, comparison->refusals);
	write_lines(out, "warnings", comparison->warning, comparison->warnings);
	fputs("  \"rows\": [\n", out);
	for (size_t i = 0; i < comparison->shown_count; i++) {
		write_row(out, comparison, comparison->shown[i]);
		fputs(i + 1 < comparison->shown_count ? ",\n" : "\n", out);
	}
	fputs("  ],\n  \"words\": [\n", out);
	for (size_t side = 0; side < comparison->sides; side++) {
		char *words;

		if (side == comparison->base)
			continue;
		words = closing_words(comparison, side);
		fputs(first ? "    " : ",\n    ", out);
		first = false;
		string(out, words);
		free(words);
	}
	fputs("\n  ]\n}\n", out);
}
