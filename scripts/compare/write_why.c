// SPDX-License-Identifier: GPL-2.0-only
/*
 * The why of a change: the functions in which a row gained and lost instructions, in the round
 * that the table shows. Their changes and that of the overhead, which is subtracted, add up to the
 * row's; what was executed outside of named functions is said as such. Below them the allocator's
 * events, where the records have any.
 */
#include "counters.h"
#include "events.h"
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "write.h"

enum { MOST_FUNCTIONS = 12, NAME_COLUMNS = 34 };

/* The part of a row's change that is below this is not worth a line. */
#define SMALL_PART 0.005

#define OVERHEAD "overhead, subtracted"

/* A function with what it took of a row, in instructions an operation. */
struct share {
	const char *name;
	size_t length;		/* without what the compiler appends: ".isra.0" */
	double before, after;
};

struct shares {
	struct share *share;
	size_t count, room;
	double elsewhere;	/* what the change has of other CPUs' instructions */
};

static double share_change(const struct share *share)
{
	return share->after - share->before;
}

/* "[unknown]" and "[user]" are places without a name. */
static bool has_name(const struct share *share)
{
	return *share->name != '[';
}

static struct share *find_share(struct shares *shares, const char *function)
{
	size_t length = strcspn(function, ".");
	struct share *share;

	for (size_t i = 0; i < shares->count; i++) {
		share = &shares->share[i];
		if (share->length == length && !strncmp(share->name, function, length))
			return share;
	}
	shares->share = grow(shares->share, shares->count, &shares->room, sizeof(*share));
	share = &shares->share[shares->count++];
	*share = (struct share){ .name = function, .length = length };
	return share;
}

static bool is_of_cell(const struct profile_line *line, const struct row *row,
		       const struct cell *cell)
{
	return line->size == row->size && line->round == cell->ticks_round &&
	       !strcmp(line->test, row->test) && !strcmp(line->phase, row->phase);
}

static void add_profile(struct shares *shares, const struct profile *profile, const struct row *row,
			const struct cell *cell, bool after)
{
	for (size_t i = 0; i < profile->lines; i++) {
		const struct profile_line *line = &profile->line[i];
		struct share *share;
		double took;

		if (!is_of_cell(line, row, cell))
			continue;
		took = (double)(line->instructions + line->elsewhere) / cell->ticks_ops;
		share = find_share(shares, line->function);
		if (after)
			share->after += took;
		else
			share->before += took;
		shares->elsewhere += (after ? 1. : -1.) * line->elsewhere / cell->ticks_ops;
	}
}

