// SPDX-License-Identifier: GPL-2.0-only
/*
 * A comparison: from the records of the sides to a verdict for each row.
 */
#include "comparison.h"

#include <fnmatch.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

const char *const verdict_words[] = {
	[VERDICT_NONE] = "-",
	[VERDICT_FASTER] = "faster",
	[VERDICT_SLOWER] = "slower",
	[VERDICT_SAME] = "same",
	[VERDICT_UNCLEAR] = "unclear",
	[VERDICT_BELOW_RESOLUTION] = "below resolution",
	[VERDICT_UNPROVEN] = "unproven",
};

static void add_line(char ***lines, size_t *count, size_t *room, char *line)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*lines)[i], line)) {
			free(line);
			return;
		}
	*lines = grow(*lines, *count, room, sizeof(**lines));
	(*lines)[(*count)++] = line;
}

static char *format_line(const char *format, va_list arguments)
{
	char *line;

	if (vasprintf(&line, format, arguments) < 0)
		die(EXIT_USAGE, "out of memory");
	return line;
}

void comparison_warn(struct comparison *comparison, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_line(&comparison->warning, &comparison->warnings, &comparison->warning_room,
		 format_line(format, arguments));
	va_end(arguments);
}

void comparison_refuse(struct comparison *comparison, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_line(&comparison->refusal, &comparison->refusals, &comparison->refusal_room,
		 format_line(format, arguments));
	va_end(arguments);
}

struct cell *cell_of(const struct comparison *comparison, size_t row, size_t side)
{
	return &comparison->cell[row * comparison->sides + side];
}

struct change *change_of(const struct comparison *comparison, size_t row, size_t side)
{
	return &comparison->change[row * comparison->sides + side];
}

bool is_control(const struct row *row)
{
	return !strcmp(row->test, "control") || !strcmp(row->test, "for_loop") ||
	       !strcmp(row->test, "atomic_inc");
}

/* The loops without the allocator: 0 but for what calibration left over. */
static bool is_nothing(const struct row *row)
{
	return !strcmp(row->test, "null");
}

bool is_question(const struct row *row)
{
	return !is_control(row) && !is_nothing(row);
}

static bool size_selected(const char *list, long size)
{
	unsigned long long wanted;

	while (whole_number(list, &list, &wanted)) {
		if (size >= 0 && wanted == (unsigned long long)size)
			return true;
		if (*list++ != ',')
			break;
	}
	return false;
}

static bool selected(const struct options *options, const struct row *row)
{
	return (!options->test || !fnmatch(options->test, row->test, 0)) &&
	       (!options->sizes || size_selected(options->sizes, row->size));
}

/* A row of the table with what orders it: test, then phase, as they first came; then size. */
struct place {
	size_t test, phase, row;
	long size;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->test != b->test)
		return a->test < b->test ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/*
 * Test, phase and unit are one string each in rows, so that equal ones have one address. Rows
 * sorted by those addresses lie in groups; the lowest row of a group gives the group its place.
 */
static int compare_groups(const void *left, const void *right, void *rows)
{
	const struct row *a = (const struct row *)rows + *(const size_t *)left;
	const struct row *b = (const struct row *)rows + *(const size_t *)right;

	if (a->test != b->test)
		return a->test < b->test ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return (a > b) - (a < b);
}

static bool same_test(const struct row *a, const struct row *b)
{
	return a->test == b->test;
}

static bool same_block(const struct row *a, const struct row *b)
{
	return a->test == b->test && a->phase == b->phase && a->unit == b->unit;
}

/* The lowest row number of the group of each row, under @same, in grouped order. */
static void first_of_groups(const struct row *rows, const size_t *order, size_t count,
			    bool (*same)(const struct row *, const struct row *), size_t *first)
{
	for (size_t i = 0, end; i < count; i = end) {
		size_t least = order[i];

		for (end = i; end < count && same(&rows[order[i]], &rows[order[end]]); end++)
			if (order[end] < least)
				least = order[end];
		for (size_t j = i; j < end; j++)
			first[order[j]] = least;
	}
}

static bool any_side_has(const struct comparison *comparison, size_t row)
{
	for (size_t i = 0; i < comparison->sides; i++)
		if (cell_of(comparison, row, i)->boots.count)
			return true;
	return false;
}

