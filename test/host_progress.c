/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that waits in a window's synchronisation still progresses its
 * messages: a large send to it completes while it waits for the sender in
 * lock, fence, start, wait, win_free or window creation.  The sender comes to
 * what it is waited for only after its send.
 */
/* ranks: 2 3 8; paths: default cma */
#include "test.h"

#define BIG (8 << 20) /* no host sends this much eagerly */
#define TAG 3

static char *big;

/* Rank 0 sends to each other rank: waits until they have received. */
static void send_all(int round)
{
	int r;

	for (r = 1; r < test_size; r++) {
		test_fill(big, BIG, r, round);
		MPI_Send(big, BIG, MPI_BYTE, r, TAG, MPI_COMM_WORLD);
	}
}

/* Others have the receive posted, and complete it after they waited. */
static void receive(MPI_Request *request)
{
	memset(big, 0, BIG);
	MPI_Irecv(big, BIG, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, request);
}

static void received(MPI_Request *request, int round, const char *call)
{
	size_t bad;

	MPI_Wait(request, MPI_STATUS_IGNORE);
	bad = test_differs(big, BIG, test_rank, round);
	check(bad == BIG, "byte %zu of the message received in %s", bad, call);
}

static void in_lock(struct test_win *w, int round, bool all)
{
	MPI_Request request;

	if (!test_rank) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
		MPI_Barrier(MPI_COMM_WORLD);
		send_all(round);
		MPI_Win_unlock(0, w->win);
		return;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	receive(&request);
	if (all) {
		int got;

		/* Where lock_all does not wait, the first access does. */
		MPI_Win_lock_all(0, w->win);
		MPI_Get(&got, 1, MPI_INT, 0, test_at(w, 0, 0), 1, MPI_INT,
			w->win);
		MPI_Win_unlock_all(w->win);
	} else {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
		MPI_Win_unlock(0, w->win);
	}
	received(&request, round, all ? "lock_all" : "lock");
}

static void in_fence(struct test_win *w, int round)
{
	MPI_Request request;

	if (!test_rank) {
		send_all(round);
		MPI_Win_fence(0, w->win);
		return;
	}
	receive(&request);
	MPI_Win_fence(0, w->win);
	received(&request, round, "fence");
}

/* Rank 0 posts, or completes, after its sends. */
static void in_pscw(struct test_win *w, int round)
{
	int zero = 0;
	MPI_Group world, first, rest;
	MPI_Request request;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &zero, &first);
	MPI_Group_excl(world, 1, &zero, &rest);
	if (!test_rank) {
		send_all(round);
		MPI_Win_post(rest, 0, w->win);
		MPI_Win_wait(w->win);
		MPI_Win_start(rest, 0, w->win);
		send_all(round + 1);
		MPI_Win_complete(w->win);
	} else {
		receive(&request);
		MPI_Win_start(first, 0, w->win);
		MPI_Put(&round, 1, MPI_INT, 0, test_at(w, 0, 0), 1, MPI_INT,
			w->win);
		MPI_Win_complete(w->win);
		received(&request, round, "start or complete");
		receive(&request);
		MPI_Win_post(first, 0, w->win);
		MPI_Win_wait(w->win);
		received(&request, round + 1, "wait");
	}
	MPI_Group_free(&world);
	MPI_Group_free(&first);
	MPI_Group_free(&rest);
}

static void in_create_and_free(int round)
{
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Win win;
	char *base;

	if (test_rank)
		receive(&request);
	else
		send_all(round);
	MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	if (test_rank) {
		received(&request, round, "Win_allocate");
		receive(&request);
	} else {
		send_all(round + 1);
	}
	MPI_Win_free(&win);
	if (test_rank)
		received(&request, round + 1, "Win_free");
}

int main(int argc, char **argv)
{
	struct test_win w;

	test_start(argc, argv);
	big = malloc(BIG);
	test_win_open(&w, KIND_ALLOCATE, 64, 1);
	in_lock(&w, 1, false);
	MPI_Barrier(MPI_COMM_WORLD);
	in_lock(&w, 2, true);
	MPI_Barrier(MPI_COMM_WORLD);
	in_fence(&w, 3);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
	in_pscw(&w, 4);
	test_win_close(&w);
	in_create_and_free(6);
	free(big);
	return test_finish();
}
