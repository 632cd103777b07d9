/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that has a session (MPI-4.0, section 11.3) and never initialises
 * MPI as a whole has windows and memory all the same.  (With one rank MPICH 4.0
 * crashes by itself.)
 */
/* ranks: 2; paths: default; hosts: none */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4

static MPI_Comm open_comm(MPI_Session session)
{
	MPI_Group group;
	MPI_Comm comm;

	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "oriel", MPI_INFO_NULL,
				   MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	return comm;
}

static int exchange(MPI_Win win, const int *memory, int rank, int size)
{
	int value = 100 + rank, prev = (rank + size - 1) % size;

	MPI_Win_fence(0, win);
	MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	if (*memory == 100 + prev)
		return 0;
	printf("rank %d has %d\n", rank, *memory);
	return 1;
}

int main(void)
{
	int rank, size, failed, all, *memory;
	MPI_Session session;
	MPI_Comm comm;
	MPI_Win win;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	comm = open_comm(session);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
	failed = exchange(win, memory, rank, size);
	MPI_Win_free(&win);
	MPI_Alloc_mem(4096, MPI_INFO_NULL, &memory);
	MPI_Win_create(memory, 4096, sizeof(int), MPI_INFO_NULL, comm, &win);
	failed += exchange(win, memory, rank, size);
	MPI_Win_free(&win);
	MPI_Free_mem(memory);
	MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, comm);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	return all ? 1 : 0;
}

#else

int main(void)
{
	puts("# skip: the host MPI has no sessions");
	return 77;
}

#endif
