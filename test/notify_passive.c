/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notifications (oriel.h) ask nothing of the program: they are counted while
 * the target calls nothing of MPI, and behind a transfer of any size they leave
 * while the origin calls nothing either.  Both sides only watch their memory
 * meanwhile.  What nobody has waited for does not matter to MPI_Win_free.
 */
/* ranks: 2 4; paths: default direct cma fabric software */
#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#include <sched.h>
#include <time.h>

#define LARGE	  (16 << 20) /* above what sockets hold on the way */
#define MANY	  1000
#define LIMIT_S	  30 /* far beyond what it takes */
#define DONE	  LARGE
#define MANY_TAG  0
#define LARGE_TAG 1
#define READ_TAG  2
#define LEFT_TAG  3

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* No call of MPI before the word is there. */
static void watch(const struct test_win *w, int value)
{
	volatile int *word = (int *)(void *)(w->base + DONE);
	double end = seconds() + LIMIT_S;

	while (*word != value && seconds() < end)
		sched_yield();
	check(*word == value, "%s: nothing has come without a call of MPI",
	      test_kind_name(w->kind));
}

static void write_word(const struct test_win *w, int rank, int value)
{
	MPI_Put(&value, 1, MPI_INT, rank, test_at(w, rank, DONE), 1, MPI_INT,
		w->win);
	MPI_Win_flush(rank, w->win);
}

static void tell(const struct test_win *w, int rank, int tag)
{
	ok(Oriel_Put_notify(NULL, 0, MPI_BYTE, rank, test_at(w, rank, 0), 0,
			    MPI_BYTE, tag, w->win));
}

/* One look, which does nothing first, finds all of them. */
static void target_is_away(const struct test_win *w)
{
	int flag = 0, i;

	if (test_rank % 2) {
		watch(w, 1);
		ok(Oriel_Notify_test(w->win, MANY_TAG, MANY, &flag));
		check(flag, "%s: not counted", test_kind_name(w->kind));
		ok(Oriel_Notify_test(w->win, MANY_TAG, 1, &flag));
		check(!flag, "%s: counted twice", test_kind_name(w->kind));
	} else {
		for (i = 0; i < MANY; i++)
			tell(w, test_rank + 1, MANY_TAG);
		MPI_Win_flush(test_rank + 1, w->win);
		write_word(w, test_rank + 1, 1);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The other writes the word when it has been notified, and not before. */
static void origin_is_away(const struct test_win *w, char *buf)
{
	int t = test_rank ^ 1;

	test_fill(buf, LARGE, test_rank, 7);
	if (test_rank % 2) {
		ok(Oriel_Notify_wait(w->win, LARGE_TAG, 1));
		check(test_differs(w->base, LARGE, t, 7) == LARGE,
		      "%s: notified before the data came",
		      test_kind_name(w->kind));
		write_word(w, t, 2);
	} else {
		ok(Oriel_Put_notify(buf, LARGE, MPI_BYTE, t, test_at(w, t, 0),
				    LARGE, MPI_BYTE, LARGE_TAG, w->win));
		watch(w, 2);
	}
}

/* What was read is changed at once when the notification is there. */
static void reader_is_away(const struct test_win *w, char *buf)
{
	int t = test_rank ^ 1;

	test_fill(w->base, LARGE, test_rank, 8);
	memset(buf, 0, LARGE);
	MPI_Win_sync(w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank % 2) {
		ok(Oriel_Notify_wait(w->win, READ_TAG, 1));
		memset(w->base, 0, LARGE);
		write_word(w, t, 3);
	} else {
		ok(Oriel_Get_notify(buf, LARGE, MPI_BYTE, t, test_at(w, t, 0),
				    LARGE, MPI_BYTE, READ_TAG, w->win));
		watch(w, 3);
		MPI_Win_flush(t, w->win);
		check(test_differs(buf, LARGE, t, 8) == LARGE,
		      "%s: notified before the data were read",
		      test_kind_name(w->kind));
	}
}

int main(int argc, char **argv)
{
	char *buf = malloc(LARGE);
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	if (!Oriel_Put_notify)
		return test_skip("notifications are Oriel's");
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, LARGE + 64, 1);
		memset(w.base, 0, LARGE + 64);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_lock_all(0, w.win);
		target_is_away(&w);
		origin_is_away(&w, buf);
		reader_is_away(&w, buf);
		tell(&w, test_next(), LEFT_TAG);
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	free(buf);
	return test_finish();
}
