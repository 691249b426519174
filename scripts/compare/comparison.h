/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A comparison: sides and rows become cells (a row of a side), changes (a cell against the base
 * side) and a verdict for each.
 */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "statistics.h"

enum verdict {
	VERDICT_NONE,		/* too few boots, or nothing to compare with */
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_SAME,		/* the interval lies inside ±1 % */
	VERDICT_UNCLEAR,	/* more boots would tell; of exact sides with turns, more rounds */
	VERDICT_BELOW_RESOLUTION,	/* no further apart than one step of the figures */
	VERDICT_UNPROVEN,	/* the control moved, or an exact side did not repeat itself */
};

extern const char *const verdict_words[];

/* One row of one side. Numbers that do not exist are NAN. */
struct cell {
	struct boots boots;
	double value;		/* mean over boots of the median round of the mean over CPUs */
	double low, high;	/* interval of value; from LEAST_BOOTS boots on */
	double spread;		/* (largest - smallest boot) / value */
	bool two_clusters;
	uint64_t count, ops;	/* of an exact side: all clock ticks and operations of one boot */
	bool repeats;		/* … and all its boots have the same */
	double ticks;		/* … and of its middle round, all CPUs, without overhead */
	uint64_t ticks_ops;
	uint32_t ticks_round;	/* which one that is */
	double *replicates;	/* while the statistics run */
};

/* One row of one side against the base. Fractions: 0.05 is 5 %. */
struct change {
	double delta;		/* (new - old) / old */
	double low, high;
	double p, p_adjusted;	/* over boots; of exact sides with turns, over rounds */
	double detectable;	/* the smallest change found in four of five such comparisons */
	int64_t difference;	/* of exact sides: ticks of the middle round, all CPUs */
	enum verdict verdict;
};

struct options {
	const char *test;	/* glob; NULL: all */
	const char *sizes;	/* list; NULL: all */
	const char *base;	/* name; NULL: the first side */
	double alpha;
	double fail_above;	/* fraction */
	unsigned long seed;
	bool force;
	bool plain_names;	/* rows have been renamed by use_plain_names() */
	const char *noise_floor;	/* file of scripts/selfcheck.sh; NULL: none */
};

struct comparison {
	const struct options *options;
	struct rows *rows;
	struct side *side;
	size_t sides, base;
	size_t *shown, shown_count;	/* rows, in the order of the table */
	struct cell *cell;	/* of [row * sides + side] */
	struct change *change;
	bool exact;		/* all sides count exactly */
	bool *turns;		/* … and CPUs take turns in the test of this row */
	bool *vetoed;		/* of each side: the control moved against the base */
	char **warning;		/* lines; what makes the comparison doubtful */
	size_t warnings, warning_room;
	char **refusal;		/* lines; what forbids it */
	size_t refusals, refusal_room;
	bool run_failed;
};

/* The band of "same". */
#define SAME_BAND 0.01

void comparison_run(struct comparison *comparison);
void comparison_free(struct comparison *comparison);

struct cell *cell_of(const struct comparison *comparison, size_t row, size_t side);
struct change *change_of(const struct comparison *comparison, size_t row, size_t side);

/* A row that no allocator can move: what it does is measure the machine. */
bool is_control(const struct row *row);
/* Did a control move so far that the machine differs? Less than SAME_BAND, as an instruction, is no move. */
bool machine_moved(const struct row *row, const struct change *change);

/* A row that asks something of the allocator: neither the control nor the empty loops of null. */
bool is_question(const struct row *row);

/* True if a boot more or less can bring this row to a verdict at all. */
bool enough_boots(const struct comparison *comparison, size_t row, size_t side);

/* Rows [first, end) of shown[] that are printed together: one phase of one test. */
size_t block_end(const struct comparison *comparison, size_t first);

void comparison_warn(struct comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void comparison_refuse(struct comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* comparable.c: look for what must not, or should not, be compared. */
void check_comparable(struct comparison *comparison);

#endif
