/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flatten.c - from an MPI datatype to runs, by recursion over what
 * MPI_Type_get_contents tells (MPI-3.1, sections 4.1.2 to 4.1.5 and 4.1.13).
 *
 * Bounds are the host's at every level: the program computes with
 * MPI_Type_get_extent, and the padding at the end of a structure is the
 * host's choice.  MPI_LB and MPI_UB act through them only; here they are
 * datatypes of no bytes, like any named one of size 0.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orl_host.h"
#include "type.h"

/* A datatype that another one is made of. */
struct part {
	struct orl_runs runs;
	ptrdiff_t lb, extent;
	bool borrowed; /* runs are those of a basic type */
};

static int part_open(MPI_Datatype handle, struct part *part);

static void part_close(struct part *part)
{
	if (!part->borrowed)
		orl_runs_free(&part->runs);
}

/* -- one level, one constructor each --------------------------------------*/

static void add_part(struct orl_runs *list, const struct part *part)
{
	orl_runs_repeat(list, &part->runs, 0, 1, 0);
}

/* A block of blocklen items, count times, stride bytes apart. */
static void add_vector(struct orl_runs *list, const struct part *part,
		       const int *ints, ptrdiff_t stride)
{
	struct orl_runs block = { .at = NULL };

	orl_runs_repeat(&block, &part->runs, 0, ints[1], part->extent);
	orl_runs_close(&block);
	orl_runs_repeat(list, &block, 0, ints[0], stride);
	orl_runs_free(&block);
}

/*
 * Blocks of the given lengths at displacements in extents or, if hops is not
 * NULL, in bytes.
 */
static void add_indexed(struct orl_runs *list, const struct part *part,
			const int *ints, const MPI_Aint *hops)
{
	const int *lens = ints + 1, *displs = lens + ints[0];
	int i;

	for (i = 0; i < ints[0] && !list->err; i++) {
		ptrdiff_t off =
			hops ? hops[i]
			     : orl_runs_product(list, displs[i], part->extent);

		orl_runs_repeat(list, &part->runs, off, lens[i], part->extent);
	}
}

/* The same, all blocks of one length. */
static void add_blocks(struct orl_runs *list, const struct part *part,
		       const int *ints, const MPI_Aint *hops)
{
	const int *displs = ints + 2;
	int i;

	for (i = 0; i < ints[0] && !list->err; i++) {
		ptrdiff_t off =
			hops ? hops[i]
			     : orl_runs_product(list, displs[i], part->extent);

		orl_runs_repeat(list, &part->runs, off, ints[1], part->extent);
	}
}

static void add_struct(struct orl_runs *list, const struct orl_contents *c)
{
	int i;

	for (i = 0; i < c->ints[0] && !list->err; i++) {
		struct part part;

		list->err = part_open(c->types[i], &part);
		if (list->err)
			return;
		orl_runs_repeat(list, &part.runs, c->addrs[i], c->ints[1 + i],
				part.extent);
		part_close(&part);
	}
}

/* -- named datatypes ------------------------------------------------------*/

static void add_elements(struct orl_runs *list, enum orl_kind kind, size_t n)
{
	const struct orl_run run = {
		.blocks = 1,
		.blocklen = n,
		.kind = kind,
	};

	orl_runs_add(list, &run);
}

/* One of no kind that we know: bytes that can be moved. */
static void add_opaque(struct orl_runs *list, MPI_Datatype handle)
{
	size_t size;

	list->err = orl_host_type_size(handle, &size);
	if (!list->err)
		add_elements(list, ORL_PACKED, size);
}

/* MPI_Type_create_f90_*: kinds[0] of size bytes, or kinds[1], ... */
static void add_f90(struct orl_runs *list, MPI_Datatype handle,
		    const enum orl_kind *kinds, int n)
{
	size_t size;
	int i;

	list->err = orl_host_type_size(handle, &size);
	for (i = 0; i < n && !list->err; i++) {
		if (orl_kinds[kinds[i]].size == size) {
			add_elements(list, kinds[i], 1);
			return;
		}
	}
	add_opaque(list, handle);
}

