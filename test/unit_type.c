/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: every predefined datatype has the kind, size and extent that it
 * should; every constructor of MPI-3.1, section 4.1, has the blocks written
 * here by hand; regular datatypes are one run; what cannot be is an error; a
 * flattened datatype lives as long as its handle, whoever asks first.
 */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "orl_type.h"

/* -- predefined datatypes -------------------------------------------------*/

static void check_named(const char *name, MPI_Datatype handle, int kind)
{
	const struct orl_type *t;
	MPI_Aint lb, extent, true_lb, true_extent;
	int size;

	if (handle == MPI_DATATYPE_NULL)
		return;
	MPI_Type_size(handle, &size);
	MPI_Type_get_extent(handle, &lb, &extent);
	MPI_Type_get_true_extent(handle, &true_lb, &true_extent);
	if (!check(!orl_type_find(handle, &t), "%s", name))
		return;
	check(t == &orl_basics[kind], "%s is of kind %d", name, t->kind);
	check(t->size == (size_t)size, "%s: %zu, not %d", name, t->size, size);
	check(t->lb == lb && t->extent == extent, "%s: %td", name, t->extent);
	check(t->true_lb == true_lb && t->true_ub == true_lb + true_extent,
	      "%s: %td", name, t->true_ub);
	check(t->elements == 1 && t->kind == (enum orl_kind)kind, "%s", name);
	check(t->dense == (size == extent) && t->packed, "%s", name);
}

#define NAMED(name, kind) check_named(#name, name, ORL_##kind)

static void named_c(void)
{
	NAMED(MPI_CHAR, I8);
	NAMED(MPI_SIGNED_CHAR, I8);
	NAMED(MPI_UNSIGNED_CHAR, U8);
	NAMED(MPI_SHORT, I16);
	NAMED(MPI_UNSIGNED_SHORT, U16);
	NAMED(MPI_INT, I32);
	NAMED(MPI_UNSIGNED, U32);
	NAMED(MPI_LONG, I64);
	NAMED(MPI_UNSIGNED_LONG, U64);
	NAMED(MPI_LONG_LONG, I64);
	NAMED(MPI_LONG_LONG_INT, I64);
	NAMED(MPI_UNSIGNED_LONG_LONG, U64);
	NAMED(MPI_FLOAT, F32);
	NAMED(MPI_DOUBLE, F64);
	NAMED(MPI_LONG_DOUBLE, FLD);
	NAMED(MPI_INT8_T, I8);
	NAMED(MPI_INT16_T, I16);
	NAMED(MPI_INT32_T, I32);
	NAMED(MPI_INT64_T, I64);
	NAMED(MPI_UINT8_T, U8);
	NAMED(MPI_UINT16_T, U16);
	NAMED(MPI_UINT32_T, U32);
	NAMED(MPI_UINT64_T, U64);
	NAMED(MPI_AINT, I64);
	NAMED(MPI_OFFSET, I64);
	NAMED(MPI_COUNT, I64);
	NAMED(MPI_C_BOOL, BOOL);
	NAMED(MPI_C_COMPLEX, C32);
	NAMED(MPI_C_FLOAT_COMPLEX, C32);
	NAMED(MPI_C_DOUBLE_COMPLEX, C64);
	NAMED(MPI_C_LONG_DOUBLE_COMPLEX, CLD);
	NAMED(MPI_WCHAR, WCHAR);
	NAMED(MPI_BYTE, BYTE);
	NAMED(MPI_PACKED, PACKED);
	NAMED(MPI_FLOAT_INT, FLOAT_INT);
	NAMED(MPI_DOUBLE_INT, DOUBLE_INT);
	NAMED(MPI_LONG_INT, LONG_INT);
	NAMED(MPI_2INT, 2INT);
	NAMED(MPI_SHORT_INT, SHORT_INT);
	NAMED(MPI_LONG_DOUBLE_INT, LD_INT);
	NAMED(MPI_CXX_BOOL, BOOL);
	NAMED(MPI_CXX_FLOAT_COMPLEX, C32);
	NAMED(MPI_CXX_DOUBLE_COMPLEX, C64);
	NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX, CLD);
}

