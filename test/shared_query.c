/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Win_shared_query of windows of every flavor (MPI-4.1, section 12.2.3): where
 * it gives an address, loads and stores there are to the target's memory, and
 * its size is told; else the size is 0 and the address NULL.  One's own memory
 * is always there.  Of a dynamic window it is MPI_ERR_RMA_FLAVOR.
 */
/* ranks: 1 3; paths: default direct cma software */
#include "test.h"

/* Stores there, if it can. */
static bool query(const struct test_win *w, int rank)
{
	const char *kind = test_kind_name(w->kind);
	MPI_Aint size = -1;
	int unit = -1, *base = (int *)(void *)&size;

	ok(MPI_Win_shared_query(w->win, rank, &size, &unit, &base));
	check(unit == 4, "%s: unit %d", kind, unit);
	if (!base) {
		check(size == 0, "%s: size %ld at no address", kind,
		      (long)size);
		check(rank != test_rank, "%s: not even one's own", kind);
		check(w->kind != KIND_SHARED, "a shared window is not shared");
		return false;
	}
	check(size == w->size, "%s: size %ld", kind, (long)size);
	check(rank != test_rank || base == (void *)w->base,
	      "%s: another address of one's own", kind);
	check(base[0] == rank, "%s: rank %d's memory has %d", kind, rank,
	      base[0]);
	base[1 + test_rank] = 100 * rank + test_rank + 1;
	return true;
}

/* MPI_Get tells what the owner has. */
static void stores(const struct test_win *w, int rank, bool stored)
{
	int value = -1, expected = stored ? 100 * rank + test_rank + 1 : 0;

	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win);
	MPI_Get(&value, 1, MPI_INT, rank, 1 + test_rank, 1, MPI_INT, w->win);
	MPI_Win_unlock(rank, w->win);
	check(value == expected, "%s: rank %d has %d, not %d",
	      test_kind_name(w->kind), rank, value, expected);
}

static void dynamic(void)
{
	MPI_Aint size;
	MPI_Win win;
	void *base;
	int unit;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	expect(MPI_Win_shared_query(win, 0, &size, &unit, &base),
	       MPI_ERR_RMA_FLAVOR, "MPI_Win_shared_query");
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;
	bool stored[16];
	int rank;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_DYNAMIC; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, 64, 4);
		((int *)(void *)w.base)[0] = test_rank;
		MPI_Win_fence(0, w.win);
		for (rank = 0; rank < test_size; rank++)
			stored[rank] = query(&w, rank);
		MPI_Win_fence(0, w.win);
		for (rank = 0; rank < test_size; rank++)
			stores(&w, rank, stored[rank]);
		test_win_close(&w);
	}
	dynamic();
	return test_finish();
}
