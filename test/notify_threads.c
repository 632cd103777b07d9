/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With MPI_THREAD_MULTIPLE threads notify and wait at once (oriel.h): each by
 * a tag of its own, where it finds the data that came with it; all by one tag,
 * of which each notification is taken by one of them; and each by a duplicate
 * that it has made of a window of its own while the others made theirs.
 */
/* ranks: 1 2 4; paths: default cma */
#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS	200
#define WORDS	600 /* above what travels as a record, with 8 bytes each */
#define REPLY	THREADS
#define COMMON	(2 * THREADS)

struct job {
	pthread_t thread;
	int number;
	struct test_win w;
	int64_t out[WORDS];
	int failed; /* checks are the main thread's */
};

static struct job jobs[THREADS];
static struct test_win common;

static MPI_Aint place(const struct job *j, int rank)
{
	return test_at(&common, rank, j->number * WORDS * 8);
}

static void one_round(struct job *j, int round)
{
	const volatile int64_t *in =
		(int64_t *)(void *)common.base + j->number * WORDS;
	int words = round % 2 ? WORDS : 2, i, t = test_next();

	for (i = 0; i < words; i++)
		j->out[i] = (int64_t)test_rank * ROUNDS + round;
	j->failed += Oriel_Put_notify(j->out, words, MPI_INT64_T, t,
				      place(j, t), words, MPI_INT64_T,
				      j->number, common.win) != MPI_SUCCESS;
	j->failed += Oriel_Notify_wait(common.win, j->number, 1) != MPI_SUCCESS;
	for (i = 0; i < words; i++)
		j->failed += in[i] != (int64_t)test_prev() * ROUNDS + round;
	Oriel_Put_notify(NULL, 0, MPI_BYTE, test_prev(), place(j, test_prev()),
			 0, MPI_BYTE, REPLY + j->number, common.win);
	Oriel_Notify_wait(common.win, REPLY + j->number, 1);
	MPI_Win_flush_local(t, common.win);
}

static void *own_tags(void *arg)
{
	int round;

	for (round = 1; round <= ROUNDS; round++)
		one_round(arg, round);
	return NULL;
}

/* As many waits as notifications: too few, and it never ends. */
static void *one_tag(void *arg)
{
	struct job *j = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		Oriel_Put_notify(NULL, 0, MPI_BYTE, test_next(),
				 place(j, test_next()), 0, MPI_BYTE, COMMON,
				 common.win);
		j->failed +=
			Oriel_Notify_wait(common.win, COMMON, 1) != MPI_SUCCESS;
	}
	return NULL;
}

static void *own_duplicates(void *arg)
{
	struct job *j = arg;
	int64_t value = test_rank * THREADS + j->number, t = test_next();
	const int64_t *in = (int64_t *)(void *)j->w.base;
	MPI_Win dup = MPI_WIN_NULL;
	int i;

	for (i = 0; i < 10; i++) {
		j->failed += Oriel_Win_dup(j->w.win, MPI_INFO_NULL, &dup) !=
			     MPI_SUCCESS;
		MPI_Win_lock_all(0, dup);
		Oriel_Put_notify(&value, 1, MPI_INT64_T, (int)t,
				 test_at(&j->w, (int)t, 8 * i), 1, MPI_INT64_T,
				 j->number, dup);
		Oriel_Notify_wait(dup, j->number, 1);
		MPI_Win_unlock_all(dup);
		j->failed += in[i] != test_prev() * THREADS + j->number;
		MPI_Win_free(&dup);
	}
	return NULL;
}

static void run(void *(*work)(void *), const char *what)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&jobs[i].thread, NULL, work, &jobs[i]);
	for (i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		check(!jobs[i].failed, "%s, thread %d: %d failures", what, i,
		      jobs[i].failed);
		jobs[i].failed = 0;
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	const bool threaded = test_start_threads(argc, argv);
	int flag = 1, i;

	if (!Oriel_Put_notify)
		return test_skip("notifications are Oriel's");
	if (!threaded)
		return test_skip("the host has no MPI_THREAD_MULTIPLE");
	test_win_open(&common, KIND_ALLOCATE, (MPI_Aint)THREADS * WORDS * 8, 1);
	for (i = 0; i < THREADS; i++) {
		jobs[i].number = i;
		test_win_open(&jobs[i].w, KIND_ALLOCATE, 1024, 1);
	}
	MPI_Win_lock_all(0, common.win);
	run(own_tags, "tags of their own");
	run(one_tag, "one tag");
	ok(Oriel_Notify_test(common.win, COMMON, 1, &flag));
	check(!flag, "one more than was told");
	MPI_Win_unlock_all(common.win);
	run(own_duplicates, "duplicates");
	for (i = 0; i < THREADS; i++)
		test_win_close(&jobs[i].w);
	test_win_close(&common);
	return test_finish();
}
