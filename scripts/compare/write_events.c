// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the allocator and slab memory, from the metrics of records that explain rows:
 *
 *   event/TEST/SIZE/EVENT    an object, of a test and size run alone
 *   slab/CACHE/before        KiB before the run; slab/CACHE/after
 *
 * A value is the mean over the boots that have it. What no boot has is missing, and not 0.
 */
#include "events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "text.h"

enum { MOST_LINES = 12 };

/* Below this an object, or this part of the larger value, a change is not worth a line. */
#define SMALL_CHANGE 0.0005
#define SMALL_PART 0.01

/* The boots of one side. */
struct figure {
	double sum, least, most;
	size_t boots;
};

/* One event, or one cache, on both sides. */
struct comparable {
	const char *name;
	size_t length;		/* of the name, which goes on behind it */
	struct figure old, new;		/* of a cache: after the run */
	struct figure old_before, new_before;	/* of a cache: before it */
	bool of_other_phase;
};

struct list {
	struct comparable *item;
	size_t count, room;
};

static double value(const struct figure *figure)
{
	return figure->boots ? figure->sum / figure->boots : NAN;
}

static void add_value(struct figure *figure, double value)
{
	if (!figure->boots || value < figure->least)
		figure->least = value;
	if (!figure->boots || value > figure->most)
		figure->most = value;
	figure->sum += value;
	figure->boots++;
}

static struct comparable *find(struct list *list, const char *name, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].length == length && !strncmp(list->item[i].name, name, length))
			return &list->item[i];
	list->item = grow(list->item, list->count, &list->room, sizeof(*list->item));
	list->item[list->count] = (struct comparable){ .name = name, .length = length };
	return &list->item[list->count++];
}

/* What an item changed by; what is missing on one side changed by all that the other has. */
static double change(const struct comparable *item)
{
	if (!item->old.boots)
		return value(&item->new);
	return item->new.boots ? value(&item->new) - value(&item->old) : -value(&item->old);
}

static int compare_items(const void *left, const void *right)
{
	const struct comparable *a = left, *b = right;
	double change_a = fabs(change(a)), change_b = fabs(change(b));
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order;

	if (a->of_other_phase != b->of_other_phase)
		return a->of_other_phase ? 1 : -1;
	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	order = strncmp(a->name, b->name, shorter);
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void write_number(FILE *out, const char *format, int width, double number)
{
	if (isnan(number))
		fprintf(out, "%*s", width, "-");
	else
		fprintf(out, format, number);
}

/* ---- events ---- */

static bool record_has_events(const struct record *record)
{
	for (size_t i = 0; i < record->reasons; i++)
		if (starts_with(record->reason[i].name, "event/"))
			return true;
	return false;
}

bool has_events(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->sides; i++)
		for (size_t j = 0; j < comparison->side[i].records; j++)
			if (record_has_events(comparison->side[i].record[j]))
				return true;
	return false;
}

/* The sides changed whatever boots one takes, by enough to speak of. */
static bool event_changed(const struct comparable *event)
{
	double by = fabs(change(event));

	if (!event->old.boots || !event->new.boots)
		return by >= SMALL_CHANGE;
	return (event->old.most < event->new.least || event->new.most < event->old.least) &&
	       by >= SMALL_CHANGE &&
	       by >= SMALL_PART * fmax(value(&event->old), value(&event->new));
}

/* What of a reason's name is below "TEST/SIZE/"; NULL where it is of another test or no event. */
static const char *event_of(const char *name, const char *test, bool plain_names)
{
	if (!starts_with(name, "event/"))
		return NULL;
	name += strlen("event/");
	if (plain_names)
		name = plain_name(name);
	return starts_with(name, test) ? name + strlen(test) : NULL;
}

static void add_events(struct list *list, const struct side *side, const char *test,
		       bool plain_names, bool new)
{
	for (size_t i = 0; i < side->records; i++) {
		const struct record *record = side->record[i];

		for (size_t j = 0; j < record->reasons; j++) {
			const char *name = event_of(record->reason[j].name, test, plain_names);
			struct comparable *event;

			if (!name)
				continue;
			event = find(list, name, strlen(name));
			add_value(new ? &event->new : &event->old, record->reason[j].value);
		}
	}
}

