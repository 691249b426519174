// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of the kernel test robot. The commits above them are the sides; deviations are in per
 * cent of the value in front of them.
 *
 *   fae950af3a484ec4 b73583016198aecef1dea07033a
 *   ---------------- ---------------------------
 *            %stddev     %change         %stddev
 *                \          |                \
 *        30758 ± 11%     +41.0%      43361 ±  4%  vmstat.system.cs
 *         0.51 ± 15%      +0.1        0.66 ±  3%  mpstat.cpu.all.usr%
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDES = 8, COMMIT_LENGTH = 9 };

struct lkp_row {
	const char *printed[MOST_SIDES];
	double value[MOST_SIDES];
	size_t count;
	const char *name;
};

/* "± 11%"; the sign may have suffered on its way (clean() writes "~" for those it knows). */
static const char *skip_deviation(const char *at)
{
	const char *sign = skip_blank(at), *end;
	double deviation;

	if (*sign != '~' && *sign != '?')
		return at;
	if (!number(skip_blank(sign + 1), &end, &deviation) || *end != '%')
		return at;
	return end + 1;
}

static bool parse_row(const char *line, struct lkp_row *row)
{
	const char *at = line, *end;
	double delta;

	row->count = 0;
	while (row->count < MOST_SIDES) {
		at = skip_blank(at);
		if (row->count && (*at == '+' || *at == '-')) {
			if (!number(at, &at, &delta))
				return false;
			at = skip_blank(at + (*at == '%'));
		}
		if (!number(at, &end, &row->value[row->count]) || !strchr(" \t", *end))
			break;
		row->printed[row->count++] = at;
		at = skip_deviation(end);
	}
	row->name = skip_blank(at);
	return row->count >= 2 && (isalpha((unsigned char)*row->name) || *row->name == '_');
}

/* Commits, rule, "%stddev %change %stddev", pointers: how many lines there are above the rows. */
static size_t parse_head(struct reading *reading, struct words *commits)
{
	size_t ahead = 0;
	const char *line = reading_line(reading, 0), *next = reading_line(reading, 1);

	commits->count = 0;
	if (next && starts_with(next, "------") && strspn(next, "- ") == strlen(next)) {
		split_words(line, commits);
		ahead = 2;
	}
	line = reading_line(reading, ahead);
	if (!line || !strstr(line, "%stddev") || !strstr(line, "%change"))
		return 0;
	line = reading_line(reading, ++ahead);
	if (line && strspn(line, "\\|/ \t") == strlen(line) && *line)
		ahead++;
	return ahead;
}

static struct part *side_part(struct reading *reading, const struct words *commits, size_t side,
			      size_t sides)
{
	char label[COMMIT_LENGTH + 1];

	if (commits->count != sides)
		return reading_part(reading, column_label(reading, NULL, side, sides));
	snprintf(label, sizeof(label), "%.*s", (int)commits->length[side], commits->at[side]);
	return reading_part(reading, rows_string(reading->rows, label));
}

size_t read_lkp(struct reading *reading)
{
	struct words commits;
	size_t ahead = parse_head(reading, &commits);
	struct lkp_row row;
	const char *line;

	if (!ahead)
		return 0;
	while ((line = reading_line(reading, ahead)) && parse_row(line, &row)) {
		size_t length = strlen(row.name);
		struct row_key key = {
			.test = row.name, .size = -1,
			.unit = row.name[length - 1] == '%' ? "%" : "",
			.higher_is_better = more_is_better(row.name, ""),
		};

		for (size_t i = 0; i < row.count; i++)
			reading_add(reading, side_part(reading, &commits, i, row.count), &key,
				    row.value[i], number_resolution(row.printed[i]));
		ahead++;
	}
	return ahead;
}
