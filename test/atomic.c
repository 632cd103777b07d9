/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accumulate calls are atomic, element by element, to each other: every
 * rank works at once on the same elements of one rank, itself included, by
 * Accumulate, Get_accumulate, Fetch_and_op, Compare_and_swap and their
 * R-forms, element by element, in bulk and in derived layouts, and not one
 * contribution is lost.
 */
/* ranks: 2 4 8; paths: default direct cma fabric-nic */
#include "elements.h"

#define N 40 /* elements: some calls take all, others one */

static int rounds;

/* Each call adds 1 to some elements; how often, to each, is counted. */
struct adder {
	struct test_win *w;
	const struct element *e;
	int target;
	MPI_Aint begin; /* byte of the target's memory: a part for each type */
	int round;
	void *ones;
	void *old; /* what fetching calls give: any, but no torn element */
	long added[N];
};

static MPI_Aint at(const struct adder *a, int i)
{
	return test_at(a->w, a->target, a->begin + i * (MPI_Aint)a->e->size);
}

static void added(struct adder *a, int first, int n, int step)
{
	int i;

	for (i = 0; i < n; i++)
		a->added[first + i * step]++;
}

static void bulk(struct adder *a)
{
	MPI_Accumulate(a->ones, N, a->e->type, a->target, at(a, 0), N,
		       a->e->type, MPI_SUM, a->w->win);
	added(a, 0, N, 1);
}

static void single(struct adder *a)
{
	int i = a->round * 7 % N;

	MPI_Accumulate(a->ones, 1, a->e->type, a->target, at(a, i), 1,
		       a->e->type, MPI_SUM, a->w->win);
	added(a, i, 1, 1);
}

static void fetch(struct adder *a)
{
	int i = a->round * 11 % N;

	MPI_Fetch_and_op(a->ones, a->old, a->e->type, a->target, at(a, i),
			 MPI_SUM, a->w->win);
	added(a, i, 1, 1);
}

static void fetch_bulk(struct adder *a)
{
	MPI_Get_accumulate(a->ones, N / 2, a->e->type, a->old, N / 2,
			   a->e->type, a->target, at(a, N / 2), N / 2,
			   a->e->type, MPI_SUM, a->w->win);
	added(a, N / 2, N / 2, 1);
}

static void stripes(struct adder *a)
{
	MPI_Datatype type;

	MPI_Type_vector(N / 4, 1, 4, a->e->type, &type);
	MPI_Type_commit(&type);
	MPI_Accumulate(a->ones, N / 4, a->e->type, a->target, at(a, 1), 1, type,
		       MPI_SUM, a->w->win);
	MPI_Type_free(&type);
	added(a, 1, N / 4, 4);
}

static void fetch_stripes(struct adder *a)
{
	MPI_Datatype type;

	MPI_Type_create_hvector(N / 2, 1, 2 * (MPI_Aint)a->e->size, a->e->type,
				&type);
	MPI_Type_commit(&type);
	MPI_Get_accumulate(a->ones, 1, type, a->old, 1, type, a->target,
			   at(a, 0), 1, type, MPI_SUM, a->w->win);
	MPI_Type_free(&type);
	added(a, 0, N / 2, 2);
}

