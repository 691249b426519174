// SPDX-License-Identifier: GPL-2.0-only
/*
 * slab_test: what kmalloc and kfree cost, on one CPU and on all at once.
 *
 * This file is the module's life: parameters, the table of tests, and the one run there may be at
 * a time. See ARCHITECTURE.md for the other files.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include "slab_test.h"

/* The table of tests, in the order in which they run. A new one is one line here. */
const struct bench * const benches[] = {
	&alloc_then_free_bench,
	&alloc_free_bench,
	&concurrent_alloc_then_free_bench,
	&concurrent_alloc_free_bench,
	&remote_free_bench,
	&alloc_one_free_all_bench,
	&ring_bench,
	&fragmented_bench,
	&cache_fragmented_bench,
	&accounted_fragmented_bench,
	&cache_alloc_then_free_bench,
	&cache_alloc_free_bench,
	&cache_concurrent_alloc_then_free_bench,
	&cache_concurrent_alloc_free_bench,
	&cache_remote_free_bench,
	&cache_alloc_one_free_all_bench,
	&accounted_alloc_then_free_bench,
	&accounted_alloc_free_bench,
	&accounted_concurrent_alloc_then_free_bench,
	&accounted_concurrent_alloc_free_bench,
	&accounted_remote_free_bench,
	&accounted_alloc_one_free_all_bench,
	&node_alloc_then_free_bench,
	&node_alloc_free_bench,
	&alloc_page_then_free_bench,
	&alloc_page_free_bench,
	&batch_alloc_free_bench,
	&concurrent_batch_alloc_free_bench,
	&accounted_batch_alloc_free_bench,
	&accounted_concurrent_batch_alloc_free_bench,
	&bulk_alloc_free_bench,
	&bulk_fallback_bench,
	&kfree_rcu_bench,
	&concurrent_kfree_rcu_bench,
	&batch_kfree_rcu_bench,
	&concurrent_batch_kfree_rcu_bench,
	&null_bench,
	&control_bench,
};

const unsigned int nr_benches = ARRAY_SIZE(benches);
static_assert(ARRAY_SIZE(benches) <= MAX_TESTS);

const char * const phase_names[] = {
	[PHASE_ALLOC] = "alloc",
	[PHASE_FREE] = "free",
	[PHASE_PAIR] = "pair",
	[PHASE_BATCH] = "batch",
	[PHASE_FREE_HALF] = "free_half",
	[PHASE_ALLOC_HALF] = "alloc_half",
	[PHASE_FREE_ALL] = "free_all",
	[PHASE_MULTIPLY] = "multiply",
	[PHASE_BULK] = "bulk",
};

/*
 * Text, so that plan.c checks what insmod gets and what is written to debugfs by the same code; and
 * for root only, as the files in debugfs.
 */
static char *preset;
module_param(preset, charp, 0400);
MODULE_PARM_DESC(preset, "parameters by the name of a plan: " PRESET_NAMES "; those given hold");

static char *tests;
module_param(tests, charp, 0400);
MODULE_PARM_DESC(tests, "tests to run, names separated by commas, or * behind a beginning (the classic eight)");

static char *sizes;
module_param(sizes, charp, 0400);
MODULE_PARM_DESC(sizes, "object sizes in bytes, separated by commas (8,16,...,4096)");

static char *count;
module_param(count, charp, 0400);
MODULE_PARM_DESC(count, "objects a CPU, phase and round (10000, less where memory is short)");

static char *rounds;
module_param(rounds, charp, 0400);
MODULE_PARM_DESC(rounds, "measured rounds of each test and size (10)");

static char *warmup;
module_param(warmup, charp, 0400);
MODULE_PARM_DESC(warmup, "rounds before them that are not reported (1)");

static char *cpus;
module_param(cpus, charp, 0400);
MODULE_PARM_DESC(cpus, "CPUs that work, as a list like 0-3,8 (all online)");

static char *batch;
module_param(batch, charp, 0400);
MODULE_PARM_DESC(batch, "objects at once for tests that work in batches (1,10,100,1000)");

