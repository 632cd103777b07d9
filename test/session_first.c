/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session (MPI-4.0, section 11.3) may come before MPI_Init and end before
 * MPI_Finalize: windows of MPI_COMM_WORLD outlive it, up to the attributes
 * that MPI_Finalize deletes.
 */
/* ranks: 1 2; paths: default cma fabric software; hosts: 2x1 */
#include "sessions.h"

#ifdef SESSIONS

static struct sessions_win last;
static int seen;

/* In MPI_Finalize, first of all. */
static int finalizing(MPI_Comm comm, int keyval, void *value, void *state)
{
	sessions_win_use(&last);
	sessions_win_close(&last);
	seen = 1;
	return MPI_SUCCESS;
}

static void leave_callback(void)
{
	int keyval;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &keyval,
			       NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
	MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Comm comm;

	if (sessions_host_is("MPICH", "4.2.1")) {
		puts("# skip: MPICH 4.2.1 crashes by itself in MPI_Finalize");
		return 77;
	}
	session = sessions_open();
	comm = sessions_comm(session, "mpi://WORLD", "oriel");
	MPI_Comm_rank(comm, &test_rank);
	sessions_use(comm);
	MPI_Init(&argc, &argv);
	sessions_use(comm);
	last = sessions_win_open(MPI_COMM_WORLD, KIND_ALLOCATE);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	sessions_use(MPI_COMM_WORLD);
	leave_callback();
	leave_watched();
	leave_with(test_failures ? 1 : 0);
	MPI_Finalize();
	check(seen, "the attribute was not deleted");
	return test_failures ? 1 : 0;
}

#else

int main(void)
{
	return sessions_missing();
}

#endif
