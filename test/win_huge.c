/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window that the machine has no memory for, on all ranks or on one, is
 * MPI_ERR_NO_MEM on every rank, by the communicator's error handler, and
 * leaves nothing behind: the next windows are made and work.
 */
/* ranks: 1 3; paths: default cma */
#include "test.h"

#define HUGE ((MPI_Aint)64 << 40)

int main(int argc, char **argv)
{
	/* All ranks, and each one alone; beyond what an address can be. */
	static const MPI_Aint sizes[] = { HUGE, (MPI_Aint)1 << 62 };
	MPI_Win win;
	void *base;
	size_t i;
	int r;

	test_start(argc, argv);
	test_errors_return();
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (r = -1; r < test_size; r++) {
			MPI_Aint size = r < 0 || r == test_rank ? sizes[i] : 8;

			/* A sum that no MPI_Aint holds may be MPI_ERR_SIZE. */
			int other = i ? MPI_ERR_SIZE : MPI_ERR_NO_MEM;

			expect_or(MPI_Win_allocate(size, 1, MPI_INFO_NULL,
						   MPI_COMM_WORLD, &base, &win),
				  MPI_ERR_NO_MEM, other, "MPI_Win_allocate");
			if (test_apart)
				continue;
			expect_or(MPI_Win_allocate_shared(
					  size, 1, MPI_INFO_NULL,
					  MPI_COMM_WORLD, &base, &win),
				  MPI_ERR_NO_MEM, other,
				  "MPI_Win_allocate_shared");
		}
		test_win_works();
	}
	expect(MPI_Alloc_mem(HUGE, MPI_INFO_NULL, &base), MPI_ERR_NO_MEM,
	       "MPI_Alloc_mem");
	test_win_works();
	return test_finish();
}
