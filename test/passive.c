/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passive target is passive: every call of a passive epoch completes while
 * the target is outside MPI, on windows of every kind.  The targets watch
 * their own memory, asleep, at work or giving up the core, in a loop that ends,
 * and call nothing of MPI until the origin, done with all calls, has written
 * its last word there.
 */
/* ranks: 2 4; paths: default direct cma fabric software */
#include <sched.h>
#include <time.h>

#include "test.h"

enum {
	DONE, /* words of the window: the origin is done */
	WORD,
	SUM,
	COUNT,
	SWAP,
	RPUT,
	RSUM,
	EACH,		  /* one for each operation */
	MANY = EACH + 16, /* the first of a large part, 1 MiB */
	WORDS = MANY + (1 << 18)
};

/* Far beyond what it takes. */
#define LIMIT_S 30

static MPI_Aint at(const struct test_win *w, int t, int word)
{
	return test_at(w, t, word * (MPI_Aint)sizeof(int));
}

static void put_get(struct test_win *w, int t)
{
	int put = 41, got = -1;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
	MPI_Put(&put, 1, MPI_INT, t, at(w, t, WORD), 1, MPI_INT, w->win);
	MPI_Win_unlock(t, w->win);
	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
	MPI_Get(&got, 1, MPI_INT, t, at(w, t, WORD), 1, MPI_INT, w->win);
	MPI_Win_unlock(t, w->win);
	check(got == put, "got %d", got);
}

static void large(struct test_win *w, int t)
{
	int n = WORDS - MANY, *buf = malloc(n * sizeof(int));
	MPI_Datatype stripes;

	MPI_Type_vector(n / 2, 1, 2, MPI_INT, &stripes);
	MPI_Type_commit(&stripes);
	test_fill(buf, n * sizeof(int), t, 1);
	MPI_Put(buf, n, MPI_INT, t, at(w, t, MANY), n, MPI_INT, w->win);
	MPI_Win_flush(t, w->win);
	MPI_Put(buf, 1, stripes, t, at(w, t, MANY), 1, stripes, w->win);
	MPI_Win_flush(t, w->win);
	MPI_Accumulate(buf, n, MPI_INT, t, at(w, t, MANY), n, MPI_INT, MPI_MAX,
		       w->win);
	MPI_Accumulate(buf, 1, stripes, t, at(w, t, MANY), 1, stripes, MPI_MAX,
		       w->win);
	MPI_Win_flush(t, w->win);
	memset(buf, 0, n * sizeof(int));
	MPI_Get(buf, n, MPI_INT, t, at(w, t, MANY), n, MPI_INT, w->win);
	MPI_Win_flush(t, w->win);
	check(test_differs(buf, n * sizeof(int), t, 1) == n * sizeof(int),
	      "%s: other words", test_kind_name(w->kind));
	MPI_Type_free(&stripes);
	free(buf);
}

static void atomics(struct test_win *w, int t)
{
	int one = 1, two = 2, old = -1, zero = 0;

	MPI_Accumulate(&two, 1, MPI_INT, t, at(w, t, SUM), 1, MPI_INT, MPI_SUM,
		       w->win);
	MPI_Win_flush(t, w->win);
	MPI_Get_accumulate(&two, 1, MPI_INT, &old, 1, MPI_INT, t, at(w, t, SUM),
			   1, MPI_INT, MPI_SUM, w->win);
	MPI_Win_flush(t, w->win);
	check(old == 2, "fetched %d", old);
	MPI_Fetch_and_op(&one, &old, MPI_INT, t, at(w, t, COUNT), MPI_SUM,
			 w->win);
	MPI_Win_flush(t, w->win);
	check(old == 0, "fetched %d", old);
	MPI_Compare_and_swap(&two, &zero, &old, MPI_INT, t, at(w, t, SWAP),
			     w->win);
	MPI_Win_flush_all(w->win);
	check(old == 0, "swapped with %d", old);
}

