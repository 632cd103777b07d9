/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With MPI_THREAD_MULTIPLE four threads of each rank work at once: each on a
 * window of its own, with every kind of passive call and with requests, then
 * all on one window with flushes, and with messages that come and go beside
 * them.
 */
/* ranks: 1 2 4; paths: default cma */
#include <pthread.h>

#include "test.h"

#define THREADS 4
#define ROUNDS	100

struct job {
	pthread_t thread;
	int number;
	MPI_Win win;
	long *base;
	MPI_Comm comm;
	int failed; /* checks are the main thread's */
};

static struct job jobs[THREADS];
static MPI_Win common;
static long *common_base;

static void own_round(struct job *j, int t, long i)
{
	long value = 100 * i + j->number, got = -1, one = 1, old = -1;
	MPI_Request r[2];

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, j->win);
	MPI_Put(&value, 1, MPI_LONG, t, test_rank, 1, MPI_LONG, j->win);
	MPI_Win_flush(t, j->win);
	MPI_Get(&got, 1, MPI_LONG, t, test_rank, 1, MPI_LONG, j->win);
	MPI_Win_unlock(t, j->win);
	j->failed += got != value;
	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, j->win);
	MPI_Rput(&value, 1, MPI_LONG, t, test_rank, 1, MPI_LONG, j->win, &r[0]);
	MPI_Rget_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, t, test_size,
			    1, MPI_LONG, MPI_SUM, j->win, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Win_unlock(t, j->win);
	j->failed += old < 0 || old >= (long)test_size * ROUNDS;
}

static void *own_window(void *arg)
{
	struct job *j = arg;
	int i;

	for (i = 0; i < ROUNDS; i++)
		own_round(j, (test_rank + i) % test_size, i);
	return NULL;
}

/* lock_all is held by the main thread; each thread has its own words. */
static void *one_window(void *arg)
{
	struct job *j = arg;
	int i, word = test_rank * THREADS + j->number;
	long got = -1, one = 1;

	for (i = 0; i < ROUNDS; i++) {
		int t = (test_rank + i) % test_size;
		long value = 1000 * i + word;

		MPI_Put(&value, 1, MPI_LONG, t, word, 1, MPI_LONG, common);
		MPI_Win_flush(t, common);
		MPI_Get(&got, 1, MPI_LONG, t, word, 1, MPI_LONG, common);
		MPI_Win_flush(t, common);
		j->failed += got != value;
		MPI_Accumulate(&one, 1, MPI_LONG, t, test_size * THREADS, 1,
			       MPI_LONG, MPI_SUM, common);
		if (i % 10 == 0)
			MPI_Win_flush_all(common);
	}
	MPI_Win_flush_all(common);
	return NULL;
}

/* Messages beside, on the thread's own communicator. */
static void *messages(void *arg)
{
	struct job *j = arg;
	int i, got;
	long one = 1;

	for (i = 0; i < ROUNDS; i++) {
		MPI_Sendrecv(&i, 1, MPI_INT, test_next(), 0, &got, 1, MPI_INT,
			     test_prev(), 0, j->comm, MPI_STATUS_IGNORE);
		j->failed += got != i;
		MPI_Accumulate(&one, 1, MPI_LONG, test_next(),
			       test_size * THREADS, 1, MPI_LONG, MPI_SUM,
			       common);
		MPI_Win_flush_local(test_next(), common);
	}
	return NULL;
}

static void run(void *(*fn)(void *), const char *what)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&jobs[i].thread, NULL, fn, &jobs[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
	for (i = 0; i < THREADS; i++) {
		check(!jobs[i].failed, "%d failures of thread %d, %s",
		      jobs[i].failed, i, what);
		jobs[i].failed = 0;
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void setup(void)
{
	MPI_Aint words = test_size * THREADS + 1;
	int i;

	for (i = 0; i < THREADS; i++) {
		jobs[i].number = i;
		MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].comm);
		MPI_Win_allocate(words * sizeof(long), sizeof(long),
				 MPI_INFO_NULL, jobs[i].comm, &jobs[i].base,
				 &jobs[i].win);
		memset(jobs[i].base, 0, words * sizeof(long));
	}
	MPI_Win_allocate(words * sizeof(long), sizeof(long), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &common_base, &common);
	memset(common_base, 0, words * sizeof(long));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void check_sums(void)
{
	int i;
	long sum = 0, all;

	for (i = 0; i < THREADS; i++)
		sum += jobs[i].base[test_size];
	MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	check(all == (long)THREADS * ROUNDS * test_size,
	      "%ld on the threads' windows", all);
	sum = common_base[test_size * THREADS];
	MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	check(all == 2L * THREADS * ROUNDS * test_size,
	      "%ld on the common window", all);
}

int main(int argc, char **argv)
{
	int i;

	if (!test_start_threads(argc, argv))
		return test_skip("the host has no MPI_THREAD_MULTIPLE");
	setup();
	run(own_window, "windows of their own");
	MPI_Win_lock_all(0, common);
	run(one_window, "one window");
	run(messages, "messages beside");
	MPI_Win_unlock_all(common);
	MPI_Barrier(MPI_COMM_WORLD);
	check_sums();
	for (i = 0; i < THREADS; i++) {
		MPI_Win_free(&jobs[i].win);
		MPI_Comm_free(&jobs[i].comm);
	}
	MPI_Win_free(&common);
	return test_finish();
}
