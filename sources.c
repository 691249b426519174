// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classic tests with objects from elsewhere: a cache of their own, accounted to a memory
 * cgroup, on another node, or whole pages. The loops are those of single.c and concurrent.c.
 */
#include <linux/memcontrol.h>
#include <linux/nodemask.h>

#include "slab_test.h"

/**
 * needs_memory_cgroup() - for tests of accounted objects
 * @plan: to be run
 *
 * Return: NULL, or the reason why not.
 */
const char *needs_memory_cgroup(const struct plan *plan)
{
	if (!IS_ENABLED(CONFIG_MEMCG))
		return "needs a kernel with CONFIG_MEMCG";
	if (!plan->memcg)
		return "needs to be started from a memory cgroup other than the root's";
	return NULL;
}

/**
 * needs_memory_cgroup_and_two_cpus() - for tests of all CPUs with accounted objects
 * @plan: to be run
 *
 * Return: NULL, or the reason why not.
 */
const char *needs_memory_cgroup_and_two_cpus(const struct plan *plan)
{
	return needs_memory_cgroup(plan) ?: needs_two_cpus(plan);
}

static const char *needs_two_nodes(const struct plan *plan)
{
	return num_node_state(N_MEMORY) < 2 ? "needs two nodes with memory" : NULL;
}

/* The six of a source, alike but for names. */
#define ONE_CPU(prefix, test, from, supports, text, alloc, free, more, ...)	\
const struct bench prefix##_##test##_bench = {					\
	.name = #prefix "_" #test,						\
	.title = text,								\
	.calls = { alloc, free },						\
	.source = from,								\
	.rev = 1,								\
	.flags = BENCH_EXTRA | (more),						\
	.nr_phases = sizeof((enum phase[]){ __VA_ARGS__ }) / sizeof(enum phase),	\
	.phases = { __VA_ARGS__ },						\
	.supported = supports,							\
	.run = test,								\
}

#define ALL_CPUS(prefix, test, function, from, supports, text, label, more, ...)		\
const struct bench prefix##_##test##_bench = {					\
	.name = #prefix "_" #test,						\
	.title = text,								\
	.line = label,								\
	.source = from,								\
	.rev = 1,								\
	.flags = BENCH_ALL_CPUS | BENCH_EXTRA | (more),			\
	.nr_phases = sizeof((enum phase[]){ __VA_ARGS__ }) / sizeof(enum phase),	\
	.phases = { __VA_ARGS__ },						\
	.supported = supports,							\
	.run = function,							\
}

ONE_CPU(cache, alloc_then_free, SOURCE_CACHE, NULL,
	"alloc_then_free with a cache of its own", "kmem_cache_alloc", "kmem_cache_free",
	BENCH_ORDERS, PHASE_ALLOC, PHASE_FREE);
ONE_CPU(cache, alloc_free, SOURCE_CACHE, NULL,
	"alloc_free with a cache of its own", "kmem_cache_alloc", "kmem_cache_free", 0,
	PHASE_PAIR);
ONE_CPU(cache, fragmented, SOURCE_CACHE, NULL,
	"fragmented with a cache of its own", NULL, NULL,
	BENCH_ORDERS, PHASE_FREE_HALF, PHASE_ALLOC_HALF, PHASE_FREE_ALL);
ALL_CPUS(cache, concurrent_alloc_then_free, alloc_then_free, SOURCE_CACHE, needs_two_cpus,
	 "concurrent_alloc_then_free with a cache of its own", "Cache N*alloc N*free", BENCH_ORDERS,
	 PHASE_ALLOC, PHASE_FREE);
ALL_CPUS(cache, concurrent_alloc_free, alloc_free, SOURCE_CACHE, needs_two_cpus,
	 "concurrent_alloc_free with a cache of its own", "Cache N*(alloc free)", 0, PHASE_PAIR);
ALL_CPUS(cache, remote_free, remote_free, SOURCE_CACHE, needs_two_cpus,
	 "remote_free with a cache of its own", "Cache N*remote free", BENCH_ORDERS | BENCH_SPINS,
	 PHASE_ALLOC, PHASE_FREE);
