// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workers, the barrier and the phases.
 *
 * One thread a CPU lives as long as the run. Between units it sleeps; within a unit the workers
 * keep step by spinning, because waking a thread costs more than what is measured.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>

#include "handicap.h"
#include "slab_test.h"

static void (*next_job(struct worker *worker))(struct worker *worker)
{
	/* Pairs with give_job(): what the leader set up for the job is seen. */
	return smp_load_acquire(&worker->job);
}

static int worker_thread(void *data)
{
	struct worker *worker = data;
	struct run *run = worker->run;
	void (*job)(struct worker *worker);

	for (;;) {
		wait_event_idle(worker->wait,
				(job = next_job(worker)) || kthread_should_stop());
		if (!job)
			return 0;
		job(worker);
		WRITE_ONCE(worker->job, NULL);
		if (atomic_dec_and_test(&run->busy))
			wake_up(&run->idle);
	}
}

static struct worker *worker_create(struct run *run, unsigned int index, unsigned int cpu)
{
	const int node = cpu_to_node(cpu);
	struct worker *worker;
	struct task_struct *task;
	int error = -ENOMEM;

	worker = kzalloc_node(sizeof(*worker), GFP_KERNEL, node);
	if (!worker)
		return ERR_PTR(-ENOMEM);
	worker->run = run;
	worker->index = index;
	worker->cpu = cpu;
	worker->node = next_node_in(node, node_states[N_MEMORY]);
	init_waitqueue_head(&worker->wait);
	prandom_seed_state(&worker->random, run->plan.seed + index);

	worker->objects = kvmalloc_node(array_size(MAX_OBJECTS(&run->plan), sizeof(void *)),
					GFP_KERNEL, node);
	worker->sequence = kvmalloc_node(MAX_BATCH * sizeof(*worker->sequence), GFP_KERNEL, node);
	if (!worker->objects || !worker->sequence)
		goto free;

	task = kthread_create_on_node(worker_thread, worker, node, "slab_test/%u", cpu);
	if (IS_ERR(task)) {
		error = PTR_ERR(task);
		goto free;
	}
	kthread_bind(task, cpu);
	worker->task = task;
	wake_up_process(task);
	return worker;

free:
	kvfree(worker->sequence);
	kvfree(worker->objects);
	kfree(worker);
	return ERR_PTR(error);
}

/**
 * workers_start() - create the workers of a run
 * @run: a run without workers
 *
 * The caller holds cpus_read_lock(). May sleep.
 *
 * Return: 0, or a negative error; workers_stop() and run_put() clear up what was made.
 */
int workers_start(struct run *run)
{
	unsigned int index = 0;
	unsigned int cpu;

	for_each_cpu(cpu, run->plan.cpus) {
		struct worker *worker = worker_create(run, index, cpu);

		if (IS_ERR(worker)) {
			pr_err("no worker for CPU %u (error %ld)\n", cpu, PTR_ERR(worker));
			return PTR_ERR(worker);
		}
		run->workers[index++] = worker;
	}
	return 0;
}

/**
 * workers_stop() - end the workers' threads
 * @run: a run; workers that were never made or have stopped are passed over
 *
 * What they counted and calibrated stays until the run is freed. May sleep.
 */
void workers_stop(struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++) {
		struct worker *worker = run->workers[i];

		if (!worker || !worker->task)
			continue;
		kthread_stop(worker->task);
		worker->task = NULL;
		counters_close(worker);
		clock_close(worker);
		kvfree(worker->sequence);
		worker->sequence = NULL;
		kvfree(worker->objects);
		worker->objects = NULL;
	}
}

static void give_job(struct worker *worker, void (*job)(struct worker *worker))
{
	/* Pairs with next_job(). */
	smp_store_release(&worker->job, job);
	wake_up(&worker->wait);
}

/* Workers end a job by themselves once the run is to stop, so this wait is bounded by theirs. */
static void wait_until_idle(struct run *run)
{
	/* Pairs with worker_thread(): what the workers wrote is seen. */
	wait_event_idle(run->idle, !atomic_read_acquire(&run->busy));
}

/**
 * workers_do() - let the first workers do a job together, and wait until all are through
 * @run: the run
 * @nr: how many
 * @job: what each does; its calls of meet() are for @nr workers
 */
void workers_do(struct run *run, unsigned int nr, void (*job)(struct worker *worker))
{
	unsigned int i;

	run->parties = nr;
	atomic_set(&run->waiting, 0);
	atomic_set(&run->busy, nr);
	for (i = 0; i < nr; i++)
		give_job(run->workers[i], job);
	wait_until_idle(run);
}

