// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is told: the published lines, the samples, and the debugfs files, all for root only.
 *
 *	results		the header and the published lines of the units measured so far
 *	samples		one line a measured phase
 *	metrics		one line for each other thing that a test measured in a round
 *	tests		what there is and whether it can run here
 *	run		how the run stands; takes "abort" and "start [parameter=value ...]", where
 *			parameters not named are as the module was loaded with
 *
 * An open file keeps the run that was there when it was opened.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "slab_test.h"

/* ---- figures: thousandths of the clock's unit an operation ---- */

static int compare_figures(const void *a, const void *b)
{
	const s64 x = *(const s64 *)a, y = *(const s64 *)b;

	return x < y ? -1 : x > y;
}

static s64 median(s64 *figures, unsigned int nr)
{
	sort(figures, nr, sizeof(*figures), compare_figures, NULL);
	if (nr % 2)
		return figures[nr / 2];
	return div_s64(figures[nr / 2 - 1] + figures[nr / 2], 2);
}

/* One sample with the cost of the clock and the loop taken off. */
static s64 sample_figure(const struct run *run, const struct unit *unit, unsigned int round,
			 unsigned int phase, unsigned int index)
{
	const struct sample *sample = sample_at(run, unit, round, phase, index);
	const struct worker *worker = run->workers[index];
	const enum phase kind = unit->bench->phases[phase];
	s64 total = sample->cycles * 1000;

	if (kind >= NR_LOOPS)
		return div64_s64(total, sample->ops);
	return div64_s64(total - worker->overhead.read, sample->ops) -
	       worker->overhead.loop[kind];
}

static bool took_part(const struct run *run, const struct unit *unit, unsigned int phase,
		      unsigned int index)
{
	return sample_at(run, unit, 0, phase, index)->ops;
}

/* The median round of one CPU. */
static s64 cpu_figure(struct run *run, const struct unit *unit, unsigned int phase,
		      unsigned int index)
{
	s64 *figures = (s64 *)run->scratch;
	unsigned int round;

	for (round = 0; round < run->plan.rounds; round++)
		figures[round] = sample_figure(run, unit, round, phase, index);
	return median(figures, round);
}

/* The median round of the average over the CPUs that took part. */
static s64 average_figure(struct run *run, const struct unit *unit, unsigned int phase)
{
	s64 *figures = (s64 *)run->scratch;
	unsigned int round, i;

	for (round = 0; round < run->plan.rounds; round++) {
		unsigned int nr = 0;
		s64 sum = 0;

		for (i = 0; i < unit_parties(run, unit); i++) {
			if (!took_part(run, unit, phase, i))
				continue;
			sum += sample_figure(run, unit, round, phase, i);
			nr++;
		}
		figures[round] = div_s64(sum, nr);
	}
	return median(figures, round);
}

/* ---- the published lines ---- */

/* A line is built whole, because the log would break it at every piece. */
struct line {
	char *text;
	size_t size;
	size_t used;
};

/* Fits the log together with its prefix. */
#define LOG_LINE	900

static size_t line_size(const struct run *run)
{
	return 256 + run->nr_workers * 64;
}

static __printf(2, 3) void put(struct line *line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	line->used += vscnprintf(line->text + line->used, line->size - line->used, format,
				 arguments);
	va_end(arguments);
}

/* With one decimal, and never "-0.0". */
static void put_figure(struct line *line, s64 thousandths)
{
	const u64 tenths = div_u64(abs(thousandths) + 50, 10 * 10);
	u32 decimal;
	u64 whole = div_u64_rem(tenths, 10, &decimal);

	put(line, "%s%llu.%u", thousandths < 0 && tenths ? "-" : "", whole, decimal);
}

static void put_one_cpu(struct line *line, struct run *run, const struct unit *unit,
			unsigned int index)
{
	const char *separator = "";
	unsigned int phase;

	for (phase = 0; phase < unit->bench->nr_phases; phase++) {
		const bool part = took_part(run, unit, phase, index);

		if (!part && unit->bench->flags & BENCH_BY_ROLE)
			continue;
		put(line, "%s", separator);
		if (part)
			put_figure(line, cpu_figure(run, unit, phase, index));
		else
			put(line, "-");
		separator = "/";
	}
}

