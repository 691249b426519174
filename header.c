// SPDX-License-Identifier: GPL-2.0-only
/*
 * The header: which kernel and machine this is, and what on them distorts the figures.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/utsname.h>

#if defined(CONFIG_X86)
#include <asm/processor.h>
#elif defined(CONFIG_ARM64)
#include <asm/cputype.h>
#endif

#include "slab_test.h"

#define HEADER_SIZE	8192

struct text {
	char *text;
	size_t used;
};

static __printf(2, 3) void put(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->used += vscnprintf(text->text + text->used, HEADER_SIZE - text->used, format,
				 arguments);
	va_end(arguments);
}

static void put_cpu_model(struct text *text)
{
#if defined(CONFIG_X86)
	put(text, "%s", boot_cpu_data.x86_model_id);
#elif defined(CONFIG_ARM64)
	put(text, "MIDR 0x%08x", read_cpuid_id());
#else
	put(text, "CPU model not known");
#endif
}

static void put_machine(struct text *text)
{
	const unsigned int nodes = num_online_nodes();

	put(text, "# machine: %s, %u CPU%s (%*pbl), %u node%s, ", init_utsname()->machine,
	    num_online_cpus(), num_online_cpus() == 1 ? "" : "s", cpumask_pr_args(cpu_online_mask),
	    nodes, nodes == 1 ? "" : "s");
	put_cpu_model(text);
	put(text, "\n");
}

/* Whether caches of one size share objects and per-CPU slabs: seen, not looked up. */
static void put_merge(struct text *text)
{
	struct kmem_cache *first = kmem_cache_create("slab_test-merge-1", 200, 0, 0, NULL);
	struct kmem_cache *second = kmem_cache_create("slab_test-merge-2", 200, 0, 0, NULL);

	if (first && second)
		put(text, "# merge: %s\n", first == second ? "on" : "off");
	kmem_cache_destroy(second);
	kmem_cache_destroy(first);
}

#define PROBES		64
#define PROBE_SIZE	256	/* not below what any architecture aligns kmalloc() to */

static int compare_addresses(const void *a, const void *b)
{
	const unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Red zones and the like show in the distance of neighbours; 0 where memory was short. */
static unsigned long object_distance(void)
{
	unsigned long *objects = kcalloc(PROBES, sizeof(*objects), GFP_KERNEL);
	unsigned long distance = 0;
	unsigned int i, got;

	if (!objects)
		return 0;
	for (got = 0; got < PROBES; got++) {
		objects[got] = (unsigned long)kmalloc(PROBE_SIZE, GFP_KERNEL);
		if (!objects[got])
			break;
	}
	sort(objects, got, sizeof(*objects), compare_addresses, NULL);
	for (i = 1; i < got; i++) {
		unsigned long step = objects[i] - objects[i - 1];

		if (!distance || step < distance)
			distance = step;
	}
	for (i = 0; i < got; i++)
		kfree((void *)objects[i]);
	kfree(objects);
	return distance;
}

/* What makes a kernel a debug kernel: its figures are those of the debugging. */
static const struct {
	bool enabled;
	const char *name;
} debug_options[] = {
	{ IS_ENABLED(CONFIG_KASAN), "KASAN" },
	{ IS_ENABLED(CONFIG_KMSAN), "KMSAN" },
	{ IS_ENABLED(CONFIG_KCSAN), "KCSAN" },
	{ IS_ENABLED(CONFIG_DEBUG_KMEMLEAK), "kmemleak" },
	{ IS_ENABLED(CONFIG_LOCKDEP), "lockdep" },
	{ IS_ENABLED(CONFIG_DEBUG_PREEMPT), "DEBUG_PREEMPT" },
	{ IS_ENABLED(CONFIG_DEBUG_SLAB), "DEBUG_SLAB" },
	{ IS_ENABLED(CONFIG_SLUB_DEBUG_ON), "SLUB_DEBUG_ON" },
	{ IS_ENABLED(CONFIG_DEBUG_OBJECTS_FREE), "DEBUG_OBJECTS_FREE" },
};

static void put_debug(struct text *text)
{
	const unsigned long distance = object_distance();
	const char *separator = "";
	unsigned int i;

	put(text, "# debug: ");
	for (i = 0; i < ARRAY_SIZE(debug_options); i++) {
		if (!debug_options[i].enabled)
			continue;
		put(text, "%s%s", separator, debug_options[i].name);
		separator = ", ";
	}
	/* SLOB has a word before every object, debugging or not. */
	if (!IS_ENABLED(CONFIG_SLOB) && distance > PROBE_SIZE) {
		put(text, "%s%d byte objects lie %lu apart", separator, PROBE_SIZE, distance);
		separator = ", ";
	}
	put(text, "%s\n", *separator ? "" : "none");
}

static void put_notices(struct text *text)
{
	if (want_init_on_alloc(GFP_KERNEL))
		put(text, "# notice: init_on_alloc=1: every kmalloc also clears the object\n");
	if (want_init_on_free())
		put(text, "# notice: init_on_free=1: every kfree also clears the object\n");
	if (IS_ENABLED(CONFIG_KFENCE))
		put(text, "# notice: KFENCE: now and then an object comes from its pool\n");
	if (IS_ENABLED(CONFIG_RANDOM_KMALLOC_CACHES))
		put(text, "# notice: RANDOM_KMALLOC_CACHES: other caches after each boot\n");
	if (IS_ENABLED(CONFIG_SLAB_FREELIST_RANDOM))
		put(text, "# notice: SLAB_FREELIST_RANDOM: a new slab hands out in any order\n");
	if (IS_ENABLED(CONFIG_SLUB_STATS))
		put(text, "# notice: SLUB_STATS: every call also counts\n");
	if (IS_ENABLED(CONFIG_LOCK_STAT))
		put(text, "# notice: LOCK_STAT: every lock also counts\n");
#if defined(CONFIG_X86)
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		put(text, "# notice: a virtual machine: cycles include what its host takes away\n");
	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC))
		put(text, "# notice: the TSC may change its speed with that of the CPU\n");
