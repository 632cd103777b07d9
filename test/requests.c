/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Rput, Rget, Raccumulate and Rget_accumulate return are requests:
 * Wait, Waitall, Waitany, Waitsome, Test, Testall, Testany, Testsome and
 * Request_get_status take them, beside MPI_REQUEST_NULL and requests of
 * Isend and Irecv in one array; when one is complete, the origin buffer may
 * be reused and results are there.
 */
/* ranks: 1 2 4; paths: default cma fabric-nic */
#include "test.h"

#define TAG 9

enum {
	RPUT,
	RGET,
	RACC,
	RGETACC,
	NOTHING, /* MPI_REQUEST_NULL */
	ISEND,
	IRECV,
	COUNT
};

/* One of each; everybody works on a word of its own of each target. */
struct batch {
	struct test_win *w;
	int round;
	MPI_Request r[COUNT];
	int put, get, add, fetched, sent, received;
};

static MPI_Aint at(const struct test_win *w, int t, int word)
{
	return test_at(w, t, (test_rank * 4 + word) * (MPI_Aint)sizeof(int));
}

static int get_word(const struct test_win *w, int t, int word)
{
	int got = -1;

	MPI_Get(&got, 1, MPI_INT, t, at(w, t, word), 1, MPI_INT, w->win);
	MPI_Win_flush(t, w->win);
	return got;
}

/* Word 0 is put, 1 holds 1000 + rank, 2 is a sum, 3 a sum that is fetched. */
static void begin(struct batch *b)
{
	struct test_win *w = b->w;
	int t = test_next();

	b->put = 50 + ++b->round;
	b->add = 3;
	b->get = b->fetched = b->received = -1;
	b->sent = b->round * 10 + test_rank;
	MPI_Irecv(&b->received, 1, MPI_INT, test_prev(), TAG, MPI_COMM_WORLD,
		  &b->r[IRECV]);
	MPI_Rput(&b->put, 1, MPI_INT, t, at(w, t, 0), 1, MPI_INT, w->win,
		 &b->r[RPUT]);
	MPI_Rget(&b->get, 1, MPI_INT, t, at(w, t, 1), 1, MPI_INT, w->win,
		 &b->r[RGET]);
	MPI_Raccumulate(&b->add, 1, MPI_INT, t, at(w, t, 2), 1, MPI_INT,
			MPI_SUM, w->win, &b->r[RACC]);
	MPI_Rget_accumulate(&b->add, 1, MPI_INT, &b->fetched, 1, MPI_INT, t,
			    at(w, t, 3), 1, MPI_INT, MPI_SUM, w->win,
			    &b->r[RGETACC]);
	b->r[NOTHING] = MPI_REQUEST_NULL;
	MPI_Isend(&b->sent, 1, MPI_INT, test_next(), TAG, MPI_COMM_WORLD,
		  &b->r[ISEND]);
}

static void end(struct batch *b, const char *call)
{
	struct test_win *w = b->w;
	int t = test_next(), i;

	for (i = 0; i < COUNT; i++)
		check(b->r[i] == MPI_REQUEST_NULL, "request %d after %s", i,
		      call);
	check(b->get == 1000 + t, "Rget got %d, %s", b->get, call);
	check(b->fetched == 3 * (b->round - 1), "Rget_accumulate got %d, %s",
	      b->fetched, call);
	check(b->received == b->round * 10 + test_prev(), "received %d, %s",
	      b->received, call);
	b->put = b->add = -7; /* complete: ours again */
	MPI_Win_flush(t, w->win);
	check(get_word(w, t, 0) == 50 + b->round, "Rput put %d, %s",
	      get_word(w, t, 0), call);
	check(get_word(w, t, 2) == 3 * b->round, "Raccumulate made %d, %s",
	      get_word(w, t, 2), call);
	check(get_word(w, t, 3) == 3 * b->round, "Rget_accumulate made %d, %s",
	      get_word(w, t, 3), call);
}

static void by_wait(struct batch *b)
{
	MPI_Status status;
	int i;

	for (i = COUNT - 1; i >= 0; i--)
		MPI_Wait(&b->r[i], i % 2 ? &status : MPI_STATUS_IGNORE);
}

static void by_waitall(struct batch *b)
{
	MPI_Waitall(COUNT, b->r, MPI_STATUSES_IGNORE);
}

static void by_waitall_statuses(struct batch *b)
{
	MPI_Status statuses[COUNT];
	int n = -1;

	MPI_Waitall(COUNT, b->r, statuses);
	check(statuses[IRECV].MPI_SOURCE == test_prev() &&
		      statuses[IRECV].MPI_TAG == TAG,
	      "status of the receive: %d %d", statuses[IRECV].MPI_SOURCE,
	      statuses[IRECV].MPI_TAG);
	MPI_Get_count(&statuses[IRECV], MPI_INT, &n);
	check(n == 1, "received %d", n);
}

/* What a call says that it has completed: none twice. */
static bool take(const struct batch *b, bool done[COUNT], int i,
		 const char *call)
{
	if (!check(i >= 0 && i < COUNT && i != NOTHING && !done[i],
		   "%s chose %d", call, i))
		return false;
	done[i] = true;
	return check(b->r[i] == MPI_REQUEST_NULL, "request %d after %s", i,
		     call);
}

