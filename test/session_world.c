/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of MPI_COMM_WORLD and of a session (MPI-4.0, section 11.3) live side
 * by side, and those of the session go on when MPI_Finalize is over.
 */
/* ranks: 1 2 4; paths: default direct cma fabric software; hosts: none */
#include "sessions.h"

#ifdef SESSIONS

int main(int argc, char **argv)
{
	struct sessions_win early, late, worlds;
	MPI_Session session;
	MPI_Comm comm;
	int status;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
	/* Before there is a session, so that Oriel lives in the world first. */
	worlds = sessions_win_open(MPI_COMM_WORLD, KIND_ALLOCATE);
	session = sessions_open();
	sessions_win_use(&worlds);
	comm = sessions_comm(session, "mpi://WORLD", "oriel");
	sessions_use(comm);
	early = sessions_win_open(comm, KIND_CREATE_MEM);
	sessions_win_close(&worlds);
	sessions_use(MPI_COMM_WORLD);
	MPI_Finalize();

	late = sessions_win_open(comm, KIND_ALLOCATE);
	sessions_win_use(&early);
	sessions_win_use(&late);
	sessions_win_close(&early);
	sessions_win_close(&late);
	sessions_use(comm);
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