#endif
}

static void put_skipped(struct text *text, const struct plan *plan)
{
	unsigned int i;

	for_each_set_bit(i, plan->skipped, nr_benches)
		put(text, "# skipped: %s: %s\n", benches[i]->name, plan_refusal(plan, benches[i]));
}

static void put_list(struct text *text, const char *separator, const unsigned int *numbers,
		     unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		put(text, "%s%u", separator, numbers[i]);
		separator = ",";
	}
}

static void put_plan(struct text *text, const struct plan *plan)
{
	const char *separator = "";
	unsigned int i;

	put(text, "# plan:");
	if (plan->preset)
		put(text, " preset=%s", plan->preset->name);
	put(text, " tests=");
	for_each_set_bit(i, plan->tests, nr_benches) {
		put(text, "%s%s", separator, benches[i]->name);
		separator = ",";
	}
	put_list(text, " sizes=", plan->sizes, plan->nr_sizes);
	/* Where they have no part in it, they are no part of the plan either. */
	if (plan_has(plan, BENCH_BATCHES))
		put_list(text, " batch=", plan->batches, plan->nr_batches);
	if (plan_has(plan, BENCH_BULKS))
		put_list(text, " bulk=", plan->bulks, plan->nr_bulks);
	put(text, " count=%u rounds=%u warmup=%u cpus=%*pbl", plan->count, plan->rounds,
	    plan->warmup, cpumask_pr_args(plan->cpus));
	separator = " order=";
	for (i = 0; i < plan->nr_orders; i++) {
		put(text, "%s%s", separator, order_names[plan->orders[i]]);
		separator = ",";
	}
	put(text, " gfp=%s irqs=%s seed=%llu handicap=%u", plan->gfp_name,
	    plan->irqs_off ? "off" : "on", plan->seed, plan->handicap);
	separator = " counters=";
	for (i = 0; i < plan->nr_counters; i++) {
		put(text, "%s%s", separator, counter_kinds[plan->counters[i]].name);
		separator = ",";
	}
	put(text, "\n");
}

/* What the user set himself holds against the preset, and is named. */
static void put_preset(struct text *text, const struct plan *plan)
{
	const struct preset *preset = plan->preset;
	unsigned int i;

	for (i = 0; preset && i < MAX_SETTINGS && preset->settings[i].name; i++) {
		if (plan_given(plan, preset->settings[i].name))
			put(text, "# notice: preset=%s: %s is as given, not %s\n", preset->name,
			    preset->settings[i].name, preset->settings[i].value);
	}
}

static void put_left_out(struct text *text, const struct plan *plan)
{
	unsigned int i, j;

	for_each_set_bit(i, plan->tests, nr_benches) {
		for (j = 0; j < plan->nr_sizes; j++) {
			if (plan->sizes[j] < benches[i]->least_size)
				put(text, "# skipped: %s %u: needs %u bytes an object\n",
				    benches[i]->name, plan->sizes[j], benches[i]->least_size);
		}
	}
}

/**
 * header_create() - write the part of the header that is known before the first measurement
 * @run: with its plan
 *
 * May sleep.
 *
 * Return: lines that begin with "# ", to be freed with kfree(); NULL when memory is short.
 */
char *header_create(const struct run *run)
{
	const struct plan *plan = &run->plan;
	struct text text = { .text = kmalloc(HEADER_SIZE, GFP_KERNEL) };

	if (!text.text)
		return NULL;
	put(&text, "# slab_test: 1\n");
	put(&text, "# kernel: %s %s\n", init_utsname()->release, init_utsname()->version);
	put(&text, "# compiler: %s; the module %s: %s\n", CONFIG_CC_VERSION_TEXT,
	    SLAB_TEST_VERSION, compat_module_compiler());
	put_machine(&text);
	put(&text, "# allocator: %s\n", compat_allocator());
	put_merge(&text);
	put_debug(&text);
	put(&text, "# preemption: %s\n", compat_preempt_model());
	put_plan(&text, plan);
	put_preset(&text, plan);
	if (plan->count_lowered)
		put(&text, "# notice: count is lowered: objects get a quarter of the memory\n");
	put_skipped(&text, plan);
	put_left_out(&text, plan);
	put_notices(&text);
	return text.text;
}
