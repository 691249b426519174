// SPDX-License-Identifier: GPL-2.0-only
/*
 * The closing paragraph: what a maintainer wants to read, in words. What moved, what moved against
 * it, what cannot be said, and how many boots would say it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "text.h"
#include "write.h"

enum { COLUMNS = 72, MOST_NAMED = 4, MOST_BOOTS = 1000 };

/* What is being told about: one side against the base, row after row of the table. */
struct story {
	FILE *out;
	const struct comparison *comparison;
	size_t side;
};

static const struct row *row_at(const struct story *story, size_t i)
{
	return &story->comparison->rows->row[story->comparison->shown[i]];
}

static const struct change *change_at(const struct story *story, size_t i)
{
	return change_of(story->comparison, story->comparison->shown[i], story->side);
}

static const struct cell *base_at(const struct story *story, size_t i)
{
	return cell_of(story->comparison, story->comparison->shown[i], story->comparison->base);
}

static const struct cell *cell_at(const struct story *story, size_t i)
{
	return cell_of(story->comparison, story->comparison->shown[i], story->side);
}

static bool both_have(const struct story *story, size_t i)
{
	return base_at(story, i)->boots.count && cell_at(story, i)->boots.count;
}

/* "alloc_then_free alloc 2048" */
static void tell_row(const struct story *story, size_t i)
{
	const struct row *row = row_at(story, i);

	fprintf(story->out, "%s%s%s", row->test, *row->phase ? " " : "", row->phase);
	if (row->size >= 0)
		fprintf(story->out, " %ld", row->size);
}

static void tell_delta(const struct story *story, double fraction)
{
	char buffer[32];

	fputs(format_percent(buffer, sizeof(buffer), fraction), story->out);
}

/* Name rows with their deltas: the first few, and how many more there are. */
static void tell_rows(const struct story *story, const size_t *rows, size_t count)
{
	for (size_t i = 0; i < count && i < MOST_NAMED; i++) {
		fputs(i ? ", " : " ", story->out);
		tell_row(story, rows[i]);
		if (!isnan(change_at(story, rows[i])->delta)) {
			fputc(' ', story->out);
			tell_delta(story, change_at(story, rows[i])->delta);
		}
	}
	if (count > MOST_NAMED)
		fprintf(story->out, " and %zu more", count - MOST_NAMED);
}

/* > 0: worse, < 0: better, in the sense of the row. */
static double worse(const struct story *story, size_t i)
{
	double delta = change_at(story, i)->delta;

	return row_at(story, i)->higher_is_better ? -delta : delta;
}

static int compare_change(const void *left, const void *right, void *story)
{
	/* fmax() takes the number where the other is none */
	double a = fmax(0, fabs(change_at(story, *(const size_t *)left)->delta));
	double b = fmax(0, fabs(change_at(story, *(const size_t *)right)->delta));

	if (a != b)
		return a > b ? -1 : 1;
	return *(const size_t *)left < *(const size_t *)right ? -1 : 1;
}

/* Rows for which @wanted holds, the largest change first. */
static size_t collect(const struct story *story, bool (*wanted)(const struct story *, size_t),
		      size_t *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < story->comparison->shown_count; i++)
		if (wanted(story, i))
			rows[count++] = i;
	qsort_r(rows, count, sizeof(*rows), compare_change, (void *)story);
	return count;
}

static bool is_faster(const struct story *story, size_t i)
{
	return change_at(story, i)->verdict == VERDICT_FASTER && is_question(row_at(story, i));
}

static bool is_slower(const struct story *story, size_t i)
{
	return change_at(story, i)->verdict == VERDICT_SLOWER && is_question(row_at(story, i));
}

static bool is_unclear(const struct story *story, size_t i)
{
	return change_at(story, i)->verdict == VERDICT_UNCLEAR && is_question(row_at(story, i));
}

static bool is_missing(const struct story *story, size_t i)
{
	return !both_have(story, i);
}

/* A change to speak of, where there is no verdict: more than one step, and more than 1 %. */
static bool moved(const struct story *story, size_t i)
{
	return both_have(story, i) && fabs(change_at(story, i)->delta) > SAME_BAND &&
	       change_at(story, i)->verdict != VERDICT_BELOW_RESOLUTION;
}

static bool seems_faster(const struct story *story, size_t i)
{
	return moved(story, i) && worse(story, i) < 0 && is_question(row_at(story, i));
}

