/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 3000 windows live at once, each with memory of its own that works, and
 * are freed in another order than they were made.
 */
/* ranks: 1 2; paths: default cma */
#include "test.h"

#define MANY 3000

static MPI_Win wins[MANY];
static int *bases[MANY];

int main(int argc, char **argv)
{
	int i;

	test_start(argc, argv);
	for (i = 0; i < MANY; i++) {
		MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
				 MPI_COMM_WORLD, &bases[i], &wins[i]);
		*bases[i] = 0;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < MANY; i++) {
		int value = i + 1;

		MPI_Win_lock(MPI_LOCK_SHARED, test_next(), 0, wins[i]);
		MPI_Put(&value, 1, MPI_INT, test_next(), 0, 1, MPI_INT,
			wins[i]);
		MPI_Win_unlock(test_next(), wins[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < MANY; i++)
		check(*bases[i] == i + 1, "%d in window %d", *bases[i], i);
	for (i = 0; i < MANY; i++)
		MPI_Win_free(&wins[(i * 7 + 11) % MANY]);
	return test_finish();
}
