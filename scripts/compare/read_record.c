// SPDX-License-Identifier: GPL-2.0-only
/*
 * Our own record: "# key: value" lines, the published lines, samples, metrics. Samples are what
 * counts; the published lines are read where a record has no samples (figures out of a mail).
 * Samples may have columns of counters, and others that a later version adds are passed over.
 */
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_HEAD "test\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags"
#define COUNTER "counter."
#define METRICS_HEAD "metric\tunit\tbetter\tround\tvalue"

/* The published lines have one decimal: calibration is not worth more than that. */
#define CALIBRATION_RESOLUTION 0.1

enum { FIELDS = 10, MOST_FIELDS = 42, MOST_PHASES = 16 };

/*
 * "# overhead: cpus 0-1,4, read 24.000, alloc 6.000, free 4.000", in clock units, or the same of a
 * counter: "# counter: instructions, cpus 0-1,4, read 824.000, alloc 6.000, free 4.000"
 */
struct overhead {
	char counter[32];	/* "": the clock */
	const char *cpus;	/* NULL: of none */
	double read;
	char phase[MOST_PHASES][16];
	double cost[MOST_PHASES];	/* an operation */
	int phases;
};

struct record_reader {
	struct reading *reading;
	struct record *record;
	size_t ahead;
	struct overhead *overhead;
	size_t overheads;
	const char *unit;
	double clock_resolution;
	size_t fields;		/* columns of a sample */
	size_t column[MOST_FIELDS - FIELDS];	/* of each counter */
	/* The last row found: neighbours in a record are mostly of the same one. */
	struct { char text[96]; size_t row; } last[4];
	unsigned int next_last;
};

static bool cpu_in_list(const char *list, unsigned long long cpu)
{
	unsigned long long first, last;

	while (whole_number(list, &list, &first)) {
		last = first;
		if (*list == '-' && !whole_number(list + 1, &list, &last))
			return false;
		if (cpu >= first && cpu <= last)
			return true;
		if (*list++ != ',')
			return false;
	}
	return false;
}

static bool parse_overhead(const char *value, struct overhead *overhead)
{
	const char *at = value;

	if (!starts_with(at, "cpus "))
		return false;
	overhead->cpus = at + strlen("cpus ");
	at = strchr(at, ' ') + 1;
	while ((at = strstr(at, ", "))) {
		char name[16];
		double cost;
		size_t length;

		at += 2;
		length = strcspn(at, " ");
		if (length >= sizeof(name) || !at[length])
			return false;
		memcpy(name, at, length);
		name[length] = '\0';
		if (!number(at + length + 1, &at, &cost))
			return false;
		if (!strcmp(name, "read")) {
			overhead->read = cost;
		} else if (overhead->phases < MOST_PHASES) {
			strcpy(overhead->phase[overhead->phases], name);
			overhead->cost[overhead->phases++] = cost;
		}
	}
	return true;
}

/* "instructions, cpus 0-1, read 824.000, …", or "cache-misses, cpus 0-1, not counted: why" */
static bool parse_counter(const char *value, struct overhead *overhead)
{
	size_t length = strcspn(value, ",");

	if (length >= sizeof(overhead->counter) || !starts_with(value + length, ", "))
		return false;
	memcpy(overhead->counter, value, length);
	if (strstr(value, ", not counted: "))
		return true;	/* its column has no figures */
	return parse_overhead(value + length + strlen(", "), overhead);
}

static const struct overhead *find_overhead(const struct record_reader *reader,
					    const char *counter, unsigned long long cpu)
{
	for (size_t i = 0; i < reader->overheads; i++)
		if (!strcmp(reader->overhead[i].counter, counter) && reader->overhead[i].cpus &&
		    cpu_in_list(reader->overhead[i].cpus, cpu))
			return &reader->overhead[i];
	return NULL;
}

