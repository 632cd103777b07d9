/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the last session (MPI-4.0, section 11.3) has ended another may begin,
 * and has windows as the first had; and after it MPI as a whole.
 */
/* ranks: 1 2; paths: default cma fabric software; hosts: none */
#include "sessions.h"

#ifdef SESSIONS

static void cycle(void)
{
	MPI_Session session = sessions_open();
	MPI_Comm comm = sessions_comm(session, "mpi://WORLD", "oriel");

	MPI_Comm_rank(comm, &test_rank);
	sessions_use(comm);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
	int round;

	if (sessions_host_is("Open MPI", "") ||
	    sessions_host_is("MPICH", "4.0")) {
		puts("# skip: a second session crashes by itself (MPICH 4.0, "
		     "Open MPI 5.0)");
		return 77;
	}
	/* MPICH 4.2.1 then gives new types the handles of predefined ones. */
	sessions_plain = true;
	for (round = 0; round < 4; round++)
		cycle();
	MPI_Init(&argc, &argv);
	sessions_use(MPI_COMM_WORLD);
	round = sessions_verdict(MPI_COMM_WORLD);
	MPI_Finalize();
	return round;
}

#else

int main(void)
{
	return sessions_missing();
}

#endif
