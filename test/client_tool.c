/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiling tool that counts MPI_Put, MPI_Rput and MPI_Wait, and a program
 * that calls them.  Above Oriel the tool sees each call, below it none; either
 * way the data arrive.
 *
 *	client_tool ABOVE BELOW	the calls that each tool must have counted, as
 *				puts * 10000 + Rputs * 100 + waits; -1: no tool
 *
 * As a tool it is compiled with the name of its counter, TOOL.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef TOOL

static int puts_seen, rputs_seen, waits_seen;

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target,
	    MPI_Aint disp, int target_count, MPI_Datatype target_type,
	    MPI_Win win)
{
	puts_seen++;
	return PMPI_Put(origin, count, type, target, disp, target_count,
			target_type, win);
}

int MPI_Rput(const void *origin, int count, MPI_Datatype type, int target,
	     MPI_Aint disp, int target_count, MPI_Datatype target_type,
	     MPI_Win win, MPI_Request *request)
{
	rputs_seen++;
	return PMPI_Rput(origin, count, type, target, disp, target_count,
			 target_type, win, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	waits_seen++;
	return PMPI_Wait(request, status);
}

int TOOL(void) __attribute__((visibility("default")));

int TOOL(void)
{
	return puts_seen * 10000 + rputs_seen * 100 + waits_seen;
}

#else

int above_calls(void), below_calls(void);
#pragma weak above_calls
#pragma weak below_calls

#define TIMES 10

static int differs(const char *which, int (*calls)(void), int expected)
{
	int counted = calls ? calls() : -1;

	if (counted == expected)
		return 0;
	printf("the tool %s has counted %d, not %d\n", which, counted,
	       expected);
	return 1;
}

/* The first half by puts and fences, the second by requests. */
static void communicate(int rank, int size, MPI_Win win)
{
	int target = (rank + 1) % size, i;
	MPI_Request request;

	MPI_Win_fence(0, win);
	for (i = 0; i < TIMES; i++) {
		int value = rank * 100 + i;

		MPI_Put(&value, 1, MPI_INT, target, i, 1, MPI_INT, win);
		MPI_Win_fence(i == TIMES - 1 ? MPI_MODE_NOSUCCEED : 0, win);
	}
	MPI_Win_lock_all(0, win);
	for (i = TIMES; i < 2 * TIMES; i++) {
		int value = rank * 100 + i;

		MPI_Rput(&value, 1, MPI_INT, target, i, 1, MPI_INT, win,
			 &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, size, i, *memory, failed = 0, all;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(sizeof(int) * 2 * TIMES, sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &win);
	communicate(rank, size, win);
	for (i = 0; i < 2 * TIMES; i++)
		failed += memory[i] != (rank + size - 1) % size * 100 + i;
	if (failed)
		printf("%d values are wrong\n", failed);
	failed += differs("above", above_calls, atoi(argv[1]));
	failed += differs("below", below_calls, atoi(argv[2]));
	MPI_Win_free(&win);
	MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all ? 1 : 0;
}

#endif
