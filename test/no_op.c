/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_NO_OP is for calls that fetch, and then nothing at the origin counts,
 * whatever it is; MPI_Accumulate refuses it.  Calls of no element succeed
 * whatever the operation and the type.  Fetch_and_op and Compare_and_swap
 * take predefined types only.
 */
/* ranks: 1 2; paths: default cma */
#include "elements.h"

static struct test_win w;
static int target;

static MPI_Aint at(int i)
{
	return test_at(&w, target, i * sizeof(long));
}

/* The word that rank's window holds. */
static long word(int rank, int i)
{
	return 100 * rank + i;
}

static void fetch(const void *origin, int count, MPI_Datatype type)
{
	long got[4] = { -1, -1, -1, -1 };
	int i;

	ok(MPI_Get_accumulate(origin, count, type, got, 4, MPI_LONG, target,
			      at(0), 4, MPI_LONG, MPI_NO_OP, w.win));
	MPI_Win_flush(target, w.win);
	for (i = 0; i < 4; i++)
		check(got[i] == word(target, i), "word %d is %ld", i, got[i]);
}

static void origin_ignored(void)
{
	long other[4] = { 7, 7, 7, 7 };

	fetch(other, 4, MPI_LONG);
	fetch(NULL, 0, MPI_LONG);
	fetch(NULL, 4, MPI_LONG);
	if (test_on_host)
		return;
	fetch(other, 1, MPI_DOUBLE);
	fetch(other, 1000000, MPI_LONG);
	fetch(NULL, -1, MPI_LONG);
	fetch(NULL, 0, MPI_DATATYPE_NULL);
	fetch(NULL, -5, MPI_DATATYPE_NULL);
}

static void requests_too(void)
{
	MPI_Request request;
	long got = -1;

	ok(MPI_Rget_accumulate(NULL, test_on_host ? 0 : -1,
			       test_on_host ? MPI_LONG : MPI_DATATYPE_NULL,
			       &got, 1, MPI_LONG, target, at(2), 1, MPI_LONG,
			       MPI_NO_OP, w.win, &request));
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	check(got == word(target, 2), "fetched %ld by a request", got);
	got = -1;
	ok(MPI_Fetch_and_op(NULL, &got, MPI_LONG, target, at(3), MPI_NO_OP,
			    w.win));
	MPI_Win_flush(target, w.win);
	check(got == word(target, 3), "fetched %ld of one", got);
}

/* What is wrong elsewhere than at the origin is wrong still. */
static void rest_counts(void)
{
	long got = -1;

	expect(MPI_Get_accumulate(NULL, -1, MPI_DATATYPE_NULL, &got, -1,
				  MPI_LONG, target, at(0), 1, MPI_LONG,
				  MPI_NO_OP, w.win),
	       MPI_ERR_COUNT, "MPI_Get_accumulate");
	expect(MPI_Get_accumulate(NULL, -1, MPI_DATATYPE_NULL, &got, 1,
				  MPI_LONG, target, at(0), -1, MPI_LONG,
				  MPI_NO_OP, w.win),
	       MPI_ERR_COUNT, "MPI_Get_accumulate");
	expect(MPI_Get_accumulate(NULL, -1, MPI_DATATYPE_NULL, &got, 1,
				  MPI_DATATYPE_NULL, target, at(0), 1, MPI_LONG,
				  MPI_NO_OP, w.win),
	       MPI_ERR_TYPE, "MPI_Get_accumulate");
	expect(MPI_Get_accumulate(NULL, -1, MPI_DATATYPE_NULL, &got, 1,
				  MPI_LONG, test_size, at(0), 1, MPI_LONG,
				  MPI_NO_OP, w.win),
	       MPI_ERR_RANK, "MPI_Get_accumulate");
	check(got == -1, "a result of %ld", got);
}

