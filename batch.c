// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that allocate some objects and free them again before they allocate the next: with batches
 * that the CPU's own caches hold, and larger ones. And the allocator's own calls for many objects.
 */
#include "handicap.h"
#include "objects.h"
#include "slab_test.h"

/*
 * Frees a batch in the order of the unit, by way of worker->sequence, which costs the same whatever
 * the order is.
 */
static __always_inline u64 batch_loop(struct worker *worker, unsigned int batch,
				      enum source source, bool handicapped)
{
	const unsigned int count = worker->run->unit->count;
	const struct origin origin = origin_of(worker);
	const unsigned short *sequence = worker->sequence;
	void **objects = worker->objects;
	unsigned int done, size, i;
	void *object = objects;

	for (done = 0; done < count; done += size) {
		size = min(batch, count - done);
		for (i = 0; i < size; i++) {
			burn(handicapped);
			object = take(source, &origin, object);
			objects[i] = object;
			if (unlikely(!object))
				goto failed;
		}
		for (i = 0; i < size; i++)
			give_back(source, &origin, objects[sequence[i]]);
	}
	return done;

failed:
	worker->filled = i;
	return done;
}

/**
 * null_batches() - the loop of tests that work in batches, without the allocator
 * @worker: whose; its objects are overwritten with pointers to nothing
 *
 * In batches of 100, so that a hundredth of what a batch costs besides its objects is in it.
 */
void null_batches(struct worker *worker)
{
	LOOP_VARIANT(worker, batch_loop, SOURCE_NOTHING, worker, 100);
}

static noinline __aligned(LOOP_ALIGNMENT) unsigned int batch_objects(struct worker *worker)
{
	const unsigned int batch = worker->run->unit->batch;

	return LOOP_OF_SOURCE(worker, batch_loop, worker, batch);
}

/* Nothing of it is per object but the calls, so nothing is calibrated. */
static __always_inline u64 bulk_loop(struct worker *worker, bool handicapped)
{
	const unsigned int count = worker->run->unit->count;
	const unsigned int batch = worker->run->unit->batch;
	struct kmem_cache *cache = worker->run->cache;
	const gfp_t gfp = worker->run->plan.gfp;
	void **objects = worker->objects;
	unsigned int done, size, i;

	for (done = 0; done < count; done += size) {
		size = min(batch, count - done);
		for (i = 0; handicapped && i < size; i++)
			burn(handicapped);
		/* A number up to 6.12, true or false later; all or nothing in both. */
		if (unlikely(!kmem_cache_alloc_bulk(cache, gfp, size, objects)))
			break;
		kmem_cache_free_bulk(cache, size, objects);
	}
	return done;
}

static noinline __aligned(LOOP_ALIGNMENT) unsigned int bulk_objects(struct worker *worker)
{
	if (worker->run->plan.handicap)
		return bulk_loop(worker, true);
	return bulk_loop(worker, false);
}

/* The order in which a batch is freed, as places in it; new for each round when it is random. */
static void arrange_batch(struct worker *worker)
{
	const unsigned int batch = worker->run->unit->batch;
	unsigned short *sequence = worker->sequence;
	unsigned int i, j;

	for (i = 0; i < batch; i++)
		sequence[i] = worker->run->unit->order == ORDER_LIFO ? batch - 1 - i : i;
	if (worker->run->unit->order != ORDER_RANDOM)
		return;
	for (i = batch; i > 1; i--) {
		j = prandom_u32_state(&worker->random) % i;
		swap(sequence[i - 1], sequence[j]);
	}
}

/**
 * batch_alloc_free() - one round: batches of allocations and their frees until all are through
 * @worker: who; alone or one of all, who meet before
 *
 * Return: 0 or a negative error.
 */
int batch_alloc_free(struct worker *worker)
{
	arrange_batch(worker);
	return measure_pairs(worker, batch_objects);
}

static int bulk_alloc_free(struct worker *worker)
{
	return measure_pairs(worker, bulk_objects);
}

const struct bench batch_alloc_free_bench = {
	.name = "batch_alloc_free",
	.title = "one CPU: kmalloc a batch, kfree it, until N are through",
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_BATCHES | BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.run = batch_alloc_free,
};

const struct bench concurrent_batch_alloc_free_bench = {
	.name = "concurrent_batch_alloc_free",
	.title = "every CPU: kmalloc a batch, kfree it, until N are through",
	.line = "Kmalloc N*(batch alloc, batch free)",
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_BATCHES | BENCH_ORDERS | BENCH_ALL_CPUS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.supported = needs_two_cpus,
	.run = batch_alloc_free,
};

const struct bench accounted_batch_alloc_free_bench = {
	.name = "accounted_batch_alloc_free",
	.title = "the same as batch_alloc_free, accounted to a memory cgroup",
	.source = SOURCE_ACCOUNTED,
	.rev = 1,
	.flags = BENCH_BATCHES | BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.supported = needs_memory_cgroup,
	.run = batch_alloc_free,
};

const struct bench accounted_concurrent_batch_alloc_free_bench = {
	.name = "accounted_concurrent_batch_alloc_free",
	.title = "the same as concurrent_batch_alloc_free, accounted to a memory cgroup",
	.line = "Accounted N*(batch alloc, batch free)",
	.source = SOURCE_ACCOUNTED,
	.rev = 1,
	.flags = BENCH_BATCHES | BENCH_ORDERS | BENCH_ALL_CPUS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.supported = needs_memory_cgroup_and_two_cpus,
	.run = batch_alloc_free,
};

const struct bench bulk_alloc_free_bench = {
	.name = "bulk_alloc_free",
	.title = "one CPU: kmem_cache_alloc_bulk, kmem_cache_free_bulk, until N are through",
	.source = SOURCE_CACHE,
	.rev = 1,
	.flags = BENCH_BULKS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BULK },
	.run = bulk_alloc_free,
};

const struct bench bulk_fallback_bench = {
	.name = "bulk_fallback",
	.title = "the same as bulk_alloc_free, with a call for each object",
	.source = SOURCE_CACHE,
	.rev = 1,
	.flags = BENCH_BULKS | BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.run = batch_alloc_free,
};
