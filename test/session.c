/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that has sessions (MPI-4.0, section 11.3) and never initialises
 * MPI as a whole has windows of all kinds, and errors and names on them: those
 * of one session outlive another, and one process alone has them too.
 */
/* ranks: 1 2 4; paths: default direct cma fabric software; hosts: none */
#include "sessions.h"

#ifdef SESSIONS

/* What is wrong is told on the communicator, and on the window. */
static void errors(MPI_Comm comm)
{
	struct sessions_win w;
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Win none;
	void *memory;
	int len;

	expect(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, comm, &memory, &none),
	       MPI_ERR_SIZE, "MPI_Win_allocate negative");
	w = sessions_win_open(comm, KIND_ALLOCATE);
	ok(MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN));
	expect(MPI_Win_unlock(0, w.win), MPI_ERR_RMA_SYNC, "MPI_Win_unlock");
	expect(MPI_Put(&len, 1, MPI_INT, w.size, 0, 1, MPI_INT, w.win),
	       MPI_ERR_RANK, "MPI_Put");
	ok(MPI_Win_set_name(w.win, "of a session"));
	ok(MPI_Win_get_name(w.win, name, &len));
	check(!strcmp(name, "of a session"), "its name is %s", name);
	sessions_win_close(&w);
}

/* The host makes no more communicators of it, but ours stand. */
static void outlive(MPI_Session other, MPI_Comm comm)
{
	struct sessions_win w = sessions_win_open(comm, KIND_ALLOCATE);

	MPI_Session_finalize(&other);
	sessions_win_use(&w);
	sessions_win_close(&w);
}

int main(void)
{
	MPI_Session session = sessions_open(), second;
	MPI_Comm comm = sessions_comm(session, "mpi://WORLD", "first"), two;
	int status;

	MPI_Comm_rank(comm, &test_rank);
	sessions_use(comm);
	errors(comm);
	second = sessions_open();
	two = sessions_comm(second, "mpi://WORLD", "second");
	sessions_use(two);
	sessions_use(comm);
	MPI_Comm_free(&two);
	outlive(second, comm);
	two = sessions_comm(session, "mpi://SELF", "alone");
	sessions_use(two);
	MPI_Comm_free(&two);
	status = sessions_verdict(comm);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	return status;
}

#else

int main(void)
{
	return sessions_missing();
}

#endif