static char *bulk;
module_param(bulk, charp, 0400);
MODULE_PARM_DESC(bulk, "objects a call of kmem_cache_alloc_bulk (1,2,3,4,8,16,...,250)");

static char *gfp;
module_param(gfp, charp, 0400);
MODULE_PARM_DESC(gfp, "allocation flags: kernel, nowait or atomic (kernel)");

static char *order;
module_param(order, charp, 0400);
MODULE_PARM_DESC(order, "order in which objects are freed: fifo, lifo, random, or several of them (fifo)");

static char *irqs;
module_param(irqs, charp, 0400);
MODULE_PARM_DESC(irqs, "off: phases run with interrupts off; needs gfp=nowait (on)");

static char *clock;
module_param(clock, charp, 0400);
MODULE_PARM_DESC(clock, "auto, tsc, arch, pmu or ns (auto)");

static char *seed;
module_param(seed, charp, 0400);
MODULE_PARM_DESC(seed, "of the random order (1)");

static char *handicap;
module_param(handicap, charp, 0400);
MODULE_PARM_DESC(handicap, "dependent instructions added to each operation, 0 to 1023 (0)");

static char *counters;
module_param(counters, charp, 0444);
MODULE_PARM_DESC(counters, "what to count besides time, as cycles,instructions,cache-misses (nothing)");

static bool run_at_load = true;
module_param_named(run, run_at_load, bool, 0400);
MODULE_PARM_DESC(run, "run the plan when the module is loaded (yes)");

static const struct {
	const char *name;
	char **value;
} plan_parameters[] = {
	{ "preset", &preset },
	{ "tests", &tests },
	{ "sizes", &sizes },
	{ "count", &count },
	{ "rounds", &rounds },
	{ "warmup", &warmup },
	{ "cpus", &cpus },
	{ "batch", &batch },
	{ "bulk", &bulk },
	{ "gfp", &gfp },
	{ "order", &order },
	{ "irqs", &irqs },
	{ "clock", &clock },
	{ "seed", &seed },
	{ "handicap", &handicap },
	{ "counters", &counters },
};

static struct run *current_run;
static DEFINE_SPINLOCK(current_run_lock);

/* Starting and reaping: one at a time. Outer to cpus_read_lock(). */
static DEFINE_MUTEX(control_lock);

/**
 * control_run() - the newest run
 *
 * Return: the run, with a reference for the caller, or NULL when there was none yet.
 */
struct run *control_run(void)
{
	struct run *found;

	spin_lock(&current_run_lock);
	found = current_run;
	if (found)
		kref_get(&found->ref);
	spin_unlock(&current_run_lock);
	return found;
}

static void replace_run(struct run *new)
{
	struct run *old;

	spin_lock(&current_run_lock);
	old = current_run;
	current_run = new;
	spin_unlock(&current_run_lock);
	if (!old)
		return;
	run_reap(old);
	run_put(old);
}

/**
 * control_start() - start a run in the place of the last one
 * @plan: finished; is empty afterwards, whatever is returned
 * @started: gets the run, with a reference for the caller; may be NULL
 *
 * Returns as soon as the run is going. May sleep.
 *
 * Return: 0, -EBUSY while another runs, -ENOMEM, -EINVAL; the log says why.
 */
int control_start(struct plan *plan, struct run **started)
{
	struct run *new;
	int error;

	mutex_lock(&control_lock);
	if (current_run && run_state(current_run) == RUN_RUNNING) {
		pr_err("a run is in progress: %s, %u of %u done\n",
		       READ_ONCE(current_run->unit)->bench->name, READ_ONCE(current_run->done),
		       current_run->nr_units);
		plan_free(plan);
		error = -EBUSY;
		goto unlock;
	}

	/* What the last one still has to write to the log would disturb this one. */
	if (current_run) {
		wait_for_completion(&current_run->ended);
		run_drop_cache(current_run);
	}
	new = run_create(plan);
	if (IS_ERR(new)) {
		error = PTR_ERR(new);
		goto unlock;
	}
	cpus_read_lock();
	error = run_start(new);
	if (!error && started) {
		kref_get(&new->ref);
		*started = new;
	}
	if (error)
		run_put(new);
	else
		replace_run(new);
	cpus_read_unlock();
unlock:
	mutex_unlock(&control_lock);
	return error;
}

