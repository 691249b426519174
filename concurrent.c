// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of all CPUs at once. Every CPU runs the same function; phase_begin() and meet() are where
 * they wait for each other, so each function must reach them equally often on every CPU.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "handicap.h"
#include "slab_test.h"

static const char *needs_two_cpus(const struct plan *plan)
{
	return cpumask_weight(plan->cpus) < 2 ? "needs two CPUs" : NULL;
}

const struct bench concurrent_alloc_then_free_bench = {
	.name = "concurrent_alloc_then_free",
	.title = "every CPU: kmalloc N objects, meet, kfree them",
	.line = "Kmalloc N*alloc N*free",
	.rev = 1,
	.flags = BENCH_ALL_CPUS,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.supported = needs_two_cpus,
	.run = alloc_then_free,
};

const struct bench concurrent_alloc_free_bench = {
	.name = "concurrent_alloc_free",
	.title = "every CPU: N times kmalloc directly followed by kfree",
	.line = "Kmalloc N*(alloc free)",
	.rev = 1,
	.flags = BENCH_ALL_CPUS,
	.nr_phases = 1,
	.phases = { PHASE_PAIR },
	.supported = needs_two_cpus,
	.run = alloc_free,
};

/* The first CPU frees what all the others allocated. */
static int remote_free(struct worker *worker)
{
	struct run *run = worker->run;
	unsigned int i;
	u64 freed = 0;
	int error;

	if (worker->index) {
		error = alloc_phase(worker, 0);
		if (error)
			return error;
		arrange_objects(worker);
		return meet(worker);
	}

	error = meet(worker);
	if (error)
		return error;
	error = phase_begin(worker, 1);
	if (error)
		return error;
	for (i = 1; i < run->nr_workers; i++)
		freed += free_objects(worker, run->workers[i]);
	phase_end(worker, 1, freed);
	return 0;
}

const struct bench remote_free_bench = {
	.name = "remote_free",
	.title = "all CPUs but the first kmalloc N objects, the first kfrees them all",
	.line = "N*remote free",
	.rev = 1,
	.flags = BENCH_ALL_CPUS,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.supported = needs_two_cpus,
	.run = remote_free,
};

/*
 * The producer gives each consumer in turn a cache line's worth of pointers: enough that two CPUs
 * seldom write the same line, little enough that all consumers are busy from the start.
 */
#define HAND_OUT	(SMP_CACHE_BYTES / sizeof(void *))

/* Allocates; a consumer's filled grows as the objects become its own. */
static __always_inline u64 produce_loop(struct worker *worker, bool handicapped)
{
	struct run *run = worker->run;
	const unsigned int count = run->plan.count;
	const gfp_t gfp = run->plan.gfp;
	const size_t size = run->unit->size;
	unsigned int first, end, i, j;
	u64 made = 0;

	for (first = 0; first < count; first = end) {
		end = min_t(unsigned int, first + HAND_OUT, count);
		for (i = 1; i < run->nr_workers; i++) {
			void **objects = run->workers[i]->objects;

			for (j = first; j < end; j++) {
				void *object;

				burn(handicapped);
				object = kmalloc(size, gfp);
				if (unlikely(!object))
					return made;
				/* The object is whole before consume_loop() sees the pointer. */
				smp_store_release(&objects[j], object);
				made++;
			}
		}
	}
	return made;
}

static noinline __aligned(LOOP_ALIGNMENT) u64 produce(struct worker *worker)
{
	if (worker->run->plan.handicap)
		return produce_loop(worker, true);
	return produce_loop(worker, false);
}

static __always_inline bool arrived(void **slot, void **object)
{
	/* Pairs with produce_loop(). */
	*object = smp_load_acquire(slot);
	return *object;
}

static __always_inline unsigned int consume_loop(struct worker *worker, bool handicapped)
{
	const unsigned int count = worker->run->plan.count;
	void **objects = worker->objects;
	unsigned int i;

	for (i = 0; i < count; i++) {
		void *object;

		burn(handicapped);
		if (spin_until(worker, arrived(&objects[i], &object)))
			break;
		kfree(object);
	}
	return i;
}

static noinline __aligned(LOOP_ALIGNMENT) unsigned int consume(struct worker *worker)
{
	if (worker->run->plan.handicap)
		return consume_loop(worker, true);
	return consume_loop(worker, false);
}

/* The first CPU allocates for all the others, who free as the objects arrive. */
static int alloc_one_free_all(struct worker *worker)
{
	struct run *run = worker->run;
	const u64 wanted = (u64)run->plan.count * (run->nr_workers - 1);
	int error;
	u64 made;

	if (worker->index) {
		memset(worker->objects, 0, run->plan.count * sizeof(*worker->objects));
		/* From here on the producer may fill any of them, whatever happens to us. */
		worker->filled = run->plan.count;
		error = phase_begin(worker, 1);
		if (error)
			return error;
		worker->freed = consume(worker);
		phase_end(worker, 1, worker->freed);
		worker->back += worker->freed;
		return worker->freed < worker->filled ? -ECANCELED : 0;
	}

	error = phase_begin(worker, 0);
	if (error)
		return error;
	made = produce(worker);
	phase_end(worker, 0, made);
	worker->out += made;
	if (made < wanted)
		return run_fail(run, -ENOMEM, "%s: kmalloc(%u) number %llu failed on CPU %u",
				run->unit->bench->name, run->unit->size, made + 1, worker->cpu);
	return 0;
}

const struct bench alloc_one_free_all_bench = {
	.name = "alloc_one_free_all",
	.title = "the first CPU kmallocs N objects for each other CPU, who kfree as they arrive",
	.line = "1 alloc N free",
	.rev = 1,
	.flags = BENCH_ALL_CPUS | BENCH_BY_ROLE,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.supported = needs_two_cpus,
	.run = alloc_one_free_all,
};
