/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiling tool that counts MPI_Put, and a program that puts.  Above Oriel
 * the tool sees each call, below it none; either way the data arrive.
 *
 *	client_tool COUNT	the tool must have counted so many
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int tool_puts(void) __attribute__((visibility("default")));

#ifdef TOOL

static int puts_seen;

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target,
	    MPI_Aint disp, int target_count, MPI_Datatype target_type,
	    MPI_Win win)
{
	puts_seen++;
	return PMPI_Put(origin, count, type, target, disp, target_count,
			target_type, win);
}

int tool_puts(void)
{
	return puts_seen;
}

#else

#pragma weak tool_puts

#define TIMES 10

int main(int argc, char **argv)
{
	int rank, size, i, *memory, failed = 0, all;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(sizeof(int) * TIMES, sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &win);
	MPI_Win_fence(0, win);
	for (i = 0; i < TIMES; i++) {
		int value = rank * 100 + i;

		MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, i, 1, MPI_INT,
			win);
		MPI_Win_fence(0, win);
	}
	for (i = 0; i < TIMES; i++)
		failed += memory[i] != (rank + size - 1) % size * 100 + i;
	if (failed)
		printf("%d values are wrong\n", failed);
	if (!tool_puts || tool_puts() != atoi(argv[1])) {
		printf("the tool has counted %d of %s\n",
		       tool_puts ? tool_puts() : -1, argv[1]);
		failed++;
	}
	MPI_Win_free(&win);
	MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all ? 1 : 0;
}

#endif
