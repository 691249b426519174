// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clocks. What counts cycles differs by machine, and what does not must not be called cycles:
 * the counter that get_cycles() reads on arm64 ticks at 25 to 100 MHz on most machines.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/err.h>
#include <linux/gcd.h>
#include <linux/ktime.h>
#include <linux/string.h>

#if defined(CONFIG_X86)
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>
#elif defined(CONFIG_ARM64)
#include <clocksource/arm_arch_timer.h>
#include <asm/arch_timer.h>
#endif

#include "perf.h"
#include "slab_test.h"

/* Below this a tick is too coarse for the cost of a kmalloc. */
#define FINE_KHZ	1000000

#if defined(CONFIG_X86)

static unsigned long tsc_frequency(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? tsc_khz : 0;
}

/* Whether all CPUs show the same. */
static bool tsc_global(void)
{
	return !check_tsc_unstable();
}

/* Ordered with the loops around it, and without CPUID, which always exits to a hypervisor. */
static u64 tsc_read(void)
{
	return rdtsc_ordered();
}

#else

static unsigned long tsc_frequency(void)
{
	return 0;
}

static bool tsc_global(void)
{
	return false;
}

static u64 tsc_read(void)
{
	return 0;
}

#endif

#if defined(CONFIG_ARM64)

static unsigned long arch_frequency(void)
{
	return arch_timer_get_cntfrq() / 1000;
}

/* Comes with the barrier that orders it. */
static u64 arch_read(void)
{
	return __arch_counter_get_cntvct();
}

#else

static unsigned long arch_frequency(void)
{
	return 0;
}

static u64 arch_read(void)
{
	return 0;
}

#endif

static struct perf_event *pmu_open(unsigned int cpu)
{
	return event_open(cpu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

static u64 pmu_read(struct perf_event *event)
{
	u64 enabled, running;

	return event_read(event, &enabled, &running);
}

static bool clock_try(struct clock *clock, enum clock_source source)
{
	memset(clock, 0, sizeof(*clock));
	clock->source = source;
	clock->unit = "cycles";
	clock->global = true;

	switch (source) {
	case CLOCK_TSC:
		clock->name = "tsc";
		clock->khz = tsc_frequency();
		clock->global = tsc_global();
		return clock->khz;
	case CLOCK_ARCH:
		clock->name = "arch";
		clock->unit = "ticks";
		clock->khz = arch_frequency();
		return clock->khz;
	case CLOCK_PMU:
		clock->name = "pmu";
		clock->global = false;
		return pmu_works(cpumask_first(cpu_online_mask));
	case CLOCK_NS:
		clock->name = "ns";
		clock->unit = "ns";
		clock->khz = 1000000;
		return true;
	}
	return false;
}

/**
 * clock_choose() - find the clock of a run
 * @clock: filled in, but for its resolution
 * @name: a clock, or "auto": the time stamp counter; else the architecture's counter if it ticks
 *	  above 1 GHz; else the cycle counter of the PMU; else nanoseconds
 *
 * May sleep.
 *
 * Return: 0, or -EINVAL when this machine does not have the clock; the log says which it has.
 */
int clock_choose(struct clock *clock, const char *name)
{
	const bool automatic = !strcmp(name, "auto");
	enum clock_source source;
	size_t used = 0;
	char here[32];

	for (source = CLOCK_TSC; source <= CLOCK_NS; source++) {
		if (!clock_try(clock, source))
			continue;
		if (automatic) {
			if (source != CLOCK_ARCH || clock->khz > FINE_KHZ)
				return 0;
			continue;
		}
		if (!strcmp(name, clock->name))
			return 0;
		used += scnprintf(here + used, sizeof(here) - used, " %s", clock->name);
	}
	pr_err("clock=%s: this machine has:%s\n", name, here);
	return -EINVAL;
}

/**
 * clock_open() - make the run's clock readable for a worker
 * @worker: calls this on its own CPU; may sleep
 *
 * Return: 0 or a negative error.
 */
int clock_open(struct worker *worker)
{
	struct perf_event *event;

	if (worker->run->clock.source != CLOCK_PMU)
		return 0;
	event = pmu_open(worker->cpu);
	if (IS_ERR(event))
		return PTR_ERR(event);
	worker->event = event;
	return 0;
}

/**
 * clock_close() - undo clock_open()
 * @worker: whether it opened the clock or not; may sleep
 */
void clock_close(struct worker *worker)
{
	if (worker->event)
		event_close(worker->event);
	worker->event = NULL;
}

/**
 * clock_read() - the time now
 * @worker: on its own CPU; may sleep when the clock is the PMU's
 *
 * Return: in the clock's unit, from an unknown start.
 */
noinline u64 clock_read(const struct worker *worker)
{
	switch (worker->run->clock.source) {
	case CLOCK_TSC:
		return tsc_read();
	case CLOCK_ARCH:
		return arch_read();
	case CLOCK_PMU:
		return pmu_read(worker->event);
	default:
		return ktime_get_ns();
	}
}

/**
 * clock_resolution() - the step in which the clock advances
 * @worker: on its own CPU; may sleep when the clock is the PMU's
 *
 * It is the greatest common divisor of many differences, between stamps of which no two are
 * equally far apart.
 *
 * Return: in the clock's unit; 0 when the clock does not advance.
 */
u64 clock_resolution(const struct worker *worker)
{
	unsigned long step = 0;
	unsigned int i, j;

	for (i = 0; i < 1000; i++) {
		u64 start = clock_read(worker);

		for (j = 0; j < i % 61; j++)
			barrier();
		if (i & 1)
			asm volatile("nop");
		step = gcd(step, (unsigned long)(clock_read(worker) - start));
	}
	return step;
}
