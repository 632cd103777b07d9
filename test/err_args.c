/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments that are wrong in themselves are errors of the class that the
 * standard gives them: ranks, counts, datatypes, operations, lock types,
 * assertions, keyvals, windows, regions; the text names the call and the
 * value; nothing is written.
 */
/* ranks: 1 2; paths: default */
#include "elements.h"

static struct test_win w;
static long in[8], out[8];

static void ranks(void)
{
	static const struct {
		int rank;
		const char *words;
	} list[] = { { -5, "-5" },
		     { 1000, "1000" },
		     { 1 << 30, "1073741824" } };
	MPI_Request r;
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		int t = list[i].rank;
		char words[64];

		snprintf(words, sizeof(words), "MPI_ %s", list[i].words);
		expect(MPI_Put(out, 1, MPI_INT, t, 0, 1, MPI_INT, w.win),
		       MPI_ERR_RANK, words);
		expect(MPI_Get(in, 1, MPI_INT, t, 0, 1, MPI_INT, w.win),
		       MPI_ERR_RANK, words);
		expect(MPI_Accumulate(out, 1, MPI_INT, t, 0, 1, MPI_INT,
				      MPI_SUM, w.win),
		       MPI_ERR_RANK, words);
		expect(MPI_Get_accumulate(out, 1, MPI_INT, in, 1, MPI_INT, t, 0,
					  1, MPI_INT, MPI_SUM, w.win),
		       MPI_ERR_RANK, words);
		expect(MPI_Fetch_and_op(out, in, MPI_INT, t, 0, MPI_SUM, w.win),
		       MPI_ERR_RANK, words);
		expect(MPI_Compare_and_swap(out, out, in, MPI_INT, t, 0, w.win),
		       MPI_ERR_RANK, words);
		expect(MPI_Rput(out, 1, MPI_INT, t, 0, 1, MPI_INT, w.win, &r),
		       MPI_ERR_RANK, words);
		expect(MPI_Win_flush(t, w.win), MPI_ERR_RANK, words);
		expect(MPI_Win_flush_local(t, w.win), MPI_ERR_RANK, words);
	}
}

static void counts(void)
{
	expect(MPI_Put(out, -3, MPI_INT, 0, 0, 1, MPI_INT, w.win),
	       MPI_ERR_COUNT, "MPI_Put -3");
	expect(MPI_Put(out, 1, MPI_INT, 0, 0, -4, MPI_INT, w.win),
	       MPI_ERR_COUNT, "MPI_Put -4");
	expect(MPI_Get(in, -3, MPI_INT, 0, 0, 1, MPI_INT, w.win), MPI_ERR_COUNT,
	       "MPI_Get -3");
	expect(MPI_Accumulate(out, 1, MPI_INT, 0, 0, -1, MPI_INT, MPI_SUM,
			      w.win),
	       MPI_ERR_COUNT, "MPI_Accumulate -1");
	expect(MPI_Get_accumulate(out, 1, MPI_INT, in, -6, MPI_INT, 0, 0, 1,
				  MPI_INT, MPI_SUM, w.win),
	       MPI_ERR_COUNT, "MPI_Get_accumulate -6");
}

static void types(void)
{
	const MPI_Datatype null = MPI_DATATYPE_NULL;

	expect(MPI_Put(out, 1, null, 0, 0, 1, MPI_INT, w.win), MPI_ERR_TYPE,
	       "MPI_Put");
	expect(MPI_Put(out, 1, MPI_INT, 0, 0, 1, null, w.win), MPI_ERR_TYPE,
	       "MPI_Put");
	expect(MPI_Get(in, 1, null, 0, 0, 1, MPI_INT, w.win), MPI_ERR_TYPE,
	       "MPI_Get");
	expect(MPI_Accumulate(out, 1, MPI_INT, 0, 0, 1, null, MPI_SUM, w.win),
	       MPI_ERR_TYPE, "MPI_Accumulate");
	expect(MPI_Get_accumulate(out, 1, MPI_INT, in, 1, null, 0, 0, 1,
				  MPI_INT, MPI_SUM, w.win),
	       MPI_ERR_TYPE, "MPI_Get_accumulate");
	expect(MPI_Fetch_and_op(out, in, null, 0, 0, MPI_SUM, w.win),
	       MPI_ERR_TYPE, "MPI_Fetch_and_op");
	expect(MPI_Compare_and_swap(out, out, in, null, 0, 0, w.win),
	       MPI_ERR_TYPE, "MPI_Compare_and_swap");
}

