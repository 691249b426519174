/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the module share: a plan says what to measure, a run does it with one worker a
 * CPU, a bench is one test, a sample is one measured phase of one CPU in one round.
 */
#ifndef SLAB_TEST_H
#define SLAB_TEST_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "compat.h"

/* Also in dkms.conf. */
#define SLAB_TEST_VERSION	"1.0"

struct bench;
struct perf_event;
struct preset;
struct run;
struct worker;

/*
 * For functions with a measured loop: a page each, so that where the linker puts them does not
 * show. (An emulator pays for a jump to another page.)
 */
#define LOOP_ALIGNMENT	4096

/* ---- plan.c: what to measure ---- */

#define MAX_TESTS	64
#define MAX_SIZES	32
#define MAX_BATCHES	32
#define MAX_BATCH	10000
#define DEFAULT_COUNT	10000
#define MAX_COUNT	1000000
#define MAX_ROUNDS	1000
#define MAX_WARMUP	100
#define MAX_HANDICAP	1023
#define MAX_COUNTERS	8

enum order { ORDER_FIFO, ORDER_LIFO, ORDER_RANDOM, NR_ORDERS };

/**
 * struct plan - what a run measures, checked and complete
 * @preset: sets what is not @given; NULL: the defaults do
 * @given: parameters that the user set, by index into parameters[] of plan.c
 * @inherited: those of @given that are older than the line in which more are set
 * @tests: by index into benches[], those to run
 * @named: those of them that the user wrote out: when one cannot run here, that is an error
 * @skipped: those that were asked for in other ways and cannot run here
 * @sizes: object sizes in bytes, in the order given
 * @nr_sizes: how many @sizes there are
 * @batches: how many objects at once, for the tests that work in batches
 * @nr_batches: how many @batches there are
 * @bulks: the same for kmem_cache_alloc_bulk()
 * @nr_bulks: how many @bulks there are
 * @memcg: memory cgroup of who made the plan, with a reference; NULL: the root's, or none
 * @count: objects a CPU, phase and round
 * @count_lowered: to what the memory holds
 * @rounds: measured rounds of each test and size
 * @warmup: rounds before them that leave no samples
 * @cpus: the CPUs that work; one worker each
 * @gfp: flags of every allocation
 * @gfp_name: what the user calls them
 * @orders: in which orders the tests with BENCH_ORDERS free
 * @nr_orders: how many @orders there are
 * @irqs_off: phases run with interrupts off
 * @seed: of the random order
 * @handicap: dependent instructions added to each operation
 * @clock: name of the clock wanted, "auto" for the best
 * @counters: what is counted besides, by index into counter_kinds[], in the order given
 * @nr_counters: how many @counters there are
 */
struct plan {
	const struct preset *preset;
	unsigned long given;
	unsigned long inherited;
	DECLARE_BITMAP(tests, MAX_TESTS);
	DECLARE_BITMAP(named, MAX_TESTS);
	DECLARE_BITMAP(skipped, MAX_TESTS);
	unsigned int sizes[MAX_SIZES];
	unsigned int nr_sizes;
	unsigned int batches[MAX_BATCHES];
	unsigned int nr_batches;
	unsigned int bulks[MAX_BATCHES];
	unsigned int nr_bulks;
	struct mem_cgroup *memcg;
	unsigned int count;
	bool count_lowered;
	unsigned int rounds;
	unsigned int warmup;
	cpumask_var_t cpus;
	gfp_t gfp;
	const char *gfp_name;
	enum order orders[NR_ORDERS];
	unsigned int nr_orders;
	bool irqs_off;
	u64 seed;
	unsigned int handicap;
	const char *clock;
	unsigned int counters[MAX_COUNTERS];
	unsigned int nr_counters;
};

/* More would keep a CPU that works for all others busy for seconds, without a break. */
#define MAX_OBJECTS_OUT	20000000

/* How many pointers a worker needs: the count, or the places of a ring. */
#define RING	256
#define MAX_OBJECTS(plan)	max_t(unsigned int, (plan)->count, RING)

extern const char * const order_names[];

int plan_init(struct plan *plan);
void plan_free(struct plan *plan);
int plan_set(struct plan *plan, const char *name, const char *value);
int plan_parse(struct plan *plan, char *text);
int plan_finish(struct plan *plan);
bool plan_has(const struct plan *plan, unsigned int flag);
bool plan_given(const struct plan *plan, const char *name);
const char *plan_refusal(const struct plan *plan, const struct bench *bench);

/* ---- preset.c: plans with a name ---- */

#define MAX_SETTINGS	8

