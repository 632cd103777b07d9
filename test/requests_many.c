/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 10,000 requests of R-forms may be outstanding, small and large ones, and
 * are completed by one Waitall, by Waitany until none is left, and by
 * Request_free with the flush or unlock that completes the operation, be it
 * complete or not.  MPI_Cancel does not cancel it.
 */
/* ranks: 1 2; paths: default cma */
#include "test.h"

#define MANY  10000
#define ANY   500 /* Waitany is quadratic */
#define LARGE 70001
#define DROPS 20 /* that many large gets, not complete when they are begun */
#define DROP  35000

static MPI_Request requests[MANY];
static int words[MANY];

static MPI_Aint at(const struct test_win *w, int t, int i)
{
	return test_at(w, t, ((MPI_Aint)test_rank * MANY + i) * sizeof(int));
}

static void begin(struct test_win *w, int t, int round, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		words[i] = round * 100000 + i;
		MPI_Rput(&words[i], 1, MPI_INT, t, at(w, t, i), 1, MPI_INT,
			 w->win, &requests[i]);
	}
}

/* Fetched by as many requests. */
static void verify(struct test_win *w, int t, int round, int n)
{
	int i;

	MPI_Win_flush(t, w->win);
	memset(words, 0, sizeof(words));
	for (i = 0; i < n; i++)
		MPI_Rget(&words[i], 1, MPI_INT, t, at(w, t, i), 1, MPI_INT,
			 w->win, &requests[i]);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	for (i = 0; i < n; i++)
		check(words[i] == round * 100000 + i, "word %d is %d, round %d",
		      i, words[i], round);
}

static void small(struct test_win *w, int t)
{
	int i, chosen;

	begin(w, t, 1, MANY);
	MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
	verify(w, t, 1, MANY);
	begin(w, t, 2, ANY);
	for (i = 0; i < ANY; i++)
		MPI_Waitany(ANY, requests, &chosen, MPI_STATUS_IGNORE);
	MPI_Waitany(ANY, requests, &chosen, MPI_STATUS_IGNORE);
	check(chosen == MPI_UNDEFINED, "%d is left", chosen);
	verify(w, t, 2, ANY);
}

static void large(struct test_win *w, int t)
{
	char *buf = malloc(LARGE), *got = malloc(LARGE);
	MPI_Request r[2];

	/* Overlapping reads and a put that does not touch them. */
	test_fill(buf, LARGE, test_rank, 7);
	MPI_Rput(buf, LARGE / 2, MPI_BYTE, t,
		 w->first[t] + (MPI_Aint)test_rank * MANY, LARGE / 2, MPI_BYTE,
		 w->win, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Win_flush(t, w->win);
	MPI_Rget(got, LARGE / 2, MPI_BYTE, t,
		 w->first[t] + (MPI_Aint)test_rank * MANY, LARGE / 2, MPI_BYTE,
		 w->win, &r[0]);
	MPI_Rget(got + LARGE / 2, 100, MPI_BYTE, t,
		 w->first[t] + (MPI_Aint)test_rank * MANY, 100, MPI_BYTE,
		 w->win, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	check(!memcmp(got, buf, LARGE / 2) &&
		      !memcmp(got + LARGE / 2, buf, 100),
	      "large requests");
	free(buf);
	free(got);
}

/* Requests that are freed: the epoch's end completes them. */
static void freed(struct test_win *w, int t)
{
	int i;

	begin(w, t, 3, MANY);
	for (i = 0; i < MANY; i++)
		MPI_Request_free(&requests[i]);
	verify(w, t, 3, MANY);
}

static void fetch(struct test_win *w, int t, char *got)
{
	int i;

	memset(got, 0, (size_t)DROPS * DROP);
	for (i = 0; i < DROPS; i++)
		MPI_Rget(got + (size_t)i * DROP, DROP, MPI_BYTE, t, at(w, t, 0),
			 DROP, MPI_BYTE, w->win, &requests[i]);
}

static void fetched(const char *got, const char *how)
{
	int i;

	for (i = 0; i < DROPS; i++) {
		size_t good = test_differs(got + (size_t)i * DROP, DROP,
					   test_rank, 8);

		check(good == DROP, "get %d, byte %zu, %s", i, good, how);
	}
}

static void drop(void)
{
	int i;

	for (i = 0; i < DROPS; i++)
		MPI_Request_free(&requests[i]);
}

/* In the place of requests that are freed come others at once. */
static void dropped(struct test_win *w, int t)
{
	char *got = malloc((size_t)DROPS * DROP);
	char *more = malloc((size_t)DROPS * DROP);

	test_fill(got, DROP, test_rank, 8);
	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
	MPI_Put(got, DROP, MPI_BYTE, t, at(w, t, 0), DROP, MPI_BYTE, w->win);
	MPI_Win_flush(t, w->win);
	fetch(w, t, got);
	drop();
	fetch(w, t, more);
	MPI_Waitall(DROPS, requests, MPI_STATUSES_IGNORE);
	fetched(more, "beside others that were freed");
	MPI_Win_flush(t, w->win);
	fetched(got, "freed and flushed");
	fetch(w, t, got);
	drop();
	MPI_Win_unlock(t, w->win);
	fetched(got, "freed and unlocked");
	free(got);
	free(more);
}

/* Erroneous (section 11.3.5), but no reason to lose data. */
static void cancelled(struct test_win *w, int t)
{
	char *got = malloc((size_t)DROPS * DROP);
	MPI_Status statuses[DROPS];
	int i, flag;

	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
	fetch(w, t, got);
	for (i = 0; i < DROPS; i++)
		MPI_Cancel(&requests[i]);
	MPI_Waitall(DROPS, requests, statuses);
	fetched(got, "cancelled");
	for (i = 0; i < DROPS; i++) {
		MPI_Test_cancelled(&statuses[i], &flag);
		check(!flag, "get %d is told to be cancelled", i);
	}
	MPI_Win_unlock(t, w->win);
	free(got);
}

int main(int argc, char **argv)
{
	struct test_win w;
	int t;

	test_start(argc, argv);
	t = test_next();
	test_win_open(&w, test_path_is("direct") ? KIND_ALLOCATE : KIND_CREATE,
		      (MPI_Aint)test_size * MANY * sizeof(int), sizeof(int));
	MPI_Win_lock_all(0, w.win);
	small(&w, t);
	freed(&w, t);
	MPI_Win_unlock_all(w.win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w.win);
	large(&w, t);
	MPI_Win_unlock(t, w.win);
	dropped(&w, t);
	cancelled(&w, t);
	test_win_close(&w);
	return test_finish();
}
