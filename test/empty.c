/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of size 0 on some or on all ranks work: they are created, take
 * part in every synchronisation, have a size of 0, accept transfers of no
 * bytes, and their neighbours' memory is reached as ever.
 */
/* ranks: 1 2 4; paths: default cma */
#include "test.h"

static void check_size(const struct test_win *w)
{
	MPI_Aint *size = NULL;
	int flag = 0;

	MPI_Win_get_attr(w->win, MPI_WIN_SIZE, &size, &flag);
	check(flag && *size == w->size, "%s: size %ld, not %ld",
	      test_kind_name(w->kind), flag ? (long)*size : -1L, (long)w->size);
}

static void use(struct test_win *w, int nonzero)
{
	int value = 41 + test_rank, got = -1, t;

	MPI_Win_fence(0, w->win);
	for (t = 0; t < test_size; t++) {
		MPI_Put(&value, 0, MPI_INT, t, 0, 0, MPI_INT, w->win);
		MPI_Get(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, w->win);
		MPI_Accumulate(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, MPI_SUM,
			       w->win);
	}
	MPI_Win_fence(0, w->win);
	MPI_Win_lock_all(0, w->win);
	if (nonzero) {
		int target = test_size - 1;

		MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT,
			       MPI_MAX, w->win);
		MPI_Win_flush(target, w->win);
		MPI_Fetch_and_op(NULL, &got, MPI_INT, target, 0, MPI_NO_OP,
				 w->win);
		MPI_Win_flush(target, w->win);
		check(got >= value, "%s: got %d after a maximum with %d",
		      test_kind_name(w->kind), got, value);
	}
	MPI_Win_unlock_all(w->win);
}

int main(int argc, char **argv)
{
	static const enum test_kind kinds[] = { KIND_CREATE, KIND_CREATE_MEM,
						KIND_ALLOCATE, KIND_SHARED };
	struct test_win w;
	size_t k;
	int nonzero;

	test_start(argc, argv);
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		if (!test_kind_is_usable(kinds[k]))
			continue;
		/* Only the last rank has memory, or nobody. */
		for (nonzero = 0; nonzero < 2; nonzero++) {
			bool mine = nonzero && test_rank == test_size - 1;

			test_win_open(&w, kinds[k], mine ? 4 : 0,
				      nonzero ? 4 : 1);
			check_size(&w);
			use(&w, nonzero);
			test_win_close(&w);
		}
	}
	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
	MPI_Win_free(&w.win);
	check(w.win == MPI_WIN_NULL, "handle after Win_free");
	return test_finish();
}
