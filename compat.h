/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernel versions, each with the version and the reason. Tests and the
 * rest of the module are written for the newest kernel and contain no #ifdef.
 */
#ifndef SLAB_TEST_COMPAT_H
#define SLAB_TEST_COMPAT_H

#include <linux/kconfig.h>
#include <linux/module.h>
#include <linux/preempt.h>
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

/* Without CONFIG_MODULE_UNLOAD nobody counts who uses a module (all versions). */
static inline bool compat_module_in_use(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	return module_refcount(THIS_MODULE) > 1;
#else
	return false;
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
