// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics of repeated boots.
 */
#include "statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_combination.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "text.h"

double median(double *values, size_t count)
{
	gsl_sort(values, 1, count);
	return gsl_stats_median_from_sorted_data(values, 1, count);
}

void draw_middles(gsl_rng *random, size_t count, struct middle *middle)
{
	size_t half = (count + 1) / 2;

	for (int i = 0; i < MIDDLES; i++) {
		double u = gsl_ran_beta(random, half, count - half + 1), v = u;

		if (count % 2 == 0)	/* the next one: the least of the others above u */
			v = u + (1 - u) * (1 - pow(gsl_rng_uniform_pos(random), 1. / half));
		middle[i].lower = fmin(u * count, count - 1);
		middle[i].upper = fmin(v * count, count - 1);
	}
}

double middle_value(const struct rounds *rounds, const struct middle *middle)
{
	return (rounds->value[middle->lower] + rounds->value[middle->upper]) / 2;
}

/* Boots of a side have the same number of rounds as a rule: draw the middles once for each. */
struct middles {
	struct middle middle[MIDDLES];
	size_t count;
};

static const struct middle *middles_of(gsl_rng *random, struct middles *middles, size_t count)
{
	if (middles->count != count) {
		draw_middles(random, count, middles->middle);
		middles->count = count;
	}
	return middles->middle;
}

/*
 * The spread between boots holds the spread of their rounds already, so drawing both would count
 * the rounds twice. As Davison and Hinkley (Bootstrap Methods, 3.8) propose, boots are drawn
 * towards their mean by as much as their rounds will add; n/(n-1) makes up for the mean having
 * been taken from the same boots. Where boots happen to lie closer together than their rounds make
 * likely, the rounds are drawn in to match: what is between boots is the yardstick.
 */
struct shrinkage {
	double between, within;	/* factors of a boot's and of a round's distance */
};

static struct shrinkage shrinkage(gsl_rng *random, const struct boots *boots,
				  struct middles *middles)
{
	double between = gsl_stats_variance(boots->median, 1, boots->count), within = 0;

	for (size_t i = 0; i < boots->count; i++) {
		const struct rounds *rounds = &boots->rounds[i];
		const struct middle *middle = middles_of(random, middles, rounds->count);
		double sum = 0;

		for (int j = 0; j < MIDDLES; j++) {
			double off = middle_value(rounds, &middle[j]) - boots->median[i];

			sum += off * off;
		}
		within += sum / MIDDLES / boots->count;
	}
	if (between <= within)
		return (struct shrinkage){ 0, within > 0 ? sqrt(between / within) : 0 };
	return (struct shrinkage){
		sqrt((between - within) / between * boots->count / (boots->count - 1)), 1
	};
}

void bootstrap(gsl_rng *random, const struct boots *boots, double *replicates)
{
	static struct middles middles;
	double mean = gsl_stats_mean(boots->median, 1, boots->count);
	struct shrinkage shrink;

	if (boots->count < 2) {
		for (int i = 0; i < REPLICATES; i++)
			replicates[i] = mean;
		return;
	}
	middles.count = 0;
	shrink = shrinkage(random, boots, &middles);
	for (int i = 0; i < REPLICATES; i++) {
		double sum = 0;

		for (size_t j = 0; j < boots->count; j++) {
			size_t boot = gsl_rng_uniform_int(random, boots->count);
			size_t draw = gsl_rng_uniform_int(random, MIDDLES);
			const struct rounds *rounds = &boots->rounds[boot];
			const struct middle *middle = middles_of(random, &middles, rounds->count);

			sum += shrink.between * (boots->median[boot] - mean) +
			       shrink.within * (middle_value(rounds, &middle[draw]) -
						boots->median[boot]);
		}
		replicates[i] = mean + sum / boots->count;
	}
}

void interval(const double *sorted, double confidence, double freedom, double *low, double *high)
{
	double tail = gsl_cdf_ugaussian_P(gsl_cdf_tdist_Pinv((1 - confidence) / 2, freedom));

	*low = gsl_stats_quantile_from_sorted_data(sorted, 1, REPLICATES, tail);
	*high = gsl_stats_quantile_from_sorted_data(sorted, 1, REPLICATES, 1 - tail);
}

void ratio_interval(const double *old, const double *new, double confidence, double freedom,
		    double *low, double *high)
{
	double ratio[REPLICATES];

	for (int i = 0; i < REPLICATES; i++)
		ratio[i] = new[i] / old[i] - 1;
	gsl_sort(ratio, 1, REPLICATES);
	interval(ratio, confidence, freedom, low, high);
}

double welch(const struct boots *a, const struct boots *b, double *error)
{
	double x = gsl_stats_variance(a->median, 1, a->count) / a->count;
	double y = gsl_stats_variance(b->median, 1, b->count) / b->count;

	*error = sqrt(x + y);
	if (x + y == 0)
		return a->count + b->count - 2;
	return (x + y) * (x + y) / (x * x / (a->count - 1) + y * y / (b->count - 1));
}

