// SPDX-License-Identifier: GPL-2.0-only
/*
 * From what the user wrote to a plan. Module parameters and a line written to the debugfs file
 * "run" are checked here, by the same code. What is wrong gets -EINVAL and one line in the log
 * that names the parameter, the value and what is allowed.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "slab_test.h"

const char * const order_names[] = {
	[ORDER_FIFO] = "fifo",
	[ORDER_LIFO] = "lifo",
	[ORDER_RANDOM] = "random",
};

/*
 * Under pressure an allocation shall fail, and end the test with a reason, rather than have the
 * kernel kill somebody's process; and it shall not fill the log.
 */
static const struct {
	const char *name;
	gfp_t gfp;
} gfp_names[] = {
	{ "kernel", GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN },
	{ "nowait", GFP_NOWAIT | __GFP_NOWARN },
	{ "atomic", GFP_ATOMIC | __GFP_NOWARN },
};

/* Escaped and cut: the value may be anything. */
static __printf(3, 4) int refuse(const char *name, const char *value, const char *format, ...)
{
	struct va_format allowed = { .fmt = format };
	va_list arguments;

	va_start(arguments, format);
	allowed.va = &arguments;
	pr_err("%s=%*pE: %pV\n", name, (int)strnlen(value, 64), value, &allowed);
	va_end(arguments);
	return -EINVAL;
}

static int set_number(unsigned int *number, const char *name, const char *value,
		      unsigned int least, unsigned int most)
{
	unsigned long long parsed;

	if (kstrtoull(value, 10, &parsed) || parsed < least || parsed > most)
		return refuse(name, value, "must be a number from %u to %u", least, most);
	*number = parsed;
	return 0;
}

static int set_count(struct plan *plan, const char *value)
{
	return set_number(&plan->count, "count", value, 1, MAX_COUNT);
}

static int set_rounds(struct plan *plan, const char *value)
{
	return set_number(&plan->rounds, "rounds", value, 1, MAX_ROUNDS);
}

static int set_warmup(struct plan *plan, const char *value)
{
	return set_number(&plan->warmup, "warmup", value, 0, MAX_WARMUP);
}

static int set_handicap(struct plan *plan, const char *value)
{
	return set_number(&plan->handicap, "handicap", value, 0, MAX_HANDICAP);
}

static int set_seed(struct plan *plan, const char *value)
{
	if (kstrtoull(value, 10, &plan->seed))
		return refuse("seed", value, "must be a number from 0 to 18446744073709551615");
	return 0;
}

/* A list of different numbers, as "8,64,256". */
static int set_numbers(unsigned int *numbers, unsigned int *nr, unsigned int most_numbers,
		       const char *name, const char *value, unsigned int most)
{
	char *copy, *rest, *word;
	unsigned int i, number;
	int error = -EINVAL;

	copy = kstrdup(value, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	*nr = 0;
	while ((word = strsep(&rest, ","))) {
		if (*nr == most_numbers || kstrtouint(word, 10, &number) || !number ||
		    number > most)
			goto refuse;
		for (i = 0; i < *nr; i++) {
			if (numbers[i] == number)
				goto refuse;
		}
		numbers[(*nr)++] = number;
	}
	error = 0;
refuse:
	kfree(copy);
	if (error)
		refuse(name, value, "must be 1 to %u different numbers from 1 to %u", most_numbers,
		       most);
	return error;
}

static int set_sizes(struct plan *plan, const char *value)
{
	return set_numbers(plan->sizes, &plan->nr_sizes, MAX_SIZES, "sizes", value,
			   KMALLOC_MAX_SIZE);
}

static int set_batch(struct plan *plan, const char *value)
{
	return set_numbers(plan->batches, &plan->nr_batches, MAX_BATCHES, "batch", value,
			   MAX_BATCH);
}

static int set_bulk(struct plan *plan, const char *value)
{
	return set_numbers(plan->bulks, &plan->nr_bulks, MAX_BATCHES, "bulk", value, MAX_BATCH);
}

static int set_cpus(struct plan *plan, const char *value)
{
	if (!*value || cpulist_parse(value, plan->cpus) || cpumask_empty(plan->cpus) ||
	    !cpumask_subset(plan->cpus, cpu_online_mask))
		return refuse("cpus", value, "must be a list of online CPUs, of %*pbl",
			      cpumask_pr_args(cpu_online_mask));
	return 0;
}

static int set_gfp(struct plan *plan, const char *value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gfp_names); i++) {
		if (!strcmp(value, gfp_names[i].name)) {
			plan->gfp = gfp_names[i].gfp;
			plan->gfp_name = gfp_names[i].name;
			return 0;
		}
	}
	return refuse("gfp", value, "must be kernel, nowait or atomic");
}

