// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a text: headings tell the sides apart, and the table of formats takes the lines.
 */
#include "read.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clean.h"

/* Tried in this order on every line; the first that takes it has it. */
const struct reader readers[] = {
	{ "record", "# slab_test: 1", read_record },
	{ "published", "10000 times kmalloc(8) -> 61 cycles kfree -> 90 cycles", read_published },
	{ "columns", "10000 times kmalloc(8)/kfree  7 cycles  5 cycles", read_published_columns },
	{ "time_bench", "Type:kmem fastpath reuse Per elem: 46 cycles(tsc) 18.599 ns (step:0)",
	  read_time_bench },
	{ "bulk", " 8 -  50 cycles(tsc) 12.627 ns - 18 cycles(tsc) 4.659 ns - improved 64.0%",
	  read_bulk },
	{ "lkp", " 67734 ±  2%  +34.2%  90929  stress-ng.rawudp.ops_per_sec", read_lkp },
	{ "json", "{ \"will-it-scale.workload\": 83990194 }", read_json },
	{ "slabinfo", "ext4_inode_cache  19368  1736  35258368  1072/0/4  18 3  0  95 a",
	  read_slabinfo },
	{ "slabtop", " Active / Total Size (% used) : 618610.09K / 631822.98K (97.9%)",
	  read_slabtop },
	{ "/proc/slabinfo", "dentry 46200 46200 288 28 2 : tunables 0 0 0 : slabdata 1650 1650 0",
	  read_proc_slabinfo },
	{ "free", "Mem:  11660  9344  2316  0  256  3240", read_free },
	{ "meminfo", "SUnreclaim:  1209904 kB", read_meminfo },
	{ "kfree_rcu", "Total time taken by all kfree'ers: 17519684419 ns, loops: 10000, …",
	  read_kfree_rcu },
	{ "time", "Total time: 7.042 [sec], real 0m1.455s, Throughput 1234.5 MB/sec 16 procs",
	  read_time },
	{ "kernbench", "Elapsed Time 101.873 (1.16069)", read_kernbench },
	{ "cells", "clients-1  84.22/83.43 ( -0.95%)  84.77/83.84 ( -1.11%)", read_cells },
	{ "csv", "threads,base,change", read_csv },
	{ "metrics", "baseline  RFC, and below 7.042s  6.966s", read_metrics },
	{ 0 }
};

enum { MOST_PARTS = 256 };

const char *reading_line(const struct reading *reading, size_t ahead)
{
	size_t at = reading->at + ahead;

	return at < reading->text.lines ? reading->text.line[at].text : NULL;
}

size_t reading_refuse(struct reading *reading, size_t ahead, const char *format, ...)
{
	size_t at = reading->at + ahead;
	size_t number = at < reading->text.lines ? reading->text.line[at].number :
			reading->text.lines + 1;
	va_list arguments;
	char *why;

	if (reading->error)
		return 0;
	va_start(arguments, format);
	if (vasprintf(&why, format, arguments) < 0)
		die(EXIT_USAGE, "out of memory");
	va_end(arguments);
	reading->error = format_string("%s: line %zu: %s", reading->source, number, why);
	free(why);
	return 0;
}

struct part *reading_part(struct reading *reading, const char *label)
{
	struct part *part;

	label = label ? label : reading->label;
	for (size_t i = reading->parts; i-- > 0;) {
		part = &reading->part[i];
		if (!strcmp(part->group, reading->group) && !strcmp(part->label, label) &&
		    !strcmp(part->heading, reading->heading))
			return part;
	}
	if (reading->parts == MOST_PARTS) {
		reading_refuse(reading, 0, "more than %d headings with figures", MOST_PARTS);
		return NULL;
	}
	reading->part = grow(reading->part, reading->parts, &reading->room,
			     sizeof(*reading->part));
	part = &reading->part[reading->parts++];
	*part = (struct part){
		.group = reading->group,
		.label = rows_string(reading->rows, label),
		.heading = reading->heading,
	};
	return part;
}

/* The run of @part that takes the next figure of @row: the first that has none of it. */
static struct record *next_run(struct reading *reading, struct part *part, size_t row)
{
	size_t run;

