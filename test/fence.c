/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fence with every combination of assertions that is legal where it stands
 * ends the epoch before it at origin and target, and begins the next.
 */
/* ranks: 1 2 3 8; paths: default cma */
#include "test.h"

#define WORDS 16

static const int before_masks[] = { 0, MPI_MODE_NOSTORE, MPI_MODE_NOPUT,
				    MPI_MODE_NOPRECEDE };
static const int after_masks[] = { 0, MPI_MODE_NOSTORE, MPI_MODE_NOPUT,
				   MPI_MODE_NOSUCCEED };

/* Combination number n of the last three masks of a list. */
static int combine(const int *masks, int n)
{
	return (n & 1 ? masks[1] : 0) | (n & 2 ? masks[2] : 0) |
	       (n & 4 ? masks[3] : 0);
}

/* What a rank's memory holds after a round of puts to it. */
static int word(int origin, int i, int round)
{
	return origin * 1000000 + round * 100 + i;
}

/* No store and, where it was promised, no put to anybody's memory. */
static void read_only(struct test_win *w, int begin, int end, int last)
{
	int got[WORDS] = { 0 }, i, from = test_next();

	MPI_Win_fence(begin, w->win);
	MPI_Get(got, WORDS, MPI_INT, from, test_at(w, from, 0), WORDS, MPI_INT,
		w->win);
	MPI_Win_fence(end, w->win);
	for (i = 0; i < WORDS; i++)
		check(got[i] == word(test_rank, i, last),
		      "got %d from %d, asserts %x and %x", got[i], from, begin,
		      end);
}

static void write_all(struct test_win *w, int begin, int end, int round)
{
	int put[WORDS], i, to = test_next();
	const int *mine = (const int *)w->base;

	for (i = 0; i < WORDS; i++)
		put[i] = word(test_rank, i, round);
	MPI_Win_fence(begin, w->win);
	MPI_Put(put, WORDS, MPI_INT, to, test_at(w, to, 0), WORDS, MPI_INT,
		w->win);
	MPI_Win_fence(end, w->win);
	for (i = 0; i < WORDS; i++)
		check(mine[i] == word(test_prev(), i, round),
		      "%d in word %d, asserts %x and %x", mine[i], i, begin,
		      end);
	/* Nobody may put while a neighbour still reads what it has. */
	MPI_Win_fence(end & MPI_MODE_NOSUCCEED ? MPI_MODE_NOPRECEDE : 0,
		      w->win);
}

static void all_asserts(struct test_win *w)
{
	int b, a, round = 1;

	write_all(w, MPI_MODE_NOPRECEDE, 0, 0);
	for (b = 0; b < 8; b++) {
		int begin = combine(before_masks, b);

		for (a = 0; a < 8; a++) {
			int end = combine(after_masks, a);
			/* NOPUT and NOSTORE may differ between ranks. */
			int some = test_rank % 2 ? MPI_MODE_NOSTORE : 0;

			if (begin & MPI_MODE_NOPUT) {
				read_only(w, begin | some, end, round - 1);
				continue;
			}
			write_all(w, begin | some, end, round);
			round++;
		}
	}
	read_only(w, MPI_MODE_NOSTORE | MPI_MODE_NOPUT, MPI_MODE_NOSUCCEED,
		  round - 1);
}

/* A fence after which nothing follows leaves passive epochs free. */
static void then_passive(struct test_win *w)
{
	int value = 7 + test_rank, to = test_next();
	const int *mine = (const int *)w->base;

	MPI_Win_fence(0, w->win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win);
	MPI_Put(&value, 1, MPI_INT, to, test_at(w, to, 0), 1, MPI_INT, w->win);
	MPI_Win_unlock(to, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	check(mine[0] == 7 + test_prev(), "%d by a lock after a fence",
	      mine[0]);
	MPI_Win_fence(0, w->win);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind) ||
		    (test_size > 4 && kind != KIND_ALLOCATE))
			continue;
		test_win_open(&w, kind, WORDS * sizeof(int), sizeof(int));
		all_asserts(&w);
		then_passive(&w);
		test_win_close(&w);
	}
	return test_finish();
}
