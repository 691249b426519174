// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile input for every file and parameter of the module, in the guest of tests/long/access.bats.
 *
 *	fuzz files N	N commands, strings and reads for the files in debugfs; the module is loaded
 *	fuzz load N	N times load with parameters of the same kinds; the module is not loaded
 *
 * Prints what came of them and exits with 1 when an answer is none that a caller could expect. The
 * same N gives the same inputs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES	"/sys/kernel/debug/slab_test/"
#define MODULE	"/slab_test.ko"
#define MOST	(64 * 1024)

/* In the first page, which is never mapped. */
static char *volatile nowhere = (char *)16;

static const char * const names[] = { "results", "samples", "metrics", "tests", "run" };

static uint64_t state = 88172645463325252ULL;

/* xorshift64: the same everywhere. */
static unsigned int below(unsigned int end)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % end;
}

static const char *one_of(const char * const *words, unsigned int nr)
{
	return words[below(nr)];
}

#define ONE_OF(words)	one_of(words, sizeof(words) / sizeof(*(words)))

static char input[MOST + 1];
static size_t length;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(input + length, sizeof(input) - length, format, arguments);
	va_end(arguments);
	length += n;
	if (length > MOST)
		length = MOST;
}

/* As long as a page, a line, a name; seldom much longer. */
static unsigned int some_length(void)
{
	static const unsigned int longest[] = { 2, 8, 64, 300, 1100, 4097, 5000, MOST / 2 };

	return below(longest[below(sizeof(longest) / sizeof(*longest))]);
}

static void add_bytes(bool printable)
{
	unsigned int left = some_length();

	for (; left && length < MOST; left--)
		input[length++] = printable ? ' ' + below(95) : below(256);
}

static void add_repeated(void)
{
	static const char * const pieces[] = {
		"9", "0", ",", "8,", "-", "0-", "=", "%s", "%n", "\\", "\n", "\t", "*", "all,", "../",
		"\xff", "\xc3\xa4", "null,", "1:2/3,", " run=1",
	};
	const char *piece = ONE_OF(pieces);
	unsigned int left = some_length();

	for (; left && length + 8 < MOST; left--)
		add("%s", piece);
}

static void add_value(void)
{
	static const char * const values[] = {
		"", "0", "1", "-1", "+1", "010", "0x10", "1e3", "8,64", "8,8", ",", "4194304",
		"4194305", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616",
		"all", "null", "control", "concurrent_*", "*", "**", "nul", "null,null,", "kernel",
		"nowait", "atomic", "ATOMIC", "fifo", "lifo", "random", "auto", "tsc", "ns", "pmu",
		"0-1", "0-", "-0", "1-0", "0-99999999999", "0-1:1/2", "0-1:0/0", "0-1:2/1", "N", "all:1/2",
		"%s%s%s%s%n", "%pK", "$(reboot)", "`id`", "'", "\"", "\\", "=", "a=b=c",
	};

	switch (below(6)) {
	case 0:
		add_bytes(false);
		break;
	case 1:
		add_repeated();
		break;
	case 2:
		add("%u", below(UINT32_MAX) >> below(32));
		break;
	default:
		add("%s", ONE_OF(values));
	}
}

static void add_assignments(void)
{
	static const char * const parameters[] = {
		"preset", "tests", "sizes", "count", "rounds", "warmup", "cpus", "batch", "bulk", "gfp",
		"order", "irqs", "clock", "seed", "handicap", "counters", "run", "Tests", "test", "", "%s",
	};
	unsigned int left = 1 + below(4);

	while (left--) {
		add(below(20) ? " " : "\n\t ");
		if (below(15))
			add("%s", ONE_OF(parameters));
		else
			add_bytes(true);
		if (below(15))
			add("=");
		add_value();
	}
}

static void make_input(bool for_a_file)
{
	length = 0;
	switch (below(8)) {
	case 0:
		add_bytes(false);
		break;
	case 1:
		add_repeated();
		break;
	case 2:
		add("abort");
		if (below(2))
			add_bytes(below(2));
		break;
	default:
		if (for_a_file)
			add("start");
		add_assignments();
	}
	/* And one byte of it is something else. */
	if (length && !below(4))
		input[below(length)] = below(256);
}

static unsigned long accepted, refused, strange, runs;

/* Called with the answer of a system call, which has set errno. */
static void judge(const char *what, long answer, const int *expected)
{
	const int error = errno;

	if (answer >= 0) {
		accepted++;
		return;
	}
	refused++;
	for (; *expected; expected++) {
		if (error == *expected)
			return;
	}
	strange++;
	printf("%s: %s\n", what, strerror(error));
}

