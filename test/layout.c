/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, Get, Accumulate and Get_accumulate move elements between any two
 * derived datatypes of equal signature, each made by another constructor,
 * with strides and lower bounds that may be negative, and touch no other
 * byte.  What each type selects is written down by hand.
 */
/* ranks: 1 2; paths: default cma fabric-nic */
#include "test.h"

#define N	12   /* ints in every layout */
#define ROOM	2048 /* bytes to either side of the displacement */
#define LAYOUTS 16
#define ITEMS	2

struct layout {
	const char *name;
	MPI_Datatype type;
	MPI_Aint off[N]; /* bytes, in the order of the type map */
	MPI_Aint extent;
	bool overlaps; /* selects elements twice: may only be read */
};

static struct layout layouts[LAYOUTS];
static int nlayouts;

static struct layout *add(const char *name, MPI_Datatype type, MPI_Aint extent)
{
	struct layout *l = &layouts[nlayouts++];

	MPI_Type_commit(&type);
	*l = (struct layout){ .name = name, .type = type, .extent = extent };
	return l;
}

/* Blocks of equal length at displacements in bytes. */
static void blocks(struct layout *l, int len, const MPI_Aint *at)
{
	int i;

	for (i = 0; i < N; i++)
		l->off[i] = at[i / len] + i % len * 4;
}

static void strided(struct layout *l, int len, MPI_Aint stride)
{
	int i;

	for (i = 0; i < N; i++)
		l->off[i] = i / len * stride + i % len * 4;
}

static void plain_and_vectors(void)
{
	MPI_Datatype t, u;

	MPI_Type_contiguous(N, MPI_INT, &t);
	strided(add("contiguous", t, N * 4), N, 0);
	MPI_Type_vector(4, 3, 5, MPI_INT, &t);
	strided(add("vector", t, 18 * 4), 3, 20);
	/* From 0 down to -36, so the lower bound is -36 and the upper 8. */
	MPI_Type_vector(6, 2, -3, MPI_INT, &t);
	strided(add("vector of negative stride", t, 68), 2, -12);
	MPI_Type_create_hvector(12, 1, 17, MPI_INT, &t);
	MPI_Type_create_resized(t, 0, 224, &u);
	MPI_Type_free(&t);
	strided(add("hvector, no multiple of 4", u, 224), 1, 17);
	MPI_Type_create_hvector(4, 3, 0, MPI_INT, &t);
	strided(add("hvector of stride 0", t, 12), 3, 0);
	layouts[nlayouts - 1].overlaps = true;
}

static void indexed(void)
{
	static const int lens[] = { 3, 0, 4, 5 };
	static const int at[] = { 10, 2, -8, 30 };
	static const int starts[] = { 20, 0, 8, -4 };
	static const MPI_Aint bytes[] = { 101, 33, 67, 5 };
	static const MPI_Aint ints[] = { 80, 0, 32, -16 };
	struct layout *l;
	MPI_Datatype t;
	int i;

	MPI_Type_indexed(4, lens, at, MPI_INT, &t);
	l = add("indexed", t, (35 + 8) * 4);
	for (i = 0; i < N; i++)
		l->off[i] = 4 * (i < 3	 ? 10 + i
				 : i < 7 ? i - 3 - 8
					 : i - 7 + 30);
	MPI_Type_create_indexed_block(4, 3, starts, MPI_INT, &t);
	blocks(add("indexed_block", t, (23 + 4) * 4), 3, ints);
	MPI_Type_create_hindexed_block(4, 3, bytes, MPI_INT, &t);
	/* The standard rounds the extent up to int's alignment. */
	{
		MPI_Datatype u;

		MPI_Type_create_resized(t, 5, 120, &u);
		MPI_Type_free(&t);
		blocks(add("hindexed_block, misaligned", u, 120), 3, bytes);
	}
	{
		const int three[] = { 3, 3, 3, 3 };

		MPI_Type_create_hindexed(4, three, ints, MPI_INT, &t);
		blocks(add("hindexed", t, (23 + 4) * 4), 3, ints);
	}
}

