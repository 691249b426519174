// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading: what a text holds, and why a text is refused.
 */
#include "check.h"

#include <stdlib.h>

#include "read.h"
#include "text.h"

struct result {
	struct rows rows;
	struct reading reading;
	struct side *side;
	size_t sides;
	bool good;
};

static struct result read_string(const char *string)
{
	struct result result = { 0 };
	static struct result kept;

	kept = result;
	result.good = read_text(&result.reading, &kept.rows, "t", duplicate(string, strlen(string)),
				strlen(string));
	if (result.good)
		result.side = reading_sides(&result.reading, true, &result.sides);
	for (size_t i = 0; i < result.sides; i++)
		for (size_t j = 0; j < result.side[i].records; j++)
			record_average(result.side[i].record[j], kept.rows.count);
	result.rows = kept.rows;
	return result;
}

static void release(struct result *result)
{
	for (size_t i = 0; i < result->sides; i++)
		side_free(&result->side[i]);
	free(result->side);
	reading_free(&result->reading);
	rows_free(&result->rows);
}

/* The value of round @round of a row in one run, or NAN. */
static double value(const struct result *result, size_t side, size_t run, const char *test,
		    const char *phase, long size, size_t round)
{
	for (size_t i = 0; i < result->rows.count; i++) {
		const struct row *row = &result->rows.row[i];
		const struct rounds *rounds;

		if (strcmp(row->test, test) || strcmp(row->phase, phase) || row->size != size)
			continue;
		if (side >= result->sides || run >= result->side[side].records)
			return NAN;
		rounds = &result->side[side].record[run]->rounds[i];
		if (round < rounds->count)
			return rounds->value[round];
	}
	return NAN;
}

static void expect_refusal(const char *string, const char *expected)
{
	struct result result = read_string(string);

	CHECK(!result.good);
	CHECK_STRING(result.reading.error, expected);
	release(&result);
}

#define HEAD "# slab_test: 1\n# clock: tsc 2000.0 MHz, resolution 1\n"
#define SAMPLES "\ntest\trev\tsize\tround\tcpu\tphase\tops\tcycles\tskew\tflags\n"

static void test_samples(void)
{
	struct result result = read_string(
		HEAD "# overhead: cpus 0, read 24.000, alloc 6.000\n"
		"# overhead: cpus 1-3, read 20.000, alloc 5.000\n# state: done\n"
		"Kmalloc N*alloc N*free(8): 0=1.0/1.0 Average=1.0/1.0\n" SAMPLES
		"t\t1\t8\t1\t0\talloc\t100\t1024\t0\t-\n"
		"t\t1\t8\t1\t1\talloc\t100\t3020\t0\tPM\n"
		"t\t1\t8\t2\t0\talloc\t100\t2024\t0\t-\n"
		"t\t1\t8\t1\t0\tfree\t100\t2400\t0\t-\n"
		"u\t1\t-\t1\t0\tmultiply\t10\t640\t0\t-\n"
		"\nmetric\tunit\tbetter\tround\tvalue\n"
		"find.real\ts\tlower\t1\t1.455\nops\tops/s\thigher\t1\t7\n");

	CHECK(result.good && result.sides == 1);
	/* CPU 0: (1024-24)/100-6 = 4; CPU 1: (3020-20)/100-5 = 25; their mean */
	CHECK_NEAR(value(&result, 0, 0, "t", "alloc", 8, 0), 14.5, 1e-9);
	CHECK_NEAR(value(&result, 0, 0, "t", "alloc", 8, 1), 14, 1e-9);
	/* no overhead is named for free: nothing is taken off */
	CHECK_NEAR(value(&result, 0, 0, "t", "free", 8, 0), 24, 1e-9);
	CHECK_NEAR(value(&result, 0, 0, "u", "multiply", -1, 0), 64, 1e-9);
	CHECK_NEAR(value(&result, 0, 0, "find.real", "", -1, 0), 1.455, 1e-9);
	/* the published line is the same figure once more: samples are what counts */
	CHECK(isnan(value(&result, 0, 0, "concurrent_alloc_then_free", "alloc", 8, 0)));
	for (size_t i = 0; i < result.rows.count; i++)
		CHECK(result.rows.row[i].higher_is_better ==
		      !strcmp(result.rows.row[i].test, "ops"));
	release(&result);
}