/* And each status is that of the request of the same place in the list. */
static bool take_some(const struct batch *b, bool done[COUNT], int n,
		      const int *list, const MPI_Status *statuses,
		      const char *call)
{
	int k;

	for (k = 0; k < n; k++) {
		if (!take(b, done, list[k], call))
			return false;
		if (list[k] == IRECV)
			check(statuses[k].MPI_SOURCE == test_prev() &&
				      statuses[k].MPI_TAG == TAG,
			      "%s: the receive is from %d, tag %d", call,
			      statuses[k].MPI_SOURCE, statuses[k].MPI_TAG);
	}
	return true;
}

static void by_waitany(struct batch *b)
{
	bool done[COUNT] = { false };
	int left, i;

	for (left = COUNT - 1; left; left--) {
		MPI_Waitany(COUNT, b->r, &i, MPI_STATUS_IGNORE);
		if (!take(b, done, i, "Waitany"))
			return;
	}
	MPI_Waitany(COUNT, b->r, &i, MPI_STATUS_IGNORE);
	check(i == MPI_UNDEFINED, "Waitany of none: %d", i);
}

static void by_waitsome(struct batch *b)
{
	int list[COUNT], n, left = COUNT - 1;
	MPI_Status statuses[COUNT];
	bool done[COUNT] = { false };

	while (left > 0) {
		MPI_Waitsome(COUNT, b->r, &n, list, statuses);
		if (!check(n > 0 && n <= left, "Waitsome says %d", n) ||
		    !take_some(b, done, n, list, statuses, "Waitsome"))
			return;
		left -= n;
	}
	MPI_Waitsome(COUNT, b->r, &n, list, MPI_STATUSES_IGNORE);
	check(n == MPI_UNDEFINED, "Waitsome of none: %d", n);
}

static void by_test(struct batch *b)
{
	int i, flag;

	for (i = 0; i < COUNT; i++)
		do
			MPI_Test(&b->r[i], &flag, MPI_STATUS_IGNORE);
		while (!flag);
}

static void by_testall(struct batch *b)
{
	int flag;

	do
		MPI_Testall(COUNT, b->r, &flag, MPI_STATUSES_IGNORE);
	while (!flag);
}

static void by_testany(struct batch *b)
{
	int left = COUNT - 1, i, flag;
	bool done[COUNT] = { false };

	while (left) {
		MPI_Testany(COUNT, b->r, &i, &flag, MPI_STATUS_IGNORE);
		if (flag && !take(b, done, i, "Testany"))
			return;
		left -= flag;
	}
	MPI_Testany(COUNT, b->r, &i, &flag, MPI_STATUS_IGNORE);
	check(flag && i == MPI_UNDEFINED, "Testany of none: %d", i);
}

static void by_testsome(struct batch *b)
{
	int left = COUNT - 1, list[COUNT], n;
	MPI_Status statuses[COUNT];
	bool done[COUNT] = { false };

	while (left > 0) {
		MPI_Testsome(COUNT, b->r, &n, list, statuses);
		if (!check(n >= 0 && n <= left, "Testsome says %d", n) ||
		    !take_some(b, done, n, list, statuses, "Testsome"))
			return;
		left -= n;
	}
}

/* Leaves the request as it is: it has still to be waited for. */
static void by_get_status(struct batch *b)
{
	int i, flag;

	for (i = 0; i < COUNT; i++)
		do
			MPI_Request_get_status(b->r[i], &flag,
					       MPI_STATUS_IGNORE);
		while (!flag);
	check(b->r[RPUT] != MPI_REQUEST_NULL, "Request_get_status took it");
	MPI_Waitall(COUNT, b->r, MPI_STATUSES_IGNORE);
}

/* R-forms on their own, as most programs use them. */
static void by_waitall_own(struct batch *b)
{
	MPI_Waitall(4, b->r, MPI_STATUSES_IGNORE);
	MPI_Waitall(COUNT - 4, b->r + 4, MPI_STATUSES_IGNORE);
}

static const struct {
	void (*fn)(struct batch *b);
	const char *call;
} ways[] = { { by_wait, "Wait" },
	     { by_waitall, "Waitall" },
	     { by_waitall_statuses, "Waitall with statuses" },
	     { by_waitany, "Waitany" },
	     { by_waitsome, "Waitsome" },
	     { by_test, "Test" },
	     { by_testall, "Testall" },
	     { by_testany, "Testany" },
	     { by_testsome, "Testsome" },
	     { by_get_status, "Request_get_status" },
	     { by_waitall_own, "two Waitalls" } };

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;
	size_t i;
	int r;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		struct batch b = { .w = &w };

		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, test_size * 4 * sizeof(int),
			      sizeof(int));
		for (r = 0; r < test_size; r++)
			((int *)w.base)[r * 4 + 1] = 1000 + test_rank;
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_lock_all(0, w.win);
		for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			begin(&b);
			ways[i].fn(&b);
			end(&b, ways[i].call);
		}
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