static void arrays(void)
{
	static const int sizes[] = { 5, 6 }, subsizes[] = { 3, 4 };
	static const int starts[] = { 1, 2 };
	static const int sizes3[] = { 3, 4, 5 }, subsizes3[] = { 2, 2, 3 };
	static const int starts3[] = { 1, 0, 2 };
	static const int gsizes[] = { 24 }, psizes[] = { 2 };
	static const int distribs[] = { MPI_DISTRIBUTE_CYCLIC };
	static const int dargs[] = { 3 };
	struct layout *l;
	MPI_Datatype t;
	int i;

	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C,
				 MPI_INT, &t);
	l = add("subarray of rows", t, 30 * 4);
	for (i = 0; i < N; i++)
		l->off[i] = 4 * ((1 + i / 4) * 6 + 2 + i % 4);
	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN,
				 MPI_INT, &t);
	l = add("subarray of columns", t, 30 * 4);
	for (i = 0; i < N; i++)
		l->off[i] = 4 * (1 + i % 3 + (2 + i / 3) * 5);
	MPI_Type_create_subarray(3, sizes3, subsizes3, starts3, MPI_ORDER_C,
				 MPI_INT, &t);
	l = add("subarray of a cube", t, 60 * 4);
	for (i = 0; i < N; i++)
		l->off[i] = 4 * ((1 + i / 6) * 20 + i / 3 % 2 * 5 + 2 + i % 3);
	/* Process 1 of 2 has every second block of three. */
	MPI_Type_create_darray(2, 1, 1, gsizes, distribs, dargs, psizes,
			       MPI_ORDER_C, MPI_INT, &t);
	l = add("darray", t, 24 * 4);
	for (i = 0; i < N; i++)
		l->off[i] = 4 * (i / 3 * 6 + 3 + i % 3);
}

static void composed(void)
{
	static const int lens[] = { 1, 2 };
	static const MPI_Aint at[] = { 8, -40 };
	MPI_Datatype t, pair, types[2];
	struct layout *l;
	int i;

	MPI_Type_create_resized(MPI_INT, -4, 12, &t);
	MPI_Type_contiguous(N, t, &types[0]);
	MPI_Type_free(&t);
	l = add("resized, negative lower bound", types[0], 12 * N);
	for (i = 0; i < N; i++)
		l->off[i] = 12 * i;
	MPI_Type_vector(2, 2, 3, MPI_INT, &pair); /* extent 20 */
	types[0] = pair;
	types[1] = pair;
	/* From -40 to 28. */
	MPI_Type_create_struct(2, lens, at, types, &t);
	MPI_Type_free(&pair);
	l = add("struct of vectors", t, 68);
	for (i = 0; i < N; i++) {
		MPI_Aint base = i < 4 ? 8 : -40 + (i / 4 - 1) * 20;

		l->off[i] = base + 4 * (i % 4 / 2 * 3 + i % 2);
	}
	MPI_Type_dup(layouts[1].type, &t);
	l = add("dup of vector", t, layouts[1].extent);
	memcpy(l->off, layouts[1].off, sizeof(l->off));
}

static void check_extents(void)
{
	int i;

	for (i = 0; i < nlayouts; i++) {
		MPI_Aint lb, extent;
		int size;

		MPI_Type_get_extent(layouts[i].type, &lb, &extent);
		MPI_Type_size(layouts[i].type, &size);
		check(extent == layouts[i].extent && size == N * 4,
		      "%s: extent %ld, size %d", layouts[i].name, (long)extent,
		      size);
	}
}

/* -- the model: an image of bytes around a centre ---------------------------*/

struct image {
	char bytes[2 * ROOM];
};

static int *element(struct image *m, const struct layout *l, int i)
{
	return (int *)(void *)(m->bytes + ROOM + i / N * l->extent +
			       l->off[i % N]);
}

static int load(struct image *m, const struct layout *l, int i)
{
	int value;

	memcpy(&value, element(m, l, i), sizeof(value));
	return value;
}

static void store(struct image *m, const struct layout *l, int i, int value)
{
	memcpy(element(m, l, i), &value, sizeof(value));
}

static void set_target(struct test_win *w, const struct image *m)
{
	int t = test_next();

	MPI_Put(m, sizeof(*m), MPI_BYTE, t, test_at(w, t, 0), sizeof(*m),
		MPI_BYTE, w->win);
	MPI_Win_flush(t, w->win);
}