static int set_order(struct plan *plan, const char *value)
{
	unsigned int seen = 0;
	char *copy, *rest, *word;
	int order = 0;

	copy = kstrdup(value, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	plan->nr_orders = 0;
	while (order >= 0 && (word = strsep(&rest, ","))) {
		order = match_string(order_names, ARRAY_SIZE(order_names), word);
		if (order >= 0 && seen & BIT(order))
			order = -EINVAL;
		if (order < 0)
			break;
		seen |= BIT(order);
		plan->orders[plan->nr_orders++] = order;
	}
	kfree(copy);
	if (order < 0)
		return refuse("order", value, "must be one or several of fifo, lifo and random");
	return 0;
}

static int set_irqs(struct plan *plan, const char *value)
{
	plan->irqs_off = !strcmp(value, "off");
	if (!plan->irqs_off && strcmp(value, "on"))
		return refuse("irqs", value, "must be on or off");
	return 0;
}

static int set_preset(struct plan *plan, const char *value)
{
	plan->preset = preset_find(value);
	if (!plan->preset)
		return refuse("preset", value, "must be " PRESET_NAMES);
	/* It is as new as the line it stands in. */
	plan->given &= ~plan->inherited;
	return 0;
}

static int set_clock(struct plan *plan, const char *value)
{
	static const char * const names[] = { "auto", "tsc", "arch", "pmu", "ns" };
	int name = match_string(names, ARRAY_SIZE(names), value);

	if (name < 0)
		return refuse("clock", value, "must be auto, tsc, arch, pmu or ns");
	plan->clock = names[name];
	return 0;
}

static int refuse_counters(const char *value)
{
	char names[384];
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < nr_counter_kinds; i++)
		used += scnprintf(names + used, sizeof(names) - used, ", %s",
				  counter_kinds[i].name);
	return refuse("counters", value, "must be 1 to %d different ones of%s", MAX_COUNTERS,
		      names + 1);
}

/* False where it is unknown, there already, or one too many. */
static bool add_counter(struct plan *plan, const char *name)
{
	unsigned int i, kind;

	for (kind = 0; kind < nr_counter_kinds; kind++) {
		if (!strcmp(name, counter_kinds[kind].name))
			break;
	}
	for (i = 0; i < plan->nr_counters; i++) {
		if (plan->counters[i] == kind)
			return false;
	}
	if (kind == nr_counter_kinds || plan->nr_counters == MAX_COUNTERS)
		return false;
	plan->counters[plan->nr_counters++] = kind;
	return true;
}