static void named_fortran(void)
{
	NAMED(MPI_INTEGER, I32);
	NAMED(MPI_REAL, F32);
	NAMED(MPI_DOUBLE_PRECISION, F64);
	NAMED(MPI_COMPLEX, C32);
	NAMED(MPI_DOUBLE_COMPLEX, C64);
	NAMED(MPI_LOGICAL, L32);
	NAMED(MPI_CHARACTER, CHARACTER);
	NAMED(MPI_2REAL, 2REAL);
	NAMED(MPI_2DOUBLE_PRECISION, 2DOUBLE);
	NAMED(MPI_2INTEGER, 2INT);
	NAMED(MPI_INTEGER1, I8);
	NAMED(MPI_INTEGER2, I16);
	NAMED(MPI_INTEGER4, I32);
	NAMED(MPI_INTEGER8, I64);
	NAMED(MPI_REAL4, F32);
	NAMED(MPI_REAL8, F64);
	NAMED(MPI_REAL16, F128);
	NAMED(MPI_COMPLEX8, C32);
	NAMED(MPI_COMPLEX16, C64);
	NAMED(MPI_COMPLEX32, C128);
#ifdef MPI_LOGICAL1
	NAMED(MPI_LOGICAL1, L8);
	NAMED(MPI_LOGICAL2, L16);
	NAMED(MPI_LOGICAL4, L32);
	NAMED(MPI_LOGICAL8, L64);
#endif
}

/* -- datatypes by hand ----------------------------------------------------*/

/* "0+4 8+4": one item's blocks of bytes, in their order. */
static void print_blocks(const struct orl_type *t, char *text, size_t room)
{
	struct orl_cursor cur;
	ptrdiff_t off;
	size_t len, at = 0;

	*text = '\0';
	orl_cursor_bytes(&cur, t, 1);
	while ((len = orl_cursor_next(&cur, SIZE_MAX, &off)) && at < room)
		at += snprintf(text + at, room - at, "%s%td+%zu", at ? " " : "",
			       off, len);
}

/* Consumes the datatype. */
static void check_type(int line, MPI_Datatype handle, const char *blocks,
		       ptrdiff_t lb, ptrdiff_t extent)
{
	const struct orl_type *t;
	char text[4096];

	if (!check(!orl_type_find(handle, &t), "line %d", line))
		return;
	print_blocks(t, text, sizeof(text));
	check(!strcmp(text, blocks), "line %d: \"%s\", not \"%s\"", line, text,
	      blocks);
	check(t->lb == lb && t->extent == extent, "line %d: lb %td, extent %td",
	      line, t->lb, t->extent);
	MPI_Type_free(&handle);
	check(t != orl_map_find(&orl_type_map, (uintptr_t)handle),
	      "line %d: freed but cached", line);
}
#define TYPE(...) check_type(__LINE__, __VA_ARGS__)

static void vectors(void)
{
	MPI_Datatype t;

	MPI_Type_contiguous(3, MPI_INT, &t);
	TYPE(t, "0+12", 0, 12);
	MPI_Type_contiguous(0, MPI_INT, &t);
	TYPE(t, "", 0, 0);
	MPI_Type_dup(MPI_DOUBLE, &t);
	TYPE(t, "0+8", 0, 8);
	MPI_Type_vector(3, 1, 2, MPI_INT, &t);
	TYPE(t, "0+4 8+4 16+4", 0, 20);
	MPI_Type_vector(2, 2, -3, MPI_INT, &t);
	TYPE(t, "0+8 -12+8", -12, 20);
	MPI_Type_vector(3, 2, 2, MPI_INT, &t);
	TYPE(t, "0+24", 0, 24);
	MPI_Type_vector(2, 1, 0, MPI_INT, &t);
	TYPE(t, "0+4 0+4", 0, 4);
	MPI_Type_create_hvector(3, 1, 10, MPI_SHORT, &t);
	TYPE(t, "0+2 10+2 20+2", 0, 22);
	MPI_Type_create_hvector(2, 1, -16, MPI_DOUBLE, &t);
	TYPE(t, "0+8 -16+8", -16, 24);
	MPI_Type_create_resized(MPI_INT, -4, 16, &t);
	TYPE(t, "0+4", -4, 16);
}

