/* SPDX-License-Identifier: BSD-3-Clause */
/* random_mpitype.c - the MPI datatype that a tree describes. */
#include "random.h"

static MPI_Datatype make(const struct tree *tree, bool *made);

static MPI_Datatype make_array(const struct array_args *args, MPI_Datatype kid)
{
	MPI_Datatype type;

	if (args->procs == 0)
		MPI_Type_create_subarray(args->dims, args->sizes,
					 args->subsizes, args->starts,
					 args->order, kid, &type);
	else
		MPI_Type_create_darray(args->procs, args->rank, args->dims,
				       args->sizes, args->distribs, args->dargs,
				       args->psizes, args->order, kid, &type);
	return type;
}

static void int_disps(const struct tree *tree, int *out)
{
	for (int i = 0; i < tree->n; i++)
		out[i] = (int)tree->disps[i];
}

static MPI_Datatype make_in_units(const struct tree *tree, MPI_Datatype kid)
{
	int *disps = arena_alloc((tree->n + 1) * sizeof(int));
	MPI_Datatype type;

	int_disps(tree, disps);
	if (tree->comb == COMB_INDEXED)
		MPI_Type_indexed(tree->n, tree->lens, disps, kid, &type);
	else
		MPI_Type_create_indexed_block(tree->n, tree->blocklen, disps,
					      kid, &type);
	return type;
}

static MPI_Datatype make_struct(const struct tree *tree)
{
	MPI_Datatype *kids = arena_alloc((tree->n + 1) * sizeof(*kids));
	bool *made = arena_alloc(tree->n + 1);
	MPI_Datatype type;

	for (int i = 0; i < tree->n; i++)
		kids[i] = make(tree->kids[i], &made[i]);
	MPI_Type_create_struct(tree->n, tree->lens, tree->disps, kids, &type);
	for (int i = 0; i < tree->n; i++)
		if (made[i])
			MPI_Type_free(&kids[i]);
	return type;
}

static MPI_Datatype make_over(const struct tree *tree, MPI_Datatype kid)
{
	MPI_Datatype type;

	switch (tree->comb) {
	case COMB_DUP:
		MPI_Type_dup(kid, &type);
		break;
	case COMB_CONTIG:
		MPI_Type_contiguous(tree->n, kid, &type);
		break;
	case COMB_VECTOR:
		MPI_Type_vector(tree->n, tree->blocklen, (int)tree->stride, kid,
				&type);
		break;
	case COMB_HVECTOR:
		MPI_Type_create_hvector(tree->n, tree->blocklen, tree->stride,
					kid, &type);
		break;
	case COMB_HINDEXED:
		MPI_Type_create_hindexed(tree->n, tree->lens, tree->disps, kid,
					 &type);
		break;
	case COMB_HIBLOCK:
		MPI_Type_create_hindexed_block(tree->n, tree->blocklen,
					       tree->disps, kid, &type);
		break;
	case COMB_RESIZED:
		MPI_Type_create_resized(kid, tree->lb, tree->extent, &type);
		break;
	case COMB_SUBARRAY:
	case COMB_DARRAY:
		type = make_array(tree->array, kid);
		break;
	default:
		type = make_in_units(tree, kid);
		break;
	}
	return type;
}

static MPI_Datatype make(const struct tree *tree, bool *made)
{
	MPI_Datatype kid, type;
	bool kid_made;

	*made = tree->comb != COMB_BASIC;
	if (tree->comb == COMB_BASIC)
		return basics[tree->basic].type;
	if (tree->comb == COMB_STRUCT)
		return make_struct(tree);
	kid = make(tree->kids[0], &kid_made);
	type = make_over(tree, kid);
	if (kid_made)
		MPI_Type_free(&kid);
	return type;
}

MPI_Datatype tree_make(const struct tree *tree)
{
	bool made;
	MPI_Datatype type = make(tree, &made);

	if (made)
		MPI_Type_commit(&type);
	return type;
}

MPI_Datatype tree_make_at(const struct tree *tree, const void *addr)
{
	bool made;
	MPI_Datatype kid = make(tree, &made), type;
	MPI_Aint disp;
	int one = 1;

	MPI_Get_address(addr, &disp);
	MPI_Type_create_hindexed(1, &one, &disp, kid, &type);
	if (made)
		MPI_Type_free(&kid);
	MPI_Type_commit(&type);
	return type;
}

static bool is_predefined(MPI_Datatype type)
{
	for (int i = 0; i < nbasics; i++)
		if (basics[i].type == type)
			return true;
	return false;
}

void tree_drop(MPI_Datatype *type)
{
	if (*type != MPI_DATATYPE_NULL && !is_predefined(*type))
		MPI_Type_free(type);
	*type = MPI_DATATYPE_NULL;
}