static void test_record_refusals(void)
{
	expect_refusal("", "t: empty");
	expect_refusal("hello\n", "t: line 1: no figures in it");
	expect_refusal("\n1 hello\n", "t: line 2: no figures of a known format from here on");
	expect_refusal("# slab_test: 2\n", "t: line 1: record version \"2\", but only 1 is known");
	expect_refusal(HEAD SAMPLES "t\t1\t8\t1\t0\tall",
		       "t: line 5: a sample has 6 fields, not 10: is the record cut off?");
	expect_refusal(HEAD SAMPLES "t\t1\t8\t1\t0\talloc\t100\t1024\t0\t-",
		       "t: line 5: the last line has no end: is the record cut off?");
	expect_refusal(HEAD SAMPLES "t\t1\t8\t1\t0\talloc\t0\t1024\t0\t-\n",
		       "t: line 5: operations \"0\"");
	expect_refusal(HEAD SAMPLES "t\t1\t8\t1\t0\talloc\t9\t-4\t0\t-\n",
		       "t: line 5: cycles \"-4\"");
	expect_refusal(HEAD SAMPLES "t\t1\t8\t1\t0\talloc\t9\t18446744073709551616\t0\t-\n",
		       "t: line 5: cycles \"18446744073709551616\"");
	expect_refusal(HEAD "# plan: count=100 rounds=2\n# state: done\n" SAMPLES
		       "t\t1\t8\t1\t0\talloc\t100\t1024\t0\t-\n",
		       "t: line 7: t has 1 samples of alloc, not 2 rounds of 1 CPUs: is the record cut off?");
	expect_refusal(HEAD "\nmetric\tunit\tbetter\tround\tvalue\nx\ts\tmore\t1\t4\n",
		       "t: line 5: better \"more\" is neither lower nor higher");
	expect_refusal(HEAD "Kmalloc N*al\n", "t: line 3: neither a published line nor samples");
}

static void test_published(void)
{
	struct result result = read_string(
		"10000 times kmalloc(8) -> 61.5 cycles kfree -> 90.1 cycles\n"
		"10000 times kmalloc(8)/kfree -> 80 ns\n"
		"1000 times alloc_page(,3) -> 405 cycles __free_pages(,3)-> 389 cycles\n"
		"1000 times alloc( ,2)/free -> 386 cycles\n"
		"Kmalloc N*alloc N*free(16): 0=361.2/799.0 1=369.4/812.6 Average=365.3/805.8\n"
		"Kmalloc N*(alloc free)(16): 0=889.1 1=893.0 Average=891.1\n"
		"N*remote free(8): 0=-/582.1 1=486.0/- Average=486.0/582.1\n"
		"1 alloc N free(8): 0=606.0 1=323.1 Average=606.0/323.1\n"
		"null(8): alloc=0.0 free=0.1 pair=0.2\n"
		"fragmented(8): free_half=80.5 alloc_half=66.1 free_all=81.7\n"
		"control: 64.0\n");

	CHECK(result.good && result.sides == 1 && result.side[0].records == 1);
	CHECK_NEAR(value(&result, 0, 0, "alloc_then_free", "alloc", 8, 0), 61.5, 0);
	CHECK_NEAR(value(&result, 0, 0, "alloc_then_free", "free", 8, 0), 90.1, 0);
	CHECK_NEAR(value(&result, 0, 0, "alloc_free", "pair", 8, 0), 80, 0);
	CHECK_NEAR(value(&result, 0, 0, "page_alloc_then_free", "free", 3, 0), 389, 0);
	CHECK_NEAR(value(&result, 0, 0, "page_alloc_free", "pair", 2, 0), 386, 0);
	CHECK_NEAR(value(&result, 0, 0, "concurrent_alloc_then_free", "alloc", 16, 0), 365.3, 0);
	CHECK_NEAR(value(&result, 0, 0, "concurrent_alloc_then_free", "free", 16, 0), 805.8, 0);
	CHECK_NEAR(value(&result, 0, 0, "concurrent_alloc_free", "pair", 16, 0), 891.1, 0);
	CHECK_NEAR(value(&result, 0, 0, "remote_free", "alloc", 8, 0), 486, 0);
	CHECK_NEAR(value(&result, 0, 0, "alloc_one_free_all", "free", 8, 0), 323.1, 0);
	CHECK_NEAR(value(&result, 0, 0, "null", "free", 8, 0), 0.1, 0);
	CHECK_NEAR(value(&result, 0, 0, "fragmented", "free_half", 8, 0), 80.5, 0);
	CHECK_NEAR(value(&result, 0, 0, "fragmented", "alloc_half", 8, 0), 66.1, 0);
	CHECK_NEAR(value(&result, 0, 0, "fragmented", "free_all", 8, 0), 81.7, 0);
	CHECK_NEAR(value(&result, 0, 0, "control", "multiply", -1, 0), 64, 0);
	for (size_t i = 0; i < result.rows.count; i++)
		CHECK_NEAR(result.rows.row[i].resolution,
			   strstr(result.rows.row[i].test, "page") ||
			   !strcmp(result.rows.row[i].test, "alloc_free") ? 1 : 0.1, 1e-12);
	release(&result);
}