static void with_request(struct adder *a)
{
	MPI_Request r[2];

	MPI_Raccumulate(a->ones, 9, a->e->type, a->target, at(a, 3), 9,
			a->e->type, MPI_SUM, a->w->win, &r[0]);
	MPI_Rget_accumulate(a->ones, 3, a->e->type, a->old, 3, a->e->type,
			    a->target, at(a, 5), 3, a->e->type, MPI_SUM,
			    a->w->win, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	added(a, 3, 9, 1);
	added(a, 5, 3, 1);
}

/* Adds one by a loop: the swap fails while others come between. */
static void swap(struct adder *a)
{
	_Alignas(32) char seen[ELEMENT_MAX] = { 0 }, sum[ELEMENT_MAX];
	_Alignas(32) char old[ELEMENT_MAX];
	int i = a->round * 13 % N;

	if (a->e->class != INTEGER)
		return;
	for (;;) {
		memcpy(sum, seen, a->e->size);
		a->e->apply(SUM, sum, a->ones);
		MPI_Compare_and_swap(sum, seen, old, a->e->type, a->target,
				     at(a, i), a->w->win);
		MPI_Win_flush(a->target, a->w->win);
		if (!memcmp(old, seen, a->e->size))
			break;
		memcpy(seen, old, a->e->size);
	}
	added(a, i, 1, 1);
}

static void (*const calls[])(struct adder *a) = {
	bulk,	       single,	     fetch, fetch_bulk, stripes,
	fetch_stripes, with_request, swap,  single,	fetch
};
#define NCALLS (sizeof(calls) / sizeof(calls[0]))

/* The number one in the element's own type. */
static void make_one(const struct element *e, void *p)
{
	if (e->type == MPI_DOUBLE)
		*(double *)p = 1;
	else if (e->type == MPI_LONG_DOUBLE)
		*(long double *)p = 1;
	else if (e->type == MPI_C_DOUBLE_COMPLEX)
		*(double _Complex *)p = 1;
	else /* an integer of little endian */
		*(char *)p = 1;
}

static void fill_ones(const struct element *e, void *buf)
{
	size_t i;

	memset(buf, 0, N * e->size);
	for (i = 0; i < N; i++)
		make_one(e, (char *)buf + i * e->size);
}

/* The sum of n ones, in the element's own arithmetic. */
static void sum_ones(const struct element *e, const void *one, long n,
		     void *sum)
{
	memset(sum, 0, e->size);
	while (n--)
		e->apply(SUM, sum, one);
}

static bool is_chosen(const struct element *e)
{
	return e->type == MPI_SIGNED_CHAR || e->type == MPI_SHORT ||
	       e->type == MPI_INT || e->type == MPI_LONG ||
	       e->type == MPI_DOUBLE || e->type == MPI_LONG_DOUBLE ||
	       e->type == MPI_C_DOUBLE_COMPLEX;
}

/* total: of all ranks, by element. */
static void verify(const struct adder *a, const long *total)
{
	_Alignas(32) char got[N * ELEMENT_MAX] = { 0 }, want[ELEMENT_MAX];
	int i;

	MPI_Get(got, N, a->e->type, a->target, at(a, 0), N, a->e->type,
		a->w->win);
	MPI_Win_flush(a->target, a->w->win);
	for (i = 0; i < N; i++) {
		sum_ones(a->e, a->ones, total[i], want);
		check(a->e->equal(got + i * a->e->size, want),
		      "%s in %s window: element %d is not %ld", a->e->name,
		      test_kind_name(a->w->kind), i, total[i]);
	}
}

/* Ranks take the calls in different order. */
static void add(struct adder *a)
{
	int i;

	for (i = 0; i < rounds; i++) {
		a->round = i + test_rank;
		calls[(i + 3 * test_rank) % NCALLS](a);
		if (i % 4 == 3)
			MPI_Win_flush(a->target, a->w->win);
	}
	MPI_Win_flush(a->target, a->w->win);
}

#define CHOSEN 7

/* The last rank's memory is everybody's. */
static void all_at_once(struct test_win *w)
{
	static struct adder adders[CHOSEN];
	_Alignas(32) char ones[CHOSEN][N * ELEMENT_MAX], old[N * ELEMENT_MAX];
	long mine[CHOSEN][N] = { { 0 } }, total[CHOSEN][N];
	int n = 0, k;
	size_t i;

	for (i = 0; i < ELEMENT_COUNT; i++) {
		if (!is_chosen(&elements[i]))
			continue;
		fill_ones(&elements[i], ones[n]);
		adders[n] = (struct adder){ .w = w,
					    .e = &elements[i],
					    .target = test_size - 1,
					    .begin = n * N * ELEMENT_MAX,
					    .ones = ones[n],
					    .old = old };
		n++;
	}
	for (k = 0; k < n; k++) {
		add(&adders[k]);
		memcpy(mine[k], adders[k].added, sizeof(mine[k]));
	}
	MPI_Allreduce(mine, total, CHOSEN * N, MPI_LONG, MPI_SUM,
		      MPI_COMM_WORLD);
	for (k = 0; k < n; k++)
		verify(&adders[k], total[k]);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	rounds = test_size > 4 ? 60 : 200;
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, CHOSEN * N * ELEMENT_MAX, 1);
		MPI_Win_lock_all(0, w.win);
		all_at_once(&w);
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