void write_row_events(FILE *out, const struct comparison *comparison, size_t row, size_t side)
{
	const struct row *name = &comparison->rows->row[row];
	char *test = format_string("%s/%ld/", name->test, name->size);
	bool plain_names = comparison->options->plain_names;
	struct list list = { 0 };
	size_t count = 0;

	add_events(&list, &comparison->side[comparison->base], test, plain_names, false);
	add_events(&list, &comparison->side[side], test, plain_names, true);
	free(test);
	if (!list.count)
		return;
	for (size_t i = 0; i < list.count; i++) {
		struct comparable *event = &list.item[i];

		event->of_other_phase =
			(!strcmp(name->phase, "alloc") && starts_with(event->name, "free_")) ||
			(!strcmp(name->phase, "free") && starts_with(event->name, "alloc_"));
		if (event_changed(event))
			list.item[count++] = *event;
	}
	qsort(list.item, count, sizeof(*list.item), compare_items);
	if (!count)
		fprintf(out, "none of %zu events of the allocator changed\n", list.count);
	else
		fprintf(out, "%10s %11s %11s  events an object\n", "change", "before", "after");
	for (size_t i = 0; i < count && i < MOST_LINES; i++) {
		const struct comparable *event = &list.item[i];

		write_number(out, "%+10.4f", 10, value(&event->new) - value(&event->old));
		write_number(out, " %11.4f", 12, value(&event->old));
		write_number(out, " %11.4f", 12, value(&event->new));
		fprintf(out, "  %s\n", event->name);
	}
	if (count > MOST_LINES)
		fprintf(out, "%38s%zu more changed less\n", "", count - MOST_LINES);
	free(list.item);
}

/* ---- slab memory ---- */

static void add_memory(struct list *list, const struct side *side, bool new)
{
	for (size_t i = 0; i < side->records; i++) {
		const struct record *record = side->record[i];

		for (size_t j = 0; j < record->reasons; j++) {
			const char *cache = record->reason[j].name, *when;
			struct comparable *item;

			if (!starts_with(cache, "slab/"))
				continue;
			cache += strlen("slab/");
			when = strrchr(cache, '/');
			if (!when)
				continue;
			item = find(list, cache, when - cache);
			if (!strcmp(when, "/before"))
				add_value(new ? &item->new_before : &item->old_before,
					  record->reason[j].value);
			else if (!strcmp(when, "/after"))
				add_value(new ? &item->new : &item->old, record->reason[j].value);
		}
	}
}

static bool memory_changed(const struct comparable *cache)
{
	return value(&cache->old) != value(&cache->new) ||
	       value(&cache->old_before) != value(&cache->old) ||
	       value(&cache->new_before) != value(&cache->new);
}

void write_slab_memory(FILE *out, const struct comparison *comparison, size_t side)
{
	struct list list = { 0 };
	size_t count = 0;

	add_memory(&list, &comparison->side[comparison->base], false);
	add_memory(&list, &comparison->side[side], true);
	for (size_t i = 0; i < list.count; i++)
		if (memory_changed(&list.item[i]))
			list.item[count++] = list.item[i];
	qsort(list.item, count, sizeof(*list.item), compare_items);
	if (count) {
		fprintf(out, "\nslab memory in KiB, before the run and after it\n%21.21s %21.21s\n",
			comparison->side[comparison->base].name, comparison->side[side].name);
		for (size_t i = 0; i < count && i < MOST_LINES; i++) {
			const struct comparable *cache = &list.item[i];

			write_number(out, "%10.0f", 10, value(&cache->old_before));
			write_number(out, " %10.0f", 11, value(&cache->old));
			write_number(out, " %10.0f", 11, value(&cache->new_before));
			write_number(out, " %10.0f", 11, value(&cache->new));
			fprintf(out, "  %.*s\n", (int)cache->length, cache->name);
		}
	}
	free(list.item);
}
