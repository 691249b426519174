// SPDX-License-Identifier: GPL-2.0-only
/*
 * The run of a plan: a thread that leads it, unit by unit, and the end of it, whoever wants it.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/err.h>
#include <linux/kthread.h>
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

static unsigned int units_of(const struct plan *plan, const struct bench *bench)
{
	return bench->flags & BENCH_NO_SIZE ? 1 : plan->nr_sizes;
}

/* Lays out units and samples in the order in which they are measured. */
static int create_units(struct run *run)
{
	const struct plan *plan = &run->plan;
	u64 samples = 0, phases = 0;
	struct sample *next;
	unsigned int i, size;

	for_each_set_bit(i, plan->tests, nr_benches)
		run->nr_units += units_of(plan, benches[i]);
	run->units = kvcalloc(run->nr_units, sizeof(*run->units), GFP_KERNEL);
	if (!run->units)
		return -ENOMEM;

	run->nr_units = 0;
	for_each_set_bit(i, plan->tests, nr_benches) {
		for (size = 0; size < units_of(plan, benches[i]); size++) {
			struct unit *unit = &run->units[run->nr_units++];
			u64 rows = (u64)plan->rounds * benches[i]->nr_phases;

			unit->bench = benches[i];
			if (!(benches[i]->flags & BENCH_NO_SIZE))
				unit->size = plan->sizes[size];
			phases += rows;
			samples += rows * unit_parties(run, unit);
		}
	}

	if (samples * sizeof(*run->samples) > ((u64)si_mem_available() << PAGE_SHIFT) / 4) {
		pr_err("%llu samples would take more than a quarter of the memory there is: fewer rounds, tests or sizes\n",
		       samples);
		return -ENOMEM;
	}
	run->samples = kvcalloc(samples, sizeof(*run->samples), GFP_KERNEL);
	run->scratch = kvcalloc(phases, sizeof(*run->scratch), GFP_KERNEL);
	if (!run->samples || !run->scratch)
		return -ENOMEM;

	run->unit = run->units;
	next = run->samples;
	for (i = 0; i < run->nr_units; i++) {
		struct unit *unit = &run->units[i];

		unit->samples = next;
		next += (size_t)plan->rounds * unit->bench->nr_phases * unit_parties(run, unit);
	}
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
	error = -ENOMEM;
	run->header = header_create(run);
	if (!run->header)
		goto put;
	return run;

put:
	run_put(run);
	return ERR_PTR(error);
}

/* First touch of what a worker writes to, by the CPU that will, and its clock. */
static void prepare(struct worker *worker)
{
	struct run *run = worker->run;
	int error;

	memset(worker->objects, 0, run->plan.count * sizeof(*worker->objects));
	error = clock_open(worker);
	if (error) {
		run_fail(run, error, "CPU %u cannot read the clock %s (error %d)", worker->cpu,
			 run->clock.name, error);
		return;
	}
	if (!worker->index)
		run->clock.resolution = clock_resolution(worker);
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

static void measure_unit(struct worker *worker)
{
	struct run *run = worker->run;
	const int rounds = run->plan.rounds;

	for (worker->round = -(int)run->plan.warmup; worker->round < rounds; worker->round++) {
		worker->filled = 0;
		worker->freed = 0;
		if (run->unit->bench->run(worker) || meet(worker))
			break;
		if (!worker->index)
			check_balance(run);
		cond_resched();
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
			kfree(worker->objects[j]);
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

	for (i = 0; i < run->nr_workers && !run->stop; i++)
		worker_do(run->workers[i], prepare);
	for (i = 0; i < run->nr_workers && !run->stop; i++)
		worker_do(run->workers[i], calibrate);

	for (i = 0; i < run->nr_units && !READ_ONCE(run->stop); i++) {
		WRITE_ONCE(run->unit, &run->units[i]);
		workers_do(run, unit_parties(run, run->unit), measure_unit);
		free_leftovers(run);
		if (READ_ONCE(run->stop))
			break;
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
	kthread_stop(run->task);
	put_task_struct(run->task);
	run->task = NULL;
}
