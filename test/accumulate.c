/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulate and Get_accumulate give, for every operation on every predefined
 * datatype, for one element and for many, what the operation's definition
 * says, and Get_accumulate fetches what was there before.
 */
/* ranks: 1 2; paths: default cma fabric-nic */
#include "acc.h"

#define MANY 67

static const size_t counts[] = { 1, 3, MANY };
#define NCOUNTS (sizeof(counts) / sizeof(counts[0]))

/*
 * Every rank owns the next rank's memory: it sets it with Put, so that no
 * barrier is needed.
 */
static void set_target(struct test_win *w, const struct element *e,
		       const void *buf, size_t count)
{
	int t = test_next();

	MPI_Put(buf, (int)count, e->type, t, test_at(w, t, 0), (int)count,
		e->type, w->win);
	MPI_Win_flush(t, w->win);
}

static void check_target(struct test_win *w, const struct element *e,
			 enum op op, const void *want, size_t count,
			 const char *call)
{
	_Alignas(32) char got[MANY * ELEMENT_MAX];
	int t = test_next();
	size_t bad;

	memset(got, 0, sizeof(got));
	MPI_Get(got, (int)count, e->type, t, test_at(w, t, 0), (int)count,
		e->type, w->win);
	MPI_Win_flush(t, w->win);
	bad = element_differs(e, got, want, count);
	check(bad == count, "%s %s on %zu %s, %s window: element %zu", call,
	      op_name(op), count, e->name, test_kind_name(w->kind), bad);
}

static void accumulate(struct test_win *w, const struct element *e, enum op op,
		       size_t count, bool fetch)
{
	_Alignas(32) char before[MANY * ELEMENT_MAX],
		origin[MANY * ELEMENT_MAX];
	_Alignas(32) char want[MANY * ELEMENT_MAX], result[MANY * ELEMENT_MAX];
	MPI_Aint at = test_at(w, test_next(), 0);
	int t = test_next(), n = (int)count;
	size_t bad;

	element_fill(e, before, count, 3 + test_rank);
	element_fill(e, origin, count, 10 + (int)op);
	element_fill(e, result, count, 0);
	memcpy(want, before, count * e->size);
	element_apply(e, op, want, origin, count);
	set_target(w, e, before, count);
	if (!fetch) {
		MPI_Accumulate(origin, n, e->type, t, at, n, e->type,
			       op_handle(op), w->win);
		MPI_Win_flush(t, w->win);
		check_target(w, e, op, want, count, "Accumulate");
		return;
	}
	MPI_Get_accumulate(origin, n, e->type, result, n, e->type, t, at, n,
			   e->type, op_handle(op), w->win);
	MPI_Win_flush(t, w->win);
	bad = element_differs(e, result, before, count);
	check(bad == count, "Get_accumulate %s on %zu %s fetched another %zu",
	      op_name(op), count, e->name, bad);
	check_target(w, e, op, want, count, "Get_accumulate");
}

static void pair(struct test_win *w, const struct element *e, enum op op)
{
	size_t i;

	for (i = 0; i < NCOUNTS; i++) {
		/* NO_OP is for the calls that fetch; some allow it here. */
		if (op != NO_OP)
			accumulate(w, e, op, counts[i], false);
		accumulate(w, e, op, counts[i], true);
	}
}

/* An operation that ignores the origin may be given no origin at all. */
static void no_origin(struct test_win *w, const struct element *e, enum op op)
{
	_Alignas(32) char before[MANY * ELEMENT_MAX],
		result[MANY * ELEMENT_MAX];
	int t = test_next();

	if (op != NO_OP)
		return;
	element_fill(e, before, MANY, 3);
	memset(result, 0, sizeof(result));
	set_target(w, e, before, MANY);
	MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, result, MANY, e->type, t,
			   test_at(w, t, 0), MANY, e->type, MPI_NO_OP, w->win);
	MPI_Win_flush(t, w->win);
	check(element_differs(e, result, before, MANY) == MANY,
	      "Get_accumulate NO_OP without origin, %s", e->name);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	acc_each_window(MANY * ELEMENT_MAX, 1, pair);
	if (!test_on_host)
		acc_each_window(MANY * ELEMENT_MAX, 1, no_origin);
	return test_finish();
}