static int set_counters(struct plan *plan, const char *value)
{
	char *copy, *rest, *word;
	int error = 0;

	copy = kstrdup(value, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	plan->nr_counters = 0;
	while (!error && (word = strsep(&rest, ","))) {
		if (!add_counter(plan, word))
			error = refuse_counters(value);
	}
	kfree(copy);
	return error;
}

/* All names, for the line that refuses an unknown one. */
static int refuse_tests(const char *value)
{
	size_t used = 0, size = nr_benches * 48;
	char *names = kzalloc(size, GFP_KERNEL);
	unsigned int i;

	if (!names)
		return -ENOMEM;
	for (i = 0; i < nr_benches; i++)
		used += scnprintf(names + used, size - used, ", %s", benches[i]->name);
	refuse("tests", value, "must be a list of all%s; or a beginning and *", names);
	kfree(names);
	return -EINVAL;
}

/* A name, "all", or a beginning followed by an asterisk. */
static bool test_matches(const char *word, const char *name)
{
	size_t length = strlen(word);

	if (!strcmp(word, "all"))
		return true;
	if (length && word[length - 1] == '*')
		return !strncmp(word, name, length - 1);
	return !strcmp(word, name);
}

static int set_tests(struct plan *plan, const char *value)
{
	char *copy, *rest, *word;
	unsigned int i;
	int error = 0;

	copy = kstrdup(value, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	bitmap_zero(plan->tests, MAX_TESTS);
	bitmap_zero(plan->named, MAX_TESTS);
	while (!error && (word = strsep(&rest, ","))) {
		bool found = false;

		for (i = 0; i < nr_benches; i++) {
			if (test_matches(word, benches[i]->name)) {
				set_bit(i, plan->tests);
				found = true;
			}
			if (!strcmp(word, benches[i]->name))
				set_bit(i, plan->named);
		}
		if (!found)
			error = refuse_tests(value);
	}
	kfree(copy);
	return error;
}

static const struct {
	const char *name;
	int (*set)(struct plan *plan, const char *value);
} parameters[] = {
	{ "preset", set_preset },
	{ "tests", set_tests },
	{ "sizes", set_sizes },
	{ "count", set_count },
	{ "rounds", set_rounds },
	{ "warmup", set_warmup },
	{ "cpus", set_cpus },
	{ "batch", set_batch },
	{ "bulk", set_bulk },
	{ "gfp", set_gfp },
	{ "order", set_order },
	{ "irqs", set_irqs },
	{ "clock", set_clock },
	{ "seed", set_seed },
	{ "handicap", set_handicap },
	{ "counters", set_counters },
};

static int refuse_name(const char *name, const char *value)
{
	char names[256];
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parameters); i++)
		used += scnprintf(names + used, sizeof(names) - used, " %s", parameters[i].name);
	pr_err("%*pE=%*pE: no such parameter; there are%s\n", (int)strnlen(name, 64), name,
	       (int)strnlen(value, 64), value, names);
	return -EINVAL;
}

static int find_parameter(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		if (!strcmp(name, parameters[i].name))
			return i;
	}
	return -ENOENT;
}

/**
 * plan_given() - whether the user set a parameter
 * @plan: the plan
 * @name: of the parameter; there is one of this name
 */
bool plan_given(const struct plan *plan, const char *name)
{
	return plan->given & BIT(find_parameter(name));
}

/**
 * plan_set() - set one parameter of a plan
 * @plan: from plan_init()
 * @name: of the parameter
 * @value: as the user wrote it
 *
 * May sleep.
 *
 * Return: 0, -EINVAL when @name or @value is wrong (the log says how), -ENOMEM.
 */
int plan_set(struct plan *plan, const char *name, const char *value)
{
	int i = find_parameter(name);

	if (i < 0)
		return refuse_name(name, value);
	plan->given |= BIT(i);
	plan->inherited &= ~BIT(i);
	return parameters[i].set(plan, value);
}

/**
 * plan_parse() - set the parameters of a line
 * @plan: from plan_init(); what was set before gives way to a preset of the line
 * @text: name=value, separated by white space; is changed
 *
 * May sleep.
 *
 * Return: 0 or a negative error, as plan_set().
 */
int plan_parse(struct plan *plan, char *text)
{
	char *word;
	int error;

	plan->inherited = plan->given;
	while ((word = strsep(&text, " \t\n"))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value)
			return refuse("run", word, "parameters are written name=value");
		*value++ = '\0';
		error = plan_set(plan, word, value);
		if (error)
			return error;
	}
	return 0;
}

