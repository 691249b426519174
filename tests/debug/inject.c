// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets allocations fail, one at a time or by chance, while the module is loaded, runs, is read and
 * unloaded. Runs in the guest of tests/debug/inject.bats, whose kernel has fault injection.
 *
 *	inject load STEP PARAMETERS	the first and each STEP-th allocation after it of a load, until
 *					it needs no more
 *	inject unload			the same of an unload
 *	inject threads PARAMETERS	the same of the thread that creates the kernel's threads
 *	inject start			the same of a run that is started through the file "run"
 *	inject read			the same of opening and reading each file
 *	inject workers N		N times one of the first 3000 allocations of a worker or the leader
 *	inject calls N			nothing itself: N calls of the files, which fail by chance
 *
 * All but the first three need the module loaded. Prints a line for what came of it, how often, and
 * `injected N`. Exits with 1 when something is not as it was without a failure.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES	"/sys/kernel/debug/slab_test/"
#define MODULE	"/slab_test.ko"

static const char * const names[] = { "results", "samples", "metrics", "tests", "run" };

static unsigned long injected;
static bool wrong;

/* ---- what came of it, counted ---- */

#define MOST_OUTCOMES	300

static struct {
	char text[200];
	unsigned long times;
} outcomes[MOST_OUTCOMES];

static void tell(const char *text)
{
	unsigned int i;

	for (i = 0; i + 1 < MOST_OUTCOMES; i++) {
		if (!outcomes[i].times)
			snprintf(outcomes[i].text, sizeof(outcomes[i].text), "%s", text);
		if (!strcmp(outcomes[i].text, text))
			break;
	}
	outcomes[i].times++;
}

static void tell_all(void)
{
	unsigned int i;

	for (i = 0; i < MOST_OUTCOMES && outcomes[i].times; i++)
		printf("%lu times %s\n", outcomes[i].times, outcomes[i].text);
}

static void complain(unsigned int number, const char *what)
{
	printf("number %u: %s\n", number, what);
	wrong = true;
}

/* ---- the module ---- */

/* Reads a file whole, in pieces as cat does. */
static int read_file(const char *name, char *text, size_t size)
{
	char path[64];
	size_t used = 0;
	ssize_t got;
	int fd, error = 0;

	snprintf(path, sizeof(path), FILES "%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return errno;
	while (used + 1 < size && (got = read(fd, text + used, size - used - 1))) {
		if (got < 0) {
			error = errno;
			break;
		}
		used += got;
	}
	text[used] = '\0';
	close(fd);
	return error;
}

static int write_run(const char *command)
{
	int fd = open(FILES "run", O_WRONLY);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, command, strlen(command)) < 0)
		error = errno;
	close(fd);
	return error;
}

/* All files are there, and a run that is over has its objects back. */
static void check(unsigned int number)
{
	static char text[1 << 20];
	unsigned long long out, back;
	const char *objects;
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		/* Makes and destroys caches, which takes longer than a load. */
		if (!strcmp(names[i], "tests") && number % 10 != 1)
			continue;
		if (read_file(names[i], text, sizeof(text)))
			complain(number, names[i]);
	}
	read_file("results", text, sizeof(text));
	objects = strstr(text, "# objects: ");
	if (objects && (sscanf(objects, "# objects: out %llu, back %llu", &out, &back) != 2 ||
			out != back))
		complain(number, "objects are missing");
}

/* How the run ended, without numbers that differ from run to run. */
static void wait_until_over(char *state, size_t size)
{
	char *at, *to;

	for (;;) {
		read_file("run", state, size);
		if (strncmp(state, "running", 7))
			break;
		usleep(1000);
	}
	state[strcspn(state, "\n")] = '\0';
	at = strstr(state, ", number ");
	if (at) {
		to = strstr(at, " failed");
		memmove(at + 9, to ? to : "", strlen(to ? to : "") + 1);
	}
}

static int load(int module, const char *parameters)
{
	return syscall(SYS_finit_module, module, parameters, 0) ? errno : 0;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "slab_test", O_NONBLOCK) ? errno : 0;
}

/* ---- one failure ---- */

