/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI-3.1 sections 11.3.5 and 11.5 say of requests that are not complete
 * when their call returns: the call does not wait for a lock that somebody
 * else holds, nor does a test of the request; the end of the epoch completes
 * the operation though nobody has waited for its request, and that can be
 * done later, even when the window is gone; datatypes may be freed meanwhile.
 */
/* ranks: 2; paths: default cma */
#include <time.h>

#include "test.h"

#define WORDS 6
#define LARGE 100000

/* Where a lock is taken by MPI_Win_lock itself, that call waits. */
static bool is_lazy(void)
{
	return test_apart || test_path_is("fabric") || test_path_is("software");
}

static void never(MPI_Request *request, const char *what)
{
	int flag = -1, index = -1, n = -1;

	MPI_Test(request, &flag, MPI_STATUS_IGNORE);
	check(!flag, "Test of %s", what);
	MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
	check(!flag, "Testany of %s", what);
	MPI_Testsome(1, request, &n, &index, MPI_STATUSES_IGNORE);
	check(!n, "Testsome of %s: %d", what, n);
	MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
	check(!flag, "Testall of %s", what);
	MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
	check(!flag, "Request_get_status of %s", what);
	check(*request != MPI_REQUEST_NULL, "the request of %s", what);
}

/* Rank 1 holds its own lock until rank 0 says that its calls have returned. */
static void holder(struct test_win *w)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	((int *)w->base)[0] = 5;
	((int *)w->base)[1] = 6;
	MPI_Win_unlock(1, w->win);
}

static void origin(struct test_win *w)
{
	int got = -1, old = -1, ten = 10;
	MPI_Request r[3] = { MPI_REQUEST_NULL };

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w->win);
	MPI_Rget(&got, 1, MPI_INT, 1, test_at(w, 1, 0), 1, MPI_INT, w->win,
		 &r[1]);
	MPI_Rget_accumulate(&ten, 1, MPI_INT, &old, 1, MPI_INT, 1,
			    test_at(w, 1, sizeof(int)), 1, MPI_INT, MPI_SUM,
			    w->win, &r[2]);
	never(&r[1], "Rget");
	never(&r[2], "Rget_accumulate");
	MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	check(got == 5, "Rget got %d", got);
	check(old == 6, "Rget_accumulate got %d", old);
	MPI_Win_unlock(1, w->win);
}

static void held(struct test_win *w)
{
	if (test_rank)
		holder(w);
	else
		origin(w);
	MPI_Barrier(MPI_COMM_WORLD);
}

/*
 * While one waits for operations that cannot be done yet, it leaves the core to
 * others; also where it has been told to wait for one or some of several.
 */
#define HELD_S 0.5

static double core_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void hold_long(struct test_win *w)
{
	struct timespec held = { 0, (long)(HELD_S * 1e9) };

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	nanosleep(&held, NULL);
	MPI_Win_unlock(1, w->win);
}

static void wait_long(struct test_win *w, bool some)
{
	MPI_Request r[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int got[2] = { -1, -1 }, index[3] = { -1 }, n = -1, i;
	double start, used;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w->win);
	for (i = 0; i < 2; i++)
		MPI_Rget(&got[i], 1, MPI_INT, 1, test_at(w, 1, 0), 1, MPI_INT,
			 w->win, &r[i + (i == 1)]);
	MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	start = MPI_Wtime();
	used = core_seconds();
	if (some)
		MPI_Waitsome(3, r, &n, index, MPI_STATUSES_IGNORE);
	else
		MPI_Waitany(3, r, index, MPI_STATUS_IGNORE);
	used = core_seconds() - used;
	start = MPI_Wtime() - start;
	check(index[0] == 0 || index[0] == 2, "waited for number %d", index[0]);
	check(start > HELD_S / 2, "did not wait: %.3f s", start);
	check(used < start / 2, "%.3f s of the core in %.3f", used, start);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	MPI_Win_unlock(1, w->win);
}

