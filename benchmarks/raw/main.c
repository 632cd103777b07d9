/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - the command line, the batches and the report.  Batches and output
 * are like rmabench's, so that numbers of both can stand side by side.
 */
#include "raw.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH_TIME 200e-6 /* seconds a batch may take, half of it at least */
#define TOTAL_TIME 0.3	  /* seconds after which fewer batches will do */
#define BATCHES	   101
#define FEW	   5
#define MANY	   (1 << 16) /* bursts in a batch, at most */

void raw_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("rawfabric: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	abort();
}

void *raw_buffer(size_t bytes)
{
	void *memory;

	if (posix_memalign(&memory, 4096, bytes))
		raw_die("no memory for a buffer of %zu bytes", bytes);
	memset(memory, 0, bytes);
	return memory;
}

void raw_exchange(const void *mine, void *other, size_t len)
{
	int rank, peer;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	peer = rank == ORIGIN ? TARGET : ORIGIN;
	MPI_Sendrecv(mine, (int)len, MPI_BYTE, peer, 0, other, (int)len,
		     MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* -- batches --------------------------------------------------------------- */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int burst_of(const struct raw_test *test, size_t size)
{
	size_t fit = RAW_SPAN / size;

	return fit < (size_t)test->burst ? (int)fit : test->burst;
}

static double run_batch(const struct raw_test *test, size_t size, int n)
{
	double start = now();

	test->run(size, n, burst_of(test, size));
	return now() - start;
}

/* Warms up, and tells how many bursts fill a batch: by the better of two. */
static int find_bursts(const struct raw_test *test, size_t size,
		       double *seconds)
{
	double first, second;

	for (int n = 1;; n *= 2) {
		first = run_batch(test, size, n);
		second = run_batch(test, size, n);
		*seconds = first < second ? first : second;
		if (*seconds > BATCH_TIME / 2 || n >= MANY)
			return n;
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_result(const struct raw_test *test, size_t size,
			 const char *what, const double *times, int n)
{
	double median = times[n / 2];
	char rate[32] = "";

	if (test->burst > 1)
		snprintf(rate, sizeof(rate), "%.1f", (double)size / median);
	printf("%s,raw,%s,%zu,%.5f,%.5f,%.5f,%s\n", test->name, what, size,
	       median, times[n / 10], times[(n - 1) - n / 10], rate);
	fflush(stdout);
}

static void measure(const struct raw_test *test, size_t size, const char *what)
{
	double seconds, times[BATCHES];
	int bursts = find_bursts(test, size, &seconds);
	int n = BATCHES;

	if (n * seconds > TOTAL_TIME)
		n = (int)(TOTAL_TIME / seconds);
	if (n < FEW)
		n = FEW;
	for (int i = 0; i < n; i++)
		times[i] = 1e6 * run_batch(test, size, bursts) / bursts /
			   burst_of(test, size);
	qsort(times, (size_t)n, sizeof(*times), ascending);
	print_result(test, size, what, times, n);
}

/* -- the run --------------------------------------------------------------- */

static bool is_wanted(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, len) && (!at[len] || at[len] == ','))
			return true;
	}
	return !list;
}

static void run_test(const struct raw_test *test, const char *what)
{
	for (const size_t *size = test->sizes; *size; size++) {
		measure(test, *size, what);
		if (test->check && !test->check(*size, burst_of(test, *size))) {
			fprintf(stderr,
				"rawfabric: WRONG DATA: test %s, %zu bytes\n",
				test->name, *size);
			MPI_Abort(MPI_COMM_WORLD, WRONG_DATA);
		}
	}
	printf("# done %s\n", test->name);
	fflush(stdout);
}

static bool wants_any(const struct raw_transport *transport, const char *list)
{
	for (const struct raw_test *t = transport->tests; t->name; t++)
		if (is_wanted(list, t->name))
			return true;
	return false;
}

static void run_transport(const struct raw_transport *transport, int rank,
			  const char *name, const char *list)
{
	const char *what;

	if (!wants_any(transport, list))
		return;
	what = transport->open(rank, name);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == TARGET) {
		transport->serve();
	} else {
		for (const struct raw_test *t = transport->tests; t->name; t++)
			if (is_wanted(list, t->name))
				run_test(t, what);
		transport->stop();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	transport->close();
}

/* -- command line ---------------------------------------------------------- */

static const char usage[] =
	"usage: mpirun -n 2 rawfabric [-t TESTS] [-p PROVIDER] [-i INTERFACE]\n"
	"Times TCP and libfabric without MPI between two ranks, as\n"
	"test,window,sync,bytes,median_us,p10_us,p90_us,mb_per_s\n"
	"\n"
	"  -t TESTS      tests, by comma (default: all)\n"
	"  -p PROVIDER   libfabric's provider (default: tcp;ofi_rxm)\n"
	"  -i INTERFACE  network interface (default: the first but lo)\n"
	"  -h            print this text and the tests\n"
	"\n";

static void print_tests(const struct raw_transport *transport)
{
	for (const struct raw_test *t = transport->tests; t->name; t++)
		printf("%-12s %s\n", t->name, t->help);
}

struct options {
	const char *tests;
	const char *provider;
	const char *iface;
	bool help;
};

static void read_options(int argc, char **argv, struct options *opt)
{
	for (int i = 1; i < argc; i++) {
		const char **value = !strcmp(argv[i], "-t")   ? &opt->tests
				     : !strcmp(argv[i], "-p") ? &opt->provider
				     : !strcmp(argv[i], "-i") ? &opt->iface
							      : NULL;

		if (value && i + 1 < argc)
			*value = argv[++i];
		else
			opt->help = true;
	}
}

int main(int argc, char **argv)
{
	struct options opt = { .provider = "tcp;ofi_rxm" };
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	read_options(argc, argv, &opt);
	if (opt.help && rank == ORIGIN) {
		fputs(usage, stdout);
		print_tests(&raw_tcp);
		print_tests(&raw_fabric);
	} else if (ranks != 2 && !opt.help) {
		raw_die("this takes two ranks, not %d: mpirun -n 2", ranks);
	}
	if (!opt.help) {
		run_transport(&raw_tcp, rank, opt.iface, opt.tests);
		run_transport(&raw_fabric, rank, opt.provider, opt.tests);
	}
	MPI_Finalize();
	return EXIT_SUCCESS;
}