double smallest_p(size_t count_a, size_t count_b)
{
	double ways = exp(gsl_sf_lnchoose(count_a + count_b, count_a));

	/* with equal sides each deal and its mirror image are as extreme as each other */
	return (count_a == count_b ? 2 : 1) / ways;
}

/* Which deals are as extreme as the one that was measured; rounding must not decide. */
struct deal {
	const double *all;
	size_t count, count_a;
	double total, measured;
};

static bool as_extreme(const struct deal *deal, double sum_a)
{
	size_t count_b = deal->count - deal->count_a;
	double difference = fabs(sum_a / deal->count_a - (deal->total - sum_a) / count_b);

	return difference >= deal->measured * (1 - 1e-12);
}

static double exact_p(const struct deal *deal)
{
	gsl_combination *chosen = gsl_combination_calloc(deal->count, deal->count_a);
	size_t extreme = 0, deals = 0;

	if (!chosen)
		die(EXIT_USAGE, "out of memory");
	do {
		double sum = 0;

		for (size_t i = 0; i < deal->count_a; i++)
			sum += deal->all[chosen->data[i]];
		extreme += as_extreme(deal, sum);
		deals++;
	} while (gsl_combination_next(chosen) == GSL_SUCCESS);
	gsl_combination_free(chosen);
	return (double)extreme / deals;
}

static double random_p(gsl_rng *random, const struct deal *deal)
{
	double *dealt = allocate(deal->count_a, sizeof(*dealt));
	size_t extreme = 1;	/* the measured deal is one of them */

	for (int i = 0; i < MOST_EXACT; i++) {
		double sum = 0;

		gsl_ran_choose(random, dealt, deal->count_a, (void *)deal->all, deal->count,
			       sizeof(*dealt));
		for (size_t j = 0; j < deal->count_a; j++)
			sum += dealt[j];
		extreme += as_extreme(deal, sum);
	}
	free(dealt);
	return (double)extreme / (MOST_EXACT + 1);
}

double permutation_p(gsl_rng *random, const double *a, size_t count_a, const double *b,
		     size_t count_b)
{
	double *all = allocate(count_a + count_b, sizeof(*all));
	struct deal deal = { .all = all, .count = count_a + count_b, .count_a = count_a };
	double sum_a = 0, p;

	for (size_t i = 0; i < count_a; i++)
		sum_a += all[i] = a[i];
	deal.total = sum_a;
	for (size_t i = 0; i < count_b; i++)
		deal.total += all[count_a + i] = b[i];
	deal.measured = fabs(sum_a / count_a - (deal.total - sum_a) / count_b);
	p = gsl_sf_lnchoose(deal.count, count_a) <= log(MOST_EXACT) ? exact_p(&deal) :
	    random_p(random, &deal);
	free(all);
	return p;
}

void benjamini_hochberg(double *p, size_t count)
{
	size_t *order = allocate(count, sizeof(*order));
	double least = 1;

	gsl_sort_index(order, p, 1, count);
	for (size_t rank = count; rank > 0; rank--) {
		double *value = &p[order[rank - 1]];

		least = fmin(least, *value * count / rank);
		*value = least;
	}
	free(order);
}

/*
 * Two groups: the best cut into two leaves the groups' means five common standard deviations apart
 * (Ashman's D; the two halves of one normal heap come to 2.7, of a flat one to 3.5), the gap
 * between them is wider than either group's own spread, and the smaller group is no mere outlier.
 */
bool two_clusters(const double *sorted, size_t count)
{
	double best = INFINITY, sum = 0, squares = 0, total = 0, total_squares = 0;
	double origin = count ? sorted[0] : 0, low = 0, high = 0;
	size_t cut = 0;

	if (count < 8)
		return false;
	for (size_t i = 0; i < count; i++) {
		total += sorted[i] - origin;
		total_squares += (sorted[i] - origin) * (sorted[i] - origin);
	}
	for (size_t i = 1; i < count; i++) {
		double x = sorted[i - 1] - origin, left, right;

		sum += x;
		squares += x * x;
		left = fmax(0, squares - sum * sum / i);
		right = fmax(0, total_squares - squares -
				(total - sum) * (total - sum) / (count - i));
		if (left + right < best) {
			best = left + right;
			cut = i;
			low = sum / i;
			high = (total - sum) / (count - i);
		}
	}
	if (fmin(cut, count - cut) < fmax(2, count / 10.))
		return false;
	return (high - low) * sqrt(2) > 5 * sqrt(2 * best / count) &&
	       sorted[cut] - sorted[cut - 1] > 2 * sqrt(best / count) &&
	       high - low > 0.02 * fabs(origin + low);
}