static void check_target(struct test_win *w, const struct image *want,
			 const char *call, const struct layout *a,
			 const struct layout *b)
{
	struct image got;
	int t = test_next();

	memset(&got, 0, sizeof(got));
	MPI_Get(&got, sizeof(got), MPI_BYTE, t, test_at(w, t, 0), sizeof(got),
		MPI_BYTE, w->win);
	MPI_Win_flush(t, w->win);
	check(!memcmp(&got, want, sizeof(got)), "%s: %s from %s to %s",
	      test_kind_name(w->kind), call, a->name, b->name);
}

static void put(struct test_win *w, struct layout *a, struct layout *b,
		bool sum)
{
	struct image origin, want;
	int t = test_next(), i;

	if (b->overlaps)
		return;
	test_fill(&origin, sizeof(origin), 1, sum);
	test_fill(&want, sizeof(want), 2, 5);
	set_target(w, &want);
	for (i = 0; i < ITEMS * N; i++)
		store(&want, b, i,
		      load(&origin, a, i) + (sum ? load(&want, b, i) : 0));
	if (sum)
		MPI_Accumulate(origin.bytes + ROOM, ITEMS, a->type, t,
			       test_at(w, t, ROOM), ITEMS, b->type, MPI_SUM,
			       w->win);
	else
		MPI_Put(origin.bytes + ROOM, ITEMS, a->type, t,
			test_at(w, t, ROOM), ITEMS, b->type, w->win);
	MPI_Win_flush(t, w->win);
	check_target(w, &want, sum ? "Accumulate" : "Put", a, b);
}

static void get(struct test_win *w, struct layout *a, struct layout *b)
{
	struct image result, target, want;
	int t = test_next(), i;

	if (a->overlaps)
		return;
	test_fill(&result, sizeof(result), 3, 1);
	test_fill(&target, sizeof(target), 4, 5);
	memcpy(&want, &result, sizeof(want));
	set_target(w, &target);
	for (i = 0; i < ITEMS * N; i++)
		store(&want, a, i, load(&target, b, i));
	MPI_Get(result.bytes + ROOM, ITEMS, a->type, t, test_at(w, t, ROOM),
		ITEMS, b->type, w->win);
	MPI_Win_flush(t, w->win);
	check(!memcmp(&result, &want, sizeof(want)), "%s: Get from %s to %s",
	      test_kind_name(w->kind), b->name, a->name);
}

/* The result goes to a third layout. */
static void get_accumulate(struct test_win *w, struct layout *a,
			   struct layout *r, struct layout *b)
{
	struct image origin, result, want, want_result;
	int t = test_next(), i;

	if (b->overlaps || r->overlaps)
		return;
	test_fill(&origin, sizeof(origin), 5, 1);
	test_fill(&result, sizeof(result), 6, 1);
	test_fill(&want, sizeof(want), 7, 1);
	memcpy(&want_result, &result, sizeof(result));
	set_target(w, &want);
	for (i = 0; i < ITEMS * N; i++) {
		store(&want_result, r, i, load(&want, b, i));
		store(&want, b, i, load(&want, b, i) ^ load(&origin, a, i));
	}
	MPI_Get_accumulate(origin.bytes + ROOM, ITEMS, a->type,
			   result.bytes + ROOM, ITEMS, r->type, t,
			   test_at(w, t, ROOM), ITEMS, b->type, MPI_BXOR,
			   w->win);
	MPI_Win_flush(t, w->win);
	check(!memcmp(&result, &want_result, sizeof(result)),
	      "%s: Get_accumulate of %s to %s", test_kind_name(w->kind),
	      b->name, r->name);
	check_target(w, &want, "Get_accumulate", a, b);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;
	int a, b;

	test_start(argc, argv);
	plain_and_vectors();
	indexed();
	arrays();
	composed();
	check_extents();
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, sizeof(struct image), 1);
		MPI_Win_lock_all(0, w.win);
		for (a = 0; a < nlayouts; a++) {
			for (b = 0; b < nlayouts; b++) {
				struct layout *la = &layouts[a];
				struct layout *lb = &layouts[b];

				put(&w, la, lb, false);
				put(&w, la, lb, true);
				get(&w, la, lb);
				get_accumulate(&w, la,
					       &layouts[(a + b) % nlayouts],
					       lb);
			}
		}
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	for (a = 0; a < nlayouts; a++)
		MPI_Type_free(&layouts[a].type);
	return test_finish();
}
