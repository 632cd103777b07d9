/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements at addresses that their type is not aligned to are accumulated
 * atomically too: singles, bulk and swaps of all ranks on the same elements,
 * beside aligned ones in the same bytes' neighbourhood, add up.
 */
/* ranks: 2 3 8; paths: default cma fabric-nic; hosts: 2x1 */
#include "test.h"

#define N      24
#define OFFSET 3 /* of the first element */

static int rounds;

static MPI_Aint at(const struct test_win *w, int i)
{
	return test_at(w, 0, OFFSET + i * (MPI_Aint)sizeof(long));
}

/* Adds 1 to element i, by a swap. */
static void swap(struct test_win *w, int i)
{
	long seen = 0, old, sum;

	for (;;) {
		sum = seen + 1;
		MPI_Compare_and_swap(&sum, &seen, &old, MPI_LONG, 0, at(w, i),
				     w->win);
		MPI_Win_flush(0, w->win);
		if (old == seen)
			return;
		seen = old;
	}
}

static void add(struct test_win *w)
{
	long ones[N], old[N];
	int r, i;

	for (i = 0; i < N; i++)
		ones[i] = 1;
	for (r = 0; r < rounds; r++) {
		MPI_Accumulate(ones, N, MPI_LONG, 0, at(w, 0), N, MPI_LONG,
			       MPI_SUM, w->win);
		MPI_Get_accumulate(ones, N, MPI_LONG, old, N, MPI_LONG, 0,
				   at(w, 0), N, MPI_LONG, MPI_SUM, w->win);
		MPI_Win_flush(0, w->win);
		for (i = 0; i < N; i++) {
			MPI_Fetch_and_op(ones, old, MPI_LONG, 0, at(w, i),
					 MPI_SUM, w->win);
			MPI_Win_flush_local(0, w->win);
			check(old[0] >= 0 && old[0] <= 5L * rounds * test_size,
			      "a torn element: %lx", old[0]);
		}
		swap(w, (r + test_rank) % N);
	}
	MPI_Win_flush(0, w->win);
}

static void verify(struct test_win *w)
{
	long got[N], all = 0;
	int i;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Get(got, N, MPI_LONG, 0, at(w, 0), N, MPI_LONG, w->win);
	MPI_Win_flush(0, w->win);
	for (i = 0; i < N; i++)
		all += got[i];
	check(all == (long)rounds * test_size * (3 * N + 1), "%s: %ld, not %ld",
	      test_kind_name(w->kind), all,
	      (long)rounds * test_size * (3 * N + 1));
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	rounds = test_size > 4 ? 10 : 60;
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, (N + 1) * sizeof(long), 1);
		MPI_Win_lock_all(0, w.win);
		add(&w);
		verify(&w);
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