/* Tests of all CPUs: "Kmalloc N*alloc N*free(8): 0=a/f 1=a/f Average=A/F". */
static void put_concurrent(struct line *line, struct run *run, const struct unit *unit,
			   bool every_cpu)
{
	unsigned int i;

	put(line, "%s%s(%u):", unit->bench->line, unit->variant, unit->size);
	for (i = 0; every_cpu && i < run->nr_workers; i++) {
		put(line, " %u=", run->workers[i]->cpu);
		put_one_cpu(line, run, unit, i);
	}
	put(line, " Average=");
	for (i = 0; i < unit->bench->nr_phases; i++) {
		put(line, i ? "/" : "");
		put_figure(line, average_figure(run, unit, i));
	}
}

/* "10000 times kmalloc(8) -> A cycles kfree -> F cycles". */
static void put_alloc_then_free(struct line *line, struct run *run, const struct unit *unit)
{
	put(line, "%u times %s(%u) -> ", unit->count, unit->bench->calls[0], unit->size);
	put_figure(line, cpu_figure(run, unit, 0, 0));
	put(line, " %s %s -> ", run->clock.unit, unit->bench->calls[1]);
	put_figure(line, cpu_figure(run, unit, 1, 0));
	put(line, " %s", run->clock.unit);
}

/* "10000 times kmalloc(8)/kfree -> C cycles". */
static void put_alloc_free(struct line *line, struct run *run, const struct unit *unit)
{
	put(line, "%u times %s(%u)/%s -> ", unit->count, unit->bench->calls[0], unit->size,
	    unit->bench->calls[1]);
	put_figure(line, cpu_figure(run, unit, 0, 0));
	put(line, " %s", run->clock.unit);
}

/* "null(8): alloc=0.0 free=0.0 pair=0.0" and the like. */
static void put_plain(struct line *line, struct run *run, const struct unit *unit)
{
	const struct bench *bench = unit->bench;
	unsigned int phase;

	put(line, "%s%s", bench->name, unit->variant);
	if (!(bench->flags & BENCH_NO_SIZE))
		put(line, "(%u)", unit->size);
	put(line, ":");
	for (phase = 0; phase < bench->nr_phases; phase++) {
		put(line, " ");
		if (bench->nr_phases > 1)
			put(line, "%s=", phase_names[bench->phases[phase]]);
		put_figure(line, cpu_figure(run, unit, phase, 0));
	}
}

static void put_unit(struct line *line, struct run *run, const struct unit *unit, bool every_cpu)
{
	line->used = 0;
	if (unit->bench->flags & BENCH_ALL_CPUS)
		put_concurrent(line, run, unit, every_cpu);
	else if (!unit->bench->calls[0] || *unit->variant)
		put_plain(line, run, unit);
	else if (unit->bench->nr_phases == 2)
		put_alloc_then_free(line, run, unit);
	else
		put_alloc_free(line, run, unit);
}

/**
 * report_log() - write the published lines to the kernel log
 * @run: over; what was measured of it is written
 *
 * One line in the log each, whatever the number of CPUs. May sleep.
 */
void report_log(struct run *run)
{
	struct line line = { .size = line_size(run) };
	unsigned int i;

	line.text = kvmalloc(line.size, GFP_KERNEL);
	if (line.text) {
		mutex_lock(&run->scratch_lock);
		for (i = 0; i < run->done; i++) {
			put_unit(&line, run, &run->units[i], true);
			if (line.used > LOG_LINE)
				put_unit(&line, run, &run->units[i], false);
			pr_info("%s\n", line.text);
			cond_resched();
		}
		mutex_unlock(&run->scratch_lock);
		kvfree(line.text);
	}
	if (run->stop)
		pr_err("%s: %s\n", run->stop == RUN_ABORTED ? "aborted" : "failed", run->reason);
}

