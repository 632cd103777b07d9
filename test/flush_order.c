/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After a flush, what was written is there before anything later is read: of
 * two ranks that write a word at each other, flush, and then read their own,
 * one at least reads what the other wrote.  By put, accumulate, replace,
 * fetch_and_op and compare_and_swap; in shared windows by a plain store too.
 */
/* ranks: 2; paths: default cma */
#include "test.h"

#define ROUNDS 300
#define FEW    40 /* between hosts */
#define LINE   64 /* bytes: rounds do not share lines */
#define SPREAD 97 /* looks that one comes after the other, at most */

enum { PUT, SUM, REPLACE, FETCH, SWAP, STORE, WAYS };
static const char *const names[WAYS] = {
	"put",		"accumulate",	    "replace",
	"fetch_and_op", "compare_and_swap", "store"
};

static struct test_win w;
static long *theirs; /* the other's memory, in shared windows */

static int other(void)
{
	return !test_rank;
}

/* The first line is for the meetings. */
static MPI_Aint line(int round)
{
	return (MPI_Aint)(round + 1) * LINE;
}

/* Who comes first waits, then one of them a little longer. */
static void meet(long round)
{
	volatile long *mine = (volatile long *)w.base;
	volatile int wait;

	MPI_Accumulate(&round, 1, MPI_LONG, other(), test_at(&w, other(), 0), 1,
		       MPI_LONG, MPI_REPLACE, w.win);
	MPI_Win_flush(other(), w.win);
	while (*mine < round)
		MPI_Win_sync(w.win);
	for (wait = round * (test_rank ? 7 : 13) % SPREAD; wait > 0; wait--)
		;
}

static void write_one(int way, int round)
{
	const MPI_Aint at = test_at(&w, other(), line(round));
	const long one = 1, none = 0;
	long old;

	switch (way) {
	case PUT:
		MPI_Put(&one, 1, MPI_LONG, other(), at, 1, MPI_LONG, w.win);
		break;
	case SUM:
	case REPLACE:
		MPI_Accumulate(&one, 1, MPI_LONG, other(), at, 1, MPI_LONG,
			       way == SUM ? MPI_SUM : MPI_REPLACE, w.win);
		break;
	case FETCH:
		MPI_Fetch_and_op(&one, &old, MPI_LONG, other(), at, MPI_SUM,
				 w.win);
		break;
	case SWAP:
		MPI_Compare_and_swap(&one, &none, &old, MPI_LONG, other(), at,
				     w.win);
		break;
	case STORE:
		*(volatile long *)((char *)theirs + line(round)) = 1;
	}
}

static void read_mine(int way, int round, long *value)
{
	if (way == STORE)
		*value = *(volatile long *)(w.base + line(round));
	else
		MPI_Get(value, 1, MPI_LONG, test_rank,
			test_at(&w, test_rank, line(round)), 1, MPI_LONG,
			w.win);
}

static void run(int way, int rounds)
{
	static long mine[ROUNDS], both[ROUNDS];
	int i, missed = 0;

	memset(w.base, 0, (size_t)w.size);
	MPI_Win_lock_all(0, w.win);
	MPI_Win_sync(w.win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < rounds; i++) {
		meet(i + 1);
		write_one(way, i);
		if (i % 2)
			MPI_Win_flush_all(w.win);
		else
			MPI_Win_flush(other(), w.win);
		read_mine(way, i, &mine[i]);
	}
	MPI_Win_unlock_all(w.win);
	MPI_Allreduce(mine, both, rounds, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < rounds; i++)
		missed += !both[i];
	check(!missed, "%s, %s: neither was seen in %d of %d rounds",
	      test_kind_name(w.kind), names[way], missed, rounds);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void run_ways(int rounds)
{
	int way, ways = w.kind == KIND_SHARED ? WAYS : STORE;

	for (way = 0; way < ways; way++)
		run(way, rounds);
}

static void find_theirs(void)
{
	MPI_Aint size;
	int unit;

	if (w.kind == KIND_SHARED)
		MPI_Win_shared_query(w.win, other(), &size, &unit, &theirs);
}

int main(int argc, char **argv)
{
	static const enum test_kind kinds[] = { KIND_CREATE, KIND_ALLOCATE,
						KIND_SHARED };
	size_t i;

	test_start(argc, argv);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!test_kind_is_usable(kinds[i]))
			continue;
		test_win_open(&w, kinds[i], line(ROUNDS), 1);
		find_theirs();
		run_ways(test_apart ? FEW : ROUNDS);
		test_win_close(&w);
	}
	return test_finish();
}
