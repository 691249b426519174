// SPDX-License-Identifier: GPL-2.0-only
/*
 * The run of a plan: a thread that leads it, unit by unit, and the end of it, whoever wants it.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "slab_test.h"

static __printf(4, 0) void run_stop(struct run *run, enum run_state state, int error,
				    const char *format, va_list arguments)
{
	spin_lock(&run->stop_lock);
	if (!run->stop && run->state == RUN_RUNNING) {
		vsnprintf(run->reason, sizeof(run->reason), format, arguments);
		run->error = error;
		WRITE_ONCE(run->stop, state);
	}
	spin_unlock(&run->stop_lock);
}

/**
 * run_abort() - end a run because somebody wishes so
 * @run: the run; nothing happens when it is over
 * @format: who, in words, for the file "run"
 *
 * Returns at once; the workers notice at their next barrier. Any context but interrupts.
 */
void run_abort(struct run *run, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	run_stop(run, RUN_ABORTED, -EINTR, format, arguments);
	va_end(arguments);
}

/**
 * run_fail() - end a run that cannot go on
 * @run: the run
 * @error: negative; the exit status of insmod
 * @format: why, in words, for the file "run"
 *
 * The first who stops a run is remembered. Any context but interrupts.
 *
 * Return: @error.
 */
int run_fail(struct run *run, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	run_stop(run, RUN_FAILED, error, format, arguments);
	va_end(arguments);
	return error;
}

/* The run is over: from here on nobody stops it any more. */
static void run_conclude(struct run *run)
{
	spin_lock(&run->stop_lock);
	/* Pairs with run_state(). */
	smp_store_release(&run->state, run->stop ? run->stop : RUN_DONE);
	spin_unlock(&run->stop_lock);
}

static void run_free(struct kref *ref)
{
	struct run *run = container_of(ref, struct run, ref);
	unsigned int i;

	for (i = 0; run->workers && i < run->nr_workers; i++)
		kfree(run->workers[i]);
	kfree(run->workers);
	kvfree(run->samples);
	kvfree(run->counts);
	kvfree(run->metrics);
	kvfree(run->scratch);
	kvfree(run->units);
	kfree(run->header);
	plan_free(&run->plan);
	kfree(run);
}

/**
 * run_put() - give up a reference to a run
 * @run: the run, or NULL; freed with its last reference
 */
void run_put(struct run *run)
{
	if (run)
		kref_put(&run->ref, run_free);
}

/* How a test's units vary, besides their sizes. */
static unsigned int batches_of(const struct plan *plan, const struct bench *bench)
{
	if (bench->flags & BENCH_BATCHES)
		return plan->nr_batches;
	return bench->flags & BENCH_BULKS ? plan->nr_bulks : 1;
}

static unsigned int orders_of(const struct plan *plan, const struct bench *bench)
{
	return bench->flags & BENCH_ORDERS ? plan->nr_orders : 1;
}

static unsigned int sizes_of(const struct plan *plan, const struct bench *bench)
{
	if (bench->flags & BENCH_PAGES)
		return MAX_PAGE_ORDER_TESTED + 1;
	return bench->flags & BENCH_NO_SIZE ? 1 : plan->nr_sizes;
}

/* Sizes that the test cannot have are counted; create_units() leaves them out. */
static unsigned int units_of(const struct plan *plan, const struct bench *bench)
{
	return sizes_of(plan, bench) * batches_of(plan, bench) * orders_of(plan, bench);
}

static void name_variant(struct unit *unit, const struct plan *plan)
{
	char *end = unit->variant;

	if (unit->batch)
		end += sprintf(end, "/%u", unit->batch);
	if (unit->bench->flags & BENCH_ORDERS && plan->nr_orders > 1)
		sprintf(end, "/%s", order_names[unit->order]);
}

static void describe_unit(struct unit *unit, const struct plan *plan, const struct bench *bench,
			  unsigned int number)
{
	const unsigned int order = number % orders_of(plan, bench);
	const unsigned int variant = number / orders_of(plan, bench);
	const unsigned int batch = variant % batches_of(plan, bench);
	const unsigned int size = variant / batches_of(plan, bench);

	unit->bench = bench;
	unit->order = plan->orders[order];
	unit->count = plan->count;
	if (bench->flags & BENCH_PAGES) {
		unit->size = PAGE_SIZE << size;
		/* As much memory as with pages of order 0, or as little as 10 of them. */
		unit->count = max(plan->count >> size, 10u);
	} else if (!(bench->flags & BENCH_NO_SIZE)) {
		unit->size = plan->sizes[size];
	}
	if (bench->flags & BENCH_BATCHES)
		unit->batch = plan->batches[batch];
	if (bench->flags & BENCH_BULKS)
		unit->batch = plan->bulks[batch];
	name_variant(unit, plan);
}