static void order_rows(struct comparison *comparison)
{
	const struct row *rows = comparison->rows->row;
	size_t count = comparison->rows->count;
	struct place *place = allocate(count, sizeof(*place));
	size_t *order = allocate(count, sizeof(*order));
	size_t *test = allocate(count, sizeof(*test)), *block = allocate(count, sizeof(*block));

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_groups, (void *)rows);
	first_of_groups(rows, order, count, same_test, test);
	first_of_groups(rows, order, count, same_block, block);
	comparison->shown = allocate(count, sizeof(*comparison->shown));
	for (size_t i = 0; i < count; i++)
		if (selected(comparison->options, &rows[i]) && any_side_has(comparison, i))
			place[comparison->shown_count++] =
				(struct place){ test[i], block[i], i, rows[i].size };
	qsort(place, comparison->shown_count, sizeof(*place), compare_places);
	for (size_t i = 0; i < comparison->shown_count; i++)
		comparison->shown[i] = place[i].row;
	free(block);
	free(test);
	free(order);
	free(place);
}

/* Tests without sizes (metrics) share one block, so that ten metrics are one table of ten rows. */
size_t block_end(const struct comparison *comparison, size_t first)
{
	const struct row *rows = comparison->rows->row;
	const struct row *head = &rows[comparison->shown[first]];
	size_t end = first + 1;

	for (; end < comparison->shown_count; end++) {
		const struct row *row = &rows[comparison->shown[end]];

		if (head->size < 0 ? row->size >= 0 : row->size < 0 || !same_block(head, row))
			break;
	}
	return end;
}

/* All ticks and operations of a row in one boot. */
static void count_exactly(struct comparison *comparison, size_t side, const struct record *record,
			  bool first)
{
	uint64_t *count = allocate(comparison->rows->count, 2 * sizeof(*count));
	uint64_t *ops = count + comparison->rows->count;

	for (size_t i = 0; i < record->samples; i++) {
		count[record->sample[i].row] += record->sample[i].count;
		ops[record->sample[i].row] += record->sample[i].ops;
	}
	for (size_t row = 0; row < comparison->rows->count; row++) {
		struct cell *cell = cell_of(comparison, row, side);

		if (first) {
			cell->count = count[row];
			cell->ops = ops[row];
			cell->repeats = ops[row] != 0;
		} else if (cell->count != count[row] || cell->ops != ops[row]) {
			cell->repeats = false;
		}
	}
	free(count);
}

struct round_ticks {
	double ticks;
	uint64_t ops;
	uint32_t round;
};

static int compare_ticks(const void *left, const void *right)
{
	const struct round_ticks *a = left, *b = right;

	return (a->ticks > b->ticks) - (a->ticks < b->ticks);
}

/*
 * The middle round of one row in one boot: an interrupt that falls into one round and not into
 * another is exact as well, and none of the allocator's. Of an even number, the lower one.
 */
static void pick_middle_round(struct cell *cell, const struct sample *sample, size_t samples)
{
	struct round_ticks *round = allocate(samples, sizeof(*round));
	size_t rounds = 0;

	for (size_t i = 0; i < samples; i++) {
		if (!i || sample[i].round != sample[i - 1].round)
			rounds++;
		round[rounds - 1].round = sample[i].round;
		round[rounds - 1].ticks += sample[i].value * sample[i].ops;
		round[rounds - 1].ops += sample[i].ops;
	}
	qsort(round, rounds, sizeof(*round), compare_ticks);
	cell->ticks = round[(rounds - 1) / 2].ticks;
	cell->ticks_ops = round[(rounds - 1) / 2].ops;
	cell->ticks_round = round[(rounds - 1) / 2].round;
	free(round);
}

/* Boots of an exact side are the same: the first stands for all. */
static void pick_middle_rounds(struct comparison *comparison, size_t side)
{
	const struct record *record = comparison->side[side].record[0];
	size_t end;

	for (size_t i = 0; i < record->samples; i = end) {
		struct cell *cell = cell_of(comparison, record->sample[i].row, side);

		for (end = i; end < record->samples &&
		     record->sample[end].row == record->sample[i].row; end++)
			;
		if (!cell->ops)		/* a metric */
			continue;
		pick_middle_round(cell, &record->sample[i], end - i);
		cell->value = cell->ticks / cell->ticks_ops;
	}
}

/*
 * In exact mode one CPU runs at a time. Where several work, each one's figures have turns of the
 * others in them, whatever phase they are of: what a phase finds depends on who came first.
 */
