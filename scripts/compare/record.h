/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data model: figures of rows, in the record of one boot, of one side.
 *
 *   row      what is measured: test, phase, size, unit
 *   record   one boot (or one posted run): header keys and samples
 *   side     the records of one kernel
 *
 * Rows are common to all sides, so that a row number means the same everywhere. A value that was
 * not measured does not exist; it is never 0.
 */
#ifndef COMPARE_RECORD_H
#define COMPARE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row {
	const char *test;	/* "concurrent_alloc_then_free", "find.real", … */
	const char *phase;	/* "alloc", "free", "pair"; "" where a test has one figure */
	const char *unit;	/* "cycles", "ns", "s", …; "" when nobody said */
	const char *parameter;	/* what size is: "size", "step", "order", "threads" */
	long size;		/* -1: the test has none */
	bool higher_is_better;
	double resolution;	/* the coarsest figure read: differences up to it say nothing */
};

struct rows {
	struct row *row;
	size_t count, room;
	void *index;		/* of struct row_index, a tsearch(3) tree */
	void *strings;		/* every name once, a tsearch(3) tree */
};

/* What a row is, as a reader finds it. NULL strings count as "". */
struct row_key {
	const char *test, *phase, *unit, *parameter;
	long size;
	bool higher_is_better;
};

/* The number of a row; added when it is new. */
size_t rows_find(struct rows *rows, const struct row_key *key);
const char *rows_string(struct rows *rows, const char *string);
void rows_free(struct rows *rows);

enum {
	SAMPLE_PREEMPTED = 1 << 0,
	SAMPLE_MIGRATED = 1 << 1,
	SAMPLE_DETAIL = 1 << 2,	/* of one CPU, where the text has the average as well */
};

struct sample {
	uint32_t row;
	uint32_t round;
	int32_t cpu;		/* -1: not of one CPU */
	uint32_t flags;
	uint32_t counted;	/* where the counts of this sample begin in record->count */
	double value;		/* in the unit of the row, an operation */
	uint64_t count;		/* raw clock difference; ops is 0 where only a value was posted */
	uint64_t ops;
};

/* A metric that explains rows and is none: "event/TEST/SIZE/EVENT", "slab/CACHE/before". */
struct reason {
	const char *name;
	double value;
};

struct header {
	const char *key;
	const char *value;
};

/* The rounds of one row in one boot, each the average over the CPUs that took part. */
struct rounds {
	double *value;
	size_t count;
};

struct record {
	char *source;		/* where it was read: file, and run when it holds several */
	struct header *header;
	size_t headers, header_room;
	struct sample *sample;
	size_t samples, sample_room;
	const char **counter;	/* what was counted besides: "instructions", "cache-misses", … */
	size_t counters;
	double *count;		/* an operation; NAN where it could not be counted */
	size_t counts, count_room;
	struct reason *reason;
	size_t reasons, reason_room;
	struct rounds *rounds;	/* of each row; set by record_average() */
	size_t rows;
	double *values;		/* what rounds[] point into */
};

struct side {
	char *name;
	struct record **record;
	size_t records, record_room;
};

struct record *record_new(const char *source);
void record_free(struct record *record);
void record_add(struct record *record, const struct sample *sample);

void record_explain(struct record *record, const struct reason *reason);

/* Header values are kept as they stand; a key may stand several times. */
void record_set(struct record *record, struct rows *rows, const char *key, const char *value);
const char *record_get(const struct record *record, const char *key);	/* NULL: absent */

/*
 * A word of the header's plan or machine line: "count" of "tests=all count=10000" is 10000. Returns
 * the length, or 0 when it is absent; *@value points into the header.
 */
size_t record_plan(const struct record *record, const char *name, const char **value);

/* Sort the samples and average every round over its CPUs. @rows: how many rows there are. */
void record_average(struct record *record, size_t rows);

void side_add(struct side *side, struct record *record);
void side_free(struct side *side);

#endif