static void refused(void)
{
	const long other[4] = { 7, 7, 7, 7 };
	MPI_Request request;

	expect(MPI_Accumulate(other, 4, MPI_LONG, target, at(0), 4, MPI_LONG,
			      MPI_NO_OP, w.win),
	       MPI_ERR_OP, "MPI_Accumulate");
	expect(MPI_Accumulate(other, 1, MPI_LONG, target, at(0), 1, MPI_LONG,
			      MPI_NO_OP, w.win),
	       MPI_ERR_OP, "MPI_Accumulate");
	expect(MPI_Raccumulate(other, 1, MPI_LONG, target, at(0), 1, MPI_LONG,
			       MPI_NO_OP, w.win, &request),
	       MPI_ERR_OP, "MPI_Raccumulate");
}

static void nothing_of(MPI_Datatype type, int count, enum op op)
{
	long value = 7, got = -1;

	if (!ok(MPI_Accumulate(&value, count, type, target, at(0), count, type,
			       op_handle(op), w.win)) ||
	    !ok(MPI_Get_accumulate(&value, count, type, &got, count, type,
				   target, at(0), count, type, op_handle(op),
				   w.win)))
		fprintf(stderr, "\t%d items, %s\n", count, op_name(op));
	check(got == -1, "got %ld by %s of nothing", got, op_name(op));
}

/* Though the operation is not defined on the type. */
static void nothing(void)
{
	MPI_Datatype none, hollow, pair;
	enum op op;

	MPI_Type_contiguous(0, MPI_DOUBLE, &none);
	MPI_Type_commit(&none);
	MPI_Type_create_struct(0, NULL, NULL, NULL, &hollow);
	MPI_Type_commit(&hollow);
	MPI_Type_contiguous(2, MPI_FLOAT, &pair);
	MPI_Type_commit(&pair);
	for (op = 0; op < OP_COUNT; op++) {
		if (op == NO_OP)
			continue;
		nothing_of(MPI_LONG, 0, op);
		nothing_of(MPI_DOUBLE, 0, op);
		nothing_of(MPI_BYTE, 0, op);
		nothing_of(MPI_2INT, 0, op);
		nothing_of(pair, 0, op);
		nothing_of(none, 1, op);
		nothing_of(none, 5, op);
		nothing_of(hollow, 3, op);
	}
	MPI_Type_free(&none);
	MPI_Type_free(&hollow);
	MPI_Type_free(&pair);
}

static void derived(void)
{
	const long other = 7, compare = word(target, 0);
	MPI_Datatype one;
	long got = -1;

	MPI_Type_contiguous(1, MPI_LONG, &one);
	MPI_Type_commit(&one);
	expect(MPI_Fetch_and_op(&other, &got, one, target, at(0), MPI_SUM,
				w.win),
	       MPI_ERR_TYPE, "MPI_Fetch_and_op");
	expect(MPI_Fetch_and_op(NULL, &got, one, target, at(0), MPI_NO_OP,
				w.win),
	       MPI_ERR_TYPE, "MPI_Fetch_and_op");
	expect(MPI_Compare_and_swap(&other, &compare, &got, one, target, at(0),
				    w.win),
	       MPI_ERR_TYPE, "MPI_Compare_and_swap");
	check(got == -1, "a result of %ld", got);
	MPI_Type_free(&one);
}

int main(int argc, char **argv)
{
	long *words;
	int i;

	test_start(argc, argv);
	test_win_open(&w, KIND_ALLOCATE, 4 * sizeof(long), 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	words = (long *)w.base;
	for (i = 0; i < 4; i++)
		words[i] = word(test_rank, i);
	MPI_Barrier(MPI_COMM_WORLD);
	target = test_next();
	MPI_Win_lock_all(0, w.win);
	origin_ignored();
	requests_too();
	if (!test_on_host) {
		rest_counts();
		refused();
		nothing();
		derived();
	}
	MPI_Win_unlock_all(w.win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 4; i++)
		check(words[i] == word(test_rank, i), "word %d became %ld", i,
		      words[i]);
	test_win_close(&w);
	return test_finish();
}