static void find_turns(struct comparison *comparison)
{
	const struct row *rows = comparison->rows->row;
	size_t count = comparison->rows->count;
	int64_t *cpu = allocate(count, sizeof(*cpu));	/* + 1; 0: none yet */

	comparison->turns = allocate(count, sizeof(*comparison->turns));
	for (size_t side = 0; side < comparison->sides; side++) {
		const struct record *record = comparison->side[side].record[0];

		for (size_t i = 0; i < record->samples; i++) {
			const struct sample *sample = &record->sample[i];

			if (!cpu[sample->row])
				cpu[sample->row] = sample->cpu + 1;
			else if (cpu[sample->row] != sample->cpu + 1)
				comparison->turns[sample->row] = true;
		}
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count && !comparison->turns[i]; j++)
			comparison->turns[i] = rows[i].test == rows[j].test &&
					       rows[i].size == rows[j].size &&
					       (comparison->turns[j] ||
						(cpu[i] && cpu[j] && cpu[i] != cpu[j]));
	free(cpu);
}

static void gather_cell(struct cell *cell, const struct side *side, size_t row)
{
	struct rounds *rounds = allocate(side->records, sizeof(*rounds));
	double least = INFINITY, most = -INFINITY, *all;
	size_t count = 0;

	cell->value = NAN;
	cell->low = NAN;
	cell->high = NAN;
	cell->spread = NAN;
	cell->boots.rounds = rounds;
	cell->boots.median = allocate(side->records, sizeof(*cell->boots.median));
	for (size_t i = 0; i < side->records; i++) {
		const struct rounds *boot = &side->record[i]->rounds[row];

		if (!boot->count)
			continue;
		rounds[cell->boots.count] = *boot;
		cell->boots.median[cell->boots.count] = median(boot->value, boot->count);
		least = fmin(least, cell->boots.median[cell->boots.count]);
		most = fmax(most, cell->boots.median[cell->boots.count]);
		count += boot->count;
		cell->boots.count++;
	}
	if (!cell->boots.count)
		return;
	cell->value = gsl_stats_mean(cell->boots.median, 1, cell->boots.count);
	if (cell->boots.count > 1 && cell->value > 0)
		cell->spread = (most - least) / cell->value;
	all = allocate(count, sizeof(*all));
	count = 0;
	for (size_t i = 0; i < cell->boots.count; i++)
		for (size_t j = 0; j < rounds[i].count; j++)
			all[count++] = rounds[i].value[j];
	gsl_sort(all, 1, count);
	cell->two_clusters = two_clusters(all, count);
	free(all);
}

static bool is_exact(const struct record *record)
{
	const char *exact = record_get(record, "exact");

	return exact && starts_with_word(exact, "yes");
}

static void gather(struct comparison *comparison)
{
	size_t rows = comparison->rows->count;

	comparison->cell = allocate(rows * comparison->sides, sizeof(*comparison->cell));
	comparison->change = allocate(rows * comparison->sides, sizeof(*comparison->change));
	comparison->exact = true;
	for (size_t i = 0; i < comparison->sides; i++) {
		struct side *side = &comparison->side[i];

		for (size_t j = 0; j < side->records; j++) {
			record_average(side->record[j], rows);
			count_exactly(comparison, i, side->record[j], !j);
			comparison->exact = comparison->exact && is_exact(side->record[j]);
		}
		for (size_t row = 0; row < rows; row++)
			gather_cell(cell_of(comparison, row, i), side, row);
	}
	if (!comparison->exact)
		return;
	find_turns(comparison);
	for (size_t i = 0; i < comparison->sides; i++)
		pick_middle_rounds(comparison, i);
}

bool enough_boots(const struct comparison *comparison, size_t row, size_t side)
{
	size_t base = cell_of(comparison, row, comparison->base)->boots.count;
	size_t other = cell_of(comparison, row, side)->boots.count;

	return base >= LEAST_BOOTS && other >= LEAST_BOOTS &&
	       smallest_p(base, other) <= comparison->options->alpha;
}

static void draw_cell(gsl_rng *random, const struct options *options, struct cell *cell)
{
	double sorted[REPLICATES];

	if (cell->boots.count < LEAST_BOOTS)
		return;
	cell->replicates = allocate(REPLICATES, sizeof(*cell->replicates));
	bootstrap(random, &cell->boots, cell->replicates);
	memcpy(sorted, cell->replicates, sizeof(sorted));
	gsl_sort(sorted, 1, REPLICATES);
	interval(sorted, 1 - options->alpha, cell->boots.count - 1, &cell->low, &cell->high);
}

/* Do all rounds of one side lie beyond all of the other? */
static bool rounds_apart(const struct rounds *a, const struct rounds *b)
{
	double least_a, most_a, least_b, most_b;

	gsl_stats_minmax(&least_a, &most_a, a->value, 1, a->count);
	gsl_stats_minmax(&least_b, &most_b, b->value, 1, b->count);
	return most_a < least_b || most_b < least_a;
}

