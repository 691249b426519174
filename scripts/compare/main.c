// SPDX-License-Identifier: GPL-2.0-only
/*
 * compare: the options, and the exit code.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "plain.h"
#include "profile.h"
#include "read.h"
#include "sides.h"
#include "text.h"
#include "write.h"

static void print_help(FILE *out)
{
	fputs(
"usage: scripts/compare.sh [option…] BEFORE AFTER\n"
"       scripts/compare.sh [option…] NAME=PATH NAME=PATH…\n"
"       scripts/compare.sh [option…] FILE\n"
"\n"
"Compare the figures of two or more kernels. A side is a record, a directory\n"
"(its *.txt files are the records, one a boot) or a quoted glob. A single\n"
"FILE is a text that holds its sides itself, under \"Before\" and \"After\";\n"
"FILE#after takes one side of such a text; a posted run counts as a boot.\n"
"The first side is the base.\n"
"\n"
"  --format=FORMAT   how to print (default: table)\n", out);
	for (const struct writer *writer = writers; writer->name; writer++)
		fprintf(out, "      %-12s  %s\n", writer->name, writer->what);
	fputs(
"  --base=NAME       the side that others are compared with\n"
"  --test=GLOB       only these tests\n"
"  --size=LIST       only these sizes: 8,64,4096\n"
"  --plain-names     call cache_*, accounted_* and node_* tests as the plain\n"
"                    ones: one side's accounted_alloc_free beside another's\n"
"                    alloc_free; a side may have one of them\n"
"  --alpha=A         chance of a false alarm in a table (default: 0.05)\n"
"  --fail-above=PCT  exit 1 when a row is slower by more (default: 3)\n"
"  --seed=N          of the random draws (default: 1; runs are repeatable)\n"
"  --noise-floor=FILE\n"
"                    quote what scripts/study.sh selfcheck found, if that was on\n"
"                    the machine of these records (build/noise-floor by itself)\n"
"  --why             below the table: the functions in which each row that\n"
"                    moved gained and lost instructions, of records that\n"
"                    scripts/vm.sh --exact --profile made; and the events of\n"
"                    the allocator that changed, of records with --events\n"
"  --force           compare what differs in machine, clock or revision\n"
"  --split           FILE must hold several sides (found out by itself)\n"
"  --list-formats    the formats that can be read, with an example each\n"
"  --help            this text\n"
"\n"
"Value: the mean over boots of the median round of the mean over CPUs.\n"
"delta: (new-old)/old; less is better unless the unit says otherwise.\n"
"interval: bootstrap over boots, then rounds; needs 4 boots a side.\n"
"p: permutation of boots, corrected for the number of rows (Benjamini and\n"
"Hochberg). Records of \"exact: yes\" are counts: what is compared is the\n"
"ticks of their middle round, as integers and without p. Where several CPUs\n"
"work they take turns, so there p comes from permuting rounds, and all of a\n"
"side must lie beyond those of the other.\n"
"\n"
"Words: faster, slower   p is at most alpha, and the interval leaves out 0\n"
"                        (the closing words say better, worse of what is\n"
"                        no time)\n"
"       same             the interval lies inside +-1 %\n"
"       unclear          neither: more boots would say; of counts, rounds\n"
"       below resolution no further apart than one step of the figures\n"
"       unproven         the control moved, so the machine did; or an exact\n"
"                        side did not repeat itself\n"
"       -                too few boots ever to tell, or missing on a side\n"
"\n"
"Exit: 0 nothing slower; 1 a row is slower by more than --fail-above;\n"
"2 bad usage or unreadable input; 3 must not be compared (--force), too\n"
"little data for any verdict, or none proven; 4 a run of a record failed.\n"
"\n"
"Examples:\n"
"  scripts/compare.sh results/a results/b\n"
"  scripts/compare.sh --test='alloc*' --size=8,64 v6.1='a/*.txt' v6.12=b\n"
"  scripts/compare.sh --format=published before.txt after.txt\n"
"  scripts/compare.sh mail.txt\n", out);
}

static void list_formats(void)
{
	for (const struct reader *reader = readers; reader->name; reader++)
		printf("%-12s %s\n", reader->name, reader->example);
}

static double fraction(const char *name, const char *value, double least, double most)
{
	const char *end;
	double parsed;

	if (!number(value, &end, &parsed) || *end || !(parsed >= least) || parsed > most)
		die(EXIT_USAGE, "--%s=%s: a number from %g to %g is needed", name, value, least,
		    most);
	return parsed;
}

static const struct writer *find_writer(const char *name)
{
	for (const struct writer *writer = writers; writer->name; writer++)
		if (!strcmp(writer->name, name))
			return writer;
	die(EXIT_USAGE, "--format=%s: unknown; see --help", name);
}

static size_t find_base(const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; name && i < comparison->sides; i++)
		if (!strcmp(comparison->side[i].name, name))
			return i;
	if (name)
		die(EXIT_USAGE, "--base=%s: no side is called so", name);
	return 0;
}

/* Whether anything at all was found out about the allocator. */
static bool has_verdict(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->shown_count; i++) {
		if (!is_question(&comparison->rows->row[comparison->shown[i]]))
			continue;
		for (size_t side = 0; side < comparison->sides; side++) {
			/* an exact base is the same as itself, which says nothing */
			if (side == comparison->base)
				continue;
			switch (change_of(comparison, comparison->shown[i], side)->verdict) {
			case VERDICT_NONE:
			case VERDICT_BELOW_RESOLUTION:
			case VERDICT_UNPROVEN:
				break;
			default:
				return true;
			}
		}
	}
	return false;
}

