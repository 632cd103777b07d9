/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulate calls of one origin to the same elements of a target take
 * effect in program order, as accumulate_ordering promises by default: the
 * last REPLACE wins, and a fetch sees every call before it, without a flush
 * between them.
 */
/* ranks: 1 2 4; paths: default cma fabric-nic */
#include "test.h"

#define N      100
#define ROUNDS 50

static MPI_Aint at(const struct test_win *w, int t, int i)
{
	return test_at(w, t, ((MPI_Aint)test_rank * N + i) * sizeof(long));
}

static void replace(struct test_win *w, int t)
{
	static long values[ROUNDS], old[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		values[i] = 1000 * test_rank + i;
		MPI_Accumulate(&values[i], 1, MPI_LONG, t, at(w, t, 0), 1,
			       MPI_LONG, MPI_REPLACE, w->win);
		MPI_Fetch_and_op(NULL, &old[i], MPI_LONG, t, at(w, t, 0),
				 MPI_NO_OP, w->win);
	}
	MPI_Win_flush(t, w->win);
	for (i = 0; i < ROUNDS; i++)
		check(old[i] == values[i], "%s: read %ld after %ld",
		      test_kind_name(w->kind), old[i], values[i]);
}

/* Singles and bulk on overlapping elements. */
static void mixed(struct test_win *w, int t)
{
	static long ones[N], zeros[N], all[ROUNDS][N];
	int r, i;

	for (i = 0; i < N; i++)
		ones[i] = 1;
	MPI_Accumulate(zeros, N, MPI_LONG, t, at(w, t, 0), N, MPI_LONG,
		       MPI_REPLACE, w->win);
	for (r = 0; r < ROUNDS; r++) {
		MPI_Accumulate(ones, N, MPI_LONG, t, at(w, t, 0), N, MPI_LONG,
			       MPI_SUM, w->win);
		MPI_Accumulate(ones, 1, MPI_LONG, t, at(w, t, r), 1, MPI_LONG,
			       MPI_SUM, w->win);
		MPI_Get_accumulate(NULL, 0, MPI_LONG, all[r], N, MPI_LONG, t,
				   at(w, t, 0), N, MPI_LONG, MPI_NO_OP, w->win);
	}
	MPI_Win_flush(t, w->win);
	for (r = 0; r < ROUNDS; r++)
		for (i = 0; i < N; i++)
			check(all[r][i] == r + 1 + (i <= r),
			      "%s: element %d is %ld in round %d",
			      test_kind_name(w->kind), i, all[r][i], r);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;
	int t;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, (MPI_Aint)test_size * N * sizeof(long),
			      sizeof(long));
		MPI_Win_lock_all(0, w.win);
		for (t = 0; t < test_size; t++) {
			replace(&w, t);
			mixed(&w, t);
		}
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