static bool counted(const struct comparison *comparison, const struct cell *base,
		    const struct cell *cell)
{
	return comparison->exact && base->ops && cell->ops;
}

static void judge_counted(const struct comparison *comparison, size_t row, const struct cell *base,
			  const struct cell *cell, struct change *change)
{
	double more = cell->ticks * ((double)base->ticks_ops / cell->ticks_ops) - base->ticks;

	if (!base->repeats || !cell->repeats) {
		change->verdict = VERDICT_UNPROVEN;
		return;
	}
	/* both are whole numbers where the overhead is the same on both sides */
	change->difference = llround(more);
	if (!change->difference)
		change->verdict = VERDICT_SAME;
	else if (comparison->turns[row] &&
		 (!(change->p_adjusted <= comparison->options->alpha) ||
		  !rounds_apart(base->boots.rounds, cell->boots.rounds)))
		change->verdict = VERDICT_UNCLEAR;
	else
		change->verdict = more < 0 ? VERDICT_FASTER : VERDICT_SLOWER;
}

/* Rows of one table have the same numbers of values as a rule: the last deals are kept. */
static double values_p(gsl_rng *random, struct deals **deals, size_t count_a, const double *a,
		       size_t count_b, const double *b)
{
	if (!*deals || (*deals)->count_a != count_a || (*deals)->count_b != count_b) {
		deals_free(*deals);
		*deals = deals_new(random, count_a, count_b);
	}
	return permutation_p(*deals, a, b);
}

static double boots_p(gsl_rng *random, struct deals **deals, const struct boots *a,
		      const struct boots *b)
{
	return values_p(random, deals, a->count, a->median, b->count, b->median);
}

/* Of boots that are all the same: what chance moves is in the rounds of one. */
static double rounds_p(gsl_rng *random, struct deals **deals, const struct rounds *a,
		       const struct rounds *b)
{
	return values_p(random, deals, a->count, a->value, b->count, b->value);
}

/* Rows of the table that ask something of the allocator; at least 1. */
static size_t questions(const struct comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->shown_count; i++)
		count += is_question(&comparison->rows->row[comparison->shown[i]]);
	return count ? count : 1;
}

/* Everything but the adjustment of p, which needs all rows. */
static void measure_change(struct comparison *comparison, gsl_rng *random, struct deals **deals,
			   size_t row, size_t side)
{
	const struct cell *base = cell_of(comparison, row, comparison->base);
	const struct cell *cell = cell_of(comparison, row, side);
	struct change *change = change_of(comparison, row, side);
	double freedom, error;

	*change = (struct change){ NAN, NAN, NAN, NAN, NAN, NAN, 0, VERDICT_NONE };
	if (isnan(base->value) || isnan(cell->value))
		return;
	/* null lies around 0 by design: no fraction of it means anything */
	if (!is_nothing(&comparison->rows->row[row]) &&
	    fabs(base->value) > comparison->rows->row[row].resolution)
		change->delta = (cell->value - base->value) / fabs(base->value);
	if (counted(comparison, base, cell)) {
		if (comparison->turns[row] && base->repeats && cell->repeats)
			change->p = rounds_p(random, deals, base->boots.rounds, cell->boots.rounds);
		if (!is_question(&comparison->rows->row[row]))
			change->p_adjusted = change->p;
		return;
	}
	if (is_nothing(&comparison->rows->row[row]))
		return;
	if (!enough_boots(comparison, row, side))
		return;
	change->p = boots_p(random, deals, &base->boots, &cell->boots);
	if (is_control(&comparison->rows->row[row]))
		change->p_adjusted = change->p;	/* asked on its own, shown or not */
	if (isnan(change->delta))
		return;
	freedom = welch(&base->boots, &cell->boots, &error);
	ratio_interval(base->replicates, cell->replicates, 1 - comparison->options->alpha, freedom,
		       &change->low, &change->high);
	/* as the only row of the table that moved; below the band of "same" nothing is found */
	change->detectable = error / fabs(base->value) *
			     (gsl_cdf_tdist_Qinv(comparison->options->alpha / 2 /
						 questions(comparison), freedom) +
			      gsl_cdf_tdist_Pinv(0.8, freedom));
	change->detectable = fmax(change->detectable, SAME_BAND);
}

/* The table is what is searched for changes, so it is what the correction is over. */
static void adjust(struct comparison *comparison, size_t side)
{
	double *p = allocate(comparison->shown_count, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < comparison->shown_count; i++) {
		size_t row = comparison->shown[i];
		struct change *change = change_of(comparison, row, side);

		if (is_question(&comparison->rows->row[row]) && !isnan(change->p))
			p[count++] = change->p;
	}
	benjamini_hochberg(p, count);
	count = 0;
	for (size_t i = 0; i < comparison->shown_count; i++) {
		size_t row = comparison->shown[i];
		struct change *change = change_of(comparison, row, side);

		if (is_question(&comparison->rows->row[row]) && !isnan(change->p))
			change->p_adjusted = p[count++];
	}
	free(p);
}