/* ---- results ---- */

static void show_thousandths(struct seq_file *m, const char *before, s64 thousandths)
{
	u32 decimals;
	u64 whole = div_u64_rem(abs(thousandths), 1000, &decimals);

	seq_printf(m, "%s%s%llu.%03u", before, thousandths < 0 ? "-" : "", whole, decimals);
}

/* What of a worker's measuring a line of the header tells: its clock, or one of its counters. */
#define THE_CLOCK	-1

static const struct overhead *overhead_of(const struct worker *worker, int what)
{
	return what == THE_CLOCK ? &worker->overhead : &worker->counters[what].overhead;
}

static int error_of(const struct worker *worker, int what)
{
	return what == THE_CLOCK ? 0 : worker->counters[what].error;
}

static bool same_overhead(const struct worker *a, const struct worker *b, int what)
{
	return error_of(a, what) == error_of(b, what) &&
	       !memcmp(overhead_of(a, what), overhead_of(b, what), sizeof(struct overhead));
}

static void show_costs(struct seq_file *m, const struct overhead *overhead)
{
	enum phase phase;

	show_thousandths(m, ", read ", overhead->read);
	for (phase = 0; phase < NR_LOOPS; phase++) {
		seq_printf(m, ", %s", phase_names[phase]);
		show_thousandths(m, " ", overhead->loop[phase]);
	}
}

static void show_reason(struct seq_file *m, int error)
{
	const char *reason = counter_reason(error);

	if (reason)
		seq_printf(m, ", not counted: %s", reason);
	else
		seq_printf(m, ", not counted: error %d", error);
}

/* A line for each group of CPUs that follow each other and agree. */
static void show_overhead(struct seq_file *m, const struct run *run, const char *key, int what)
{
	unsigned int first, last;

	for (first = 0; first < run->nr_workers; first = last + 1) {
		const struct worker *worker = run->workers[first];

		for (last = first; last + 1 < run->nr_workers; last++) {
			if (run->workers[last + 1]->cpu != run->workers[last]->cpu + 1 ||
			    !same_overhead(worker, run->workers[last + 1], what))
				break;
		}
		seq_printf(m, "# %scpus %u", key, worker->cpu);
		if (last > first)
			seq_printf(m, "-%u", run->workers[last]->cpu);
		if (error_of(worker, what))
			show_reason(m, error_of(worker, what));
		else
			show_costs(m, overhead_of(worker, what));
		seq_putc(m, '\n');
	}
}

static void show_counters(struct seq_file *m, const struct run *run)
{
	const struct plan *plan = &run->plan;
	unsigned int i;
	char key[48];

	for (i = 0; i < plan->nr_counters; i++) {
		snprintf(key, sizeof(key), "counter: %s, ",
			 counter_kinds[plan->counters[i]].name);
		show_overhead(m, run, key, i);
	}
}

static void show_clock(struct seq_file *m, const struct run *run)
{
	const struct clock *clock = &run->clock;
	const struct worker *worker = run->workers[0];

	/* For a person; show_overhead() has them for every CPU and loop. */
	seq_printf(m, "# clock: %s ", clock->name);
	if (clock->khz)
		seq_printf(m, "%lu.%lu MHz", clock->khz / 1000, clock->khz % 1000 / 100);
	else
		seq_puts(m, "- MHz");
	seq_printf(m, ", resolution %llu", clock->resolution);
	show_thousandths(m, ", read ", worker->overhead.read);
	seq_printf(m, " %s", clock->unit);
	show_thousandths(m, ", loop ", worker->overhead.loop[PHASE_PAIR]);
	seq_printf(m, " %s/op\n", clock->unit);
}

/* When a phase began, in ns from when the first CPU began it. */
static u64 start_ns(const struct run *run, u64 start, u64 first)
{
	if (!run->clock.global)
		return start - first;
	return div_u64((start - first) * 1000000, run->clock.khz);
}

