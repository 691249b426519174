/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unit tests: a table of functions, one line of TAP each. A check that fails says where and what.
 */
#ifndef COMPARE_CHECK_H
#define COMPARE_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition) \
	((condition) ? (void)0 : \
	 (void)(failures++, printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #condition)))

#define CHECK_NEAR(value, expected, distance) do { \
	double near_value = (value), near_expected = (expected); \
	if (!(fabs(near_value - near_expected) <= (distance))) { \
		failures++; \
		printf("# %s:%d: %s is %.10g, not %.10g\n", __FILE__, __LINE__, #value, \
		       near_value, near_expected); \
	} \
} while (0)

#define CHECK_STRING(value, expected) do { \
	const char *string_value = (value), *string_expected = (expected); \
	if (!string_value || strcmp(string_value, string_expected)) { \
		failures++; \
		printf("# %s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #value, \
		       string_value ? string_value : "NULL", string_expected); \
	} \
} while (0)

struct test {
	const char *name;
	void (*run)(void);
};

static inline int run_tests(const struct test *tests, int count)
{
	int failed = 0;

	printf("1..%d\n", count);
	for (int i = 0; i < count; i++) {
		failures = 0;
		tests[i].run();
		printf("%sok %d - %s\n", failures ? "not " : "", i + 1, tests[i].name);
		failed += failures != 0;
	}
	return failed != 0;
}

#endif