/**
 * struct preset - a plan with a name
 * @name: for preset=
 * @settings: parameters and their values, as a user would write them; the first without a name
 *	      ends them
 */
struct preset {
	const char *name;
	struct {
		const char *name;
		const char *value;
	} settings[MAX_SETTINGS];
};

#define PRESET_NAMES	"classic, quick, sheaves or full"

const struct preset *preset_find(const char *name);

/* ---- clock.c: what time is measured with ---- */

enum clock_source { CLOCK_TSC, CLOCK_ARCH, CLOCK_PMU, CLOCK_NS };

/**
 * struct clock - the clock of a run
 * @source: where it is read
 * @name: what the user calls it
 * @unit: of what is counted, "cycles" or "ns"
 * @khz: its frequency, 0 where nobody knows it (the cycle counter of a PMU)
 * @resolution: the smallest step seen, in @unit
 * @global: stamps of different CPUs can be compared
 */
struct clock {
	enum clock_source source;
	const char *name;
	const char *unit;
	unsigned long khz;
	u64 resolution;
	bool global;
};

int clock_choose(struct clock *clock, const char *name);
int clock_open(struct worker *worker);
void clock_close(struct worker *worker);
u64 __aligned(LOOP_ALIGNMENT) clock_read(const struct worker *worker);
u64 clock_resolution(const struct worker *worker);

/* ---- counters.c: what is counted besides ---- */

struct counter;

/**
 * struct counter_kind - something that can be counted
 * @name: what the user calls it
 * @type: PERF_TYPE_*
 * @config: which event of that type
 */
struct counter_kind {
	const char *name;
	u32 type;
	u64 config;
};

extern const struct counter_kind counter_kinds[];
extern const unsigned int nr_counter_kinds;

/* Stands for a count that could not be had: missing, and not 0. */
#define NOT_COUNTED	U64_MAX

void counters_open(struct worker *worker);
void counters_close(struct worker *worker);
void counters_begin(struct worker *worker);
void counters_end(struct worker *worker);
void counter_drop(struct counter *counter, int error);
const char *counter_reason(int error);

/* ---- the tests ---- */

enum phase {
	PHASE_ALLOC,
	PHASE_FREE,
	PHASE_PAIR,
	PHASE_BATCH,
	PHASE_FREE_HALF,
	PHASE_ALLOC_HALF,
	PHASE_FREE_ALL,
	PHASE_MULTIPLY,
	PHASE_BULK,
};

/* The phases whose loop's cost is known: all before PHASE_MULTIPLY. */
#define NR_LOOPS	PHASE_MULTIPLY
#define MAX_PHASES	3

extern const char * const phase_names[];

#define BENCH_ALL_CPUS	BIT(0)	/* every CPU of the plan works, not the first alone */
#define BENCH_NO_SIZE	BIT(1)	/* objects have no size here: runs once */
#define BENCH_BY_ROLE	BIT(2)	/* a CPU does one of the phases: print that one alone */
#define BENCH_BATCHES	BIT(3)	/* runs with each of the plan's batches */
#define BENCH_BULKS	BIT(4)	/* runs with each of the plan's bulks */
#define BENCH_PAGES	BIT(5)	/* sizes are pages of order 0 to MAX_PAGE_ORDER_TESTED */
#define BENCH_EXTRA	BIT(6)	/* runs only when it is named */
#define BENCH_ORDERS	BIT(7)	/* runs with each of the plan's orders */
#define BENCH_SPINS	BIT(8)	/* waits for other CPUs within a phase, or works for them all */

#define MAX_PAGE_ORDER_TESTED	10

/* Where a test's objects come from; see objects.h. */
enum source {
	SOURCE_NOTHING,
	SOURCE_KMALLOC,
	SOURCE_ACCOUNTED,
	SOURCE_NODE,
	SOURCE_CACHE,
	SOURCE_PAGES,
	SOURCE_RCU,
};

#define MAX_METRICS	2

/**
 * struct metric - what a test measures besides its phases, once a round
 * @name: behind the name of the test and the size
 * @unit: of its value
 * @better: "lower" or "higher"
 */
struct metric {
	const char *name;
	const char *unit;
	const char *better;
};

