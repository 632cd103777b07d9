/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads issue requests to one target at the same time and complete each
 * other's, beside requests of the host's: each gets its own data.
 */
/* ranks: 2; paths: default */
#include <pthread.h>

#include "test.h"

#define THREADS 3
#define ROUNDS	60
#define BATCH	20

static struct test_win w;

struct worker {
	pthread_t thread;
	MPI_Request r[BATCH + 2];
	int64_t got[BATCH], received, sent;
	int number, round;
};

static struct worker workers[THREADS];
static pthread_barrier_t step;

static void issue(struct worker *me)
{
	int t = test_next(), i;

	me->received = -1;
	me->sent = me->number * 1000 + me->round;
	MPI_Irecv(&me->received, 1, MPI_INT64_T, test_prev(), me->number,
		  MPI_COMM_WORLD, &me->r[0]);
	for (i = 0; i < BATCH; i++) {
		int word = (me->number * BATCH + i * me->round) % 1000;

		me->got[i] = -1;
		MPI_Rget(&me->got[i], 1, MPI_INT64_T, t,
			 test_at(&w, t, word * 8), 1, MPI_INT64_T, w.win,
			 &me->r[1 + i]);
	}
	MPI_Isend(&me->sent, 1, MPI_INT64_T, test_next(), me->number,
		  MPI_COMM_WORLD, &me->r[BATCH + 1]);
}

static void complete(struct worker *other)
{
	int i, flag = 0, index;

	if (other->round % 3 == 0)
		MPI_Waitall(BATCH + 2, other->r, MPI_STATUSES_IGNORE);
	else if (other->round % 3 == 1)
		for (i = 0; i < BATCH + 2; i++)
			MPI_Waitany(BATCH + 2, other->r, &index,
				    MPI_STATUS_IGNORE);
	else
		while (!flag)
			MPI_Testall(BATCH + 2, other->r, &flag,
				    MPI_STATUSES_IGNORE);
	for (i = 0; i < BATCH; i++) {
		int word = (other->number * BATCH + i * other->round) % 1000;

		check(other->got[i] == test_next() * 10000 + word,
		      "thread %d, round %d, request %d", other->number,
		      other->round, i);
	}
	check(other->received == other->number * 1000 + other->round,
	      "received %d", (int)other->received);
}

static void *work(void *arg)
{
	struct worker *me = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		me->round = i;
		issue(me);
		pthread_barrier_wait(&step);
		complete(&workers[(me->number + 1) % THREADS]);
		pthread_barrier_wait(&step);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int i;

	if (!test_start_threads(argc, argv))
		return test_skip("no MPI_THREAD_MULTIPLE");
	test_win_open(&w, test_path_is("direct") ? KIND_ALLOCATE : KIND_CREATE,
		      8000, 1);
	for (i = 0; i < 1000; i++)
		((int64_t *)w.base)[i] = test_rank * 10000 + i;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, w.win);
	pthread_barrier_init(&step, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i].number = i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	MPI_Win_unlock_all(w.win);
	test_win_close(&w);
	return test_finish();
}
