// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the slabs take: slabinfo (of the kernel's tools), slabtop -o and /proc/slabinfo. Memory is
 * in KiB everywhere, so that the three can be laid side by side; less is better.
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pages of /proc/slabinfo: 4 KiB, as on nearly every machine; the file does not say. */
#define PAGE_KIB 4.0

/* "3.9M", "618610.09K", "35258368" (bytes) in KiB. */
static bool parse_memory(const char *at, const char **end, double *kib)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;

	if (!number(at, end, kib))
		return false;
	suffix = **end ? strchr(suffixes, **end) : NULL;
	if (!suffix) {
		*kib /= 1024;
		return true;
	}
	for (const char *step = suffixes; step < suffix; step++)
		*kib *= 1024;
	(*end)++;
	return true;
}

static void add(struct reading *reading, const char *test, const char *phase, const char *unit,
		double value, double resolution)
{
	struct row_key key = { .test = test, .phase = phase, .unit = unit, .size = -1 };

	/* the two lists of slabinfo name the same caches, and pastes repeat lines */
	reading_add_once(reading, reading_part(reading, NULL), &key, value, resolution);
}

/* "Memory used: 98828288   # Loss   : 3872736   MRatio:     4%" */
static bool read_totals(struct reading *reading, const char *line)
{
	const char *second = strstr(line, "# "), *at, *end;
	double value;

	if (starts_with(line, "Memory used:")) {
		at = skip_blank(line + strlen("Memory used:"));
		if (!parse_memory(at, &end, &value))
			return false;
		add(reading, "all slabs", "memory", "KiB", value, 1);
		at = second ? strchr(second, ':') : NULL;
		if (at && parse_memory(skip_blank(at + 1), &end, &value))
			add(reading, "all slabs", "loss", "KiB", value, 1);
		return true;
	}
	at = strchr(line, ':');
	if (starts_with(line, "# Objects") && at) {
		at = skip_blank(at + 1);
		if (!number(at, &end, &value))
			return false;
		add(reading, "all slabs", "objects", "", value, 1);
		return true;
	}
	return false;
}

/* "Name Objects Objsize Space Slabs/Part/Cpu …": the fifth word tells a row from other tables. */
static bool read_cache(struct reading *reading, const char *line)
{
	struct words words;
	const char *end;
	double objects, size, memory, slabs;
	char name[64];

	split_words(line, &words);
	if (words.count < 8 || words.length[0] >= sizeof(name) ||
	    !number(words.at[1], &end, &objects) || !number(words.at[2], &end, &size) ||
	    *end != ' ' || !parse_memory(words.at[3], &end, &memory) || *end != ' ' ||
	    !number(words.at[4], &end, &slabs) || *end != '/')
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)words.length[0], words.at[0]);
	add(reading, name, "objects", "", objects, 1);
	add(reading, name, strcasestr(reading->title, "loss") ? "loss" : "memory", "KiB",
	    memory, 1);
	return true;
}

size_t read_slabinfo(struct reading *reading)
{
	const char *line = reading_line(reading, 0);

	if (starts_with(line, "Slabs sorted by") || starts_with(line, "Slabcache Totals") ||
	    starts_with(line, "Per Cache") || starts_with(line, "Per Object")) {
		reading->title = line;
		return 1;
	}
	if (starts_with(line, "Name ") && strstr(line, "Objsize"))
		return 1;
	/* averages of the tables of slabinfo -X say nothing that the caches do not */
	if (starts_with(reading->title, "Per ") && !starts_with(line, "Memory used:") &&
	    !starts_with(line, "# Objects"))
		return !strncmp(line, "#", 1) || !strncmp(line, "%", 1) ||
		       starts_with(line, "PartObjs") || starts_with(line, "Memory ") ||
		       starts_with(line, "Used ") || starts_with(line, "User ") ||
		       starts_with(line, "Loss ");
	return read_totals(reading, line) || read_cache(reading, line) ||
	       starts_with(line, "Slabcaches :");
}

/* " Active / Total Objects (% used)    : 3849018 / 3929389 (98.0%)" */
static bool read_active(struct reading *reading, const char *line)
{
	static const struct {
		const char *word, *active, *total, *unit;
		bool (*parse)(const char *at, const char **end, double *value);
	} kinds[] = {
		{ "Objects", "active objects", "objects", "", number },
		{ "Slabs", "active slabs", "slabs", "", number },
		{ "Caches", "active caches", "caches", "", number },
		{ "Size", "active memory", "memory", "KiB", parse_memory },
	};
	const char *kind = line + strlen("Active / Total ");
	const char *colon = strchr(line, ':'), *at, *slash, *end;
	double active, total;

	if (!starts_with(line, "Active / Total ") || !colon)
		return false;
	at = skip_blank(colon + 1);
	slash = strchr(at, '/');
	if (!slash)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!starts_with(kind, kinds[i].word))
			continue;
		if (!kinds[i].parse(at, &end, &active) ||
		    !kinds[i].parse(skip_blank(slash + 1), &end, &total))
			return false;
		add(reading, "all slabs", kinds[i].active, kinds[i].unit, active,
		    number_resolution(at));
		add(reading, "all slabs", kinds[i].total, kinds[i].unit, total,
		    number_resolution(at));
		return true;
	}
	return false;
}

/* "  OBJS ACTIVE  USE OBJ SIZE  SLABS OBJ/SLAB CACHE SIZE NAME", and rows in that order */
static bool read_slabtop_cache(struct reading *reading, const char *line)
{
	struct words words;
	const char *end;
	double objects, use, memory;
	char name[64];

	split_words(line, &words);
	if (words.count != 8 || !number(words.at[1], &end, &objects) ||
	    !number(words.at[2], &end, &use) || *end != '%' ||
	    words.at[6][words.length[6] - 1] != 'K' || !parse_memory(words.at[6], &end, &memory))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)words.length[7], words.at[7]);
	add(reading, name, "objects", "", objects, 1);
	add(reading, name, "memory", "KiB", memory, 1);
	return true;
}

size_t read_slabtop(struct reading *reading)
{
	const char *line = reading_line(reading, 0);

	if (starts_with(line, "Minimum / Average / Maximum Object") || starts_with(line, "OBJS "))
		return 1;
	return read_active(reading, line) || read_slabtop_cache(reading, line);
}

size_t read_proc_slabinfo(struct reading *reading)
{
	const char *line = reading_line(reading, 0), *slabs, *end;
	struct words words;
	double objects, pages, count;
	char name[64];

	if (starts_with(line, "slabinfo - version:") || starts_with(line, "# name "))
		return 1;
	slabs = strstr(line, ": slabdata ");
	if (!slabs)
		return 0;
	split_words(line, &words);
	if (words.count < 15 || words.length[0] >= sizeof(name) ||
	    !number(words.at[1], &end, &objects) || !number(words.at[5], &end, &pages) ||
	    !number(words.at[14], &end, &count))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)words.length[0], words.at[0]);
	add(reading, name, "objects", "", objects, 1);
	add(reading, name, "memory", "KiB", count * pages * PAGE_KIB, 1);
	return 1;
}
