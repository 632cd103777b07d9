/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * asleep.c - operations on a target that stays outside MPI.
 *
 * What waits for the target takes as long as it sleeps, however often the
 * call returned at once before and after.  So the result is the median of
 * short batches only if none of them took half the time; if one did, it is the
 * mean of all operations.
 */
#include "bench.h"

#include <time.h>

#define HEAD_START 0.01 /* seconds for the target to leave MPI */
#define NAPS	   3
#define BATCHES	   4096
#define BATCH_TIME 100e-6

static void pause_for(double seconds)
{
	struct timespec time;

	time.tv_sec = (time_t)seconds;
	time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
	nanosleep(&time, NULL);
}

static void compute_for(double seconds)
{
	double end = bench_now() + seconds;

	while (bench_now() < end)
		;
}

static double sleep_once(const struct bench *b)
{
	if (b->opt->compute)
		compute_for(b->opt->sleep);
	else
		pause_for(b->opt->sleep);
	return 0;
}

static double timed_epochs(struct bench *b, int n)
{
	double start = bench_now();

	for (int i = 0; i < n; i++)
		bench_run_epoch(b);
	return bench_now() - start;
}

/* As many operations as fit in most of the target's sleep. */
static double work_meanwhile(struct bench *b)
{
	static double times[BATCHES];
	struct result result;
	double seconds, total = 0, longest = 0;
	double limit = 0.8 * b->opt->sleep - HEAD_START;
	int64_t before = b->done;
	int i = 0, n = 1;

	compute_for(HEAD_START);
	while (total < limit) {
		seconds = timed_epochs(b, n);
		total += seconds;
		longest = seconds > longest ? seconds : longest;
		times[i++ % BATCHES] = seconds / n;
		if (seconds < BATCH_TIME)
			n *= 2;
	}
	if (longest > total / 2)
		return total / (double)(b->done - before);
	bench_sum_up(times, i < BATCHES ? i : BATCHES, &result);
	return 1e-6 * result.median;
}

void bench_measure_asleep(struct bench *b, struct result *result)
{
	double times[NAPS];
	int naps = b->opt->batches < NAPS ? b->opt->batches : NAPS;

	MPI_Barrier(MPI_COMM_WORLD);
	bench_run_epochs(b, 16);
	for (int i = 0; i < naps; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		times[i] =
			b->rank == TARGET ? sleep_once(b) : work_meanwhile(b);
	}
	bench_sum_up(times, naps, result);
}
