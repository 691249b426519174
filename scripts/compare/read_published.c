// SPDX-License-Identifier: GPL-2.0-only
/*
 * The published lines: what slab_test prints and people mail, and what its ancestors printed.
 *
 *   10000 times kmalloc(8) -> 61.2 cycles kfree -> 90.1 cycles
 *   10000 times kmalloc(8)/kfree -> 80.0 cycles
 *   1000 times alloc_page(,3) -> 405 cycles __free_pages(,3)-> 389 cycles
 *   Kmalloc N*alloc N*free(8): 0=361.2/799.0 1=369.4/812.6 Average=365.3/805.8
 *   Kmalloc N*alloc N*free(32): Average=365/806
 *   bulk_alloc_free/16(64): 107.2
 *   alloc_then_free/random(64): alloc=61.2 free=90.1
 *   null(8): alloc=0.0 free=0.0 pair=0.0
 *   fragmented(8): free_half=80.1 alloc_half=66.0 free_all=81.5
 *   control: 64.0
 */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number with its unit behind an arrow: "-> 61.2 cycles". Moves *@at behind it. */
static bool arrow_figure(struct reading *reading, const char **at, const char **printed,
			 double *value)
{
	const char *arrow = strstr(*at, "->");

	if (!arrow)
		return false;
	*printed = skip_blank(arrow + 2);
	if (!number(*printed, at, value))
		return false;
	*at = skip_blank(*at);
	if (starts_with_word(*at, "ns"))
		reading->unit = "ns";
	else if (starts_with_word(*at, "cycles"))
		reading->unit = "cycles";
	return true;
}

static struct record *add(struct reading *reading, const struct row_key *key, const char *printed,
			  double value)
{
	return reading_add(reading, reading_part(reading, NULL), key, value,
			   number_resolution(printed));
}

static void keep_count(struct reading *reading, struct record *record, const char *count,
		       size_t length)
{
	char *plan;

	if (!record || record_get(record, "plan"))
		return;
	plan = format_string("count=%.*s", (int)length, count);
	record_set(record, reading->rows, "plan", plan);
	free(plan);
}

/* Where objects come from, as lines say it and as tests are named for it. */
struct source {
	const char *said;
	const char *prefix;
};

static const struct source calls[] = {
	{ "kmem_cache_alloc(", "cache_" },
	{ "kmalloc_account(", "accounted_" },
	{ "kmalloc_node(", "node_" },
	{ "kmalloc(", "" },
	{ 0 }
};

static const struct source labels[] = {
	{ "Cache ", "cache_" },
	{ "Accounted ", "accounted_" },
	{ "Page ", "page_" },
	{ "Kfree_rcu ", "" },
	{ 0 }
};

/* The prefix of what @text begins with, or @otherwise. */
static const char *prefix_of(const struct source *source, const char *text, const char *otherwise)
{
	for (; source->said; source++)
		if (starts_with(text, source->said))
			return source->prefix;
	return otherwise;
}

/* "N times CALL(SIZE) -> A cycles FREE -> F cycles" and "N times CALL(SIZE)/FREE -> C cycles" */
static bool read_times(struct reading *reading, const char *line)
{
	const char *call, *size, *at, *printed;
	size_t digits = strspn(line, "0123456789");
	struct row_key key = { 0 };
	struct record *record;
	char test[80];
	double value;
	bool pair;

	if (!digits || !starts_with(line + digits, " times "))
		return false;
	call = skip_blank(line + digits + strlen(" times "));
	size = strchr(call, '(');
	if (!size)
		return false;
	size += 1 + strspn(size + 1, " ,");
	key.size = strtol(size, (char **)&at, 10);
	if (at == size || *at != ')' || key.size < 0)
		return false;
	pair = at[1] == '/';
	key.test = test;
	key.parameter = "size";
	if (starts_with(call, "alloc_pages(")) {
		snprintf(test, sizeof(test), "alloc_page%s", pair ? "_free" : "_then_free");
	} else {
		/* the ancestor's alloc_page(,ORDER) */
		const char *prefix = prefix_of(calls, call, "page_");

		if (!strcmp(prefix, "page_"))
			key.parameter = "order";
		snprintf(test, sizeof(test), "%s%s", prefix, pair ? "alloc_free" : "alloc_then_free");
	}
	if (strstr(at, "kfree_rcu ->"))
		key.test = "kfree_rcu";
	if (!arrow_figure(reading, &at, &printed, &value))
		return false;
	key.phase = pair ? "pair" : "alloc";
	key.unit = reading->unit;
	record = add(reading, &key, printed, value);
	keep_count(reading, record, line, digits);
	if (!pair && arrow_figure(reading, &at, &printed, &value)) {
		key.phase = "free";
		add(reading, &key, printed, value);
	}
	return true;
}