/**
 * worker_do() - let one worker do a job while all others sleep, and wait for it
 * @worker: who
 * @job: what
 */
void worker_do(struct worker *worker, void (*job)(struct worker *worker))
{
	struct run *run = worker->run;

	run->parties = 1;
	atomic_set(&run->waiting, 0);
	atomic_set(&run->busy, 1);
	give_job(worker, job);
	wait_until_idle(run);
}

/*
 * How long a CPU may wait for the others before something must be broken: ten seconds, and a
 * millisecond for every object that one CPU may have to work through meanwhile.
 */
static u64 patience_ns(const struct run *run)
{
	u64 objects = (u64)run->plan.count * run->nr_workers;

	return min_t(u64, 10 + div_u64(objects, 1000), 600) * NSEC_PER_SEC;
}

/**
 * spin_check() - what a spinning worker does now and then; see spin_until()
 * @worker: who spins
 * @deadline: 0 at first; kept by this function
 *
 * Return: 0 to go on, -ECANCELED when the run stops.
 */
int spin_check(struct worker *worker, u64 *deadline)
{
	struct run *run = worker->run;
	u64 now;

	if (READ_ONCE(run->stop))
		return -ECANCELED;
	now = ktime_get_mono_fast_ns();
	if (!*deadline) {
		*deadline = now + patience_ns(run);
	} else if (now > *deadline) {
		run_fail(run, -ETIMEDOUT, "%s: CPU %u waited %llu s for the other CPUs",
			 run->unit->bench->name, worker->cpu,
			 div_u64(patience_ns(run), NSEC_PER_SEC));
		return -ECANCELED;
	}
	cond_resched();
	return 0;
}

static bool gate_opened(const struct run *run, unsigned int gate)
{
	/* Pairs with meet(): what the others did before they arrived is seen. */
	return smp_load_acquire(&run->gate) != gate;
}

/**
 * meet() - wait until all workers of the unit are here
 * @worker: who arrives
 *
 * The last one to arrive opens the gate for all. May sleep when the scheduler wants the CPU.
 *
 * Return: 0, or -ECANCELED when the run stops.
 */
int meet(struct worker *worker)
{
	struct run *run = worker->run;
	unsigned int gate = READ_ONCE(run->gate);

	if (READ_ONCE(run->stop))
		return -ECANCELED;
	if (atomic_inc_return(&run->waiting) == run->parties) {
		atomic_set(&run->waiting, 0);
		/* Pairs with gate_opened(). */
		smp_store_release(&run->gate, gate + 1);
		return 0;
	}
	return spin_until(worker, gate_opened(run, gate));
}

static unsigned long context_switches(void)
{
	/* A preemption right here counts in the one or the other. */
	return READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
}

static struct sample *current_sample(struct worker *worker, unsigned int phase)
{
	const struct run *run = worker->run;

	if (worker->round < 0)
		return &worker->scratch;
	return sample_at(run, run->unit, worker->round, phase, worker->index);
}

/**
 * phase_begin() - meet the other workers, then start the clock
 * @worker: who
 * @phase: index into the test's phases
 *
 * May sleep. With the plan's irqs_off, interrupts are off from here to phase_end().
 *
 * Return: 0, or -ECANCELED when the run stops.
 */
noinline int phase_begin(struct worker *worker, unsigned int phase)
{
	struct sample *sample = current_sample(worker, phase);
	int error = meet(worker);

	if (error)
		return error;
	worker->switches = context_switches();
	if (worker->run->plan.nr_counters)
		counters_begin(worker);
	if (worker->run->plan.irqs_off)
		local_irq_disable();
	/* CPUs may not share the clock, and then need a time that they do share. */
	if (!worker->run->clock.global)
		sample->start = ktime_get_mono_fast_ns();
	worker->start = clock_read(worker);
	return 0;
}

/**
 * phase_end() - stop the clock and keep the sample
 * @worker: who
 * @phase: index into the test's phases
 * @ops: operations done since phase_begin()
 */