static bool seems_slower(const struct story *story, size_t i)
{
	return moved(story, i) && worse(story, i) > 0 && is_question(row_at(story, i));
}

static bool control_moved(const struct story *story, size_t i)
{
	const struct change *change = change_at(story, i);

	if (is_control(row_at(story, i)) && change->verdict == VERDICT_NONE)
		/* two single runs of it are never quite alike */
		return moved(story, i) && fabs(change->delta) > 5 * SAME_BAND;
	return machine_moved(row_at(story, i), change);
}

/* In exact mode: who has a turn when is in this row's figures. */
static bool has_turns(const struct story *story, size_t i)
{
	const struct comparison *comparison = story->comparison;

	return comparison->exact && comparison->turns[comparison->shown[i]];
}

/* One side steady, the other all over the place: something disturbed it, and that is a finding. */
static bool uneven_spread(const struct story *story, size_t i)
{
	double a = base_at(story, i)->spread, b = cell_at(story, i)->spread;

	return is_question(row_at(story, i)) && fmax(a, b) > 0.1 && fmax(a, b) > 5 * fmin(a, b);
}

/* No verdict, and still the boots of one side all lie beyond the other's. */
static bool ranges_apart(const struct story *story, size_t i)
{
	const struct boots *a = &base_at(story, i)->boots, *b = &cell_at(story, i)->boots;
	double least_a, most_a, least_b, most_b;

	if (!is_question(row_at(story, i)) ||
	    (change_at(story, i)->verdict != VERDICT_NONE && !is_unclear(story, i)) ||
	    a->count < 2 || b->count < 2 || has_turns(story, i) || uneven_spread(story, i))
		return false;
	gsl_stats_minmax(&least_a, &most_a, a->median, 1, a->count);
	gsl_stats_minmax(&least_b, &most_b, b->median, 1, b->count);
	return most_a < least_b || most_b < least_a;
}

static size_t least_boots(double p)
{
	size_t boots = LEAST_BOOTS;

	while (boots < MOST_BOOTS && smallest_p(boots, boots) > p)
		boots++;
	return boots;
}

static size_t compared_rows(const struct story *story)
{
	size_t rows = 0;

	for (size_t i = 0; i < story->comparison->shown_count; i++)
		rows += both_have(story, i) && is_question(row_at(story, i));
	return rows;
}

static size_t fewest_boots(const struct story *story)
{
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; i < story->comparison->shown_count; i++) {
		size_t a = base_at(story, i)->boots.count, b = cell_at(story, i)->boots.count;

		if (a && b)
			fewest = a < b ? (a < fewest ? a : fewest) : (b < fewest ? b : fewest);
	}
	return fewest;
}

static void tell_group(const struct story *story, const char *what, const char *more,
		       const size_t *rows, size_t count)
{
	if (!count)
		return;
	fprintf(story->out, "%zu row%s %s%s:", count, count == 1 ? "" : "s", what, more);
	tell_rows(story, rows, count);
	fputs(". ", story->out);
}

static bool is_time(const struct row *row)
{
	return !strcmp(row->unit, "cycles") || !strcmp(row->unit, "ns") || !strcmp(row->unit, "s");
}

static const char *direction(const struct story *story, const size_t *rows, size_t count,
			     bool better)
{
	for (size_t i = 0; i < count; i++)
		if (!is_time(row_at(story, rows[i])))
			return better ? "better" : "worse";
	return better ? "faster" : "slower";
}

/* The headline, and what goes against it. */
static void tell_moves(const struct story *story, size_t *rows, bool verdicts)
{
	size_t faster, slower;

	slower = collect(story, verdicts ? is_slower : seems_slower, rows);
	faster = collect(story, verdicts ? is_faster : seems_faster, rows + slower);
	if (slower > faster) {
		tell_group(story, direction(story, rows, slower, false), "", rows, slower);
		tell_group(story, direction(story, rows + slower, faster, true), ", against that",
			   rows + slower, faster);
	} else {
		tell_group(story, direction(story, rows + slower, faster, true), "", rows + slower,
			   faster);
		tell_group(story, direction(story, rows, slower, false), ", against that", rows,
			   slower);
	}
	if (!slower && !faster)
		fprintf(story->out, "No row is %s. ",
			verdicts ? "shown to be faster or slower" : "more than 1 % off");
}

