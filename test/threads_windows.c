/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With MPI_THREAD_MULTIPLE four threads of each rank synchronise at once: on a
 * window each, made on a communicator each, by fences and by post, start,
 * complete and wait; then all on one window, where each locks targets that no
 * other thread of its rank does, and counts under exclusive locks; last all
 * on one window in a lock_all epoch, with flushes of every kind.
 */
/* ranks: 1 2 4; paths: default cma */
#include <pthread.h>

#include "test.h"

#define THREADS 4
#define ROUNDS	60

struct job {
	pthread_t thread;
	int number;
	MPI_Comm comm;
	MPI_Win win;
	volatile long *base;
	int failed; /* checks are the main thread's */
};

static struct job jobs[THREADS];
static MPI_Win common;
static volatile long *counters; /* ours, THREADS and one for all */
static MPI_Group before, after;

static void *fences(void *arg)
{
	struct job *j = arg;
	long i, value;

	MPI_Win_fence(MPI_MODE_NOPRECEDE, j->win);
	for (i = 1; i <= ROUNDS; i++) {
		value = 1000 * i + 10 * j->number + test_rank;
		MPI_Put(&value, 1, MPI_LONG, test_next(), 0, 1, MPI_LONG,
			j->win);
		MPI_Win_fence(0, j->win);
		j->failed +=
			j->base[0] != 1000 * i + 10 * j->number + test_prev();
		MPI_Win_fence(0, j->win);
	}
	MPI_Win_fence(MPI_MODE_NOSUCCEED, j->win);
	return NULL;
}

static void *exposures(void *arg)
{
	struct job *j = arg;
	long i, value;

	for (i = 1; i <= ROUNDS; i++) {
		value = 2000 * i + 10 * j->number + test_rank;
		MPI_Win_post(before, 0, j->win);
		MPI_Win_start(after, 0, j->win);
		MPI_Put(&value, 1, MPI_LONG, test_next(), 0, 1, MPI_LONG,
			j->win);
		MPI_Win_complete(j->win);
		MPI_Win_wait(j->win);
		j->failed +=
			j->base[0] != 2000 * i + 10 * j->number + test_prev();
	}
	return NULL;
}

/* Not by an atomic: the lock is what counts. */
static void count(int target, int word)
{
	long value = -1;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, common);
	MPI_Get(&value, 1, MPI_LONG, target, word, 1, MPI_LONG, common);
	MPI_Win_flush(target, common);
	value++;
	MPI_Put(&value, 1, MPI_LONG, target, word, 1, MPI_LONG, common);
	MPI_Win_unlock(target, common);
}

static void *locks(void *arg)
{
	struct job *j = arg;
	int i, t;

	for (i = 0; i < ROUNDS; i++)
		for (t = j->number; t < test_size; t += THREADS)
			count(t, THREADS);
	return NULL;
}

static void flush_somehow(int target, int how)
{
	switch (how % 4) {
	case 0:
		MPI_Win_flush(target, common);
		break;
	case 1:
		MPI_Win_flush_all(common);
		break;
	case 2:
		MPI_Win_flush_local(target, common);
		break;
	default:
		MPI_Win_flush_local_all(common);
	}
}

static void *flushes(void *arg)
{
	struct job *j = arg;
	long one = 1, got;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		int t = (test_rank + i) % test_size;

		got = -1;
		MPI_Accumulate(&one, 1, MPI_LONG, t, j->number, 1, MPI_LONG,
			       MPI_SUM, common);
		flush_somehow(t, i);
		MPI_Get_accumulate(NULL, 0, MPI_LONG, &got, 1, MPI_LONG, t,
				   j->number, 1, MPI_LONG, MPI_NO_OP, common);
		flush_somehow(t, i);
		/* Ours are of rounds i, i - size, ... */
		j->failed += got < i / test_size + 1 ||
			     got > (long)ROUNDS * test_size;
	}
	return NULL;
}

static void run(void *(*fn)(void *), const char *what)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&jobs[i].thread, NULL, fn, &jobs[i]);
	for (i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		check(!jobs[i].failed, "%d failures of thread %d, %s",
		      jobs[i].failed, i, what);
		jobs[i].failed = 0;
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Group group_of(int rank)
{
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &rank, &group);
	MPI_Group_free(&world);
	return group;
}

static void open_windows(void)
{
	long *base;
	int i;

	for (i = 0; i < THREADS; i++) {
		jobs[i].number = i;
		MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].comm);
		MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL,
				 jobs[i].comm, &base, &jobs[i].win);
		jobs[i].base = base;
	}
	MPI_Win_allocate((THREADS + 1) * sizeof(long), sizeof(long),
			 MPI_INFO_NULL, MPI_COMM_WORLD, &base, &common);
	memset(base, 0, (THREADS + 1) * sizeof(long));
	counters = base;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void check_counters(void)
{
	long sum[THREADS], mine[THREADS];
	int i;

	check(counters[THREADS] == (long)ROUNDS * test_size,
	      "%ld under locks, not %d", counters[THREADS], ROUNDS * test_size);
	for (i = 0; i < THREADS; i++)
		mine[i] = counters[i];
	MPI_Allreduce(mine, sum, THREADS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < THREADS; i++)
		check(sum[i] == (long)ROUNDS * test_size,
		      "%ld of threads %d, not %d", sum[i], i,
		      ROUNDS * test_size);
}

static void close_windows(void)
{
	int i;

	for (i = 0; i < THREADS; i++) {
		MPI_Win_free(&jobs[i].win);
		MPI_Comm_free(&jobs[i].comm);
	}
	MPI_Win_free(&common);
}

int main(int argc, char **argv)
{
	if (!test_start_threads(argc, argv))
		return test_skip("the host has no MPI_THREAD_MULTIPLE");
	if (test_on_host)
		return test_skip("hosts hang when threads synchronise");
	before = group_of(test_prev());
	after = group_of(test_next());
	open_windows();
	run(fences, "fences");
	run(exposures, "exposures");
	run(locks, "locks");
	MPI_Win_lock_all(0, common);
	run(flushes, "flushes");
	MPI_Win_unlock_all(common);
	MPI_Barrier(MPI_COMM_WORLD);
	check_counters();
	close_windows();
	MPI_Group_free(&before);
	MPI_Group_free(&after);
	return test_finish();
}
