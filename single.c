// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of one CPU, and the loops that the tests of all CPUs share with them.
 *
 * A loop is written once and compiled for each source of objects, without the allocator's calls (to
 * calibrate it, and for the test "null"), and with the handicap. What runs between two clock stamps
 * has no indirect call and, without the handicap, at most six instructions an operation besides the
 * allocator's (twice that in batches).
 */
#include <linux/slab.h>

#include "handicap.h"
#include "objects.h"
#include "slab_test.h"

static __always_inline u64 alloc_loop(struct worker *worker, void **objects, unsigned int count,
				      enum source source, bool handicapped)
{
	const struct origin origin = origin_of(worker);
	void *object = objects;
	unsigned int i;

	for (i = 0; i < count; i++) {
		burn(handicapped);
		object = take(source, &origin, object);
		objects[i] = object;
		if (unlikely(!object))
			break;
	}
	return i;
}

static __always_inline u64 free_loop(struct worker *worker, void **objects, unsigned int count,
				     enum source source, bool handicapped)
{
	const struct origin origin = origin_of(worker);
	unsigned int i;

	for (i = 0; i < count; i++) {
		void *object;

		burn(handicapped);
		object = objects[i];
		give_back(source, &origin, object);
	}
	return i;
}

static __always_inline u64 pair_loop(struct worker *worker, enum source source, bool handicapped)
{
	const unsigned int count = worker->run->unit->count;
	const struct origin origin = origin_of(worker);
	void *object = worker;
	unsigned int i;

	for (i = 0; i < count; i++) {
		burn(handicapped);
		object = take(source, &origin, object);
		if (unlikely(!object))
			break;
		if (source != SOURCE_NOTHING)
			give_back(source, &origin, object);
	}
	return i;
}

/**
 * null_loop() - a phase's loop without the allocator
 * @worker: whose; its objects are overwritten with pointers to nothing
 * @phase: one of the first NR_LOOPS; of as many operations as the unit has
 */
noinline void null_loop(struct worker *worker, enum phase phase)
{
	const unsigned int count = worker->run->unit->count;
	void **objects = worker->objects;

	switch (phase) {
	case PHASE_ALLOC:
		LOOP_VARIANT(worker, alloc_loop, SOURCE_NOTHING, worker, objects, count);
		break;
	case PHASE_FREE:
		LOOP_VARIANT(worker, free_loop, SOURCE_NOTHING, worker, objects, count);
		break;
	case PHASE_BATCH:
		null_batches(worker);
		break;
	default:
		LOOP_VARIANT(worker, pair_loop, SOURCE_NOTHING, worker);
	}
}

/* From what is there up to the unit's count; told to objects_out(). */
static noinline __aligned(LOOP_ALIGNMENT) unsigned int alloc_objects(struct worker *worker)
{
	const unsigned int count = worker->run->unit->count - worker->filled;
	void **objects = worker->objects + worker->filled;

	return LOOP_OF_SOURCE(worker, alloc_loop, worker, objects, count);
}

static int objects_out(struct worker *worker, unsigned int allocated)
{
	worker->filled += allocated;
	worker->out += allocated;
	if (worker->filled < worker->run->unit->count)
		return run_fail(worker->run, -ENOMEM, "%s: %u bytes, number %u failed on CPU %u",
				worker->run->unit->bench->name, worker->run->unit->size,
				worker->filled + 1, worker->cpu);
	return 0;
}

static noinline __aligned(LOOP_ALIGNMENT) unsigned int alloc_free_objects(struct worker *worker)
{
	return LOOP_OF_SOURCE(worker, pair_loop, worker);
}

/**
 * free_objects() - free all objects that a worker holds
 * @worker: who frees
 * @owner: whose objects; the same or another worker, who must not touch them meanwhile
 *
 * Return: how many were freed.
 */