static bool slower_than_allowed(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->shown_count; i++)
		for (size_t side = 0; side < comparison->sides; side++) {
			const struct change *change =
				change_of(comparison, comparison->shown[i], side);

			if (change->verdict == VERDICT_SLOWER &&
			    is_question(&comparison->rows->row[comparison->shown[i]]) &&
			    !(fabs(change->delta) <= comparison->options->fail_above))
				return true;
		}
	return false;
}

static int exit_code(const struct comparison *comparison)
{
	if (comparison->run_failed && !comparison->options->force)
		return EXIT_RUN_FAILED;
	if (slower_than_allowed(comparison))
		return EXIT_SLOWER;
	if (!has_verdict(comparison) && !comparison->options->force)
		return EXIT_NO_COMPARISON;
	return EXIT_SAME;
}

static void refuse(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->warnings; i++)
		fprintf(stderr, "compare: %s\n", comparison->warning[i]);
	for (size_t i = 0; i < comparison->refusals; i++)
		fprintf(stderr, "compare: %s\n", comparison->refusal[i]);
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "base", required_argument, NULL, 'b' },
		{ "test", required_argument, NULL, 't' },
		{ "size", required_argument, NULL, 's' },
		{ "plain-names", no_argument, NULL, 'P' },
		{ "alpha", required_argument, NULL, 'a' },
		{ "fail-above", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 'r' },
		{ "noise-floor", required_argument, NULL, 'n' },
		{ "why", no_argument, NULL, 'w' },
		{ "force", no_argument, NULL, 'F' },
		{ "split", no_argument, NULL, 'S' },
		{ "list-formats", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct options options = { .alpha = 0.05, .fail_above = 0.03, .seed = 1 };
	struct rows rows = { 0 };
	struct comparison comparison = { .options = &options, .rows = &rows };
	const struct writer *writer = writers;
	struct profile *profiles = NULL;
	bool split = false, why = false;
	int option, code;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		switch (option) {
		case 'f':
			writer = find_writer(optarg);
			break;
		case 'b':
			options.base = optarg;
			break;
		case 't':
			options.test = optarg;
			break;
		case 's':
			if (!*optarg || strspn(optarg, "0123456789,") != strlen(optarg))
				die(EXIT_USAGE, "--size=%s: a list as 8,64,4096 is needed", optarg);
			options.sizes = optarg;
			break;
		case 'P':
			options.plain_names = true;
			break;
		case 'a':
			options.alpha = fraction("alpha", optarg, 1e-6, 0.5);
			break;
		case 'p':
			options.fail_above = fraction("fail-above", optarg, 0, 1e6) / 100;
			break;
		case 'r':
			options.seed = fraction("seed", optarg, 0, 4294967295.);
			break;
		case 'n':
			options.noise_floor = optarg;
			break;
		case 'w':
			why = true;
			break;
		case 'F':
			options.force = true;
			break;
		case 'S':
			split = true;
			break;
		case 'l':
			list_formats();
			return EXIT_SAME;
		case 'h':
			print_help(stdout);
			return EXIT_SAME;
		default:
			die(EXIT_USAGE, "see --help");
		}
	if (optind == argc)
		die(EXIT_USAGE, "nothing to compare: give BEFORE and AFTER; see --help");
	if (why && writer != writers)
		die(EXIT_USAGE, "--why goes with the table, not with --format=%s", writer->name);
	comparison.side = read_sides(&rows, argv + optind, argc - optind, split,
				     &comparison.sides);
	if (options.plain_names)
		use_plain_names(&rows, comparison.side, comparison.sides);
	comparison.base = find_base(&comparison, options.base);
	comparison_run(&comparison);
	check_comparable(&comparison);
	if (!comparison.shown_count && !comparison.run_failed)
		die(EXIT_USAGE, "no row is left by --test and --size");
	if ((comparison.refusals || comparison.run_failed) && !options.force) {
		refuse(&comparison);
		fputs("compare: not compared; --force compares all the same\n", stderr);
		code = comparison.run_failed ? EXIT_RUN_FAILED : EXIT_NO_COMPARISON;
	} else {
		if (why)
			profiles = read_profiles(&comparison);
		writer->write(stdout, &comparison);
		if (why)
			write_why(stdout, &comparison, profiles);
		code = exit_code(&comparison);
	}
	free_profiles(profiles, comparison.sides);
	comparison_free(&comparison);
	rows_free(&rows);
	if (fflush(stdout) || ferror(stdout))
		die(EXIT_USAGE, "cannot write the output");
	return code;
}
