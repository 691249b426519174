/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before every file of a copy of the module: lets one call fail of those that may, to see
 * that each is checked. Debian's kernels have no fault injection of their own.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

bool fault_strikes(void);

/* Functions around the originals, before macros of their names hide them. */
static inline void *fault_kmalloc(size_t size, gfp_t gfp)
{
	return fault_strikes() ? NULL : kmalloc(size, gfp);
}

static inline void *fault_kzalloc(size_t size, gfp_t gfp)
{
	return fault_strikes() ? NULL : kzalloc(size, gfp);
}

static inline void *fault_kcalloc(size_t n, size_t size, gfp_t gfp)
{
	return fault_strikes() ? NULL : kcalloc(n, size, gfp);
}

static inline void *fault_kzalloc_node(size_t size, gfp_t gfp, int node)
{
	return fault_strikes() ? NULL : kzalloc_node(size, gfp, node);
}

static inline void *fault_kvmalloc(size_t size, gfp_t gfp)
{
	return fault_strikes() ? NULL : kvmalloc(size, gfp);
}

static inline void *fault_kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	return fault_strikes() ? NULL : kvcalloc(n, size, gfp);
}

static inline void *fault_kvmalloc_node(size_t size, gfp_t gfp, int node)
{
	return fault_strikes() ? NULL : kvmalloc_node(size, gfp, node);
}

static inline char *fault_kstrdup(const char *text, gfp_t gfp)
{
	return fault_strikes() ? NULL : kstrdup(text, gfp);
}

static inline bool fault_zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	return !fault_strikes() && zalloc_cpumask_var(mask, gfp);
}

static inline struct kmem_cache *fault_cache(const char *name, unsigned int size)
{
	return fault_strikes() ? NULL : kmem_cache_create(name, size, 0, 0, NULL);
}

#define kmalloc(size, gfp)			fault_kmalloc(size, gfp)
#define kzalloc(size, gfp)			fault_kzalloc(size, gfp)
#define kcalloc(n, size, gfp)			fault_kcalloc(n, size, gfp)
#define kzalloc_node(size, gfp, node)		fault_kzalloc_node(size, gfp, node)
#define kvmalloc(size, gfp)			fault_kvmalloc(size, gfp)
#define kvcalloc(n, size, gfp)			fault_kvcalloc(n, size, gfp)
#define kvmalloc_node(size, gfp, node)		fault_kvmalloc_node(size, gfp, node)
#define kstrdup(text, gfp)			fault_kstrdup(text, gfp)
#define zalloc_cpumask_var(mask, gfp)		fault_zalloc_cpumask_var(mask, gfp)
#define kmem_cache_create(name, size, align, flags, ctor)	fault_cache(name, size)
#define kmem_cache_create_usercopy(name, size, align, flags, start, length, ctor)	\
	fault_cache(name, size)

/* Macros already, which take the real ones with them. */
static inline struct task_struct *fault_kthread(int (*function)(void *data), void *data, int node,
						 const char *name, unsigned int cpu)
{
	if (fault_strikes())
		return ERR_PTR(-ENOMEM);
	return kthread_create_on_node(function, data, node, name, cpu);
}

#undef kthread_create
#define kthread_create(function, data, name)	fault_kthread(function, data, NUMA_NO_NODE, name, 0)
#define kthread_create_on_node(function, data, node, name, cpu)		\
	fault_kthread(function, data, node, name, cpu)