/* The same row once more is another run of the same side. */
static void test_runs(void)
{
	struct result result = read_string(
		"10000 times kmalloc(8)/kfree -> 80 cycles\n"
		"10000 times kmalloc(16)/kfree -> 81 cycles\n\n"
		"10000 times kmalloc(8)/kfree -> 90 cycles\n");

	CHECK(result.sides == 1 && result.side[0].records == 2);
	CHECK_NEAR(value(&result, 0, 0, "alloc_free", "pair", 8, 0), 80, 0);
	CHECK_NEAR(value(&result, 0, 1, "alloc_free", "pair", 8, 0), 90, 0);
	CHECK(isnan(value(&result, 0, 1, "alloc_free", "pair", 16, 0)));
	release(&result);
}

static void test_sides_of_a_text(void)
{
	static const char *const headings[][2] = {
		{ "Before:", "After:" },
		{ "* Before", "* After" },
		{ "/Before/", "/After/" },
		{ "- Before (With patch and randomization is disabled by config)",
		  "- After (With patch and randomization is enabled by config)" },
		{ "Before (with curr patchset):\n====", "After (with proposed change):\n====" },
		{ "slab_test, before:", "slab_test, after:" },
		{ "Before this patchset:", "After this patchset:" },
		{ "baseline: without patch\n---", "with patch\n---" },
		{ "Orig:", "Patched:" },
		{ "Unpatched", "Patched" },
		{ "w/o this series:", "w/ this series:" },
		{ "[Before]", "[After]" },
		{ "=== Vanilla ===", "=== With the fix ===" },
		{ "Without patch:", "With patch:" },
		{ "Baseline", "After the change" },
	};

	for (size_t i = 0; i < sizeof(headings) / sizeof(*headings); i++)
		for (int swap = 0; swap < 2; swap++) {
			char *text = format_string("%s\n10000 times kmalloc(8)/kfree -> %d cycles\n"
						   "\n%s\n10000 times kmalloc(8)/kfree -> %d cycles\n",
						   headings[i][swap], swap ? 90 : 80,
						   headings[i][!swap], swap ? 80 : 90);
			struct result result = read_string(text);

			CHECK(result.sides == 2);
			CHECK_NEAR(value(&result, 0, 0, "alloc_free", "pair", 8, 0), 80, 0);
			CHECK_NEAR(value(&result, 1, 0, "alloc_free", "pair", 8, 0), 90, 0);
			if (failures)
				printf("# with headings \"%s\"\n", headings[i][swap]);
			release(&result);
			free(text);
		}
}

static void test_not_sides(void)
{
	CHECK(!side_word("compare against baseline:"));
	CHECK(!side_word("Before the patch we saw 5 % less"));
	CHECK(!side_word("with SLAB:"));
	CHECK(!side_word("After all, who knows"));
	CHECK(!side_word("10000 times"));
	CHECK(!side_word(""));
}

/* Two headings that are no side words, over the same rows, are sides all the same. */
static void test_groups(void)
{
	struct result result = read_string(
		"SLOB:\n10000 times kmalloc(8)/kfree -> 80 cycles\n"
		"SLUB:\n10000 times kmalloc(8)/kfree -> 90 cycles\n");

	CHECK(result.sides == 2);
	CHECK_STRING(result.sides ? result.side[0].name : "", "SLOB");
	CHECK_NEAR(value(&result, 1, 0, "alloc_free", "pair", 8, 0), 90, 0);
	release(&result);
}

/* With side words below them they are parts of each side. */
static void test_groups_with_sides(void)
{
	struct result result = read_string(
		"with SLAB:\nwith patch:\n10000 times kmalloc(8)/kfree -> 80 cycles\n"
		"without patch:\n10000 times kmalloc(8)/kfree -> 90 cycles\n"
		"with SLUB:\nwithout patch:\n10000 times kmalloc(8)/kfree -> 60 cycles\n"
		"with patch:\n10000 times kmalloc(8)/kfree -> 70 cycles\n");

	CHECK(result.sides == 2);
	CHECK_STRING(result.sides ? result.side[0].name : "", "before");
	CHECK_NEAR(value(&result, 0, 0, "with SLAB: alloc_free", "pair", 8, 0), 90, 0);
	CHECK_NEAR(value(&result, 1, 0, "with SLAB: alloc_free", "pair", 8, 0), 80, 0);
	CHECK_NEAR(value(&result, 0, 0, "with SLUB: alloc_free", "pair", 8, 0), 60, 0);
	CHECK_NEAR(value(&result, 1, 0, "with SLUB: alloc_free", "pair", 8, 0), 70, 0);
	release(&result);
}

