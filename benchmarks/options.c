/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.c - the command line.  All ranks read the same one and come to the
 * same end; rank 0 says it.
 */
#include "bench.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int on_rank(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

static _Noreturn void refuse(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static _Noreturn void refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (on_rank() == 0) {
		fputs("rmabench: ", stderr);
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
	}
	va_end(args);
	MPI_Finalize();
	exit(EXIT_FAILURE);
}

static const char usage[] =
	"usage: mpirun -n 2 rmabench [options]\n"
	"Times MPI's one-sided functions between two ranks.\n"
	"\n"
	"  -t, --tests LIST      tests, by comma (default: all)\n"
	"  -w, --windows LIST    kinds of window, by comma, or all (default:\n"
	"                        allocate): allocate shared create alloc_mem\n"
	"                        dynamic\n"
	"  -s, --sync NAME       how operations are completed, where a test\n"
	"                        leaves it open (default: lock_all): lock_all\n"
	"                        lock lock_shared fence pscw\n"
	"  -m, --sizes MIN:MAX[:FACTOR]\n"
	"                        bytes of one operation, for tests with a "
	"range\n"
	"  -i, --iterations N    epochs in a batch (default: 0.2 ms of them)\n"
	"  -b, --batches N       batches to measure (default: 101, fewer for\n"
	"                        what is slow)\n"
	"  -z, --sleep SECONDS   how long the target sleeps (default: 1)\n"
	"      --compute         it computes instead\n"
	"      --csv             print comma-separated values\n"
	"  -l, --list            list the tests\n"
	"  -h, --help            print this text\n"
	"\n"
	"Times are microseconds of one operation with its completion: median,\n"
	"10th and 90th percentile of the batches.  Data is checked after "
	"every\n"
	"test; wrong data ends the run with exit status 3.\n";

static const struct option long_options[] = {
	{ "tests", required_argument, NULL, 't' },
	{ "windows", required_argument, NULL, 'w' },
	{ "sync", required_argument, NULL, 's' },
	{ "sizes", required_argument, NULL, 'm' },
	{ "iterations", required_argument, NULL, 'i' },
	{ "batches", required_argument, NULL, 'b' },
	{ "sleep", required_argument, NULL, 'z' },
	{ "compute", no_argument, NULL, 'c' },
	{ "csv", no_argument, NULL, 'v' },
	{ "list", no_argument, NULL, 'l' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct test *find_test(const char *name)
{
	for (const struct test *t = bench_tests; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	refuse("no test is called '%s'; see --list", name);
}

static const struct kind *find_kind(const char *name)
{
	for (int i = 0; bench_kinds[i]; i++)
		if (!strcmp(bench_kinds[i]->name, name))
			return bench_kinds[i];
	refuse("no kind of window is called '%s'", name);
}

static const struct sync *find_sync(const char *name)
{
	for (int i = 0; bench_syncs[i]; i++)
		if (!strcmp(bench_syncs[i]->name, name))
			return bench_syncs[i];
	refuse("no synchronisation is called '%s'", name);
}

static void select_tests(struct selection *sel, char *list)
{
	int n = 0;

	for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		if (n == MANY_TESTS)
			refuse("more than %d tests", MANY_TESTS);
		sel->tests[n++] = find_test(name);
	}
	sel->tests[n] = NULL;
}

static void select_all_tests(struct selection *sel)
{
	int n = 0;

	for (const struct test *t = bench_tests; t->name; t++)
		sel->tests[n++] = t;
	sel->tests[n] = NULL;
}

static void select_kinds(struct selection *sel, char *list)
{
	int n = 0;

	if (!strcmp(list, "all")) {
		for (; bench_kinds[n]; n++)
			sel->kinds[n] = bench_kinds[n];
		sel->kinds[n] = NULL;
		return;
	}
	for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		if (n == MANY_KINDS)
			refuse("more than %d kinds of window", MANY_KINDS);
		sel->kinds[n++] = find_kind(name);
	}
	sel->kinds[n] = NULL;
}

static void read_sizes(struct options *opt, const char *text)
{
	int fields =
		sscanf(text, "%zu:%zu:%zu", &opt->min, &opt->max, &opt->factor);

	if (fields < 2 || !opt->min || opt->max < opt->min ||
	    opt->max > INT_MAX || opt->factor < 2)
		refuse("'%s' is not MIN:MAX[:FACTOR]", text);
}

static int read_count(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < 1 || value > 1000000)
		refuse("'%s' is not a count", text);
	return (int)value;
}

static double read_seconds(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0.05 && value <= 3600))
		refuse("'%s' is not a time of at least 0.05 seconds", text);
	return value;
}

static _Noreturn void print_and_end(bool list)
{
	if (on_rank() == 0 && !list)
		fputs(usage, stdout);
	for (const struct test *t = bench_tests; list && t->name; t++)
		if (on_rank() == 0)
			printf("%-12s %s\n", t->name, t->help);
	MPI_Finalize();
	exit(EXIT_SUCCESS);
}

static void read_option(int letter, struct options *opt, struct selection *sel)
{
	switch (letter) {
	case 't':
		select_tests(sel, optarg);
		break;
	case 'w':
		select_kinds(sel, optarg);
		break;
	case 's':
		opt->sync = find_sync(optarg);
		break;
	case 'm':
		read_sizes(opt, optarg);
		break;
	case 'i':
		opt->epochs = read_count(optarg);
		break;
	case 'b':
		opt->batches = read_count(optarg);
		break;
	case 'z':
		opt->sleep = read_seconds(optarg);
		break;
	case 'c':
		opt->compute = true;
		break;
	case 'v':
		opt->csv = true;
		break;
	case 'l':
	case 'h':
		print_and_end(letter == 'l');
	default:
		refuse("see --help");
	}
}

void bench_read_options(int argc, char **argv, struct options *opt,
			struct selection *sel)
{
	int letter, ranks;

	opterr = on_rank() == 0;
	select_all_tests(sel);
	sel->kinds[0] = bench_kinds[0];
	sel->kinds[1] = NULL;
	while ((letter = getopt_long(argc, argv, "t:w:s:m:i:b:z:lh",
				     long_options, NULL)) != -1)
		read_option(letter, opt, sel);
	if (optind < argc)
		refuse("'%s' is not an option; see --help", argv[optind]);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks != 2)
		refuse("this takes two ranks, not %d: mpirun -n 2", ranks);
}
