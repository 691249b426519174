// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loose columns of any metric, a column a side, under a line that names the sides:
 *
 *   - perf bench sched messaging -g 5        | the line above names the metric
 *     baseline   RFC
 *     7.042s     6.966s
 *
 *              orig              patched     | or each row has its name, once or in each column
 *     real     0m1.455s          0m1.355s
 *     hackbench  12.3            11.9
 *
 *     size     before  after               | or the first column is what the row is of
 *     8        61      45
 */
#include "read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_SIDES = 16 };

struct metric_row {
	char name[64];
	const char *printed[MOST_SIDES];
	double value[MOST_SIDES];
	char unit[16];
	size_t count;
};

/* Words that name a kernel or an allocator, and so a side, without saying before or after. */
static bool names_kernel(const char *word)
{
	return strcasestr(word, "slab") || strcasestr(word, "slub") || strcasestr(word, "slob") ||
	       strcasestr(word, "sheaves") || strcasestr(word, "linux") ||
	       strcasestr(word, "patch") || strstr(word, "-rc") || strstr(word, "next-") ||
	       (*word == 'v' && isdigit((unsigned char)word[1]));
}

static bool names_side(const struct words *words, size_t i)
{
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)words->length[i], words->at[i]);
	return side_word(word) || names_kernel(word);
}

/* "7.042s", "0m1.455s", "2223.32 MB/sec": a number and what stands right behind it. */
static bool parse_figure(const struct words *words, size_t i, double *value, char *unit,
			 size_t size)
{
	const char *end;
	double seconds;
	size_t length;

	if (!number(words->at[i], &end, value))
		return false;
	if (*end == 'm' && number(end + 1, &end, &seconds) && *end == 's')
		*value = 60 * *value + seconds;
	length = words->at[i] + words->length[i] - end;
	if (words->at[i] + words->length[i] < end || length >= size)
		return false;
	for (size_t j = 0; j < length; j++)
		if (!isalpha((unsigned char)end[j]) && !strchr("%/", end[j]))
			return false;
	snprintf(unit, size, "%.*s", (int)length, end);
	return true;
}

/* "0m1.455s" and "7.042s": the step is that of the seconds. */
static double resolution(const char *printed)
{
	size_t digits = strspn(printed, "0123456789");

	if (printed[digits] == 'm' && isdigit((unsigned char)printed[digits + 1]))
		printed += digits + 1;
	return number_resolution(printed);
}

/* Names and figures as they come; a name may stand before the first figure or before each. */
static bool parse_row(const char *line, struct metric_row *row)
{
	struct words words;
	size_t names = 0;

	split_words(line, &words);
	row->count = 0;
	*row->name = '\0';
	*row->unit = '\0';
	for (size_t i = 0; i < words.count; i++) {
		double value;
		char unit[16];

		if (!parse_figure(&words, i, &value, unit, sizeof(unit))) {
			size_t length = strlen(row->name);

			if (row->count)		/* the name again: only "real … real …" */
				names++;
			else
				snprintf(row->name + length, sizeof(row->name) - length, "%s%.*s",
					 length ? " " : "", (int)words.length[i], words.at[i]);
			continue;
		}
		/* all figures have one unit; that of a first column without one is not known yet */
		if (row->count == MOST_SIDES || (row->count > 1 && strcmp(unit, row->unit)) ||
		    (row->count == 1 && *row->unit && strcmp(unit, row->unit)))
			return false;
		snprintf(row->unit, sizeof(row->unit), "%s", unit);
		row->printed[row->count] = words.at[i];
		row->value[row->count++] = value;
	}
	return row->count >= 2 && (!names || names == row->count - 1);
}

static void drop_first(struct words *heads)
{
	heads->count--;
	memmove(heads->at, heads->at + 1, heads->count * sizeof(*heads->at));
	memmove(heads->length, heads->length + 1, heads->count * sizeof(*heads->length));
}

/*
 * The heads of the columns in @line, if they fit @row. The head of a column of names or of sizes
 * is dropped; @size is then the name of it ("size", "threads"), else empty.
 */
static bool parse_head(const char *line, const struct metric_row *row, struct words *heads,
		       char *size, size_t length)
{
	size_t count = row->count;
	bool side = false;

	*size = '\0';
	split_columns(line, heads);
	if (heads->count < count)
		split_words(line, heads);
	if (heads->count == count + 1 && *row->name)
		drop_first(heads);
	if (heads->count != count)
		return false;
	if (count > 2 && !*row->name && !names_side(heads, 0)) {
		snprintf(size, length, "%.*s", (int)heads->length[0], heads->at[0]);
		drop_first(heads);
	}
	for (size_t i = 0; i < heads->count; i++)
		side = side || names_side(heads, i);
	return side;
}

/* The first figure is the size of the row and none of a side. */
static bool take_size(struct metric_row *row, struct row_key *key, const char *parameter)
{
	if (row->value[0] < 0 || row->value[0] > 1e9 || row->value[0] != floor(row->value[0]))
		return false;
	key->size = row->value[0];
	key->parameter = parameter;
	row->count--;
	memmove(row->value, row->value + 1, row->count * sizeof(*row->value));
	memmove(row->printed, row->printed + 1, row->count * sizeof(*row->printed));
	return true;
}

/* "old new delta": the change beside both sides is worked out anew. */
static bool is_change(const struct words *heads, size_t i)
{
	static const char *const changes[] = { "delta", "diff", "difference", "%", "ratio" };

	for (size_t j = 0; j < sizeof(changes) / sizeof(*changes); j++)
		if (strlen(changes[j]) == heads->length[i] &&
		    !strncasecmp(changes[j], heads->at[i], heads->length[i]))
			return true;
	return false;
}

/* The nearest line above that is not blank, without the "-" of a list. */
static const char *title_above(struct reading *reading)
{
	for (size_t i = 1; i <= 2 && i <= reading->at; i++) {
		const char *line = reading->text.line[reading->at - i].text;

		if (*line) {
			reading_take_back(reading, reading->at - i);
			return line + strspn(line, "-* ");
		}
	}
	return "metric";
}

size_t read_metrics(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *next = reading_line(reading, 1);
	const char *title;
	struct metric_row row;
	struct words heads;
	size_t ahead = 1, columns;
	char test[200], size[32];

	if (!next || strpbrk(line, ",;") || !parse_row(next, &row) ||
	    !parse_head(line, &row, &heads, size, sizeof(size)))
		return 0;
	title = title_above(reading);
	columns = heads.count - (heads.count > 2 && is_change(&heads, heads.count - 1));
	while ((line = reading_line(reading, ahead)) && *line && parse_row(line, &row) &&
	       row.count == heads.count + (*size != '\0')) {
		struct row_key key = { .test = test, .unit = row.unit, .size = -1 };

		if (*size && !take_size(&row, &key, size))
			break;
		if (*row.name)
			snprintf(test, sizeof(test), "%s", row.name);
		else
			snprintf(test, sizeof(test), "%.150s", title);
		if (strchr(row.printed[0], 'm') && !*row.unit)
			key.unit = "s";
		key.higher_is_better = more_is_better(test, row.unit);
		for (size_t i = 0; i < columns; i++)
			reading_add(reading,
				    reading_part(reading,
						 column_label(reading, &heads, i, columns)),
				    &key, row.value[i], resolution(row.printed[i]));
		ahead++;
	}
	return ahead > 1 ? ahead : 0;
}
