/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: many copies of an irregular datatype take the memory of one, however
 * they were made, and cursors walk what they would walk of the single ones:
 * the bytes, the elements, in order, for any number of items.
 */
#include "test.h"

#include "orl_type.h"

#include <stddef.h>

#define MANY 100000

/* {int, double}: as bytes the copies are regular, as elements they are not. */
static MPI_Datatype make_mixed(void)
{
	const int lens[] = { 1, 1 };
	const MPI_Aint displs[] = { 0, 8 };
	const MPI_Datatype types[] = { MPI_INT, MPI_DOUBLE };
	MPI_Datatype t;

	MPI_Type_create_struct(2, lens, displs, types, &t);
	return t;
}

/* Of three kinds with holes between all. */
static MPI_Datatype make_uneven(void)
{
	const int lens[] = { 1, 1, 1 };
	const MPI_Aint displs[] = { 4, 0, 11 };
	const MPI_Datatype types[] = { MPI_FLOAT, MPI_SHORT, MPI_CHAR };
	MPI_Datatype t, padded;

	MPI_Type_create_struct(3, lens, displs, types, &t);
	MPI_Type_create_resized(t, 0, 16, &padded);
	MPI_Type_free(&t);
	return padded;
}

/* Of one kind; the last block touches the next copy's first. */
static MPI_Datatype make_touching(void)
{
	const int lens[] = { 1, 2, 1, 1 }, displs[] = { 0, 2, 6, 9 };
	MPI_Datatype t;

	MPI_Type_indexed(4, lens, displs, MPI_INT, &t);
	return t;
}

/* A padded pair, of which the pieces are irregular. */
static MPI_Datatype make_pair(void)
{
	MPI_Datatype t;

	MPI_Type_create_resized(MPI_SHORT_INT, 0, 20, &t);
	return t;
}

/* -- two walks ------------------------------------------------------------*/

/* What is to be walked: copies of a part where place says they are. */
struct copies {
	const struct orl_type *part;
	size_t count;
	ptrdiff_t (*place)(size_t copy);
	size_t pieces; /* at most, of all copies together */
};

typedef void (*cursor_fn)(struct orl_cursor *, const struct orl_type *, size_t);

/* Goes len units on in both: false, with the first difference told. */
static bool follow(struct orl_cursor *cur, ptrdiff_t off, size_t len,
		   size_t unit)
{
	while (len) {
		ptrdiff_t at;
		size_t n = orl_cursor_next(cur, len, &at);

		if (!check(n && at == off, "at %td, not %td", at, off))
			return false;
		len -= n;
		off += (ptrdiff_t)(n * unit);
	}
	return true;
}

static void walk(const char *name, const struct orl_type *type, size_t count,
		 const struct copies *want, cursor_fn begin)
{
	struct orl_cursor all, one;
	ptrdiff_t off;
	size_t i, len;

	begin(&all, type, count);
	for (i = 0; i < want->count; i++) {
		begin(&one, want->part, 1);
		for (;;) {
			const size_t unit = one.unit;

			len = orl_cursor_next(&one, SIZE_MAX, &off);
			if (!len)
				break;
			if (!follow(&all, off + want->place(i), len, unit)) {
				fprintf(stderr, "%s: copy %zu\n", name, i);
				return;
			}
		}
	}
	check(!orl_cursor_next(&all, 1, &off), "%s: too long", name);
}

/* Consumes the datatype. */
static void check_copies(const char *name, MPI_Datatype handle, size_t count,
			 const struct copies *want)
{
	const struct orl_type *type;

	if (!check(!orl_type_find(handle, &type), "%s", name))
		return;
	check(type->nruns < 5000 && type->npieces < want->pieces,
	      "%s: %zu runs, %zu pieces", name, type->nruns, type->npieces);
	check(type->size * count == want->part->size * want->count, "%s: %zu",
	      name, type->size);
	check(type->elements * count == want->part->elements * want->count,
	      "%s: %zu", name, type->elements);
	check(!type->dense && !type->packed, "%s", name);
	walk(name, type, count, want, orl_cursor_bytes);
	walk(name, type, count, want, orl_cursor_elements);
	MPI_Type_free(&handle);
}

/* -- ways to repeat -------------------------------------------------------*/

static ptrdiff_t extent; /* of the part under test */

static ptrdiff_t in_line(size_t copy)
{
	return (ptrdiff_t)copy * extent;
}