static void indexed(void)
{
	const int lens[] = { 1, 2, 0, 1 }, displs[] = { 4, 1, 7, 3 };
	const MPI_Aint hops[] = { 16, 4, 100, 12 };
	MPI_Datatype t;

	/* Blocks keep their order; those that follow each other are merged. */
	MPI_Type_indexed(4, lens, displs, MPI_INT, &t);
	TYPE(t, "16+4 4+12", 4, 16);
	MPI_Type_create_hindexed(4, lens, hops, MPI_INT, &t);
	TYPE(t, "16+4 4+12", 4, 16);
	MPI_Type_create_indexed_block(3, 2, displs, MPI_SHORT, &t);
	TYPE(t, "8+4 2+4 14+4", 2, 16);
	MPI_Type_create_hindexed_block(2, 1, hops, MPI_INT, &t);
	TYPE(t, "16+4 4+4", 4, 16);
}

static void structs(void)
{
	const int lens[] = { 1, 1, 2 };
	const MPI_Aint hops[] = { 0, 8, 20 };
	const MPI_Datatype types[] = { MPI_INT, MPI_DOUBLE, MPI_SHORT };
	MPI_Datatype t, packed;

	MPI_Type_create_struct(3, lens, hops, types, &t);
	TYPE(t, "0+4 8+8 20+4", 0, 24);
	/* A structure in a vector, with both freed before the first use. */
	MPI_Type_create_struct(2, lens, hops, types, &packed);
	MPI_Type_create_resized(packed, 0, 32, &t);
	MPI_Type_free(&packed);
	packed = t;
	MPI_Type_vector(2, 1, 2, packed, &t);
	MPI_Type_free(&packed);
	TYPE(t, "0+4 8+8 64+4 72+8", 0, 96);
}

static void pairs(void)
{
	MPI_Datatype t;

	/* The holes: 2..4 and its like, 12..16, 20..32. */
	MPI_Type_contiguous(2, MPI_SHORT_INT, &t);
	TYPE(t, "0+2 4+6 12+4", 0, 16);
	MPI_Type_vector(2, 1, 2, MPI_SHORT_INT, &t);
	TYPE(t, "0+2 4+4 16+2 20+4", 0, 24);
	MPI_Type_contiguous(2, MPI_DOUBLE_INT, &t);
	TYPE(t, "0+12 16+12", 0, 32);
	MPI_Type_contiguous(2, MPI_LONG_INT, &t);
	TYPE(t, "0+12 16+12", 0, 32);
	MPI_Type_contiguous(2, MPI_LONG_DOUBLE_INT, &t);
	TYPE(t, "0+20 32+20", 0, 64);
	MPI_Type_contiguous(2, MPI_FLOAT_INT, &t);
	TYPE(t, "0+16", 0, 16);
}

static void arrays(void)
{
	const int sizes[] = { 4, 5 }, sub[] = { 2, 3 }, starts[] = { 1, 2 };
	const int cyclic[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK };
	const int whole[] = { MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC };
	const int deflt[] = { MPI_DISTRIBUTE_DFLT_DARG,
			      MPI_DISTRIBUTE_DFLT_DARG };
	const int two[] = { MPI_DISTRIBUTE_DFLT_DARG, 2 };
	const int grid[] = { 2, 2 }, line[] = { 1, 2 };
	MPI_Datatype t;

	MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT,
				 &t);
	TYPE(t, "28+12 48+12", 0, 80);
	MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_FORTRAN,
				 MPI_INT, &t);
	TYPE(t, "36+8 52+8 68+8", 0, 80);
	/* Rank 1 is (0, 1): rows 0 and 2, columns 3 and 4. */
	MPI_Type_create_darray(4, 1, 2, sizes, cyclic, deflt, grid, MPI_ORDER_C,
			       MPI_INT, &t);
	TYPE(t, "12+8 52+8", 0, 80);
	/* Rank 2 is (1, 0): of dimension 0: 1 and 3; of dimension 1: 0..2. */
	MPI_Type_create_darray(4, 2, 2, sizes, cyclic, deflt, grid,
			       MPI_ORDER_FORTRAN, MPI_INT, &t);
	TYPE(t, "4+4 12+4 20+4 28+4 36+4 44+4", 0, 80);
	/* All rows, columns 0, 1, 4, of which the last is half a block. */
	MPI_Type_create_darray(2, 0, 2, sizes, whole, two, line, MPI_ORDER_C,
			       MPI_BYTE, &t);
	TYPE(t, "0+2 4+3 9+3 14+3 19+1", 0, 20);
}