static size_t find_block(const struct story *story, const char *test, const char *phase,
			 size_t *end)
{
	for (size_t first = 0; first < story->comparison->shown_count; first = *end) {
		const struct row *row = row_at(story, first);

		*end = block_end(story->comparison, first);
		if (row->size >= 0 && !strcmp(row->test, test) && !strcmp(row->phase, phase))
			return first;
	}
	return SIZE_MAX;
}

static bool rises(double old, double new)
{
	return new > old;
}

static void tell_sum(const struct story *story, const char *phase, double old, double new)
{
	fprintf(story->out, "the %s column %s from %.*f to %.*f (", phase,
		rises(old, new) ? "rises" : "falls", old < 1000, old, new < 1000, new);
	tell_delta(story, (new - old) / old);
	fputc(')', story->out);
}

/* Alloc and free are never added up; when they part ways, that has to be said. */
static void tell_parting(const struct story *story)
{
	for (size_t first = 0, end, other_end; first < story->comparison->shown_count;
	     first = end) {
		const struct row *row = row_at(story, first);
		double alloc, alloc_new, free, free_new;
		size_t other;

		end = block_end(story->comparison, first);
		if (row->size < 0 || strcmp(row->phase, "alloc") || has_turns(story, first))
			continue;
		other = find_block(story, row->test, "free", &other_end);
		if (other == SIZE_MAX ||
		    !sums(story->comparison, first, end, story->side, &alloc, &alloc_new) ||
		    !sums(story->comparison, other, other_end, story->side, &free, &free_new) ||
		    alloc <= 0 || free <= 0 || rises(alloc, alloc_new) == rises(free, free_new) ||
		    fabs(alloc_new / alloc - 1) < SAME_BAND ||
		    fabs(free_new / free - 1) < SAME_BAND)
			continue;
		fprintf(story->out, "Alloc and free part ways in %s: summed over its sizes, ",
			row->test);
		tell_sum(story, "alloc", alloc, alloc_new);
		fputs(", ", story->out);
		tell_sum(story, "free", free, free_new);
		fputs(". ", story->out);
	}
}

static double memory_change(const struct story *story, size_t i)
{
	return cell_at(story, i)->value - base_at(story, i)->value;
}

static int compare_memory(const void *left, const void *right, void *story)
{
	double a = fabs(memory_change(story, *(const size_t *)left));
	double b = fabs(memory_change(story, *(const size_t *)right));

	return (a < b) - (a > b);
}

static bool is_memory(const struct story *story, size_t i)
{
	return both_have(story, i) && !strcmp(row_at(story, i)->unit, "KiB") &&
	       memory_change(story, i) != 0;
}

/* Which caches made the total move: the largest first, in KiB and not in per cent. */
static void tell_memory(const struct story *story, size_t *rows)
{
	size_t count = collect(story, is_memory, rows);

	if (count < 2)
		return;
	qsort_r(rows, count, sizeof(*rows), compare_memory, (void *)story);
	fputs("Memory:", story->out);
	for (size_t i = 0; i < count && i <= MOST_NAMED; i++) {
		fputs(i ? ", " : " ", story->out);
		tell_row(story, rows[i]);
		fprintf(story->out, " %+.0f KiB", memory_change(story, rows[i]));
	}
	fputs(". ", story->out);
}

static void tell_control(const struct story *story, size_t *rows)
{
	size_t count = collect(story, control_moved, rows);

	if (!count)
		return;
	fputs("What no allocator touches moved as well:", story->out);
	tell_rows(story, rows, count);
	fputs(". The machine differs between the sides, so nothing here is proven. ", story->out);
}

static void tell_missing(const struct story *story, size_t *rows)
{
	size_t count = collect(story, is_missing, rows);

	if (!count)
		return;
	fprintf(story->out, "%zu row%s missing on one side:", count, count == 1 ? " is" : "s are");
	tell_rows(story, rows, count);
	fputs(". ", story->out);
}

