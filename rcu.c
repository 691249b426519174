// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of kfree_rcu(): what the call costs, how long it takes until the objects are back, and how
 * much slab memory waits meanwhile.
 *
 * Objects come from a cache of their own, because that answers when the last one is back:
 * kmem_cache_shrink() returns 0 once the cache has no slab left. There is no other way on all
 * kernels: before 6.12 rcu_barrier() does not wait for kfree_rcu(), and what does is not exported
 * to modules everywhere. Destroying a cache before its objects are back would be a bug.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "objects.h"
#include "slab_test.h"

/* Some kernels gather for five seconds before they wait for a grace period. */
#define PATIENCE_NS	(120ULL * NSEC_PER_SEC)

/* A test that does not wait after each round lets this much memory wait for its grace period. */
#define BYTES_WAITING	SZ_16M

enum { METRIC_RETURN, METRIC_PEAK };

static const char *needs_cache_that_tells(const struct plan *plan)
{
	struct kmem_cache *cache;
	bool tells = false;
	void *object;

	cache = compat_cache_create("slab_test-tells", 64, COMPAT_SLAB_SKIP_KFENCE);
	if (!cache)
		return "needs memory for a cache";
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	if (object) {
		tells = kmem_cache_shrink(cache);
		kmem_cache_free(cache, object);
	}
	kmem_cache_destroy(cache);
	return tells ? NULL : "needs an allocator that tells when a cache is empty, as SLUB_DEBUG";
}

static const char *needs_cache_that_tells_and_two_cpus(const struct plan *plan)
{
	return needs_two_cpus(plan) ?: needs_cache_that_tells(plan);
}

static unsigned long node_slab_pages(struct pglist_data *node)
{
	long pages = atomic_long_read(&node->vm_stat[NR_SLAB_UNRECLAIMABLE_B]);
	int cpu;

	/* What each CPU has not added yet may be more than all that a small cache has. */
	for_each_online_cpu(cpu)
		pages += READ_ONCE(per_cpu_ptr(node->per_cpu_nodestats, cpu)->
				   vm_node_stat_diff[NR_SLAB_UNRECLAIMABLE_B]);
	return pages;
}

static long slab_pages(void)
{
	long pages = 0;
	int node;

	for_each_online_node(node)
		pages += node_slab_pages(NODE_DATA(node));
	return pages;
}

/**
 * wait_for_objects() - wait until all objects of the run's cache are back
 * @run: the run; its cache is shrunk again and again
 * @most: raised to the most pages of slab memory seen; may be NULL
 *
 * Goes on when the run is to stop: the cache cannot be destroyed before. May sleep, for at most two
 * minutes.
 *
 * Return: 0 or -ETIMEDOUT.
 */
int wait_for_objects(struct run *run, long *most)
{
	const u64 deadline = ktime_get_ns() + PATIENCE_NS;

	while (kmem_cache_shrink(run->cache)) {
		if (most)
			*most = max(*most, slab_pages());
		if (ktime_get_ns() > deadline)
			return -ETIMEDOUT;
		usleep_range(500, 1000);
	}
	return 0;
}

static bool returned(const struct run *run, unsigned int returns)
{
	/* Pairs with wait_for_return() of the first worker. */
	return smp_load_acquire(&run->returns) != returns;
}

/*
 * The first worker waits for the objects of all, and the others for it: asleep, because those who
 * free the objects want the CPUs.
 */
static int wait_for_return(struct worker *worker, long *most)
{
	struct run *run = worker->run;
	unsigned int returns = READ_ONCE(run->returns);
	int error = meet(worker);

	if (error)
		return error;
	if (!worker->index) {
		error = wait_for_objects(run, most);
		if (error)
			return run_fail(run, error, "%s: objects are not back after two minutes",
					run->unit->bench->name);
		/* Pairs with returned(). */
		smp_store_release(&run->returns, returns + 1);
		return 0;
	}
	while (!returned(run, returns)) {
		if (READ_ONCE(run->stop))
			return -ECANCELED;
		schedule_timeout_idle(1);
	}
	return 0;
}

