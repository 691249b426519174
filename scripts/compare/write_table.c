// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table a person reads: sides, a block for each phase of each test, words at the end. Nothing
 * is wider than 72 columns, so that it can be mailed.
 */
#include "write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "text.h"

enum { MOST_IN_MATRIX = 3, COLUMNS = 72 };

static const struct row *row_of(const struct comparison *comparison, size_t i)
{
	return &comparison->rows->row[comparison->shown[i]];
}

static void write_value(FILE *out, const struct comparison *comparison, size_t row, size_t side)
{
	const struct cell *cell = cell_of(comparison, row, side);
	char buffer[32];

	fprintf(out, " %9s%c", format_value(buffer, sizeof(buffer), cell->value,
					    comparison->rows->row[row].resolution),
		cell->two_clusters ? '*' : ' ');
}

/* A name too long for its column loses its end, or its beginning if only the end tells it. */
static void write_name(FILE *out, const struct comparison *comparison, size_t side)
{
	const char *name = comparison->side[side].name;

	for (size_t i = 0; i < comparison->sides; i++)
		if (i != side && strlen(name) > 9 &&
		    !strncmp(name, comparison->side[i].name, 9)) {
			fprintf(out, " %9s ", name + strlen(name) - 9);
			return;
		}
	fprintf(out, " %9.9s ", name);
}

/* Between delta and verdict: the interval and p, or what stands for them. */
enum columns {
	INTERVAL,	/* [low,high] and p */
	SPREAD,		/* of the boots of both sides: too few for an interval */
	EXACT,		/* difference in ticks, and an operation */
};

static enum columns choose_columns(const struct comparison *comparison, size_t side)
{
	if (comparison->exact)
		return EXACT;
	for (size_t i = 0; i < comparison->shown_count; i++)
		if (!isnan(change_of(comparison, comparison->shown[i], side)->p))
			return INTERVAL;
	return SPREAD;
}

static void write_pair_head(FILE *out, const struct comparison *comparison, size_t side,
			    enum columns columns, const char *parameter)
{
	char interval[32];

	snprintf(interval, sizeof(interval), "%g%% interval",
		 100 * (1 - comparison->options->alpha));
	fprintf(out, "%6.6s", parameter);
	write_name(out, comparison, comparison->base);
	write_name(out, comparison, side);
	fprintf(out, "%7s %13s %5s %s\n", "delta",
		columns == EXACT ? "ticks a round" : columns == SPREAD ? "spread" : interval,
		columns == EXACT ? "an op" : columns == SPREAD ? "" : "p", "verdict");
}

static void write_pair_row(FILE *out, const struct comparison *comparison, size_t row, size_t side,
			   enum columns columns)
{
	const struct change *change = change_of(comparison, row, side);
	const struct cell *base = cell_of(comparison, row, comparison->base);
	const struct cell *cell = cell_of(comparison, row, side);
	char delta[32], middle[64] = "-", p[32] = "-", low[32], high[32];

	if (columns == INTERVAL && !isnan(change->low))
		snprintf(middle, sizeof(middle), "[%.*s,%.*s]",
			 (int)strcspn(format_percent(low, sizeof(low), change->low), "%"), low,
			 (int)strcspn(format_percent(high, sizeof(high), change->high), "%"), high);
	if (columns == INTERVAL)
		snprintf(p, sizeof(p), "%s", format_p(low, sizeof(low), change->p_adjusted));
	if (columns == SPREAD && !isnan(base->spread) && !isnan(cell->spread))
		snprintf(middle, sizeof(middle), "%.1f%%/%.1f%%", 100 * base->spread,
			 100 * cell->spread);
	if (columns == SPREAD)
		strcpy(p, "");
	if (columns == EXACT && base->repeats && cell->repeats) {
		snprintf(middle, sizeof(middle), "%+lld", (long long)change->difference);
		snprintf(p, sizeof(p), "%+.2f", (double)change->difference / base->ticks_ops);
	}
	write_value(out, comparison, row, comparison->base);
	write_value(out, comparison, row, side);
	fprintf(out, "%7s %13s %5s %s\n", format_percent(delta, sizeof(delta), change->delta),
		middle, p, verdict_words[change->verdict]);
}

