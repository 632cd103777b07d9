/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_tree.c - what each type constructor means: the displacement of
 * every copy of the old type, in the order of the type map, and the bounds,
 * as MPI-3.1 section 4.1 has them.  This is the reference; it asks MPI
 * nothing.
 */
#include "random.h"

#include <string.h>

const char *const comb_names[COMB_COUNT] = {
	"basic",    "dup",	"contig",	 "vector",	   "hvector",
	"indexed",  "hindexed", "indexed_block", "hindexed_block", "struct",
	"subarray", "darray",	"resized"
};

struct tree *tree_new(enum comb comb, int n, struct tree *kid)
{
	struct tree *tree = arena_alloc(sizeof(*tree));

	tree->comb = comb;
	tree->n = n;
	tree->blocklen = 1;
	tree->lens = arena_alloc(n * sizeof(int));
	tree->disps = arena_alloc(n * sizeof(ptrdiff_t));
	tree->kids = arena_alloc((comb == COMB_STRUCT ? n : 1) *
				 sizeof(tree->kids[0]));
	tree->kids[0] = kid;
	return tree;
}

static int block_len(const struct tree *tree, int i)
{
	switch (tree->comb) {
	case COMB_INDEXED:
	case COMB_HINDEXED:
	case COMB_STRUCT:
		return tree->lens[i];
	default:
		return tree->blocklen;
	}
}

static ptrdiff_t block_start(const struct tree *tree, int i)
{
	ptrdiff_t extent = tree->kids[0]->extent;

	switch (tree->comb) {
	case COMB_CONTIG:
		return i * extent;
	case COMB_VECTOR:
		return i * tree->stride * (extent + mutated("stride"));
	case COMB_HVECTOR:
		return i * tree->stride;
	case COMB_INDEXED:
	case COMB_IBLOCK:
		return tree->disps[i] * extent;
	case COMB_HINDEXED:
	case COMB_HIBLOCK:
	case COMB_STRUCT:
		return tree->disps[i];
	default:
		return 0;
	}
}

static void block_items(struct tree *tree)
{
	bool is_struct = tree->comb == COMB_STRUCT;
	size_t total = 0, at = 0;

	for (int i = 0; i < tree->n; i++)
		total += block_len(tree, i);
	tree->nitems = total;
	tree->items = arena_alloc(total * sizeof(tree->items[0]));
	if (is_struct)
		tree->item_kid = arena_alloc(total * sizeof(int));
	for (int i = 0; i < tree->n; i++) {
		int kid = is_struct ? i : 0;

		for (int k = 0; k < block_len(tree, i); k++, at++) {
			tree->items[at] = block_start(tree, i) +
					  k * tree->kids[kid]->extent;
			if (is_struct)
				tree->item_kid[at] = kid;
		}
	}
}

/* Does the process own index i of the dimension? */
static bool owns(const struct array_args *args, int dim, int i, int coord)
{
	int size = args->sizes[dim], procs = args->psizes[dim];
	int arg = args->dargs[dim];

	switch (args->distribs[dim]) {
	case MPI_DISTRIBUTE_BLOCK:
		if (arg == MPI_DISTRIBUTE_DFLT_DARG)
			arg = (size + procs - 1) / procs;
		return i / arg == coord;
	case MPI_DISTRIBUTE_CYCLIC:
		if (arg == MPI_DISTRIBUTE_DFLT_DARG)
			arg = 1;
		return i / arg % procs == coord;
	default:
		return true;
	}
}

/* The process grid is row-major whatever the order of the array. */
static int grid_coord(const struct array_args *args, int dim)
{
	int rank = args->rank;

	for (int d = args->dims - 1; d > dim; d--)
		rank /= args->psizes[d];
	return rank % args->psizes[dim];
}

/* Indices of a dimension that belong to the type; own may be NULL. */
void array_own(const struct array_args *args, int dim, int *count, int *own)
{
	bool part = args->procs == 0;
	int n = 0;

	for (int i = 0; i < args->sizes[dim]; i++) {
		bool in = part ? i >= args->starts[dim] &&
					  i < args->starts[dim] +
							  args->subsizes[dim]
			       : owns(args, dim, i, grid_coord(args, dim));

		if (in && own)
			own[n] = i;
		n += in;
	}
	*count = n;
}