noinline u64 free_objects(struct worker *worker, struct worker *owner)
{
	unsigned int count = owner->filled - owner->freed;
	void **objects = owner->objects + owner->freed;

	LOOP_OF_SOURCE(worker, free_loop, worker, objects, count);
	owner->freed = owner->filled;
	worker->back += count;
	return count;
}

/**
 * arrange_objects() - bring the objects into the order in which the unit frees them
 * @worker: whose objects
 *
 * The pointers are moved, never the objects, and outside of any measured phase: the loop that
 * frees is the same for every order.
 */
void arrange_objects(struct worker *worker)
{
	void **objects = worker->objects;
	unsigned int count = worker->filled;
	unsigned int i, j;

	switch (worker->run->unit->order) {
	case ORDER_LIFO:
		for (i = 0; i < count / 2; i++)
			swap(objects[i], objects[count - 1 - i]);
		break;
	case ORDER_RANDOM:
		for (i = count; i > 1; i--) {
			j = prandom_u32_state(&worker->random) % i;
			swap(objects[i - 1], objects[j]);
		}
		break;
	default:
		break;
	}
}

/**
 * alloc_phase() - allocate up to the unit's count of objects as a measured phase
 * @worker: who; what it holds already stays
 * @phase: index of the phase
 *
 * Return: 0, -ECANCELED when the run stops, -ENOMEM when an allocation failed (the run ends).
 */
int alloc_phase(struct worker *worker, unsigned int phase)
{
	int error = phase_begin(worker, phase);
	unsigned int allocated;

	if (error)
		return error;
	allocated = alloc_objects(worker);
	phase_end(worker, phase, allocated);
	return objects_out(worker, allocated);
}

/**
 * alloc_then_free() - one round: count allocations, then as many frees
 * @worker: who; alone or one of all, who meet before each phase
 *
 * Return: 0 or a negative error.
 */
int alloc_then_free(struct worker *worker)
{
	u64 freed;
	int error;

	error = alloc_phase(worker, 0);
	if (error)
		return error;
	arrange_objects(worker);

	error = phase_begin(worker, 1);
	if (error)
		return error;
	freed = free_objects(worker, worker);
	phase_end(worker, 1, freed);
	return 0;
}

/**
 * measure_pairs() - one round of a test whose loop frees what it allocates
 * @worker: who; alone or one of all, who meet before
 * @loop: returns how many operations it did, all of the unit's unless an allocation failed; what is
 *	  still allocated then is told by worker->filled
 *
 * Return: 0 or a negative error.
 */
int measure_pairs(struct worker *worker, unsigned int (*loop)(struct worker *worker))
{
	const struct unit *unit = worker->run->unit;
	unsigned int done;
	int error;

	error = phase_begin(worker, 0);
	if (error)
		return error;
	done = loop(worker);
	phase_end(worker, 0, done);
	worker->out += done + worker->filled;
	worker->back += done;
	if (done < unit->count)
		return run_fail(worker->run, -ENOMEM, "%s: %u bytes, number %u failed on CPU %u",
				unit->bench->name, unit->size, done + worker->filled + 1,
				worker->cpu);
	return 0;
}

/**
 * alloc_free() - one round: count times an allocation and its free
 * @worker: who; alone or one of all, who meet before
 *
 * Return: 0 or a negative error.
 */
int alloc_free(struct worker *worker)
{
	return measure_pairs(worker, alloc_free_objects);
}

/*
 * The last object and every other one before it to the end of the array, in the order in which they
 * came. Pointers are moved, never objects.
 */
static void part_objects(void **objects, unsigned int count, unsigned int half)
{
	unsigned int i;

	for (i = 1; i < half; i++)
		swap(objects[count - 1 - i], objects[count - 1 - 2 * i]);
}

/* The same steps backwards. */
static void join_objects(void **objects, unsigned int count, unsigned int half)
{
	unsigned int i;

	for (i = half - 1; i > 0; i--)
		swap(objects[count - 1 - i], objects[count - 1 - 2 * i]);
}

