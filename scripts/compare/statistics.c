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
	double t = gsl_cdf_tdist_Qinv((1 - confidence) / 2, freedom);
	double tail = gsl_cdf_ugaussian_Q(t);

	/* so far out that no replicate lies there: their spread says where */
	if (tail * REPLICATES < 2) {
		double mean = gsl_stats_mean(sorted, 1, REPLICATES);
		double sd = gsl_stats_sd_m(sorted, 1, REPLICATES, mean);

		*low = mean - t * sd;
		*high = mean + t * sd;
		return;
	}
	*low = gsl_stats_quantile_from_sorted_data(sorted, 1, REPLICATES, tail);
	*high = gsl_stats_quantile_from_sorted_data(sorted, 1, REPLICATES, 1 - tail);
}

void ratio_interval(const double *old, const double *new, double confidence, double freedom,
		    double *low, double *high)
{
	double ratio[REPLICATES];

	for (int i = 0; i < REPLICATES; i++)
		ratio[i] = (new[i] - old[i]) / fabs(old[i]);
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
	x /= x + y;	/* as shares: squares of tiny spreads would vanish */
	return 1 / (x * x / (a->count - 1) + (1 - x) * (1 - x) / (b->count - 1));
}

double smallest_p(size_t count_a, size_t count_b)
{
	double ways = exp(gsl_sf_lnchoose(count_a + count_b, count_a));

	/* with equal sides each deal and its mirror image are as extreme as each other */
	return (count_a == count_b ? 2 : 1) / ways;
}

enum { MOST_CHOSEN = 1 << 23 };

static void deal_all(struct deals *deals)
{
	size_t count = deals->count_a + deals->count_b;
	gsl_combination *chosen = gsl_combination_calloc(count, deals->count_a);
	uint32_t *to = deals->chosen;

	if (!chosen)
		die(EXIT_USAGE, "out of memory");
	do {
		for (size_t i = 0; i < deals->count_a; i++)
			*to++ = chosen->data[i];
	} while (gsl_combination_next(chosen) == GSL_SUCCESS);
	gsl_combination_free(chosen);
}

static void deal_at_random(gsl_rng *random, struct deals *deals)
{
	size_t count = deals->count_a + deals->count_b;
	uint32_t *all = allocate(count, sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = i;
	for (size_t i = 0; i < deals->deals; i++)
		gsl_ran_choose(random, deals->chosen + i * deals->count_a, deals->count_a, all,
			       count, sizeof(*all));
	free(all);
}

struct deals *deals_new(gsl_rng *random, size_t count_a, size_t count_b)
{
	double logarithm = gsl_sf_lnchoose(count_a + count_b, count_a);
	struct deals *deals = allocate(1, sizeof(*deals));

	deals->count_a = count_a;
	deals->count_b = count_b;
	deals->exact = logarithm <= log(MOST_DEALS);
	deals->deals = deals->exact ? round(exp(logarithm)) :
		       fmin(MOST_DEALS, MOST_CHOSEN / count_a + 1);
	deals->chosen = allocate(deals->deals * count_a, sizeof(*deals->chosen));
	if (deals->exact)
		deal_all(deals);
	else
		deal_at_random(random, deals);
	return deals;
}

void deals_free(struct deals *deals)
{
	if (!deals)
		return;
	free(deals->chosen);
	free(deals);
}

double permutation_p(const struct deals *deals, const double *a, const double *b)
{
	size_t count = deals->count_a + deals->count_b, extreme = 0;
	double *all = allocate(count, sizeof(*all));
	const uint32_t *chosen = deals->chosen;
	double sum_a = 0, total, measured;

	for (size_t i = 0; i < deals->count_a; i++)
		sum_a += all[i] = a[i];
	total = sum_a;
	for (size_t i = 0; i < deals->count_b; i++)
		total += all[deals->count_a + i] = b[i];
	measured = fabs(sum_a / deals->count_a - (total - sum_a) / deals->count_b);
	for (size_t i = 0; i < deals->deals; i++) {
		double sum = 0;

		for (size_t j = 0; j < deals->count_a; j++)
			sum += all[*chosen++];
		/* rounding must not decide: a deal that differs in the last digit is the same */
		extreme += fabs(sum / deals->count_a - (total - sum) / deals->count_b) >=
			   measured * (1 - 1e-12);
	}
	free(all);
	/* of random deals, the measured one is one more */
	return (double)(extreme + !deals->exact) / (deals->deals + !deals->exact);
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
