/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * server.c - a parameter server: rank 0 holds the parameters of a model, the
 * others compute gradients on batches of data and add them up there.
 *
 * The server needs to know when all gradients of a round are in, though it does
 * not know whose batches they were: Oriel_Accumulate_notify counts them.  A
 * worker draws the number of its next batch while it computes on this one:
 * Oriel_Rfetch_and_op gives a request, where MPI_Fetch_and_op needs a flush
 * that waits.
 */
/* ranks: 2 3 4; paths: default cma; hosts: 2x1 2x2 */
#include <math.h>
#include <mpi.h>
#include <oriel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PARAMETERS 8
#define BATCHES	   20 /* a round */
#define SAMPLES	   16 /* a batch */
#define ROUNDS	   200
#define RATE	   0.5

enum { GRADIENT, ROUND }; /* tags */

/* Rank 0's window. */
struct server {
	double model[PARAMETERS];
	double gradient[PARAMETERS];
	long next[ROUNDS]; /* batch that nobody has drawn, by round */
};

#define AT(member) (offsetof(struct server, member))

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

static void draw(int round, long *batch, MPI_Win win, MPI_Request *request)
{
	static const long one = 1;

	Oriel_Rfetch_and_op(&one, batch, MPI_LONG, 0,
			    AT(next) + round * sizeof(long), MPI_SUM, win,
			    request);
}

static void read_model(double *model, MPI_Win win)
{
	MPI_Get(model, PARAMETERS, MPI_DOUBLE, 0, AT(model), PARAMETERS,
		MPI_DOUBLE, win);
	MPI_Win_flush_local(0, win);
}

/* Who has drawn a batch may read the model: it changes when that is done. */
static void work(int round, MPI_Win win)
{
	double model[PARAMETERS], gradient[PARAMETERS];
	bool has_model = false;
	MPI_Request request;
	long batch, next;

	draw(round, &next, win, &request);
	for (;;) {
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (next >= BATCHES)
			break;
		batch = next;
		draw(round, &next, win, &request);
		if (!has_model)
			read_model(model, win);
		has_model = true;
		memset(gradient, 0, sizeof(gradient));
		add_gradient(batch, model, gradient);
		Oriel_Accumulate_notify(gradient, PARAMETERS, MPI_DOUBLE, 0,
					AT(gradient), PARAMETERS, MPI_DOUBLE,
					MPI_SUM, GRADIENT, win);
		MPI_Win_flush_local(0, win);
	}
	/* The server says that the model is new. */
	Oriel_Notify_wait(win, ROUND, 1);
}

static void serve(struct server *server, int workers, MPI_Win win)
{
	int p, rank;

	Oriel_Notify_wait(win, GRADIENT, BATCHES);
	for (p = 0; p < PARAMETERS; p++) {
		server->model[p] -= RATE * server->gradient[p];
		server->gradient[p] = 0;
	}
	for (rank = 1; rank <= workers; rank++)
		Oriel_Put_notify(NULL, 0, MPI_DOUBLE, rank, 0, 0, MPI_DOUBLE,
				 ROUND, win);
}

static double distance(const struct server *server)
{
	double sum = 0;
	int p;

	for (p = 0; p < PARAMETERS; p++)
		sum += fabs(server->model[p] - truth(p));
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size, round, bad = 0;
	struct server *server;
	double before = 0;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(rank ? 0 : sizeof(*server), 1, MPI_INFO_NULL,
			 MPI_COMM_WORLD, &server, &win);
	if (!rank) {
		memset(server, 0, sizeof(*server));
		before = distance(server);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	for (round = 0; round < ROUNDS; round++)
		if (rank)
			work(round, win);
		else
			serve(server, size - 1, win);
	MPI_Win_unlock_all(win);
	if (!rank) {
		printf("%d workers, %d rounds: distance %g, then %g\n",
		       size - 1, ROUNDS, before, distance(server));
		bad = !(distance(server) < before / 100);
	}
	MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return bad;
}
