/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A count whose elements are more than 2^64 together is not taken for the
 * few that are left of it: Accumulate and Get_accumulate refuse it, whether
 * it is the origin's, the target's or the result's, and move nothing.
 */
/* ranks: 1 2; paths: default cma */
#include "test.h"

#include <limits.h>

#define BITS  60 /* bytes of a type, as a power of 2 */
#define TIMES 16 /* so many of it are 2^64, that is 0 */

static struct test_win w;
static MPI_Aint at;
static int target;
static MPI_Datatype huge;

static void make_huge(void)
{
	MPI_Datatype half;

	MPI_Type_contiguous(1 << BITS / 2, MPI_BYTE, &half);
	MPI_Type_contiguous(1 << BITS / 2, half, &huge);
	MPI_Type_commit(&huge);
	MPI_Type_free(&half);
}

static void at_origin(int count)
{
	const char origin = 7;
	char result = 9;

	expect(MPI_Accumulate(&origin, count, huge, target, at, 1, MPI_BYTE,
			      MPI_REPLACE, w.win),
	       MPI_ERR_TRUNCATE, "MPI_Accumulate");
	expect(MPI_Get_accumulate(&origin, count, huge, &result, 1, MPI_BYTE,
				  target, at, 1, MPI_BYTE, MPI_BOR, w.win),
	       MPI_ERR_TRUNCATE, "MPI_Get_accumulate");
	check(result == 9, "fetched %d", result);
}

static void at_target(int count)
{
	const char origin = 7;
	char result = 9;

	expect(MPI_Accumulate(&origin, 1, MPI_BYTE, target, at, count, huge,
			      MPI_REPLACE, w.win),
	       MPI_ERR_RMA_RANGE, "MPI_Accumulate");
	expect(MPI_Accumulate(&origin, count, huge, target, at, count, huge,
			      MPI_REPLACE, w.win),
	       MPI_ERR_RMA_RANGE, "MPI_Accumulate");
	expect(MPI_Get_accumulate(NULL, 0, MPI_BYTE, &result, count, huge,
				  target, at, count, huge, MPI_NO_OP, w.win),
	       MPI_ERR_RMA_RANGE, "MPI_Get_accumulate");
	check(result == 9, "fetched %d", result);
}

/* A result may have room for more than is fetched, in theory for so many. */
static void at_result(int count)
{
	const char origin = 7;
	char result[2] = { 9, 9 };

	ok(MPI_Get_accumulate(&origin, 1, MPI_BYTE, result, count, huge, target,
			      at, 1, MPI_BYTE, MPI_BXOR, w.win));
	MPI_Win_flush(target, w.win);
	ok(MPI_Get_accumulate(&origin, 1, MPI_BYTE, result, count, huge, target,
			      at, 1, MPI_BYTE, MPI_BXOR, w.win));
	MPI_Win_flush(target, w.win);
	check(result[0] == (1 ^ 7) && result[1] == 9, "fetched %d, %d",
	      result[0], result[1]);
}

#if MPI_VERSION >= 4
/* Of 8 bytes each: what 2^61 and some are is what some are. */
static void large_counts(void)
{
	const MPI_Count many = ((MPI_Count)1 << 61) + 1;
	const long origin = 7;

	expect(MPI_Accumulate_c(&origin, many, MPI_LONG, target, at, 1,
				MPI_LONG, MPI_SUM, w.win),
	       MPI_ERR_TRUNCATE, "MPI_Accumulate");
	expect(MPI_Accumulate_c(&origin, many, MPI_LONG, target, at, many,
				MPI_LONG, MPI_SUM, w.win),
	       MPI_ERR_RMA_RANGE, "MPI_Accumulate");
	expect(MPI_Accumulate_c(&origin, LLONG_MAX, MPI_LONG, target, at,
				LLONG_MAX, MPI_LONG, MPI_SUM, w.win),
	       MPI_ERR_RMA_RANGE, "MPI_Accumulate");
}
#else
static void large_counts(void)
{
}
#endif

int main(int argc, char **argv)
{
	size_t bad;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts do not look");
	test_win_open(&w, KIND_ALLOCATE, 64, 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	memset(w.base, 1, 64);
	MPI_Barrier(MPI_COMM_WORLD);
	make_huge();
	target = test_next();
	at = test_at(&w, target, 8);
	MPI_Win_lock_all(0, w.win);
	at_origin(TIMES);
	at_origin(TIMES - 1);
	at_target(TIMES);
	at_target(TIMES - 1);
	at_result(TIMES);
	large_counts();
	MPI_Win_unlock_all(w.win);
	MPI_Barrier(MPI_COMM_WORLD);
	bad = test_differs_from(w.base, 64, 1);
	check(bad == 64, "byte %zu became %d", bad, w.base[bad]);
	MPI_Type_free(&huge);
	test_win_close(&w);
	return test_finish();
}
