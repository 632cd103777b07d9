/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Win_allocate_shared gives memory that all ranks load from and store to:
 * Win_shared_query tells sizes, units and addresses of every rank's part,
 * parts are contiguous unless alloc_shared_noncontig says otherwise, sizes
 * may differ and be zero, and RMA calls see the same memory.
 */
/* ranks: 1 2 3 8; paths: default cma; hosts: none */
#include <stdint.h>

#include "test.h"

struct part {
	char *base;
	MPI_Aint size;
	int unit;
};

static struct part query(MPI_Win win, int rank)
{
	struct part part = { .size = -1, .unit = -1 };

	ok(MPI_Win_shared_query(win, rank, &part.size, &part.unit, &part.base));
	return part;
}

/* No multiple of anything, and nothing at all on every third rank. */
static MPI_Aint size_of(int rank, int scale)
{
	return rank % 3 == 2 ? 0 : (13 + 40 * rank) * scale;
}

static void check_query(MPI_Win win, const char *base, int scale, bool contig)
{
	const char *end = NULL;
	int r;

	for (r = 0; r < test_size; r++) {
		struct part part = query(win, r);

		check(part.size == size_of(r, scale), "size %ld of rank %d",
		      (long)part.size, r);
		check(part.unit == r + 1, "unit %d of rank %d", part.unit, r);
		if (r == test_rank)
			check(part.base == base, "%p, not %p", part.base, base);
		if (contig && end && part.size)
			check(part.base == end, "gap of %ld before rank %d",
			      (long)(part.base - end), r);
		if (part.size || !end)
			end = part.base + part.size;
	}
}

/* PROC_NULL: the lowest rank that has memory; rank 0 always has. */
static void check_lowest(MPI_Win win, int scale)
{
	struct part first = query(win, 0), lowest = query(win, MPI_PROC_NULL);

	check(lowest.base == first.base && lowest.unit == 1 &&
		      lowest.size == size_of(0, scale),
	      "%p %ld %d", lowest.base, (long)lowest.size, lowest.unit);
}

static void store_and_load(MPI_Win win, int scale)
{
	struct part next = query(win, test_next()),
		    mine = query(win, test_rank);
	size_t bad;
	int r;

	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	test_fill(next.base, next.size, test_rank, 1);
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	bad = test_differs(mine.base, mine.size, test_prev(), 1);
	check(bad == (size_t)mine.size, "own byte %zu of %ld", bad,
	      (long)mine.size);
	for (r = 0; r < test_size; r++) {
		struct part part = query(win, r);

		bad = test_differs(part.base, part.size,
				   (r + test_size - 1) % test_size, 1);
		check(bad == (size_t)part.size, "byte %zu of %ld of rank %d",
		      bad, (long)part.size, r);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
}

/* A put is seen by loads, a store is seen by a get. */
static void rma(MPI_Win win, int scale)
{
	struct part next = query(win, test_next());
	char buf[64];
	int len = next.size < 64 ? (int)next.size : 64;

	memset(buf, 'a' + test_rank, sizeof(buf));
	MPI_Win_fence(0, win);
	MPI_Put(buf, len, MPI_BYTE, test_next(), 0, len, MPI_BYTE, win);
	MPI_Win_fence(0, win);
	check(test_differs_from(next.base, len, 'a' + test_rank) == (size_t)len,
	      "put of %d bytes is not seen by loads", len);
	memset(next.base, 'A' + test_rank, len);
	MPI_Win_fence(0, win);
	memset(buf, 0, sizeof(buf));
	MPI_Get(buf, len, MPI_BYTE, test_next(), 0, len, MPI_BYTE, win);
	MPI_Win_fence(0, win);
	check(test_differs_from(buf, len, 'A' + test_rank) == (size_t)len,
	      "stores of %d bytes are not seen by get", len);
}

static void window(int scale, bool contig)
{
	MPI_Info info;
	MPI_Win win;
	char *base;

	MPI_Info_create(&info);
	MPI_Info_set(info, "alloc_shared_noncontig", contig ? "false" : "true");
	MPI_Win_allocate_shared(size_of(test_rank, scale), test_rank + 1, info,
				MPI_COMM_WORLD, &base, &win);
	MPI_Info_free(&info);
	check_query(win, base, scale, contig);
	check_lowest(win, scale);
	store_and_load(win, scale);
	rma(win, scale);
	MPI_Win_free(&win);
}

static void nothing(void)
{
	char *base = (char *)&base;
	struct part part;
	MPI_Win win;

	MPI_Win_allocate_shared(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				&win);
	part = query(win, MPI_PROC_NULL);
	check(part.size == 0, "size %ld of no memory", (long)part.size);
	part = query(win, test_next());
	check(part.size == 0, "size %ld of rank %d", (long)part.size,
	      test_next());
	MPI_Win_fence(0, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

/* The first ranks have nothing: PROC_NULL is the last one's memory. */
static void last_only(void)
{
	bool last = test_rank == test_size - 1;
	struct part part, again;
	MPI_Win win;
	char *base;

	MPI_Win_allocate_shared(last ? 100 : 0, 4 + test_rank, MPI_INFO_NULL,
				MPI_COMM_WORLD, &base, &win);
	part = query(win, MPI_PROC_NULL);
	again = query(win, test_size - 1);
	check(part.size == 100 && part.unit == 3 + test_size &&
		      part.base == again.base,
	      "size %ld, unit %d", (long)part.size, part.unit);
	if (last)
		memset(base, 9, 100);
	MPI_Win_fence(0, win);
	check(test_differs_from(part.base, 100, 9) == 100, "other bytes");
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	window(1, true);
	window(1, false);
	window(3001, true);
	window(3001, false);
	nothing();
	last_only();
	return test_finish();
}