/* What a loop costs an operation, or NAN where the phase has no loop that was calibrated. */
static double loop_cost(const struct overhead *overhead, const char *phase)
{
	for (int i = 0; i < overhead->phases; i++)
		if (!strcmp(overhead->phase[i], phase))
			return overhead->cost[i];
	return NAN;
}

/* Take what the header names as overhead of @phase on @cpu off @cycles; an operation's share. */
static double per_operation(const struct record_reader *reader, const char *phase,
			    unsigned long long cpu, unsigned long long cycles,
			    unsigned long long ops)
{
	const struct overhead *overhead = find_overhead(reader, "", cpu);
	double loop = overhead ? loop_cost(overhead, phase) : NAN;

	if (isnan(loop))
		return (double)cycles / ops;
	return ((double)cycles - overhead->read) / ops - loop;
}

/* The same of a counter, whose reading costs so much more that it is taken off in any phase. */
static double count_per_operation(const struct record_reader *reader, const char *counter,
				  const char *phase, unsigned long long cpu,
				  unsigned long long count, unsigned long long ops)
{
	const struct overhead *overhead = find_overhead(reader, counter, cpu);
	double loop = overhead ? loop_cost(overhead, phase) : NAN;

	if (!overhead)
		return (double)count / ops;
	return ((double)count - overhead->read) / ops - (isnan(loop) ? 0 : loop);
}

static bool parse_header(struct record_reader *reader)
{
	struct reading *reading = reader->reading;
	const char *line;

	while ((line = reading_line(reading, reader->ahead)) && *line == '#') {
		const char *colon = strstr(line, ": ");
		const char *key = skip_blank(line + 1);
		char *name;

		if (!colon && line[strlen(line) - 1] == ':')
			colon = line + strlen(line) - 1;
		if (!colon || colon <= key)
			return reading_refuse(reading, reader->ahead, "no \"# key: value\" line");
		name = duplicate(key, colon - key);
		record_set(reader->record, reading->rows, name, skip_blank(colon + 1));
		free(name);
		reader->ahead++;
	}
	return true;
}

static bool use_header(struct record_reader *reader)
{
	struct record *record = reader->record;
	const char *version = record_get(record, "slab_test");
	const char *clock = record_get(record, "clock"), *at;
	double resolution;
	size_t room = 0;

	if (!version || strcmp(version, "1"))
		return reading_refuse(reader->reading, 0,
				      "record version \"%s\", but only 1 is known",
				      version ? version : "");
	reader->unit = clock && starts_with_word(clock, "ns") ? "ns" : "cycles";
	reader->reading->unit = reader->unit;
	at = clock ? strstr(clock, "resolution ") : NULL;
	if (at && number(at + strlen("resolution "), &at, &resolution))
		reader->clock_resolution = resolution;
	for (size_t i = 0; i < record->headers; i++) {
		const char *key = record->header[i].key;
		bool is_counter = !strcmp(key, "counter");
		struct overhead *overhead;

		if (!is_counter && strcmp(key, "overhead"))
			continue;
		reader->overhead = grow(reader->overhead, reader->overheads, &room,
					sizeof(*reader->overhead));
		overhead = &reader->overhead[reader->overheads++];
		*overhead = (struct overhead){ 0 };
		if (!(is_counter ? parse_counter : parse_overhead)(record->header[i].value,
								   overhead))
			return reading_refuse(reader->reading, i, "%s not understood", key);
	}
	return true;
}

/* Tests whose measured code differs must not be compared: keep each revision in the header. */
static void keep_revision(struct record_reader *reader, const char *test, const char *revision)
{
	char *key = format_string("rev of %s", test);

	if (!record_get(reader->record, key))
		record_set(reader->record, reader->reading->rows, key, revision);
	free(key);
}

