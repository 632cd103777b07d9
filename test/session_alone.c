/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session (MPI-4.0, section 11.3) of which only MPI_COMM_SELF's like has
 * been made has windows, and gives what the host cannot, attributes and error
 * handlers of the program's own, or says that it does not.
 */
/* ranks: 1 2; paths: default cma; hosts: none */
#include "sessions.h"

#ifdef SESSIONS

static int handled;

static void count(MPI_Win *win, int *code, ...)
{
	handled++;
}

static void handlers(struct sessions_win *w)
{
	MPI_Errhandler made, held;
	bool can;

	ok(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
	ok(MPI_Win_get_errhandler(w->win, &held));
	check(held == MPI_ERRORS_RETURN, "another handler");
	MPI_Errhandler_free(&held);
	expect(MPI_Win_flush(0, w->win), MPI_ERR_RMA_SYNC, "MPI_Win_flush");
	MPI_Win_create_errhandler(count, &made);
	can = !MPI_Win_set_errhandler(w->win, made);
	MPI_Errhandler_free(&made);
	expect(MPI_Win_flush(0, w->win), MPI_ERR_RMA_SYNC, "MPI_Win_flush");
	check(handled == can, "handled %d", handled);
}

static void attributes(struct sessions_win *w)
{
	int keyval, *unit, found = 0, seven = 7, *value = NULL;

	ok(MPI_Win_get_attr(w->win, MPI_WIN_DISP_UNIT, &unit, &found));
	check(found && *unit == 8, "another unit");
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN,
			      &keyval, NULL);
	MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
	if (MPI_Win_set_attr(w->win, keyval, &seven))
		return;
	ok(MPI_Win_get_attr(w->win, keyval, &value, &found));
	check(found && value == &seven, "another attribute");
	MPI_Win_free_keyval(&keyval);
}

int main(void)
{
	MPI_Session session;
	struct sessions_win w;
	MPI_Comm comm;

	if (getenv("ORIEL_TEST_HOST")) {
		puts("# skip: MPICH crashes by itself");
		return 77;
	}
	session = sessions_open();
	comm = sessions_comm(session, "mpi://SELF", "alone");
	sessions_use(comm);
	w = sessions_win_open(comm, KIND_ALLOCATE);
	handlers(&w);
	attributes(&w);
	sessions_win_close(&w);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	return test_failures ? 1 : 0;
}

#else

int main(void)
{
	return sessions_missing();
}

#endif
