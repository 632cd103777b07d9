/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates of 16 KiB to 2 MiB, more of them than any target has room for
 * and with no flush between them, are applied once each, those of all ranks to
 * the same elements too, and those of one rank in its order.  No operand is
 * like the next, so a piece in another's place shows.
 */
/* ranks: 1 2 4; paths: default cma */
#include "test.h"

#define MOST   ((1 << 18) + 3) /* elements of one call */
#define ROUNDS 12
#define CALLS  24 /* in a round */

/* Two areas of MOST elements, and a row of them for each rank. */
enum { ALL = 0, OWN = 1 };

static const int sizes[] = { 2048, 4096,  5000,	  8192,		 16387,
			     8191, 65536, 131072, (1 << 16) + 1, MOST };
#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

static long *ones, *marks[CALLS];

static MPI_Aint at(const struct test_win *w, int t, int area, int i)
{
	return test_at(w, t, ((MPI_Aint)area * MOST + i) * sizeof(long));
}

static int size_of(int round, int call)
{
	return sizes[(round * 7 + call * 3 + call / SIZES) % SIZES];
}

static void update(struct test_win *w, int t, int round, long *expected)
{
	for (int c = 0; c < CALLS; c++) {
		int n = size_of(round, c), first = (MOST - n) / (c + 1);

		ok(MPI_Accumulate(ones, n, MPI_LONG, t, at(w, t, ALL, first), n,
				  MPI_LONG, MPI_SUM, w->win));
		ok(MPI_Accumulate(marks[c], n, MPI_LONG, t,
				  at(w, t, OWN + test_rank, first), n, MPI_LONG,
				  c % 2 ? MPI_REPLACE : MPI_SUM, w->win));
		for (int i = 0; i < n; i++)
			expected[first + i] =
				(c % 2 ? 0 : expected[first + i]) + marks[c][i];
	}
}

/* In how many calls of a rank's, an element is. */
static long count(int i)
{
	long n = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int c = 0; c < CALLS; c++) {
			int len = size_of(round, c);
			int first = (MOST - len) / (c + 1);

			n += i >= first && i < first + len;
		}
	return n;
}

static void compare(struct test_win *w, int t, const long *expected)
{
	static long got[MOST];

	ok(MPI_Get(got, MOST, MPI_LONG, t, at(w, t, OWN + test_rank, 0), MOST,
		   MPI_LONG, w->win));
	ok(MPI_Win_flush(t, w->win));
	for (int i = 0; i < MOST; i++)
		if (!check(got[i] == expected[i],
			   "%s: own element %d is %ld, not %ld",
			   test_kind_name(w->kind), i, got[i], expected[i]))
			return;
}

static void compare_sums(struct test_win *w)
{
	const long *sums = (const long *)w->base;

	for (int i = 0; i < MOST; i += i < 20000 ? 1 : 97)
		if (!check(sums[i] == test_size * count(i),
			   "%s: element %d is %ld, not %ld",
			   test_kind_name(w->kind), i, sums[i],
			   test_size * count(i)))
			return;
}

static void run(struct test_win *w)
{
	long *expected = calloc((size_t)test_size * MOST, sizeof(*expected));

	for (int round = 0; round < ROUNDS; round++) {
		ok(MPI_Win_lock_all(0, w->win));
		for (int d = 0; d < test_size; d++) {
			int t = (test_rank + d) % test_size;

			update(w, t, round, expected + (size_t)t * MOST);
		}
		ok(MPI_Win_unlock_all(w->win));
	}
	ok(MPI_Win_lock_all(0, w->win));
	for (int t = 0; t < test_size; t++)
		compare(w, t, expected + (size_t)t * MOST);
	ok(MPI_Win_unlock_all(w->win));
	MPI_Barrier(MPI_COMM_WORLD);
	ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, w->win));
	compare_sums(w);
	ok(MPI_Win_unlock(test_rank, w->win));
	free(expected);
}

int main(int argc, char **argv)
{
	const enum test_kind kinds[] = { KIND_ALLOCATE, KIND_CREATE };
	struct test_win w;

	test_start(argc, argv);
	ones = malloc(MOST * sizeof(*ones));
	for (int i = 0; i < MOST; i++)
		ones[i] = 1;
	for (int c = 0; c < CALLS; c++) {
		marks[c] = malloc(MOST * sizeof(long));
		for (int i = 0; i < MOST; i++)
			marks[c][i] = 1000L * i + c;
	}
	for (int k = 0; k < 2; k++) {
		if (!test_kind_is_usable(kinds[k]))
			continue;
		test_win_open(&w, kinds[k],
			      (MPI_Aint)(OWN + test_size) * MOST * sizeof(long),
			      sizeof(long));
		run(&w);
		test_win_close(&w);
	}
	return test_finish();
}
