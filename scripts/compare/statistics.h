/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of repeated boots. A boot is the unit of replication: the rounds within one share
 * its slab placement and its page allocator state, so they say how steady the boot is, not how
 * much the next one will differ.
 */
#ifndef COMPARE_STATISTICS_H
#define COMPARE_STATISTICS_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

enum {
	REPLICATES = 2000,	/* of the bootstrap */
	LEAST_BOOTS = 4,	/* a side; fewer have no interval: four values span too little */
};

/* Median of @count values, which are sorted in place. */
double median(double *values, size_t count);

/* One row of one side: its boots, and the rounds of each, sorted. */
struct boots {
	size_t count;
	double *median;			/* of each boot's rounds */
	const struct rounds *rounds;	/* of each boot, each sorted */
};

/*
 * The middle of a resample of n sorted values: which two of them its median is the mean of. Drawing
 * n times and sorting comes to the same as drawing the middle order statistics of n uniform
 * numbers, which are Beta distributed; that costs as much for ten rounds as for ten thousand.
 */
struct middle {
	size_t lower, upper;
};

enum { MIDDLES = 1024 };

void draw_middles(gsl_rng *random, size_t count, struct middle *middle);
double middle_value(const struct rounds *rounds, const struct middle *middle);

/*
 * REPLICATES values of the mean over boots of the median over rounds, with boots and then rounds
 * drawn with replacement. What rounds add to the spread between boots is counted once.
 */
void bootstrap(gsl_rng *random, const struct boots *boots, double *replicates);

/*
 * The two-sided interval of @confidence from sorted replicates. Few boots give tails that are too
 * short; they are widened as Student's t with @freedom degrees of freedom is wider than the normal
 * distribution.
 */
void interval(const double *sorted, double confidence, double freedom, double *low, double *high);

/* The interval of new/old - 1 from the replicates of both, in the order they were drawn. */
void ratio_interval(const double *old, const double *new, double confidence, double freedom,
		    double *low, double *high);

/* Degrees of freedom and standard error of the difference of two means (Welch). */
double welch(const struct boots *a, const struct boots *b, double *error);

/*
 * The ways to deal out the boots (or rounds) of two sides, common to all rows: every one while
 * there are at most MOST_DEALS, else that many random ones (fewer of very many boots).
 */
enum { MOST_DEALS = 20000 };

struct deals {
	size_t count_a, count_b;
	size_t deals;
	uint32_t *chosen;	/* of each deal: which of them are of side a */
	bool exact;
};

struct deals *deals_new(gsl_rng *random, size_t count_a, size_t count_b);
void deals_free(struct deals *deals);

/* Two-sided p of a difference of means, by permutation. */
double permutation_p(const struct deals *deals, const double *a, const double *b);

/* The smallest p that so many boots, or rounds, can give at all. */
double smallest_p(size_t count_a, size_t count_b);

/* Benjamini and Hochberg's step-up: p values, in place, become adjusted ones. */
void benjamini_hochberg(double *p, size_t count);

/* True if sorted values fall into two groups with nothing between them. */
bool two_clusters(const double *sorted, size_t count);

#endif