/* The n-th allocation that this thread makes from now on fails; 0: none. */
static void fail_nth(const char *thread, unsigned int n)
{
	char path[64], text[16];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/fail-nth", thread);
	fd = open(path, O_WRONLY);
	snprintf(text, sizeof(text), "%u", n);
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

/* Whether it has; what is left of the count is cleared. */
static bool has_failed(const char *thread)
{
	char path[64], text[16] = "0";
	bool failed;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/fail-nth", thread);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;	/* a thread that is gone; not counted */
	failed = read(fd, text, sizeof(text) - 1) > 0 && atoi(text) == 0;
	close(fd);
	fail_nth(thread, 0);
	injected += failed;
	return failed;
}

/* ---- the sweeps: with each number, until nothing was left to fail ---- */

static void sweep_load(const char *thread, unsigned int step, const char *parameters)
{
	int module = open(MODULE, O_RDONLY);
	unsigned int number = 1;
	int error;

	for (;; number += step) {
		fail_nth(thread, number);
		error = load(module, parameters);
		if (!has_failed(thread))
			break;
		tell(error ? strerror(error) : "loaded");
		if (!error) {
			check(number);
			error = unload();
			if (error)
				complain(number, "not unloaded");
		} else if (!access("/sys/module/slab_test", F_OK)) {
			complain(number, "still loaded");
			unload();
		}
	}
	if (error)
		complain(number, "nothing failed, and yet it was not loaded");
	unload();
	close(module);
}

static void sweep_unload(void)
{
	int module = open(MODULE, O_RDONLY);
	unsigned int number = 0;
	bool failed;
	int error;

	do {
		error = load(module, "run=0");
		if (error)
			complain(number, "not loaded");
		fail_nth("thread-self", ++number);
		error = unload();
		failed = has_failed("thread-self");
		if (failed)
			tell(error ? strerror(error) : "unloaded");
		if (!access("/sys/module/slab_test", F_OK) && unload())
			complain(number, "not unloaded");
	} while (failed && number < 5000);
	close(module);
}

static void sweep_start(void)
{
	char state[200];
	unsigned int number = 0;
	bool failed;
	int error;

	do {
		fail_nth("thread-self", ++number);
		error = write_run("start");
		failed = has_failed("thread-self");
		wait_until_over(state, sizeof(state));
		if (failed)
			tell(error ? strerror(error) : state);
		check(number);
	} while (failed && number < 5000);
	if (error || strcmp(state, "done"))
		complain(number, "nothing failed, and yet it did not run");
}

static void sweep_read(void)
{
	static char text[1 << 20];
	unsigned int i, number;
	bool failed;
	int error;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		number = 0;
		do {
			fail_nth("thread-self", ++number);
			error = read_file(names[i], text, sizeof(text));
			failed = has_failed("thread-self");
			if (failed)
				tell(error ? strerror(error) : "read");
		} while (failed && number < 5000);
		if (error)
			complain(number, names[i]);
	}
}

/* find_threads: the module's, by their names; returns how many */
static unsigned int find_threads(char threads[][16], unsigned int most)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int nr = 0;
	char path[300], name[32];
	ssize_t got;
	int fd;

	while (nr < most && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		fd = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
		if (fd < 0)
			continue;
		got = read(fd, name, sizeof(name) - 1);
		close(fd);
		if (got > 10 && !strncmp(name, "slab_test/", 10))
			snprintf(threads[nr++], 16, "%.15s", entry->d_name);
	}
	closedir(proc);
	return nr;
}

static void fail_workers(unsigned int times)
{
	char threads[16][16], state[200];
	unsigned int i, nr, number, victim;

	srandom(1);
	for (i = 0; i < times; i++) {
		/* A count at which some units are through and others are not. */
		number = 1 + random() % (random() % 2 ? 100 : 3000);
		if (write_run("start"))
			complain(number, "not started");
		nr = find_threads(threads, 16);
		if (!nr)
			continue;
		victim = random() % nr;
		fail_nth(threads[victim], number);
		while (read_file("run", state, sizeof(state)) == 0 && !strncmp(state, "running", 7) &&
		       !has_failed(threads[victim])) {
			fail_nth(threads[victim], 1 + random() % 100);
			usleep(2000);
		}
		wait_until_over(state, sizeof(state));
		tell(state);
		check(number);
	}
}

/* As the shell has set it up, each allocation of this thread fails by chance. */
static void fail_calls(unsigned int times)
{
	static char text[1 << 20];
	int fd = open("/proc/thread-self/make-it-fail", O_WRONLY);
	unsigned int i;
	int error;

	if (fd < 0 || write(fd, "1", 1) != 1)
		complain(0, "cannot be made to fail");
	close(fd);
	srandom(2);
	for (i = 0; i < times; i++) {
		if (random() % 2) {
			error = read_file(names[random() % (sizeof(names) / sizeof(*names))], text,
					  sizeof(text));
			tell(error ? strerror(error) : "read");
		} else {
			/* Refused at the last of its words. */
			error = write_run("start sizes=8,64 tests=all cpus=0 sizes=0");
			tell(error ? strerror(error) : "started");
		}
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(what, "load") && atoi(argv[2]) > 0)
		sweep_load("thread-self", atoi(argv[2]), argv[3]);
	else if (argc == 3 && !strcmp(what, "threads"))
		sweep_load("2", 1, argv[2]);
	else if (argc == 2 && !strcmp(what, "unload"))
		sweep_unload();
	else if (argc == 2 && !strcmp(what, "start"))
		sweep_start();
	else if (argc == 2 && !strcmp(what, "read"))
		sweep_read();
	else if (argc == 3 && !strcmp(what, "workers"))
		fail_workers(atoi(argv[2]));
	else if (argc == 3 && !strcmp(what, "calls"))
		fail_calls(atoi(argv[2]));
	else
		return fprintf(stderr, "usage: inject load STEP PARAMETERS, threads PARAMETERS, start, read, unload, workers|calls N\n"), 2;
	tell_all();
	printf("injected %lu\n", injected);
	return wrong;
}
