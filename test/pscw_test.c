/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Win_test says false while an origin has not completed its access epoch, and
 * true, once, when all have; it then ends the exposure epoch as Win_wait
 * does.  An origin may complete before its target waits.
 */
/* ranks: 2 8; paths: default cma */
#include "test.h"

#define ROUNDS 20
#define TAG    5

static void expose(struct test_win *w, MPI_Group origins, int round)
{
	volatile int *mine = (int *)w->base;
	int flag = -1, t;

	MPI_Win_post(origins, 0, w->win);
	/* The last origin completes only after our message. */
	MPI_Win_test(w->win, &flag);
	check(flag == 0, "flag %d though an origin waits, round %d", flag,
	      round);
	MPI_Send(&round, 1, MPI_INT, test_size - 1, TAG, MPI_COMM_WORLD);
	do
		MPI_Win_test(w->win, &flag);
	while (!flag);
	check(flag == 1, "flag %d", flag);
	for (t = 1; t < test_size; t++)
		check(mine[t] == round, "%d of rank %d, round %d", mine[t], t,
		      round);
}

static void one_access(struct test_win *w, MPI_Group target, int round)
{
	int said;

	MPI_Win_start(target, 0, w->win);
	MPI_Put(&round, 1, MPI_INT, 0,
		test_at(w, 0, test_rank * (MPI_Aint)sizeof(int)), 1, MPI_INT,
		w->win);
	if (test_rank == test_size - 1)
		MPI_Recv(&said, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	MPI_Win_complete(w->win);
}

int main(int argc, char **argv)
{
	int zero = 0, round;
	MPI_Group world, first, rest;
	struct test_win w;

	test_start(argc, argv);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &zero, &first);
	MPI_Group_excl(world, 1, &zero, &rest);
	test_win_open(&w, KIND_ALLOCATE, test_size * sizeof(int), sizeof(int));
	for (round = 1; round <= ROUNDS; round++) {
		if (test_rank)
			one_access(&w, first, round);
		else
			expose(&w, rest, round);
	}
	test_win_close(&w);
	MPI_Group_free(&world);
	MPI_Group_free(&first);
	MPI_Group_free(&rest);
	return test_finish();
}
