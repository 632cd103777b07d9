/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation with arguments that are wrong on all ranks, or on one of them, is
 * an error of the right class on every rank, by the communicator's error
 * handler, whose text names the call and what is wrong; no window exists then,
 * no rank waits for another, and the next creation works.
 */
/* ranks: 1 3; paths: default cma */
#include "test.h"

static int bad_rank; /* -1: all */

static bool is_bad(void)
{
	return bad_rank < 0 || bad_rank == test_rank;
}

static void sizes(void)
{
	static char memory[64];
	MPI_Aint size = is_bad() ? -8 : 8;
	MPI_Win win;
	void *base;

	expect(MPI_Win_create(memory, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			      &win),
	       MPI_ERR_SIZE, "MPI_Win_create");
	expect(MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				&win),
	       MPI_ERR_SIZE, "MPI_Win_allocate");
	if (test_apart)
		return;
	expect(MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
				       &base, &win),
	       MPI_ERR_SIZE, "MPI_Win_allocate_shared");
}

static void units(int unit)
{
	static char memory[64];
	MPI_Win win;
	void *base;

	if (!is_bad())
		unit = 4;
	expect(MPI_Win_create(memory, 8, unit, MPI_INFO_NULL, MPI_COMM_WORLD,
			      &win),
	       MPI_ERR_DISP, "MPI_Win_create");
	expect(MPI_Win_allocate(8, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				&win),
	       MPI_ERR_DISP, "MPI_Win_allocate");
	if (test_apart)
		return;
	expect(MPI_Win_allocate_shared(8, unit, MPI_INFO_NULL, MPI_COMM_WORLD,
				       &base, &win),
	       MPI_ERR_DISP, "MPI_Win_allocate_shared");
}

static void bases(void)
{
	static char memory[64];
	MPI_Win win;

	expect_or(MPI_Win_create(is_bad() ? NULL : memory, 64, 1, MPI_INFO_NULL,
				 MPI_COMM_WORLD, &win),
		  MPI_ERR_BASE, MPI_ERR_ARG, "MPI_Win_create");
}

static void communicators(void)
{
	MPI_Win win;
	void *base;

	expect(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win),
	       MPI_ERR_COMM, "");
	expect(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base,
				&win),
	       MPI_ERR_COMM, "");
	expect(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_NULL,
				       &base, &win),
	       MPI_ERR_COMM, "");
	expect(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &win),
	       MPI_ERR_COMM, "");
}

/* What only one rank finds the others tell too, to the end. */
static void texts(void)
{
	MPI_Aint size = is_bad() ? (MPI_Aint)1 << 56 : 8;
	MPI_Win win;
	void *base;

	expect(MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				&win),
	       MPI_ERR_NO_MEM,
	       "MPI_Win_allocate 72057594037927936 ORIEL_ARENA sets");
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	test_errors_return();
	if (test_on_host)
		return test_skip("a host's ranks wait for each other");
	for (bad_rank = -1; bad_rank < test_size; bad_rank++) {
		sizes();
		units(0);
		units(-4);
		bases();
		texts();
	}
	communicators();
	test_win_works();
	return test_finish();
}