	if (row >= part->seen_rows) {
		size_t rows = 2 * row + 16;

		part->seen = reallocarray(part->seen, rows, sizeof(*part->seen));
		if (!part->seen)
			die(EXIT_USAGE, "out of memory");
		memset(part->seen + part->seen_rows, 0,
		       (rows - part->seen_rows) * sizeof(*part->seen));
		part->seen_rows = rows;
	}
	run = part->seen[row]++;
	if (run == part->runs) {
		char *source = run ? format_string("%s, run %zu", reading->source, run + 1) :
			       duplicate(reading->source, strlen(reading->source));

		part->run = grow(part->run, part->runs, &part->room, sizeof(*part->run));
		part->run[part->runs++] = record_new(source);
		free(source);
	}
	return part->run[run];
}

struct record *reading_add(struct reading *reading, struct part *part, const struct row_key *key,
			   double value, double resolution)
{
	struct sample sample = { .round = 1, .cpu = -1, .value = value };
	struct record *record;
	struct row *row;

	if (!part)
		return NULL;
	sample.row = rows_find(reading->rows, key);
	row = &reading->rows->row[sample.row];
	if (row->resolution < resolution)
		row->resolution = resolution;
	record = next_run(reading, part, sample.row);
	record_add(record, &sample);
	return record;
}

void reading_add_once(struct reading *reading, struct part *part, const struct row_key *key,
		      double value, double resolution)
{
	size_t row;

	if (!part)
		return;
	row = rows_find(reading->rows, key);
	if (row >= part->seen_rows || !part->seen[row])
		reading_add(reading, part, key, value, resolution);
}

static const char *const words_before[] = {
	"before", "base", "baseline", "orig", "original", "old", "vanilla", "stock", "unpatched",
	"unmodified", "mainline", "upstream",
	NULL
};

static const char *const words_after[] = {
	"after", "patched", "new", "fix", "fixed", "rfc", "modified", "change", "changed",
	NULL
};

/* May stand beside a word for a side and say nothing more: "Before this patchset". */
static const char *const words_beside[] = {
	"the", "this", "that", "my", "our", "all", "patch", "patches", "patchset", "patchsets",
	"series", "fix", "change", "changes", "commit", "applying", "applied", "proposed", "kernel",
	"version", "run", "result", "results", "of", "with", "without", "w/", "w/o", "is",
	NULL
};

static const char *const words_with[] = { "with", "w/", NULL };
static const char *const words_without[] = { "without", "w/o", NULL };

/* What a kernel is with or without. */
static const char *const words_patch[] = {
	"patch", "patches", "patchset", "patchsets", "series", "fix", "change", "changes", "commit",
	NULL
};

static bool is_word(const char *word, size_t length, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == length && !strncasecmp(word, *list, length))
			return true;
	return false;
}

/* Sides as people call them: "w/ this series", "baseline: without patch", "After (the fix)". */
const char *side_word(const char *words)
{
	const char *side = NULL, *with = NULL;
	bool patch = false;
	size_t length;

	for (; *words; words += length) {
		words += strspn(words, " \t:,*-=/[].\"");
		if (*words == '(') {
			length = strcspn(words, ")");
			continue;
		}
		length = strcspn(words, " \t:,()[]");
		if (!length)
			break;
		while (length > 1 && strchr("/.=*-\"", words[length - 1]) &&
		       strncasecmp(words, "w/", length))
			length--;
		if (is_word(words, length, words_before) && !side)
			side = "before";
		else if (is_word(words, length, words_after) && !side && !with)
			side = "after";
		else if (!is_word(words, length, words_beside))
			return NULL;
		if (is_word(words, length, words_without))
			with = "before";
		else if (is_word(words, length, words_with))
			with = "after";
		else if (is_word(words, length, words_patch))
			patch = true;
	}
	return side ? side : patch ? with : NULL;
}

const char *column_label(struct reading *reading, const struct words *words, size_t column,
			 size_t columns)
{
	char label[64];
	size_t length;

	if (columns == 2) {
		bool turned = false;

		for (size_t i = 0; words && i < 2; i++) {
			const char *side;

			snprintf(label, sizeof(label), "%.*s", (int)words->length[i], words->at[i]);
			side = side_word(label);
			turned = turned || (side && !strcmp(side, i ? "before" : "after"));
		}
		return (column == 0) == turned ? "after" : "before";
	}
	if (!words || column >= words->count) {
		snprintf(label, sizeof(label), "column-%zu", column + 1);
		return rows_string(reading->rows, label);
	}
	length = words->length[column] < sizeof(label) ? words->length[column] : sizeof(label) - 1;
	snprintf(label, sizeof(label), "%.*s", (int)length, words->at[column]);
	return rows_string(reading->rows, label);
}

static bool is_rule(const char *line)
{
	size_t length = line ? strspn(line, "=-~") : 0;

	return length >= 3 && !line[length];
}

