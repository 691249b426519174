/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading: one small parser a format, in a table (read.c). A parser looks at the lines from
 * reading->at on and says how many of them it took; 0 means that they are not its own.
 *
 * To add a format: write read_NAME.c with one such function, and give it a line in the table.
 */
#ifndef COMPARE_READ_H
#define COMPARE_READ_H

#include "record.h"
#include "text.h"

/* The figures under one heading: a side, or a part of one, with its runs. */
struct part {
	const char *group;	/* heading that is no word for a side: "with SLAB" */
	const char *label;	/* "before", "after", or as a column calls it; "" unknown */
	const char *heading;	/* the later of the two */
	struct record **run;
	size_t runs, room;
	uint32_t *seen;		/* of each row: how many runs hold it */
	size_t seen_rows;
};

struct reading {
	const char *source;
	struct rows *rows;
	struct text text;
	size_t at;
	const char *group, *label, *heading;
	const char *section;	/* the last heading of any kind */
	const char *unit;	/* of an operation, as the lines so far call it */
	const char *title;	/* of the table below it */
	const char *cpu;	/* that measures, where the text says so */
	size_t objects;		/* of JSON so far */
	bool no_more_json;
	struct part *part;
	size_t parts, room;
	char *error;		/* one line with file and line number; the input is refused */
	size_t unread, first_unread;	/* lines with figures that no parser took */
	size_t last_unread;	/* index of the last of them */
};

struct reader {
	const char *name;
	const char *example;
	size_t (*read)(struct reading *reading);
};

#define RECORD_MAGIC "# slab_test: "

extern const struct reader readers[];

/*
 * Read a text. @bytes is taken over. Returns false and sets reading->error when the input is
 * refused. End with reading_free().
 */
bool read_text(struct reading *reading, struct rows *rows, const char *source, char *bytes,
	       size_t length);
void reading_free(struct reading *reading);

/*
 * Hand the records of the reading over as sides: those that the text calls before and after, else
 * (@split) those under headings of their own, else one unnamed side. Sides that say "before" come
 * first. *@count is the number of sides.
 */
struct side *reading_sides(struct reading *reading, bool split, size_t *count);

/* For parsers. */
const char *reading_line(const struct reading *reading, size_t ahead);	/* NULL: past the end */
size_t reading_refuse(struct reading *reading, size_t ahead, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Canonical name for a column or heading: "before", "after", or NULL when it is no such word. */
const char *side_word(const char *words);

/*
 * The label of column @column of @columns: two columns are "before" and "after" in this order,
 * unless they say themselves that it is the other way round. @words has the column heads, or is
 * NULL when there are none.
 */
const char *column_label(struct reading *reading, const struct words *words, size_t column,
			 size_t columns);

/* The part with @label under the headings in force; NULL and an error if there are too many. */
struct part *reading_part(struct reading *reading, const char *label);

/*
 * Add a figure to the next run of @part that has none of this row. Returns that run, or NULL
 * without a part. @resolution is the step of the figure, number_resolution() of it as a rule.
 */
struct record *reading_add(struct reading *reading, struct part *part, const struct row_key *key,
			   double value, double resolution);

/* True if the figure's name or unit says that more is better ("ops", "MB/sec", …). */
bool more_is_better(const char *name, const char *unit);

/* The same for a row that stands twice in one text without being measured twice. */
void reading_add_once(struct reading *reading, struct part *part, const struct row_key *key,
		      double value, double resolution);

/* Line @at was a heading after all: it is not to be told as a line with figures not read. */
void reading_take_back(struct reading *reading, size_t at);

size_t read_record(struct reading *reading);
size_t read_published(struct reading *reading);
size_t read_published_columns(struct reading *reading);
size_t read_time_bench(struct reading *reading);
size_t read_bulk(struct reading *reading);
size_t read_lkp(struct reading *reading);
size_t read_json(struct reading *reading);
size_t read_slabinfo(struct reading *reading);
size_t read_slabtop(struct reading *reading);
size_t read_proc_slabinfo(struct reading *reading);
size_t read_free(struct reading *reading);
size_t read_meminfo(struct reading *reading);
size_t read_kfree_rcu(struct reading *reading);
size_t read_time(struct reading *reading);
size_t read_kernbench(struct reading *reading);
size_t read_cells(struct reading *reading);
size_t read_csv(struct reading *reading);
size_t read_metrics(struct reading *reading);

#endif
