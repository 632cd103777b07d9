/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that lock one target exclusively, again and again, are served alike:
 * the most often served at most twice as often as the least.  Who waits for a
 * lock sends nothing meanwhile: neither it nor the target asks again and again.
 *
 * Only what was granted while all ranks were asking is counted.  A rank that
 * the system does not run cannot ask, which over many grants evens out: so a
 * result that is not fair is measured again, over four times as many.
 */
/* ranks: 4 8; paths: default cma; hosts: 2x2 2x4 4x2 */
#include <time.h>

#include "stats.h"
#include "test.h"

#define FIRST	50 /* grants a rank */
#define TRIES	4
#define WAIT_NS 300000000
/* A rank, while it waits: its request, an answer, what else they bring. */
#define MESSAGES 8

enum { JOINED, GRANTED, WORDS };

/* One grant: true if it counts. */
static bool enter(struct test_win *w, bool first, long most, long *granted)
{
	long state[WORDS];
	bool counts;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
	MPI_Get(state, WORDS, MPI_LONG, 0, test_at(w, 0, 0), WORDS, MPI_LONG,
		w->win);
	MPI_Win_flush(0, w->win);
	state[JOINED] += first;
	counts = state[JOINED] == test_size && state[GRANTED] < most;
	state[GRANTED] += counts;
	MPI_Put(state, WORDS, MPI_LONG, 0, test_at(w, 0, 0), WORDS, MPI_LONG,
		w->win);
	MPI_Win_unlock(0, w->win);
	*granted = state[GRANTED];
	return counts;
}

/* How often this rank was granted the lock, of most. */
static long compete(struct test_win *w, long most)
{
	long mine = 0, granted = 0;
	bool first = true;

	memset(w->base, 0, WORDS * sizeof(long));
	MPI_Barrier(MPI_COMM_WORLD);
	for (; granted < most; first = false)
		mine += enter(w, first, most, &granted);
	MPI_Barrier(MPI_COMM_WORLD);
	return mine;
}

static void fair(struct test_win *w)
{
	long mine, least, greatest, sum, most = FIRST * (long)test_size;
	int try;

	for (try = 1; try <= TRIES; try++, most *= 4) {
		mine = compete(w, most);
		MPI_Allreduce(&mine, &least, 1, MPI_LONG, MPI_MIN,
			      MPI_COMM_WORLD);
		MPI_Allreduce(&mine, &greatest, 1, MPI_LONG, MPI_MAX,
			      MPI_COMM_WORLD);
		MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM,
			      MPI_COMM_WORLD);
		check(sum == most, "%ld grants, not %ld", sum, most);
		if (greatest <= 2 * least)
			break;
	}
	if (!test_rank)
		printf("# note: %ld to %ld grants a rank, try %d\n", least,
		       greatest, try);
	check(try <= TRIES, "from %ld to %ld grants a rank", least, greatest);
}

/* An epoch without operations need not take its lock. */
static void lock_and_get(struct test_win *w)
{
	long word;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
	MPI_Get(&word, 1, MPI_LONG, 0, test_at(w, 0, 0), 1, MPI_LONG, w->win);
	MPI_Win_flush(0, w->win);
}

/* The last rank holds the lock while all others wait for it. */
static void silent(struct test_win *w)
{
	const struct timespec while_they_wait = { .tv_nsec = WAIT_NS };
	bool holds = test_rank == test_size - 1;
	long long sent;

	if (holds)
		lock_and_get(w);
	sent = stat_sum("messages_sent");
	if (holds)
		nanosleep(&while_they_wait, NULL);
	else
		lock_and_get(w);
	MPI_Win_unlock(0, w->win);
	sent = stat_sum("messages_sent") - sent;
	check(sent <= MESSAGES * (long long)test_size,
	      "%lld messages of %d ranks", sent, test_size);
	if (!test_rank)
		printf("# note: %lld messages\n", sent);
}

int main(int argc, char **argv)
{
	struct test_win w;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts promise no fairness");
	test_win_open(&w, KIND_ALLOCATE, WORDS * sizeof(long), sizeof(long));
	fair(&w);
	silent(&w);
	test_win_close(&w);
	return test_finish();
}