static size_t sample_row(struct record_reader *reader, char *const field[FIELDS],
			 unsigned long long size, unsigned long long ops)
{
	struct row_key key = {
		.test = field[0], .phase = field[5], .unit = reader->unit,
		.size = *field[2] == '-' ? -1 : (long)size,
	};
	double resolution = reader->clock_resolution / ops;
	char text[sizeof(reader->last[0].text)];
	struct rows *rows = reader->reading->rows;
	size_t row;
	int length = snprintf(text, sizeof(text), "%s\t%s\t%s", field[0], field[2], field[5]);

	for (size_t i = 0; i < sizeof(reader->last) / sizeof(*reader->last); i++)
		if (!strcmp(reader->last[i].text, text))
			return reader->last[i].row;
	row = rows_find(rows, &key);
	keep_revision(reader, field[0], field[1]);
	if (resolution < CALIBRATION_RESOLUTION)
		resolution = CALIBRATION_RESOLUTION;
	if (rows->row[row].resolution < resolution)
		rows->row[row].resolution = resolution;
	if ((size_t)length < sizeof(text)) {
		strcpy(reader->last[reader->next_last].text, text);
		reader->last[reader->next_last].row = row;
		reader->next_last = (reader->next_last + 1) % 4;
	}
	return row;
}

/* The counts of a sample; "-" where there is none. */
static bool parse_counts(struct record_reader *reader, char *const *field, unsigned long long cpu,
			 unsigned long long ops)
{
	struct record *record = reader->record;

	for (size_t i = 0; i < record->counters; i++) {
		const char *text = field[reader->column[i]], *end;
		unsigned long long count;
		double value = NAN;

		if (strcmp(text, "-")) {
			if (!whole_number(text, &end, &count) || *end)
				return reading_refuse(reader->reading, reader->ahead, "%s \"%s\"",
						      record->counter[i], text);
			value = count_per_operation(reader, record->counter[i], field[5], cpu,
						    count, ops);
		}
		record->count = grow(record->count, record->counts, &record->count_room,
				     sizeof(*record->count));
		record->count[record->counts++] = value;
	}
	return true;
}