/**
 * fragmented() - one round: free every other object, allocate as many again, free all
 * @worker: who; alone or one of all, who meet before each phase
 *
 * So slabs are partly used when they are allocated from, as they are on a machine that has run for
 * a while. Filling them first is not measured: alloc_then_free() does that.
 *
 * Return: 0 or a negative error.
 */
int fragmented(struct worker *worker)
{
	const unsigned int count = worker->run->unit->count;
	const unsigned int half = DIV_ROUND_UP(count, 2);
	u64 freed;
	int error;

	error = objects_out(worker, alloc_objects(worker));
	if (error)
		return error;
	part_objects(worker->objects, count, half);

	error = phase_begin(worker, 0);
	if (error)
		return error;
	worker->freed = count - half;
	freed = free_objects(worker, worker);
	phase_end(worker, 0, freed);
	worker->filled = count - half;
	worker->freed = 0;

	error = alloc_phase(worker, 1);
	if (error)
		return error;
	join_objects(worker->objects, count, half);
	arrange_objects(worker);

	error = phase_begin(worker, 2);
	if (error)
		return error;
	freed = free_objects(worker, worker);
	phase_end(worker, 2, freed);
	return 0;
}

const struct bench alloc_then_free_bench = {
	.name = "alloc_then_free",
	.title = "one CPU: kmalloc N objects, then kfree them",
	.calls = { "kmalloc", "kfree" },
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_ORDERS,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.run = alloc_then_free,
};

const struct bench alloc_free_bench = {
	.name = "alloc_free",
	.title = "one CPU: N times kmalloc directly followed by kfree",
	.calls = { "kmalloc", "kfree" },
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.nr_phases = 1,
	.phases = { PHASE_PAIR },
	.run = alloc_free,
};

const struct bench fragmented_bench = {
	.name = "fragmented",
	.title = "one CPU: of N objects kfree every other one, kmalloc as many, kfree all",
	.source = SOURCE_KMALLOC,
	.rev = 1,
	.flags = BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 3,
	.phases = { PHASE_FREE_HALF, PHASE_ALLOC_HALF, PHASE_FREE_ALL },
	.run = fragmented,
};

static int null(struct worker *worker)
{
	const unsigned int count = worker->run->unit->count;
	const struct bench *bench = worker->run->unit->bench;
	unsigned int i;
	int error;

	for (i = 0; i < bench->nr_phases; i++) {
		error = phase_begin(worker, i);
		if (error)
			return error;
		null_loop(worker, bench->phases[i]);
		phase_end(worker, i, count);
	}
	return 0;
}

const struct bench null_bench = {
	.name = "null",
	.title = "one CPU: the loops without the allocator; 0 after calibration",
	.rev = 1,
	.nr_phases = 3,
	.phases = { PHASE_ALLOC, PHASE_FREE, PHASE_PAIR },
	.run = null,
};

/* Eight multiplications an operation, each needing the result of the one before. */
static noinline __aligned(LOOP_ALIGNMENT) void multiply(unsigned int count)
{
	unsigned long x = 1;
	unsigned int i, j;

	for (i = 0; i < count; i++) {
		for (j = 0; j < 8; j++) {
			x = x * 2654435761UL + 1;
			asm volatile("" : "+r" (x));
		}
	}
}

static int control(struct worker *worker)
{
	const unsigned int count = worker->run->unit->count;
	int error = phase_begin(worker, 0);

	if (error)
		return error;
	multiply(count);
	phase_end(worker, 0, count);
	return 0;
}

const struct bench control_bench = {
	.name = "control",
	.title = "one CPU: a chain of multiplications; must not move between kernels",
	.rev = 1,
	.flags = BENCH_NO_SIZE,
	.nr_phases = 1,
	.phases = { PHASE_MULTIPLY },
	.run = control,
};
