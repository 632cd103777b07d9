/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of one node and of others do the same thing to the same memory at the
 * same time, and none of it is lost: atomics of all kinds on one counter, a
 * plain read, addition and write under an exclusive lock, the same beside
 * epochs of lock_all, and post and start with groups that span the nodes.
 */
/* ranks: 2 4; paths: default cma fabric */
#include "test.h"

#define ROUNDS	 40
#define COUNTERS 8
#define LONGS	 (COUNTERS + 4 + 64)

/* Words of the window, of 8 bytes. */
enum { SUM = 0, PLAIN = COUNTERS, SWAPPED, FETCHED, FROM };

/* So that all turn to different targets, in the same way in each run. */
static unsigned drawn;

static int draw(int n)
{
	drawn = drawn * 1103515245u + 12345u;
	return (int)(drawn >> 16) % n;
}

static MPI_Aint at(const struct test_win *w, int t, int number)
{
	return test_at(w, t, number * (MPI_Aint)sizeof(long));
}

/* Every rank's total, from all ranks; nobody is at work. */
static long total(struct test_win *w, int number)
{
	long mine, all;

	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w->win);
	mine = ((long *)(void *)w->base)[number];
	MPI_Win_unlock(test_rank, w->win);
	MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static void check_total(struct test_win *w, int number, long expected,
			const char *what)
{
	long got;

	MPI_Barrier(MPI_COMM_WORLD);
	got = total(w, number);
	check(got == expected, "%s, %s: %ld instead of %ld",
	      test_kind_name(w->kind), what, got, expected);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* -- atomics --------------------------------------------------------------- */

/* 1 is added, by as many tries as it takes. */
static void add_by_swap(struct test_win *w, int t)
{
	long seen = 0, next, old;

	for (;;) {
		next = seen + 1;
		MPI_Compare_and_swap(&next, &seen, &old, MPI_LONG, t,
				     at(w, t, SWAPPED), w->win);
		MPI_Win_flush(t, w->win);
		if (old == seen)
			return;
		seen = old;
	}
}

static void add_all_ways(struct test_win *w, int t)
{
	long ones[COUNTERS], old[COUNTERS], one = 1, was = -1;
	int i;

	for (i = 0; i < COUNTERS; i++)
		ones[i] = 1;
	MPI_Accumulate(ones, COUNTERS, MPI_LONG, t, at(w, t, SUM), COUNTERS,
		       MPI_LONG, MPI_SUM, w->win);
	MPI_Accumulate(ones, 1, MPI_LONG, t, at(w, t, SUM), 1, MPI_LONG,
		       MPI_SUM, w->win);
	MPI_Get_accumulate(ones, COUNTERS, MPI_LONG, old, COUNTERS, MPI_LONG, t,
			   at(w, t, SUM), COUNTERS, MPI_LONG, MPI_SUM, w->win);
	MPI_Fetch_and_op(&one, &was, MPI_LONG, t, at(w, t, FETCHED), MPI_SUM,
			 w->win);
	MPI_Win_flush(t, w->win);
	check(was >= 0 && was < (long)ROUNDS * test_size, "%s: fetched %ld",
	      test_kind_name(w->kind), was);
	/* Our own accumulates come before, in their order. */
	check(old[0] >= 2 && old[COUNTERS - 1] >= 1, "%s: fetched %ld and %ld",
	      test_kind_name(w->kind), old[0], old[COUNTERS - 1]);
	add_by_swap(w, t);
}

static void atomics(struct test_win *w)
{
	const long times = (long)ROUNDS * test_size;
	int i;

	MPI_Win_lock_all(0, w->win);
	for (i = 0; i < ROUNDS; i++)
		add_all_ways(w, draw(test_size));
	MPI_Win_unlock_all(w->win);
	check_total(w, SUM, 3 * times, "accumulates");
	check_total(w, COUNTERS - 1, 2 * times, "accumulates of many");
	check_total(w, FETCHED, times, "fetch_and_op");
	check_total(w, SWAPPED, times, "compare_and_swap");
}

/* -- locks ----------------------------------------------------------------- */

/* An addition that only the lock makes safe. */
static void add_plainly(struct test_win *w, int t)
{
	long value = -1;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
	MPI_Get(&value, 1, MPI_LONG, t, at(w, t, PLAIN), 1, MPI_LONG, w->win);
	MPI_Win_flush(t, w->win);
	value++;
	MPI_Put(&value, 1, MPI_LONG, t, at(w, t, PLAIN), 1, MPI_LONG, w->win);
	MPI_Win_unlock(t, w->win);
}

static void exclusive(struct test_win *w)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		add_plainly(w, i % 2 ? 0 : draw(test_size));
	check_total(w, PLAIN, (long)ROUNDS * test_size, "exclusive locks");
}

