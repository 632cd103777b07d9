/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four threads attach 1500 regions each to one window at the same time,
 * detach every other one and attach it again, longer; puts of the previous
 * rank then reach each region, and its end, and nothing between them.
 */
/* ranks: 2; paths: default cma */
#include <pthread.h>

#include "test.h"

#define THREADS 4
#define REGIONS 1500
#define ALL	(THREADS * REGIONS)
#define STRIDE	4 /* words from one to the next */

static MPI_Win win;
static int64_t *words;
static pthread_barrier_t together;

/* Words of a region in the end. */
static int length(int i)
{
	return i % 2 ? 2 : 1;
}

static void attach(int i, int n)
{
	ok(MPI_Win_attach(win, words + (size_t)i * STRIDE,
			  n * (MPI_Aint)sizeof(*words)));
}

static void detach(int i)
{
	ok(MPI_Win_detach(win, words + (size_t)i * STRIDE));
}

/* Regions of threads lie between each other's. */
static void *work(void *arg)
{
	int first = *(int *)arg, i;

	pthread_barrier_wait(&together);
	for (i = first; i < ALL; i += THREADS)
		attach(i, 1);
	for (i = first; i < ALL; i += THREADS)
		if (length(i) > 1)
			detach(i);
	for (i = first; i < ALL; i += THREADS)
		if (length(i) > 1)
			attach(i, length(i));
	return NULL;
}

static void attach_all(void)
{
	pthread_t threads[THREADS];
	int first[THREADS], i;

	pthread_barrier_init(&together, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		first[i] = i;
		pthread_create(&threads[i], NULL, work, &first[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&together);
}

static void put_all(MPI_Aint theirs)
{
	int64_t values[2];
	int i;

	MPI_Win_lock_all(0, win);
	for (i = 0; i < ALL; i++) {
		values[0] = test_rank * 1000000 + i;
		values[1] = -values[0];
		ok(MPI_Put(values, length(i), MPI_INT64_T, test_next(),
			   theirs + (MPI_Aint)i * STRIDE *
					    (MPI_Aint)sizeof(*words),
			   length(i), MPI_INT64_T, win));
		ok(MPI_Win_flush_local(test_next(), win));
	}
	ok(MPI_Win_unlock_all(win));
}

static void arrived(void)
{
	int i, k;

	for (i = 0; i < ALL; i++) {
		int64_t value = test_prev() * 1000000 + i;
		int64_t *got = words + (size_t)i * STRIDE;

		check(got[0] == value, "region %d begins with %ld", i,
		      (long)got[0]);
		check(got[1] == (length(i) > 1 ? -value : 7),
		      "region %d, then %ld", i, (long)got[1]);
		for (k = 2; k < STRIDE; k++)
			check(got[k] == 7, "behind region %d: %ld", i,
			      (long)got[k]);
	}
}

int main(int argc, char **argv)
{
	MPI_Aint mine, theirs;
	int i;

	if (!test_start_threads(argc, argv))
		return test_skip("no MPI_THREAD_MULTIPLE");
	words = test_memory(!test_path_is("direct"),
			    ALL * STRIDE * sizeof(*words));
	for (i = 0; i < ALL * STRIDE; i++)
		words[i] = 7;
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	attach_all();
	MPI_Get_address(words, &mine);
	MPI_Sendrecv(&mine, 1, MPI_AINT, test_prev(), 0, &theirs, 1, MPI_AINT,
		     test_next(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	put_all(theirs);
	MPI_Barrier(MPI_COMM_WORLD);
	arrived();
	for (i = 0; i < ALL; i++)
		detach(i);
	MPI_Win_free(&win);
	test_memory_free(!test_path_is("direct"), words);
	return test_finish();
}
