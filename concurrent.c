// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of all CPUs at once. Every CPU runs the same function; phase_begin() and meet() are where
 * they wait for each other, so each function must reach them equally often on every CPU.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "handicap.h"
#include "objects.h"
#include "slab_test.h"

/**
 * needs_two_cpus() - for tests that hand objects from one CPU to another
 * @plan: to be run
 *
 * Return: NULL, or the reason why not.
 */
const char *needs_two_cpus(const struct plan *plan)
{
	return cpumask_weight(plan->cpus) < 2 ? "needs two CPUs" : NULL;
}

const struct bench concurrent_alloc_then_free_bench = {
	.name = "concurrent_alloc_then_free",
	.title = "every CPU: kmalloc N objects, meet, kfree them",
	.line = "Kmalloc N*alloc N*free",
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_ALL_CPUS | BENCH_ORDERS,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.supported = needs_two_cpus,
	.run = alloc_then_free,
};

const struct bench concurrent_alloc_free_bench = {
	.name = "concurrent_alloc_free",
	.title = "every CPU: N times kmalloc directly followed by kfree",
	.line = "Kmalloc N*(alloc free)",
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_ALL_CPUS,
	.nr_phases = 1,
	.phases = { PHASE_PAIR },
	.supported = needs_two_cpus,
	.run = alloc_free,
};

/**
 * remote_free() - one round: the first CPU frees what all the others allocated
 * @worker: who
 *
 * Return: 0 or a negative error.
 */
int remote_free(struct worker *worker)
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
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_ALL_CPUS | BENCH_ORDERS | BENCH_SPINS,
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
static __always_inline u64 produce_loop(struct worker *worker, enum source source,
					bool handicapped)
{
	struct run *run = worker->run;
	const unsigned int count = run->unit->count;
	const struct origin origin = origin_of(worker);
	unsigned int first, end, i, j;
	u64 made = 0;

	for (first = 0; first < count; first = end) {
		end = min_t(unsigned int, first + HAND_OUT, count);
		for (i = 1; i < run->nr_workers; i++) {
			void **objects = run->workers[i]->objects;

			for (j = first; j < end; j++) {
				void *object;

				burn(handicapped);
				object = take(source, &origin, NULL);
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
	return LOOP_OF_SOURCE(worker, produce_loop, worker);
}

static __always_inline bool arrived(void **slot, void **object)
{
	/* Pairs with who stored it: produce_loop() or ring_loop(). */
	*object = smp_load_acquire(slot);
	return *object;
}

static __always_inline u64 consume_loop(struct worker *worker, enum source source,
					bool handicapped)
{
	const unsigned int count = worker->run->unit->count;
	const struct origin origin = origin_of(worker);
	void **objects = worker->objects;
	unsigned int i;

	for (i = 0; i < count; i++) {
		void *object;

		burn(handicapped);
		if (spin_until(worker, arrived(&objects[i], &object)))
			break;
		give_back(source, &origin, object);
	}
	return i;
}

static noinline __aligned(LOOP_ALIGNMENT) unsigned int consume(struct worker *worker)
{
	return LOOP_OF_SOURCE(worker, consume_loop, worker);
}

/**
 * alloc_one_free_all() - one round: the first CPU allocates, the others free as objects arrive
 * @worker: who
 *
 * Return: 0 or a negative error.
 */
int alloc_one_free_all(struct worker *worker)
{
	struct run *run = worker->run;
	const u64 wanted = (u64)run->unit->count * (run->nr_workers - 1);
	int error;
	u64 made;

	if (worker->index) {
		memset(worker->objects, 0, run->unit->count * sizeof(*worker->objects));
		/* From here on the producer may fill any of them, whatever happens to us. */
		worker->filled = run->unit->count;
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
		return run_fail(run, -ENOMEM, "%s: %u bytes, number %llu failed on CPU %u",
				run->unit->bench->name, run->unit->size, made + 1, worker->cpu);
	return 0;
}

const struct bench alloc_one_free_all_bench = {
	.name = "alloc_one_free_all",
	.title = "the first CPU kmallocs N objects for each other CPU, who kfree as they arrive",
	.line = "1 alloc N free",
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_ALL_CPUS | BENCH_BY_ROLE | BENCH_SPINS,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.supported = needs_two_cpus,
	.run = alloc_one_free_all,
};

/*
 * Every CPU allocates into a ring of its own and frees from that of the CPU before it, both at
 * once: each object is freed by another CPU than its own, on all of them. A ring holds few objects,
 * so that nobody runs ahead.
 */
static __always_inline bool emptied(void **slot)
{
	/* Pairs with ring_loop() of the CPU that frees. */
	return !smp_load_acquire(slot);
}

static __always_inline u64 ring_loop(struct worker *worker, struct worker *before,
				     enum source source, bool handicapped)
{
	const unsigned int count = worker->run->unit->count;
	const struct origin origin = origin_of(worker);
	void **mine = worker->objects, **theirs = before->objects;
	unsigned int made = 0, freed = 0;
	void *object;

	while (made < count || freed < count) {
		if (made < count && emptied(&mine[made % RING])) {
			burn(handicapped);
			object = take(source, &origin, NULL);
			if (unlikely(!object))
				break;
			/* Pairs with arrived(). */
			smp_store_release(&mine[made++ % RING], object);
		}
		if (freed < count && arrived(&theirs[freed % RING], &object)) {
			give_back(source, &origin, object);
			/* Pairs with emptied(). */
			smp_store_release(&theirs[freed++ % RING], NULL);
			continue;
		}
		if (spin_until(worker, (made == count && freed == count) ||
			       (freed < count && arrived(&theirs[freed % RING], &object)) ||
			       (made < count && emptied(&mine[made % RING]))))
			break;
	}
	worker->out += made;
	worker->back += freed;
	return freed;
}

static noinline __aligned(LOOP_ALIGNMENT) u64 ring_objects(struct worker *worker)
{
	struct run *run = worker->run;
	struct worker *before = run->workers[(worker->index + run->nr_workers - 1) %
					     run->nr_workers];

	return LOOP_VARIANT(worker, ring_loop, SOURCE_KMALLOC, worker, before);
}

static int ring(struct worker *worker)
{
	struct run *run = worker->run;
	unsigned int freed;
	int error;

	memset(worker->objects, 0, RING * sizeof(*worker->objects));
	/* From here on any of them may be filled. */
	worker->filled = RING;
	error = phase_begin(worker, 0);
	if (error)
		return error;
	freed = ring_objects(worker);
	phase_end(worker, 0, freed);
	if (freed == run->unit->count)
		return 0;
	if (READ_ONCE(run->stop))
		return -ECANCELED;
	return run_fail(run, -ENOMEM, "%s: %u bytes, an allocation failed on CPU %u",
			run->unit->bench->name, run->unit->size, worker->cpu);
}

const struct bench ring_bench = {
	.name = "ring",
	.title = "every CPU: kmalloc N objects, kfree the N of the CPU before, in rings of 256",
	.line = "Ring N*(alloc, free of another CPU)",
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_ALL_CPUS | BENCH_EXTRA | BENCH_SPINS,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.supported = needs_two_cpus,
	.run = ring,
};
