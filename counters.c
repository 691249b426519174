// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: what else happened on a worker's CPU during a phase, besides time. They are read
 * outside of the clock's stamps, so that the figures are the same with them and without.
 */
#include <linux/err.h>
#include <linux/kernel.h>

#include "perf.h"
#include "slab_test.h"

#define CACHE_LOAD_MISSES(cache)						\
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 |	\
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

/* The names are those of perf. */
const struct counter_kind counter_kinds[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE_LOAD_MISSES(L1D) },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE_LOAD_MISSES(LL) },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE_LOAD_MISSES(DTLB) },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
};

const unsigned int nr_counter_kinds = ARRAY_SIZE(counter_kinds);

static int open_counter(const struct worker *worker, struct counter *counter,
			const struct counter_kind *kind)
{
	struct perf_event *event = event_open(worker->cpu, kind->type, kind->config);
	int error = PTR_ERR_OR_ZERO(event);

	if ((error == -ENOENT || error == -EINVAL) && !pmu_works(worker->cpu))
		return -ENODEV;
	if (error)
		return error;
	if (!event_counts(event)) {
		event_close(event);
		return -ENOSPC;
	}
	counter->event = event;
	return 0;
}

/**
 * counters_open() - make the plan's counters ready on a worker's CPU
 * @worker: calls this on its own CPU, after clock_open(), which comes first where both want a
 *	    place in the PMU; may sleep
 *
 * One that cannot be counted here keeps the reason; see counter_reason().
 */
void counters_open(struct worker *worker)
{
	const struct plan *plan = &worker->run->plan;
	unsigned int i;

	for (i = 0; i < plan->nr_counters; i++) {
		struct counter *counter = &worker->counters[i];

		counter->error = open_counter(worker, counter, &counter_kinds[plan->counters[i]]);
	}
}

/**
 * counter_drop() - give a counter up
 * @counter: of a worker, open
 * @error: why; see counter_reason()
 *
 * May sleep.
 */
void counter_drop(struct counter *counter, int error)
{
	event_close(counter->event);
	counter->event = NULL;
	counter->error = error;
}

/**
 * counters_close() - undo counters_open()
 * @worker: whether it opened them or not; may sleep
 */
void counters_close(struct worker *worker)
{
	unsigned int i;

	for (i = 0; i < worker->run->plan.nr_counters; i++) {
		if (worker->counters[i].event)
			event_close(worker->counters[i].event);
		worker->counters[i].event = NULL;
	}
}

/**
 * counter_reason() - why a counter does not count
 * @error: of struct counter, not 0
 *
 * Return: words, or NULL where the number is all there is to say.
 */
const char *counter_reason(int error)
{
	if (!IS_ENABLED(CONFIG_PERF_EVENTS))
		return "a kernel without CONFIG_PERF_EVENTS";
	switch (error) {
	case -ENODEV:
		return "no PMU that the kernel can use";
	case -ENOENT:
	case -EINVAL:
	case -EOPNOTSUPP:
		return "the PMU has no such event";
	case -ENOSPC:
		return "no free counter";
	case -EBUSY:
		return "the PMU is in use";
	}
	return NULL;
}

/**
 * counters_begin() - read the counters at the start of a phase
 * @worker: on its own CPU; may sleep
 */
void counters_begin(struct worker *worker)
{
	unsigned int i;

	for (i = 0; i < worker->run->plan.nr_counters; i++) {
		struct counter *counter = &worker->counters[i];

		if (counter->event)
			counter->start = event_read(counter->event, &counter->enabled,
						    &counter->running);
	}
}

static u64 counted(const struct counter *counter)
{
	u64 enabled, running;
	u64 count = event_read(counter->event, &enabled, &running);

	/* Where it lost its place in the PMU meanwhile, a part is missing. */
	if (!event_counts(counter->event) ||
	    enabled - counter->enabled != running - counter->running)
		return NOT_COUNTED;
	return count - counter->start;
}

/**
 * counters_end() - what was counted since counters_begin(): to worker->counts
 * @worker: on its own CPU; may sleep
 */
void counters_end(struct worker *worker)
{
	unsigned int i;

	for (i = 0; i < worker->run->plan.nr_counters; i++) {
		const struct counter *counter = &worker->counters[i];

		worker->counts[i] = counter->event ? counted(counter) : NOT_COUNTED;
	}
}
