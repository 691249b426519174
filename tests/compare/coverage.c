// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often does the 95 % interval of a change cover the truth, on made-up boots whose truth is
 * known? Prints a line a case, and fails when one is outside 93 to 97 %.
 *
 * usage: coverage [TRIALS] (default 4000)
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics.h>
#include <stdio.h>
#include <stdlib.h>

#include "statistics.h"

enum { MOST_ROUNDS = 20, MOST_SIMULATED = 24 };

static const struct scenario {
	const char *what;
	int boots_old, boots_new, rounds;
	double change;		/* true new/old - 1 */
	double between, within;	/* standard deviations, in parts of the value */
	double other_mode;	/* distance of the second mode of boots; 0: one mode */
	double share;		/* of boots in the second mode */
	int heavy;		/* rounds have a long tail instead of a normal one */
} scenarios[] = {
	{ "boots differ, rounds steady", 8, 8, 10, 0.05, 0.03, 0.001, 0, 0, 0 },
	{ "boots alike, rounds noisy", 8, 8, 10, 0.05, 0, 0.10, 0, 0, 0 },
	{ "boots and rounds alike noisy", 8, 8, 10, 0.05, 0.03, 0.10, 0, 0, 0 },
	{ "even number of few rounds", 8, 8, 4, -0.05, 0.02, 0.05, 0, 0, 0 },
	{ "one round a boot", 8, 8, 1, 0.05, 0.05, 0, 0, 0, 0 },
	{ "six boots", 6, 6, 10, 0.05, 0.03, 0.05, 0, 0, 0 },
	{ "four boots", 4, 4, 10, 0.05, 0.03, 0.05, 0, 0, 0 },
	{ "eight against five boots", 8, 5, 10, 0, 0.03, 0.05, 0, 0, 0 },
	{ "twenty boots", 20, 20, 10, 0.05, 0.03, 0.05, 0, 0, 0 },
	{ "two modes of boots, half and half", 8, 8, 10, 0.05, 0.01, 0.02, 0.3, 0.5, 0 },
	{ "two modes of boots, one in three", 12, 12, 10, 0.05, 0.01, 0.02, 0.3, 0.33, 0 },
	{ "rounds with a long tail", 8, 8, 10, 0.05, 0.02, 0.05, 0, 0, 1 },
};

/* A side of @count boots around @mean; the median of its rounds has that expectation. */
static void simulate(gsl_rng *random, const struct scenario *scenario, int count, double mean,
		     struct boots *boots, double values[][MOST_ROUNDS])
{
	struct rounds *rounds = (struct rounds *)boots->rounds;

	boots->count = count;
	for (int i = 0; i < count; i++) {
		double boot = mean * (1 + gsl_ran_gaussian(random, scenario->between));

		if (scenario->other_mode) {
			boot -= mean * scenario->other_mode * scenario->share;
			if (gsl_rng_uniform(random) < scenario->share)
				boot += mean * scenario->other_mode;
		}
		for (int j = 0; j < scenario->rounds; j++)
			values[i][j] = boot + mean * (scenario->heavy ?
				       gsl_ran_tdist(random, 2) * scenario->within :
				       gsl_ran_gaussian(random, scenario->within));
		rounds[i] = (struct rounds){ values[i], scenario->rounds };
		boots->median[i] = median(values[i], scenario->rounds);
	}
}

static double coverage(gsl_rng *random, const struct scenario *scenario, int trials)
{
	static double values[2][MOST_SIMULATED][MOST_ROUNDS];
	struct rounds rounds[2][MOST_SIMULATED];
	double medians[2][MOST_SIMULATED], replicates[2][REPLICATES];
	struct boots old = { .median = medians[0], .rounds = rounds[0] };
	struct boots new = { .median = medians[1], .rounds = rounds[1] };
	int covered = 0;

	for (int i = 0; i < trials; i++) {
		double freedom, error, low, high;

		simulate(random, scenario, scenario->boots_old, 100, &old, values[0]);
		simulate(random, scenario, scenario->boots_new, 100 * (1 + scenario->change), &new,
			 values[1]);
		bootstrap(random, &old, replicates[0]);
		bootstrap(random, &new, replicates[1]);
		freedom = welch(&old, &new, &error);
		ratio_interval(replicates[0], replicates[1], 0.95, freedom, &low, &high);
		covered += low <= scenario->change && scenario->change <= high;
	}
	return (double)covered / trials;
}

int main(int argc, char **argv)
{
	int trials = argc > 1 ? atoi(argv[1]) : 4000, failed = 0;
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	if (trials < 1 || !random) {
		fputs("usage: coverage [TRIALS]\n", stderr);
		return 2;
	}
	gsl_rng_set(random, 1);
	printf("# coverage of the 95 %% interval of a change, %d trials a line\n", trials);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		double share = coverage(random, &scenarios[i], trials);
		int good = share >= 0.93 && share <= 0.97;

		printf("%sok - %.1f %% %s\n", good ? "" : "not ", 100 * share, scenarios[i].what);
		fflush(stdout);
		failed += !good;
	}
	gsl_rng_free(random);
	return failed != 0;
}
