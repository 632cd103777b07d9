/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of a process that holds a lock gets another one, though a thread of
 * the same process, which asked before it held any, waits behind others who
 * wait for what it holds.
 *
 * The pauses make it likely that everybody stands where the comments say; what
 * is expected does not depend on them.
 */
/* ranks: 4; paths: default cma */
#include <pthread.h>
#include <unistd.h>

#include "test.h"

#define ROUNDS 4
#define PAUSE  20000 /* us; round by round less */

static MPI_Win win;
static int *counter;

static void count(int target)
{
	const int one = 1;

	MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_flush(target, win);
}

static void lock_and_count(int type, int target)
{
	MPI_Win_lock(type, target, 0, win);
	count(target);
}

/* Behind rank 3, which waits for rank 1. */
static void *first_thread(void *arg)
{
	lock_and_count(MPI_LOCK_EXCLUSIVE, 2);
	MPI_Win_unlock(2, win);
	return NULL;
}

/* Rank 1 waits for rank 0's lock, which the second thread shares. */
static void two_threads(int pause)
{
	pthread_t thread;

	usleep(3 * pause);
	pthread_create(&thread, NULL, first_thread, NULL);
	usleep(pause);
	lock_and_count(MPI_LOCK_SHARED, 0);
	lock_and_count(MPI_LOCK_EXCLUSIVE, 1);
	MPI_Win_unlock(1, win);
	MPI_Win_unlock(0, win);
	pthread_join(thread, NULL);
}

static void play(int pause)
{
	int t;

	switch (test_rank) {
	case 0:
		lock_and_count(MPI_LOCK_SHARED, 0);
		usleep(5 * pause);
		MPI_Win_unlock(0, win);
		break;
	case 1:
		usleep(pause);
		lock_and_count(MPI_LOCK_EXCLUSIVE, 0);
		MPI_Win_unlock(0, win);
		break;
	case 2:
		two_threads(pause);
		break;
	default:
		usleep(2 * pause);
		MPI_Win_lock_all(0, win);
		for (t = 0; t < test_size; t++)
			count(t);
		MPI_Win_unlock_all(win);
	}
}

static void check_count(void)
{
	const int expected[] = { 4, 2, 2, 1 };

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, win);
	check(*counter == expected[test_rank], "%d counted", *counter);
	*counter = 0;
	MPI_Win_unlock(test_rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int i;

	if (!test_start_threads(argc, argv))
		return test_skip("the host has no MPI_THREAD_MULTIPLE");
	if (test_on_host)
		return test_skip("hosts promise no more than the standard");
	if (test_size != 4)
		return test_skip("4 ranks have their parts in this");
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &counter, &win);
	*counter = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < ROUNDS; i++) {
		play(PAUSE >> i);
		check_count();
	}
	MPI_Win_free(&win);
	return test_finish();
}
