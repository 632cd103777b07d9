/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic windows: many regions may be attached, of heap and of Alloc_mem
 * memory, touching each other and of size zero, while others access the
 * window, and be detached in any order; addresses may be used as soon as
 * the target has told them; memory may be attached again.
 */
/* ranks: 1 2 4; paths: default direct cma */
#include "test.h"

#define REGIONS 200
#define BYTES	136

static MPI_Win win;

struct region {
	char *base;
	bool heap;
};

static void attach(struct region *r, bool heap)
{
	r->heap = heap && !test_path_is("direct");
	r->base = test_memory(r->heap, BYTES);
	memset(r->base, 0, BYTES);
	ok(MPI_Win_attach(win, r->base, BYTES));
}

static void detach(struct region *r)
{
	ok(MPI_Win_detach(win, r->base));
	test_memory_free(r->heap, r->base);
}

/* The next rank's addresses: it has told them to us. */
static void addresses(struct region *r, MPI_Aint *theirs)
{
	MPI_Aint mine[REGIONS];
	int i;

	for (i = 0; i < REGIONS; i++)
		MPI_Get_address(r[i].base, &mine[i]);
	MPI_Sendrecv(mine, REGIONS, MPI_AINT, test_prev(), 0, theirs, REGIONS,
		     MPI_AINT, test_next(), 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void put_all(const MPI_Aint *at, int round)
{
	static char buf[REGIONS][BYTES];
	int i, t = test_next();

	for (i = 0; i < REGIONS; i++) {
		test_fill(buf[i], BYTES, test_rank, round + i);
		MPI_Put(buf[i], BYTES, MPI_BYTE, t, at[i], BYTES, MPI_BYTE,
			win);
	}
	MPI_Win_flush(t, win);
}

static void check_all(struct region *r, int round)
{
	int i;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	for (i = 0; i < REGIONS; i++) {
		size_t bad =
			test_differs(r[i].base, BYTES, test_prev(), round + i);

		check(bad == BYTES, "byte %zu of region %d, round %d", bad, i,
		      round);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* In the middle of regions, by all the calls. */
static void inside(const MPI_Aint *at)
{
	int t = test_next(), i, seven = 7, old = -1, got = -1, next = 9;

	for (i = 0; i < REGIONS; i += 17) {
		MPI_Aint here = at[i] + BYTES - 8;

		MPI_Put(&seven, 1, MPI_INT, t, here, 1, MPI_INT, win);
		MPI_Win_flush(t, win);
		MPI_Fetch_and_op(&seven, &old, MPI_INT, t, here, MPI_SUM, win);
		MPI_Win_flush(t, win);
		check(old == 7, "fetched %d from region %d", old, i);
		old = 14;
		MPI_Compare_and_swap(&next, &old, &got, MPI_INT, t, here, win);
		MPI_Win_flush(t, win);
		check(got == 14, "compared with %d in region %d", got, i);
		MPI_Get(&got, 1, MPI_INT, t, MPI_Aint_add(at[i], BYTES - 8), 1,
			MPI_INT, win);
		MPI_Win_flush(t, win);
		check(got == 9, "got %d from region %d", got, i);
	}
}

static void many(void)
{
	static struct region r[REGIONS];
	MPI_Aint at[REGIONS];
	int i;

	for (i = 0; i < REGIONS; i++)
		attach(&r[i], i % 2);
	addresses(r, at);
	MPI_Win_lock_all(0, win);
	put_all(at, 1);
	check_all(r, 1);
	inside(at);
	MPI_Barrier(MPI_COMM_WORLD);
	/* Every third one goes and comes back, within the epoch. */
	for (i = 0; i < REGIONS; i += 3)
		detach(&r[i]);
	for (i = 0; i < REGIONS; i += 3)
		attach(&r[i], i % 4 < 2);
	addresses(r, at);
	put_all(at, 50);
	check_all(r, 50);
	MPI_Win_unlock_all(win);
	for (i = 0; i < REGIONS; i++)
		detach(&r[i * 7 % REGIONS]);
}

/* One transfer may not span them, but each may be reached to its end. */
static void touching(void)
{
	char *base = test_memory(!test_path_is("direct"), 3 * BYTES);
	char buf[BYTES];
	MPI_Aint mine, theirs;
	int i, t = test_next();

	memset(base, 0, 3 * BYTES);
	ok(MPI_Win_attach(win, base + 2 * BYTES, BYTES));
	ok(MPI_Win_attach(win, base, BYTES));
	ok(MPI_Win_attach(win, base + BYTES, BYTES));
	MPI_Get_address(base, &mine);
	MPI_Sendrecv(&mine, 1, MPI_AINT, test_prev(), 0, &theirs, 1, MPI_AINT,
		     test_next(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	test_fill(buf, BYTES, test_rank, 3);
	MPI_Win_fence(0, win);
	for (i = 0; i < 3; i++)
		MPI_Put(buf, BYTES, MPI_BYTE, t, theirs + i * BYTES, BYTES,
			MPI_BYTE, win);
	MPI_Win_fence(0, win);
	for (i = 0; i < 3; i++)
		check(test_differs(base + i * BYTES, BYTES, test_prev(), 3) ==
			      BYTES,
		      "touching region %d", i);
	ok(MPI_Win_detach(win, base + BYTES));
	ok(MPI_Win_detach(win, base));
	ok(MPI_Win_detach(win, base + 2 * BYTES));
	test_memory_free(!test_path_is("direct"), base);
}

/* Of no size: nothing can be reached, but it is attached and detached. */
static void nothing(void)
{
	char *base = test_memory(!test_path_is("direct"), 16);

	ok(MPI_Win_attach(win, base, 0));
	ok(MPI_Win_detach(win, base));
	test_memory_free(!test_path_is("direct"), base);
}

/* Regions that are attached still when the window goes. */
static void left_behind(void)
{
	char *base = test_memory(!test_path_is("direct"), 64);
	MPI_Win other;

	ok(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other));
	ok(MPI_Win_attach(other, base, 64));
	ok(MPI_Win_free(&other));
	test_memory_free(!test_path_is("direct"), base);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	ok(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	many();
	touching();
	nothing();
	many();
	ok(MPI_Win_free(&win));
	left_behind();
	return test_finish();
}
