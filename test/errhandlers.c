/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window's error handler is MPI_ERRORS_ARE_FATAL at creation, whatever its
 * communicator's is; it can be set to MPI_ERRORS_RETURN or to a function,
 * which then sees each error of the window, with its class, and no error of
 * another window; Win_call_errhandler calls it.
 */
/* ranks: 1 2; paths: default */
#include "test.h"

static int calls, last_class;
static MPI_Win last_win;

static void handler(MPI_Win *win, int *code, ...)
{
	calls++;
	last_win = *win;
	MPI_Error_class(*code, &last_class);
}

static MPI_Errhandler get(MPI_Win win)
{
	MPI_Errhandler handler_now;

	ok(MPI_Win_get_errhandler(win, &handler_now));
	return handler_now;
}

static void initial(MPI_Win win)
{
	MPI_Errhandler now = get(win);

	check(now == MPI_ERRORS_ARE_FATAL, "another handler at creation");
	if (now != MPI_ERRORS_ARE_FATAL)
		MPI_Errhandler_free(&now);
}

static void user(struct test_win *w, struct test_win *other)
{
	MPI_Errhandler mine, now;
	int value = 0, rc, class;

	ok(MPI_Win_create_errhandler(handler, &mine));
	ok(MPI_Win_set_errhandler(w->win, mine));
	now = get(w->win);
	check(now == mine, "another handler than was set");
	MPI_Errhandler_free(&now);
	ok(MPI_Errhandler_free(&mine)); /* the window keeps it */
	calls = 0;
	rc = MPI_Put(&value, 1, MPI_INT, test_size, 0, 1, MPI_INT, w->win);
	MPI_Error_class(rc, &class);
	check(calls == 1 && class == MPI_ERR_RANK && last_class == MPI_ERR_RANK,
	      "%d calls, class %d returned, %d to the handler", calls, class,
	      last_class);
	check(last_win == w->win, "the handler saw another window");
	expect(MPI_Put(&value, 1, MPI_INT, test_size, 0, 1, MPI_INT,
		       other->win),
	       MPI_ERR_RANK, "MPI_Put");
	check(calls == 1, "the other window's error came here");
	ok(MPI_Win_call_errhandler(w->win, MPI_ERR_OTHER));
	check(calls == 2 && last_class == MPI_ERR_OTHER, "%d calls, class %d",
	      calls, last_class);
	rc = MPI_Win_flush(0, w->win);
	check(calls == 3 && last_class == MPI_ERR_RMA_SYNC,
	      "%d calls, class %d by a flush without epoch", calls, last_class);
}

/* Back to the return of codes; the function is not called any more. */
static void back(struct test_win *w)
{
	int before = calls, value = 0;

	ok(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
	check(get(w->win) == MPI_ERRORS_RETURN, "another handler");
	expect(MPI_Put(&value, 1, MPI_INT, -7, 0, 1, MPI_INT, w->win),
	       MPI_ERR_RANK, "MPI_Put");
	check(calls == before, "the handler was called");
	ok(MPI_Win_call_errhandler(w->win, MPI_ERR_OTHER));
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w, other;

	test_start(argc, argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, 64, 1);
		test_win_open(&other, kind, 64, 1);
		initial(w.win);
		MPI_Win_set_errhandler(other.win, MPI_ERRORS_RETURN);
		/* Any epoch: the rank is what is wrong. */
		MPI_Win_fence(0, w.win);
		MPI_Win_fence(0, other.win);
		user(&w, &other);
		back(&w);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, other.win);
		test_win_close(&w);
		test_win_close(&other);
	}
	return test_finish();
}
