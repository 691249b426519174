// SPDX-License-Identifier: GPL-2.0-only
/*
 * A QEMU plugin: which functions the instructions of each measured phase were executed in.
 *
 *   -plugin FILE,symbols=FILE,out=FILE
 *
 * symbols is the guest's /proc/kallsyms. Every instruction of the guest counts for its function and
 * vCPU. A phase is what lies between the clock_read() of phase_begin() and that of phase_end() on
 * one vCPU: the path from the start of clock_read() to the stamp is the same both times, so the
 * counts have the phase's number of instructions. Each phase leaves a block of TSV in out, in the
 * order of their ends: a line with an empty first field, then one a function.
 *
 *   (empty)   VCPU          INSTRUCTIONS
 *   FUNCTION  INSTRUCTIONS  ELSEWHERE     (by VCPU, and by the other vCPUs meanwhile)
 *
 * For -icount, where one host thread runs all vCPUs: nothing here is locked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"
#include "symbols.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version;

/* QEMU looks at the version before it calls anything here. Scoreboards came with version 2. */
static void __attribute__((constructor)) choose_version(void)
{
	qemu_plugin_version = dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new") ? 2 : 1;
}

/* Counters are dealt out as functions are met: a guest executes a tenth of those it has. */
static struct symbols symbols;
static unsigned int *counter_of;	/* [symbol]; 0: none yet */
static const char **counter_name;
static unsigned int counters = 1;
static size_t most_counters;

/* What happens on a vCPU, and what all of them had counted when its phase began. */
struct vcpu {
	uint64_t *count;	/* [counter] */
	enum { OUTSIDE, BEGINNING, WITHIN, ENDING } state;
	uint64_t *start;	/* [vCPU][counter] */
};

static struct vcpu *vcpus;
static unsigned int vcpu_count;

static FILE *out;

/* The results were read: tests that run from here on are no part of the record. */
static bool over;

/*
 * The vCPU that runs. From 9.0 on QEMU passes callbacks the vCPU that translated the block, if one
 * thread runs all of them; so QEMU's own variable is looked at, which no interface promises.
 */
static void **cpus;
static void **current_cpu;

static bool find_cpus(void)
{
	void *(*get_cpu)(int index) = (void *(*)(int))dlsym(RTLD_DEFAULT, "qemu_get_cpu");

	current_cpu = dlsym(RTLD_DEFAULT, "current_cpu");
	if (!current_cpu || !get_cpu)
		return false;
	for (unsigned int i = 0; i < vcpu_count; i++)
		cpus[i] = get_cpu(i);
	return true;
}

static struct vcpu *running(void)
{
	static struct vcpu *last;
	static void *last_cpu;

	if (vcpu_count == 1)
		return vcpus;
	/* Of this thread, which is not the one that loaded the plugin. */
	if (!last)
		find_cpus();
	if (*current_cpu == last_cpu)
		return last;
	last_cpu = *current_cpu;
	last = vcpus;
	for (unsigned int i = 0; i < vcpu_count; i++)
		if (cpus[i] == last_cpu)
			last = &vcpus[i];
	return last;
}

static void begin(struct vcpu *vcpu)
{
	for (unsigned int i = 0; i < vcpu_count; i++)
		memcpy(vcpu->start + i * most_counters, vcpus[i].count,
		       counters * sizeof(*vcpu->start));
}

/* What a vCPU has counted since the phase of @vcpu began. */
static uint64_t since_begin(const struct vcpu *vcpu, unsigned int index, unsigned int counter)
{
	return vcpus[index].count[counter] - vcpu->start[index * most_counters + counter];
}

static void end(const struct vcpu *vcpu)
{
	const unsigned int self = vcpu - vcpus;
	uint64_t total = 0;

	for (unsigned int i = 0; i < vcpu_count; i++)
		for (unsigned int j = 1; j < counters; j++)
			total += since_begin(vcpu, i, j);
	fprintf(out, "\t%u\t%" PRIu64 "\n", self, total);
	for (unsigned int j = 1; j < counters; j++) {
		uint64_t own = since_begin(vcpu, self, j), all = 0;

		for (unsigned int i = 0; i < vcpu_count; i++)
			all += since_begin(vcpu, i, j);
		if (all)
			fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\n", counter_name[j], own,
				all - own);
	}
}

static void enter_phase_begin(unsigned int index, void *data)
{
	(void)index;
	(void)data;
	if (!over)
		running()->state = BEGINNING;
}

