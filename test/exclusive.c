/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exclusive lock excludes every other lock: counters that all ranks read,
 * increment and write back, on one target and on all, by calls and by the
 * owner's loads and stores, lose nothing; and who reads under a shared lock
 * or lock_all never sees a half-done update.
 */
/* ranks: 2 3 8; paths: default cma */
#include "test.h"

static int rounds;

/* Two words that are equal whenever nobody holds the exclusive lock. */
static void increment(struct test_win *w, int t)
{
	long pair[2] = { -1, -2 };
	MPI_Aint at = test_at(w, t, 0);
	MPI_Aint second = test_at(w, t, sizeof(long));

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
	MPI_Get(pair, 2, MPI_LONG, t, at, 2, MPI_LONG, w->win);
	MPI_Win_flush(t, w->win);
	check(pair[0] == pair[1], "%s: exclusive reader saw %ld and %ld",
	      test_kind_name(w->kind), pair[0], pair[1]);
	pair[0]++;
	MPI_Put(&pair[0], 1, MPI_LONG, t, at, 1, MPI_LONG, w->win);
	MPI_Win_flush(t, w->win);
	pair[1]++;
	MPI_Put(&pair[1], 1, MPI_LONG, t, second, 1, MPI_LONG, w->win);
	MPI_Win_unlock(t, w->win);
}

static void increment_own(struct test_win *w)
{
	volatile long *pair = (long *)w->base;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, w->win);
	check(pair[0] == pair[1], "%s: owner saw %ld and %ld",
	      test_kind_name(w->kind), pair[0], pair[1]);
	pair[0] = pair[0] + 1;
	pair[1] = pair[1] + 1;
	MPI_Win_unlock(test_rank, w->win);
}

static void read_shared(struct test_win *w, int t, bool all)
{
	long pair[2] = { -1, -2 };

	if (all)
		MPI_Win_lock_all(0, w->win);
	else
		MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
	MPI_Get(&pair[0], 1, MPI_LONG, t, test_at(w, t, 0), 1, MPI_LONG,
		w->win);
	MPI_Win_flush(t, w->win);
	MPI_Get(&pair[1], 1, MPI_LONG, t, test_at(w, t, sizeof(long)), 1,
		MPI_LONG, w->win);
	if (all)
		MPI_Win_unlock_all(w->win);
	else
		MPI_Win_unlock(t, w->win);
	check(pair[0] == pair[1], "%s: %s reader saw %ld and %ld",
	      test_kind_name(w->kind), all ? "lock_all" : "shared", pair[0],
	      pair[1]);
}

static void check_total(struct test_win *w, int t, long want)
{
	long pair[2] = { -1, -2 };

	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
	MPI_Get(pair, 2, MPI_LONG, t, test_at(w, t, 0), 2, MPI_LONG, w->win);
	MPI_Win_unlock(t, w->win);
	check(pair[0] == want && pair[1] == want,
	      "%s: %ld and %ld at %d, not %ld", test_kind_name(w->kind),
	      pair[0], pair[1], t, want);
}

static void contend(struct test_win *w)
{
	int i, t;

	for (i = 0; i < rounds; i++) {
		increment(w, 0);
		read_shared(w, 0, i % 2);
		for (t = 1; t < test_size; t++) {
			increment(w, t);
			read_shared(w, (t + i) % test_size, i % 2);
		}
		increment_own(w);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (t = 0; t < test_size; t++)
		check_total(w, t, (long)rounds * (test_size + 1));
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	rounds = test_size > 4 ? 10 : 60 / test_size;
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, 2 * sizeof(long), sizeof(long));
		contend(&w);
		test_win_close(&w);
	}
	return test_finish();
}
