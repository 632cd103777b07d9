/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests beyond MPI's (oriel.h): of Fetch_and_op and Compare_and_swap the
 * result is there when the request is complete; a flush's request, when all
 * puts of every size before it are at the target; also among others' requests,
 * and with nothing to flush; needing a passive epoch.
 */
/* ranks: 1 2 4; paths: default cma; hosts: 2x1 2x2 */
#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#define LARGE  (1 << 18)
#define COUNT  64
#define ROUNDS 5

static void fetch(const struct test_win *w)
{
	long one = 1, before[COUNT];
	MPI_Request r[COUNT];
	char seen[COUNT * 8] = "";
	int i;

	for (i = 0; i < COUNT; i++)
		ok(Oriel_Rfetch_and_op(&one, &before[i], MPI_LONG, 0,
				       test_at(w, 0, 0), MPI_SUM, w->win,
				       &r[i]));
	MPI_Waitall(COUNT, r, MPI_STATUSES_IGNORE);
	for (i = 0; i < COUNT; i++) {
		if (!check(before[i] >= 0 && before[i] < COUNT * test_size &&
				   (!i || before[i] > before[i - 1]),
			   "%s: fetched %ld", test_kind_name(w->kind),
			   before[i]))
			return;
		seen[before[i]] = 1;
	}
	/* Each number was fetched by one. */
	MPI_Allreduce(MPI_IN_PLACE, seen, sizeof(seen), MPI_CHAR, MPI_SUM,
		      MPI_COMM_WORLD);
	check((int)test_differs_from(seen, COUNT * test_size, 1) ==
		      COUNT * test_size,
	      "%s: some number was fetched twice", test_kind_name(w->kind));
}

/* All try to take a free word: one gets it, and the others see who. */
static void swap(const struct test_win *w)
{
	long mine = test_rank + 1, none = 0, before = -1, winner = 0;
	MPI_Request r;
	int flag = 0;

	ok(Oriel_Rcompare_and_swap(&mine, &none, &before, MPI_LONG, 0,
				   test_at(w, 0, 8), w->win, &r));
	while (!flag)
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
	if (!before)
		before = mine;
	MPI_Allreduce(&before, &winner, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	check(before == winner && winner >= 1 && winner <= test_size,
	      "%s: %ld took it, but %ld, says another", test_kind_name(w->kind),
	      before, winner);
}

/* Another rank looks after it has been told by a message. */
static void flush(const struct test_win *w, char *buf, int round)
{
	int t = test_next(), token = 0, at = 64;
	static const int sizes[] = { 8, 100, 5000, LARGE };
	size_t i, bad, all = 0;
	MPI_Request r[2];

	for (i = 0; i < 4; i++)
		all += sizes[i];
	test_fill(buf, all, test_rank, round);
	MPI_Irecv(&token, 1, MPI_INT, test_prev(), round, MPI_COMM_WORLD,
		  &r[0]);
	for (i = 0; i < 4; i++) {
		MPI_Put(buf + at - 64, sizes[i], MPI_BYTE, t, test_at(w, t, at),
			sizes[i], MPI_BYTE, w->win);
		at += sizes[i];
		/* Also where one is under way. */
		if (i == 1)
			ok(Oriel_Rflush(t, w->win, &r[1]));
		if (i == 1)
			MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	}
	ok(Oriel_Rflush(t, w->win, &r[1]));
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	MPI_Send(&round, 1, MPI_INT, t, round, MPI_COMM_WORLD);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Win_sync(w->win);
	bad = test_differs(w->base + 64, all, test_prev(), round);
	check(token == round && bad == all, "%s: byte %zu is old",
	      test_kind_name(w->kind), bad);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void errors(const struct test_win *w)
{
	long one = 1, old;
	MPI_Request r = MPI_REQUEST_NULL;

	MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
	expect(Oriel_Rflush(0, w->win, &r), MPI_ERR_RMA_SYNC, "Oriel_Rflush");
	expect(Oriel_Rfetch_and_op(&one, &old, MPI_LONG, 0, test_at(w, 0, 0),
				   MPI_SUM, w->win, &r),
	       MPI_ERR_RMA_SYNC, "Oriel_Rfetch_and_op");
	MPI_Win_lock_all(0, w->win);
	expect(Oriel_Rflush(test_size, w->win, &r), MPI_ERR_RANK,
	       "Oriel_Rflush");
	expect(Oriel_Rcompare_and_swap(&one, &one, &old, MPI_DOUBLE, 0,
				       test_at(w, 0, 0), w->win, &r),
	       MPI_ERR_TYPE, "Oriel_Rcompare_and_swap");
	ok(Oriel_Rflush(MPI_PROC_NULL, w->win, &r));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(w->win);
}

int main(int argc, char **argv)
{
	char *buf = malloc(2 * LARGE);
	enum test_kind kind;
	struct test_win w;
	MPI_Request r;
	int i;

	test_start(argc, argv);
	if (!Oriel_Rflush)
		return test_skip("these requests are Oriel's");
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, 2 * LARGE, 1);
		MPI_Win_lock_all(0, w.win);
		ok(Oriel_Rflush(0, w.win, &r));
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		fetch(&w);
		swap(&w);
		for (i = 1; i <= ROUNDS; i++)
			flush(&w, buf, i);
		MPI_Win_unlock_all(w.win);
		errors(&w);
		test_win_close(&w);
	}
	free(buf);
	return test_finish();
}
