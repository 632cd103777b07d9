/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: a datatype made with large counts (MPI-4.0, section 5.1) is
 * flattened to what its twin of int counts is, alone and inside others; one
 * whose counts are beyond int has the size, bounds and runs that it should.
 */
#include "test.h"

#include "orl_type.h"

#if MPI_VERSION >= 4

static bool same_runs(const struct orl_run *a, const struct orl_run *b,
		      size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (a[i].off != b[i].off || a[i].stride != b[i].stride ||
		    a[i].blocks != b[i].blocks ||
		    a[i].blocklen != b[i].blocklen || a[i].kind != b[i].kind)
			return false;
	return true;
}

static void compare(int line, const struct orl_type *a,
		    const struct orl_type *b)
{
	check(a->size == b->size && a->elements == b->elements,
	      "line %d: %zu bytes, not %zu", line, b->size, a->size);
	check(a->lb == b->lb && a->extent == b->extent,
	      "line %d: lb %td, extent %td, not %td, %td", line, b->lb,
	      b->extent, a->lb, a->extent);
	check(a->true_lb == b->true_lb && a->true_ub == b->true_ub, "line %d",
	      line);
	check(a->kind == b->kind && a->dense == b->dense &&
		      a->packed == b->packed,
	      "line %d", line);
	if (check(a->nruns == b->nruns, "line %d: %zu runs", line, b->nruns))
		check(same_runs(a->runs, b->runs, a->nruns), "line %d", line);
	if (check(a->npieces == b->npieces, "line %d", line))
		check(same_runs(a->pieces, b->pieces, a->npieces), "line %d",
		      line);
}

/* Consumes both datatypes. */
static void check_twins(int line, MPI_Datatype small, MPI_Datatype large)
{
	const struct orl_type *a, *b;

	if (check(!orl_type_find(small, &a), "line %d", line) &&
	    check(!orl_type_find(large, &b), "line %d: large", line))
		compare(line, a, b);
	MPI_Type_free(&small);
	MPI_Type_free(&large);
}
#define TWINS(small, large) check_twins(__LINE__, small, large)

static void vectors(MPI_Datatype old)
{
	MPI_Datatype a, b;

	MPI_Type_contiguous(5, old, &a);
	MPI_Type_contiguous_c(5, old, &b);
	TWINS(a, b);
	MPI_Type_contiguous(0, old, &a);
	MPI_Type_contiguous_c(0, old, &b);
	TWINS(a, b);
	MPI_Type_vector(3, 2, -5, old, &a);
	MPI_Type_vector_c(3, 2, -5, old, &b);
	TWINS(a, b);
	MPI_Type_create_hvector(3, 2, 104, old, &a);
	MPI_Type_create_hvector_c(3, 2, 104, old, &b);
	TWINS(a, b);
	MPI_Type_create_resized(old, -8, 48, &a);
	MPI_Type_create_resized_c(old, -8, 48, &b);
	TWINS(a, b);
}

static void indexed(MPI_Datatype old)
{
	const int lens[] = { 1, 2, 0, 1 }, displs[] = { 4, 1, 7, 3 };
	const MPI_Aint hops[] = { 160, 40, 1000, 120 };
	const MPI_Count lens_c[] = { 1, 2, 0, 1 }, displs_c[] = { 4, 1, 7, 3 };
	const MPI_Count hops_c[] = { 160, 40, 1000, 120 };
	MPI_Datatype a, b;

	MPI_Type_indexed(4, lens, displs, old, &a);
	MPI_Type_indexed_c(4, lens_c, displs_c, old, &b);
	TWINS(a, b);
	MPI_Type_create_hindexed(4, lens, hops, old, &a);
	MPI_Type_create_hindexed_c(4, lens_c, hops_c, old, &b);
	TWINS(a, b);
	MPI_Type_create_indexed_block(4, 2, displs, old, &a);
	MPI_Type_create_indexed_block_c(4, 2, displs_c, old, &b);
	TWINS(a, b);
	MPI_Type_create_hindexed_block(4, 2, hops, old, &a);
	MPI_Type_create_hindexed_block_c(4, 2, hops_c, old, &b);
	TWINS(a, b);
}

static void structs(MPI_Datatype old)
{
	const int lens[] = { 1, 2, 3 };
	const MPI_Aint hops[] = { 0, 80, 8 };
	const MPI_Count lens_c[] = { 1, 2, 3 }, hops_c[] = { 0, 80, 8 };
	const MPI_Datatype types[] = { MPI_SHORT, old, MPI_DOUBLE };
	MPI_Datatype a, b;

	MPI_Type_create_struct(3, lens, hops, types, &a);
	MPI_Type_create_struct_c(3, lens_c, hops_c, types, &b);
	TWINS(a, b);
}