noinline void phase_end(struct worker *worker, unsigned int phase, u64 ops)
{
	const u64 end = clock_read(worker);
	struct sample *sample;

	if (worker->run->plan.irqs_off)
		local_irq_enable();
	/* At once: what is counted shall differ from the loop's by the same in every phase. */
	if (worker->run->plan.nr_counters)
		counters_end(worker);
	sample = current_sample(worker, phase);
	sample->ops = ops;
	sample->cycles = end - worker->start;
	if (worker->run->clock.global)
		sample->start = worker->start;
	sample->flags = 0;
	if (context_switches() != worker->switches)
		sample->flags |= SAMPLE_PREEMPTED;
	if (raw_smp_processor_id() != worker->cpu)
		sample->flags |= SAMPLE_MIGRATED;
	if (worker->run->plan.nr_counters && worker->round >= 0)
		memcpy(counts_of(worker->run, sample), worker->counts,
		       worker->run->plan.nr_counters * sizeof(*worker->counts));
}

#define CALIBRATIONS	31

/* The cheapest of many phases, by the clock and by each counter: what disturbs one only adds. */
struct cheapest {
	u64 cycles;
	u64 counts[MAX_COUNTERS];
};

static const struct cheapest no_phase_yet = {
	.cycles = U64_MAX,
	.counts = { [0 ... MAX_COUNTERS - 1] = NOT_COUNTED },
};

static void keep_cheapest(struct cheapest *cheapest, const struct worker *worker)
{
	unsigned int i;

	cheapest->cycles = min(cheapest->cycles, worker->scratch.cycles);
	for (i = 0; i < worker->run->plan.nr_counters; i++)
		cheapest->counts[i] = min(cheapest->counts[i], worker->counts[i]);
}

static void keep_read(struct worker *worker, const struct cheapest *read)
{
	unsigned int i;

	worker->overhead.read = read->cycles * 1000;
	for (i = 0; i < worker->run->plan.nr_counters; i++) {
		struct counter *counter = &worker->counters[i];

		/* One that lost its place in the PMU has no overhead that could be taken off. */
		if (counter->event && read->counts[i] == NOT_COUNTED)
			counter_drop(counter, -ENOSPC);
		counter->overhead.read = read->counts[i] * 1000;
	}
}

static s64 loop_cost(u64 loop, u64 read, unsigned int count)
{
	return div_s64((s64)(loop - read) * 1000, count);
}

static void keep_loop(struct worker *worker, enum phase phase, const struct cheapest *loop,
		      const struct cheapest *read)
{
	const unsigned int count = worker->run->unit->count;
	unsigned int i;

	worker->overhead.loop[phase] = loop_cost(loop->cycles, read->cycles, count);
	for (i = 0; i < worker->run->plan.nr_counters; i++) {
		struct counter *counter = &worker->counters[i];

		if (counter->event && loop->counts[i] == NOT_COUNTED)
			counter_drop(counter, -ENOSPC);
		counter->overhead.loop[phase] = loop_cost(loop->counts[i], read->counts[i], count);
	}
}

/* Phases with the same loops and fewer objects. */
static void copy_loops(struct overhead *overhead)
{
	overhead->loop[PHASE_FREE_HALF] = overhead->loop[PHASE_FREE];
	overhead->loop[PHASE_ALLOC_HALF] = overhead->loop[PHASE_ALLOC];
	overhead->loop[PHASE_FREE_ALL] = overhead->loop[PHASE_FREE];
}

/**
 * calibrate() - measure on this CPU what the clock, the counters and the loops cost
 * @worker: who; works alone
 *
 * The loops are those of the tests, as long as there, with the allocator's calls left out; phases
 * are begun and ended by the same functions. May sleep.
 */
void calibrate(struct worker *worker)
{
	const unsigned int count = worker->run->unit->count;
	struct cheapest read = no_phase_yet;
	enum phase phase;
	unsigned int i;

	worker->round = -1;
	handicap_set(0);
	for (i = 0; i < CALIBRATIONS; i++) {
		if (phase_begin(worker, 0))
			return;
		phase_end(worker, 0, 0);
		keep_cheapest(&read, worker);
	}
	keep_read(worker, &read);

	for (phase = 0; phase < PHASE_FREE_HALF; phase++) {
		struct cheapest loop = no_phase_yet;

		for (i = 0; i < CALIBRATIONS; i++) {
			if (phase_begin(worker, 0))
				return;
			null_loop(worker, phase);
			phase_end(worker, 0, count);
			keep_cheapest(&loop, worker);
			cond_resched();
		}
		keep_loop(worker, phase, &loop, &read);
	}
	copy_loops(&worker->overhead);
	for (i = 0; i < worker->run->plan.nr_counters; i++)
		copy_loops(&worker->counters[i].overhead);
	handicap_set(worker->run->plan.handicap);
}