static int compare_shares(const void *left, const void *right)
{
	const struct share *a = left, *b = right;
	double change_a = fabs(share_change(a)), change_b = fabs(share_change(b));

	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void write_share(FILE *out, const struct share *share)
{
	fprintf(out, "%+10.3f %11.3f %11.3f  %.*s\n", share_change(share), share->before,
		share->after, (int)(share->length < NAME_COLUMNS ? share->length : NAME_COLUMNS),
		share->name);
}

/* What the clock showed in the round of a cell, on all CPUs, with the overhead. */
static double raw_ticks(const struct comparison *comparison, size_t row, size_t side)
{
	const struct record *record = comparison->side[side].record[0];
	double ticks = 0;

	for (size_t i = 0; i < record->samples; i++)
		if (record->sample[i].row == row &&
		    record->sample[i].round == cell_of(comparison, row, side)->ticks_round)
			ticks += record->sample[i].count;
	return ticks;
}

/* What the table takes off, an operation: negative. */
static double overhead(const struct comparison *comparison, size_t row, size_t side)
{
	const struct cell *cell = cell_of(comparison, row, side);

	return (cell->ticks - raw_ticks(comparison, row, side)) / cell->ticks_ops;
}

static void write_shares(FILE *out, const struct shares *shares, const struct share *all,
			 const struct share *taken_off)
{
	const double change = share_change(all);
	struct share others = { .name = "" };
	double named = share_change(taken_off);	/* known as well */
	size_t other_count = 0;
	char *name;

	fprintf(out, "%10s %11s %11s  instructions an operation\n", "change", "before", "after");
	write_share(out, all);
	for (size_t i = 0; i < shares->count; i++) {
		const struct share *share = &shares->share[i];

		if (has_name(share))
			named += share_change(share);
		if (i < MOST_FUNCTIONS && fabs(share_change(share)) > SMALL_PART * fabs(change)) {
			write_share(out, share);
			continue;
		}
		others.before += share->before;
		others.after += share->after;
		other_count++;
	}
	if (other_count) {
		name = format_string("%zu other%s", other_count, other_count == 1 ? "" : "s");
		others.name = name;
		others.length = strlen(name);
		write_share(out, &others);
		free(name);
	}
	if (taken_off->before != 0 || taken_off->after != 0)
		write_share(out, taken_off);
	fprintf(out, "%.1f %% of the change is in named functions",
		100 * (1 - fabs(change - named) / fabs(change)));
	if (fabs(shares->elsewhere) > SMALL_PART * fabs(change))
		fprintf(out, "; %+.3f ran on other CPUs", shares->elsewhere);
	fputc('\n', out);
}

static void write_functions(FILE *out, const struct comparison *comparison,
			    const struct profile *profiles, size_t row, size_t side)
{
	const struct row *name = &comparison->rows->row[row];
	const struct cell *base = cell_of(comparison, row, comparison->base);
	const struct cell *cell = cell_of(comparison, row, side);
	struct shares shares = { 0 };
	struct share all = { "all", strlen("all"), base->value, cell->value };
	struct share taken_off = {
		OVERHEAD, strlen(OVERHEAD), overhead(comparison, row, comparison->base),
		overhead(comparison, row, side)
	};

	add_profile(&shares, &profiles[comparison->base], name, base, false);
	add_profile(&shares, &profiles[side], name, cell, true);
	qsort(shares.share, shares.count, sizeof(*shares.share), compare_shares);
	write_shares(out, &shares, &all, &taken_off);
	free(shares.share);
}

static void write_row(FILE *out, const struct comparison *comparison,
		      const struct profile *profiles, size_t row, size_t side)
{
	const struct row *name = &comparison->rows->row[row];
	char percent[32];

	fprintf(out, "\n%s%s%s", name->test, *name->phase ? ", " : "", name->phase);
	if (name->size >= 0)
		fprintf(out, ", %ld", name->size);
	if (!comparison->exact)
		fprintf(out, ": %s", format_percent(percent, sizeof(percent),
						    change_of(comparison, row, side)->delta));
	fputc('\n', out);
	if (profiles)
		write_functions(out, comparison, profiles, row, side);
	write_row_counters(out, comparison, row, side);
	write_row_events(out, comparison, row, side);
}

/* Unproven rows too: what happened in them is known all the same. */
static bool moved(const struct comparison *comparison, size_t row, size_t side)
{
	const struct change *change = change_of(comparison, row, side);

	if (comparison->exact)
		return change->difference;
	switch (change->verdict) {
	case VERDICT_FASTER:
	case VERDICT_SLOWER:
	case VERDICT_UNPROVEN:
		return true;
	case VERDICT_NONE:	/* too few boots to tell: what looks like a change */
		return is_question(&comparison->rows->row[row]) &&
		       fabs(change->delta) > SAME_BAND;
	default:
		return false;
	}
}

/* A profile of another run would explain nothing. */
static void check_profile(const struct comparison *comparison, const struct profile *profile,
			  size_t row, size_t side)
{
	const struct cell *cell = cell_of(comparison, row, side);
	const struct row *name = &comparison->rows->row[row];
	double ticks = raw_ticks(comparison, row, side), seen = 0;

	if (!cell->ops)		/* a metric, or not on this side */
		return;
	for (size_t i = 0; i < profile->lines; i++)
		if (is_of_cell(&profile->line[i], name, cell))
			seen += profile->line[i].instructions + profile->line[i].elsewhere;
	if (fabs(seen - ticks) > 0.1 * ticks + 100)
		die(EXIT_USAGE,
		    "%s: has %.0f instructions in %s, and its record %.0f: of another run?",
		    profile->path, seen, name->test, ticks);
}

struct profile *read_profiles(const struct comparison *comparison)
{
	struct profile *profiles;
	bool any = false;

	for (size_t i = 0; i < comparison->sides; i++)
		any = any || profile_exists(comparison->side[i].record[0]);
	if (has_events(comparison) && !(comparison->exact && any))
		return NULL;
	if (!comparison->exact)
		die(EXIT_USAGE,
		    "--why counts instructions or events: make records with scripts/vm.sh --exact --profile, or with --events");
	profiles = allocate(comparison->sides, sizeof(*profiles));
	/* Boots of one side repeat each other, or the row is unproven. */
	for (size_t i = 0; i < comparison->sides; i++) {
		profile_read(&profiles[i], comparison->side[i].record[0]);
		for (size_t j = 0; comparison->options->plain_names && j < profiles[i].lines; j++)
			profiles[i].line[j].test = plain_name(profiles[i].line[j].test);
		for (size_t j = 0; j < comparison->shown_count; j++)
			check_profile(comparison, &profiles[i], comparison->shown[j], i);
	}
	return profiles;
}

void free_profiles(struct profile *profiles, size_t sides)
{
	for (size_t i = 0; profiles && i < sides; i++)
		profile_free(&profiles[i]);
	free(profiles);
}

void write_why(FILE *out, const struct comparison *comparison, const struct profile *profiles)
{
	for (size_t side = 0; side < comparison->sides; side++) {
		bool any = false;

		if (side == comparison->base)
			continue;
		fprintf(out, "\n== why %s is not %s ==\n", comparison->side[side].name,
			comparison->side[comparison->base].name);
		for (size_t i = 0; i < comparison->shown_count; i++) {
			size_t row = comparison->shown[i];

			if (!moved(comparison, row, side))
				continue;
			write_row(out, comparison, profiles, row, side);
			any = true;
		}
		if (!any)
			fputs("\nNo row moved.\n", out);
		write_slab_memory(out, comparison, side);
	}
}
