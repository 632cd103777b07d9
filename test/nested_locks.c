/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that holds a lock gets another one, whoever stands in line for
 * either: nobody waits for ever, nor if the locks are of different windows.
 * Locks of different targets, exclusive ones too, are held by different ranks
 * at once.
 *
 * The pauses make it likely that others stand in line already when the
 * second lock is asked for; what is expected does not depend on them.
 */
/* ranks: 4; paths: default cma */
#include <unistd.h>

#include "test.h"

#define ROUNDS 8

static struct test_win w;
static MPI_Win other; /* of the same ranks */

/* Adds one to the target's counter. */
static void count(int target)
{
	int one = 1;

	MPI_Accumulate(&one, 1, MPI_INT, target, test_at(&w, target, 0), 1,
		       MPI_INT, MPI_SUM, w.win);
	MPI_Win_flush(target, w.win);
}

static void lock(int type, int target)
{
	MPI_Win_lock(type, target, 0, w.win);
	count(target);
}

static void tell(int rank)
{
	MPI_Send(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD);
}

/* Another rank is about to ask for a lock: lets it. */
static void hear(int rank, int round)
{
	MPI_Recv(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	usleep(round * 800);
}

static void check_count(int expected, const char *what)
{
	int *counter = (int *)w.base;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, w.win);
	check(*counter == expected, "%d counted on a window %s, %s", *counter,
	      test_kind_name(w.kind), what);
	*counter = 0;
	MPI_Win_unlock(test_rank, w.win);
	MPI_Barrier(MPI_COMM_WORLD);
}

/*
 * Rank 1 holds rank 0's lock, for which rank 2 stands in line, and behind it
 * rank 3 with lock_all; then rank 1 wants its own lock.
 */
static void with_lock_all(int first, int second, int round)
{
	int t;

	if (test_rank == 1) {
		lock(first, 0);
		tell(2);
		hear(3, round);
		lock(second, 1);
		MPI_Win_unlock(1, w.win);
		MPI_Win_unlock(0, w.win);
	} else if (test_rank == 2) {
		hear(1, 0);
		tell(3);
		lock(MPI_LOCK_EXCLUSIVE, 0);
		MPI_Win_unlock(0, w.win);
	} else if (test_rank == 3) {
		hear(2, round);
		tell(1);
		MPI_Win_lock_all(0, w.win);
		for (t = 0; t < test_size; t++)
			count(t);
		MPI_Win_unlock_all(w.win);
	}
	check_count(test_rank == 0   ? 3
		    : test_rank == 1 ? 2
				     : 1,
		    "beside lock_all");
}

/*
 * Ranks 0 and 1 share each its own lock, for which ranks 2 and 3 stand in
 * line; then each wants to share the other's too.
 */
static void crosswise(int round)
{
	if (test_rank < 2) {
		lock(MPI_LOCK_SHARED, test_rank);
		tell(test_rank + 2);
		hear(test_rank + 2, round);
		tell(1 - test_rank);
		hear(1 - test_rank, 0);
		lock(MPI_LOCK_SHARED, 1 - test_rank);
		MPI_Win_unlock(1 - test_rank, w.win);
		MPI_Win_unlock(test_rank, w.win);
	} else {
		hear(test_rank - 2, 0);
		tell(test_rank - 2);
		lock(MPI_LOCK_EXCLUSIVE, test_rank - 2);
		MPI_Win_unlock(test_rank - 2, w.win);
	}
	check_count(test_rank < 2 ? 3 : 0, "crosswise");
}

/* The same with rank 0's locks of two windows: the first of each is, of rank
 * 0 and 2, the one window's, of the others the other's. */
static void across_windows(int round)
{
	MPI_Win first = test_rank % 2 ? other : w.win;
	MPI_Win second = test_rank % 2 ? w.win : other;

	if (test_rank < 2) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, first);
		tell(test_rank + 2);
		hear(test_rank + 2, round);
		tell(1 - test_rank);
		hear(1 - test_rank, 0);
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, second);
		MPI_Win_unlock(0, second);
		MPI_Win_unlock(0, first);
	} else {
		hear(test_rank - 2, 0);
		tell(test_rank - 2);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, first);
		MPI_Win_unlock(0, first);
	}
}

/* Every rank holds another's exclusive lock while all talk to each other. */
static void at_once(int distance)
{
	int target = (test_rank + distance) % test_size, before = -1;

	lock(MPI_LOCK_EXCLUSIVE, target);
	MPI_Sendrecv(&test_rank, 1, MPI_INT, test_next(), 1, &before, 1,
		     MPI_INT, test_prev(), 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	check(before == test_prev(), "heard of %d", before);
	count(target);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock(target, w.win);
	check_count(2, "at once");
}

int main(int argc, char **argv)
{
	int i;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts promise no more than the standard");
	if (test_size != 4)
		return test_skip("4 ranks have their parts in this");
	for (w.kind = 0; w.kind < KIND_COUNT; w.kind++) {
		if (w.kind != KIND_CREATE && w.kind != KIND_ALLOCATE)
			continue;
		test_win_open(&w, w.kind, sizeof(int), 1);
		MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			       &other);
		for (i = 0; i < ROUNDS; i++) {
			with_lock_all(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE, i);
			with_lock_all(MPI_LOCK_SHARED, MPI_LOCK_SHARED, i);
			with_lock_all(MPI_LOCK_EXCLUSIVE, MPI_LOCK_EXCLUSIVE,
				      i);
			at_once(i % test_size);
			crosswise(i);
			across_windows(i);
		}
		MPI_Win_free(&other);
		test_win_close(&w);
	}
	return test_finish();
}