/* Every operation that is defined for integers, from a known word. */
static void operations(struct test_win *w, int t)
{
	const struct {
		MPI_Op op;
		int result; /* of 12 and 10 */
	} cases[] = {
		{ MPI_MAX, 12 },   { MPI_MIN, 10 },	{ MPI_SUM, 22 },
		{ MPI_PROD, 120 }, { MPI_LAND, 1 },	{ MPI_BAND, 8 },
		{ MPI_LOR, 1 },	   { MPI_BOR, 14 },	{ MPI_LXOR, 0 },
		{ MPI_BXOR, 6 },   { MPI_REPLACE, 10 },
	};
	const int n = sizeof(cases) / sizeof(cases[0]);
	int first = 12, second = 10, got[16] = { 0 }, i;

	for (i = 0; i < n; i++) {
		MPI_Accumulate(&first, 1, MPI_INT, t, at(w, t, EACH + i), 1,
			       MPI_INT, MPI_REPLACE, w->win);
		MPI_Accumulate(&second, 1, MPI_INT, t, at(w, t, EACH + i), 1,
			       MPI_INT, cases[i].op, w->win);
	}
	MPI_Get_accumulate(NULL, 0, MPI_INT, got, n, MPI_INT, t, at(w, t, EACH),
			   n, MPI_INT, MPI_NO_OP, w->win);
	MPI_Win_flush_local(t, w->win);
	for (i = 0; i < n; i++)
		check(got[i] == cases[i].result, "%s: operation %d: %d",
		      test_kind_name(w->kind), i, got[i]);
}

static void requests(struct test_win *w, int t)
{
	int five = 5, got = -1, old = -1;
	MPI_Request r[2];

	MPI_Rput(&five, 1, MPI_INT, t, at(w, t, RPUT), 1, MPI_INT, w->win,
		 &r[0]);
	MPI_Raccumulate(&five, 1, MPI_INT, t, at(w, t, RSUM), 1, MPI_INT,
			MPI_SUM, w->win, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Win_flush(t, w->win);
	MPI_Rget(&got, 1, MPI_INT, t, at(w, t, RPUT), 1, MPI_INT, w->win,
		 &r[0]);
	MPI_Rget_accumulate(&five, 1, MPI_INT, &old, 1, MPI_INT, t,
			    at(w, t, RSUM), 1, MPI_INT, MPI_NO_OP, w->win,
			    &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	check(got == 5 && old == 5, "got %d, fetched %d", got, old);
}

static void origin(struct test_win *w)
{
	int t, done = 1;

	for (t = 1; t < test_size; t++) {
		put_get(w, t);
		MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
		atomics(w, t);
		MPI_Win_unlock(t, w->win);
		MPI_Win_lock_all(0, w->win);
		operations(w, t);
		large(w, t);
		requests(w, t);
		MPI_Win_unlock_all(w->win);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
		MPI_Put(&done, 1, MPI_INT, t, at(w, t, DONE), 1, MPI_INT,
			w->win);
		MPI_Win_unlock(t, w->win);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a target does instead of MPI. */
static void be_busy(int kind)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	volatile int work;

	switch (kind % 3) {
	case 0:
		nanosleep(&nap, NULL);
		break;
	case 1:
		for (work = 0; work < 100000; work++)
			;
		break;
	default:
		sched_yield();
	}
}

static void target(struct test_win *w)
{
	volatile int *words = (int *)w->base;
	double begin = seconds(), end = begin + LIMIT_S;

	while (!words[DONE] && seconds() < end)
		be_busy((int)w->kind);
	check(words[DONE], "%s: the origin has waited for its target",
	      test_kind_name(w->kind));
	if (test_rank == 1)
		printf("# note: %s: %.3f s outside MPI\n",
		       test_kind_name(w->kind), seconds() - begin);
}

/* Are there ranks that only messages reach, and no thread for them? */
static bool lacks_thread(void)
{
	const char *progress = getenv("ORIEL_PROGRESS");

	return progress && !strcmp(progress, "poll") &&
	       (test_apart || test_path_is("fabric") ||
		test_path_is("software"));
}

static void check_words(struct test_win *w)
{
	const int *words = (const int *)w->base;

	MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w->win);
	check(words[WORD] == 41 && words[SUM] == 4 && words[COUNT] == 1 &&
		      words[SWAP] == 2 && words[RPUT] == 5 && words[RSUM] == 5,
	      "%s: %d %d %d %d %d %d", test_kind_name(w->kind), words[WORD],
	      words[SUM], words[COUNT], words[SWAP], words[RPUT], words[RSUM]);
	MPI_Win_unlock(test_rank, w->win);
}

int main(int argc, char **argv)
{
	MPI_Info info = MPI_INFO_NULL;
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	if (argc > 1) { /* see progress_modes.sh */
		MPI_Info_create(&info);
		MPI_Info_set(info, "oriel_progress", argv[1]);
	} else if (lacks_thread()) {
		return test_skip("progress is asked for in calls alone");
	}
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open_info(&w, kind, WORDS * sizeof(int), sizeof(int),
				   info);
		if (test_rank)
			target(&w);
		else
			origin(&w);
		MPI_Barrier(MPI_COMM_WORLD);
		if (test_rank)
			check_words(&w);
		test_win_close(&w);
	}
	if (info != MPI_INFO_NULL)
		MPI_Info_free(&info);
	return test_finish();
}