/**
 * plan_init() - a plan with every parameter at its default
 * @plan: to be set up; plan_free() releases what it holds
 *
 * May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int plan_init(struct plan *plan)
{
	/* The bulks are those that users of time_bench quote. */
	static const unsigned int batches[] = { 1, 10, 100, 1000 };
	static const unsigned int bulks[] = {
		1, 2, 3, 4, 8, 16, 30, 32, 34, 48, 64, 128, 158, 250
	};
	unsigned int size, i;

	memset(plan, 0, sizeof(*plan));
	if (!zalloc_cpumask_var(&plan->cpus, GFP_KERNEL))
		return -ENOMEM;
	cpumask_copy(plan->cpus, cpu_online_mask);
	plan->memcg = compat_get_memcg();
	for (i = 0; i < nr_benches; i++) {
		if (!(benches[i]->flags & BENCH_EXTRA))
			set_bit(i, plan->tests);
	}
	memcpy(plan->batches, batches, sizeof(batches));
	plan->nr_batches = ARRAY_SIZE(batches);
	memcpy(plan->bulks, bulks, sizeof(bulks));
	plan->nr_bulks = ARRAY_SIZE(bulks);
	for (size = 8; size <= 4096; size *= 2)
		plan->sizes[plan->nr_sizes++] = size;
	plan->count = DEFAULT_COUNT;
	plan->rounds = 10;
	plan->warmup = 1;
	plan->gfp = gfp_names[0].gfp;
	plan->gfp_name = gfp_names[0].name;
	plan->seed = 1;
	plan->nr_orders = 1;
	plan->clock = "auto";
	return 0;
}

/**
 * plan_free() - release what a plan holds
 * @plan: from plan_init()
 */
void plan_free(struct plan *plan)
{
	compat_put_memcg(plan->memcg);
	free_cpumask_var(plan->cpus);
}

/**
 * plan_has() - whether a plan has a test of some kind
 * @plan: with its tests
 * @flag: of BENCH_*
 */
bool plan_has(const struct plan *plan, unsigned int flag)
{
	unsigned int i;

	for_each_set_bit(i, plan->tests, nr_benches) {
		if (benches[i]->flags & flag)
			return true;
	}
	return false;
}

/* A batch is part of the count: those that nobody asked for go where they are too large. */
static int fit_batches(const struct plan *plan, const char *name, unsigned int *numbers,
		       unsigned int *nr)
{
	const bool given = plan_given(plan, name);
	unsigned int i, kept = 0;
	char value[16];

	for (i = 0; i < *nr; i++) {
		if (numbers[i] <= plan->count) {
			numbers[kept++] = numbers[i];
		} else if (given) {
			snprintf(value, sizeof(value), "%u", numbers[i]);
			return refuse(name, value, "must not be above the count, which is %u",
				      plan->count);
		}
	}
	if (!kept)
		numbers[kept++] = plan->count;
	*nr = kept;
	return 0;
}

static u64 bytes_needed(const struct plan *plan, unsigned int count)
{
	unsigned long largest = 0;
	u64 least = 0;
	unsigned int i;

	for (i = 0; i < plan->nr_sizes; i++)
		largest = max_t(unsigned long, largest, roundup_pow_of_two(plan->sizes[i]));
	if (plan_has(plan, BENCH_PAGES)) {
		largest = max(largest, PAGE_SIZE);
		least = 10ULL * (PAGE_SIZE << MAX_PAGE_ORDER_TESTED);
	}
	return max_t(u64, (u64)cpumask_weight(plan->cpus) * count * (largest + sizeof(void *)),
		     least);
}

/*
 * All objects together stay below a quarter of the memory there is. A count that nobody asked for
 * is lowered to the next of 5000, 2000, 1000 …: so coarsely that two kernels get the same.
 */
static int fit_count(struct plan *plan)
{
	const u64 limit = ((u64)si_mem_available() << PAGE_SHIFT) / 4;
	const u64 most = div_u64(MAX_OBJECTS_OUT, cpumask_weight(plan->cpus));
	const bool given = plan_given(plan, "count");
	unsigned int count = plan->count;
	unsigned int i;

	if (given && count > most) {
		pr_err("count=%u: must not be above %llu with %u CPUs, of which one frees for all\n",
		       count, most, cpumask_weight(plan->cpus));
		return -EINVAL;
	}
	if (given && bytes_needed(plan, count) > limit) {
		pr_err("count=%u: %u CPUs would hold %llu MiB, more than a quarter (%llu MiB) of the memory there is\n",
		       count, cpumask_weight(plan->cpus), bytes_needed(plan, count) >> 20,
		       limit >> 20);
		return -ENOMEM;
	}
	for (i = 0; count > most || bytes_needed(plan, count) > limit; i++) {
		count = i % 3 == 1 ? count * 2 / 5 : count / 2;
		if (count < 10) {
			pr_err("too little memory for 10 objects of the largest size on each of %u CPUs\n",
			       cpumask_weight(plan->cpus));
			return -ENOMEM;
		}
	}
	plan->count_lowered = count < plan->count;
	plan->count = count;
	return 0;
}

