/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call that no open epoch allows, and a synchronisation call that does not
 * fit the epoch that is open, is MPI_ERR_RMA_SYNC, with a text that names
 * the call, the window and the target, changes no memory, and leaves the
 * epochs as they were.
 */
/* ranks: 1 3; paths: default cma */
#include "test.h"

#define NAME "halo"

static MPI_Group world, self, none;

#define sync_error(call, words) expect(call, MPI_ERR_RMA_SYNC, words " " NAME)

static void communication(MPI_Win win, int t)
{
	int one = 1, two = 2, old = 3;

	sync_error(MPI_Put(&one, 1, MPI_INT, t, 0, 1, MPI_INT, win), "MPI_Put");
	sync_error(MPI_Get(&old, 1, MPI_INT, t, 0, 1, MPI_INT, win), "MPI_Get");
	sync_error(MPI_Accumulate(&one, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM,
				  win),
		   "MPI_Accumulate");
	sync_error(MPI_Get_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, t, 0,
				      1, MPI_INT, MPI_SUM, win),
		   "MPI_Get_accumulate");
	sync_error(MPI_Fetch_and_op(&one, &old, MPI_INT, t, 0, MPI_SUM, win),
		   "MPI_Fetch_and_op");
	sync_error(MPI_Compare_and_swap(&one, &two, &old, MPI_INT, t, 0, win),
		   "MPI_Compare_and_swap");
	check(old == 3, "a result of %d came with an error", old);
}

static void requests(MPI_Win win, int t)
{
	int one = 1, old = 3;
	MPI_Request r;

	sync_error(MPI_Rput(&one, 1, MPI_INT, t, 0, 1, MPI_INT, win, &r),
		   "MPI_Rput");
	sync_error(MPI_Rget(&old, 1, MPI_INT, t, 0, 1, MPI_INT, win, &r),
		   "MPI_Rget");
	sync_error(MPI_Raccumulate(&one, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM,
				   win, &r),
		   "MPI_Raccumulate");
	sync_error(MPI_Rget_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, t, 0,
				       1, MPI_INT, MPI_SUM, win, &r),
		   "MPI_Rget_accumulate");
	check(old == 3, "a result of %d came with an error", old);
}

static void flushes(MPI_Win win)
{
	sync_error(MPI_Win_flush(0, win), "MPI_Win_flush");
	sync_error(MPI_Win_flush_local(0, win), "MPI_Win_flush_local");
	sync_error(MPI_Win_flush_all(win), "MPI_Win_flush_all");
	sync_error(MPI_Win_flush_local_all(win), "MPI_Win_flush_local_all");
}

static void ends(MPI_Win win)
{
	int flag = 5;

	sync_error(MPI_Win_unlock(0, win), "MPI_Win_unlock");
	sync_error(MPI_Win_unlock_all(win), "MPI_Win_unlock_all");
	sync_error(MPI_Win_complete(win), "MPI_Win_complete");
	sync_error(MPI_Win_wait(win), "MPI_Win_wait");
	sync_error(MPI_Win_test(win, &flag), "MPI_Win_test");
}

static void no_epoch(MPI_Win win)
{
	int t;

	for (t = 0; t < test_size; t++) {
		communication(win, t);
		requests(win, t);
	}
	flushes(win);
	ends(win);
	ok(MPI_Win_fence(0, win));
	requests(win, test_next());
	flushes(win);
	ends(win);
	ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	communication(win, test_next());
}

static void in_lock(MPI_Win win, int type)
{
	int flag, other = test_next();
	MPI_Win copy = win;

	ok(MPI_Win_lock(type, test_rank, 0, win));
	sync_error(MPI_Win_lock(type, test_rank, 0, win), "MPI_Win_lock");
	sync_error(MPI_Win_lock_all(0, win), "MPI_Win_lock_all");
	sync_error(MPI_Win_fence(0, win), "MPI_Win_fence");
	sync_error(MPI_Win_start(self, 0, win), "MPI_Win_start");
	sync_error(MPI_Win_complete(win), "MPI_Win_complete");
	sync_error(MPI_Win_wait(win), "MPI_Win_wait");
	sync_error(MPI_Win_test(win, &flag), "MPI_Win_test");
	sync_error(MPI_Win_unlock_all(win), "MPI_Win_unlock_all");
	sync_error(MPI_Win_free(&copy), "MPI_Win_free");
	check(copy == win, "Win_free changed the handle");
	if (test_size > 1) {
		communication(win, other);
		requests(win, other);
		sync_error(MPI_Win_flush(other, win), "MPI_Win_flush");
		sync_error(MPI_Win_flush_local(other, win),
			   "MPI_Win_flush_local");
		sync_error(MPI_Win_unlock(other, win), "MPI_Win_unlock");
	}
	ok(MPI_Win_flush_all(win));
	ok(MPI_Win_unlock(test_rank, win));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void in_lock_all(MPI_Win win)
{
	MPI_Win copy = win;

	ok(MPI_Win_lock_all(0, win));
	sync_error(MPI_Win_lock_all(0, win), "MPI_Win_lock_all");
	sync_error(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), "MPI_Win_lock");
	sync_error(MPI_Win_unlock(0, win), "MPI_Win_unlock");
	sync_error(MPI_Win_fence(0, win), "MPI_Win_fence");
	sync_error(MPI_Win_start(self, 0, win), "MPI_Win_start");
	sync_error(MPI_Win_complete(win), "MPI_Win_complete");
	sync_error(MPI_Win_free(&copy), "MPI_Win_free");
	ok(MPI_Win_unlock_all(win));
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The rank exposes itself to itself, and starts towards itself. */
static void in_pscw(MPI_Win win)
{
	int five = 5, other = test_next();
	MPI_Win copy = win;

	ok(MPI_Win_post(self, 0, win));
	sync_error(MPI_Win_post(self, 0, win), "MPI_Win_post");
	sync_error(MPI_Win_fence(0, win), "MPI_Win_fence");
	sync_error(MPI_Win_free(&copy), "MPI_Win_free");
	communication(win, test_rank);
	ok(MPI_Win_start(self, 0, win));
	sync_error(MPI_Win_start(self, 0, win), "MPI_Win_start");
	sync_error(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), "MPI_Win_lock");
	sync_error(MPI_Win_lock_all(0, win), "MPI_Win_lock_all");
	sync_error(MPI_Win_fence(0, win), "MPI_Win_fence");
	sync_error(MPI_Win_free(&copy), "MPI_Win_free");
	requests(win, test_rank);
	flushes(win);
	if (test_size > 1)
		communication(win, other);
	ok(MPI_Put(&five, 1, MPI_INT, test_rank, 1, 1, MPI_INT, win));
	ok(MPI_Win_complete(win));
	ok(MPI_Win_wait(win));
	ok(MPI_Win_start(none, 0, win));
	communication(win, test_rank);
	ok(MPI_Win_complete(win));
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Win win;
	int *base;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts find few of these errors");
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Comm_group(MPI_COMM_SELF, &self);
	none = MPI_GROUP_EMPTY;
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_set_name(win, NAME);
	base[0] = base[1] = 77;
	MPI_Barrier(MPI_COMM_WORLD);
	no_epoch(win);
	in_lock(win, MPI_LOCK_SHARED);
	in_lock(win, MPI_LOCK_EXCLUSIVE);
	in_lock_all(win);
	in_pscw(win);
	check(base[0] == 77 && base[1] == 5, "memory is %d %d", base[0],
	      base[1]);
	ok(MPI_Win_free(&win));
	MPI_Group_free(&world);
	MPI_Group_free(&self);
	return test_finish();
}
