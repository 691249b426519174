/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef COMPARE_SIDES_H
#define COMPARE_SIDES_H

#include "record.h"

/*
 * Read what the command line names. Each argument is NAME=PATH or PATH, where PATH is a file, a
 * directory (its *.txt files, not recursive) or a glob; PATH#LABEL takes one side of a text that
 * holds several. One argument alone must hold several sides. Ends the program on what it cannot
 * read; notes about lines that no parser took go to stderr.
 */
struct side *read_sides(struct rows *rows, char *const *arguments, size_t count, bool split,
			size_t *sides);

#endif
