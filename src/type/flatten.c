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
#include "type.h"

#include "orl_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* args: count, blocklength; blocks are stride bytes apart. */
static void add_vector(struct orl_runs *list, const struct part *part,
		       const ptrdiff_t *args, ptrdiff_t stride)
{
	struct orl_runs block = { .at = NULL };

	orl_runs_repeat(&block, &part->runs, 0, args[1], part->extent);
	orl_runs_close(&block);
	orl_runs_repeat(list, &block, 0, args[0], stride);
	orl_runs_free(&block);
}

/* args: count, lengths, displacements in units of so many bytes. */
static void add_indexed(struct orl_runs *list, const struct part *part,
			const ptrdiff_t *args, ptrdiff_t unit)
{
	const ptrdiff_t *lens = args + 1, *displs = lens + args[0];
	ptrdiff_t i;

	for (i = 0; i < args[0] && !list->err; i++)
		orl_runs_repeat(list, &part->runs,
				orl_runs_product(list, displs[i], unit),
				lens[i], part->extent);
}

/* args: count, length of all, displacements. */
static void add_blocks(struct orl_runs *list, const struct part *part,
		       const ptrdiff_t *args, ptrdiff_t unit)
{
	const ptrdiff_t *displs = args + 2;
	ptrdiff_t i;

	for (i = 0; i < args[0] && !list->err; i++)
		orl_runs_repeat(list, &part->runs,
				orl_runs_product(list, displs[i], unit),
				args[1], part->extent);
}

/* args: count, lengths, displacements. */
static void add_struct(struct orl_runs *list, const struct orl_contents *c)
{
	const ptrdiff_t *lens = c->args + 1, *displs = lens + c->args[0];
	ptrdiff_t i;

	for (i = 0; i < c->args[0] && !list->err; i++) {
		struct part part;

		list->err = part_open(c->types[i], &part);
		if (list->err)
			return;
		orl_runs_repeat(list, &part.runs, displs[i], lens[i],
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
 * args: precision, range.  Those of x87's format tell it from the
 * quadruple one, which is of the same size.
 */
static bool is_quad(const ptrdiff_t *args)
{
	return args[0] > 18 || args[1] > 4931;
}

static void add_f90_real(struct orl_runs *list, MPI_Datatype handle,
			 const ptrdiff_t *args)
{
	const enum orl_kind kinds[] = { ORL_F32, ORL_F64,
					is_quad(args) ? ORL_F128 : ORL_FLD };

	add_f90(list, handle, kinds, 3);
}

static void add_f90_complex(struct orl_runs *list, MPI_Datatype handle,
			    const ptrdiff_t *args)
{
	const enum orl_kind kinds[] = { ORL_C32, ORL_C64,
					is_quad(args) ? ORL_C128 : ORL_CLD };

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
	const ptrdiff_t *args = c->args;
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
		orl_runs_repeat(list, &part.runs, 0, args[0], part.extent);
		break;
	case MPI_COMBINER_VECTOR:
		add_vector(list, &part, args,
			   orl_runs_product(list, args[2], part.extent));
		break;
	case MPI_COMBINER_HVECTOR:
		add_vector(list, &part, args, args[2]);
		break;
	case MPI_COMBINER_INDEXED:
		add_indexed(list, &part, args, part.extent);
		break;
	case MPI_COMBINER_HINDEXED:
		add_indexed(list, &part, args, 1);
		break;
	case MPI_COMBINER_INDEXED_BLOCK:
		add_blocks(list, &part, args, part.extent);
		break;
	case MPI_COMBINER_HINDEXED_BLOCK:
		add_blocks(list, &part, args, 1);
		break;
	case MPI_COMBINER_SUBARRAY:
		orl_runs_add_subarray(list, &part.runs, part.extent, args);
		break;
	case MPI_COMBINER_DARRAY:
		orl_runs_add_darray(list, &part.runs, part.extent, args);
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
		add_f90_real(list, handle, c->args);
		break;
	case MPI_COMBINER_F90_COMPLEX:
		add_f90_complex(list, handle, c->args);
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
	ptrdiff_t far;
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
	if (__builtin_mul_overflow(type->elements, type->run_repeats + 1,
				   &type->elements) ||
	    __builtin_mul_overflow(type->size, type->piece_repeats + 1,
				   &type->size))
		return MPI_ERR_TYPE;
	/* In range, as orl_runs_repeat has seen to. */
	far = (ptrdiff_t)type->piece_repeats * type->piece_step;
	if (far < 0)
		type->true_lb += far;
	else
		type->true_ub += far;
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
		.run_repeats = part->runs.repeats,
		.run_step = part->runs.step,
		.piece_repeats = pieces->repeats,
		.piece_step = pieces->step,
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
	type->dense = !type->piece_repeats &&
		      is_chain(type, type->pieces, type->npieces);
	type->packed =
		!type->run_repeats && is_chain(type, type->runs, type->nruns);
	*result = type;
free_runs:
	orl_runs_free(&pieces);
	part_close(&part);
	return rc;
}