static u64 first_start(const struct run *run, const struct unit *unit, unsigned int round,
		       unsigned int phase)
{
	u64 first = U64_MAX;
	unsigned int i;

	for (i = 0; i < unit_parties(run, unit); i++) {
		const struct sample *sample = sample_at(run, unit, round, phase, i);

		if (sample->ops)
			first = min(first, sample->start);
	}
	return first;
}

/* How far apart the CPUs started; false where fewer than two did. */
static bool phase_skew(const struct run *run, const struct unit *unit, unsigned int round,
		       unsigned int phase, s64 *skew)
{
	const u64 first = first_start(run, unit, round, phase);
	unsigned int i, started = 0;
	u64 largest = 0;

	for (i = 0; i < unit_parties(run, unit); i++) {
		const struct sample *sample = sample_at(run, unit, round, phase, i);

		if (!sample->ops)
			continue;
		largest = max(largest, start_ns(run, sample->start, first));
		started++;
	}
	*skew = largest;
	return started > 1;
}

static void show_skew(struct seq_file *m, struct run *run, unsigned int done)
{
	s64 *skews = (s64 *)run->scratch;
	unsigned int i, round, phase, nr = 0;
	s64 middle;

	for (i = 0; i < done; i++) {
		const struct unit *unit = &run->units[i];

		for (round = 0; round < run->plan.rounds; round++) {
			for (phase = 0; phase < unit->bench->nr_phases; phase++)
				nr += phase_skew(run, unit, round, phase, &skews[nr]);
			cond_resched();
		}
	}
	if (!nr)
		return;
	middle = median(skews, nr);
	seq_printf(m, "# skew: median %lld ns, largest %lld ns\n", middle, skews[nr - 1]);
}

static void show_disturbed(struct seq_file *m, const struct run *run, unsigned int done)
{
	unsigned long disturbed = 0, all = 0;
	unsigned int i;
	size_t j;

	for (i = 0; i < done; i++) {
		const struct unit *unit = &run->units[i];
		size_t nr = (size_t)run->plan.rounds * unit->bench->nr_phases *
			    unit_parties(run, unit);

		for (j = 0; j < nr; j++) {
			all += unit->samples[j].ops != 0;
			disturbed += unit->samples[j].flags != 0;
		}
		cond_resched();
	}
	seq_printf(m, "# disturbed: %lu of %lu samples (preempted or migrated)\n", disturbed, all);
}

static void show_objects(struct seq_file *m, const struct run *run)
{
	u64 out = 0, back = 0;
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++) {
		out += run->workers[i]->out;
		back += run->workers[i]->back;
	}
	seq_printf(m, "# objects: out %llu, back %llu\n", out, back);
}

/* By what the test in progress took so far, and the units before it where a test is to come. */
static u64 seconds_left(const struct run *run, unsigned int done)
{
	const struct bench *bench = run->units[done].bench;
	u64 all = 0, own = 0, left = 0;
	unsigned int i, nr_own = 0;

	for (i = 0; i < done; i++) {
		all += run->units[i].took;
		if (run->units[i].bench == bench) {
			own += run->units[i].took;
			nr_own++;
		}
	}
	for (i = done; i < run->nr_units; i++) {
		if (run->units[i].bench == bench && nr_own)
			left += div_u64(own, nr_own);
		else
			left += div_u64(all, done);
	}
	return div_u64(left, NSEC_PER_SEC) + 1;
}

static void show_state(struct seq_file *m, const struct run *run, enum run_state state)
{
	const struct unit *unit = READ_ONCE(run->unit);
	const unsigned int done = run_done(run);

	switch (state) {
	case RUN_RUNNING:
		seq_printf(m, "running %u/%u %s%s", done, run->nr_units, unit->bench->name,
			   unit->variant);
		if (unit->size)
			seq_printf(m, " %u", unit->size);
		if (done && done < run->nr_units)
			seq_printf(m, ", about %llu s left", seconds_left(run, done));
		seq_putc(m, '\n');
		break;
	case RUN_DONE:
		seq_puts(m, "done\n");
		break;
	case RUN_ABORTED:
		seq_printf(m, "aborted %s\n", run->reason);
		break;
	case RUN_FAILED:
		seq_printf(m, "failed %s\n", run->reason);
		break;
	}
}

