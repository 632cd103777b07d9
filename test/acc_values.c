/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates give the bits that C's operators give, for values that are
 * easily got wrong: NaN of both sorts, infinities, zeros with a sign, what is
 * rounded, the extremes of integers, truth that is not 1, pairs of all those,
 * long doubles too; and the same bits for one element, a few, many, strided
 * and misaligned.
 */
/* ranks: 1 2; paths: default cma */
#include "acc_wanted.h"

#define N    (VALUES * VALUES) /* each of them on each */
#define ROOM (2 * N * VALUE_MAX + 16)

/* -- ways to do it ---------------------------------------------------------*/

struct trial {
	struct test_win *w;
	const struct type *t;
	enum op op;
	int n;
	MPI_Aint begin, step; /* of the elements in the window */
	unsigned char origin[N * VALUE_MAX], before[N * VALUE_MAX],
		wanted[N * VALUE_MAX];
	unsigned char fetched[N * VALUE_MAX], after[N * VALUE_MAX];
};

typedef void (*way_fn)(struct trial *a);

static MPI_Aint at(const struct trial *a, int i)
{
	return test_at(a->w, test_next(), a->begin + i * a->step);
}

static void one_by_one(struct trial *a)
{
	for (int i = 0; i < a->n; i++)
		MPI_Fetch_and_op(a->origin + i * a->t->extent,
				 a->fetched + i * a->t->extent, a->t->type,
				 test_next(), at(a, i), op_handle(a->op),
				 a->w->win);
}

static void in_groups(struct trial *a, int group)
{
	for (int i = 0; i < a->n; i += group) {
		const int n = a->n - i < group ? a->n - i : group;
		const size_t off = (size_t)i * a->t->extent;

		MPI_Get_accumulate(a->origin + off, n, a->t->type,
				   a->fetched + off, n, a->t->type, test_next(),
				   at(a, i), n, a->t->type, op_handle(a->op),
				   a->w->win);
	}
}

static void in_threes(struct trial *a)
{
	in_groups(a, 3);
}

static void at_once(struct trial *a)
{
	in_groups(a, a->n);
}

static void spread(struct trial *a)
{
	MPI_Datatype type;

	MPI_Type_create_hvector(a->n, 1, a->step, a->t->type, &type);
	MPI_Type_commit(&type);
	MPI_Get_accumulate(a->origin, a->n, a->t->type, a->fetched, a->n,
			   a->t->type, test_next(), at(a, 0), 1, type,
			   op_handle(a->op), a->w->win);
	MPI_Type_free(&type);
}

static void fill(struct trial *a)
{
	const size_t values = values_of(a->t), extent = a->t->extent;

	a->n = (int)(values * values);
	memset(a->before, 0, sizeof(a->before));
	memset(a->fetched, 0, sizeof(a->fetched));
	memset(a->after, 0, sizeof(a->after));
	memset(a->origin, 0, sizeof(a->origin));
	for (size_t i = 0; i < (size_t)a->n; i++) {
		put_value(a->t, a->before + i * extent, i / values);
		put_value(a->t, a->origin + i * extent, i % values);
	}
	memcpy(a->wanted, a->before, sizeof(a->before));
	for (size_t i = 0; i < (size_t)a->n; i++)
		want(a->t, a->op, a->wanted + i * extent,
		     a->origin + i * extent);
}

/* All elements, to the window or from it. */
static void transfer(struct trial *a, const void *put, void *got)
{
	const int target = test_next();
	MPI_Datatype type;

	MPI_Type_create_hvector(a->n, 1, a->step, a->t->type, &type);
	MPI_Type_commit(&type);
	if (put)
		MPI_Put(put, a->n, a->t->type, target, at(a, 0), 1, type,
			a->w->win);
	else
		MPI_Get(got, a->n, a->t->type, target, at(a, 0), 1, type,
			a->w->win);
	MPI_Win_flush(target, a->w->win);
	MPI_Type_free(&type);
}

static void try(struct trial *a, const char *name, way_fn way)
{
	const size_t extent = a->t->extent, values = values_of(a->t);

	fill(a);
	transfer(a, a->before, NULL);
	way(a);
	MPI_Win_flush(test_next(), a->w->win);
	transfer(a, NULL, a->after);
	for (size_t i = 0; i < (size_t)a->n; i++) {
		const size_t off = i * extent;

		check(is_same(a->t, NO_OP, a->before + off, a->fetched + off),
		      "%s of %s %s, target %zu, origin %zu: fetched another",
		      op_name(a->op), a->t->name, name, i / values, i % values);
		check(is_same(a->t, a->op, a->wanted + off, a->after + off),
		      "%s of %s %s, target %zu, origin %zu", op_name(a->op),
		      a->t->name, name, i / values, i % values);
	}
}

static void each_way(struct trial *a)
{
	static const struct {
		const char *name;
		way_fn way;
		MPI_Aint begin;
		bool apart;
	} ways[] = {
		{ "one by one", one_by_one, 0, false },
		{ "in threes", in_threes, 0, false },
		{ "at once", at_once, 0, false },
		{ "spread", spread, 16, true },
		{ "one by one, misaligned", one_by_one, 3, false },
		{ "at once, misaligned", at_once, 5, false },
	};
	const MPI_Aint extent = (MPI_Aint)a->t->extent;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		a->begin = ways[i].begin;
		a->step = extent;
		if (ways[i].apart)
			a->step = extent > 16 ? 2 * extent : 32;
		try(a, ways[i].name, ways[i].way);
	}
}

int main(int argc, char **argv)
{
	static struct trial trial;
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts have arithmetic of their own");
	trial.w = &w;
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (kind != KIND_ALLOCATE && kind != KIND_CREATE)
			continue;
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, ROOM, 1);
		MPI_Win_lock_all(0, w.win);
		for (size_t i = 0; i < TYPES; i++) {
			trial.t = &types[i];
			if (!is_had(trial.t))
				continue;
			for (trial.op = 0; trial.op < OP_COUNT; trial.op++)
				if (fits(trial.op, trial.t))
					each_way(&trial);
		}
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