ALL_CPUS(cache, alloc_one_free_all, alloc_one_free_all, SOURCE_CACHE, needs_two_cpus,
	 "alloc_one_free_all with a cache of its own", "Cache 1 alloc N free",
	 BENCH_BY_ROLE | BENCH_SPINS, PHASE_ALLOC, PHASE_FREE);

ONE_CPU(accounted, alloc_then_free, SOURCE_ACCOUNTED, needs_memory_cgroup,
	"alloc_then_free, accounted to a memory cgroup", "kmalloc_account", "kfree",
	BENCH_ORDERS, PHASE_ALLOC, PHASE_FREE);
ONE_CPU(accounted, alloc_free, SOURCE_ACCOUNTED, needs_memory_cgroup,
	"alloc_free, accounted to a memory cgroup", "kmalloc_account", "kfree", 0, PHASE_PAIR);
ONE_CPU(accounted, fragmented, SOURCE_ACCOUNTED, needs_memory_cgroup,
	"fragmented, accounted to a memory cgroup", NULL, NULL,
	BENCH_ORDERS, PHASE_FREE_HALF, PHASE_ALLOC_HALF, PHASE_FREE_ALL);
ALL_CPUS(accounted, concurrent_alloc_then_free, alloc_then_free, SOURCE_ACCOUNTED,
	 needs_memory_cgroup_and_two_cpus,
	 "concurrent_alloc_then_free, accounted to a memory cgroup", "Accounted N*alloc N*free",
	 BENCH_ORDERS, PHASE_ALLOC, PHASE_FREE);
ALL_CPUS(accounted, concurrent_alloc_free, alloc_free, SOURCE_ACCOUNTED,
	 needs_memory_cgroup_and_two_cpus,
	 "concurrent_alloc_free, accounted to a memory cgroup", "Accounted N*(alloc free)", 0,
	 PHASE_PAIR);
ALL_CPUS(accounted, remote_free, remote_free, SOURCE_ACCOUNTED,
	 needs_memory_cgroup_and_two_cpus,
	 "remote_free, accounted to a memory cgroup", "Accounted N*remote free",
	 BENCH_ORDERS | BENCH_SPINS, PHASE_ALLOC, PHASE_FREE);
ALL_CPUS(accounted, alloc_one_free_all, alloc_one_free_all, SOURCE_ACCOUNTED,
	 needs_memory_cgroup_and_two_cpus,
	 "alloc_one_free_all, accounted to a memory cgroup", "Accounted 1 alloc N free",
	 BENCH_BY_ROLE | BENCH_SPINS, PHASE_ALLOC, PHASE_FREE);

ONE_CPU(node, alloc_then_free, SOURCE_NODE, needs_two_nodes,
	"alloc_then_free with objects of another node", "kmalloc_node", "kfree",
	BENCH_ORDERS, PHASE_ALLOC, PHASE_FREE);
ONE_CPU(node, alloc_free, SOURCE_NODE, needs_two_nodes,
	"alloc_free with objects of another node", "kmalloc_node", "kfree", 0, PHASE_PAIR);

const struct bench alloc_page_then_free_bench = {
	.name = "alloc_page_then_free",
	.title = "one CPU: alloc_pages of orders 0 to 10, N times, then free them",
	.calls = { "alloc_pages", "free_pages" },
	.source = SOURCE_PAGES,
	.rev = 1,
	.flags = BENCH_PAGES | BENCH_ORDERS | BENCH_EXTRA,
	.nr_phases = 2,
	.phases = { PHASE_ALLOC, PHASE_FREE },
	.run = alloc_then_free,
};

const struct bench alloc_page_free_bench = {
	.name = "alloc_page_free",
	.title = "one CPU: N times alloc_pages of orders 0 to 10 directly followed by the free",
	.calls = { "alloc_pages", "free_pages" },
	.source = SOURCE_PAGES,
	.rev = 1,
	.flags = BENCH_PAGES | BENCH_EXTRA,
	.nr_phases = 1,
	.phases = { PHASE_PAIR },
	.run = alloc_free,
};