static void check_f90(MPI_Datatype handle, enum orl_kind kind)
{
	const struct orl_type *t;

	if (!check(!orl_type_find(handle, &t), "%d", kind))
		return;
	check(t->kind == kind && t->elements == 1 && t->packed, "%d, not %d",
	      t->kind, kind);
}

static void f90(void)
{
	MPI_Datatype t, v;

	MPI_Type_create_f90_real(6, MPI_UNDEFINED, &t);
	check_f90(t, ORL_F32);
	MPI_Type_create_f90_real(15, MPI_UNDEFINED, &t);
	check_f90(t, ORL_F64);
	MPI_Type_create_f90_complex(15, MPI_UNDEFINED, &t);
	check_f90(t, ORL_C64);
	MPI_Type_create_f90_integer(4, &t);
	check_f90(t, ORL_I16);
	MPI_Type_create_f90_integer(18, &t);
	check_f90(t, ORL_I64);
	MPI_Type_vector(2, 1, 2, t, &v);
	TYPE(v, "0+8 16+8", 0, 24);
	/* Still there: what was read of v has not freed it. */
	check_f90(t, ORL_I64);
}

/* The bounds of MPI-1, where the host's mpi.h still has them. */
static void markers(void)
{
#if defined(MPI_LB) && defined(MPICH_VERSION)
	const int lens[] = { 1, 2, 1 };
	const MPI_Aint hops[] = { -8, 0, 24 };
	const MPI_Datatype types[] = { MPI_LB, MPI_INT, MPI_UB };
	MPI_Datatype t;

	MPI_Type_create_struct(3, lens, hops, types, &t);
	TYPE(t, "0+8", -8, 32);
#endif
}

/* -- regular datatypes are one run ----------------------------------------*/

static void check_regular(MPI_Datatype handle, size_t blocks, ptrdiff_t stride)
{
	const struct orl_type *t;

	if (!check(!orl_type_find(handle, &t), "%zu blocks", blocks))
		return;
	check(t->nruns == 1 && t->npieces == 1, "%zu, %zu", t->nruns,
	      t->npieces);
	check(t->runs->blocks == blocks && t->runs->stride == stride,
	      "%zu blocks, %td apart", t->runs->blocks, t->runs->stride);
	MPI_Type_free(&handle);
}

static void regular(void)
{
	MPI_Datatype t, inner, gap;
	MPI_Aint hops[100];
	int displs[100], i;

	MPI_Type_vector(1000000, 1, 2, MPI_INT, &t);
	check_regular(t, 1000000, 8);
	for (i = 0; i < 100; i++) {
		displs[i] = 7 - 3 * i;
		hops[i] = 5 + 24 * i;
	}
	MPI_Type_create_indexed_block(100, 1, displs, MPI_DOUBLE, &t);
	check_regular(t, 100, -24);
	MPI_Type_create_hindexed_block(100, 1, hops, MPI_DOUBLE_INT, &t);
	check_regular(t, 100, 24);
	MPI_Type_create_resized(MPI_INT, 0, 12, &gap);
	MPI_Type_contiguous(50, gap, &inner);
	MPI_Type_contiguous(50, inner, &t);
	check_regular(t, 2500, 12);
	MPI_Type_free(&gap);
	MPI_Type_free(&inner);
}