/*
 * ints: precision, range.  Those of x87's format tell it from the
 * quadruple one, which is of the same size.
 */
static bool is_quad(const int *ints)
{
	return ints[0] > 18 || ints[1] > 4931;
}

static void add_f90_real(struct orl_runs *list, MPI_Datatype handle,
			 const int *ints)
{
	const enum orl_kind kinds[] = { ORL_F32, ORL_F64,
					is_quad(ints) ? ORL_F128 : ORL_FLD };

	add_f90(list, handle, kinds, 3);
}

static void add_f90_complex(struct orl_runs *list, MPI_Datatype handle,
			    const int *ints)
{
	const enum orl_kind kinds[] = { ORL_C32, ORL_C64,
					is_quad(ints) ? ORL_C128 : ORL_CLD };

	add_f90(list, handle, kinds, 3);
}

static void add_f90_integer(struct orl_runs *list, MPI_Datatype handle)
{
	const enum orl_kind kinds[] = { ORL_I8, ORL_I16, ORL_I32, ORL_I64 };

	add_f90(list, handle, kinds, 4);
}

/* -- any datatype ---------------------------------------------------------*/

/* Constructors of one old type. */
static void add_derived(struct orl_runs *list, const struct orl_contents *c)
{
	const MPI_Aint *hops = c->naddrs ? c->addrs : NULL;
	struct part part;

	list->err = part_open(c->types[0], &part);
	if (list->err)
		return;
	switch (c->combiner) {
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_RESIZED:
		add_part(list, &part);
		break;
	case MPI_COMBINER_CONTIGUOUS:
		orl_runs_repeat(list, &part.runs, 0, c->ints[0], part.extent);
		break;
	case MPI_COMBINER_VECTOR:
		add_vector(list, &part, c->ints,
			   orl_runs_product(list, c->ints[2], part.extent));
		break;
	case MPI_COMBINER_HVECTOR:
		add_vector(list, &part, c->ints, c->addrs[0]);
		break;
	case MPI_COMBINER_INDEXED:
	case MPI_COMBINER_HINDEXED:
		add_indexed(list, &part, c->ints, hops);
		break;
	case MPI_COMBINER_INDEXED_BLOCK:
	case MPI_COMBINER_HINDEXED_BLOCK:
		add_blocks(list, &part, c->ints, hops);
		break;
	case MPI_COMBINER_SUBARRAY:
		orl_runs_add_subarray(list, &part.runs, part.extent, c->ints);
		break;
	case MPI_COMBINER_DARRAY:
		orl_runs_add_darray(list, &part.runs, part.extent, c->ints);
		break;
	default:
		list->err = MPI_ERR_TYPE;
	}
	part_close(&part);
}

static void add_contents(struct orl_runs *list, MPI_Datatype handle,
			 const struct orl_contents *c)
{
	switch (c->combiner) {
	case MPI_COMBINER_NAMED:
		add_opaque(list, handle);
		break;
	case MPI_COMBINER_STRUCT:
		add_struct(list, c);
		break;
	case MPI_COMBINER_F90_REAL:
		add_f90_real(list, handle, c->ints);
		break;
	case MPI_COMBINER_F90_COMPLEX:
		add_f90_complex(list, handle, c->ints);
		break;
	case MPI_COMBINER_F90_INTEGER:
		add_f90_integer(list, handle);
		break;
	default:
		if (c->ntypes == 1)
			add_derived(list, c);
		else
			list->err = MPI_ERR_TYPE;
	}
}

static int read_runs(MPI_Datatype handle, struct orl_runs *list)
{
	struct orl_contents contents;
	int rc = orl_host_type_open(handle, &contents);

	if (rc)
		return rc;
	*list = (struct orl_runs){ .at = NULL };
	add_contents(list, handle, &contents);
	orl_runs_close(list);
	orl_host_type_close(&contents);
	if (list->err)
		orl_runs_free(list);
	return list->err;
}