static bool parse_sample(struct record_reader *reader, char *line)
{
	struct reading *reading = reader->reading;
	char *field[MOST_FIELDS], *at = line;
	unsigned long long size = 0, round, cpu, ops, cycles;
	struct sample sample = { 0 };
	const char *end;
	size_t fields = 0;

	while (fields < reader->fields && at) {
		field[fields++] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	if (fields != reader->fields || at)
		return reading_refuse(reading, reader->ahead,
				      "a sample has %zu fields, not %zu: is the record cut off?",
				      fields, reader->fields);
	if (strcmp(field[2], "-") && (!whole_number(field[2], &end, &size) || *end ||
				      size > INT32_MAX))
		return reading_refuse(reading, reader->ahead, "size \"%s\"", field[2]);
	if (!whole_number(field[3], &end, &round) || *end || round > UINT32_MAX)
		return reading_refuse(reading, reader->ahead, "round \"%s\"", field[3]);
	if (!whole_number(field[4], &end, &cpu) || *end || cpu > INT32_MAX)
		return reading_refuse(reading, reader->ahead, "CPU \"%s\"", field[4]);
	if (!whole_number(field[6], &end, &ops) || *end || !ops)
		return reading_refuse(reading, reader->ahead, "operations \"%s\"", field[6]);
	if (!whole_number(field[7], &end, &cycles) || *end)
		return reading_refuse(reading, reader->ahead, "cycles \"%s\"", field[7]);
	if (strspn(field[9], "-PM") != strlen(field[9]) || !*field[9])
		return reading_refuse(reading, reader->ahead, "flags \"%s\"", field[9]);
	sample.row = sample_row(reader, field, size, ops);
	sample.round = round;
	sample.cpu = cpu;
	sample.flags = (strchr(field[9], 'P') ? SAMPLE_PREEMPTED : 0) |
		       (strchr(field[9], 'M') ? SAMPLE_MIGRATED : 0);
	sample.count = cycles;
	sample.ops = ops;
	sample.value = per_operation(reader, field[5], cpu, cycles, ops);
	sample.counted = reader->record->counts;
	record_add(reader->record, &sample);
	return parse_counts(reader, field, cpu, ops);
}

/* Every row needs all rounds of the plan on each of its CPUs; a record that was cut has not. */
static bool all_rounds(struct record_reader *reader)
{
	struct record *record = reader->record;
	struct rows *rows = reader->reading->rows;
	unsigned long long rounds;
	size_t *count, *cpus;
	const char *plan, *end, *state = record_get(record, "state");
	bool whole = true;

	if ((state && strcmp(state, "done")) || !record_plan(record, "rounds", &plan) ||
	    !whole_number(plan, &end, &rounds) || !rounds)
		return true;
	count = allocate(rows->count, sizeof(*count));
	cpus = allocate(rows->count, sizeof(*cpus));
	for (size_t i = 0; i < record->samples; i++) {
		count[record->sample[i].row]++;
		cpus[record->sample[i].row] += record->sample[i].round == 1;
	}
	for (size_t i = 0; i < rows->count && whole; i++) {
		if (count[i] == rounds * cpus[i])
			continue;
		whole = false;
		reading_refuse(reader->reading, reader->ahead - 1,
			       "%s has %zu samples of %s, not %llu rounds of %zu CPUs: is the record cut off?",
			       rows->row[i].test, count[i], rows->row[i].phase, rounds, cpus[i]);
	}
	free(cpus);
	free(count);
	return whole;
}

/* Up to the next record, section or the end of the text. */
static const char *next_line(const struct record_reader *reader)
{
	const char *line = reading_line(reader->reading, reader->ahead);

	return line && !starts_with(line, RECORD_MAGIC) ? line : NULL;
}

/* Which columns are counters. */
static bool parse_columns(struct record_reader *reader)
{
	struct record *record = reader->record;
	const char *at = reading_line(reader->reading, reader->ahead) + strlen(SAMPLES_HEAD);

	if (reader->fields)
		return reading_refuse(reader->reading, reader->ahead, "samples a second time");
	record->counter = allocate(MOST_FIELDS - FIELDS, sizeof(*record->counter));
	record->counters = 0;
	for (reader->fields = FIELDS; *at; reader->fields++) {
		size_t length = strcspn(++at, "\t");
		char *name;

		if (reader->fields == MOST_FIELDS)
			return reading_refuse(reader->reading, reader->ahead,
					      "samples have more than %d columns", MOST_FIELDS);
		if (starts_with(at, COUNTER)) {
			name = duplicate(at + strlen(COUNTER), length - strlen(COUNTER));
			reader->column[record->counters] = reader->fields;
			record->counter[record->counters++] =
				rows_string(reader->reading->rows, name);
			free(name);
		}
		at += length;
	}
	return true;
}

static bool parse_samples(struct record_reader *reader)
{
	char *line;

	if (!parse_columns(reader))
		return false;
	reader->ahead++;
	while ((line = (char *)next_line(reader)) && *line) {
		if (!parse_sample(reader, line))
			return false;
		reader->ahead++;
	}
	return all_rounds(reader);
}

static bool parse_metric(struct record_reader *reader, char *line)
{
	struct reading *reading = reader->reading;
	struct sample sample = { .cpu = -1 };
	char *field[5], *at = line;
	unsigned long long round;
	struct row_key key;
	const char *end;
	struct row *row;
	int fields = 0;

	while (fields < 5 && at) {
		field[fields++] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	if (fields != 5 || at)
		return reading_refuse(reading, reader->ahead,
				      "a metric has %d fields, not 5: is the record cut off?",
				      fields);
	if (strcmp(field[2], "lower") && strcmp(field[2], "higher"))
		return reading_refuse(reading, reader->ahead,
				      "better \"%s\" is neither lower nor higher", field[2]);
	if (!whole_number(field[3], &end, &round) || *end || round > UINT32_MAX)
		return reading_refuse(reading, reader->ahead, "round \"%s\"", field[3]);
	if (!number(field[4], &end, &sample.value) || *end)
		return reading_refuse(reading, reader->ahead, "value \"%s\"", field[4]);
	if (starts_with(field[0], "event/") || starts_with(field[0], "slab/")) {
		record_explain(reader->record, &(struct reason){
			rows_string(reading->rows, field[0]), sample.value
		});
		return true;
	}
	key = (struct row_key){
		.test = field[0], .unit = field[1], .size = -1,
		.higher_is_better = !strcmp(field[2], "higher"),
	};
	sample.row = rows_find(reading->rows, &key);
	sample.round = round;
	row = &reading->rows->row[sample.row];
	if (row->resolution < number_resolution(field[4]))
		row->resolution = number_resolution(field[4]);
	record_add(reader->record, &sample);
	return true;
}

static bool parse_metrics(struct record_reader *reader)
{
	char *line;

	reader->ahead++;
	while ((line = (char *)next_line(reader)) && *line) {
		if (!parse_metric(reader, line))
			return false;
		reader->ahead++;
	}
	return true;
}

static bool at_samples(const char *line)
{
	const char *more = line + strlen(SAMPLES_HEAD);

	return starts_with(line, SAMPLES_HEAD) && (!*more || *more == '\t');
}

static bool at_section(const char *line)
{
	return at_samples(line) || !strcmp(line, METRICS_HEAD);
}

/* Without samples the published lines count; reading_add() puts them into this record's run. */
static bool parse_published(struct record_reader *reader)
{
	struct reading *reading = reader->reading;
	size_t start = reading->at;
	const char *line;

	while ((line = next_line(reader)) && !at_section(line) && !reading->error) {
		reading->at = start + reader->ahead;
		if (*line && !read_published(reading))
			reading_refuse(reading, 0, "neither a published line nor samples");
		reading->at = start;
		reader->ahead++;
	}
	return !reading->error;
}

static bool has_samples(const struct record_reader *reader)
{
	struct record_reader look = *reader;
	const char *line;

	for (; (line = next_line(&look)); look.ahead++)
		if (at_samples(line))
			return true;
	return false;
}

static bool parse_body(struct record_reader *reader)
{
	const char *line;

	if (!has_samples(reader) && !parse_published(reader))
		return false;
	while ((line = next_line(reader)) && !at_section(line))
		reader->ahead++;
	while ((line = next_line(reader))) {
		if (!*line)
			reader->ahead++;
		else if (!at_section(line))
			return reading_refuse(reader->reading, reader->ahead,
					      "neither samples nor metrics");
		else if (!(*line == 't' ? parse_samples(reader) : parse_metrics(reader)))
			return false;
	}
	return true;
}

/* A run that failed may have left no figures; any other record has some. */
static bool has_figures(struct record_reader *reader)
{
	const char *state = record_get(reader->record, "state");

	if (reader->record->samples || (state && strcmp(state, "done")))
		return true;
	return reading_refuse(reader->reading, reader->ahead - 1,
			      "a record without figures: is it cut off?");
}

size_t read_record(struct reading *reading)
{
	struct record_reader reader = {
		.reading = reading, .unit = "cycles", .clock_resolution = 1,
	};
	struct part *part;
	bool good;

	if (!starts_with(reading_line(reading, 0), RECORD_MAGIC))
		return 0;
	part = reading_part(reading, "");
	if (!part)
		return 0;
	reader.record = record_new(reading->source);
	part->run = grow(part->run, part->runs, &part->room, sizeof(*part->run));
	part->run[part->runs++] = reader.record;
	good = parse_header(&reader) && use_header(&reader) && parse_body(&reader) &&
	       has_figures(&reader);
	free(reader.overhead);
	if (good && reading->text.open_end && reading->at + reader.ahead >= reading->text.lines)
		return reading_refuse(reading, reader.ahead - 1,
				      "the last line has no end: is the record cut off?");
	return good ? reader.ahead : 0;
}