/* What mail and the log put around a line; each must give the same figures. */
static void test_cleaning(void)
{
	static const char *const texts[] = {
		"> > 10000 times kmalloc(8) -> 61 cycles kfree -> 90 cycles\n",
		">> >> 10000 times kmalloc(8) -> 61 cycles kfree -> 90 cycles\r\n",
		"[    1.143674] 10000 times kmalloc(8) -> 61 cycles kfree -> 90 cycles\n",
		"<6>[    1.143674][    T1] 10000 times kmalloc(8) -> 61 cycles kfree -> 90 cycles\n",
		"Jun 17 10:11:12 box kernel: 10000 times kmalloc(8) -> 61 cycles kfree -> 90 cycles\n",
		" \t10000 times kmalloc(8) -> 61 cycles kfree -> 90 cycles  \n",
		"10000 times kmalloc(8) \n-> 61 cycles \nkfree \n-> 90 cycles\n",
		"10000 times kmalloc(8) \ninput: Mouse as /devices/1\n-> 61 cycles \nkfree \n-> 90 cycles\n",
		"10000 times kmalloc(8) -> 61 cycles kfree ->\n90 cycles\n",
		"10000 times\nkmalloc(8) -> 61 cycles kfree -> 90 cycles\n",
		"> 10000 times kmalloc(8) -> 61 cycles\n> kfree -> 90 cycles\n",
		"10000 times kmalloc(8) =2D> 61 cycles kfree =3D> nothing\n"
		"10000 times kmalloc(8) -> 61 cyc=\nles kfree -> 90 cycles=20\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct result result = read_string(texts[i]);
		size_t run = result.sides ? result.side[0].records - 1 : 0;

		CHECK_NEAR(value(&result, 0, run, "alloc_then_free", "alloc", 8, 0), 61, 0);
		CHECK_NEAR(value(&result, 0, 0, "alloc_then_free", "free", 8, 0), 90, 0);
		if (failures)
			printf("# text %zu\n", i);
		release(&result);
	}
}

/* "Average=36" must not be decoded to "Average6". */
static void test_not_quoted_printable(void)
{
	struct result result = read_string("Kmalloc N*alloc N*free(8): 0=36/20 Average=36/20\n");

	CHECK_NEAR(value(&result, 0, 0, "concurrent_alloc_then_free", "alloc", 8, 0), 36, 0);
	release(&result);
	result = read_string("Kmalloc N*alloc N*free(8): 0=3D36/20 Average=3D36/=\n20\n");
	CHECK_NEAR(value(&result, 0, 0, "concurrent_alloc_then_free", "alloc", 8, 0), 36, 0);
	CHECK_NEAR(value(&result, 0, 0, "concurrent_alloc_then_free", "free", 8, 0), 20, 0);
	release(&result);
}

/* All concurrent tests under one label: the heading tells, and /0 is no figure. */
static void test_repeated_label(void)
{
	struct result result = read_string(
		"Concurrent allocs\n=================\n"
		"Kmalloc N*alloc N*free(8): 0=10/20 1=10/20 Average=10/20\n"
		"4. Remote free test\n================\n"
		"Kmalloc N*alloc N*free(8): 0=1/58 1=48/0 Average=25/29\n"
		"5. 1 alloc N free test\n===================\n"
		"Kmalloc N*alloc N*free(8): 0=60/0 1=32/0 Average=46/0\n");

	CHECK(result.sides == 1 && result.side[0].records == 1);
	CHECK_NEAR(value(&result, 0, 0, "concurrent_alloc_then_free", "free", 8, 0), 20, 0);
	CHECK_NEAR(value(&result, 0, 0, "remote_free", "free", 8, 0), 29, 0);
	CHECK_NEAR(value(&result, 0, 0, "alloc_one_free_all", "alloc", 8, 0), 46, 0);
	CHECK(isnan(value(&result, 0, 0, "alloc_one_free_all", "free", 8, 0)));
	release(&result);
}

int main(void)
{
	static const struct test tests[] = {
		{ "a record's samples and metrics", test_samples },
		{ "records that are refused, with line and reason", test_record_refusals },
		{ "published lines", test_published },
		{ "a row again is another run", test_runs },
		{ "headings for sides, either way round", test_sides_of_a_text },
		{ "what is no heading for a side", test_not_sides },
		{ "other headings as sides", test_groups },
		{ "other headings above sides", test_groups_with_sides },
		{ "mail and log taken off", test_cleaning },
		{ "quoted-printable or not", test_not_quoted_printable },
		{ "one label for all concurrent tests", test_repeated_label },
	};

	return run_tests(tests, sizeof(tests) / sizeof(*tests));
}