static void arrays(MPI_Datatype old, int order)
{
	const int sizes[] = { 7, 5 }, sub[] = { 2, 3 }, starts[] = { 1, 2 };
	const MPI_Count sizes_c[] = { 7, 5 }, sub_c[] = { 2, 3 };
	const MPI_Count starts_c[] = { 1, 2 };
	const int distribs[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK };
	const int dargs[] = { 2, MPI_DISTRIBUTE_DFLT_DARG };
	const int grid[] = { 2, 2 };
	MPI_Datatype a, b;
	int rank;

	MPI_Type_create_subarray(2, sizes, sub, starts, order, old, &a);
	MPI_Type_create_subarray_c(2, sizes_c, sub_c, starts_c, order, old, &b);
	TWINS(a, b);
	for (rank = 0; rank < 4; rank++) {
		MPI_Type_create_darray(4, rank, 2, sizes, distribs, dargs, grid,
				       order, old, &a);
		MPI_Type_create_darray_c(4, rank, 2, sizes_c, distribs, dargs,
					 grid, order, old, &b);
		TWINS(a, b);
	}
}

static void twins(MPI_Datatype old)
{
	vectors(old);
	indexed(old);
	structs(old);
	arrays(old, MPI_ORDER_C);
	arrays(old, MPI_ORDER_FORTRAN);
}

/* -- beyond int -----------------------------------------------------------*/

#define MANY 3000000000

/* Consumes the datatype, one run of so many blocks. */
static void check_huge(int line, MPI_Datatype t, struct orl_run run,
		       ptrdiff_t extent)
{
	const struct orl_type *type;

	if (!check(!orl_type_find(t, &type), "line %d", line))
		return;
	check(type->size == run.blocks * run.blocklen * 4, "line %d: %zu", line,
	      type->size);
	check(type->extent == extent, "line %d: %td", line, type->extent);
	check(type->nruns == 1 && same_runs(type->runs, &run, 1),
	      "line %d: %zu runs, %zu blocks of %zu", line, type->nruns,
	      type->runs->blocks, type->runs->blocklen);
	MPI_Type_free(&t);
}
#define HUGE_RUN(t, extent, ...)                                               \
	check_huge(__LINE__, t, (struct orl_run){ __VA_ARGS__ }, extent)

static void huge(void)
{
	const MPI_Count sizes[] = { MANY, 4 }, sub[] = { MANY - 1, 3 };
	const MPI_Count starts[] = { 1, 0 }, displs[] = { MANY, 0 };
	MPI_Datatype t;

	MPI_Type_contiguous_c(MANY, MPI_INT, &t);
	HUGE_RUN(t, 4 * MANY, 0, 0, 1, MANY, ORL_I32);
	MPI_Type_vector_c(MANY, 2, 3, MPI_INT, &t);
	HUGE_RUN(t, 12 * MANY - 4, 0, 12, MANY, 2, ORL_I32);
	MPI_Type_create_hvector_c(2, MANY, 5 * MANY, MPI_INT, &t);
	HUGE_RUN(t, 9 * MANY, 0, 5 * MANY, 2, MANY, ORL_I32);
	MPI_Type_create_indexed_block_c(2, 1, displs, MPI_INT, &t);
	HUGE_RUN(t, 4 * MANY + 4, 4 * MANY, -4 * MANY, 2, 1, ORL_I32);
	MPI_Type_create_subarray_c(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT,
				   &t);
	HUGE_RUN(t, 16 * MANY, 16, 16, MANY - 1, 3, ORL_I32);
	/* Unlike the count, the size is beyond what can be. */
	if (!MPI_Type_create_hvector_c(MANY, 1, PTRDIFF_MAX / MANY, MPI_INT,
				       &t)) {
		const struct orl_type *type;

		check(orl_type_find(t, &type) == MPI_ERR_TYPE, "too far");
		MPI_Type_free(&t);
	}
}

int main(int argc, char **argv)
{
	MPI_Datatype holes, inner;

	test_start(argc, argv);
	/* Errors are fatal: reading a datatype must not raise any. */
	MPI_Type_create_resized_c(MPI_INT, 0, 8, &inner);
	MPI_Type_vector_c(2, 1, 2, inner, &holes);
	twins(MPI_INT);
	twins(holes);
	test_errors_return();
	huge();
	MPI_Type_free(&inner);
	MPI_Type_free(&holes);
	return test_finish();
}

#else

int main(void)
{
	puts("# skip: MPI_VERSION < 4: no large counts");
	return 77;
}

#endif
