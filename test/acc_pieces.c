/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates of many elements whose origin, result and target are laid out
 * each in its own way: every element arrives where it belongs and is fetched
 * from there, what lies between stays, and the call takes no memory as large
 * as its data.
 */
/* ranks: 2; paths: default cma software */
#include "test.h"

#include <stdint.h>
#include <sys/resource.h>

#define N	300000 /* elements: some pieces of any size, and a rest */
#define STRETCH 3      /* elements that a buffer has room for, by element */

/* Rank 0 works on rank 1. */
static struct test_win w;

/* -- layouts: where the i-th element is ---- */

struct layout {
	const char *name;
	MPI_Datatype type;
	int count;
	size_t (*at)(size_t i);
};

static size_t at_row(size_t i)
{
	return i;
}

static size_t at_third(size_t i)
{
	return 3 * i;
}

static size_t at_next_third(size_t i)
{
	return 3 * i + 1;
}

/* Blocks of 1000, then 500 of a gap. */
static size_t at_blocks(size_t i)
{
	return i / 1000 * 1500 + i % 1000;
}

/* Items of 1 and 2 elements: x.xx.... */
static size_t at_odd(size_t i)
{
	static const size_t within[] = { 0, 2, 3 };

	return i / 3 * 8 + within[i % 3];
}

/* From the end on. */
static size_t at_reverse(size_t i)
{
	return N - 1 - i;
}

static MPI_Datatype odd(MPI_Datatype element, MPI_Aint extent)
{
	int lengths[] = { 1, 2 }, at[] = { 0, 2 };
	MPI_Datatype part, made;

	MPI_Type_indexed(2, lengths, at, element, &part);
	MPI_Type_create_resized(part, 0, 8 * extent, &made);
	MPI_Type_free(&part);
	return made;
}

#define LAYOUTS 6

static void make_layouts(struct layout *l, MPI_Datatype element)
{
	MPI_Aint lb, extent;
	int i;

	MPI_Type_get_extent(element, &lb, &extent);
	l[0] = (struct layout){ "row", MPI_DATATYPE_NULL, N, at_row };
	MPI_Type_contiguous(1, element, &l[0].type);
	l[1] = (struct layout){ "third", MPI_DATATYPE_NULL, 1, at_third };
	MPI_Type_vector(N, 1, 3, element, &l[1].type);
	l[2] = (struct layout){ "blocks", MPI_DATATYPE_NULL, 1, at_blocks };
	MPI_Type_vector(N / 1000, 1000, 1500, element, &l[2].type);
	l[3] = (struct layout){ "odd", odd(element, extent), N / 3, at_odd };
	l[4] = (struct layout){ "reverse", MPI_DATATYPE_NULL, 1, at_reverse };
	MPI_Type_create_hvector(N, 1, -extent, element, &l[4].type);
	l[5] = (struct layout){ "next third", MPI_DATATYPE_NULL, 1,
				at_next_third };
	MPI_Type_create_hindexed_block(1, 1, &extent, l[1].type, &l[5].type);
	for (i = 0; i < LAYOUTS; i++)
		MPI_Type_commit(&l[i].type);
}

/* What the layout is counted from: the first element in the type map. */
static MPI_Aint begin(const struct layout *l)
{
	return l->at == at_reverse ? N - 1 : 0;
}

/* -- elements: long, and pairs with padding ---- */

struct pair {
	double value;
	int index;
};

struct kind {
	MPI_Datatype type;
	size_t size;
	MPI_Op op;
	void (*set)(void *p, int64_t value);
	int64_t (*get)(const void *p);
};

static void set_long(void *p, int64_t value)
{
	*(int64_t *)p = value;
}

static int64_t get_long(const void *p)
{
	return *(const int64_t *)p;
}

static void set_pair(void *p, int64_t value)
{
	struct pair *pair = p;

	pair->value = (double)value;
	pair->index = (int)value;
}

static int64_t get_pair(const void *p)
{
	const struct pair *pair = p;

	return pair->index == (int)pair->value ? pair->index : -1;
}

static const struct kind longs = { MPI_INT64_T, 8, MPI_SUM, set_long,
				   get_long };
static const struct kind pairs = { MPI_DOUBLE_INT, sizeof(struct pair),
				   MPI_MAXLOC, set_pair, get_pair };

static int64_t mine(size_t i)
{
	return 2 + (int64_t)(i * 7 % 1000);
}

static int64_t theirs(size_t i)
{
	return 3 + (int64_t)(i * 11 % 1000);
}

static int64_t combined(const struct kind *k, size_t i)
{
	if (k->op == MPI_SUM)
		return mine(i) + theirs(i);
	return mine(i) > theirs(i) ? mine(i) : theirs(i);
}

/* -- one call ---- */

#define GAP 1 /* the value between the elements */

static void fill(const struct kind *k, const struct layout *l, char *p,
		 int64_t (*value)(size_t i))
{
	size_t i;

	for (i = 0; i < (size_t)STRETCH * N; i++)
		k->set(p + i * k->size, GAP);
	for (i = 0; value && i < N; i++)
		k->set(p + l->at(i) * k->size, value(i));
}