static int kfree_rcu_objects(struct worker *worker)
{
	const struct unit *unit = worker->run->unit;
	long before = 0, most;
	u64 start;
	int error;

	if (!worker->index)
		before = slab_pages();
	error = alloc_then_free(worker);
	if (error)
		return error;
	start = ktime_get_ns();
	most = slab_pages();
	error = wait_for_return(worker, &most);
	if (error || worker->index || worker->round < 0)
		return error;
	*metric_at(unit, worker->round, METRIC_RETURN) = div_u64(ktime_get_ns() - start,
								 NSEC_PER_USEC);
	*metric_at(unit, worker->round, METRIC_PEAK) = (most - before) * (long)(PAGE_SIZE / 1024);
	return 0;
}

/* In one round after another, as in a steady stream; waits only where much memory would. */
static int batch_kfree_rcu(struct worker *worker)
{
	const struct run *run = worker->run;
	const u64 bytes = (u64)run->unit->count * run->unit->size * unit_parties(run, run->unit);
	const unsigned int rounds = div64_u64(BYTES_WAITING, bytes) + 1;
	int error = batch_alloc_free(worker);

	if (error || (worker->round + 1 + run->plan.warmup) % rounds)
		return error;
	return wait_for_return(worker, NULL);
}

const struct bench kfree_rcu_bench = {
	.name = "kfree_rcu",
	.title = "one CPU: kmem_cache_alloc N objects, kfree_rcu them, wait until all are back",
	.calls = { "kmem_cache_alloc", "kfree_rcu" },
	.source = SOURCE_RCU,
	.rev = 1,
	.flags = BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.nr_metrics = 2,
	.metrics = {
		[METRIC_RETURN] = { "return", "us", "lower" },
		[METRIC_PEAK] = { "peak", "KiB", "lower" },
	},
	.least_size = sizeof(struct rcu_object),
	.supported = needs_cache_that_tells,
	.run = kfree_rcu_objects,
};

const struct bench concurrent_kfree_rcu_bench = {
	.name = "concurrent_kfree_rcu",
	.title = "every CPU: kmem_cache_alloc N objects, meet, kfree_rcu them, wait for them",
	.line = "Kfree_rcu N*alloc N*free",
	.source = SOURCE_RCU,
	.rev = 1,
	.flags = BENCH_ALL_CPUS | BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.nr_metrics = 2,
	.metrics = {
		[METRIC_RETURN] = { "return", "us", "lower" },
		[METRIC_PEAK] = { "peak", "KiB", "lower" },
	},
	.least_size = sizeof(struct rcu_object),
	.supported = needs_cache_that_tells_and_two_cpus,
	.run = kfree_rcu_objects,
};

const struct bench batch_kfree_rcu_bench = {
	.name = "batch_kfree_rcu",
	.title = "one CPU: kmem_cache_alloc a batch, kfree_rcu it, until N are through",
	.source = SOURCE_RCU,
	.rev = 1,
	.flags = BENCH_BATCHES | BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.least_size = sizeof(struct rcu_object),
	.supported = needs_cache_that_tells,
	.run = batch_kfree_rcu,
};

const struct bench concurrent_batch_kfree_rcu_bench = {
	.name = "concurrent_batch_kfree_rcu",
	.title = "every CPU: kmem_cache_alloc a batch, kfree_rcu it, until N are through",
	.line = "Kfree_rcu N*(batch alloc, batch free)",
	.source = SOURCE_RCU,
	.rev = 1,
	.flags = BENCH_BATCHES | BENCH_ORDERS | BENCH_ALL_CPUS | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_BATCH },
	.least_size = sizeof(struct rcu_object),
	.supported = needs_cache_that_tells_and_two_cpus,
	.run = batch_kfree_rcu,
};
