/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived datatypes at their edges: absolute addresses with MPI_BOTTOM, a
 * type that is freed while its transfer is pending, counts and sizes of zero,
 * several basic types in one, many items, and transposes of a mebibyte.
 */
/* ranks: 1 2; paths: default cma */
#include <stddef.h>

#include "test.h"

#define SIZE (1 << 20)

static void set(struct test_win *w, int value)
{
	char *buf = malloc(SIZE);
	int t = test_next();

	memset(buf, value, SIZE);
	MPI_Put(buf, SIZE, MPI_BYTE, t, test_at(w, t, 0), SIZE, MPI_BYTE,
		w->win);
	MPI_Win_flush(t, w->win);
	free(buf);
}

static char *fetch(struct test_win *w)
{
	char *buf = malloc(SIZE);
	int t = test_next();

	MPI_Get(buf, SIZE, MPI_BYTE, t, test_at(w, t, 0), SIZE, MPI_BYTE,
		w->win);
	MPI_Win_flush(t, w->win);
	return buf;
}

/* Variables at their addresses: on the stack, static and on the heap. */
static void bottom(struct test_win *w)
{
	static int fixed = 11;
	int local = 22, *heap = malloc(sizeof(int)), got[3] = { 0 };
	int lens[] = { 1, 1, 1 }, t = test_next();
	MPI_Aint at[3];
	MPI_Datatype type;

	*heap = 33;
	MPI_Get_address(&fixed, &at[0]);
	MPI_Get_address(&local, &at[1]);
	MPI_Get_address(heap, &at[2]);
	MPI_Type_create_hindexed(3, lens, at, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Put(MPI_BOTTOM, 1, type, t, test_at(w, t, 8), 3, MPI_INT, w->win);
	MPI_Win_flush(t, w->win);
	fixed = local = *heap = 0;
	MPI_Get(got, 3, MPI_INT, t, test_at(w, t, 8), 3, MPI_INT, w->win);
	MPI_Win_flush(t, w->win);
	check(got[0] == 11 && got[1] == 22 && got[2] == 33,
	      "Put from MPI_BOTTOM: %d %d %d", got[0], got[1], got[2]);
	MPI_Get(MPI_BOTTOM, 1, type, t, test_at(w, t, 8), 3, MPI_INT, w->win);
	MPI_Win_flush(t, w->win);
	check(fixed == 11 && local == 22 && *heap == 33,
	      "Get to MPI_BOTTOM: %d %d %d", fixed, local, *heap);
	MPI_Accumulate(MPI_BOTTOM, 1, type, t, test_at(w, t, 8), 3, MPI_INT,
		       MPI_SUM, w->win);
	MPI_Win_flush(t, w->win);
	MPI_Get(got, 3, MPI_INT, t, test_at(w, t, 8), 3, MPI_INT, w->win);
	MPI_Win_flush(t, w->win);
	check(got[0] == 22 && got[1] == 44 && got[2] == 66,
	      "Accumulate from MPI_BOTTOM: %d %d %d", got[0], got[1], got[2]);
	MPI_Type_free(&type);
	free(heap);
}

/* Freed before anything is completed, and others made in its place. */
static void freed(struct test_win *w)
{
	int *buf = malloc(64 * 1024 * sizeof(int)), t = test_next(), i, r;
	char *all;

	for (i = 0; i < 64 * 1024; i++)
		buf[i] = i;
	for (r = 0; r < 64; r++) {
		MPI_Datatype type;

		/* 1024 ints, one of 64 columns each round. */
		MPI_Type_vector(1024, 1, 64, MPI_INT, &type);
		MPI_Type_commit(&type);
		if (r % 2)
			MPI_Put(buf + r, 1, type, t, test_at(w, t, 4 * r), 1,
				type, w->win);
		else
			MPI_Accumulate(buf + r, 1, type, t,
				       test_at(w, t, 4 * r), 1, type,
				       MPI_REPLACE, w->win);
		MPI_Type_free(&type);
	}
	MPI_Win_flush(t, w->win);
	all = fetch(w);
	check(!memcmp(all, buf, 64 * 1024 * sizeof(int)),
	      "%s: types freed while pending", test_kind_name(w->kind));
	free(all);
	free(buf);
}

static void nothing(struct test_win *w)
{
	MPI_Datatype none, empty;
	int t = test_next(), value = 1;
	char *all;

	set(w, 5);
	MPI_Type_contiguous(0, MPI_INT, &none);
	MPI_Type_commit(&none);
	MPI_Type_vector(3, 0, 7, MPI_DOUBLE, &empty);
	MPI_Type_commit(&empty);
	MPI_Put(&value, 3, none, t, test_at(w, t, 0), 5, none, w->win);
	MPI_Put(&value, 0, MPI_INT, t, test_at(w, t, 0), 1, empty, w->win);
	MPI_Get(&value, 1, empty, t, test_at(w, t, 0), 0, MPI_INT, w->win);
	MPI_Accumulate(&value, 4, none, t, test_at(w, t, 0), 4, none, MPI_SUM,
		       w->win);
	MPI_Win_flush(t, w->win);
	check(value == 1, "a transfer of nothing gave %d", value);
	all = fetch(w);
	check(test_differs_from(all, SIZE, 5) == SIZE,
	      "a transfer of nothing wrote");
	free(all);
	MPI_Type_free(&none);
	MPI_Type_free(&empty);
}

struct record {
	char c;
	double d;
	int i[3];
	long double x;
	short s;
};

static MPI_Datatype record_type(void)
{
	const int lens[] = { 1, 1, 3, 1, 1 };
	const MPI_Aint at[] = { offsetof(struct record, c),
				offsetof(struct record, d),
				offsetof(struct record, i),
				offsetof(struct record, x),
				offsetof(struct record, s) };
	const MPI_Datatype types[] = { MPI_CHAR, MPI_DOUBLE, MPI_INT,
				       MPI_LONG_DOUBLE, MPI_SHORT };
	MPI_Datatype bare, type;

	MPI_Type_create_struct(5, lens, at, types, &bare);
	MPI_Type_create_resized(bare, 0, sizeof(struct record), &type);
	MPI_Type_free(&bare);
	MPI_Type_commit(&type);
	return type;
}

static void mixed(struct test_win *w)
{
	enum { MANY = 1000 };
	struct record *out = calloc(MANY, sizeof(*out));
	struct record *in = calloc(MANY, sizeof(*in));
	MPI_Datatype type = record_type();
	int t = test_next(), i;

	for (i = 0; i < MANY; i++)
		out[i] = (struct record){
			(char)i, i / 2.0, { i, -i, 7 * i }, i / 4.0L, (short)-i
		};
	MPI_Put(out, MANY, type, t, test_at(w, t, 16), MANY, type, w->win);
	MPI_Win_flush(t, w->win);
	MPI_Get(in, MANY, type, t, test_at(w, t, 16), MANY, type, w->win);
	MPI_Win_flush(t, w->win);
	for (i = 0; i < MANY; i++)
		check(in[i].c == out[i].c && in[i].d == out[i].d &&
			      !memcmp(in[i].i, out[i].i, sizeof(in[i].i)) &&
			      in[i].x == out[i].x && in[i].s == out[i].s,
		      "%s: record %d", test_kind_name(w->kind), i);
	MPI_Type_free(&type);
	free(out);
	free(in);
}

/* Rows to columns: the target type is a column, one after the other. */
static void transpose(struct test_win *w)
{
	enum { ROWS = 512 };
	int *buf = malloc(SIZE), *all, t = test_next(), i, bad = 0;
	MPI_Datatype column, columns;

	for (i = 0; i < ROWS * ROWS; i++)
		buf[i] = i;
	MPI_Type_vector(ROWS, 1, ROWS, MPI_INT, &column);
	MPI_Type_create_resized(column, 0, sizeof(int), &columns);
	MPI_Type_commit(&columns);
	MPI_Put(buf, ROWS * ROWS, MPI_INT, t, test_at(w, t, 0), ROWS, columns,
		w->win);
	MPI_Win_flush(t, w->win);
	all = (int *)(void *)fetch(w);
	for (i = 0; i < ROWS * ROWS; i++)
		bad += all[i % ROWS * ROWS + i / ROWS] != i;
	check(!bad, "%s: %d words of a put transpose", test_kind_name(w->kind),
	      bad);
	free(all);
	memset(buf, 0, SIZE);
	MPI_Get(buf, ROWS * ROWS, MPI_INT, t, test_at(w, t, 0), ROWS, columns,
		w->win);
	MPI_Win_flush(t, w->win);
	for (bad = i = 0; i < ROWS * ROWS; i++)
		bad += buf[i] != i;
	check(!bad, "%s: %d words of a got transpose", test_kind_name(w->kind),
	      bad);
	MPI_Type_free(&column);
	MPI_Type_free(&columns);
	free(buf);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, SIZE, 1);
		MPI_Win_lock_all(0, w.win);
		bottom(&w);
		freed(&w);
		mixed(&w);
		transpose(&w);
		nothing(&w);
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
