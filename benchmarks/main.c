/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - the loop over windows and tests, and the report. */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("rmabench: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	abort();
}

/* -- report ------------------------------------------------------------ */

static void print_head(const struct options *opt)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int len;

	MPI_Get_library_version(version, &len);
	version[strcspn(version, "\n")] = '\0';
	printf("# %s\n", version);
	if (opt->csv)
		puts("test,window,sync,bytes,median_us,p10_us,p90_us,mb_per_s");
	else
		printf("# %-10s %-9s %-11s %8s %10s %10s %10s %10s\n", "test",
		       "window", "sync", "bytes", "median us", "p10 us",
		       "p90 us", "MB/s");
	fflush(stdout);
}

/* Megabytes per second where bandwidth is the subject. */
static void print_result(const struct bench *b, const struct result *r)
{
	bool csv = b->opt->csv;
	char rate[32] = "";

	if (b->test->burst > 1)
		snprintf(rate, sizeof(rate), "%.1f",
			 (double)b->size / r->median);
	printf(csv ? "%s,%s,%s,%zu,%.5f,%.5f,%.5f,%s\n"
		   : "%-12s %-9s %-11s %8zu %10.3f %10.3f %10.3f %10s\n",
	       b->test->name, b->kind->name, b->sync->name, b->size, r->median,
	       r->p10, r->p90, rate);
	fflush(stdout);
}

/* -- tests ------------------------------------------------------------- */

static void *buffer(size_t bytes)
{
	void *memory;

	if (posix_memalign(&memory, 64, bytes))
		bench_die("no memory for a buffer of %zu bytes", bytes);
	memset(memory, 0, bytes);
	return memory;
}

static MPI_Group peer_group(int rank)
{
	MPI_Group world, peer;
	int other = rank == ORIGIN ? TARGET : ORIGIN;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &peer);
	MPI_Group_free(&world);
	return peer;
}

/*
 * Fewer large operations, so that each has memory of its own and an epoch
 * stays short against the scheduler's slices.
 */
static int burst_of(const struct test *test, size_t size)
{
	size_t fit = test->span / size;

	return fit >= (size_t)test->burst ? test->burst : fit ? (int)fit : 1;
}

/*
 * Whole elements, and as much window as the farthest operation needs, rounded:
 * MPICH 4.0.2 confuses the ranks' memory where a size is no multiple of 16.
 */
static void set_sizes(struct bench *b, size_t size)
{
	size_t width = b->test->op ? b->test->op->width : 1;

	b->count = (int)(size < width ? 1 : size / width);
	b->size = (size_t)b->count * width;
	b->burst = burst_of(b->test, b->size);
	b->bytes = 0;
	for (int j = 0; j < b->burst; j++) {
		size_t end = b->test->place(b->size, j) + b->size;

		if (end > b->bytes)
			b->bytes = end;
	}
	b->bytes = (b->bytes + 63) & ~(size_t)63;
}

/* The own window memory is touched under a lock, as MPI wants it. */
static void fill(struct bench *b)
{
	if (b->test->op) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b->rank, 0, b->win);
		b->test->op->fill(b);
		MPI_Win_unlock(b->rank, b->win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void check(struct bench *b)
{
	bool right;

	MPI_Bcast(&b->done, 1, MPI_INT64_T, ORIGIN, MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b->rank, 0, b->win);
	right = b->test->op->check(b);
	MPI_Win_unlock(b->rank, b->win);
	if (!right) {
		fprintf(stderr,
			"rmabench: WRONG DATA on rank %d: test %s, window %s, "
			"%zu bytes\n",
			b->rank, b->test->name, b->kind->name, b->size);
		MPI_Abort(MPI_COMM_WORLD, WRONG_DATA);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* One more epoch is run into a cleared buffer, for the check to look at. */
static void measure(struct bench *b, struct result *result)
{
	if (b->sync->open)
		b->sync->open(b);
	b->test->measure(b, result);
	memset(b->dst, 0, bench_local_bytes(b));
	MPI_Barrier(MPI_COMM_WORLD);
	bench_run_epochs(b, 1);
	if (b->sync->close)
		b->sync->close(b);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void run_size(struct bench *b, size_t size)
{
	struct result result;

	set_sizes(b, size);
	b->done = 0;
	b->src = buffer(bench_local_bytes(b));
	b->dst = buffer(bench_local_bytes(b));
	b->slot = buffer((size_t)b->burst * sizeof(*b->slot));
	bench_window_open(b);
	fill(b);
	measure(b, &result);
	if (b->test->op)
		check(b);
	bench_window_close(b);
	if (b->layout != MPI_DATATYPE_NULL)
		MPI_Type_free(&b->layout);
	free(b->slot);
	free(b->dst);
	free(b->src);
	if (b->rank == ORIGIN)
		print_result(b, &result);
}

/* From min to max by the factor; max comes last whether it fits or not. */
static void run_test(struct bench *b)
{
	bool fixed = b->test->min == b->test->max || !b->opt->max;
	size_t min = fixed ? b->test->min : b->opt->min;
	size_t max = fixed ? b->test->max : b->opt->max;

	b->sync = b->test->sync ? b->test->sync : b->opt->sync;
	for (size_t size = min; size < max; size *= b->opt->factor)
		run_size(b, size);
	run_size(b, max);
	if (b->rank == ORIGIN && b->opt->csv)
		printf("# done %s\n", b->test->name);
	fflush(stdout);
}

static void run_all(const struct options *opt, const struct selection *sel)
{
	struct bench b = { .opt = opt, .layout = MPI_DATATYPE_NULL };

	MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
	b.peer = peer_group(b.rank);
	if (b.rank == ORIGIN)
		print_head(opt);
	for (int k = 0; sel->kinds[k]; k++) {
		b.kind = sel->kinds[k];
		for (int t = 0; sel->tests[t]; t++) {
			b.test = sel->tests[t];
			run_test(&b);
		}
	}
	MPI_Group_free(&b.peer);
}

int main(int argc, char **argv)
{
	struct options opt = {
		.factor = 2,
		.sync = &bench_lock_all,
		.batches = 101,
		.sleep = 1,
	};
	struct selection sel;

	MPI_Init(&argc, &argv);
	bench_read_options(argc, argv, &opt, &sel);
	run_all(&opt, &sel);
	MPI_Finalize();
	return EXIT_SUCCESS;
}
