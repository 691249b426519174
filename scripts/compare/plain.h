/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of objects from elsewhere, under the plain test's name. */
#ifndef COMPARE_PLAIN_H
#define COMPARE_PLAIN_H

#include "record.h"

/* "alloc_free" of "accounted_alloc_free"; points into @test. */
const char *plain_name(const char *test);

/* Moves all samples to the rows of the plain names. Ends the program when a record has both. */
void use_plain_names(struct rows *rows, struct side *side, size_t sides);

#endif