static void contiguous(const char *name, MPI_Datatype part, struct copies *want)
{
	MPI_Datatype t;

	want->place = in_line;
	want->count = 3 * MANY;
	MPI_Type_contiguous(MANY, part, &t);
	check_copies(name, t, 3, want);
	want->count = MANY;
	MPI_Type_create_hvector(MANY, 1, extent, part, &t);
	check_copies(name, t, 1, want);
}

/* Two items, MANY copies each, a hole between them. */
static ptrdiff_t with_gap(size_t copy)
{
	return (ptrdiff_t)copy * extent + (ptrdiff_t)(copy / MANY) * 52;
}

static void gap(const char *name, MPI_Datatype part, struct copies *want)
{
	MPI_Datatype line, t;

	want->place = with_gap;
	want->count = 2 * MANY;
	MPI_Type_contiguous(MANY, part, &line);
	MPI_Type_create_resized(line, 0, MANY * extent + 52, &t);
	check_copies(name, t, 2, want);
	MPI_Type_free(&line);
}

static ptrdiff_t backwards(size_t copy)
{
	return -(ptrdiff_t)copy * (extent + 12);
}

static ptrdiff_t in_rows(size_t copy)
{
	return (ptrdiff_t)(copy % 100) * extent +
	       (ptrdiff_t)(copy / 100) * 150 * extent + 7 * extent;
}

static void vectors(const char *name, MPI_Datatype part, struct copies *want)
{
	const int sizes[] = { 1000, 150 }, sub[] = { 1000, 100 };
	const int starts[] = { 0, 7 };
	MPI_Datatype t;

	want->place = backwards;
	want->count = MANY;
	MPI_Type_create_hvector(MANY, 1, -(extent + 12), part, &t);
	check_copies(name, t, 1, want);
	want->place = in_rows;
	/* A run each row; only the pieces of each pair are not compact. */
	if (want->part->npieces > want->part->nruns)
		want->pieces = 2 * MANY + 1;
	MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, part, &t);
	check_copies(name, t, 1, want);
}

/* Repeats of repeats, and what is added to them: more than one of them. */
static void nested(const char *name, MPI_Datatype part, struct copies *want)
{
	MPI_Datatype inner, t;

	want->place = in_line;
	want->count = MANY;
	MPI_Type_contiguous(MANY / 10, part, &inner);
	MPI_Type_contiguous(10, inner, &t);
	check_copies(name, t, 1, want);
	MPI_Type_free(&inner);
}

/* Too long as they stand, so they become runs again. */
static ptrdiff_t by_two(size_t copy)
{
	return (ptrdiff_t)copy * extent + (copy < 3000 ? 0 : 40);
}

static void unfolded(const char *name, MPI_Datatype part, struct copies *want)
{
	const int lens[] = { 3000, 3000 };
	const MPI_Aint displs[] = { 0, 3000 * extent + 40 };
	const struct orl_type *type;
	MPI_Datatype t;

	want->place = by_two;
	want->count = 6000;
	MPI_Type_create_hindexed(2, lens, displs, part, &t);
	if (check(!orl_type_find(t, &type), "%s", name)) {
		walk(name, type, 1, want, orl_cursor_bytes);
		walk(name, type, 1, want, orl_cursor_elements);
	}
	MPI_Type_free(&t);
}

static void each_way(const char *name, MPI_Datatype part)
{
	struct copies want;

	if (!check(!orl_type_find(part, &want.part), "%s", name))
		return;
	want.pieces = 5000;
	extent = want.part->extent;
	contiguous(name, part, &want);
	gap(name, part, &want);
	vectors(name, part, &want);
	want.pieces = 5000;
	nested(name, part, &want);
	unfolded(name, part, &want);
	MPI_Type_free(&part);
}

static void errors(void)
{
	const struct orl_type *type;
	MPI_Datatype part = make_uneven(), t;

	/* The last copy is out of range. */
	if (!MPI_Type_create_hvector(MANY, 1, PTRDIFF_MAX / MANY, part, &t)) {
		check(orl_type_find(t, &type) == MPI_ERR_TYPE, "too far");
		MPI_Type_free(&t);
	}
	MPI_Type_free(&part);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	test_errors_return();
	each_way("mixed", make_mixed());
	each_way("uneven", make_uneven());
	each_way("touching", make_touching());
	each_way("pair", make_pair());
	errors();
	return test_finish();
}
