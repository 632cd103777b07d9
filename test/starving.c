/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for a lock of one kind gets it, though others take locks of the
 * other kind without a break: each leaves only when another one has come in,
 * as long as any does.  A writer against readers, a reader against writers, an
 * exclusive lock against epochs of lock_all, and lock_all against exclusive
 * locks of several targets.
 */
/* ranks: 4 3; paths: default cma; hosts: 2x2 3x1 */
#include <sched.h>
#include <time.h>

#include "test.h"

#define ROUNDS	 25   /* of who waits */
#define PATIENCE 0.02 /* seconds, for another one to come in */
#define LIMIT_S	 20   /* of all rounds; after that somebody starves */

enum { INSIDE, ENTERED, DONE, WORDS };

static struct test_win w, words;

/* -- the kinds of locks ----------------------------------------------------*/

static void share(bool in)
{
	if (in)
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win);
	else
		MPI_Win_unlock(0, w.win);
}

static void exclude(bool in)
{
	if (in)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win);
	else
		MPI_Win_unlock(0, w.win);
}

static void exclude_self(bool in)
{
	if (in)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, w.win);
	else
		MPI_Win_unlock(test_rank, w.win);
}

static void lock_all(bool in)
{
	if (in)
		MPI_Win_lock_all(0, w.win);
	else
		MPI_Win_unlock_all(w.win);
}

/* A lock is taken at the latest for an operation that ends. */
static void use(int target)
{
	long word;

	MPI_Get(&word, 1, MPI_LONG, target, test_at(&w, target, 0), 1, MPI_LONG,
		w.win);
	MPI_Win_flush(target, w.win);
}

/* -- words that all share, in another window --------------------------------*/

static long add_to(int word, long change)
{
	long old;

	MPI_Fetch_and_op(&change, &old, MPI_LONG, 0,
			 test_at(&words, 0, word * (MPI_Aint)sizeof(long)),
			 MPI_SUM, words.win);
	MPI_Win_flush(0, words.win);
	return old;
}

/* The last one stays inside. */
static bool leave_to_another(void)
{
	long inside = add_to(INSIDE, 0), less, old;

	while (inside > 1) {
		less = inside - 1;
		MPI_Compare_and_swap(&less, &inside, &old, MPI_LONG, 0,
				     test_at(&words, 0, 0), words.win);
		MPI_Win_flush(0, words.win);
		if (old == inside)
			return true;
		inside = old;
	}
	return false;
}

/* -- those who leave no gap, and the one who waits for it -------------------*/

struct contest {
	const char *name;
	void (*crowd)(bool in), (*single)(bool in);
	bool crowd_at_self; /* each at its own target, not at rank 0 */
	bool overlaps;	    /* several of the crowd may be inside at once */
};

static const struct contest contests[] = {
	{ "a writer, many readers", share, exclude, false, true },
	{ "a reader, many writers", exclude, share, false, false },
	{ "a writer, many in lock_all", lock_all, exclude, false, true },
	{ "lock_all, many writers", exclude_self, lock_all, true, true },
};

static void crowd_once(const struct contest *c)
{
	bool left;
	double end;

	c->crowd(true);
	use(c->crowd_at_self ? test_rank : 0);
	add_to(ENTERED, 1);
	if (c->overlaps) {
		add_to(INSIDE, 1);
		end = MPI_Wtime() + PATIENCE;
		while (!(left = leave_to_another()) && MPI_Wtime() < end)
			sched_yield();
		if (!left)
			add_to(INSIDE, -1);
	}
	c->crowd(false);
}

static void crowd(const struct contest *c)
{
	time_t end = time(NULL) + LIMIT_S;
	long done;

	while ((done = add_to(DONE, 0)) < ROUNDS && time(NULL) < end)
		crowd_once(c);
	if (done < ROUNDS)
		add_to(DONE, ROUNDS); /* for the others to end, too */
	check(done >= ROUNDS, "%s: %ld of %d rounds", c->name, done, ROUNDS);
}

static void single(const struct contest *c)
{
	long seen = 0;

	while (add_to(DONE, 0) < ROUNDS) {
		/* Not before another of them has come in. */
		if (add_to(ENTERED, 0) == seen) {
			sched_yield();
			continue;
		}
		c->single(true);
		use(0);
		add_to(DONE, 1);
		seen = add_to(ENTERED, 0);
		c->single(false);
	}
}

static void meet(const struct contest *c)
{
	memset(words.base, 0, WORDS * sizeof(long));
	MPI_Win_sync(words.win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == test_size - 1)
		single(c);
	else
		crowd(c);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	size_t i;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts promise no fairness");
	test_win_open(&w, KIND_ALLOCATE, sizeof(long), sizeof(long));
	test_win_open(&words, KIND_ALLOCATE, WORDS * sizeof(long),
		      sizeof(long));
	MPI_Win_lock_all(MPI_MODE_NOCHECK, words.win);
	for (i = 0; i < sizeof(contests) / sizeof(contests[0]); i++)
		meet(&contests[i]);
	MPI_Win_unlock_all(words.win);
	test_win_close(&words);
	test_win_close(&w);
	return test_finish();
}
