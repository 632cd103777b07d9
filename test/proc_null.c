/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_PROC_NULL is a target of every call, with NULL buffers, any
 * displacement and in every epoch: nothing happens, and requests complete.
 */
/* ranks: 1 2; paths: default */
#include "test.h"

#define ALL 4

static void calls(MPI_Win win)
{
	const int null = MPI_PROC_NULL;

	ok(MPI_Put(NULL, 5, MPI_INT, null, 7, 5, MPI_INT, win));
	ok(MPI_Get(NULL, 5, MPI_INT, null, 1 << 30, 5, MPI_INT, win));
	ok(MPI_Accumulate(NULL, 5, MPI_INT, null, 0, 5, MPI_INT, MPI_SUM, win));
	ok(MPI_Get_accumulate(NULL, 5, MPI_INT, NULL, 5, MPI_INT, null, 0, 5,
			      MPI_INT, MPI_SUM, win));
	ok(MPI_Fetch_and_op(NULL, NULL, MPI_INT, null, 0, MPI_SUM, win));
	ok(MPI_Compare_and_swap(NULL, NULL, NULL, MPI_INT, null, 0, win));
}

static void request_calls(MPI_Win win)
{
	const int null = MPI_PROC_NULL;
	MPI_Request r[ALL];
	int i;

	ok(MPI_Rput(NULL, 5, MPI_INT, null, 7, 5, MPI_INT, win, &r[0]));
	ok(MPI_Rget(NULL, 5, MPI_INT, null, 0, 5, MPI_INT, win, &r[1]));
	ok(MPI_Raccumulate(NULL, 5, MPI_INT, null, 0, 5, MPI_INT, MPI_SUM, win,
			   &r[2]));
	ok(MPI_Rget_accumulate(NULL, 5, MPI_INT, NULL, 5, MPI_INT, null, 0, 5,
			       MPI_INT, MPI_SUM, win, &r[3]));
	ok(MPI_Waitall(ALL, r, MPI_STATUSES_IGNORE));
	for (i = 0; i < ALL; i++)
		check(r[i] == MPI_REQUEST_NULL, "request %d", i);
}

static void in_epochs(MPI_Win win)
{
	MPI_Group world;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	ok(MPI_Win_fence(0, win));
	calls(win);
	ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	ok(MPI_Win_post(world, 0, win));
	ok(MPI_Win_start(world, 0, win));
	calls(win);
	ok(MPI_Win_complete(win));
	ok(MPI_Win_wait(win));
	MPI_Group_free(&world);
	ok(MPI_Win_lock_all(0, win));
	calls(win);
	request_calls(win);
	ok(MPI_Win_unlock_all(win));
	ok(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, win));
	calls(win);
	request_calls(win);
	ok(MPI_Win_unlock(test_rank, win));
}

/* A lock on nobody, too, and its flushes. */
static void locked(MPI_Win win)
{
	ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win));
	calls(win);
	request_calls(win);
	ok(MPI_Win_flush(MPI_PROC_NULL, win));
	ok(MPI_Win_flush_local(MPI_PROC_NULL, win));
	ok(MPI_Win_unlock(MPI_PROC_NULL, win));
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, 64, 1);
		MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
		memset(w.base, 0x3c, 64);
		in_epochs(w.win);
		if (!test_on_host)
			locked(w.win);
		check(test_differs_from(w.base, 64, 0x3c) == 64,
		      "%s: memory was written", test_kind_name(kind));
		test_win_close(&w);
	}
	return test_finish();
}