/* Types that the calls do not take, though they are types. */
static void unfit_types(void)
{
	const int lens[] = { 1, 1 };
	const MPI_Aint at[] = { 0, 8 };
	const MPI_Datatype two[] = { MPI_INT, MPI_DOUBLE };
	MPI_Datatype mixed, pair, raw;

	MPI_Type_create_struct(2, lens, at, two, &mixed);
	MPI_Type_commit(&mixed);
	MPI_Type_contiguous(1, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Type_contiguous(2, MPI_INT, &raw);
	expect(MPI_Accumulate(out, 1, mixed, 0, 0, 1, mixed, MPI_SUM, w.win),
	       MPI_ERR_TYPE, "MPI_Accumulate");
	expect(MPI_Accumulate(out, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM,
			      w.win),
	       MPI_ERR_TYPE, "MPI_Accumulate");
	expect(MPI_Fetch_and_op(out, in, pair, 0, 0, MPI_SUM, w.win),
	       MPI_ERR_TYPE, "MPI_Fetch_and_op");
	expect(MPI_Compare_and_swap(out, out, in, pair, 0, 0, w.win),
	       MPI_ERR_TYPE, "MPI_Compare_and_swap");
	expect(MPI_Compare_and_swap(out, out, in, MPI_DOUBLE, 0, 0, w.win),
	       MPI_ERR_TYPE, "MPI_Compare_and_swap");
	expect(MPI_Compare_and_swap(out, out, in, MPI_2INT, 0, 0, w.win),
	       MPI_ERR_TYPE, "MPI_Compare_and_swap");
	MPI_Type_free(&mixed);
	MPI_Type_free(&pair);
	MPI_Type_free(&raw);
}

static void user_op(void *a, void *b, int *n, MPI_Datatype *type)
{
}

static void operations(void)
{
	MPI_Op mine;

	MPI_Op_create(user_op, 1, &mine);
	expect(MPI_Accumulate(out, 1, MPI_INT, 0, 0, 1, MPI_INT, mine, w.win),
	       MPI_ERR_OP, "MPI_Accumulate");
	expect(MPI_Get_accumulate(out, 1, MPI_INT, in, 1, MPI_INT, 0, 0, 1,
				  MPI_INT, mine, w.win),
	       MPI_ERR_OP, "MPI_Get_accumulate");
	expect(MPI_Fetch_and_op(out, in, MPI_INT, 0, 0, mine, w.win),
	       MPI_ERR_OP, "MPI_Fetch_and_op");
	MPI_Op_free(&mine);
	expect(MPI_Accumulate(out, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL,
			      w.win),
	       MPI_ERR_OP, "MPI_Accumulate");
}

/* Every pair that the standard does not define. */
static void unfit_operations(void)
{
	size_t i;
	enum op op;

	for (i = 0; i < ELEMENT_COUNT; i++) {
		const struct element *e = &elements[i];

		if (!element_exists(e) || e->class == OPAQUE)
			continue;
		for (op = 0; op < OP_COUNT; op++) {
			if (op_fits(op, e->class))
				continue;
			if (!expect(MPI_Accumulate(out, 1, e->type, 0, 0, 1,
						   e->type, op_handle(op),
						   w.win),
				    MPI_ERR_OP, "MPI_Accumulate"))
				fprintf(stderr, "\t%s on %s\n", op_name(op),
					e->name);
			expect(MPI_Fetch_and_op(out, in, e->type, 0, 0,
						op_handle(op), w.win),
			       MPI_ERR_OP, "MPI_Fetch_and_op");
		}
	}
}

static void locks(void)
{
	const int odd = 1 << 28;

	expect(MPI_Win_lock(4711, 0, 0, w.win), MPI_ERR_LOCKTYPE,
	       "MPI_Win_lock 4711");
	expect(MPI_Win_lock(MPI_LOCK_SHARED, 1000, 0, w.win), MPI_ERR_RANK,
	       "MPI_Win_lock 1000");
	expect(MPI_Win_lock(MPI_LOCK_SHARED, -9, 0, w.win), MPI_ERR_RANK,
	       "MPI_Win_lock -9");
	expect(MPI_Win_lock(MPI_LOCK_SHARED, 0, odd, w.win), MPI_ERR_ASSERT,
	       "MPI_Win_lock");
	expect(MPI_Win_lock_all(odd, w.win), MPI_ERR_ASSERT,
	       "MPI_Win_lock_all");
	expect(MPI_Win_unlock(1000, w.win), MPI_ERR_RANK,
	       "MPI_Win_unlock 1000");
	expect(MPI_Win_fence(odd, w.win), MPI_ERR_ASSERT, "MPI_Win_fence");
	expect(MPI_Win_post(MPI_GROUP_EMPTY, odd, w.win), MPI_ERR_ASSERT,
	       "MPI_Win_post");
	expect(MPI_Win_start(MPI_GROUP_EMPTY, odd, w.win), MPI_ERR_ASSERT,
	       "MPI_Win_start");
	expect_or(MPI_Win_post(MPI_GROUP_NULL, 0, w.win), MPI_ERR_GROUP,
		  MPI_ERR_ARG, "MPI_Win_post");
	expect_or(MPI_Win_start(MPI_GROUP_NULL, 0, w.win), MPI_ERR_GROUP,
		  MPI_ERR_ARG, "MPI_Win_start");
}

static void objects(void)
{
	MPI_Win null = MPI_WIN_NULL;
	void *value;
	int flag;

	expect(MPI_Put(out, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL),
	       MPI_ERR_WIN, "");
	expect(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN, "");
	expect(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, MPI_WIN_NULL), MPI_ERR_WIN,
	       "");
	expect(MPI_Win_free(&null), MPI_ERR_WIN, "");
	expect(MPI_Win_get_attr(w.win, MPI_KEYVAL_INVALID, &value, &flag),
	       MPI_ERR_KEYVAL, "");
	expect(MPI_Win_set_attr(w.win, MPI_KEYVAL_INVALID, NULL),
	       MPI_ERR_KEYVAL, "");
	expect(MPI_Win_delete_attr(w.win, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL,
	       "");
	expect_or(MPI_Win_set_attr(w.win, MPI_WIN_SIZE, NULL), MPI_ERR_KEYVAL,
		  MPI_ERR_ARG, "");
	expect_or(MPI_Win_delete_attr(w.win, MPI_WIN_BASE), MPI_ERR_KEYVAL,
		  MPI_ERR_ARG, "");
}

static void flavors(void)
{
	expect(MPI_Win_attach(w.win, in, 8), MPI_ERR_RMA_FLAVOR,
	       "MPI_Win_attach");
	expect(MPI_Win_detach(w.win, in), MPI_ERR_RMA_FLAVOR, "MPI_Win_detach");
}

static void regions(void)
{
	static char memory[64];
	MPI_Win win;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	expect(MPI_Win_detach(win, memory), MPI_ERR_RMA_ATTACH,
	       "MPI_Win_detach");
	ok(MPI_Win_attach(win, memory, 32));
	expect(MPI_Win_attach(win, memory, 32), MPI_ERR_RMA_ATTACH,
	       "MPI_Win_attach");
	expect(MPI_Win_attach(win, memory + 31, 8), MPI_ERR_RMA_ATTACH,
	       "MPI_Win_attach");
	expect(MPI_Win_detach(win, memory + 8), MPI_ERR_RMA_ATTACH,
	       "MPI_Win_detach");
	expect_or(MPI_Win_attach(win, memory + 40, -1), MPI_ERR_SIZE,
		  MPI_ERR_ARG, "MPI_Win_attach -1");
	ok(MPI_Win_detach(win, memory));
	expect(MPI_Win_detach(win, memory), MPI_ERR_RMA_ATTACH,
	       "MPI_Win_detach");
	MPI_Win_free(&win);
}

static void shared_query(void)
{
	struct test_win s;
	MPI_Aint size;
	void *base;
	int unit;

	test_win_open(&s, KIND_SHARED, 64, 1);
	MPI_Win_set_errhandler(s.win, MPI_ERRORS_RETURN);
	expect(MPI_Win_shared_query(s.win, 1000, &size, &unit, &base),
	       MPI_ERR_RANK, "MPI_Win_shared_query 1000");
	expect(MPI_Win_shared_query(s.win, -7, &size, &unit, &base),
	       MPI_ERR_RANK, "MPI_Win_shared_query -7");
	test_win_close(&s);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts look at few of these arguments");
	test_errors_return();
	test_win_open(&w, KIND_ALLOCATE, 128, 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	locks();
	MPI_Win_lock_all(0, w.win);
	ranks();
	counts();
	types();
	unfit_types();
	operations();
	unfit_operations();
	MPI_Win_unlock_all(w.win);
	objects();
	flavors();
	check(test_differs_from(w.base, 128, 0) == 128, "memory was written");
	check(test_differs_from(in, sizeof(in), 0) == sizeof(in),
	      "a result was written");
	test_win_close(&w);
	regions();
	if (test_kind_is_usable(KIND_SHARED))
		shared_query();
	return test_finish();
}
