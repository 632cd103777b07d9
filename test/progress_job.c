/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress_job.c - what progress_modes.sh runs: all kinds of synchronisation
 * and operations, between ranks that all call MPI, and their results.
 */
#include "test.h"

#define ROUNDS 30
#define LARGE  (1 << 18) /* more than goes in messages */

enum { SUM, FETCHED, SWAPPED, PLAIN, ROUND, WORDS };

static struct test_win w;
static char sent[LARGE], got[LARGE];

static MPI_Aint at(int t, int number)
{
	return test_at(&w, t, number * (MPI_Aint)sizeof(int));
}

/* The rest of the window, behind the words. */
static MPI_Aint bulk(int t)
{
	return test_at(&w, t, WORDS * (MPI_Aint)sizeof(int));
}

static void fences(int round)
{
	int t = test_next();
	size_t bad;

	test_fill(sent, LARGE, test_rank, round);
	MPI_Win_fence(0, w.win);
	MPI_Put(sent, LARGE, MPI_BYTE, t, bulk(t), LARGE, MPI_BYTE, w.win);
	MPI_Put(&round, 1, MPI_INT, t, at(t, ROUND), 1, MPI_INT, w.win);
	MPI_Win_fence(0, w.win);
	bad = test_differs(w.base + WORDS * sizeof(int), LARGE, test_prev(),
			   round);
	check(bad == LARGE, "round %d: byte %zu", round, bad);
	check(((int *)(void *)w.base)[ROUND] == round, "round %d", round);
	MPI_Win_fence(0, w.win);
	MPI_Get(got, LARGE, MPI_BYTE, t, bulk(t), LARGE, MPI_BYTE, w.win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
	bad = test_differs(got, LARGE, test_rank, round);
	check(bad == LARGE, "round %d: byte %zu of the get", round, bad);
}

static void locks(void)
{
	int one = 1, t = test_next(), value = -1;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win);
	MPI_Get(&value, 1, MPI_INT, 0, at(0, PLAIN), 1, MPI_INT, w.win);
	MPI_Win_flush(0, w.win);
	value++;
	MPI_Put(&value, 1, MPI_INT, 0, at(0, PLAIN), 1, MPI_INT, w.win);
	MPI_Win_unlock(0, w.win);
	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w.win);
	MPI_Accumulate(&one, 1, MPI_INT, t, at(t, SUM), 1, MPI_INT, MPI_SUM,
		       w.win);
	MPI_Win_unlock(t, w.win);
}

static void atomics(void)
{
	int one = 1, seen = 0, next, old = -1;

	MPI_Win_lock_all(0, w.win);
	MPI_Fetch_and_op(&one, &old, MPI_INT, 0, at(0, FETCHED), MPI_SUM,
			 w.win);
	MPI_Win_flush(0, w.win);
	check(old >= 0 && old < ROUNDS * test_size, "fetched %d", old);
	for (;; seen = old) {
		next = seen + 1;
		MPI_Compare_and_swap(&next, &seen, &old, MPI_INT, 0,
				     at(0, SWAPPED), w.win);
		MPI_Win_flush(0, w.win);
		if (old == seen)
			break;
	}
	MPI_Win_unlock_all(w.win);
}

static void post_start(int round)
{
	int peers[2] = { test_next(), test_prev() }, t = peers[0];
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, peers[0] == peers[1] ? 1 : 2, peers, &group);
	MPI_Win_post(group, 0, w.win);
	MPI_Win_start(group, 0, w.win);
	MPI_Put(&round, 1, MPI_INT, t, at(t, ROUND), 1, MPI_INT, w.win);
	MPI_Win_complete(w.win);
	MPI_Win_wait(w.win);
	check(((int *)(void *)w.base)[ROUND] == round, "round %d: got %d",
	      round, ((int *)(void *)w.base)[ROUND]);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
}

static void check_words(void)
{
	const int *words = (const int *)(void *)w.base;
	int all = ROUNDS * test_size;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w.win);
	check(words[SUM] == ROUNDS, "%d sums", words[SUM]);
	check(test_rank || (words[FETCHED] == all && words[SWAPPED] == all &&
			    words[PLAIN] == all),
	      "%d %d %d instead of %d", words[FETCHED], words[SWAPPED],
	      words[PLAIN], all);
	MPI_Win_unlock(test_rank, w.win);
}

int main(int argc, char **argv)
{
	const enum test_kind kinds[] = { KIND_ALLOCATE, KIND_CREATE,
					 KIND_DYNAMIC };
	size_t k;
	int i;

	test_start(argc, argv);
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		test_win_open(&w, kinds[k], LARGE + WORDS * sizeof(int), 1);
		for (i = 1; i <= ROUNDS; i++) {
			fences(2 * i);
			MPI_Barrier(MPI_COMM_WORLD);
			locks();
			atomics();
			MPI_Barrier(MPI_COMM_WORLD);
			post_start(2 * i + 1);
			MPI_Barrier(MPI_COMM_WORLD);
		}
		check_words();
		test_win_close(&w);
	}
	return test_finish();
}