/* What the table can find at all, and what it would take to find the rest. */
static void tell_reach(const struct story *story, size_t *rows)
{
	size_t compared = compared_rows(story), count = 0, worst = 0, single;
	double *detectable = allocate(story->comparison->shown_count, sizeof(*detectable));
	double alpha = story->comparison->options->alpha;

	for (size_t i = 0; i < story->comparison->shown_count; i++) {
		double this = change_at(story, i)->detectable;

		if (isnan(this) || !is_question(row_at(story, i)))
			continue;
		if (!count || this > change_at(story, worst)->detectable)
			worst = i;
		detectable[count++] = this;
	}
	if (count) {
		gsl_sort(detectable, 1, count);
		fprintf(story->out,
			"Smallest detectable change: %.1f %% in the median row, %.1f %% in ",
			100 * gsl_stats_median_from_sorted_data(detectable, 1, count),
			100 * detectable[count - 1]);
		tell_row(story, worst);
		fputs(". ", story->out);
	}
	free(detectable);
	single = least_boots(alpha / compared);
	if (count && single > fewest_boots(story))
		fprintf(story->out,
			"If only one of the %zu rows moved, %zu boots a side would be needed. ",
			compared, single);
	count = collect(story, is_unclear, rows);
	if (count) {
		const struct change *change = change_at(story, rows[0]);
		double boots = fewest_boots(story) *
			       pow(change->detectable / fabs(change->delta), 2);

		fprintf(story->out, "%zu row%s unclear, at most", count,
			count == 1 ? " is" : "s are");
		tell_rows(story, rows, 1);
		if (boots < MOST_BOOTS && fabs(change->delta) > SAME_BAND)
			fprintf(story->out, ", which about %.0f boots a side would settle",
				fmax(ceil(boots), single));
		fputs(". ", story->out);
	}
}

static bool is_unclear_for_turns(const struct story *story, size_t i)
{
	return is_unclear(story, i) && has_turns(story, i);
}

/* Counts of CPUs that take turns are exact, and still not the change's alone. */
static void tell_turns(const struct story *story, size_t *rows)
{
	size_t count = collect(story, is_unclear_for_turns, rows), of_turns = 0;
	double alpha = story->comparison->options->alpha;

	if (!count)
		return;
	for (size_t i = 0; i < story->comparison->shown_count; i++)
		of_turns += is_question(row_at(story, i)) && !isnan(change_at(story, i)->p);
	fprintf(story->out, "%zu row%s unclear, at most", count, count == 1 ? " is" : "s are");
	tell_rows(story, rows, 1);
	fprintf(story->out,
		": where several CPUs work they take turns, and which turn falls where moves rounds "
		"as far as that. Such a row is told when all rounds of a side lie beyond those of "
		"the other and p, corrected for the %zu such rows, is at most %g: if only one "
		"moved, %zu rounds a side would be needed. ",
		of_turns, alpha, least_boots(alpha / of_turns));
}

/*
 * What selfcheck found, word for word, where it was on the machine of these records: its first line
 * names that, its second is the sentence.
 */
static void tell_noise_floor(const struct story *story)
{
	const struct comparison *comparison = story->comparison;
	const char *path = comparison->options->noise_floor;
	const char *machine = record_get(comparison->side[comparison->base].record[0], "machine");
	char *text, *why, *sentence;
	size_t length;

	if (!path || !machine)
		return;
	text = read_file(path, &length, &why);
	if (!text)
		die(EXIT_USAGE, "--noise-floor: %s", why);
	sentence = strchr(text, '\n');
	if (sentence) {
		*sentence++ = '\0';
		if (!strcmp(text, machine))
			fprintf(story->out, "%.*s ", (int)strcspn(sentence, "\n"), sentence);
	}
	free(text);
}

static double log_ratio(const struct story *story, size_t i)
{
	return log1p(change_at(story, i)->delta);
}

/*
 * A spike: a row that lies beyond both its neighbours in size, by far more than neighbours of its
 * block differ as a rule. What changes with size step by step is none.
 */
static bool stands_out(const struct story *story, size_t i)
{
	size_t first = 0, end = 0, count = 0;
	double before, after, *steps, typical;

	if (!moved(story, i) || row_at(story, i)->size < 0)
		return false;
	while (end <= i) {
		first = end;
		end = block_end(story->comparison, first);
	}
	if (i == first || i + 1 == end || end - first < 5)
		return false;
	before = log_ratio(story, i) - log_ratio(story, i - 1);
	after = log_ratio(story, i) - log_ratio(story, i + 1);
	if (!(before * after > 0))
		return false;
	steps = allocate(end - first, sizeof(*steps));
	for (size_t j = first + 1; j < end; j++) {
		double step = fabs(log_ratio(story, j) - log_ratio(story, j - 1));

		if (!isnan(step))
			steps[count++] = step;
	}
	typical = median(steps, count);
	free(steps);
	return fmin(fabs(before), fabs(after)) > fmax(5 * typical, 0.1);
}