/**
 * struct bench - one test
 * @name: for tests= and the samples
 * @title: one line for a person
 * @line: how the published line begins, for tests of all CPUs; see report.c
 * @calls: names of the calls measured, for the published lines of tests of one CPU
 * @source: where its objects come from
 * @rev: rises whenever the measured code changes, so that compare never mixes two of them
 * @flags: BENCH_*
 * @nr_phases: how many of @phases there are
 * @phases: what a round measures, in this order
 * @nr_metrics: how many of @metrics there are
 * @metrics: what else a round measures
 * @least_size: smaller sizes are left out; in bytes
 * @supported: why this plan cannot run it, or NULL when it can; may be NULL
 * @run: one round on one CPU: phase_begin(), a loop, phase_end() for each phase; may sleep.
 *	 Objects left over are told by worker->filled and worker->freed.
 *	 Returns 0 or a negative error, after run_fail() where it is the first to know.
 */
struct bench {
	const char *name;
	const char *title;
	const char *line;
	const char *calls[2];
	enum source source;
	unsigned int rev;
	unsigned int flags;
	unsigned int nr_phases;
	enum phase phases[MAX_PHASES];
	unsigned int nr_metrics;
	struct metric metrics[MAX_METRICS];
	unsigned int least_size;
	const char *(*supported)(const struct plan *plan);
	int (*run)(struct worker *worker);
};

extern const struct bench * const benches[];
extern const unsigned int nr_benches;

extern const struct bench alloc_then_free_bench, alloc_free_bench, null_bench, control_bench;
extern const struct bench concurrent_alloc_then_free_bench, concurrent_alloc_free_bench;
extern const struct bench fragmented_bench, cache_fragmented_bench, accounted_fragmented_bench;
extern const struct bench remote_free_bench, alloc_one_free_all_bench, ring_bench;
extern const struct bench cache_alloc_then_free_bench, cache_alloc_free_bench;
extern const struct bench cache_concurrent_alloc_then_free_bench;
extern const struct bench cache_concurrent_alloc_free_bench;
extern const struct bench cache_remote_free_bench, cache_alloc_one_free_all_bench;
extern const struct bench accounted_alloc_then_free_bench, accounted_alloc_free_bench;
extern const struct bench accounted_concurrent_alloc_then_free_bench;
extern const struct bench accounted_concurrent_alloc_free_bench;
extern const struct bench accounted_remote_free_bench, accounted_alloc_one_free_all_bench;
extern const struct bench node_alloc_then_free_bench, node_alloc_free_bench;
extern const struct bench alloc_page_then_free_bench, alloc_page_free_bench;
extern const struct bench batch_alloc_free_bench, concurrent_batch_alloc_free_bench;
extern const struct bench accounted_batch_alloc_free_bench;
extern const struct bench accounted_concurrent_batch_alloc_free_bench;
extern const struct bench bulk_alloc_free_bench, bulk_fallback_bench;
extern const struct bench kfree_rcu_bench, concurrent_kfree_rcu_bench;
extern const struct bench batch_kfree_rcu_bench, concurrent_batch_kfree_rcu_bench;

int alloc_then_free(struct worker *worker);
int measure_pairs(struct worker *worker, unsigned int (*loop)(struct worker *worker));
int alloc_free(struct worker *worker);
int fragmented(struct worker *worker);
int remote_free(struct worker *worker);
int alloc_one_free_all(struct worker *worker);
int batch_alloc_free(struct worker *worker);
void null_batches(struct worker *worker);
const char *needs_two_cpus(const struct plan *plan);
const char *needs_memory_cgroup(const struct plan *plan);
const char *needs_memory_cgroup_and_two_cpus(const struct plan *plan);
int wait_for_objects(struct run *run, long *most);
int alloc_phase(struct worker *worker, unsigned int phase);
u64 __aligned(LOOP_ALIGNMENT) free_objects(struct worker *worker, struct worker *owner);
void arrange_objects(struct worker *worker);
void __aligned(LOOP_ALIGNMENT) null_loop(struct worker *worker, enum phase phase);

/* ---- worker.c: a thread a CPU, the barrier and the phases ---- */

#define SAMPLE_PREEMPTED	BIT(0)
#define SAMPLE_MIGRATED		BIT(1)

/**
 * struct sample - one phase of one CPU in one round
 * @ops: operations done; 0: the CPU took no part
 * @cycles: the clock's difference, nothing subtracted
 * @start: when the loop began; see phase_start_ns()
 * @flags: SAMPLE_*
 */
struct sample {
	u64 ops;
	u64 cycles;
	u64 start;
	unsigned int flags;
};

/**
 * struct overhead - what measuring adds, in thousandths
 * @read: to a phase
 * @loop: to an operation, by the phase whose loop it is
 */
struct overhead {
	s64 read;
	s64 loop[NR_LOOPS];
};

/**
 * struct counter - one of the plan's counters on one CPU
 * @event: what counts; NULL: nothing does
 * @error: why not, negative; see counter_reason()
 * @start: its count at the start of the phase
 * @enabled: for how many ns it was to count, then
 * @running: for how many ns it did, then
 * @overhead: what measuring adds to its count
 */