static bool running(void)
{
	char text[64] = "";
	int fd = open(FILES "run", O_RDONLY);
	bool yes;

	yes = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && !strncmp(text, "running", 7);
	close(fd);
	return yes;
}

/* What a hostile command may have started does not go on for hours. */
static void end_run(void)
{
	int fd;

	if (!running())
		return;
	runs++;
	usleep(below(20000));
	fd = open(FILES "run", O_WRONLY);
	if (write(fd, "abort", 5) != 5 && running()) {
		strange++;
		printf("a run cannot be aborted\n");
	}
	close(fd);
	while (running())
		usleep(1000);
}

static void try_write(void)
{
	static const int expected[] = { EINVAL, ENOMEM, EBUSY, ESRCH, EFAULT, ESPIPE, 0 };
	int fd = open(FILES "run", O_RDWR | (below(2) ? O_TRUNC : O_APPEND));
	struct iovec pieces[2];
	long answer;

	make_input(true);
	switch (below(6)) {
	case 0:
		answer = pwrite(fd, input, length, below(INT32_MAX));
		break;
	case 1:
		pieces[0].iov_base = input;
		pieces[0].iov_len = length / 2;
		pieces[1].iov_base = input + length / 2;
		pieces[1].iov_len = length - length / 2;
		answer = writev(fd, pieces, 2);
		break;
	case 2:
		answer = write(fd, nowhere, length ? length : 1);
		break;
	default:
		answer = write(fd, input, length);
	}
	judge("write", answer, expected);
	close(fd);
	end_run();
}

/* Reads in any pieces from anywhere, and calls that a file like this has no answer to. */
static void try_read(void)
{
	static const int expected[] = { EINVAL, EFAULT, EOVERFLOW, ENODEV, ENOTTY, ESPIPE, EACCES, 0 };
	static const int whence[] = { SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, 99 };
	char path[64];
	unsigned int i;
	void *area;
	int fd;

	snprintf(path, sizeof(path), FILES "%s", ONE_OF(names));
	fd = open(path, O_RDONLY);
	for (i = 0; i < 4; i++) {
		judge("lseek", lseek(fd, (off_t)below(UINT32_MAX) - below(INT32_MAX),
				     whence[below(5)]), expected);
		judge("read", read(fd, input, some_length()), expected);
		judge("pread", pread(fd, input, some_length(), below(UINT32_MAX)), expected);
	}
	judge("read", read(fd, nowhere, 100), expected);
	judge("ioctl", ioctl(fd, below(UINT32_MAX), input), expected);
	area = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	judge("mmap", area == MAP_FAILED ? -1 : 0, expected);
	close(fd);
}

static void try_load(int module)
{
	/* ENOENT: a name that is no parameter to this kernel; ENOSPC: longer than parameters may be. */
	static const int expected[] = { EINVAL, ENOMEM, EBUSY, EINTR, ENOENT, ENOSPC, ERANGE, 0 };
	int error, status;
	pid_t child;

	make_input(false);
	input[length] = '\0';
	child = fork();
	if (!child)
		_exit(syscall(SYS_finit_module, module, input, 0) ? errno : 0);
	/* What it started may go on for hours. */
	while (!waitpid(child, &status, WNOHANG)) {
		usleep(1000);
		if (!running())
			continue;
		runs++;
		usleep(below(50000));
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		break;
	}
	error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	errno = error;
	judge("load", error ? -1 : 0, expected);
	while (syscall(SYS_delete_module, "slab_test", O_NONBLOCK) && errno != ENOENT)
		usleep(1000);
}

int main(int argc, char **argv)
{
	unsigned long inputs = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, i;
	int module;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (inputs && !strcmp(argv[1], "files") && !access(FILES "run", F_OK)) {
		for (i = 0; i < inputs; i++) {
			if (below(8))
				try_write();
			else
				try_read();
		}
	} else if (inputs && !strcmp(argv[1], "load")) {
		module = open(MODULE, O_RDONLY | O_CLOEXEC);
		for (i = 0; i < inputs; i++)
			try_load(module);
	} else {
		fprintf(stderr, "usage: fuzz files|load N; for files, with the module loaded\n");
		return 2;
	}
	printf("inputs %lu, accepted %lu, refused %lu, runs %lu, strange %lu\n", inputs, accepted,
	       refused, runs, strange);
	return strange > 0;
}