/* "slab_test, before" names a tool and a side. */
static const char *side_heading(const char *line)
{
	const char *side = side_word(line), *comma = strrchr(line, ',');

	if (!side && comma)
		side = side_word(comma + 1);
	return side;
}

static size_t count_words(const char *line)
{
	size_t words = 0;

	while (*(line = skip_blank(line))) {
		line += strcspn(line, " \t");
		words++;
	}
	return words;
}

static void set_group(struct reading *reading, const char *name)
{
	reading->group = rows_string(reading->rows, name);
	reading->heading = reading->group;
}

/* Headings set what follows; they take no figures. */
static bool read_heading(struct reading *reading)
{
	const char *line = reading_line(reading, 0);
	size_t length = strlen(line);
	bool colon = length && line[length - 1] == ':';
	const char *side;

	if (!length || length > 100 || count_words(line) > 12)
		return false;
	side = side_heading(line);
	if (side) {
		reading->label = side;
		reading->heading = side;
		return true;
	}
	if (starts_with_word(line, "sample") && strchr(line, '#') && length < 40) {
		set_group(reading, skip_blank(strchr(line, '#') + 1));
		return true;
	}
	if (colon && count_words(line) <= 6 && length <= 48 && !strpbrk(line, "()=")) {
		char *name = duplicate(line, strcspn(line, ":"));

		set_group(reading, name);
		free(name);
		return true;
	}
	if (is_rule(line))
		return true;
	if (!is_rule(reading_line(reading, 1)) && !strstr(line, "test") && !strstr(line, "alloc"))
		return false;
	reading->section = line;
	reading->title = line;
	return true;
}

static bool has_figures(const char *line)
{
	return strpbrk(line, "0123456789");
}

static void leave_line(struct reading *reading)
{
	if (starts_with(reading_line(reading, 0), "# "))
		return;		/* a comment */
	if (!reading->unread++)
		reading->first_unread = reading->text.line[reading->at].number;
	reading->last_unread = reading->at;
}

void reading_take_back(struct reading *reading, size_t at)
{
	if (reading->unread && reading->last_unread == at)
		reading->unread--;
}

static void read_lines(struct reading *reading)
{
	while (reading->at < reading->text.lines && !reading->error) {
		const struct reader *reader = readers;
		size_t taken = 0;

		if (!*reading_line(reading, 0)) {
			reading->at++;
			continue;
		}
		while (!taken && reader->name && !reading->error)
			taken = reader++->read(reading);
		if (!taken && !reading->error) {
			if (!read_heading(reading) && has_figures(reading_line(reading, 0)))
				leave_line(reading);
			taken = 1;
		}
		reading->at += taken;
	}
}

static bool any_figures(const struct reading *reading)
{
	for (size_t i = 0; i < reading->parts; i++)
		if (reading->part[i].runs)
			return true;
	return false;
}

bool read_text(struct reading *reading, struct rows *rows, const char *source, char *bytes,
	       size_t length)
{
	*reading = (struct reading){
		.source = source,
		.rows = rows,
		.text = { .bytes = bytes, .length = length },
		.group = "", .label = "", .heading = "", .section = "", .title = "",
		.unit = "cycles",
	};
	if (!length) {
		reading->error = format_string("%s: empty", source);
		return false;
	}
	if (memchr(bytes, '\0', length)) {
		size_t number = 1;

		for (const char *at = bytes; *at; at++)
			number += *at == '\n';
		reading->error = format_string("%s: line %zu: not a text (a NUL byte)", source,
					       number);
		return false;
	}
	if (starts_with(bytes, RECORD_MAGIC) && !memchr(bytes, '\r', length))
		split_lines(&reading->text);	/* as we wrote it: nothing to clean */
	else
		clean(&reading->text);
	read_lines(reading);
	if (!reading->error && !any_figures(reading)) {
		if (reading->unread)
			reading->error = format_string(
				"%s: line %zu: no figures of a known format from here on",
				source, reading->first_unread);
		else
			reading->error = format_string("%s: line 1: no figures in it", source);
	}
	return !reading->error;
}

void reading_free(struct reading *reading)
{
	for (size_t i = 0; i < reading->parts; i++) {
		for (size_t j = 0; j < reading->part[i].runs; j++)
			record_free(reading->part[i].run[j]);
		free(reading->part[i].run);
		free(reading->part[i].seen);
	}
	free(reading->part);
	free(reading->error);
	text_free(&reading->text);
	*reading = (struct reading){ 0 };
}