static void control_exit(void)
{
	if (current_run)
		run_abort(current_run, "the module is unloaded");
	replace_run(NULL);
}

/* A worker that loses its CPU would measure another one. */
static int cpu_goes_offline(unsigned int cpu)
{
	struct run *found = control_run();

	if (found && cpumask_test_cpu(cpu, found->plan.cpus))
		run_abort(found, "CPU %u went offline", cpu);
	run_put(found);
	return 0;
}

/* Workers are not frozen, but figures with a sleep in them are none; and insmod waits no longer. */
static int machine_sleeps(struct notifier_block *notifier, unsigned long event, void *unused)
{
	struct run *found;

	if (event != PM_SUSPEND_PREPARE && event != PM_HIBERNATION_PREPARE)
		return NOTIFY_DONE;
	found = control_run();
	if (found)
		run_abort(found, "the machine goes to sleep");
	run_put(found);
	return NOTIFY_OK;
}

static struct notifier_block sleep_notifier = { .notifier_call = machine_sleeps };

/**
 * plan_from_parameters() - the plan that the module was loaded with
 * @plan: to be set up; plan_free() releases what it holds, also after an error
 *
 * May sleep.
 *
 * Return: 0 or a negative error, as plan_set().
 */
int plan_from_parameters(struct plan *plan)
{
	unsigned int i;
	int error;

	error = plan_init(plan);
	for (i = 0; !error && i < ARRAY_SIZE(plan_parameters); i++) {
		if (*plan_parameters[i].value)
			error = plan_set(plan, plan_parameters[i].name, *plan_parameters[i].value);
	}
	return error;
}

/* Start, and wait until it is over; killing insmod ends it. */
static int run_now(struct plan *plan)
{
	struct run *started;
	int error = control_start(plan, &started);

	if (error)
		return error;
	if (wait_for_completion_killable(&started->ended)) {
		run_abort(started, "insmod was killed");
		wait_for_completion(&started->ended);
	}
	error = started->error;
	run_put(started);
	return error;
}

/*
 * A module whose init fails is freed although a file of it may be open. No new ones are opened by
 * now; those there are get five seconds, which is long for a cat.
 */
static bool files_closed(void)
{
	unsigned int tries;

	for (tries = 0; tries < 100 && compat_module_in_use(); tries++)
		schedule_timeout_idle(HZ / 20);
	return !compat_module_in_use();
}

static enum cpuhp_state hotplug_state;

static int __init slab_test_init(void)
{
	struct plan plan;
	int error;

	error = plan_from_parameters(&plan);
	if (!error)
		error = plan_finish(&plan);
	if (error)
		goto free_plan;
	error = report_init();
	if (error)
		goto free_plan;
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "slab_test:online", NULL,
					  cpu_goes_offline);
	if (error < 0)
		goto remove_files;
	hotplug_state = error;
	error = register_pm_notifier(&sleep_notifier);
	if (error)
		goto remove_hotplug;

	if (!run_at_load) {
		plan_free(&plan);
		return 0;
	}
	error = run_now(&plan);
	if (!error)
		return 0;

	report_exit();
	if (!files_closed()) {
		pr_warn("the run failed, but a file of it is open: close it, then rmmod slab_test\n");
		return 0;
	}
	control_exit();
	unregister_pm_notifier(&sleep_notifier);
	cpuhp_remove_state_nocalls(hotplug_state);
	return error;

remove_hotplug:
	cpuhp_remove_state_nocalls(hotplug_state);
remove_files:
	report_exit();
free_plan:
	plan_free(&plan);
	return error;
}

static void __exit slab_test_exit(void)
{
	report_exit();
	control_exit();
	unregister_pm_notifier(&sleep_notifier);
	cpuhp_remove_state_nocalls(hotplug_state);
}

module_init(slab_test_init);
module_exit(slab_test_exit);

MODULE_DESCRIPTION("What kmalloc and kfree cost, on one CPU and on all at once");
MODULE_VERSION(SLAB_TEST_VERSION);
MODULE_LICENSE("GPL");
