/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A transfer that does not lie wholly in the target's memory is an error of
 * class MPI_ERR_RMA_RANGE (or MPI_ERR_DISP for a negative displacement),
 * whose text names the call, target and displacement, for every call, also
 * where displacement times unit or count times extent overflow; nothing is
 * written at either end, and transfers that just fit still work.  The regions
 * of a dynamic window are known to their owner alone: from a rank of another
 * node the error comes with the flush or unlock that follows.
 */
/* ranks: 1 3; paths: default cma fabric software */
#include <limits.h>

#include "test.h"

#define SIZE 101
#define MANY 1500

/* A target buffer that is out of range. */
struct place {
	MPI_Aint disp;
	int count;
	MPI_Datatype type;
	const char *words;
};

static char out[4096], in[4096];
/* Errors of the calls under test may come as late as the flush. */
static bool may_be_late;

static bool is_near(int rank)
{
	MPI_Group world, node;
	MPI_Comm comm;
	int place;

	if (test_path_is("fabric") || test_path_is("software"))
		return rank == test_rank;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &comm);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Comm_group(comm, &node);
	MPI_Group_translate_ranks(world, 1, &rank, node, &place);
	MPI_Group_free(&world);
	MPI_Group_free(&node);
	MPI_Comm_free(&comm);
	return place != MPI_UNDEFINED;
}

/* What the call gave, or where it gave nothing yet, the flush. */
static int outcome(int rc, int t, MPI_Win win)
{
	return rc == MPI_SUCCESS && may_be_late ? MPI_Win_flush(t, win) : rc;
}

/* The same for a call with a request. */
static int outcome_r(int rc, MPI_Request *r, int t, MPI_Win win)
{
	if (rc == MPI_SUCCESS && may_be_late)
		rc = MPI_Wait(r, MPI_STATUS_IGNORE);
	return outcome(rc, t, win);
}

static int bad_put(const struct place *p, int t, MPI_Win win)
{
	return outcome(MPI_Put(out, p->count, p->type, t, p->disp, p->count,
			       p->type, win),
		       t, win);
}

static int bad_get(const struct place *p, int t, MPI_Win win)
{
	return outcome(MPI_Get(in, p->count, p->type, t, p->disp, p->count,
			       p->type, win),
		       t, win);
}

static int bad_acc(const struct place *p, int t, MPI_Win win)
{
	return outcome(MPI_Accumulate(out, p->count, p->type, t, p->disp,
				      p->count, p->type, MPI_REPLACE, win),
		       t, win);
}

static int bad_get_acc(const struct place *p, int t, MPI_Win win)
{
	return outcome(MPI_Get_accumulate(out, p->count, p->type, in, p->count,
					  p->type, t, p->disp, p->count,
					  p->type, MPI_REPLACE, win),
		       t, win);
}

static int bad_rput(const struct place *p, int t, MPI_Win win)
{
	MPI_Request r;
	int rc = MPI_Rput(out, p->count, p->type, t, p->disp, p->count, p->type,
			  win, &r);

	return outcome_r(rc, &r, t, win);
}

static int bad_rget(const struct place *p, int t, MPI_Win win)
{
	MPI_Request r;
	int rc = MPI_Rget(in, p->count, p->type, t, p->disp, p->count, p->type,
			  win, &r);

	return outcome_r(rc, &r, t, win);
}

static int bad_racc(const struct place *p, int t, MPI_Win win)
{
	MPI_Request r;
	int rc = MPI_Raccumulate(out, p->count, p->type, t, p->disp, p->count,
				 p->type, MPI_REPLACE, win, &r);

	return outcome_r(rc, &r, t, win);
}

static int bad_rget_acc(const struct place *p, int t, MPI_Win win)
{
	MPI_Request r;
	int rc = MPI_Rget_accumulate(out, p->count, p->type, in, p->count,
				     p->type, t, p->disp, p->count, p->type,
				     MPI_REPLACE, win, &r);

	return outcome_r(rc, &r, t, win);
}

static void bad_single(const struct place *p, int t, MPI_Win win)
{
	int class = MPI_ERR_RMA_RANGE;
	int other = p->disp < 0 ? MPI_ERR_DISP : class;

	if (p->count != 1 || p->type != MPI_INT)
		return;
	expect_or(outcome(MPI_Fetch_and_op(out, in, MPI_INT, t, p->disp,
					   MPI_REPLACE, win),
			  t, win),
		  class, other, p->words);
	expect_or(outcome(MPI_Compare_and_swap(out, out, in, MPI_INT, t,
					       p->disp, win),
			  t, win),
		  class, other, p->words);
}