/* Two parts of one side that hold the same row are different things: their headings matter. */
static bool parts_share_row(const struct reading *reading, bool by_label)
{
	for (size_t i = 0; i < reading->parts; i++)
		for (size_t j = 0; j < i; j++) {
			const struct part *a = &reading->part[i], *b = &reading->part[j];

			if (by_label && strcmp(a->label, b->label))
				continue;
			if (!strcmp(by_label ? a->group : a->heading,
				    by_label ? b->group : b->heading))
				continue;
			for (size_t row = 0; row < a->seen_rows && row < b->seen_rows; row++)
				if (a->seen[row] && b->seen[row])
					return true;
		}
	return false;
}

static bool several_labels(const struct reading *reading)
{
	for (size_t i = 1; i < reading->parts; i++)
		if (strcmp(reading->part[i].label, reading->part[0].label))
			return true;
	return false;
}

/* Say the group in the row: "with SLAB: kfree_rcu". */
static void name_group(struct reading *reading, struct part *part)
{
	struct rows *rows = reading->rows;

	for (size_t i = 0; *part->group && i < part->runs; i++)
		for (size_t j = 0; j < part->run[i]->samples; j++) {
			struct sample *sample = &part->run[i]->sample[j];
			struct row row = rows->row[sample->row];
			char *test = format_string("%s: %s", part->group, row.test);
			struct row_key key = {
				test, row.phase, row.unit, row.parameter, row.size,
				row.higher_is_better,
			};

			sample->row = rows_find(rows, &key);
			rows->row[sample->row].resolution = row.resolution;
			free(test);
		}
}

static struct side *find_side(struct side *sides, size_t *count, const char *name)
{
	if (!*name)
		name = "unnamed";	/* figures above the first heading */
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(sides[i].name, name))
			return &sides[i];
	sides[*count].name = duplicate(name, strlen(name));
	return &sides[(*count)++];
}

/* Append the samples and the header of @more, which it frees, to the same run of the side. */
static void merge_run(struct side *side, size_t run, struct record *more)
{
	struct record *record;

	if (run == side->records) {
		side_add(side, more);
		return;
	}
	record = side->record[run];
	for (size_t i = 0; i < more->samples; i++)
		record_add(record, &more->sample[i]);
	for (size_t i = 0; i < more->headers; i++) {
		record->header = grow(record->header, record->headers, &record->header_room,
				      sizeof(*record->header));
		record->header[record->headers++] = more->header[i];
	}
	record_free(more);
}

struct side *reading_sides(struct reading *reading, bool split, size_t *count)
{
	bool labels = several_labels(reading);
	/* headings that are no words for sides are parts of a side, unless they are all there is */
	bool parts = labels || !split;
	bool groups = parts_share_row(reading, parts);
	struct side *sides = allocate(reading->parts + 1, sizeof(*sides));

	*count = 0;
	for (size_t i = 0; labels && i < reading->parts; i++)
		if (!strcmp(reading->part[i].label, "before") && reading->part[i].runs)
			find_side(sides, count, "before");
	for (size_t i = 0; i < reading->parts; i++) {
		struct part *part = &reading->part[i];
		struct side *side;
		const char *name = labels ? part->label : groups && split ? part->heading : "";

		if (!part->runs)
			continue;
		side = find_side(sides, count, name);
		if (parts && groups)
			name_group(reading, part);
		for (size_t run = 0; run < part->runs; run++)
			merge_run(side, run, part->run[run]);
		part->runs = 0;
	}
	return sides;
}

/* @word in @text, not as the end of a longer word: "ops" is not in "drops". */
static bool has_word(const char *text, const char *word)
{
	for (const char *at = text; (at = strcasestr(at, word)); at++)
		if (at == text || !isalnum((unsigned char)at[-1]))
			return true;
	return false;
}

bool more_is_better(const char *name, const char *unit)
{
	static const char *const signs[] = {
		"ops", "per_sec", "per_process", ".workload", ".processes", ".threads",
		"throughput", "netperf", "tbench", "dbench", "iops", "pps", "MB/s", "bandwidth",
		"MiB/s", "KB/s", "req/s", "TPS",
	};

	static const char *const times[] = { "s", "ms", "us", "ns", "sec", "seconds", "cycles" };

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (!strcmp(unit, times[i]))
			return false;
	if (strstr(name, "_idle") || strcasestr(name, "deviation") || strcasestr(name, "latency"))
		return false;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (has_word(name, signs[i]) || has_word(unit, signs[i]))
			return true;
	return strstr(unit, "/s");
}