struct counter {
	struct perf_event *event;
	int error;
	u64 start;
	u64 enabled;
	u64 running;
	struct overhead overhead;
};

/**
 * struct unit - one test with one size: the step in which a run advances
 * @bench: the test
 * @size: bytes an object; 0 where the test has none
 * @batch: objects at once; 0 where the test does not work in batches
 * @order: in which order it frees
 * @variant: "/100", "/random" or both, behind the test's name; empty where it has one form only
 * @count: objects a CPU, phase and round: the plan's, or less where they are large
 * @took: how long all of it took, in ns, once it is done
 * @samples: [round][phase][worker], of sample_at()
 * @metrics: [round][metric], of metric_at()
 */
struct unit {
	const struct bench *bench;
	unsigned int size;
	unsigned int batch;
	enum order order;
	char variant[16];
	unsigned int count;
	u64 took;
	struct sample *samples;
	s64 *metrics;
};

/* A metric that could not be measured. */
#define METRIC_MISSING	S64_MIN

/**
 * struct worker - one CPU's thread and what it works on
 * @run: the run it belongs to
 * @task: the thread, bound to @cpu; NULL: none
 * @cpu: where it works
 * @index: its place among the workers; 0 is the first CPU
 * @event: the PMU's cycle counter, where it is the clock
 * @objects: room for plan->count pointers, on the CPU's node
 * @filled: how many of @objects may be out in this round; NULL where none came
 * @freed: of these, how many from the start are freed again
 * @out: objects allocated since the run began
 * @back: objects freed since the run began
 * @round: the round in progress; below 0 while warming up
 * @start: clock at the start of the phase
 * @switches: context switches of @task then
 * @scratch: takes what warm-up rounds measure
 * @random: state of the random order
 * @sequence: for tests that work in batches: in which order a batch is freed
 * @node: for SOURCE_NODE: another node than that of @cpu
 * @overhead: what measuring adds to the clock's differences
 * @job: what to do next
 * @wait: where it waits for a @job
 * @counters: the plan's, in their order
 * @counts: what they counted in the last phase, or NOT_COUNTED
 */
struct worker {
	struct run *run;
	struct task_struct *task;
	unsigned int cpu;
	unsigned int index;
	struct perf_event *event;
	void **objects;
	unsigned int filled;
	unsigned int freed;
	u64 out;
	u64 back;
	int round;
	u64 start;
	unsigned long switches;
	struct sample scratch;
	struct rnd_state random;
	unsigned short *sequence;
	int node;
	struct overhead overhead;
	void (*job)(struct worker *worker);
	wait_queue_head_t wait;
	struct counter counters[MAX_COUNTERS];
	u64 counts[MAX_COUNTERS];
} ____cacheline_aligned_in_smp;

int workers_start(struct run *run);
void workers_stop(struct run *run);
void workers_do(struct run *run, unsigned int nr, void (*job)(struct worker *worker));
void worker_do(struct worker *worker, void (*job)(struct worker *worker));
int meet(struct worker *worker);
int __aligned(LOOP_ALIGNMENT) phase_begin(struct worker *worker, unsigned int phase);
void __aligned(LOOP_ALIGNMENT) phase_end(struct worker *worker, unsigned int phase, u64 ops);
void calibrate(struct worker *worker);

/**
 * spin_until() - wait for another CPU, bounded
 * @worker: who waits
 * @condition: what it waits for; evaluated again and again
 *
 * Leaves early when the run is to stop, and ends the run when it takes impossibly long. May sleep.
 *
 * Return: 0, or -ECANCELED when the run stops.
 */
#define spin_until(worker, condition)					\
({									\
	unsigned int spins = 0;						\
	u64 deadline = 0;						\
	int error = 0;							\
									\
	while (!(condition)) {						\
		cpu_relax();						\
		if (++spins & 1023)					\
			continue;					\
		error = spin_check(worker, &deadline);			\
		if (error)						\
			break;						\
	}								\
	error;								\
})

int spin_check(struct worker *worker, u64 *deadline);

/* ---- run.c: the run of a plan ---- */

enum run_state { RUN_RUNNING, RUN_DONE, RUN_ABORTED, RUN_FAILED };