static void asleep(struct test_win *w)
{
	for (int some = 0; some < 2; some++) {
		if (test_rank)
			hold_long(w);
		else
			wait_long(w, some);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* Every second word of an array, three times. */
static MPI_Datatype spread(void)
{
	MPI_Datatype type;

	MPI_Type_vector(WORDS / 2, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	return type;
}

struct late {
	MPI_Request r[4];
	int got[WORDS], old[WORDS], add[WORDS / 2];
	char *large;
};

static void issue(struct test_win *w, int t, struct late *l)
{
	MPI_Datatype type = spread();
	int i;

	for (i = 0; i < WORDS; i++)
		l->got[i] = l->old[i] = -1;
	for (i = 0; i < WORDS / 2; i++)
		l->add[i] = 1;
	memset(l->large, 0, LARGE);
	MPI_Rget(l->got, 1, type, t, test_at(w, t, 0), WORDS / 2, MPI_INT,
		 w->win, &l->r[0]);
	MPI_Rget_accumulate(l->add, WORDS / 2, MPI_INT, l->old, 1, type, t,
			    test_at(w, t, WORDS * sizeof(int)), WORDS / 2,
			    MPI_INT, MPI_SUM, w->win, &l->r[1]);
	MPI_Rget(l->large, LARGE, MPI_BYTE, t, test_at(w, t, 1024), LARGE,
		 MPI_BYTE, w->win, &l->r[2]);
	l->r[3] = MPI_REQUEST_NULL;
	MPI_Type_free(&type);
}

static void arrived(const struct late *l, int t, int round, const char *when)
{
	int i;

	for (i = 0; i < WORDS; i++) {
		int got = i % 2 ? -1 : 100 + t * 10 + i / 2;
		int old = i % 2 ? -1 : 200 + t * 10 + i / 2 + round;

		check(l->got[i] == got, "word %d is %d %s", i, l->got[i], when);
		check(l->old[i] == old, "old word %d is %d %s", i, l->old[i],
		      when);
	}
	check(test_differs(l->large, LARGE, t, 3) == LARGE, "byte %zu %s",
	      test_differs(l->large, LARGE, t, 3), when);
}

static void set_up(struct test_win *w)
{
	int *words = (int *)w->base, i;

	for (i = 0; i < WORDS; i++) {
		words[i] = 100 + test_rank * 10 + i;
		words[WORDS + i] = 200 + test_rank * 10 + i;
	}
	test_fill(w->base + 1024, LARGE, test_rank, 3);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	struct test_win w;
	struct late l;
	int t;

	test_start(argc, argv);
	t = test_next();
	l.large = malloc(LARGE);
	test_win_open(&w, test_path_is("direct") ? KIND_ALLOCATE : KIND_CREATE,
		      1024 + LARGE, 1);
	if (is_lazy()) {
		held(&w);
		asleep(&w);
	}
	set_up(&w);

	MPI_Win_lock_all(0, w.win);
	issue(&w, t, &l);
	MPI_Win_flush(t, w.win);
	arrived(&l, t, 0, "after flush");
	MPI_Waitall(4, l.r, MPI_STATUSES_IGNORE);

	issue(&w, t, &l);
	MPI_Waitall(4, l.r, MPI_STATUSES_IGNORE);
	arrived(&l, t, 1, "after Waitall");

	issue(&w, t, &l);
	MPI_Win_unlock_all(w.win);
	arrived(&l, t, 2, "after unlock_all");
	MPI_Waitall(4, l.r, MPI_STATUSES_IGNORE);

	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w.win);
	issue(&w, t, &l);
	MPI_Win_unlock(t, w.win);
	arrived(&l, t, 3, "after unlock");
	test_win_close(&w);
	MPI_Waitall(4, l.r, MPI_STATUSES_IGNORE);
	free(l.large);
	return test_finish();
}