/*
 * Which test a line "LABEL(SIZE): …" is of. A variant of the ancestor prints the label of the first
 * concurrent test for all of them; there the heading tells.
 */
static const char *average_test(const struct reading *reading, const char *label)
{
	if (strstr(label, "remote free"))
		return "remote_free";
	if (strstr(label, "1 alloc N free"))
		return "alloc_one_free_all";
	if (strstr(label, "(alloc free)"))
		return "concurrent_alloc_free";
	if (starts_with(label, "Ring "))
		return "ring";
	if (strstr(label, "(batch alloc, batch free)"))
		return starts_with(label, "Kfree_rcu ") ? "concurrent_batch_kfree_rcu" :
							  "concurrent_batch_alloc_free";
	if (starts_with(label, "Kfree_rcu "))
		return "concurrent_kfree_rcu";
	if (!strstr(label, "N*alloc N*free"))
		return NULL;
	if (strcasestr(reading->section, "remote"))
		return "remote_free";
	if (strcasestr(reading->section, "1 alloc") || strcasestr(reading->section, "one alloc"))
		return "alloc_one_free_all";
	if (strcasestr(reading->section, "alloc/free") ||
	    strcasestr(reading->section, "alloc free"))
		return "concurrent_alloc_free";
	return "concurrent_alloc_then_free";
}

/* "A", "A/F", "-/F", "A/-" or "A/0" (no second phase): which of both are there. */
struct two {
	const char *printed[2];
	double value[2];
	bool there[2];
	bool slash;
};

static bool parse_two(const char *at, const char **end, struct two *two)
{
	*two = (struct two){ 0 };
	for (int i = 0; i < 2; i++) {
		two->printed[i] = at;
		if (*at == '-' && !isdigit((unsigned char)at[1]))
			at++;
		else if (number(at, &at, &two->value[i]))
			two->there[i] = true;
		else
			return false;
		if (i || *at != '/')
			break;
		two->slash = true;
		at++;
	}
	if (two->slash && two->there[1] && two->value[1] == 0)
		two->there[1] = false;
	*end = at;
	return true;
}

static const char *phase_name(const char *test, const struct two *two, int phase)
{
	if (two->slash)
		return phase ? "free" : "alloc";
	if (strstr(test, "batch_") || starts_with(test, "ring"))
		return "batch";
	return strstr(test, "concurrent_alloc_free") ? "pair" : "";
}

/* The figures of single CPUs, "0=361.2/799.0 1=…", kept beside the average. */
static void read_cpus(struct reading *reading, struct record *record, struct row_key *key,
		      const char *at, const struct two *average)
{
	unsigned long long cpu;
	struct two two;

	while (whole_number(at = skip_blank(at), &at, &cpu) && *at == '=' && cpu <= INT32_MAX &&
	       parse_two(at + 1, &at, &two))
		for (int i = 0; i < 2; i++) {
			struct sample sample = {
				.round = 1, .cpu = cpu, .flags = SAMPLE_DETAIL,
				.value = two.value[i],
			};

			if (two.slash != average->slash || !two.there[i] || !average->there[i])
				continue;
			key->phase = phase_name(key->test, average, i);
			sample.row = rows_find(reading->rows, key);
			record_add(record, &sample);
		}
}

static size_t count_averages(const char *line)
{
	size_t count = 0;

	while ((line = strstr(line, "Average="))) {
		line += strlen("Average=");
		count++;
	}
	return count;
}

/* A batch, an order or both stand behind the label: "…)/100/random", "…free/lifo". */
static const char *variant_of(const char *label)
{
	const char *slash = strstr(label, ")/");

	if (!slash)
		slash = strstr(label, "e/");
	return slash ? slash + 1 : "";
}

