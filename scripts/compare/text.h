/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text: the lines of a file, growing arrays and strict numbers.
 */
#ifndef COMPARE_TEXT_H
#define COMPARE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Exit codes of the program. */
enum {
	EXIT_SAME = 0,		/* nothing became slower */
	EXIT_SLOWER = 1,	/* a regression above --fail-above */
	EXIT_USAGE = 2,		/* bad usage or unreadable input */
	EXIT_NO_COMPARISON = 3,	/* must not be compared, or too little data */
	EXIT_RUN_FAILED = 4,	/* a record says that its run failed */
};

struct line {
	char *text;		/* cleaned, without the line end */
	size_t number;		/* line of the file, from 1 */
};

/* A file as lines; after clean() only what a reader should look at. */
struct text {
	char *bytes;
	char *joined;		/* lines that clean() put together */
	size_t length;
	struct line *line;
	size_t lines;
	bool open_end;		/* the last line has no line end */
};

void die(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* Allocations that end the program with one line when memory is short. */
void *allocate(size_t count, size_t size);
char *duplicate(const char *string, size_t length);
char *format_string(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make room for one more element. @array may move; @room is what it holds. The room doubles, so
 * that adding n elements costs O(n).
 */
void *grow(void *array, size_t count, size_t *room, size_t size);

/*
 * Read @path whole. Returns NULL and sets *@why (one line, to be freed) when it cannot be read.
 * The bytes are followed by a NUL.
 */
char *read_file(const char *path, size_t *length, char **why);

/* Cut @text->bytes into lines in place, without any cleaning. */
void split_lines(struct text *text);
void text_free(struct text *text);

/*
 * Numbers: digits with an optional fraction and exponent, no blanks in front, no hex, no inf. On
 * success *@end points behind the number. Nothing measured is above 1e60: such a number is refused,
 * so that squares and products of figures stay finite.
 */
bool number(const char *string, const char **end, double *value);
bool whole_number(const char *string, const char **end, unsigned long long *value);

/* The last digit of a printed number: 1 for "365", 0.1 for "61.2", 0.001 for "0.769". */
double number_resolution(const char *string);

/* The words of a line: up to MOST_WORDS, whatever follows is left out. */
enum { MOST_WORDS = 64 };

struct words {
	const char *at[MOST_WORDS];
	size_t length[MOST_WORDS];
	size_t count;
};

/* Cut at every blank, or (columns) only at tabs and at two or more blanks. */
void split_words(const char *line, struct words *words);
void split_columns(const char *line, struct words *words);

const char *skip_blank(const char *string);
bool starts_with(const char *string, const char *prefix);
bool starts_with_word(const char *string, const char *word);	/* any case; word ends there */

#endif
