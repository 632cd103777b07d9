/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hosts.h - for tests that may run on several hosts: do they, and whose fault
 * is it where MPI_Finalize hangs?  MPICH's does at times, over UCX and TCP,
 * without Oriel too: a rank tells how far it came, and test/run reads it.
 */
#ifndef HOSTS_H
#define HOSTS_H

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Are the ranks of more than one node?  Collective. */
static inline bool hosts_are_apart(void)
{
	int size, near_size;
	MPI_Comm near;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &near);
	MPI_Comm_size(near, &near_size);
	MPI_Comm_free(&near);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	return near_size < size;
}

#define LEAVE_LIMIT_S 3

static int leave_status = -1; /* as the test would exit, -1: unknown */

/* The verdict so far, from just before MPI_Finalize on. */
static inline void leave_with(int status)
{
	leave_status = status;
}

/* Oriel's own end comes after the host's. */
static inline void leave_late(int number)
{
	static const char hosts[] = "# the host does not end\n";
	static const char ours[] = "# the end after the host's does not end\n";
	int done = 1;

	MPI_Finalized(&done);
	if (write(STDOUT_FILENO, done ? ours : hosts,
		  (done ? sizeof(ours) : sizeof(hosts)) - 1) < 0)
		_exit(2);
	sleep(1); /* launchers lose what is written last */
	_exit(1);
}

static inline int leave_now(MPI_Comm comm, int keyval, void *value, void *state)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("# rank %d leaves with %d\n", rank, leave_status);
	fflush(stdout);
	signal(SIGALRM, leave_late);
	alarm(LEAVE_LIMIT_S);
	return MPI_SUCCESS;
}

/*
 * After MPI_Init; does nothing without ORIEL_TEST_HOSTS.  Attributes of
 * MPI_COMM_SELF are deleted first of all in MPI_Finalize, the latest first:
 * what the test itself sets comes before.
 */
static inline void leave_watched(void)
{
	int keyval;

	if (!getenv("ORIEL_TEST_HOSTS"))
		return;
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave_now, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
	MPI_Comm_free_keyval(&keyval);
}

#endif