/* "sum" and "gmean" below a block: two ways to put many rows into one number, and never both. */
static void write_totals(FILE *out, const struct comparison *comparison, size_t first, size_t end,
			 const size_t *sides, size_t count)
{
	double resolution = row_of(comparison, first)->resolution, old, new;
	char value[32], delta[32];
	size_t rows, base_rows;

	if (end - first < 2 || row_of(comparison, first)->size < 0)
		return;
	fprintf(out, "%6s", "sum");
	base_rows = sums(comparison, first, end, count == 1 ? sides[0] : comparison->base, &old,
			 &new);
	fprintf(out, " %9s ", format_value(value, sizeof(value), old, resolution));
	for (size_t i = 0; i < count; i++) {
		rows = sums(comparison, first, end, sides[i], &old, &new);
		/* a sum of fewer rows than the base's stands beside it for nothing */
		if (rows != base_rows)
			rows = 0;
		fprintf(out, " %9s ", rows ? format_value(value, sizeof(value), new, resolution) :
			"-");
		fprintf(out, "%7s", rows && old > rows * resolution ?
			format_percent(delta, sizeof(delta), (new - old) / old) : "-");
	}
	fprintf(out, "\n%6s %10s", "gmean", "");
	for (size_t i = 0; i < count; i++) {
		double mean = geometric_mean(comparison, first, end, sides[i], &rows);

		fprintf(out, " %9s %7s", "", format_percent(delta, sizeof(delta), mean));
	}
	fputc('\n', out);
}

static void write_block_title(FILE *out, const struct row *row)
{
	char title[256];

	snprintf(title, sizeof(title), "%s%s%s", row->test, *row->phase ? ", " : "", row->phase);
	fprintf(out, "\n%s:%s", title, strlen(title) > 30 ? "\n  " : " ");
	fprintf(out, "%s, %s is better\n", unit_words(row),
		row->higher_is_better ? "more" : "less");
}

static void write_label(FILE *out, const struct row *row)
{
	if (row->size >= 0) {
		fprintf(out, "%6ld", row->size);
		return;
	}
	fprintf(out, "%s%s%s%s%s (%s is better)\n%6s", row->test, *row->phase ? ", " : "",
		row->phase, *row->unit ? ", " : "", row->unit,
		row->higher_is_better ? "more" : "less", "");
}

/* With several sides there are rows that neither the base nor this side has. */
static bool either_has(const struct comparison *comparison, size_t first, size_t end, size_t side)
{
	for (size_t i = first; i < end; i++)
		if (cell_of(comparison, comparison->shown[i], comparison->base)->boots.count ||
		    cell_of(comparison, comparison->shown[i], side)->boots.count)
			return true;
	return false;
}

static void write_pair(FILE *out, const struct comparison *comparison, size_t side)
{
	enum columns columns = choose_columns(comparison, side);

	for (size_t first = 0, end; first < comparison->shown_count; first = end) {
		const struct row *head = row_of(comparison, first);

		end = block_end(comparison, first);
		if (!either_has(comparison, first, end, side))
			continue;
		if (head->size >= 0)
			write_block_title(out, head);
		else
			fputc('\n', out);
		write_pair_head(out, comparison, side, columns,
				head->size >= 0 ? head->parameter : "");
		for (size_t i = first; i < end; i++) {
			if (!either_has(comparison, i, i + 1, side))
				continue;
			write_label(out, row_of(comparison, i));
			write_pair_row(out, comparison, comparison->shown[i], side, columns);
		}
		write_totals(out, comparison, first, end, &side, 1);
	}
}

static void write_matrix(FILE *out, const struct comparison *comparison, const size_t *sides,
			 size_t count)
{
	char delta[32];

	for (size_t first = 0, end; first < comparison->shown_count; first = end) {
		const struct row *head = row_of(comparison, first);

		end = block_end(comparison, first);
		if (head->size >= 0)
			write_block_title(out, head);
		else
			fputc('\n', out);
		fprintf(out, "%6.6s", head->size >= 0 ? head->parameter : "");
		write_name(out, comparison, comparison->base);
		for (size_t i = 0; i < count; i++) {
			write_name(out, comparison, sides[i]);
			fprintf(out, "%7s", "delta");
		}
		fputc('\n', out);
		for (size_t i = first; i < end; i++) {
			size_t row = comparison->shown[i];

			write_label(out, row_of(comparison, i));
			write_value(out, comparison, row, comparison->base);
			for (size_t j = 0; j < count; j++) {
				write_value(out, comparison, row, sides[j]);
				fprintf(out, "%7s",
					format_percent(delta, sizeof(delta),
						       change_of(comparison, row,
								 sides[j])->delta));
			}
			fputc('\n', out);
		}
		write_totals(out, comparison, first, end, sides, count);
	}
}