/* Lays out units and samples in the order in which they are measured. */
static int create_units(struct run *run)
{
	const struct plan *plan = &run->plan;
	u64 samples = 0, phases = 0, metrics = 0, bytes;
	struct sample *next;
	s64 *next_metric;
	unsigned int i, number;

	for_each_set_bit(i, plan->tests, nr_benches)
		run->nr_units += units_of(plan, benches[i]);
	run->units = kvcalloc(run->nr_units, sizeof(*run->units), GFP_KERNEL);
	if (!run->units)
		return -ENOMEM;

	run->nr_units = 0;
	for_each_set_bit(i, plan->tests, nr_benches) {
		for (number = 0; number < units_of(plan, benches[i]); number++) {
			struct unit *unit = &run->units[run->nr_units];
			u64 rows = (u64)plan->rounds * benches[i]->nr_phases;

			describe_unit(unit, plan, benches[i], number);
			if (unit->size < benches[i]->least_size)
				continue;
			run->nr_units++;
			phases += rows;
			metrics += (u64)plan->rounds * benches[i]->nr_metrics;
			samples += rows * unit_parties(run, unit);
		}
	}

	bytes = samples * (sizeof(*run->samples) + plan->nr_counters * sizeof(*run->counts));
	if (bytes > INT_MAX || bytes > ((u64)si_mem_available() << PAGE_SHIFT) / 4) {
		pr_err("%llu samples take too much memory: take fewer rounds or tests\n", samples);
		return -ENOMEM;
	}
	run->samples = kvcalloc(samples, sizeof(*run->samples), GFP_KERNEL);
	run->scratch = kvcalloc(phases, sizeof(*run->scratch), GFP_KERNEL);
	run->metrics = kvcalloc(metrics ?: 1, sizeof(*run->metrics), GFP_KERNEL);
	if (!run->samples || !run->scratch || !run->metrics)
		return -ENOMEM;
	if (plan->nr_counters) {
		run->counts = kvcalloc(samples * plan->nr_counters, sizeof(*run->counts),
				       GFP_KERNEL);
		if (!run->counts)
			return -ENOMEM;
	}

	run->unit = run->units;
	next = run->samples;
	next_metric = run->metrics;
	for (i = 0; i < run->nr_units; i++) {
		struct unit *unit = &run->units[i];

		unit->samples = next;
		next += (size_t)plan->rounds * unit->bench->nr_phases * unit_parties(run, unit);
		unit->metrics = next_metric;
		next_metric += (size_t)plan->rounds * unit->bench->nr_metrics;
	}
	for (i = 0; i < metrics; i++)
		run->metrics[i] = METRIC_MISSING;
	return 0;
}

/**
 * run_create() - get all that a run needs before its first measurement
 * @plan: finished; becomes the run's and is empty afterwards, whatever is returned
 *
 * May sleep.
 *
 * Return: the run, with one reference, or an ERR_PTR().
 */
struct run *run_create(struct plan *plan)
{
	struct run *run;
	int error = -ENOMEM;

	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (!run) {
		plan_free(plan);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&run->ref);
	mutex_init(&run->scratch_lock);
	spin_lock_init(&run->stop_lock);
	init_completion(&run->ended);
	init_waitqueue_head(&run->idle);
	run->plan = *plan;
	memset(plan, 0, sizeof(*plan));

	run->nr_workers = cpumask_weight(run->plan.cpus);
	run->workers = kcalloc(run->nr_workers, sizeof(*run->workers), GFP_KERNEL);
	if (!run->workers)
		goto put;
	error = create_units(run);
	if (error)
		goto put;
	error = clock_choose(&run->clock, run->plan.clock);
	if (error)
		goto put;
	if (run->clock.source == CLOCK_PMU && run->plan.irqs_off) {
		pr_err("irqs=off: the clock pmu may sleep: take another by clock=\n");
		error = -EINVAL;
		goto put;
	}
	error = -ENOMEM;
	run->header = header_create(run);
	if (!run->header)
		goto put;
	return run;

put:
	run_put(run);
	return ERR_PTR(error);
}

/* First touch of what a worker writes to, by the CPU that will, its clock and its counters. */
static void prepare(struct worker *worker)
{
	struct run *run = worker->run;
	int error;

	memset(worker->objects, 0, MAX_OBJECTS(&run->plan) * sizeof(*worker->objects));
	memset(worker->sequence, 0, MAX_BATCH * sizeof(*worker->sequence));
	error = clock_open(worker);
	if (error) {
		run_fail(run, error, "CPU %u cannot read the clock %s (error %d)", worker->cpu,
			 run->clock.name, error);
		return;
	}
	counters_open(worker);
	if (worker->index)
		return;
	run->clock.resolution = clock_resolution(worker);
	if (!run->clock.resolution)
		run_fail(run, -EIO, "the clock %s stands still", run->clock.name);
}

/* Every object that was handed out is back. Between rounds, when no other worker counts. */
static void check_balance(struct run *run)
{
	u64 out = 0, back = 0;
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++) {
		out += run->workers[i]->out;
		back += run->workers[i]->back;
	}
	if (out != back)
		run_fail(run, -EIO, "%s: %llu objects out, %llu back", run->unit->bench->name, out,
			 back);
}

/**
 * run_drop_cache() - destroy the cache of a run's last unit
 * @run: no unit of it is in progress
 *
 * The cache outlives its unit, so that what /sys/kernel/slab counted of it can be read; but there
 * is only one of its name. May sleep.
 */