/**
 * struct run - a plan being measured, or measured
 * @ref: one for the control, one for every open file
 * @plan: what to measure
 * @clock: with what
 * @header: what distorts the figures here; text, made when the run was
 * @workers: one a CPU
 * @nr_workers: how many
 * @units: the steps
 * @nr_units: how many
 * @done: units measured; see run_done()
 * @samples: of all units
 * @counts: for each of these, one of every counter; see counts_of()
 * @metrics: of all units
 * @scratch: room to sort in: the values of one row, or the spread of every phase
 * @scratch_lock: taken by who uses @scratch
 * @task: the thread that leads the run
 * @ended: completed when the run is over
 * @state: how it stands; see run_state()
 * @stop: set once somebody wants it to end: the state it shall end in
 * @error: what went wrong, for the exit status of insmod
 * @reason: in words
 * @stop_lock: the first who stops it is remembered
 * @unit: the step in progress
 * @cache: of the unit in progress or of the last one, never merged with others; NULL without
 * @returns: rises when the objects that wait for a grace period are back; see rcu.c
 * @busy: workers that still have a job
 * @idle: where the leader waits for them
 * @parties: how many meet at the barrier
 * @waiting: how many are there
 * @gate: changes when the last one arrives
 */
struct run {
	struct kref ref;
	struct plan plan;
	struct clock clock;
	char *header;
	struct worker **workers;
	unsigned int nr_workers;
	struct unit *units;
	unsigned int nr_units;
	unsigned int done;
	struct sample *samples;
	u64 *counts;
	s64 *metrics;
	u64 *scratch;
	struct mutex scratch_lock;	/* for scratch */
	struct task_struct *task;
	struct completion ended;
	enum run_state state;
	enum run_state stop;
	int error;
	char reason[160];
	spinlock_t stop_lock;		/* for stop, error and reason */
	struct unit *unit;
	struct kmem_cache *cache;
	unsigned int returns;
	atomic_t busy;
	wait_queue_head_t idle;
	unsigned int parties;
	atomic_t waiting ____cacheline_aligned_in_smp;
	unsigned int gate ____cacheline_aligned_in_smp;
};

struct run *run_create(struct plan *plan);
int run_start(struct run *run);
void run_reap(struct run *run);
void run_drop_cache(struct run *run);
void run_put(struct run *run);
__printf(2, 3) void run_abort(struct run *run, const char *format, ...);
__printf(3, 4) int run_fail(struct run *run, int error, const char *format, ...);

/**
 * run_done() - how many units are measured
 * @run: the run
 *
 * Return: a number; samples of the units below it do not change any more.
 */
static inline unsigned int run_done(const struct run *run)
{
	/* Pairs with run_thread(), which has written the samples. */
	return smp_load_acquire(&run->done);
}

/**
 * run_state() - how a run stands
 * @run: the run
 *
 * Return: once it is not RUN_RUNNING, nothing that is reported changes any more.
 */
static inline enum run_state run_state(const struct run *run)
{
	/* Pairs with run_thread(), which has written all there is. */
	return smp_load_acquire(&run->state);
}

/**
 * unit_parties() - how many workers a unit has
 * @run: the run
 * @unit: one of its units
 */
static inline unsigned int unit_parties(const struct run *run, const struct unit *unit)
{
	return unit->bench->flags & BENCH_ALL_CPUS ? run->nr_workers : 1;
}

/**
 * sample_at() - where a sample is kept
 * @run: the run
 * @unit: one of its units
 * @round: from 0
 * @phase: index into the test's phases
 * @index: of the worker
 */
static inline struct sample *sample_at(const struct run *run, const struct unit *unit,
				       unsigned int round, unsigned int phase, unsigned int index)
{
	size_t row = (size_t)round * unit->bench->nr_phases + phase;

	return &unit->samples[row * unit_parties(run, unit) + index];
}

/**
 * metric_at() - where a metric is kept
 * @unit: one of a run's units
 * @round: from 0
 * @metric: index into the test's metrics
 */
static inline s64 *metric_at(const struct unit *unit, unsigned int round, unsigned int metric)
{
	return &unit->metrics[(size_t)round * unit->bench->nr_metrics + metric];
}

/**
 * counts_of() - what the counters counted during a sample
 * @run: the run
 * @sample: one of its samples
 */
static inline u64 *counts_of(const struct run *run, const struct sample *sample)
{
	return &run->counts[(sample - run->samples) * run->plan.nr_counters];
}

/* ---- slab_test.c: the parameters, and the one run there may be ---- */

int plan_from_parameters(struct plan *plan);
int control_start(struct plan *plan, struct run **started);
struct run *control_run(void);

/* ---- header.c and report.c: what is told ---- */

char *header_create(const struct run *run);
int report_init(void);
void report_exit(void);
void report_log(struct run *run);

#endif /* SLAB_TEST_H */