/* Reads twice with time between: nobody with an exclusive lock may write. */
static void look_twice(struct test_win *w)
{
	int t = draw(test_size), i;
	long first = -1, second = -2;

	MPI_Win_lock_all(0, w->win);
	MPI_Get(&first, 1, MPI_LONG, t, at(w, t, PLAIN), 1, MPI_LONG, w->win);
	MPI_Win_flush(t, w->win);
	for (i = 0; i < 3; i++) {
		int other = draw(test_size);
		long one = 1;

		MPI_Accumulate(&one, 1, MPI_LONG, other, at(w, other, FETCHED),
			       1, MPI_LONG, MPI_SUM, w->win);
		MPI_Win_flush(other, w->win);
	}
	MPI_Get(&second, 1, MPI_LONG, t, at(w, t, PLAIN), 1, MPI_LONG, w->win);
	MPI_Win_unlock_all(w->win);
	check(first == second, "%s: %ld became %ld beside lock_all",
	      test_kind_name(w->kind), first, second);
}

/* In an order of each rank's own. */
static void exclusive_and_all(struct test_win *w)
{
	const long before = total(w, PLAIN), sums = total(w, FETCHED);
	long mine[2] = { 0, 0 }, all[2];
	int i;

	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < ROUNDS; i++) {
		if (draw(3)) {
			add_plainly(w, draw(test_size));
			mine[0]++;
		} else {
			look_twice(w);
			mine[1] += 3;
		}
	}
	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	check_total(w, PLAIN, before + all[0], "exclusive locks and lock_all");
	check_total(w, FETCHED, sums + all[1], "sums in lock_all");
}

/* -- post, start, complete, wait ------------------------------------------- */

static MPI_Group others(void)
{
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_excl(world, 1, &test_rank, &group);
	MPI_Group_free(&world);
	return group;
}

/* Every rank is origin and target of all others. */
static void post_start(struct test_win *w)
{
	const long *words = (const long *)(void *)w->base;
	MPI_Group group = others();
	int round, t;

	for (round = 1; round <= ROUNDS / 4; round++) {
		long value = 1000L * test_rank + round;

		MPI_Win_post(group, 0, w->win);
		MPI_Win_start(group, 0, w->win);
		for (t = 0; t < test_size; t++)
			if (t != test_rank)
				MPI_Put(&value, 1, MPI_LONG, t,
					at(w, t, FROM + test_rank), 1, MPI_LONG,
					w->win);
		MPI_Win_complete(w->win);
		MPI_Win_wait(w->win);
		for (t = 0; t < test_size; t++)
			check(t == test_rank ||
				      words[FROM + t] == 1000L * t + round,
			      "%s: %ld from %d in round %d",
			      test_kind_name(w->kind), words[FROM + t], t,
			      round);
	}
	MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	drawn = (unsigned)test_rank * 7919u + 1;
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind) || kind == KIND_CREATE_MEM)
			continue;
		test_win_open(&w, kind, LONGS * sizeof(long), sizeof(long));
		atomics(&w);
		exclusive(&w);
		exclusive_and_all(&w);
		post_start(&w);
		test_win_close(&w);
	}
	return test_finish();
}
