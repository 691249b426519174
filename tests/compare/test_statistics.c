// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics, against values worked out by hand or by another way.
 */
#include "check.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "statistics.h"

static void test_median(void)
{
	double odd[] = { 5, 1, 4, 2, 3 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };

	CHECK_NEAR(median(odd, 5), 3, 0);
	CHECK_NEAR(median(even, 4), 2.5, 0);
	CHECK_NEAR(median(one, 1), 7, 0);
}

static void test_smallest_p(void)
{
	/* 2 of 70 deals of 4 and 4; 1 of 35 deals of 4 and 3; 2 of 20 of 3 and 3 */
	CHECK_NEAR(smallest_p(4, 4), 2. / 70, 1e-12);
	CHECK_NEAR(smallest_p(4, 3), 1. / 35, 1e-12);
	CHECK_NEAR(smallest_p(3, 3), 2. / 20, 1e-12);
	CHECK_NEAR(smallest_p(1, 1), 1, 1e-12);
}

static double p_value(const double *a, size_t count_a, const double *b, size_t count_b, bool exact)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct deals *deals = deals_new(random, count_a, count_b);
	double p = permutation_p(deals, a, b);

	CHECK(deals->exact == exact);
	deals_free(deals);
	gsl_rng_free(random);
	return p;
}

static void test_permutation_exact(void)
{
	double low[] = { 1, 2, 3, 4 }, high[] = { 5, 6, 7, 8 };
	double same[] = { 1, 1, 1, 1 }, mixed[] = { 1, 2, 3, 8 }, other[] = { 4, 5, 6, 7 };
	double three[] = { 50, 60, 70 };	/* no other deal is as far apart */

	CHECK_NEAR(p_value(low, 4, high, 4, true), 2. / 70, 1e-12);
	CHECK_NEAR(p_value(high, 4, low, 4, true), 2. / 70, 1e-12);
	CHECK_NEAR(p_value(same, 4, same, 4, true), 1, 1e-12);
	CHECK_NEAR(p_value(low, 4, three, 3, true), 1. / 35, 1e-12);
	/*
	 * Sums of four of 1..8 run from 10 to 26 around 18; the measured sum is 14, so deals with a
	 * sum of at most 14 or at least 22 are as extreme. By hand: sums 10 to 14 come from
	 * 1, 1, 2, 3 and 5 sets, so 24 of 70.
	 */
	CHECK_NEAR(p_value(mixed, 4, other, 4, true), 24. / 70, 1e-12);
}

/* Ten boots a side are too many to count out; the random deals come near the count all the same. */
static void test_permutation_random(void)
{
	double a[10], b[10];

	for (int i = 0; i < 10; i++) {
		a[i] = i;
		b[i] = i + 0.5;
	}
	CHECK(p_value(a, 10, b, 10, false) > 0.6);
	for (int i = 0; i < 10; i++)
		b[i] = i + 100;
	CHECK(p_value(a, 10, b, 10, false) < 0.0002);
	CHECK(p_value(a, 10, b, 10, false) > 0);
}

static void test_benjamini_hochberg(void)
{
	/* sorted .01 .02 .03 .04: p*m/rank is .04 each */
	double p[] = { 0.04, 0.01, 0.03, 0.02 };
	/* .5 stays; .005*3 = .015; .009*3/2 = .0135 and pulls the smaller one down to it */
	double q[] = { 0.005, 0.5, 0.009 };

	benjamini_hochberg(p, 4);
	for (int i = 0; i < 4; i++)
		CHECK_NEAR(p[i], 0.04, 1e-12);
	benjamini_hochberg(q, 3);
	CHECK_NEAR(q[0], 0.0135, 1e-12);
	CHECK_NEAR(q[1], 0.5, 1e-12);
	CHECK_NEAR(q[2], 0.0135, 1e-12);
}

/*
 * With one round a boot the bootstrap's standard error is the textbook's, s/sqrt(n), and with equal
 * boots it is that of the median over rounds.
 */
static void test_bootstrap_spread(void)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	double value[] = { 10, 12, 14, 16, 18, 20 }, replicates[REPLICATES], error;
	struct rounds rounds[6];
	struct boots boots = { .count = 6, .median = value, .rounds = rounds };

	for (int i = 0; i < 6; i++)
		rounds[i] = (struct rounds){ &value[i], 1 };
	bootstrap(random, &boots, replicates);
	error = gsl_stats_sd(value, 1, 6) / sqrt(6);
	CHECK_NEAR(gsl_stats_mean(replicates, 1, REPLICATES), 15, 0.15);
	CHECK_NEAR(gsl_stats_sd(replicates, 1, REPLICATES), error, 0.05 * error);
	gsl_rng_free(random);
}

/* The shortcut over order statistics against drawing rounds and sorting, odd and even. */
static void test_bootstrap_rounds(void)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	for (int count = 9; count <= 10; count++) {
		double value[10], drawn[10], quick[MIDDLES], slow[MIDDLES];
		struct rounds rounds = { value, count };
		struct middle middle[MIDDLES];

		for (int i = 0; i < count; i++)
			value[i] = i * i;
		draw_middles(random, count, middle);
		for (int i = 0; i < MIDDLES; i++) {
			quick[i] = middle_value(&rounds, &middle[i]);
			gsl_ran_sample(random, drawn, count, value, count, sizeof(*value));
			slow[i] = median(drawn, count);
		}
		CHECK_NEAR(gsl_stats_mean(quick, 1, MIDDLES), gsl_stats_mean(slow, 1, MIDDLES),
			   1.5);
		CHECK_NEAR(gsl_stats_sd(quick, 1, MIDDLES) / gsl_stats_sd(slow, 1, MIDDLES), 1,
			   0.1);
	}
	gsl_rng_free(random);
}

static void test_clusters(void)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	double two[40], one[40];
	int false_marks = 0;

	for (int i = 0; i < 40; i++)
		two[i] = (i < 25 ? 100 : 130) + gsl_ran_gaussian(random, 2);
	gsl_sort(two, 1, 40);
	CHECK(two_clusters(two, 40));
	CHECK(!two_clusters(two, 7));
	for (int trial = 0; trial < 1000; trial++) {
		for (int i = 0; i < 40; i++)
			one[i] = trial % 2 ? 100 + gsl_ran_gaussian(random, 5) :
				 100 + gsl_ran_exponential(random, 5);
		gsl_sort(one, 1, 40);
		false_marks += two_clusters(one, 40);
	}
	CHECK(false_marks <= 10);
	for (int i = 0; i < 40; i++)
		one[i] = 5;
	CHECK(!two_clusters(one, 40));
	gsl_rng_free(random);
}

int main(void)
{
	static const struct test tests[] = {
		{ "median of odd, even and one", test_median },
		{ "smallest p of so many boots", test_smallest_p },
		{ "permutation counts all deals", test_permutation_exact },
		{ "permutation by random deals", test_permutation_random },
		{ "Benjamini and Hochberg by hand", test_benjamini_hochberg },
		{ "bootstrap over boots has the textbook's error", test_bootstrap_spread },
		{ "bootstrap over rounds is drawing and sorting", test_bootstrap_rounds },
		{ "two clusters are seen, one heap is not two", test_clusters },
	};

	return run_tests(tests, sizeof(tests) / sizeof(*tests));
}