static void judge(struct comparison *comparison, size_t row, size_t side)
{
	const struct row *name = &comparison->rows->row[row];
	const struct cell *base = cell_of(comparison, row, comparison->base);
	const struct cell *cell = cell_of(comparison, row, side);
	struct change *change = change_of(comparison, row, side);
	bool more = cell->value > base->value;

	if (isnan(base->value) || isnan(cell->value))
		return;
	if (counted(comparison, base, cell)) {
		judge_counted(comparison, row, base, cell, change);
		return;
	}
	if (fabs(cell->value - base->value) <= name->resolution)
		change->verdict = VERDICT_BELOW_RESOLUTION;
	if (isnan(change->p))
		return;
	if (change->low >= -SAME_BAND && change->high <= SAME_BAND)
		change->verdict = VERDICT_SAME;
	else if (change->verdict == VERDICT_BELOW_RESOLUTION)
		return;
	else if (!(change->p_adjusted <= comparison->options->alpha) ||
		 (change->low <= 0 && change->high >= 0))
		change->verdict = VERDICT_UNCLEAR;	/* p falls when the spread differs, too */
	else
		change->verdict = more == name->higher_is_better ? VERDICT_FASTER :
				  VERDICT_SLOWER;
}

bool machine_moved(const struct row *row, const struct change *change)
{
	return is_control(row) && fabs(change->delta) > SAME_BAND &&
	       (change->verdict == VERDICT_FASTER || change->verdict == VERDICT_SLOWER);
}

/* When what the allocator cannot move has moved, the machine differs: nothing else is proven. */
static void veto(struct comparison *comparison, size_t side)
{
	bool moved = false;

	for (size_t row = 0; row < comparison->rows->count; row++)
		moved = moved || machine_moved(&comparison->rows->row[row],
					       change_of(comparison, row, side));
	comparison->vetoed[side] = moved;
	for (size_t i = 0; moved && i < comparison->shown_count; i++) {
		size_t row = comparison->shown[i];
		struct change *change = change_of(comparison, row, side);

		if (is_question(&comparison->rows->row[row]) &&
		    (change->verdict == VERDICT_FASTER || change->verdict == VERDICT_SLOWER))
			change->verdict = VERDICT_UNPROVEN;
	}
}

void comparison_run(struct comparison *comparison)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	size_t rows = comparison->rows->count;
	struct deals *deals = NULL;

	if (!random)
		die(EXIT_USAGE, "out of memory");
	gsl_rng_set(random, comparison->options->seed);
	comparison->vetoed = allocate(comparison->sides, sizeof(*comparison->vetoed));
	gather(comparison);
	order_rows(comparison);
	for (size_t row = 0; row < rows; row++) {
		for (size_t side = 0; side < comparison->sides; side++)
			draw_cell(random, comparison->options, cell_of(comparison, row, side));
		for (size_t side = 0; side < comparison->sides; side++)
			measure_change(comparison, random, &deals, row, side);
		for (size_t side = 0; side < comparison->sides; side++) {
			free(cell_of(comparison, row, side)->replicates);
			cell_of(comparison, row, side)->replicates = NULL;
		}
	}
	for (size_t side = 0; side < comparison->sides; side++) {
		if (side == comparison->base)
			continue;
		adjust(comparison, side);
		for (size_t row = 0; row < rows; row++)
			judge(comparison, row, side);
		veto(comparison, side);
	}
	deals_free(deals);
	gsl_rng_free(random);
}

void comparison_free(struct comparison *comparison)
{
	for (size_t i = 0; comparison->cell && i < comparison->rows->count * comparison->sides;
	     i++) {
		free(comparison->cell[i].boots.median);
		free((void *)comparison->cell[i].boots.rounds);
	}
	for (size_t i = 0; i < comparison->warnings; i++)
		free(comparison->warning[i]);
	for (size_t i = 0; i < comparison->refusals; i++)
		free(comparison->refusal[i]);
	free(comparison->warning);
	free(comparison->refusal);
	free(comparison->cell);
	free(comparison->change);
	free(comparison->shown);
	free(comparison->vetoed);
	free(comparison->turns);
	for (size_t i = 0; i < comparison->sides; i++)
		side_free(&comparison->side[i]);
	free(comparison->side);
}