/* What the preset says, but for what the user said himself. */
static int apply_preset(struct plan *plan)
{
	const struct preset *preset = plan->preset;
	unsigned int i;
	int error = 0;

	for (i = 0; preset && !error && i < MAX_SETTINGS && preset->settings[i].name; i++) {
		const char *name = preset->settings[i].name;

		if (!plan_given(plan, name))
			error = parameters[find_parameter(name)].set(plan,
								     preset->settings[i].value);
	}
	/* Nobody insists on tests that a preset names. */
	if (!plan_given(plan, "tests"))
		bitmap_zero(plan->named, MAX_TESTS);
	return error;
}

/* With interrupts off nothing may sleep, nor last long. */
#define MAX_COUNT_IRQS_OFF	DEFAULT_COUNT

static int check_irqs(const struct plan *plan)
{
	if (!plan->irqs_off)
		return 0;
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return refuse("irqs", "off", "not with PREEMPT_RT, where allocating may sleep");
	if (gfpflags_allow_blocking(plan->gfp))
		return refuse("irqs", "off", "needs gfp=nowait or gfp=atomic");
	if (plan->count > MAX_COUNT_IRQS_OFF)
		return refuse("irqs", "off", "needs a count of at most %u", MAX_COUNT_IRQS_OFF);
	return 0;
}

static bool has_size(const struct plan *plan, const struct bench *bench)
{
	unsigned int i;

	for (i = 0; i < plan->nr_sizes; i++) {
		if (plan->sizes[i] >= bench->least_size)
			return true;
	}
	return false;
}

/**
 * plan_refusal() - why a plan cannot run a test
 * @plan: with all parameters
 * @bench: one of its tests
 *
 * May sleep.
 *
 * Return: NULL, or the reason.
 */
const char *plan_refusal(const struct plan *plan, const struct bench *bench)
{
	if (plan->irqs_off && bench->flags & BENCH_SPINS)
		return "needs interrupts: CPUs wait for each other within a phase";
	if (!has_size(plan, bench))
		return "needs larger sizes";
	return bench->supported ? bench->supported(plan) : NULL;
}

/**
 * plan_finish() - complete a plan once all parameters are set
 * @plan: gets what its preset says; tests that cannot run are taken out, the count is fitted to
 *	  the memory
 *
 * May sleep.
 *
 * Return: 0, -EINVAL when a test that the user named cannot run, -ENOMEM when the objects would
 * not fit; the log says why.
 */
int plan_finish(struct plan *plan)
{
	unsigned int i;
	int error;

	error = apply_preset(plan);
	if (!error)
		error = check_irqs(plan);
	if (error)
		return error;
	for_each_set_bit(i, plan->tests, nr_benches) {
		const struct bench *bench = benches[i];
		const char *reason = plan_refusal(plan, bench);

		if (!reason)
			continue;
		if (test_bit(i, plan->named))
			return refuse("tests", bench->name, "%s", reason);
		clear_bit(i, plan->tests);
		set_bit(i, plan->skipped);
	}
	if (bitmap_empty(plan->tests, MAX_TESTS)) {
		pr_err("tests: none of those asked for can run here; the file tests says why\n");
		return -EINVAL;
	}
	error = fit_count(plan);
	if (!error && plan_has(plan, BENCH_BATCHES))
		error = fit_batches(plan, "batch", plan->batches, &plan->nr_batches);
	if (!error && plan_has(plan, BENCH_BULKS))
		error = fit_batches(plan, "bulk", plan->bulks, &plan->nr_bulks);
	return error;
}
