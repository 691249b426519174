/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event of the PMU or of the kernel, counted on one CPU whoever runs there: the clock may be
 * one, and counters are. Kernels without CONFIG_PERF_EVENTS have none.
 */
#ifndef SLAB_TEST_PERF_H
#define SLAB_TEST_PERF_H

#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#ifdef CONFIG_PERF_EVENTS

/* Pinned: it keeps its place in the PMU, or never gets one; nothing takes turns. May sleep. */
static inline struct perf_event *event_open(unsigned int cpu, u32 type, u64 config)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.size = sizeof(attr),
		.pinned = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

static inline void event_close(struct perf_event *event)
{
	perf_event_release_kernel(event);
}

/* What it counted; @enabled and @running: for how many ns it was to, and for how many it did. */
static inline u64 event_read(struct perf_event *event, u64 *enabled, u64 *running)
{
	return perf_event_read_value(event, enabled, running);
}

static inline bool event_counts(const struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE;
}

#else

static inline struct perf_event *event_open(unsigned int cpu, u32 type, u64 config)
{
	return ERR_PTR(-ENODEV);
}

static inline void event_close(struct perf_event *event)
{
}

static inline u64 event_read(struct perf_event *event, u64 *enabled, u64 *running)
{
	return 0;
}

static inline bool event_counts(const struct perf_event *event)
{
	return false;
}

#endif

/* Tried for real: many virtual machines have none. May sleep. */
static inline bool pmu_works(unsigned int cpu)
{
	struct perf_event *event = event_open(cpu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	if (IS_ERR(event))
		return false;
	event_close(event);
	return true;
}

#endif /* SLAB_TEST_PERF_H */