/* "LABEL(SIZE): [CPU=A/F …] Average=A/F"; several averages are the columns of a table of sides */
static bool read_average(struct reading *reading, const char *line)
{
	const char *average = strstr(line, "Average="), *at, *open = NULL, *name;
	size_t columns = count_averages(line);
	struct row_key key = { 0 };
	char label[64], test[80];
	bool found = false;

	for (at = line; at < average; at++)
		if (*at == '(' && isdigit((unsigned char)at[1]))
			open = at;
	if (!open || open == line || (size_t)(open - line) >= sizeof(label))
		return false;
	snprintf(label, sizeof(label), "%.*s", (int)(open - line), line);
	key.size = strtol(open + 1, (char **)&at, 10);
	name = average_test(reading, label);
	if (*at != ')' || key.size < 0 || !name)
		return false;
	snprintf(test, sizeof(test), "%s%s%s", prefix_of(labels, label, ""), name,
		 variant_of(label));
	key.test = test;
	key.parameter = starts_with(label, "Page") ? "order" : "size";
	key.unit = reading->unit;
	for (size_t column = 0; column < columns; column++) {
		struct part *part = reading_part(reading, columns == 1 ? NULL :
						 column_label(reading, NULL, column, columns));
		struct record *record = NULL;
		struct two two;

		average = strstr(average, "Average=") + strlen("Average=");
		if (!parse_two(average, &average, &two))
			return found;
		for (int i = 0; i < 2; i++) {
			if (!two.there[i])
				continue;
			key.phase = phase_name(test, &two, i);
			record = reading_add(reading, part, &key, two.value[i],
					     number_resolution(two.printed[i]));
			found = true;
		}
		if (record && columns == 1)
			read_cpus(reading, record, &key, at + 1 + (at[1] == ':'), &two);
	}
	return found;
}

/* How the names of tests end that are printed plainly. */
static bool plain_test(const char *test, size_t length)
{
	static const char *const endings[] = {
		"alloc_then_free", "alloc_free", "remote_free", "kfree_rcu", "fragmented",
		"bulk_fallback", "null", NULL
	};

	for (int i = 0; endings[i]; i++) {
		size_t ending = strlen(endings[i]);

		if (length >= ending && !strncmp(test + length - ending, endings[i], ending))
			return true;
	}
	return false;
}

static const char *only_phase(const char *test)
{
	if (starts_with(test, "bulk_alloc_free"))
		return "bulk";
	return strstr(test, "batch") || starts_with(test, "bulk") ? "batch" : "pair";
}

/*
 * "bulk_alloc_free/16(64): 107.2", "null(8): alloc=0.0 free=0.0 pair=0.0": a test, with its variant
 * where it has several, and one figure or one for each of its phases
 */
static bool read_plain(struct reading *reading, const char *line)
{
	static const char *const phases[] = {
		"alloc", "free", "pair", "free_half", "alloc_half", "free_all", NULL
	};
	size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz_");
	struct row_key key = { .unit = reading->unit };
	const char *open = strchr(line, '('), *at, *printed;
	bool found = false;
	char test[80];
	double value;

	if (!open || (size_t)(open - line) >= sizeof(test) || !plain_test(line, length) ||
	    (line[length] != '(' && line[length] != '/'))
		return false;
	snprintf(test, sizeof(test), "%.*s", (int)(open - line), line);
	key.test = test;
	key.size = strtol(open + 1, (char **)&at, 10);
	if (!starts_with(at, "):") || key.size < 0)
		return false;
	at = skip_blank(at + 2);
	printed = at;
	if (number(at, &at, &value)) {
		key.phase = only_phase(test);
		add(reading, &key, printed, value);
		return true;
	}
	for (int i = 0; phases[i]; i++) {
		size_t name = strlen(phases[i]);

		if (!starts_with(at, phases[i]) || at[name] != '=')
			continue;
		printed = at + name + 1;
		if (!number(printed, &at, &value))
			break;
		key.phase = phases[i];
		add(reading, &key, printed, value);
		at = skip_blank(at);
		found = true;
	}
	return found;
}

/* "control: 64.0" */
static bool read_control(struct reading *reading, const char *line)
{
	struct row_key key = {
		.test = "control", .phase = "multiply", .unit = reading->unit, .size = -1,
	};
	const char *printed, *end;
	double value;

	if (!starts_with(line, "control:"))
		return false;
	printed = skip_blank(line + strlen("control:"));
	if (!number(printed, &end, &value))
		return false;
	add(reading, &key, printed, value);
	return true;
}

size_t read_published(struct reading *reading)
{
	const char *line = reading_line(reading, 0);

	return read_times(reading, line) || read_average(reading, line) ||
	       read_plain(reading, line) || read_control(reading, line);
}
