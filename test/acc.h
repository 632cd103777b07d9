/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acc.h - what the accumulate tests share: all pairs of an operation and a
 * datatype that the standard allows, one after the other.
 */
#ifndef ACC_H
#define ACC_H

#include "elements.h"

typedef void (*acc_pair_fn)(struct test_win *w, const struct element *e,
			    enum op op);

static inline void acc_each_pair(struct test_win *w, acc_pair_fn fn)
{
	size_t i;
	enum op op;

	for (i = 0; i < ELEMENT_COUNT; i++)
		for (op = 0; op < OP_COUNT; op++)
			if (element_exists(&elements[i]) &&
			    op_fits(op, elements[i].class))
				fn(w, &elements[i], op);
}

/* For one window of each kind. */
static inline void acc_each_window(MPI_Aint size, int unit, acc_pair_fn fn)
{
	enum test_kind kind;
	struct test_win w;

	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, size, unit);
		MPI_Win_lock_all(0, w.win);
		acc_each_pair(&w, fn);
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
}

#endif