static void bad(const struct place *p, int t, MPI_Win win)
{
	int class = MPI_ERR_RMA_RANGE;
	int other = p->disp < 0 ? MPI_ERR_DISP : class;

	expect_or(bad_put(p, t, win), class, other, p->words);
	expect_or(bad_get(p, t, win), class, other, p->words);
	expect_or(bad_acc(p, t, win), class, other, p->words);
	expect_or(bad_get_acc(p, t, win), class, other, p->words);
	expect_or(bad_rput(p, t, win), class, other, p->words);
	expect_or(bad_rget(p, t, win), class, other, p->words);
	expect_or(bad_racc(p, t, win), class, other, p->words);
	expect_or(bad_rget_acc(p, t, win), class, other, p->words);
	bad_single(p, t, win);
}

/* unit is the target's: displacements count in it. */
static void all_bad(int t, int unit, MPI_Win win)
{
	MPI_Datatype back, wide, far;
	MPI_Aint last = SIZE / unit;
	const MPI_Aint max = (MPI_Aint)((~(size_t)0) >> 1);
	size_t i;

	MPI_Type_create_hvector(2, 1, -8, MPI_INT, &back);
	MPI_Type_commit(&back);
	MPI_Type_create_hvector(2, 1, SIZE - 3, MPI_INT, &wide);
	MPI_Type_commit(&wide);
	MPI_Type_create_hvector(2, 1, (MPI_Aint)1 << 40, MPI_CHAR, &far);
	MPI_Type_commit(&far);
	{
		const struct place places[] = {
			{ last, 1, MPI_INT, "MPI_" },
			{ last - 3 / unit, 1, MPI_INT, "MPI_" },
			{ 0, SIZE + 1, MPI_CHAR, "MPI_ 102" },
			{ 1234567, 1, MPI_INT, "MPI_ 1234567" },
			{ -1, 1, MPI_INT, "MPI_ -1" },
			{ max, 1, MPI_INT, "MPI_" },
			{ max / unit + 1, 1, MPI_INT, "MPI_" },
			{ -max, 1, MPI_INT, "MPI_" },
			{ max / unit * 2, 1, MPI_INT, "MPI_" },
			{ (MPI_Aint)1 << 62, 1, MPI_INT, "MPI_" },
			{ 0, 1, back, "MPI_" },
			{ 0, 1, wide, "MPI_" },
			{ 0, 1, far, "MPI_" },
			{ 0, INT_MAX, far, "MPI_" },
			{ 0, INT_MAX, MPI_DOUBLE, "MPI_ 2147483647" },
		};

		for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			bad(&places[i], t, win);
	}
	MPI_Type_free(&back);
	MPI_Type_free(&wide);
	MPI_Type_free(&far);
}

/* What just fits: the last bytes, and a type that reaches back. */
static void good(int t, int unit, MPI_Win win)
{
	MPI_Datatype back;
	char got[8] = { 0 };
	MPI_Aint last = (SIZE - 1) / unit;
	int left = (int)(SIZE - last * unit);

	ok(MPI_Put(out, left, MPI_CHAR, t, last, left, MPI_CHAR, win));
	ok(MPI_Win_flush(t, win));
	ok(MPI_Get(got, left, MPI_CHAR, t, last, left, MPI_CHAR, win));
	ok(MPI_Win_flush(t, win));
	check(!memcmp(got, out, left), "the last %d bytes", left);
	MPI_Type_create_hvector(2, 1, -8, MPI_CHAR, &back);
	MPI_Type_commit(&back);
	ok(MPI_Put(out, 1, back, t, 8, 1, back, win));
	ok(MPI_Win_flush(t, win));
	MPI_Type_free(&back);
}

static void window(enum test_kind kind)
{
	struct test_win w;
	int unit = 1 + test_next() * 3;

	test_win_open(&w, kind, SIZE, 1 + test_rank * 3);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	memset(w.base, 0x66, SIZE);
	memset(out + 64, 0x11, sizeof(out) - 64);
	memset(in, 0x22, sizeof(in));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, w.win);
	all_bad(test_next(), unit, w.win);
	MPI_Barrier(MPI_COMM_WORLD);
	check(test_differs_from(w.base, SIZE, 0x66) == SIZE,
	      "%s: target memory was written", test_kind_name(kind));
	check(test_differs_from(in, sizeof(in), 0x22) == sizeof(in),
	      "%s: a result was written", test_kind_name(kind));
	MPI_Barrier(MPI_COMM_WORLD);
	good(test_next(), unit, w.win);
	MPI_Win_unlock_all(w.win);
	test_win_close(&w);
}

/* A late error is the unlock's, and of that epoch alone. */
static void unlocked(int type, int t, struct test_win *w)
{
	char byte = 0x66;
	int rc;

	ok(MPI_Win_lock(type, t, 0, w->win));
	rc = MPI_Put(out, 1, MPI_INT, t, w->first[t] + SIZE, 1, MPI_INT,
		     w->win);
	expect(rc == MPI_SUCCESS ? MPI_Win_unlock(t, w->win) : rc,
	       MPI_ERR_RMA_RANGE, "MPI_");
	if (rc != MPI_SUCCESS)
		ok(MPI_Win_unlock(t, w->win));
	ok(MPI_Win_lock(type, t, 0, w->win));
	ok(MPI_Put(&byte, 1, MPI_CHAR, t, w->first[t] + SIZE - 1, 1, MPI_CHAR,
		   w->win));
	ok(MPI_Win_unlock(t, w->win));
}

