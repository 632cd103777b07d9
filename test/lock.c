/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done under a lock, shared or exclusive, with and without NOCHECK,
 * on one target or on several at once, the own rank included, is complete
 * at origin and target when unlock returns.
 */
/* ranks: 1 2 4; paths: default cma */
#include "test.h"

#define BYTES 300

/* Each origin has its own part of each target's memory. */
static MPI_Aint part(const struct test_win *w, int target, int origin)
{
	return test_at(w, target, (MPI_Aint)origin * BYTES);
}

static void check_parts(struct test_win *w, int round)
{
	int o;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w->win);
	for (o = 0; o < test_size; o++) {
		size_t bad = test_differs(w->base + o * BYTES, BYTES, o, round);

		check(bad == BYTES, "%s: byte %zu of rank %d's, round %d",
		      test_kind_name(w->kind), bad, o, round);
	}
	MPI_Win_unlock(test_rank, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void put(struct test_win *w, int t, int round)
{
	char buf[BYTES];

	test_fill(buf, BYTES, test_rank, round);
	MPI_Put(buf, BYTES, MPI_BYTE, t, part(w, t, test_rank), BYTES, MPI_BYTE,
		w->win);
	/* The buffer goes away with this frame. */
	MPI_Win_flush_local(t, w->win);
}

static void one_by_one(struct test_win *w, int type, int assertion, int round)
{
	char got[BYTES];
	int t;

	for (t = 0; t < test_size; t++) {
		MPI_Win_lock(type, t, assertion, w->win);
		put(w, t, round);
		MPI_Win_unlock(t, w->win);
		MPI_Win_lock(type, t, assertion, w->win);
		memset(got, 0, BYTES);
		MPI_Get(got, BYTES, MPI_BYTE, t, part(w, t, test_rank), BYTES,
			MPI_BYTE, w->win);
		MPI_Win_unlock(t, w->win);
		check(test_differs(got, BYTES, test_rank, round) == BYTES,
		      "%s: got other bytes from %d, round %d",
		      test_kind_name(w->kind), t, round);
	}
	check_parts(w, round);
}

/* All shared locks at once; unlocked in another order. */
static void several(struct test_win *w, int round)
{
	int t;

	for (t = test_size - 1; t >= 0; t--)
		MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
	for (t = 0; t < test_size; t++)
		put(w, t, round);
	for (t = 0; t < test_size; t++)
		MPI_Win_unlock((t + 1) % test_size, w->win);
	check_parts(w, round);
}

/* All exclusive locks at once, in an order that cannot deadlock. */
static void several_exclusive(struct test_win *w, int round)
{
	int t;

	for (t = 0; t < test_size; t++)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
	for (t = 0; t < test_size; t++)
		put(w, t, round);
	for (t = 0; t < test_size; t++)
		MPI_Win_unlock(t, w->win);
	check_parts(w, round);
}

/* Locks of which the caller knows that nobody competes. */
static void nocheck(struct test_win *w, int round)
{
	int turn;

	for (turn = 0; turn < test_size; turn++) {
		if (turn == test_rank) {
			int t = test_next();

			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, MPI_MODE_NOCHECK,
				     w->win);
			put(w, t, round);
			MPI_Win_unlock(t, w->win);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, MPI_MODE_NOCHECK, w->win);
	check(test_differs(w->base + test_prev() * BYTES, BYTES, test_prev(),
			   round) == BYTES,
	      "%s: put under NOCHECK", test_kind_name(w->kind));
	MPI_Win_unlock(test_rank, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
	for (turn = 0; turn < test_size; turn++)
		put(w, turn, round + 1);
	MPI_Win_unlock_all(w->win);
	check_parts(w, round + 1);
}

/* Loads and stores of the owner under a lock of its own. */
static void own(struct test_win *w)
{
	size_t bad;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, w->win);
	test_fill(w->base, BYTES, test_rank, 40);
	MPI_Win_unlock(test_rank, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_next(), 0, w->win);
	{
		char got[BYTES] = { 0 };

		MPI_Get(got, BYTES, MPI_BYTE, test_next(),
			test_at(w, test_next(), 0), BYTES, MPI_BYTE, w->win);
		MPI_Win_flush(test_next(), w->win);
		bad = test_differs(got, BYTES, test_next(), 40);
	}
	check(bad == BYTES, "%s: byte %zu of what the owner stored",
	      test_kind_name(w->kind), bad);
	MPI_Win_unlock(test_next(), w->win);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, test_size * BYTES, 1);
		one_by_one(&w, MPI_LOCK_SHARED, 0, 1);
		one_by_one(&w, MPI_LOCK_EXCLUSIVE, 0, 2);
		several(&w, 3);
		several_exclusive(&w, 4);
		nocheck(&w, 5);
		own(&w);
		test_win_close(&w);
	}
	return test_finish();
}
