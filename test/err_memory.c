/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alloc_mem and Free_mem raise what is wrong with their arguments: a negative
 * size, a size that nobody has, memory that they did not allocate, memory
 * that was freed before.
 */
/* ranks: 1 2; paths: default */
#include "test.h"

int main(int argc, char **argv)
{
	void *base = NULL, *heap = malloc(64), *again;
	char local = 0;

	test_start(argc, argv);
	test_errors_return();
	if (test_on_host)
		return test_skip("a host may give any pointer to free()");
	expect_or(MPI_Alloc_mem(-1, MPI_INFO_NULL, &base), MPI_ERR_SIZE,
		  MPI_ERR_ARG, "MPI_Alloc_mem -1");
	expect(MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &base),
	       MPI_ERR_NO_MEM, "MPI_Alloc_mem");
	expect(MPI_Free_mem(&local), MPI_ERR_BASE, "MPI_Free_mem");
	expect(MPI_Free_mem(heap), MPI_ERR_BASE, "MPI_Free_mem");
	ok(MPI_Alloc_mem(64, MPI_INFO_NULL, &base));
	expect(MPI_Free_mem((char *)base + 16), MPI_ERR_BASE, "MPI_Free_mem");
	again = base;
	ok(MPI_Free_mem(base));
	expect(MPI_Free_mem(again), MPI_ERR_BASE, "MPI_Free_mem");
	free(heap);
	return test_finish();
}