static void enter_phase_end(unsigned int index, void *data)
{
	struct vcpu *vcpu = running();

	(void)index;
	(void)data;
	if (vcpu->state == WITHIN)
		vcpu->state = ENDING;
}

static void enter_clock_read(unsigned int index, void *data)
{
	struct vcpu *vcpu = running();

	(void)index;
	(void)data;
	if (vcpu->state == BEGINNING) {
		begin(vcpu);
		vcpu->state = WITHIN;
	} else if (vcpu->state == ENDING) {
		end(vcpu);
		vcpu->state = OUTSIDE;
	}
}

static void enter_results_show(unsigned int index, void *data)
{
	(void)index;
	(void)data;
	over = true;
}

/* The functions of the module that say where a phase is, and where the last one was. */
static struct {
	const char *name;
	void (*enter)(unsigned int index, void *data);
	uint64_t address;
} marks[] = {
	{ "phase_begin", enter_phase_begin, 0 },
	{ "phase_end", enter_phase_end, 0 },
	{ "clock_read", enter_clock_read, 0 },
	{ "results_show", enter_results_show, 0 },
};

enum { MARKS = sizeof(marks) / sizeof(*marks) };

static bool find_marks(const char *path)
{
	for (int i = 0; i < MARKS; i++) {
		marks[i].address = symbols_address(&symbols, marks[i].name);
		if (!marks[i].address) {
			fprintf(stderr, "profile: %s: no function %s of slab_test\n", path,
				marks[i].name);
			return false;
		}
	}
	return true;
}

/* The counter of the function at @address. */
static unsigned int counter_at(uint64_t address)
{
	size_t symbol = symbols_find(&symbols, address);

	if (!counter_of[symbol]) {
		counter_name[counters] = symbols.symbol[symbol].name;
		counter_of[symbol] = counters++;
	}
	return counter_of[symbol];
}

/* A block runs. @data: its counter, and in the lowest 16 bits its number of instructions. */
static void executed(unsigned int index, void *data)
{
	(void)index;
	running()->count[(uintptr_t)data >> 16] += (uintptr_t)data & 0xffff;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const uint64_t address = qemu_plugin_tb_vaddr(tb);
	uintptr_t block = (uintptr_t)counter_at(address) << 16 | qemu_plugin_tb_n_insns(tb);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, (void *)block);
	for (int i = 0; i < MARKS; i++)
		if (address == marks[i].address)
			qemu_plugin_register_vcpu_tb_exec_cb(tb, marks[i].enter,
							     QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void ended(qemu_plugin_id_t id, void *data)
{
	bool failed = ferror(out);

	(void)id;
	(void)data;
	if (fclose(out) || failed)
		fprintf(stderr, "profile: the counts could not be written: disk full?\n");
}

static bool allocate(void)
{
	most_counters = symbols.count + 1;
	counter_name = calloc(most_counters, sizeof(*counter_name));
	counter_of = calloc(symbols.count, sizeof(*counter_of));
	cpus = calloc(vcpu_count, sizeof(*cpus));
	vcpus = calloc(vcpu_count, sizeof(*vcpus));
	if (!counter_name || !counter_of || !cpus || !vcpus)
		return false;
	for (unsigned int i = 0; i < vcpu_count; i++) {
		vcpus[i].count = calloc(most_counters, sizeof(*vcpus[i].count));
		vcpus[i].start = calloc(vcpu_count * most_counters, sizeof(*vcpus[i].start));
		if (!vcpus[i].count || !vcpus[i].start)
			return false;
	}
	return true;
}

static bool prepare(const char *symbols_path, const char *out_path)
{
	if (!symbols_read(&symbols, symbols_path) || !find_marks(symbols_path))
		return false;
	if (!allocate()) {
		fprintf(stderr, "profile: out of memory\n");
		return false;
	}
	if (vcpu_count > 1 && !find_cpus()) {
		fprintf(stderr, "profile: this QEMU does not tell which vCPU runs: give it one\n");
		return false;
	}
	out = fopen(out_path, "we");
	if (!out)
		fprintf(stderr, "profile: %s: %s\n", out_path, strerror(errno));
	return out;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	const char *symbols_path = NULL, *out_path = NULL;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "symbols=", 8))
			symbols_path = argv[i] + 8;
		else if (!strncmp(argv[i], "out=", 4))
			out_path = argv[i] + 4;
	}
	if (!symbols_path || !out_path || !info->system_emulation) {
		fprintf(stderr, "profile: needs symbols=, out= and a whole guest\n");
		return -1;
	}
	vcpu_count = info->system.smp_vcpus;
	if (!prepare(symbols_path, out_path))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