static int results_show(struct seq_file *m, void *unused)
{
	struct run *run = m->private;
	struct line line = { };
	enum run_state state;
	unsigned int done, i;

	if (!run) {
		seq_puts(m, "# slab_test: 1\n# state: idle\n");
		return 0;
	}
	line.size = line_size(run);
	line.text = kvmalloc(line.size, GFP_KERNEL);
	if (!line.text)
		return -ENOMEM;

	mutex_lock(&run->scratch_lock);
	/* In this order: a run that is over has all its units. */
	state = run_state(run);
	done = run_done(run);
	seq_puts(m, run->header);
	if (done) {
		show_clock(m, run);
		show_overhead(m, run, "overhead: ", THE_CLOCK);
		show_counters(m, run);
		show_skew(m, run, done);
		show_disturbed(m, run, done);
	}
	if (state != RUN_RUNNING)
		show_objects(m, run);
	seq_puts(m, "# state: ");
	show_state(m, run, state);
	for (i = 0; i < done; i++) {
		put_unit(&line, run, &run->units[i], true);
		seq_printf(m, "%s\n", line.text);
		cond_resched();
	}
	mutex_unlock(&run->scratch_lock);
	kvfree(line.text);
	return 0;
}

/* The newest run, whole and at once; closed by release_run(). */
static int open_run(struct file *file, int (*show)(struct seq_file *m, void *unused))
{
	struct run *run = control_run();
	int error = single_open(file, show, run);

	if (error)
		run_put(run);
	return error;
}

static int release_run(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	run_put(m->private);
	return single_release(inode, file);
}

static int results_open(struct inode *inode, struct file *file)
{
	return open_run(file, results_show);
}

static const struct file_operations results_fops = {
	.owner = THIS_MODULE,
	.open = results_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = release_run,
};

/* ---- samples ---- */

/**
 * struct samples_reader - where a reader of samples is
 * @run: what it reads
 * @unit: the unit of the last sample shown
 * @before: samples of all units before it
 * @row: the phase in it whose first start is known
 * @first: that start
 */
struct samples_reader {
	struct run *run;
	unsigned int unit;
	loff_t before;
	size_t row;
	u64 first;
};

static loff_t samples_of(const struct run *run, const struct unit *unit)
{
	return (loff_t)run->plan.rounds * unit->bench->nr_phases * unit_parties(run, unit);
}

/* Positions: 0 is the line of names, then every place for a sample, also the unused ones. */
static void *samples_at(struct samples_reader *reader, loff_t position)
{
	struct run *run = reader->run;
	const unsigned int done = run ? run_done(run) : 0;

	if (!position)
		return SEQ_START_TOKEN;
	position--;
	if (position < reader->before) {
		reader->unit = 0;
		reader->before = 0;
		reader->row = SIZE_MAX;
	}
	while (reader->unit < done) {
		const struct unit *unit = &run->units[reader->unit];

		if (position < reader->before + samples_of(run, unit))
			return &unit->samples[position - reader->before];
		reader->before += samples_of(run, unit);
		reader->unit++;
		reader->row = SIZE_MAX;
	}
	return NULL;
}

static void *samples_start(struct seq_file *m, loff_t *position)
{
	return samples_at(m->private, *position);
}

static void *samples_next(struct seq_file *m, void *v, loff_t *position)
{
	return samples_at(m->private, ++*position);
}

static void samples_stop(struct seq_file *m, void *v)
{
}

static void show_flags(struct seq_file *m, unsigned int flags)
{
	if (flags & SAMPLE_PREEMPTED)
		seq_putc(m, 'P');
	if (flags & SAMPLE_MIGRATED)
		seq_putc(m, 'M');
	if (!flags)
		seq_putc(m, '-');
}