/* -- errors ---------------------------------------------------------------*/

static void errors(void)
{
	const MPI_Aint far[] = { 0, PTRDIFF_MAX - 100 };
	const struct orl_type *type;
	ptrdiff_t first, last;
	MPI_Datatype t;

	check(orl_type_find(MPI_DATATYPE_NULL, &type) == MPI_ERR_TYPE, "null");
	check(!type, "a type of an error");
	if (!MPI_Type_create_hindexed_block(2, 1, far, MPI_DOUBLE, &t)) {
		check(orl_type_find(t, &type) == MPI_ERR_TYPE, "too far");
		MPI_Type_free(&t);
	}
	orl_type_find(MPI_DOUBLE, &type);
	check(orl_type_span(type, SIZE_MAX / 8, &first, &last) == -EOVERFLOW,
	      "%td", last);
	check(!orl_type_span(type, 3, &first, &last) && !first && last == 24,
	      "%td..%td", first, last);
	check(!orl_type_span(type, 0, &first, &last) && !first && !last,
	      "%td..%td", first, last);
	MPI_Type_create_resized(MPI_DOUBLE, 0, -16, &t);
	if (!check(!orl_type_find(t, &type), "a negative extent"))
		return;
	check(!orl_type_span(type, 3, &first, &last) && first == -32 &&
		      last == 8,
	      "%td..%td", first, last);
	MPI_Type_free(&t);
}

/* -- lives ----------------------------------------------------------------*/

static bool is_cached(MPI_Datatype handle)
{
	return orl_map_find(&orl_type_map, (uintptr_t)handle) != NULL;
}

/* A datatype that another one is made of stays, as its handle does. */
static void lives(void)
{
	const struct orl_type *type, *again;
	MPI_Datatype inner, outer, copy, old;

	MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
	MPI_Type_contiguous(2, inner, &outer);
	orl_type_find(inner, &type);
	MPI_Type_dup(inner, &copy);
	check(!is_cached(copy), "a copy has a life of its own");
	orl_type_find(inner, &again);
	check(type == again, "flattened twice");
	MPI_Type_free(&copy);
	check(is_cached(inner), "gone with its copy");
	MPI_Type_free(&inner);
	orl_type_find(outer, &type);
	check(type->size == 16, "%zu", type->size);
	old = outer;
	MPI_Type_free(&outer);
	check(!is_cached(old), "freed but cached");
	check(is_cached(MPI_INT), "a basic type forgotten");
}

/* -- threads --------------------------------------------------------------*/

#define THREADS 4
#define SHARED	500

static MPI_Datatype shared[SHARED];

static void *find_all(void *found)
{
	const struct orl_type **types = found;
	int i;

	for (i = 0; i < SHARED; i++)
		if (orl_type_find(shared[i], &types[i]))
			types[i] = NULL;
	return NULL;
}

/* All threads get one and the same. */
static void threads(void)
{
	static const struct orl_type *found[THREADS][SHARED];
	pthread_t ids[THREADS];
	int i, k;

	for (i = 0; i < SHARED; i++)
		MPI_Type_vector(2 + i, 1, 2, MPI_INT, &shared[i]);
	for (k = 0; k < THREADS; k++)
		pthread_create(&ids[k], NULL, find_all, found[k]);
	for (k = 0; k < THREADS; k++)
		pthread_join(ids[k], NULL);
	for (i = 0; i < SHARED; i++) {
		for (k = 0; k < THREADS; k++)
			check(found[k][i] && found[k][i] == found[0][i],
			      "thread %d, type %d", k, i);
		check(found[0][i]->elements == 2u + i, "type %d", i);
		MPI_Type_free(&shared[i]);
	}
}

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	test_learn();
	test_errors_return();
	orl_threaded = level == MPI_THREAD_MULTIPLE;
	if (orl_threaded)
		threads();
	named_c();
	named_fortran();
	vectors();
	indexed();
	structs();
	pairs();
	arrays();
	f90();
	markers();
	regular();
	errors();
	lives();
	return test_finish();
}
