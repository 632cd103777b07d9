/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * server.c - a parameter server: rank 0 holds the parameters of a model, the
 * others compute gradients on batches of data and add them up there.
 *
 * The server needs to know when all gradients of a round are in, though it does
 * not know whose batches they were: Oriel_Accumulate_notify counts them, and
 * Oriel_Notify_test lets the server test the model in the meantime.  Workers
 * read the model before they know of a batch to compute: Oriel_Get_notify tells
 * the server when it may change it.
 *
 * A worker draws the number of its next batch while it computes on this one:
 * Oriel_Rfetch_and_op gives a request, where MPI_Fetch_and_op needs a flush
 * that waits.  One worker keeps a copy of each round's model, the first that
 * asks, by Oriel_Rcompare_and_swap.
 *
 *	server [ROUNDS [mpi]]	mpi: a flush and a message for each gradient
 */
/* ranks: 2 3 4; paths: default cma */
#include <math.h>
#include <mpi.h>
#include <oriel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS  8
#define BATCHES	    20 /* a round */
#define SAMPLES	    16 /* a batch */
#define MOST_ROUNDS 100000
#define RATE	    0.5

#define NOBODY 0 /* as a keeper: the server's rank */

enum { GRADIENT, READ, ROUND }; /* tags */

/* Rank 0's window. */
struct server {
	double model[PARAMETERS];
	double gradient[PARAMETERS];
	long next[MOST_ROUNDS];	 /* batch that nobody has drawn, by round */
	int keeper[MOST_ROUNDS]; /* of the round's model */
};

#define AT(member) (offsetof(struct server, member))

static int rounds = 200;
static bool mpi;
static double last_test;

/* What is to be learnt, and the data: sample k of a batch. */
static double truth(int p)
{
	return p * 0.5 - 1;
}

static double input(long batch, int k, int p)
{
	return sin((1 + batch * SAMPLES + k) * (p + 1) * 0.37);
}

/* Of the squared error, by the parameters. */
static void add_gradient(long batch, const double *model, double *gradient)
{
	double error;
	int k, p;

	for (k = 0; k < SAMPLES; k++) {
		error = 0;
		for (p = 0; p < PARAMETERS; p++)
			error += (model[p] - truth(p)) * input(batch, k, p);
		for (p = 0; p < PARAMETERS; p++)
			gradient[p] += error * input(batch, k, p) /
				       (SAMPLES * BATCHES);
	}
}

/* -- by notifications, or by MPI alone ------------------------------------- */

static void draw(int round, long *batch, MPI_Win win, MPI_Request *request)
{
	MPI_Aint at = AT(next) + round * sizeof(long);
	static const long one = 1;

	*request = MPI_REQUEST_NULL;
	if (!mpi) {
		Oriel_Rfetch_and_op(&one, batch, MPI_LONG, 0, at, MPI_SUM, win,
				    request);
		return;
	}
	MPI_Fetch_and_op(&one, batch, MPI_LONG, 0, at, MPI_SUM, win);
	MPI_Win_flush_local(0, win);
}

static void send(const double *gradient, MPI_Win win)
{
	if (!mpi) {
		Oriel_Accumulate_notify(gradient, PARAMETERS, MPI_DOUBLE, 0,
					AT(gradient), PARAMETERS, MPI_DOUBLE,
					MPI_SUM, GRADIENT, win);
		MPI_Win_flush_local(0, win);
		return;
	}
	MPI_Accumulate(gradient, PARAMETERS, MPI_DOUBLE, 0, AT(gradient),
		       PARAMETERS, MPI_DOUBLE, MPI_SUM, win);
	MPI_Win_flush(0, win);
	MPI_Send(NULL, 0, MPI_BYTE, 0, GRADIENT, MPI_COMM_WORLD);
}

static void tell(int rank, MPI_Win win)
{
	if (!mpi)
		Oriel_Put_notify(NULL, 0, MPI_DOUBLE, rank, 0, 0, MPI_DOUBLE,
				 ROUND, win);
	else
		MPI_Send(NULL, 0, MPI_BYTE, rank, ROUND, MPI_COMM_WORLD);
}

static void await(int tag, int count, MPI_Win win)
{
	if (!mpi)
		Oriel_Notify_wait(win, tag, count);
	while (mpi && count--)
		MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	/* What comes next looks at memory that others have written. */
	if (mpi)
		MPI_Win_sync(win);
}

/* All that are left of a round? */
static bool have_come(int tag, int *left, MPI_Win win)
{
	int flag;

	if (!mpi) {
		Oriel_Notify_test(win, tag, *left, &flag);
		return flag;
	}
	MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag,
		   MPI_STATUS_IGNORE);
	if (flag)
		await(tag, 1, win);
	*left -= flag;
	return !*left;
}

