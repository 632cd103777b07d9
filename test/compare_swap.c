/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compare_and_swap replaces the target's element if it equals the compare
 * value, and only then, and always gives back what was there, for every
 * datatype that it takes, in windows of every kind, also for the last bytes
 * of a window and at misaligned displacements.
 */
/* ranks: 1 2 3; paths: default cma fabric-nic; hosts: 2x1 */
#include "elements.h"

#define SIZE 71

/* C and Fortran integers, logical, multi-language types and byte. */
static bool is_allowed(const struct element *e)
{
	return element_exists(e) &&
	       (e->class == INTEGER || e->class == LOGICAL || e->class == BYTE);
}

static void swap(struct test_win *w, const struct element *e, MPI_Aint off,
		 bool equal)
{
	/* Values that no compare of a part of them takes for equal. */
	char before[16], compare[16], origin[16], result[16], all[SIZE];
	int t = test_next();
	MPI_Aint at = test_at(w, t, off);
	size_t i;

	for (i = 0; i < e->size; i++) {
		bool flag = e->class == LOGICAL;

		before[i] = flag ? 0 : (char)(17 + i);
		compare[i] = before[i];
		origin[i] = flag ? 0 : (char)(90 - i);
		result[i] = 0;
	}
	origin[0] = 1;
	if (!equal)
		compare[e->size - 1] ^= 1;
	memset(all, 0, sizeof(all));
	MPI_Put(all, SIZE, MPI_BYTE, t, test_at(w, t, 0), SIZE, MPI_BYTE,
		w->win);
	MPI_Win_flush(t, w->win);
	MPI_Put(before, (int)e->size, MPI_BYTE, t, at, (int)e->size, MPI_BYTE,
		w->win);
	MPI_Win_flush(t, w->win);
	MPI_Compare_and_swap(origin, compare, result, e->type, t, at, w->win);
	MPI_Win_flush(t, w->win);
	check(!memcmp(result, before, e->size), "%s at %ld: fetched another",
	      e->name, (long)off);
	MPI_Get(all, SIZE, MPI_BYTE, t, test_at(w, t, 0), SIZE, MPI_BYTE,
		w->win);
	MPI_Win_flush(t, w->win);
	check(!memcmp(all + off, equal ? origin : before, e->size),
	      "%s at %ld of %s window: %s", e->name, (long)off,
	      test_kind_name(w->kind), equal ? "not swapped" : "swapped");
	memset(all + off, 0, e->size);
	check(test_differs_from(all, SIZE, 0) == SIZE,
	      "%s at %ld: a byte beside it was written", e->name, (long)off);
}

static void swap_at(struct test_win *w, const struct element *e)
{
	MPI_Aint last = (MPI_Aint)(SIZE - e->size);
	const MPI_Aint offs[] = { 0, 1, 24, 37, last };
	size_t i;

	for (i = 0; i < sizeof(offs) / sizeof(offs[0]); i++) {
		swap(w, e, offs[i], true);
		swap(w, e, offs[i], false);
	}
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;
	size_t i;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, SIZE, 1);
		MPI_Win_lock_all(0, w.win);
		for (i = 0; i < ELEMENT_COUNT; i++)
			if (is_allowed(&elements[i]))
				swap_at(&w, &elements[i]);
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
