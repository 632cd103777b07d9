/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that waits for something by calling one-sided functions in a loop
 * goes on serving messages meanwhile: its peer's send to a receive that was
 * posted before completes (MPI-3.1 sections 3.5 and 11.7.3), after which the
 * peer tells so through the window.
 */
/* ranks: 2; paths: default cma */
#include "test.h"

#define BIG (4 << 20) /* no message of this size is sent eagerly */

typedef int (*look_fn)(MPI_Win win, volatile int *flag);

static int look_fop(MPI_Win win, volatile int *flag)
{
	int value;

	MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, 0, MPI_NO_OP, win);
	MPI_Win_flush(0, win);
	return value;
}

static int look_get(MPI_Win win, volatile int *flag)
{
	int value;

	MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_flush_all(win);
	return value;
}

static int look_rget(MPI_Win win, volatile int *flag)
{
	MPI_Request request;
	int value;

	MPI_Rget(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return value;
}

static int look_sync(MPI_Win win, volatile int *flag)
{
	MPI_Win_sync(win);
	return *flag;
}

static void wait_for_flag(MPI_Win win, volatile int *flag, look_fn look)
{
	MPI_Win_lock_all(0, win);
	while (!look(win, flag))
		;
	MPI_Win_unlock_all(win);
}

static void wait_by_locks(MPI_Win win)
{
	int value = 0;

	while (!value) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
}

static void send_and_tell(MPI_Win win, const char *big)
{
	int one = 1;

	ok(MPI_Send(big, BIG, MPI_CHAR, 0, 0, MPI_COMM_WORLD));
	ok(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	ok(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE,
			  win));
	ok(MPI_Win_unlock(0, win));
}

static void round_of(look_fn look)
{
	char *big = malloc(BIG);
	MPI_Request request;
	MPI_Win win;
	int *flag;

	ok(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
			    MPI_COMM_WORLD, &flag, &win));
	*flag = 0;
	memset(big, test_rank, BIG);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 0) {
		ok(MPI_Irecv(big, BIG, MPI_CHAR, 1, 0, MPI_COMM_WORLD,
			     &request));
		if (look)
			wait_for_flag(win, flag, look);
		else
			wait_by_locks(win);
		ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
		check(big[0] == 1 && big[BIG - 1] == 1, "the message");
	} else if (test_rank == 1) {
		send_and_tell(win, big);
	}
	ok(MPI_Win_free(&win));
	free(big);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts hang here in some of the loops");
	round_of(look_fop);
	round_of(look_get);
	round_of(look_rget);
	round_of(look_sync);
	round_of(NULL);
	return test_finish();
}
