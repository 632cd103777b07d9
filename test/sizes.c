/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of any size, a multiple of nothing included, with sizes and
 * displacement units that differ from rank to rank: every byte of each
 * rank's memory, the last ones too, is reached by Put and Get, and no other
 * rank's memory is touched.
 */
/* ranks: 1 2 4; paths: default cma */
#include "test.h"

#define SPAN 512 /* more than any rank's size and displacement unit */

static MPI_Aint size_of(int rank, int size)
{
	return size + 5 * rank;
}

/* Sizes are no multiple of the unit: the last bytes need a count. */
static int unit_of(int rank, int size)
{
	return 1 + (size + rank) % 5;
}

static void put_whole(struct test_win *w, int size)
{
	int target = test_next(), unit = unit_of(target, size);
	MPI_Aint len = size_of(target, size), tail = (len - 1) / unit;
	char buf[SPAN], last[SPAN];
	size_t bad;

	test_fill(buf, len, test_rank, size);
	memset(last, 0, sizeof(last));
	MPI_Win_fence(0, w->win);
	MPI_Put(buf, (int)len, MPI_BYTE, target, 0, (int)len, MPI_BYTE, w->win);
	MPI_Win_fence(0, w->win);
	bad = test_differs(w->base, w->size, test_prev(), size);
	check(bad == (size_t)w->size, "%s, %ld bytes, unit %d: put byte %zu",
	      test_kind_name(w->kind), (long)w->size, w->unit, bad);
	MPI_Win_fence(0, w->win);
	MPI_Get(last, (int)(len - tail * unit), MPI_BYTE, target, tail,
		(int)(len - tail * unit), MPI_BYTE, w->win);
	MPI_Win_fence(0, w->win);
	check(!memcmp(last, buf + tail * unit, len - tail * unit),
	      "%s, %ld bytes, unit %d: got other bytes from displacement %ld",
	      test_kind_name(w->kind), (long)len, unit, (long)tail);
}

/* Each rank alone writes: the others' memory stays as it is. */
static void put_alone(struct test_win *w, int size, int writer)
{
	int target = (writer + 1) % test_size;
	MPI_Aint len = size_of(target, size);
	char buf[SPAN];
	size_t bad;

	memset(w->base, 0x11, w->size);
	memset(buf, 0x77, sizeof(buf));
	MPI_Win_fence(0, w->win);
	if (test_rank == writer)
		MPI_Put(buf, (int)len, MPI_BYTE, target, 0, (int)len, MPI_BYTE,
			w->win);
	MPI_Win_fence(0, w->win);
	bad = test_differs_from(w->base, w->size,
				test_rank == target ? 0x77 : 0x11);
	check(bad == (size_t)w->size, "%s of %ld bytes: byte %zu is %d",
	      test_kind_name(w->kind), (long)w->size, bad, w->base[bad]);
	MPI_Win_fence(0, w->win);
}

int main(int argc, char **argv)
{
	static const enum test_kind kinds[] = { KIND_CREATE, KIND_CREATE_MEM,
						KIND_ALLOCATE, KIND_SHARED };
	struct test_win w;
	size_t k;
	int size;

	test_start(argc, argv);
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		if (!test_kind_is_usable(kinds[k]))
			continue;
		/* Steps that share no factor with alignments. */
		for (size = 1; size <= 72; size += test_size > 2 ? 7 : 3) {
			test_win_open(&w, kinds[k], size_of(test_rank, size),
				      unit_of(test_rank, size));
			put_whole(&w, size);
			put_alone(&w, size, size % test_size);
			test_win_close(&w);
		}
	}
	return test_finish();
}
