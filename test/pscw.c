/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Post, start, complete and wait work with groups that change from round to
 * round, overlap, are empty or hold the caller itself, many rounds one after
 * the other without any other synchronisation, and with NOCHECK.
 */
/* ranks: 1 2 3 8; paths: default cma */
#include "test.h"

#define ROUNDS 50

static MPI_Group world;

static MPI_Group group_of(int n, const int *ranks)
{
	MPI_Group group;

	MPI_Group_incl(world, n, ranks, &group);
	return group;
}

static void add_one(struct test_win *w, int to, int word)
{
	int one = 1;

	MPI_Accumulate(&one, 1, MPI_INT, to,
		       test_at(w, to, word * (MPI_Aint)sizeof(int)), 1, MPI_INT,
		       MPI_SUM, w->win);
}

static void ring(struct test_win *w)
{
	int prev = test_prev(), next = test_next(), round;
	MPI_Group from = group_of(1, &prev), to = group_of(1, &next);
	volatile int *mine = (int *)w->base;

	for (round = 1; round <= ROUNDS; round++) {
		int value = round * 100 + test_rank;

		MPI_Win_post(from, round % 2 ? 0 : MPI_MODE_NOSTORE, w->win);
		MPI_Win_start(to, 0, w->win);
		MPI_Put(&value, 1, MPI_INT, next, test_at(w, next, 0), 1,
			MPI_INT, w->win);
		MPI_Win_complete(w->win);
		MPI_Win_wait(w->win);
		check(mine[0] == round * 100 + prev, "%d in round %d", mine[0],
		      round);
	}
	MPI_Group_free(&from);
	MPI_Group_free(&to);
}

/* Everybody with everybody, itself included. */
static void all_to_all(struct test_win *w)
{
	volatile int *mine = (int *)w->base;
	int round, t;

	for (round = 1; round <= 10; round++) {
		MPI_Win_post(world, 0, w->win);
		MPI_Win_start(world, 0, w->win);
		for (t = 0; t < test_size; t++)
			add_one(w, t, 1);
		MPI_Win_complete(w->win);
		MPI_Win_wait(w->win);
		check(mine[1] == round * test_size, "%d after round %d",
		      mine[1], round);
	}
}

/*
 * In round r every rank posts to the ranks at distances 0 to r, and starts
 * towards those at the same distances the other way: groups overlap and
 * grow; round 0 is the rank alone.
 */
static void changing(struct test_win *w)
{
	volatile int *mine = (int *)w->base;
	int r, d, sum = 0, before[64], after[64];

	for (r = 0; r < test_size && r < 64; r++) {
		MPI_Group from, to;

		before[r] = (test_rank + test_size - r) % test_size;
		after[r] = (test_rank + r) % test_size;
		from = group_of(r + 1, before);
		to = group_of(r + 1, after);
		/* A start may wait for the posts: ours come first. */
		MPI_Win_post(from, 0, w->win);
		MPI_Win_start(to, 0, w->win);
		for (d = 0; d <= r; d++)
			add_one(w, after[d], 2);
		MPI_Win_complete(w->win);
		MPI_Win_wait(w->win);
		sum += r + 1;
		check(mine[2] == sum, "%d, not %d in round %d", mine[2], sum,
		      r);
		MPI_Group_free(&from);
		MPI_Group_free(&to);
	}
}

/* Rank 0 exposes itself to all others, and each starts when it likes. */
static void star(struct test_win *w)
{
	volatile int *mine = (int *)w->base;
	int zero = 0, round;
	MPI_Group centre = group_of(1, &zero), others;

	MPI_Group_excl(world, 1, &zero, &others);
	for (round = 1; round <= 10; round++) {
		if (test_rank) {
			MPI_Win_start(centre, 0, w->win);
			add_one(w, 0, 3);
			MPI_Win_complete(w->win);
			continue;
		}
		MPI_Win_post(others, MPI_MODE_NOSTORE, w->win);
		MPI_Win_wait(w->win);
		check(mine[3] == round * (test_size - 1), "%d in round %d",
		      mine[3], round);
	}
	MPI_Group_free(&centre);
	MPI_Group_free(&others);
}

static void empty(struct test_win *w)
{
	MPI_Win_start(MPI_GROUP_EMPTY, 0, w->win);
	MPI_Win_complete(w->win);
	MPI_Win_post(MPI_GROUP_EMPTY, 0, w->win);
	MPI_Win_wait(w->win);
	MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOPUT, w->win);
	MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOCHECK, w->win);
	MPI_Win_complete(w->win);
	MPI_Win_wait(w->win);
}

/* NOCHECK: the posts have happened, the barrier says so. */
static void nocheck(struct test_win *w)
{
	volatile int *mine = (int *)w->base;
	int got = -1, next = test_next();

	mine[4] = test_rank + 70;
	MPI_Win_post(world, MPI_MODE_NOCHECK | MPI_MODE_NOPUT, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_start(world, MPI_MODE_NOCHECK, w->win);
	MPI_Get(&got, 1, MPI_INT, next,
		test_at(w, next, 4 * (MPI_Aint)sizeof(int)), 1, MPI_INT,
		w->win);
	MPI_Win_complete(w->win);
	MPI_Win_wait(w->win);
	check(got == next + 70, "got %d from %d", got, next);
}

/* The group may be freed, and its order is not the window's. */
static void reversed(struct test_win *w)
{
	volatile int *mine = (int *)w->base;
	int ranks[64], n = test_size < 64 ? test_size : 64, i;
	MPI_Group group;

	if (n < test_size)
		return;
	for (i = 0; i < n; i++)
		ranks[i] = n - 1 - i;
	group = group_of(n, ranks);
	MPI_Win_post(group, 0, w->win);
	MPI_Win_start(group, 0, w->win);
	MPI_Group_free(&group);
	for (i = 0; i < n; i++)
		add_one(w, i, 5);
	MPI_Win_complete(w->win);
	MPI_Win_wait(w->win);
	check(mine[5] == n, "%d of %d arrived", mine[5], n);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind) ||
		    (test_size > 4 && kind != KIND_ALLOCATE))
			continue;
		test_win_open(&w, kind, 16 * sizeof(int), sizeof(int));
		ring(&w);
		all_to_all(&w);
		changing(&w);
		star(&w);
		empty(&w);
		nocheck(&w);
		reversed(&w);
		test_win_close(&w);
	}
	MPI_Group_free(&world);
	return test_finish();
}
