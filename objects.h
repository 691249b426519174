/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where objects come from and go to. Every loop is compiled once for each source, with these calls
 * inlined: what is measured has no branch on the source.
 */
#ifndef SLAB_TEST_OBJECTS_H
#define SLAB_TEST_OBJECTS_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "slab_test.h"

/**
 * struct origin - what a loop needs to know of its objects, in registers
 * @size: bytes an object
 * @gfp: how to allocate
 * @cache: for SOURCE_CACHE and SOURCE_RCU
 * @node: for SOURCE_NODE
 * @order: for SOURCE_PAGES
 */
struct origin {
	size_t size;
	gfp_t gfp;
	struct kmem_cache *cache;
	int node;
	unsigned int order;
};

static __always_inline struct origin origin_of(const struct worker *worker)
{
	const struct run *run = worker->run;

	return (struct origin) {
		.size = run->unit->size,
		.gfp = run->plan.gfp,
		.cache = run->cache,
		.node = worker->node,
		.order = run->unit->size ? get_order(run->unit->size) : 0,
	};
}

/* What kfree_rcu() needs of an object. */
struct rcu_object {
	struct rcu_head rcu;
};

/* Keeps a loop that does nothing, and the register that the real one would use. */
static __always_inline void *pretend(void *object)
{
	asm volatile("" : "+r" (object));
	return object;
}

/**
 * take() - allocate an object
 * @source: a constant
 * @origin: of the objects
 * @pretended: what SOURCE_NOTHING "allocates"
 *
 * Return: the object, or NULL.
 */
static __always_inline void *take(enum source source, const struct origin *origin, void *pretended)
{
	switch (source) {
	case SOURCE_KMALLOC:
		return kmalloc(origin->size, origin->gfp);
	case SOURCE_ACCOUNTED:
		return kmalloc(origin->size, origin->gfp | __GFP_ACCOUNT);
	case SOURCE_NODE:
		return kmalloc_node(origin->size, origin->gfp | __GFP_THISNODE, origin->node);
	case SOURCE_CACHE:
	case SOURCE_RCU:
		return kmem_cache_alloc(origin->cache, origin->gfp);
	case SOURCE_PAGES:
		return alloc_pages(origin->gfp, origin->order);
	default:
		return pretend(pretended);
	}
}

/**
 * give_back() - free an object, or have it freed after a grace period
 * @source: a constant
 * @origin: of the objects
 * @object: from take()
 */
static __always_inline void give_back(enum source source, const struct origin *origin,
				      void *object)
{
	switch (source) {
	case SOURCE_KMALLOC:
	case SOURCE_ACCOUNTED:
	case SOURCE_NODE:
		kfree(object);
		break;
	case SOURCE_CACHE:
		kmem_cache_free(origin->cache, object);
		break;
	case SOURCE_PAGES:
		__free_pages(object, origin->order);
		break;
	case SOURCE_RCU:
		kfree_rcu((struct rcu_object *)object, rcu);
		break;
	default:
		pretend(object);
	}
}

/*
 * The right one of a loop's variants; @loop ends its arguments with the source and whether there is
 * a handicap, both constants.
 */
#define LOOP_VARIANT(worker, loop, source, ...)					\
	((worker)->run->plan.handicap ? loop(__VA_ARGS__, source, true) :	\
					loop(__VA_ARGS__, source, false))

#define LOOP_OF_SOURCE(worker, loop, ...)					\
({										\
	u64 done = 0;								\
										\
	switch ((worker)->run->unit->bench->source) {				\
	case SOURCE_KMALLOC:							\
		done = LOOP_VARIANT(worker, loop, SOURCE_KMALLOC, __VA_ARGS__);	\
		break;								\
	case SOURCE_ACCOUNTED:							\
		done = LOOP_VARIANT(worker, loop, SOURCE_ACCOUNTED, __VA_ARGS__);	\
		break;								\
	case SOURCE_NODE:							\
		done = LOOP_VARIANT(worker, loop, SOURCE_NODE, __VA_ARGS__);	\
		break;								\
	case SOURCE_CACHE:							\
		done = LOOP_VARIANT(worker, loop, SOURCE_CACHE, __VA_ARGS__);	\
		break;								\
	case SOURCE_PAGES:							\
		done = LOOP_VARIANT(worker, loop, SOURCE_PAGES, __VA_ARGS__);	\
		break;								\
	case SOURCE_RCU:							\
		done = LOOP_VARIANT(worker, loop, SOURCE_RCU, __VA_ARGS__);	\
		break;								\
	case SOURCE_NOTHING:							\
		break;								\
	}									\
	done;									\
})

#endif /* SLAB_TEST_OBJECTS_H */
