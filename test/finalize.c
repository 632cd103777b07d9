/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Finalize begins with the delete callbacks of MPI_COMM_SELF; MPI works
 * in them (MPI-3.1 section 8.7.1).  So windows can be used, made and freed
 * there, by a callback that was set before the first window as by one that
 * was set after it, though some ranks come later than others.
 */
/* ranks: 1 2 4; paths: default cma */
#include <unistd.h>

#include "test.h"

static struct test_win early, late;
static int callbacks;

static void use(struct test_win *w, int value)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_next(), 0, w->win);
	ok(MPI_Put(&value, 1, MPI_INT, test_next(), test_at(w, test_next(), 0),
		   1, MPI_INT, w->win));
	MPI_Win_unlock(test_next(), w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w->win);
	check(*(int *)w->base == value, "%d in a callback, not %d",
	      *(int *)w->base, value);
	MPI_Win_unlock(test_rank, w->win);
}

static void free_it(struct test_win *w)
{
	int rc;

	/* No barrier before: the ranks come to MPI_Win_free unevenly. */
	usleep(test_rank * 20000);
	rc = MPI_Win_free(&w->win);
	check(rc == MPI_SUCCESS, "%d of MPI_Win_free in a callback", rc);
	check(w->win == MPI_WIN_NULL, "the window's handle is left");
	free(w->first);
}

/* Set before the first window, so called after use_late. */
static int use_early(MPI_Comm comm, int keyval, void *value, void *state)
{
	struct test_win w;

	callbacks++;
	use(&early, 11);
	test_win_open(&w, KIND_ALLOCATE, 64, 1);
	use(&w, 12);
	test_win_close(&w);
	free_it(&early);
	leave_with(test_failures || callbacks != 2 ? 1 : 0);
	return MPI_SUCCESS;
}

static int use_late(MPI_Comm comm, int keyval, void *value, void *state)
{
	callbacks++;
	use(&late, 13);
	free_it(&late);
	return MPI_SUCCESS;
}

static void set(MPI_Comm_delete_attr_function *callback)
{
	int keyval;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, callback, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
	MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	set(use_early);
	test_win_open(&early, KIND_ALLOCATE, 64, 1);
	test_win_open(&late, test_apart ? KIND_ALLOCATE : KIND_SHARED, 64, 1);
	set(use_late);
	MPI_Finalize();
	check(callbacks == 2, "%d callbacks", callbacks);
	return test_failures ? 1 : 0;
}
