/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After an unlock, what was put is there before anything later is read
 * (MPI-3.1 section 11.5.3), also where the process goes on holding another
 * exclusive lock of the window.  Rank 0 puts x in one window, unlocks, and
 * reads y in another; rank 1 writes y, flushes, and reads x: one at least sees
 * what the other wrote.
 */
/* ranks: 2; paths: default cma */
#include "test.h"

#define ROUNDS 8000
#define FEW    40 /* between hosts */
#define LINE   64 /* bytes: rounds do not share lines */
#define SPREAD 97 /* looks that one comes after the other, at most */

static struct test_win xs, ys;

/* The first line is for the meetings. */
static MPI_Aint line(int round)
{
	return (MPI_Aint)(round + 1) * LINE;
}

static void replace(long value, int rank, MPI_Aint at)
{
	MPI_Accumulate(&value, 1, MPI_LONG, rank, test_at(&ys, rank, at), 1,
		       MPI_LONG, MPI_REPLACE, ys.win);
	MPI_Win_flush(rank, ys.win);
}

/* Who comes first waits, then one of them a little longer. */
static void meet(long round)
{
	volatile long *mine = (volatile long *)ys.base;
	volatile int wait;

	replace(round, !test_rank, 0);
	while (*mine < round)
		MPI_Win_sync(ys.win);
	for (wait = round * (test_rank ? 7 : 13) % SPREAD; wait > 0; wait--)
		;
}

static long put_then_read(int round, bool atomic)
{
	const MPI_Aint y = test_at(&ys, 0, line(round));
	const long one = 1;
	long seen;

	MPI_Put(&one, 1, MPI_LONG, 1, test_at(&xs, 1, line(round)), 1, MPI_LONG,
		xs.win);
	MPI_Win_unlock(1, xs.win);
	if (atomic)
		MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 0, y, MPI_NO_OP,
				 ys.win);
	else
		MPI_Get(&seen, 1, MPI_LONG, 0, y, 1, MPI_LONG, ys.win);
	MPI_Win_flush(0, ys.win);
	return seen;
}

static long write_then_load(int round)
{
	replace(1, 0, line(round));
	MPI_Win_sync(xs.win);
	return *(volatile long *)(xs.base + line(round));
}

static void run(int rounds, bool second, bool atomic)
{
	static long mine[ROUNDS], both[ROUNDS];
	int i, missed = 0;

	memset(xs.base, 0, (size_t)xs.size);
	memset(ys.base, 0, (size_t)ys.size);
	MPI_Win_lock_all(0, ys.win);
	MPI_Win_sync(ys.win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!test_rank && second)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, xs.win);
	for (i = 0; i < rounds; i++) {
		if (!test_rank)
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, xs.win);
		meet(i + 1);
		mine[i] = test_rank ? write_then_load(i)
				    : put_then_read(i, atomic);
	}
	if (!test_rank && second)
		MPI_Win_unlock(0, xs.win);
	MPI_Win_unlock_all(ys.win);
	MPI_Allreduce(mine, both, rounds, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < rounds; i++)
		missed += !both[i];
	check(!missed, "%s, %s: neither was seen in %d of %d rounds",
	      second ? "another lock is held" : "no other lock",
	      atomic ? "fetch_and_op" : "get", missed, rounds);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rounds, i;

	test_start(argc, argv);
	rounds =
		test_apart || test_path_is("fabric") || test_path_is("software")
			? FEW
			: ROUNDS;
	test_win_open(&xs, KIND_ALLOCATE, line(ROUNDS), 1);
	test_win_open(&ys, KIND_ALLOCATE, line(ROUNDS), 1);
	for (i = 0; i < 4; i++)
		run(rounds, i & 1, i & 2);
	test_win_close(&ys);
	test_win_close(&xs);
	return test_finish();
}
