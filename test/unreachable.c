/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where only mapped memory may be used, a window on memory that MPI has not
 * allocated is an error on every rank, even if one rank's memory alone
 * cannot be reached; the text says so; the next window is made and works.
 * Every other path reaches such memory too.
 */
/* ranks: 2 3; paths: direct default cma fabric software */
#include "test.h"

static void works(enum test_kind kind)
{
	int value = test_rank + 1, t = test_next();
	struct test_win w;

	test_win_open(&w, kind, 64, 1);
	MPI_Win_fence(0, w.win);
	MPI_Put(&value, 1, MPI_INT, t, test_at(&w, t, 60), 1, MPI_INT, w.win);
	MPI_Win_fence(0, w.win);
	check(*(int *)(void *)(w.base + 60) == test_prev() + 1, "got %d",
	      *(int *)(void *)(w.base + 60));
	test_win_close(&w);
}

/* On one rank alone, and on all of them. */
static void refused(void)
{
	char *heap = malloc(64);
	void *memory;
	MPI_Win win;
	int r;

	MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
	for (r = -1; r < test_size; r++) {
		void *base = r < 0 || r == test_rank ? heap : memory;

		expect(MPI_Win_create(base, 64, 1, MPI_INFO_NULL,
				      MPI_COMM_WORLD, &win),
		       MPI_ERR_UNSUPPORTED_OPERATION, "MPI_Win_create");
	}
	MPI_Free_mem(memory);
	free(heap);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	if (test_on_host)
		return test_skip("a host reaches all memory");
	test_errors_return();
	if (test_path_is("direct"))
		refused();
	else
		works(KIND_CREATE);
	works(KIND_CREATE_MEM);
	return test_finish();
}