/* Without repeated boots nothing can be concluded; what looks odd can still be pointed at. */
static void tell_single_runs(const struct story *story, size_t *rows)
{
	size_t compared = compared_rows(story), boots = fewest_boots(story), slower, faster, count;
	double alpha = story->comparison->options->alpha;

	fprintf(story->out,
		"No verdict: %zu boot%s a side cannot tell a change from the next boot, %zu can",
		boots, boots == 1 ? "" : "s", least_boots(alpha));
	if (least_boots(alpha / compared) > least_boots(alpha))
		fprintf(story->out, ", and %zu can if only one row of %zu moved",
			least_boots(alpha / compared), compared);
	fputs(". As figures only: ", story->out);
	tell_moves(story, rows, false);
	slower = collect(story, seems_slower, rows);
	faster = collect(story, seems_faster, rows);
	if (compared >= 10 && fmax(slower, faster) >= 0.75 * compared)
		fprintf(story->out,
			"%zu of %zu rows moved the same way: that looks like a shift of the whole run "
			"(its boot, the placement of code), not of one path. ",
			slower > faster ? slower : faster, compared);
	count = collect(story, stands_out, rows);
	if (count) {
		fputs("Far off its neighbours, so measure again:", story->out);
		tell_rows(story, rows, count);
		fputs(". ", story->out);
	}
}

static void tell_ranges(const struct story *story, size_t *rows)
{
	size_t count = collect(story, ranges_apart, rows);

	if (!count)
		return;
	fputs("No verdict, but the ranges of both sides are apart in", story->out);
	tell_rows(story, rows, count);
	fputs(". ", story->out);
}

static void tell_spread(const struct story *story, size_t *rows)
{
	const struct comparison *comparison = story->comparison;
	size_t count = collect(story, uneven_spread, rows);
	double a, b;

	if (!count)
		return;
	a = base_at(story, rows[0])->spread;
	b = cell_at(story, rows[0])->spread;
	tell_row(story, rows[0]);
	fprintf(story->out, " spreads by %.1f %% in %s and by %.1f %% in %s",
		100 * a, comparison->side[comparison->base].name, 100 * b,
		comparison->side[story->side].name);
	if (count > 1)
		fprintf(story->out, ", and %zu more %s as uneven", count - 1,
			count == 2 ? "row is" : "rows are");
	fputs(": was something else running? ", story->out);
}

static bool any_p(const struct story *story)
{
	for (size_t i = 0; i < story->comparison->shown_count; i++)
		if (!isnan(change_at(story, i)->p))
			return true;
	return false;
}

static void wrap(FILE *out, const char *text)
{
	size_t column = 0, length;

	while (*(text = skip_blank(text))) {
		length = strcspn(text, " ");
		if (starts_with(text + length, " %"))	/* "4.0 %" stays in one line */
			length += 2 + strcspn(text + length + 2, " ");
		if (column && column + 1 + length > COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "%s%.*s", column ? " " : "", (int)length, text);
		text += length;
	}
	fputc('\n', out);
}

char *closing_words(const struct comparison *comparison, size_t side)
{
	struct story story = { .comparison = comparison, .side = side };
	size_t *rows = allocate(2 * comparison->shown_count, sizeof(*rows));
	char *words = NULL;
	size_t size = 0;

	story.out = open_memstream(&words, &size);
	if (!story.out)
		die(EXIT_USAGE, "out of memory");
	fprintf(story.out, "%s against %s: ", comparison->side[side].name,
		comparison->side[comparison->base].name);
	if (!compared_rows(&story))
		fputs("no row of the allocator is on both sides. ", story.out);
	else if (comparison->exact || any_p(&story))
		tell_moves(&story, rows, true);
	else
		tell_single_runs(&story, rows);
	tell_ranges(&story, rows);
	tell_memory(&story, rows);
	tell_parting(&story);
	tell_control(&story, rows);
	tell_spread(&story, rows);
	tell_missing(&story, rows);
	if (comparison->exact) {
		tell_turns(&story, rows);
	} else {
		if (any_p(&story))
			tell_reach(&story, rows);
		tell_noise_floor(&story);
	}
	fclose(story.out);
	while (size && words[size - 1] == ' ')
		words[--size] = '\0';
	free(rows);
	return words;
}

void write_closing(FILE *out, const struct comparison *comparison, size_t side)
{
	char *words = closing_words(comparison, side);

	fputc('\n', out);
	wrap(out, words);
	free(words);
}
