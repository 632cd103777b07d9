/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure.c - many short batches, and the batch times in order.
 *
 * A batch is long against the clock's cost and short against the scheduler's
 * slice, so that the median is of batches that nobody disturbed.
 */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

#define BATCH_TIME 200e-6    /* seconds a batch may take, half of it at least */
#define TOTAL_TIME 0.5	     /* seconds after which fewer batches will do */
#define FEW	   5	     /* batches, at least */
#define MANY	   (1 << 20) /* epochs in a batch, at most */

double bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* -- what a batch does ------------------------------------------------- */

static void issue_burst(struct bench *b)
{
	int calls = b->test->op->whole ? 1 : b->burst;

	for (int j = 0; j < calls; j++) {
		b->test->op->issue(b, j);
		b->done++;
	}
}

void bench_run_epoch(struct bench *b)
{
	if (b->sync->begin)
		b->sync->begin(b);
	if (b->rank == ORIGIN && b->test->op)
		issue_burst(b);
	if (b->sync->end)
		b->sync->end(b);
}

double bench_run_epochs(struct bench *b, int n)
{
	double start = bench_now();

	if (b->rank == TARGET && !b->sync->both)
		return 0;
	for (int i = 0; i < n; i++)
		bench_run_epoch(b);
	return bench_now() - start;
}

double bench_run_create(struct bench *b, int n)
{
	struct bench own = *b;
	double start, seconds = 0;

	for (int i = 0; i < n; i++) {
		if (own.kind->memory)
			own.kind->memory(&own);
		MPI_Barrier(MPI_COMM_WORLD);
		start = bench_now();
		own.kind->open(&own);
		seconds += bench_now() - start;
		bench_window_close(&own);
	}
	return seconds;
}

double bench_run_free(struct bench *b, int n)
{
	struct bench own = *b;
	double start, seconds = 0;

	for (int i = 0; i < n; i++) {
		if (own.kind->memory)
			own.kind->memory(&own);
		own.kind->open(&own);
		MPI_Barrier(MPI_COMM_WORLD);
		start = bench_now();
		own.kind->close(&own);
		seconds += bench_now() - start;
		if (own.kind->release)
			own.kind->release(&own);
	}
	return seconds;
}

/* -- batches ----------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_sum_up(double *times, int n, struct result *result)
{
	qsort(times, (size_t)n, sizeof(*times), ascending);
	result->median = 1e6 * times[n / 2];
	result->p10 = 1e6 * times[n / 10];
	result->p90 = 1e6 * times[(n - 1) - n / 10];
}

static double run_batch(struct bench *b, int n)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return b->test->run(b, n);
}

/* Seconds of a batch on the origin, undisturbed: the better of two. */
static double try_batch(struct bench *b, int n)
{
	double first = run_batch(b, n), second = run_batch(b, n);
	double seconds = first < second ? first : second;

	MPI_Bcast(&seconds, 1, MPI_DOUBLE, ORIGIN, MPI_COMM_WORLD);
	return seconds;
}

/* Warms up, and tells how many epochs fill a batch. */
static int find_epochs(struct bench *b, double *seconds)
{
	int n = b->opt->epochs ? b->opt->epochs : 1;

	for (;; n *= 2) {
		*seconds = try_batch(b, n);
		if (b->opt->epochs || *seconds > BATCH_TIME / 2 || n >= MANY)
			return n;
	}
}

static int find_batches(const struct bench *b, double seconds)
{
	int n = b->opt->batches;

	if (n * seconds > TOTAL_TIME)
		n = (int)(TOTAL_TIME / seconds);
	if (n < FEW)
		n = FEW;
	return n < b->opt->batches ? n : b->opt->batches;
}

void bench_measure_batches(struct bench *b, struct result *result)
{
	double seconds, *times;
	int epochs = find_epochs(b, &seconds);
	int batches = find_batches(b, seconds);

	times = calloc((size_t)batches, sizeof(*times));
	if (!times)
		bench_die("no memory for %d batches", batches);
	for (int i = 0; i < batches / 10; i++)
		run_batch(b, epochs);
	for (int i = 0; i < batches; i++)
		times[i] = run_batch(b, epochs) / epochs / b->burst;
	bench_sum_up(times, batches, result);
	free(times);
}
