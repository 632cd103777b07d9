/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demo.c - short one-sided programs whose result is plain from the standard.
 * "demo NAME" runs one on two ranks (single on one) and exits 0 if the result
 * is right, 1 if it is wrong, 2 if it came too late; the quickstart runs them
 * with and without Oriel.
 */
#include "hosts.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Keeps one host's bug out of the demonstration of another. */
#define ALIGNED __attribute__((aligned(64)))

enum { LATE = -1, WRONG, RIGHT };

static int rank, size;

/* The plainest of all. */
static int put(void)
{
	static ALIGNED int word;
	int seven = 7;
	MPI_Win win;

	MPI_Win_create(&word, sizeof(word), sizeof(word), MPI_INFO_NULL,
		       MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&seven, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	return word == 7;
}

/* Every rank's word at the end of a window of bytes that are no round sum. */
static int odd_size(void)
{
	enum { BYTES = 20, LAST = 4 };
	int *base, one = 1, right = 1;
	MPI_Win win;

	MPI_Win_allocate(BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
			 &base, &win);
	memset(base, 0, BYTES);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Accumulate(&one, 1, MPI_INT, size - 1, LAST, 1, MPI_INT,
			       MPI_SUM, win);
	MPI_Win_fence(0, win);
	right = base[LAST] == (rank == size - 1);
	MPI_Win_free(&win);
	return right;
}

/* Memory that begins where an int may, but nothing wider. */
static int unaligned(void)
{
	static ALIGNED int words[8];
	int seven = 7;
	MPI_Win win;

	MPI_Win_create(&words[1], sizeof(words[1]), sizeof(words[1]),
		       MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&seven, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	return words[0] == 0 && words[1] == 7;
}

struct short_int {
	short value;
	int index;
};

/* The greater value wins and brings its index; the old pair is fetched. */
static int maxloc(void)
{
	enum { COUNT = 8 };
	static ALIGNED struct short_int base[COUNT];
	struct short_int mine[COUNT], old[COUNT];
	int i, right = 1;
	MPI_Win win;

	MPI_Win_create(base, sizeof(base), sizeof(base[0]), MPI_INFO_NULL,
		       MPI_COMM_WORLD, &win);
	for (i = 0; i < COUNT; i++) {
		base[i] = (struct short_int){ 10, -1 };
		mine[i] = (struct short_int){ (short)(5 + 2 * i), i };
	}
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Get_accumulate(mine, COUNT, MPI_SHORT_INT, old, COUNT,
				   MPI_SHORT_INT, 1, 0, COUNT, MPI_SHORT_INT,
				   MPI_MAXLOC, win);
	MPI_Win_fence(0, win);
	for (i = 0; i < COUNT; i++) {
		int wins = rank == 1 && mine[i].value > 10;

		right &= base[i].value == (wins ? mine[i].value : 10) &&
			 base[i].index == (wins ? i : -1);
		if (rank == 0)
			right &= old[i].value == 10 && old[i].index == -1;
	}
	MPI_Win_free(&win);
	return right;
}

/* Each rank swaps in its own number once; exactly one finds the zero. */
static int swap(void)
{
	int64_t *base, mine = rank + 1, zero = 0, found = -1;
	int won, winners;
	MPI_Win win;

	MPI_Win_allocate(sizeof(*base), sizeof(*base), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &base, &win);
	*base = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	MPI_Compare_and_swap(&mine, &zero, &found, MPI_INT64_T, 0, 0, win);
	MPI_Win_unlock_all(win);
	won = found == 0;
	MPI_Allreduce(&won, &winners, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Win_free(&win);
	return winners == 1;
}

/* The elements of a strided request arrive before its wait returns. */
static int rget(void)
{
	enum { COUNT = 4, STRIDE = 3 };
	int *base, got[COUNT * STRIDE], i, right = 1;
	MPI_Datatype every;
	MPI_Request request;
	MPI_Win win;

	MPI_Type_vector(COUNT, 1, STRIDE, MPI_INT, &every);
	MPI_Type_commit(&every);
	MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &base, &win);
	for (i = 0; i < COUNT; i++)
		base[i] = 10 * rank + i;
	memset(got, -1, sizeof(got));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	MPI_Rget(got, 1, every, size - 1, 0, COUNT, MPI_INT, win, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (i = 0; i < COUNT; i++)
		right &= got[i * STRIDE] == 10 * (size - 1) + i;
	MPI_Win_unlock_all(win);
	MPI_Type_free(&every);
	MPI_Win_free(&win);
	return right;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + 1e-9 * now.tv_nsec;
}

/*
 * Passive target: rank 1 computes, without a call to MPI, until it sees what
 * rank 0 did to its memory, or gives up.
 */
static int passive(void)
{
	enum { GIVE_UP = 5 };
	static ALIGNED volatile int counter;
	int one = 1, old = -1, right = 1;
	MPI_Win win;

	MPI_Win_create((void *)&counter, sizeof(int), sizeof(int),
		       MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Fetch_and_op(&one, &old, MPI_INT, 1, 0, MPI_SUM, win);
		MPI_Win_unlock(1, win);
	} else if (rank == 1) {
		double start = seconds();

		while (!counter && seconds() - start < GIVE_UP)
			;
		right = counter == 1 ? RIGHT : LATE;
	}
	MPI_Win_free(&win);
	return right;
}

/* A window of one process. */
static int single(void)
{
	static ALIGNED int word;
	int seven = 7;
	MPI_Win win;

	MPI_Win_create(&word, sizeof(int), sizeof(int), MPI_INFO_NULL,
		       MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	return word == 7;
}

static const struct demo {
	const char *name;
	int (*run)(void);
} demos[] = {
	{ "unaligned", unaligned }, { "odd_size", odd_size },
	{ "maxloc", maxloc },	    { "swap", swap },
	{ "rget", rget },	    { "passive", passive },
	{ "single", single },	    { "put", put },
};

int main(int argc, char **argv)
{
	int right = 0, all = 0, status;
	size_t i;

	MPI_Init(&argc, &argv);
	leave_watched();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (i = 0; i < sizeof(demos) / sizeof(demos[0]); i++)
		if (argc == 2 && !strcmp(argv[1], demos[i].name))
			right = demos[i].run();
	MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	status = all == RIGHT ? 0 : all == WRONG ? 1 : 2;
	leave_with(status);
	MPI_Finalize();
	return status;
}