/* All combinations of the dimensions' indices, the fastest one innermost. */
static void array_items(struct tree *tree)
{
	const struct array_args *args = tree->array;
	bool c_order = args->order == MPI_ORDER_C;
	int own[3][256], count[3];
	size_t total = 1;

	for (int d = 0; d < args->dims; d++) {
		array_own(args, d, &count[d], own[d]);
		total *= count[d];
	}
	tree->nitems = total;
	tree->items = arena_alloc(total * sizeof(tree->items[0]));
	for (size_t k = 0; k < total; k++) {
		ptrdiff_t index = 0, step = 1;
		size_t rest = k;

		for (int f = 0; f < args->dims; f++) {
			int d = c_order ? args->dims - 1 - f : f;

			index += own[d][rest % count[d]] * step;
			rest /= count[d];
			step *= args->sizes[d];
		}
		tree->items[k] = index * tree->kids[0]->extent;
	}
}

static const struct tree *item_tree(const struct tree *tree, size_t i)
{
	return tree->kids[tree->item_kid ? tree->item_kid[i] : 0];
}

static void set_bounds(struct tree *tree)
{
	ptrdiff_t ub = 0;

	for (size_t i = 0; i < tree->nitems; i++) {
		const struct tree *kid = item_tree(tree, i);
		ptrdiff_t at = tree->items[i];

		if (i == 0 || at + kid->lb < tree->lb)
			tree->lb = at + kid->lb;
		if (i == 0 || at + kid->lb + kid->extent > ub)
			ub = at + kid->lb + kid->extent;
		if (i == 0 || at + kid->true_lb < tree->true_lb)
			tree->true_lb = at + kid->true_lb;
		if (i == 0 || at + kid->true_ub > tree->true_ub)
			tree->true_ub = at + kid->true_ub;
		if (kid->align > tree->align)
			tree->align = kid->align;
		tree->nelems += kid->nelems;
	}
	tree->extent = ub - tree->lb;
}

/*
 * Are all copies aligned to each other?  Where they are not, one host rounds
 * the extent up after each block.
 */
static bool is_even(const struct tree *tree)
{
	for (size_t i = 0; i < tree->nitems; i++)
		if ((tree->items[i] - tree->items[0]) % tree->align)
			return false;
	return tree->nitems && tree->extent % tree->align == 0;
}

/* One host takes a stride of -1 bytes for no stride at all. */
static bool has_odd_stride(const struct tree *tree)
{
	return (tree->comb == COMB_VECTOR || tree->comb == COMB_HVECTOR) &&
	       tree->n > 1 && block_start(tree, 1) == -1;
}

/*
 * Implementations differ in which types they round up to the alignment of
 * their members, and in whether an explicit bound inside outlasts a
 * constructor that mixes such members with others.
 */
static bool is_safe(const struct tree *tree)
{
	switch (tree->comb) {
	case COMB_STRUCT:
		return false;
	case COMB_RESIZED:
	case COMB_SUBARRAY:
	case COMB_DARRAY:
		return true;
	default:
		return tree->kids[0]->safe && is_even(tree) &&
		       !has_odd_stride(tree);
	}
}

static void set_array_bounds(struct tree *tree)
{
	ptrdiff_t cells = 1;

	for (int d = 0; d < tree->array->dims; d++)
		cells *= tree->array->sizes[d];
	tree->lb = 0;
	tree->extent = cells * tree->kids[0]->extent;
}

/* Fills in what follows from the constructor's arguments. */
void tree_finish(struct tree *tree)
{
	ptrdiff_t lb = tree->lb, extent = tree->extent;

	if (tree->array)
		array_items(tree);
	else
		block_items(tree);
	tree->align = 1;
	set_bounds(tree);
	if (tree->array)
		set_array_bounds(tree);
	if (tree->comb == COMB_RESIZED) {
		tree->lb = lb;
		tree->extent = extent;
	}
	tree->safe = is_safe(tree);
}

struct tree *tree_safe(struct tree *tree)
{
	struct tree *out;

	if (tree->safe)
		return tree;
	out = tree_new(COMB_RESIZED, 1, tree);
	out->lb = tree->lb;
	out->extent = tree->extent;
	tree_finish(out);
	return out;
}

struct elem *tree_expand(const struct tree *tree, ptrdiff_t base,
			 struct elem *out)
{
	if (tree->comb == COMB_BASIC) {
		*out = (struct elem){ .off = (int)base, .basic = tree->basic };
		return out + 1;
	}
	for (size_t i = 0; i < tree->nitems; i++)
		out = tree_expand(item_tree(tree, i), base + tree->items[i],
				  out);
	return out;
}