static void write_header(FILE *out, const char *name, const char *value)
{
	size_t column = 0, length;

	if (!value || !*value)
		return;
	if (strlen(name) <= 9) {
		column = fprintf(out, "%-9s ", name);
	} else {
		fputs(name, out);
		column = COLUMNS;	/* a long name has a line of its own */
	}
	while (*(value = skip_blank(value))) {
		length = strcspn(value, " \t");
		while (length > COLUMNS - 11)	/* a long list breaks behind a comma */
			length = memrchr(value, ',', length - 1) ?
				 (char *)memrchr(value, ',', length - 1) + 1 - value : COLUMNS - 11;
		if (column + 1 + length > COLUMNS && column > 10) {
			fprintf(out, "\n%10s", "");
			column = 10;
		}
		column += fprintf(out, "%s%.*s", column > 10 ? " " : "", (int)length, value);
		value += length;
	}
	fputc('\n', out);
}

static void write_sides(FILE *out, const struct comparison *comparison)
{
	const struct record *base = comparison->side[comparison->base].record[0];
	static const char *const keys[] = { "source", "machine", "vm", "clock", "plan", "notice" };

	for (size_t i = 0; i < comparison->sides; i++) {
		const struct side *side = &comparison->side[i];
		const struct record *record = side->record[0];
		const char *kernel = record_get(record, "kernel");
		const char *allocator = record_get(record, "allocator");
		char *line;

		line = format_string("%s%s%s%s%zu boot%s (%s%s)%s",
				     kernel ? kernel : "", kernel ? ", " : "",
				     allocator ? allocator : "", allocator ? ", " : "",
				     side->records, side->records == 1 ? "" : "s", record->source,
				     side->records > 1 ? ", …" : "",
				     i == comparison->base && comparison->sides > 2 ?
				     ", the base" : "");
		write_header(out, side->name, line);
		free(line);
	}
	for (size_t i = 0; i < base->headers; i++)
		for (size_t j = 0; j < sizeof(keys) / sizeof(*keys); j++)
			if (!strcmp(base->header[i].key, keys[j]))
				write_header(out, keys[j], base->header[i].value);
	for (size_t i = 0; i < base->headers; i++)
		if (!strcmp(base->header[i].key, "counter") &&
		    strstr(base->header[i].value, "not counted"))
			write_header(out, "counter", base->header[i].value);
	for (size_t i = 0; i < comparison->refusals; i++)
		write_header(out, "DIFFERS", comparison->refusal[i]);
	for (size_t i = 0; i < comparison->warnings; i++)
		write_header(out, "warning", comparison->warning[i]);
}

static bool any_clusters(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->shown_count; i++)
		for (size_t side = 0; side < comparison->sides; side++)
			if (cell_of(comparison, comparison->shown[i], side)->two_clusters)
				return true;
	return false;
}

void write_table(FILE *out, const struct comparison *comparison)
{
	size_t others = comparison->sides - 1, count = 0;
	bool matrix = others > 1 && others <= MOST_IN_MATRIX;
	size_t *sides = allocate(others, sizeof(*sides));

	for (size_t i = 0; i < comparison->sides; i++)
		if (i != comparison->base)
			sides[count++] = i;
	write_sides(out, comparison);
	if (matrix)
		write_matrix(out, comparison, sides, others);
	for (size_t i = 0; i < others; i++) {
		bool words = choose_columns(comparison, sides[i]) != SPREAD;

		if (others > 1 && (!matrix || words))
			fprintf(out, "\n== %s against %s ==\n", comparison->side[sides[i]].name,
				comparison->side[comparison->base].name);
		if (!matrix || words)
			write_pair(out, comparison, sides[i]);
	}
	if (any_clusters(comparison))
		fputs("\n* its rounds fall into two groups: the mean is of neither\n", out);
	for (size_t i = 0; i < others; i++)
		write_counters(out, comparison, sides[i]);
	for (size_t i = 0; i < others; i++)
		write_closing(out, comparison, sides[i]);
	free(sides);
}