/* Takes the values out, so that what is left are gaps. */
static void look(const struct kind *k, const struct layout *l, char *p,
		 int64_t (*due)(const struct kind *k, size_t i),
		 const char *what)
{
	size_t i;

	for (i = 0; i < N; i++) {
		char *at = p + l->at(i) * k->size;

		check(k->get(at) == due(k, i), "%s, %s: element %zu is %ld",
		      what, l->name, i, (long)k->get(at));
		k->set(at, GAP);
	}
	for (i = 0; i < (size_t)STRETCH * N; i++)
		check(k->get(p + i * k->size) == GAP,
		      "%s, %s: beside the elements, at %zu", what, l->name, i);
}

static int64_t fetched(const struct kind *k, size_t i)
{
	return theirs(i);
}

static int64_t first_theirs(size_t i)
{
	return theirs(i);
}

static void origin(const struct kind *k, const struct layout *o,
		   const struct layout *t, const struct layout *r)
{
	char *from = malloc(STRETCH * N * k->size);
	char *to = malloc(STRETCH * N * k->size);
	MPI_Aint disp = test_at(&w, 1, begin(t) * (MPI_Aint)k->size);

	fill(k, o, from, mine);
	if (r)
		fill(k, r, to, NULL);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w.win);
	if (r)
		ok(MPI_Get_accumulate(
			from + begin(o) * (MPI_Aint)k->size, o->count, o->type,
			to + begin(r) * (MPI_Aint)k->size, r->count, r->type, 1,
			disp, t->count, t->type, k->op, w.win));
	else
		ok(MPI_Accumulate(from + begin(o) * (MPI_Aint)k->size, o->count,
				  o->type, 1, disp, t->count, t->type, k->op,
				  w.win));
	MPI_Win_unlock(1, w.win);
	if (r)
		look(k, r, to, fetched, "result");
	free(from);
	free(to);
}

static void call(const struct kind *k, const struct layout *o,
		 const struct layout *t, const struct layout *r)
{
	if (test_rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w.win);
		fill(k, t, w.base, first_theirs);
		MPI_Win_unlock(1, w.win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 0)
		origin(k, o, t, r);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w.win);
		look(k, t, w.base, combined, "target");
		MPI_Win_unlock(1, w.win);
	}
}

/* Each layout on each side once, beside another one on the others; and on both
 * sides, or beside one that is like it. */
static void all_layouts(const struct kind *k)
{
	struct layout l[LAYOUTS];
	int i;

	make_layouts(l, k->type);
	for (i = 0; i < LAYOUTS; i++) {
		call(k, &l[i], &l[(i + 1) % LAYOUTS], NULL);
		call(k, &l[i], &l[(i + 2) % LAYOUTS], &l[(i + 3) % LAYOUTS]);
		call(k, &l[i], &l[i], NULL);
		call(k, &l[i], &l[i], &l[(i + 1) % LAYOUTS]);
	}
	call(k, &l[1], &l[5], NULL);
	call(k, &l[5], &l[1], NULL);
	for (i = 0; i < LAYOUTS; i++)
		MPI_Type_free(&l[i].type);
}

/* -- memory ---- */

#define LARGE ((size_t)64 << 20) /* bytes of data */
#define SLACK ((size_t)32 << 20) /* what the network and threads may take */

static void large_call(void)
{
	int n = (int)(LARGE / 8);
	int64_t *from = calloc(LARGE, 2), *to = calloc(LARGE, 2);
	struct rlimit old, tight;
	MPI_Datatype every_second;

	MPI_Type_vector(n, 1, 2, MPI_INT64_T, &every_second);
	MPI_Type_commit(&every_second);
	from[0] = 5;
	from[2 * (size_t)(n - 1)] = 6;
	getrlimit(RLIMIT_DATA, &old);
	tight = old;
	tight.rlim_cur = test_proc_bytes("self/status", "VmData") + SLACK;
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w.win);
	setrlimit(RLIMIT_DATA, &tight);
	ok(MPI_Get_accumulate(from, 1, every_second, to, 1, every_second, 1,
			      test_at(&w, 1, 0), n, MPI_INT64_T, MPI_SUM,
			      w.win));
	ok(MPI_Win_unlock(1, w.win));
	setrlimit(RLIMIT_DATA, &old);
	check(to[0] == 7 && to[2 * (size_t)(n - 1)] == 8, "fetched %ld and %ld",
	      (long)to[0], (long)to[2 * (size_t)(n - 1)]);
	MPI_Type_free(&every_second);
	free(from);
	free(to);
}

static void takes_little_memory(void)
{
	int64_t *base;

	test_win_open(&w, KIND_ALLOCATE, test_rank == 1 ? LARGE : 0, 1);
	base = (void *)w.base;
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	if (test_rank == 1) {
		base[0] = 7;
		base[LARGE / 8 - 1] = 8;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 0)
		large_call();
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 1)
		check(base[0] == 12 && base[LARGE / 8 - 1] == 14, "%ld and %ld",
		      (long)base[0], (long)base[LARGE / 8 - 1]);
	test_win_close(&w);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	test_win_open(&w, KIND_ALLOCATE,
		      STRETCH * N * (MPI_Aint)sizeof(struct pair), 1);
	all_layouts(&longs);
	all_layouts(&pairs);
	test_win_close(&w);
	if (!test_on_host)
		takes_little_memory();
	return test_finish();
}