/* The basic types are found in the map; others are read from the host. */
static int part_open(MPI_Datatype handle, struct part *part)
{
	struct orl_type *type = orl_map_find(&orl_type_map, (uintptr_t)handle);
	int rc;

	if (type && orl_type_is_basic(type)) {
		*part = (struct part){
			/* Never grows: it is another list's part. */
			.runs.at = (struct orl_run *)(uintptr_t)type->runs,
			.runs.n = type->nruns,
			.extent = type->extent,
			.borrowed = true,
		};
		return 0;
	}
	rc = orl_host_type_extent(handle, &part->lb, &part->extent);
	if (rc)
		return rc;
	part->borrowed = false;
	return read_runs(handle, &part->runs);
}

/* -- the result -----------------------------------------------------------*/

/* Sizes and bounds from the runs: 0 or MPI_ERR_TYPE. */
static int measure(struct orl_type *type)
{
	size_t i, n;

	for (i = 0; i < type->nruns; i++) {
		const struct orl_run *run = &type->runs[i];

		if (__builtin_mul_overflow(run->blocks, run->blocklen, &n) ||
		    __builtin_add_overflow(type->elements, n, &type->elements))
			return MPI_ERR_TYPE;
		if (i && run->kind != type->kind)
			type->kind = ORL_MIXED;
		else
			type->kind = run->kind;
	}
	for (i = 0; i < type->npieces; i++) {
		const struct orl_run *run = &type->pieces[i];
		ptrdiff_t last = orl_run_last(run);
		ptrdiff_t lo = last < run->off ? last : run->off;
		ptrdiff_t hi = last > run->off ? last : run->off;

		if (__builtin_mul_overflow(run->blocks, run->blocklen, &n) ||
		    __builtin_add_overflow(type->size, n, &type->size))
			return MPI_ERR_TYPE;
		hi += (ptrdiff_t)run->blocklen;
		if (!i || lo < type->true_lb)
			type->true_lb = lo;
		if (!i || hi > type->true_ub)
			type->true_ub = hi;
	}
	return 0;
}

/* Do items lie one after the other, each of them this one run? */
static bool is_chain(const struct orl_type *type, const struct orl_run *runs,
		     size_t n)
{
	if (!n)
		return true;
	return n == 1 && runs->blocks == 1 && runs->off == 0 &&
	       type->extent == (ptrdiff_t)runs->blocklen * orl_run_unit(runs);
}

static struct orl_type *make_type(const struct part *part,
				  const struct orl_runs *pieces)
{
	size_t nruns = part->runs.n, npieces = pieces->n;
	struct orl_type *type;
	struct orl_run *runs;

	type = malloc(sizeof(*type) + (nruns + npieces) * sizeof(*runs));
	if (!type)
		return NULL;
	runs = (struct orl_run *)(type + 1);
	*type = (struct orl_type){
		.lb = part->lb,
		.extent = part->extent,
		.kind = ORL_BYTE,
		.nruns = nruns,
		.runs = runs,
		.npieces = npieces,
		.pieces = runs + nruns,
	};
	if (nruns)
		memcpy(runs, part->runs.at, nruns * sizeof(*runs));
	if (npieces)
		memcpy(runs + nruns, pieces->at, npieces * sizeof(*runs));
	return type;
}

int orl_type_flatten(MPI_Datatype handle, struct orl_type **result)
{
	struct orl_runs pieces = { .at = NULL };
	struct orl_type *type;
	struct part part;
	int rc;

	rc = part_open(handle, &part);
	if (rc)
		return rc;
	orl_runs_pieces(&pieces, &part.runs);
	orl_runs_close(&pieces);
	rc = pieces.err;
	if (rc)
		goto free_runs;
	rc = -ENOMEM;
	type = make_type(&part, &pieces);
	if (!type)
		goto free_runs;
	rc = measure(type);
	if (rc) {
		free(type);
		goto free_runs;
	}
	type->dense = is_chain(type, type->pieces, type->npieces);
	type->packed = is_chain(type, type->runs, type->nruns);
	*result = type;
free_runs:
	orl_runs_free(&pieces);
	part_close(&part);
	return rc;
}