static void show_column_names(struct seq_file *m, const struct run *run)
{
	unsigned int i;

	seq_puts(m, "test\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags");
	for (i = 0; run && i < run->plan.nr_counters; i++)
		seq_printf(m, "\tcounter.%s", counter_kinds[run->plan.counters[i]].name);
	seq_putc(m, '\n');
}

static void show_counts(struct seq_file *m, const struct run *run, const struct sample *sample)
{
	const u64 *counts = counts_of(run, sample);
	unsigned int i;

	for (i = 0; i < run->plan.nr_counters; i++) {
		if (counts[i] == NOT_COUNTED)
			seq_puts(m, "\t-");
		else
			seq_printf(m, "\t%llu", counts[i]);
	}
}

static int samples_show(struct seq_file *m, void *v)
{
	struct samples_reader *reader = m->private;
	const struct run *run = reader->run;
	const struct sample *sample = v;
	const struct unit *unit;
	unsigned int parties, round, phase;
	size_t place, row;

	if (v == SEQ_START_TOKEN) {
		show_column_names(m, run);
		return 0;
	}
	if (!sample->ops)
		return 0;

	unit = &run->units[reader->unit];
	parties = unit_parties(run, unit);
	place = sample - unit->samples;
	row = place / parties;
	round = row / unit->bench->nr_phases;
	phase = row % unit->bench->nr_phases;
	if (row != reader->row) {
		reader->row = row;
		reader->first = first_start(run, unit, round, phase);
	}

	seq_printf(m, "%s%s\t%u\t", unit->bench->name, unit->variant, unit->bench->rev);
	if (unit->bench->flags & BENCH_NO_SIZE)
		seq_puts(m, "-\t");
	else
		seq_printf(m, "%u\t", unit->size);
	seq_printf(m, "%u\t%u\t%s\t%llu\t%llu\t%llu\t", round + 1,
		   run->workers[place % parties]->cpu, phase_names[unit->bench->phases[phase]],
		   sample->ops, sample->cycles, start_ns(run, sample->start, reader->first));
	show_flags(m, sample->flags);
	show_counts(m, run, sample);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations samples_operations = {
	.start = samples_start,
	.next = samples_next,
	.stop = samples_stop,
	.show = samples_show,
};

static int samples_open(struct inode *inode, struct file *file)
{
	struct samples_reader *reader;

	reader = __seq_open_private(file, &samples_operations, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->run = control_run();
	reader->row = SIZE_MAX;
	return 0;
}

static int samples_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct samples_reader *reader = m->private;

	run_put(reader->run);
	return seq_release_private(inode, file);
}

static const struct file_operations samples_fops = {
	.owner = THIS_MODULE,
	.open = samples_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = samples_release,
};

/* ---- metrics ---- */

static void show_metrics(struct seq_file *m, const struct run *run, const struct unit *unit)
{
	const struct bench *bench = unit->bench;
	unsigned int round, i;

	for (round = 0; round < run->plan.rounds; round++) {
		for (i = 0; i < bench->nr_metrics; i++) {
			const s64 value = *metric_at(unit, round, i);

			if (value == METRIC_MISSING)
				continue;
			seq_printf(m, "%s%s.%u.%s\t%s\t%s\t%u\t%lld\n", bench->name,
				   unit->variant, unit->size, bench->metrics[i].name,
				   bench->metrics[i].unit, bench->metrics[i].better, round + 1,
				   value);
		}
	}
}

static int metrics_show(struct seq_file *m, void *unused)
{
	struct run *run = m->private;
	unsigned int i;

	seq_puts(m, "metric\tunit\tbetter\tround\tvalue\n");
	for (i = 0; run && i < run_done(run); i++) {
		show_metrics(m, run, &run->units[i]);
		cond_resched();
	}
	return 0;
}

static int metrics_open(struct inode *inode, struct file *file)
{
	return open_run(file, metrics_show);
}

static const struct file_operations metrics_fops = {
	.owner = THIS_MODULE,
	.open = metrics_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = release_run,
};

/* ---- tests ---- */

static int tests_show(struct seq_file *m, void *unused)
{
	struct plan plan;
	unsigned int i;
	int error;

	error = plan_from_parameters(&plan);
	if (error) {
		plan_free(&plan);
		return error;
	}
	seq_puts(m, "name\trev\ttitle\there\n");
	for (i = 0; i < nr_benches; i++) {
		const struct bench *bench = benches[i];
		const char *reason = plan_refusal(&plan, bench);

		seq_printf(m, "%s\t%u\t%s\t%s\n", bench->name, bench->rev, bench->title,
			   reason ?: "yes");
	}
	plan_free(&plan);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tests);

/* ---- run ---- */

static int run_file_show(struct seq_file *m, void *unused)
{
	struct run *run = control_run();

	if (run)
		show_state(m, run, run_state(run));
	else
		seq_puts(m, "idle\n");
	run_put(run);
	return 0;
}

static int run_file_open(struct inode *inode, struct file *file)
{
	return single_open(file, run_file_show, NULL);
}

static int abort_run(void)
{
	struct run *run = control_run();
	int error = -ESRCH;

	if (run && run_state(run) == RUN_RUNNING) {
		run_abort(run, "on request");
		error = 0;
	}
	run_put(run);
	if (error)
		pr_err("run=abort: nothing runs\n");
	return error;
}

static int start_run(char *parameters)
{
	struct plan plan;
	int error;

	error = plan_from_parameters(&plan);
	if (!error)
		error = plan_parse(&plan, parameters);
	if (!error)
		error = plan_finish(&plan);
	if (error) {
		plan_free(&plan);
		return error;
	}
	return control_start(&plan, NULL);
}

#define MAX_COMMAND	4096

/* One write is one command, whole. */
static ssize_t run_file_write(struct file *file, const char __user *buffer, size_t length,
			      loff_t *position)
{
	char *text, *rest, *command;
	int error;

	if (length >= MAX_COMMAND) {
		pr_err("run: a command has less than %d characters\n", MAX_COMMAND);
		return -EINVAL;
	}
	text = memdup_user_nul(buffer, length);
	if (IS_ERR(text))
		return PTR_ERR(text);

	rest = strim(text);
	command = strsep(&rest, " \t\n");
	if (!strcmp(command, "start")) {
		error = start_run(rest);
	} else if (!strcmp(command, "abort") && !rest) {
		error = abort_run();
	} else {
		pr_err("run=%*pE: must be start, with parameters or without, or abort\n",
		       (int)strnlen(command, 64), command);
		error = -EINVAL;
	}
	kfree(text);
	return error ?: length;
}

static const struct file_operations run_file_fops = {
	.owner = THIS_MODULE,
	.open = run_file_open,
	.read = seq_read,
	.write = run_file_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- the directory ---- */

static struct dentry *directory;

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *operations;
} files[] = {
	{ "results", 0400, &results_fops },
	{ "samples", 0400, &samples_fops },
	{ "metrics", 0400, &metrics_fops },
	{ "tests", 0400, &tests_fops },
	{ "run", 0600, &run_file_fops },
};

/**
 * report_init() - make the debugfs files
 *
 * May sleep.
 *
 * Return: 0 or a negative error, without any file; the log says what is missing.
 */
int report_init(void)
{
	struct dentry *file;
	unsigned int i;

	directory = debugfs_create_dir("slab_test", NULL);
	if (IS_ERR(directory)) {
		pr_err("no debugfs (error %ld): it needs CONFIG_DEBUG_FS=y and no debugfs=off\n",
		       PTR_ERR(directory));
		return PTR_ERR(directory);
	}
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, files[i].mode, directory, NULL,
					   files[i].operations);
		if (IS_ERR(file)) {
			pr_err("no debugfs file %s (error %ld)\n", files[i].name, PTR_ERR(file));
			report_exit();
			return PTR_ERR(file);
		}
	}
	return 0;
}

/**
 * report_exit() - remove the debugfs files
 *
 * Waits for reads and writes in progress; later ones fail.
 */
void report_exit(void)
{
	debugfs_remove(directory);
	directory = NULL;
}
