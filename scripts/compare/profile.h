/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile of a record: in which functions the instructions of its rows were executed. Made by
 * scripts/vm.sh --exact --profile and kept beside the record.
 */
#ifndef COMPARE_PROFILE_H
#define COMPARE_PROFILE_H

#include "comparison.h"
#include "text.h"

/* What one function took of one sample. */
struct profile_line {
	const char *test, *phase, *function;
	long size;		/* -1: the test has none */
	unsigned long long round;
	unsigned long long instructions;
	unsigned long long elsewhere;	/* executed by other CPUs meanwhile */
};

struct profile {
	char *path;
	struct text text;	/* what the strings point into */
	struct profile_line *line;
	size_t lines, room;
};

/* Whether there is one beside the record: boot-001.profile of boot-001.txt. */
bool profile_exists(const struct record *record);

/*
 * Read the profile beside a record. Ends the program when there
 * is none or when it is not understood.
 */
void profile_read(struct profile *profile, const struct record *record);
void profile_free(struct profile *profile);

/*
 * --why: for each row that moved, the functions that gained and lost instructions, and the events of
 * the allocator that changed. @profiles is NULL where there are only events.
 */
struct profile *read_profiles(const struct comparison *comparison);
void write_why(FILE *out, const struct comparison *comparison, const struct profile *profiles);
void free_profiles(struct profile *profiles, size_t sides);

#endif