static int fetch(MPI_Aint disp, int t, MPI_Win win)
{
	return MPI_Fetch_and_op(out, in, MPI_INT, t, disp, MPI_SUM, win);
}

static int swap(MPI_Aint disp, int t, MPI_Win win)
{
	return MPI_Compare_and_swap(out, out, in, MPI_INT, t, disp, win);
}

static int get(MPI_Aint disp, int t, MPI_Win win)
{
	return MPI_Get(in, 1, MPI_INT, t, disp, 1, MPI_INT, win);
}

static int get_acc(MPI_Aint disp, int t, MPI_Win win)
{
	return MPI_Get_accumulate(out, 2, MPI_SHORT, in, 2, MPI_SHORT, t, disp,
				  2, MPI_SHORT, MPI_SUM, win);
}

/* More than may be under way at once: a call that has to wait for those before
 * may tell of their error, as it is. */
static void many_bad(MPI_Aint disp, int t, MPI_Win win)
{
	int (*const calls[])(MPI_Aint, int, MPI_Win) = { fetch, swap, get,
							 get_acc };
	size_t k;
	int i, rc;

	for (k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
		rc = MPI_SUCCESS;
		for (i = 0; i < MANY && rc == MPI_SUCCESS; i++)
			rc = calls[k](disp, t, win);
		expect(rc == MPI_SUCCESS ? MPI_Win_flush(t, win) : rc,
		       MPI_ERR_RMA_RANGE, "MPI_");
		ok(MPI_Win_flush(t, win));
	}
}

/* Beside, across and between regions. */
static void dynamic(enum test_kind kind)
{
	struct test_win w;
	int t = test_next();
	size_t i;

	test_win_open(&w, kind, SIZE, 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	memset(w.base, 0x66, SIZE);
	memset(in, 0x22, sizeof(in));
	may_be_late = !is_near(t);
	MPI_Barrier(MPI_COMM_WORLD);
	unlocked(MPI_LOCK_EXCLUSIVE, t, &w);
	unlocked(MPI_LOCK_SHARED, t, &w);
	/* Who is in lock_all waits for others below. */
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, w.win);
	{
		const struct place places[] = {
			{ w.first[t] - 1, 1, MPI_INT, "MPI_" },
			{ w.first[t] + SIZE - 3, 1, MPI_INT, "MPI_" },
			{ w.first[t], SIZE + 1, MPI_CHAR, "MPI_" },
			{ w.first[t] + SIZE, 1, MPI_INT, "MPI_" },
			{ 0, 1, MPI_INT, "MPI_" },
			{ 64, 1, MPI_INT, "MPI_" },
		};

		for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			bad(&places[i], t, w.win);
		many_bad(places[0].disp, t, w.win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	check(test_differs_from(w.base, SIZE, 0x66) == SIZE &&
		      test_differs_from(in, sizeof(in), 0x22) == sizeof(in),
	      "%s: memory was written", test_kind_name(kind));
	ok(MPI_Win_unlock_all(w.win));
	may_be_late = false;
	test_win_close(&w);
}

/* More is sent than the other side has room for; or less, which is fine. */
static void unequal(void)
{
	int put[4] = { 1, 2, 3, 4 }, got[4] = { 9, 9, 9, 9 }, t = test_next();
	struct test_win w;

	test_win_open(&w, KIND_ALLOCATE, 16, 4);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	MPI_Win_lock_all(0, w.win);
	expect(MPI_Put(put, 3, MPI_INT, t, 0, 2, MPI_INT, w.win),
	       MPI_ERR_TRUNCATE, "MPI_Put");
	expect(MPI_Get(got, 2, MPI_INT, t, 0, 3, MPI_INT, w.win),
	       MPI_ERR_TRUNCATE, "MPI_Get");
	check(got[0] == 9, "got %d", got[0]);
	ok(MPI_Put(put, 2, MPI_INT, t, 0, 3, MPI_INT, w.win));
	ok(MPI_Win_flush(t, w.win));
	ok(MPI_Get(got, 4, MPI_INT, t, 0, 3, MPI_INT, w.win));
	ok(MPI_Win_flush(t, w.win));
	check(got[0] == 1 && got[1] == 2 && got[2] == 0 && got[3] == 9,
	      "%d %d %d %d", got[0], got[1], got[2], got[3]);
	MPI_Win_unlock_all(w.win);
	test_win_close(&w);
}

int main(int argc, char **argv)
{
	enum test_kind kind;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts do not look at ranges");
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		if (test_kind_is_dynamic(kind))
			dynamic(kind);
		else
			window(kind);
	}
	unequal();
	return test_finish();
}
