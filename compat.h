/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernel versions, each with the version and the reason. Tests and the
 * rest of the module are written for the newest kernel and contain no #ifdef.
 */
#ifndef SLAB_TEST_COMPAT_H
#define SLAB_TEST_COMPAT_H

#include <linux/kconfig.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "slab_test: Linux 5.10 is the oldest kernel supported"
#endif

/*
 * preempt_model_*() came with 5.18; before, only the build configuration tells. With
 * PREEMPT_DYNAMIC (5.12 on) that may not be what was booted, so nothing is claimed then.
 */
static inline const char *compat_preempt_model(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
	if (preempt_model_rt())
		return "rt";
	if (preempt_model_full())
		return "full";
	if (preempt_model_voluntary())
		return "voluntary";
	if (preempt_model_none())
		return "none";
	return "lazy";
#else
	if (IS_ENABLED(CONFIG_PREEMPT_DYNAMIC))
		return "dynamic";
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return "rt";
	if (IS_ENABLED(CONFIG_PREEMPT))
		return "full";
	if (IS_ENABLED(CONFIG_PREEMPT_VOLUNTARY))
		return "voluntary";
	return "none";
#endif
}

/* CONFIG_SLAB ended with 6.8 and CONFIG_SLOB with 6.4; CONFIG_SLUB_TINY came with 6.2. */
static inline const char *compat_allocator(void)
{
	if (IS_ENABLED(CONFIG_SLAB))
		return "SLAB";
	if (IS_ENABLED(CONFIG_SLOB))
		return "SLOB";
	if (IS_ENABLED(CONFIG_SLUB_TINY))
		return "SLUB (tiny)";
	return "SLUB";
}

/* Without CONFIG_MODULE_UNLOAD nobody counts who uses a module: it may be (all versions). */
static inline bool compat_module_in_use(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	return module_refcount(THIS_MODULE) > 1;
#else
	return true;
#endif
}

/*
 * SLAB_NO_MERGE came with 6.5. Before, a cache whose objects may be copied to user space is not
 * merged either, and like any other else; from 6.2 on only with CONFIG_HARDENED_USERCOPY. For the
 * rest SLAB_NOLEAKTRACE does, with which kmemleak complains of every kfree_rcu().
 */
static inline struct kmem_cache *compat_cache_create(const char *name, unsigned int size,
						     slab_flags_t flags)
{
#if defined(SLAB_NO_MERGE)
	return kmem_cache_create(name, size, 0, flags | SLAB_NO_MERGE, NULL);
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0) || defined(CONFIG_HARDENED_USERCOPY)
	return kmem_cache_create_usercopy(name, size, 0, flags, 0, size, NULL);
#else
	return kmem_cache_create(name, size, 0, flags | SLAB_NOLEAKTRACE, NULL);
#endif
}

/* KFENCE came with 5.12 and samples caches of kinds that this keeps out from 6.1 on. */
#ifdef SLAB_SKIP_KFENCE
#define COMPAT_SLAB_SKIP_KFENCE	SLAB_SKIP_KFENCE
#else
#define COMPAT_SLAB_SKIP_KFENCE	0
#endif

/*
 * set_active_memcg() wants a per-CPU variable that is not exported before 5.13; in a thread, it
 * would do just this.
 */
static inline void compat_charge_to(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	current->active_memcg = memcg;
#endif
}

/*
 * The memory cgroup of the caller, with a reference; NULL when it is the root's, where nothing is
 * charged. root_mem_cgroup is exported from 7.x on only, so the root is known by having no parent.
 */
static inline struct mem_cgroup *compat_get_memcg(void)
{
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg = current->mm ? get_mem_cgroup_from_mm(current->mm) : NULL;

	if (memcg && memcg->css.parent)
		return memcg;
	mem_cgroup_put(memcg);
#endif
	return NULL;
}

static inline void compat_put_memcg(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	mem_cgroup_put(memcg);
#endif
}

/* sparse does not know __VERSION__ (all versions). */
static inline const char *compat_module_compiler(void)
{
#ifdef __CHECKER__
	return "sparse";
#else
	return __VERSION__;
#endif
}

#endif /* SLAB_TEST_COMPAT_H */
