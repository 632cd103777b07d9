/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fetch_and_op fetches one element and applies the operation to it, for
 * every operation on every predefined datatype, at the first and the last
 * element of a window that is no larger than they.
 */
/* ranks: 1 2; paths: default cma fabric-nic */
#include "acc.h"

#define ELEMENTS 3

static void fetch(struct test_win *w, const struct element *e, enum op op,
		  MPI_Aint off)
{
	_Alignas(32) char before[ELEMENT_MAX], origin[ELEMENT_MAX];
	_Alignas(32) char want[ELEMENT_MAX], result[ELEMENT_MAX];
	_Alignas(32) char after[ELEMENT_MAX];
	int t = test_next();
	MPI_Aint at = test_at(w, t, off);

	element_fill(e, before, 1, 5 + (int)off);
	element_fill(e, origin, 1, 11 + (int)op);
	element_fill(e, result, 1, 0);
	element_fill(e, after, 1, 0);
	memcpy(want, before, e->size);
	element_apply(e, op, want, origin, 1);
	MPI_Put(before, 1, e->type, t, at, 1, e->type, w->win);
	MPI_Win_flush(t, w->win);
	MPI_Fetch_and_op(op == NO_OP ? NULL : origin, result, e->type, t, at,
			 op_handle(op), w->win);
	MPI_Win_flush_local(t, w->win);
	check(e->equal(result, before), "%s on %s fetched something else",
	      op_name(op), e->name);
	MPI_Win_flush(t, w->win);
	MPI_Get(after, 1, e->type, t, at, 1, e->type, w->win);
	MPI_Win_flush(t, w->win);
	check(e->equal(after, want), "%s on %s, %s window, offset %ld",
	      op_name(op), e->name, test_kind_name(w->kind), (long)off);
}

static void pair(struct test_win *w, const struct element *e, enum op op)
{
	fetch(w, e, op, 0);
	fetch(w, e, op, (MPI_Aint)(w->size - e->size));
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	acc_each_window(ELEMENTS * ELEMENT_MAX, 1, pair);
	return test_finish();
}