/* Begins to read the model: it is there after the next flush. */
static void read_model(double *model, MPI_Win win)
{
	if (!mpi) {
		Oriel_Get_notify(model, PARAMETERS, MPI_DOUBLE, 0, AT(model),
				 PARAMETERS, MPI_DOUBLE, READ, win);
		return;
	}
	MPI_Get(model, PARAMETERS, MPI_DOUBLE, 0, AT(model), PARAMETERS,
		MPI_DOUBLE, win);
	MPI_Win_flush(0, win);
	MPI_Send(NULL, 0, MPI_BYTE, 0, READ, MPI_COMM_WORLD);
}

/* Offers to keep the model; *keeper was it before, NOBODY to the first. */
static void offer(int round, const int *rank, int *keeper, MPI_Win win,
		  MPI_Request *request)
{
	MPI_Aint at = AT(keeper) + round * sizeof(int);
	static const int nobody = NOBODY;

	*request = MPI_REQUEST_NULL;
	if (!mpi) {
		Oriel_Rcompare_and_swap(rank, &nobody, keeper, MPI_INT, 0, at,
					win, request);
		return;
	}
	MPI_Compare_and_swap(rank, &nobody, keeper, MPI_INT, 0, at, win);
	MPI_Win_flush_local(0, win);
}

/* -- the work -------------------------------------------------------------- */

/* Returns whether this worker is to keep the round's model. */
static bool work(int round, int rank, MPI_Win win)
{
	double model[PARAMETERS], gradient[PARAMETERS];
	MPI_Request drawn, offered;
	long batch, next;
	int keeper;

	/* All three leave together. */
	read_model(model, win);
	offer(round, &rank, &keeper, win, &offered);
	draw(round, &next, win, &drawn);
	MPI_Win_flush_local(0, win);
	for (;;) {
		MPI_Wait(&drawn, MPI_STATUS_IGNORE);
		if (next >= BATCHES)
			break;
		batch = next;
		draw(round, &next, win, &drawn);
		memset(gradient, 0, sizeof(gradient));
		add_gradient(batch, model, gradient);
		send(gradient, win);
	}
	MPI_Wait(&offered, MPI_STATUS_IGNORE);
	/* The server says that the model is new. */
	await(ROUND, 1, win);
	return keeper == NOBODY;
}

/* Of a batch that nobody draws: 0 where the model is right. */
static double test(const double *model)
{
	double gradient[PARAMETERS] = { 0 }, sum = 0;
	int p;

	add_gradient(BATCHES, model, gradient);
	for (p = 0; p < PARAMETERS; p++)
		sum += fabs(gradient[p]);
	return sum;
}

/* Returns how often the model was tested meanwhile. */
static long serve(struct server *server, int workers, MPI_Win win)
{
	int p, rank, left = BATCHES;
	long tests = 0;

	for (; !have_come(GRADIENT, &left, win); tests++)
		last_test = test(server->model);
	/* All have read it: it may change. */
	await(READ, workers, win);
	for (p = 0; p < PARAMETERS; p++) {
		server->model[p] -= RATE * server->gradient[p];
		server->gradient[p] = 0;
	}
	/* Before anybody reads it. */
	MPI_Win_sync(win);
	for (rank = 1; rank <= workers; rank++)
		tell(rank, win);
	return tests;
}

static double distance(const struct server *server)
{
	double sum = 0;
	int p;

	for (p = 0; p < PARAMETERS; p++)
		sum += fabs(server->model[p] - truth(p));
	return sum;
}

/* Microseconds of a round; *count is of models kept or, the server, tests. */
static double run(struct server *server, int rank, int workers, MPI_Win win,
		  long *count)
{
	double begin;
	int round;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	for (round = 0; round < rounds; round++)
		*count += rank ? work(round, rank, win)
			       : serve(server, workers, win);
	MPI_Win_unlock_all(win);
	return 1e6 * (MPI_Wtime() - begin) / rounds;
}

int main(int argc, char **argv)
{
	double before = 0, us;
	struct server *server;
	int rank, size, bad = 0;
	long count = 0, kept;
	MPI_Win win;

	mpi = argc > 2;
	if (argc > 1)
		rounds = atoi(argv[1]);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rounds < 1 || rounds > MOST_ROUNDS || size < 2) {
		if (!rank)
			fprintf(stderr,
				"usage: server [ROUNDS [mpi]], of %d rounds at "
				"most, on two ranks and more\n",
				MOST_ROUNDS);
		MPI_Finalize();
		return 2;
	}
	MPI_Win_allocate(rank ? 0 : sizeof(*server), 1, MPI_INFO_NULL,
			 MPI_COMM_WORLD, &server, &win);
	if (!rank) {
		memset(server, 0, sizeof(*server));
		before = distance(server);
	}
	us = run(server, rank, size - 1, win, &count);
	kept = rank ? count : 0;
	MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPI_LONG, MPI_SUM,
		      MPI_COMM_WORLD);
	if (!rank) {
		printf("%d workers, %d rounds of %.2f us: distance %g, then "
		       "%g; %ld models kept, %ld tests, the last: %g\n",
		       size - 1, rounds, us, before, distance(server), kept,
		       count, last_test);
		bad = !(distance(server) < before / 100) || kept != rounds;
	}
	MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return bad;
}