void run_drop_cache(struct run *run)
{
	kmem_cache_destroy(run->cache);
	run->cache = NULL;
}

/* What a unit needs besides its workers' objects. */
static int prepare_unit(struct run *run)
{
	slab_flags_t flags = 0;

	run_drop_cache(run);
	switch (run->unit->bench->source) {
	case SOURCE_RCU:
		flags |= COMPAT_SLAB_SKIP_KFENCE;
		fallthrough;
	case SOURCE_CACHE:
		break;
	default:
		return 0;
	}
	run->cache = compat_cache_create("slab_test", run->unit->size, flags);
	if (!run->cache)
		return run_fail(run, -ENOMEM, "%s: no cache for objects of %u bytes",
				run->unit->bench->name, run->unit->size);
	return 0;
}

static void finish_unit(struct run *run)
{
	if (run->unit->bench->source == SOURCE_RCU && run->cache &&
	    wait_for_objects(run, NULL)) {
		/* Better a cache too many than one that is destroyed with objects out. */
		run_fail(run, -ETIMEDOUT, "%s: objects are not back after two minutes",
			 run->unit->bench->name);
		run->cache = NULL;
	}
}

static void measure_unit(struct worker *worker)
{
	struct run *run = worker->run;
	const int rounds = run->plan.rounds;

	if (run->unit->bench->source == SOURCE_ACCOUNTED)
		compat_charge_to(run->plan.memcg);
	for (worker->round = -(int)run->plan.warmup; worker->round < rounds; worker->round++) {
		worker->filled = 0;
		worker->freed = 0;
		if (run->unit->bench->run(worker) || meet(worker))
			break;
		if (!worker->index)
			check_balance(run);
		cond_resched();
	}
	compat_charge_to(NULL);
}

/* Not measured, and so free to ask where the object came from. */
static void release_object(struct run *run, void *object)
{
	switch (run->unit->bench->source) {
	case SOURCE_CACHE:
	case SOURCE_RCU:
		kmem_cache_free(run->cache, object);
		break;
	case SOURCE_PAGES:
		__free_pages(object, get_order(run->unit->size));
		break;
	default:
		kfree(object);
	}
}

/* What a round that was stopped half-way left behind. All workers sleep. */
static void free_leftovers(struct run *run)
{
	unsigned int i, j;

	for (i = 0; i < run->nr_workers; i++) {
		struct worker *worker = run->workers[i];

		for (j = worker->freed; j < worker->filled; j++) {
			if (!worker->objects[j])
				continue;
			release_object(run, worker->objects[j]);
			worker->back++;
		}
		worker->filled = 0;
		worker->freed = 0;
	}
	check_balance(run);
}

static int run_thread(void *data)
{
	struct run *run = data;
	unsigned int i;
	u64 start;

	for (i = 0; i < run->nr_workers && !READ_ONCE(run->stop); i++)
		worker_do(run->workers[i], prepare);
	for (i = 0; i < run->nr_workers && !READ_ONCE(run->stop); i++)
		worker_do(run->workers[i], calibrate);

	for (i = 0; i < run->nr_units && !READ_ONCE(run->stop); i++) {
		WRITE_ONCE(run->unit, &run->units[i]);
		start = ktime_get_ns();
		if (!prepare_unit(run)) {
			workers_do(run, unit_parties(run, run->unit), measure_unit);
			free_leftovers(run);
		}
		finish_unit(run);
		if (READ_ONCE(run->stop))
			break;
		run->units[i].took = ktime_get_ns() - start;
		/* Pairs with run_done(). */
		smp_store_release(&run->done, i + 1);
	}

	workers_stop(run);
	run_conclude(run);
	report_log(run);
	complete_all(&run->ended);
	return 0;
}

/**
 * run_start() - set a run going
 * @run: from run_create()
 *
 * The caller holds cpus_read_lock(), and calls run_reap() before its last run_put() when this
 * succeeded. May sleep.
 *
 * Return: 0 or a negative error; nothing runs then.
 */
int run_start(struct run *run)
{
	struct task_struct *task;
	int error;

	if (!cpumask_subset(run->plan.cpus, cpu_online_mask)) {
		pr_err("cpus=%*pbl: not all are online any more\n",
		       cpumask_pr_args(run->plan.cpus));
		return -EINVAL;
	}
	error = workers_start(run);
	if (error)
		goto stop;
	task = kthread_create(run_thread, run, "slab_test/run");
	if (IS_ERR(task)) {
		error = PTR_ERR(task);
		pr_err("no thread for the run (error %d)\n", error);
		goto stop;
	}
	run->task = get_task_struct(task);
	wake_up_process(task);
	return 0;

stop:
	workers_stop(run);
	return error;
}

/**
 * run_reap() - wait until a run's thread is gone
 * @run: started, and told to stop if it is not over
 */
void run_reap(struct run *run)
{
	/* A thread that is stopped before it ran would never begin, and not end its workers. */
	wait_for_completion(&run->ended);
	kthread_stop(run->task);
	put_task_struct(run->task);
	run->task = NULL;
	run_drop_cache(run);
}
