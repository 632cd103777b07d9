/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * halo.c - a halo exchange without a barrier: the heat equation on a ring of
 * cells, a piece of it at each rank.
 *
 * With MPI alone a step is either two messages that the receiver must post, or
 * a put that all ranks' MPI_Win_fence, or post, start, complete and wait, make
 * known.  Here a put tells the neighbour alone, when it is there: a rank waits
 * for its two neighbours and for nobody else.
 *
 * Halos are double: that of step s + 2 overwrites that of s.  A neighbour sends
 * it after our s + 1 has come to it, and we have sent that after we had used s.
 *
 * A halo from another node can only come while its receiver computes if
 * somebody takes it in: the window asks for a thread that does, and
 * ORIEL_WIN_PROGRESS tells whether there is one.
 *
 *	halo [STEPS [mpi]]	mpi: by post, start, complete and wait instead
 */
/* ranks: 1 2 4; paths: default cma */
#include <mpi.h>
#include <oriel.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 64 /* of a rank */

/* Tags, by the side of the receiver, and + 2 in odd steps: counts of steps do
 * not mix. */
enum { LEFT, RIGHT };

static int rank, size, steps = 200;
static MPI_Group both; /* neighbours */

static double initial(int cell)
{
	return cell % 17 == 0 ? 100.0 : cell % 5;
}

static double heat(double left, double here, double right)
{
	return here + 0.25 * (left - 2 * here + right);
}

/* The window: two halos of the step's parity, from the left and the right. */
static void by_notification(const double *cells, int parity, MPI_Win win)
{
	int left = 2 * parity + LEFT, right = 2 * parity + RIGHT;

	Oriel_Put_notify(&cells[0], 1, MPI_DOUBLE, (rank + size - 1) % size,
			 right, 1, MPI_DOUBLE, right, win);
	Oriel_Put_notify(&cells[CELLS - 1], 1, MPI_DOUBLE, (rank + 1) % size,
			 left, 1, MPI_DOUBLE, left, win);
	Oriel_Notify_wait(win, left, 1);
	Oriel_Notify_wait(win, right, 1);
	/* The next step writes where the edges were put from. */
	MPI_Win_flush_local_all(win);
}

static void find_neighbours(void)
{
	int ranks[2] = { (rank + size - 1) % size, (rank + 1) % size };
	MPI_Group world;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, ranks[0] == ranks[1] ? 1 : 2, ranks, &both);
	MPI_Group_free(&world);
}

/* By MPI alone: the receiver opens its memory to both, each time. */
static void by_mpi(const double *cells, int parity, MPI_Win win)
{
	MPI_Win_post(both, 0, win);
	MPI_Win_start(both, 0, win);
	MPI_Put(&cells[0], 1, MPI_DOUBLE, (rank + size - 1) % size,
		2 * parity + RIGHT, 1, MPI_DOUBLE, win);
	MPI_Put(&cells[CELLS - 1], 1, MPI_DOUBLE, (rank + 1) % size,
		2 * parity + LEFT, 1, MPI_DOUBLE, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
}

static void step(const double *old, double *new, const double *halo)
{
	int i;

	for (i = 0; i < CELLS; i++)
		new[i] = heat(i ? old[i - 1] : halo[LEFT], old[i],
			      i < CELLS - 1 ? old[i + 1] : halo[RIGHT]);
}

typedef void (*exchange_fn)(const double *cells, int parity, MPI_Win win);

static void run(double *cells[2], const double *halos, exchange_fn exchange,
		MPI_Win win)
{
	int s, parity;

	for (s = 0; s < steps; s++) {
		parity = s % 2;
		exchange(cells[parity], parity, win);
		step(cells[parity], cells[!parity], halos + 2 * parity);
	}
}

/* Microseconds of a step. */
static double run_all(double *cells[2], const double *halos, bool mpi,
		      MPI_Win win)
{
	double begin, end;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (!mpi)
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	run(cells, halos, mpi ? by_mpi : by_notification, win);
	if (!mpi)
		MPI_Win_unlock_all(win);
	end = MPI_Wtime();
	return 1e6 * (end - begin) / steps;
}

/* The same by one process. */
static double *expected(int n)
{
	double *old = malloc(n * sizeof(*old));
	double *new = malloc(n * sizeof(*new)), *other;
	int i, s;

	for (i = 0; i < n; i++)
		old[i] = initial(i);
	for (s = 0; s < steps; s++) {
		for (i = 0; i < n; i++)
			new[i] = heat(old[(i + n - 1) % n], old[i],
				      old[(i + 1) % n]);
		other = old;
		old = new;
		new = other;
	}
	free(new);
	return old;
}

static MPI_Win create(double **halos)
{
	MPI_Info info;
	MPI_Win win;

	MPI_Info_create(&info);
	MPI_Info_set(info, "oriel_progress", "thread");
	MPI_Win_allocate(4 * sizeof(double), sizeof(double), info,
			 MPI_COMM_WORLD, halos, &win);
	MPI_Info_free(&info);
	return win;
}

static const char *taken_by(MPI_Win win)
{
	int *progress, found;

	MPI_Win_get_attr(win, ORIEL_WIN_PROGRESS, &progress, &found);
	switch (found ? *progress : -1) {
	case ORIEL_PROGRESS_NONE:
		return "nobody: all ranks are of one node";
	case ORIEL_PROGRESS_POLL:
		return "the ranks, when they call MPI";
	case ORIEL_PROGRESS_THREAD:
		return "a thread";
	default:
		return "who knows whom";
	}
}

int main(int argc, char **argv)
{
	double two[2][CELLS], *cells[2] = { two[0], two[1] };
	double *halos, *want, us;
	bool mpi = argc > 2;
	int i, wrong = 0;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 1)
		steps = atoi(argv[1]);
	if (steps < 1) {
		if (!rank)
			fprintf(stderr, "usage: halo [STEPS [mpi]]\n");
		MPI_Finalize();
		return 2;
	}
	win = create(&halos);
	for (i = 0; i < CELLS; i++)
		cells[0][i] = initial(rank * CELLS + i);
	find_neighbours();
	us = run_all(cells, halos, mpi, win);
	MPI_Group_free(&both);
	want = expected(size * CELLS);
	for (i = 0; i < CELLS; i++)
		wrong += cells[steps % 2][i] != want[rank * CELLS + i];
	free(want);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM,
		      MPI_COMM_WORLD);
	if (!rank)
		printf("%d ranks, %d steps of %.2f us: %d cells are wrong; "
		       "taken in by %s\n",
		       size, steps, us, wrong, taken_by(win));
	MPI_Win_free(&win);
	MPI_Finalize();
	return wrong ? 1 : 0;
}
