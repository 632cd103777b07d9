/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_type.c - random derived types for a given sequence of predefined
 * ones, so that both sides of a transfer can be made for one sequence.
 */
#include "random.h"

#include <string.h>

#define MAX_BLOCKS 24

struct maker {
	struct rng *rng;
	const uint8_t *sig;
	size_t n;
	int depth;
	bool loose; /* elements may overlap */
};

static struct tree *leaf(int basic)
{
	struct tree *tree = tree_new(COMB_BASIC, 0, NULL);

	tree->basic = basic;
	tree->extent = tree->true_ub = basics[basic].extent;
	while (tree->true_ub && !(basics[basic].data >> (tree->true_ub - 1)))
		tree->true_ub--;
	tree->nelems = 1;
	/* At least what any implementation rounds to. */
	for (tree->align = 16; tree->extent % tree->align;)
		tree->align /= 2;
	tree->safe = true;
	return tree;
}

static bool is_periodic(const uint8_t *sig, size_t n, size_t period)
{
	return n % period == 0 && !memcmp(sig, sig + period, n - period);
}

static struct tree *contig(int n, struct tree *kid)
{
	struct tree *tree = tree_new(COMB_CONTIG, n, tree_safe(kid));

	tree_finish(tree);
	return tree;
}

/* Without holes, but for alignment's sake. */
struct tree *tree_plain(const uint8_t *sig, size_t n)
{
	struct tree *tree;
	ptrdiff_t at = 0;
	int blocks = 0;

	if (n == 1)
		return leaf(sig[0]);
	if (is_periodic(sig, n, 1))
		return contig((int)n, leaf(sig[0]));
	tree = tree_new(COMB_STRUCT, (int)n, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct basic *basic = &basics[sig[i]];

		if (i && sig[i] == sig[i - 1]) {
			tree->lens[blocks - 1]++;
			at += basic->extent;
			continue;
		}
		at = (at + basic->align - 1) / basic->align * basic->align;
		tree->disps[blocks] = at;
		tree->kids[blocks] = leaf(sig[i]);
		tree->lens[blocks++] = 1;
		at += basic->extent;
	}
	tree->n = blocks;
	tree_finish(tree);
	return tree;
}

static size_t pick_period(struct rng *rng, const uint8_t *sig, size_t n)
{
	for (int try = 0; try < 4; try++) {
		size_t copies = 1 + rng_below(rng, n < 12 ? n : 12);

		if (n % copies == 0 && is_periodic(sig, n, n / copies))
			return n / copies;
	}
	return n;
}

/* A divisor of n. */
static int pick_factor(struct rng *rng, int n)
{
	int factor;

	do
		factor = rng_range(rng, 1, n < 32 ? n : 32);
	while (n % factor);
	return factor;
}

/* Bytes left between blocks. */
static int gap(struct rng *rng, const struct tree *kid)
{
	int align = kid->align;

	if (rng_chance(rng, 40))
		return 0;
	if (!config.misaligned)
		return rng_range(rng, 0, 2) * align;
	return rng_range(rng, 0, rng_chance(rng, 70) ? 5 : 2 * align);
}

static ptrdiff_t floor_units(ptrdiff_t bytes, ptrdiff_t unit)
{
	return unit > 0 ? (bytes + unit - 1) / unit : 0;
}

/*
 * Gives each block a place of its own, in a random order; in is_units
 * displacements are counted in extents of the old type.
 */
static void place_blocks(struct rng *rng, struct tree *tree, bool is_units,
			 bool loose)
{
	ptrdiff_t cursor = rng_chance(rng, 25) ? -rng_range(rng, 0, 16) : 0;
	int order[MAX_BLOCKS];

	for (int i = 0; i < tree->n; i++) {
		int k = rng_chance(rng, 70) ? i : (int)rng_below(rng, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	cursor = config.misaligned ? cursor : cursor / 16 * 16;
	for (int k = 0; k < tree->n; k++) {
		int i = order[k];
		const struct tree *kid =
			tree->kids[tree->comb == COMB_STRUCT ? i : 0];
		int len =
			tree->comb == COMB_IBLOCK || tree->comb == COMB_HIBLOCK
				? tree->blocklen
				: tree->lens[i];
		ptrdiff_t low = cursor + gap(rng, kid) - kid->true_lb;

		if (!config.misaligned)
			low = floor_units(low, 16) * 16;
		if (is_units)
			low = floor_units(low, kid->extent);
		if (loose)
			low = is_units ? rng_range(rng, -2, 6)
				       : rng_range(rng, -9, 40);
		tree->disps[i] = low;
		if (!len)
			continue;
		cursor = is_units ? low * kid->extent : low;
		cursor += (len - 1) * kid->extent + kid->true_ub;
	}
}

static struct tree *make_vector(struct maker *m, struct tree *kid, int n)
{
	int len = pick_factor(m->rng, n);
	bool bytes = rng_chance(m->rng, 50);
	struct tree *tree =
		tree_new(bytes ? COMB_HVECTOR : COMB_VECTOR, n / len, kid);

	tree->blocklen = len;
	tree->stride = len + rng_range(m->rng, 0, 2);
	if (bytes)
		tree->stride = (len - 1) * kid->extent + kid->true_ub -
			       kid->true_lb + gap(m->rng, kid);
	if (bytes && !config.misaligned)
		tree->stride = floor_units(tree->stride, 16) * 16;
	if (rng_chance(m->rng, 25))
		tree->stride = -tree->stride;
	if (m->loose && rng_chance(m->rng, 40))
		tree->stride =
			rng_chance(m->rng, 50) ? 0 : rng_range(m->rng, -3, 3);
	return tree;
}

static struct tree *make_indexed(struct maker *m, struct tree *kid, int n)
{
	bool bytes = rng_chance(m->rng, 50);
	int blocks = rng_range(m->rng, 1, n < 6 ? n + 1 : 7);
	struct tree *tree =
		tree_new(bytes ? COMB_HINDEXED : COMB_INDEXED, blocks, kid);

	for (int left = n, i = 0; i < blocks; i++) {
		tree->lens[i] =
			i + 1 < blocks ? rng_range(m->rng, 0, left) : left;
		left -= tree->lens[i];
	}
	place_blocks(m->rng, tree, !bytes, m->loose && rng_chance(m->rng, 30));
	return tree;
}

static struct tree *make_iblock(struct maker *m, struct tree *kid, int n)
{
	bool bytes = rng_chance(m->rng, 50);
	int len = pick_factor(m->rng, n);
	struct tree *tree;

	if (n / len > MAX_BLOCKS)
		len = n;
	tree = tree_new(bytes ? COMB_HIBLOCK : COMB_IBLOCK, n / len, kid);
	tree->blocklen = len;
	place_blocks(m->rng, tree, !bytes, m->loose && rng_chance(m->rng, 30));
	return tree;
}

static struct tree *make_subarray(struct maker *m, struct tree *kid, int n)
{
	struct array_args *args = arena_alloc(sizeof(*args));
	struct tree *tree = tree_new(COMB_SUBARRAY, 1, kid);

	args->dims = rng_range(m->rng, 1, 3);
	args->order = rng_chance(m->rng, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
	for (int d = 0; d < args->dims; d++) {
		int sub = d + 1 < args->dims ? pick_factor(m->rng, n) : n;

		n /= sub;
		args->subsizes[d] = sub;
		args->sizes[d] = sub + rng_range(m->rng, 0, 2);
		args->starts[d] = rng_range(m->rng, 0, args->sizes[d] - sub);
	}
	tree->array = args;
	return tree;
}

/* Looks for a size of which the process gets exactly n. */
static bool fit_dimension(struct maker *m, struct array_args *args, int dim,
			  int n)
{
	int coord = rng_below(m->rng, args->psizes[dim]), got;

	args->rank = args->rank * args->psizes[dim] + coord;
	args->procs *= args->psizes[dim];
	args->dargs[dim] = rng_chance(m->rng, 50) ? MPI_DISTRIBUTE_DFLT_DARG
						  : rng_range(m->rng, 1, n);
	for (int size = n; size < 4 * n + 8 && size < 256; size++) {
		struct array_args probe = *args;

		/* The rank in a grid of this dimension alone. */
		probe.dims = 1;
		probe.rank = coord;
		probe.sizes[0] = size;
		probe.psizes[0] = args->psizes[dim];
		probe.dargs[0] = args->dargs[dim];
		probe.distribs[0] = args->distribs[dim];
		if (probe.distribs[0] == MPI_DISTRIBUTE_BLOCK &&
		    probe.dargs[0] != MPI_DISTRIBUTE_DFLT_DARG &&
		    probe.dargs[0] * probe.psizes[0] < size)
			continue;
		array_own(&probe, 0, &got, NULL);
		args->sizes[dim] = size;
		if (got == n)
			return true;
	}
	return false;
}

static struct tree *make_darray(struct maker *m, struct tree *kid, int n)
{
	static const int distribs[] = { MPI_DISTRIBUTE_BLOCK,
					MPI_DISTRIBUTE_CYCLIC,
					MPI_DISTRIBUTE_NONE };
	struct array_args *args = arena_alloc(sizeof(*args));
	struct tree *tree = tree_new(COMB_DARRAY, 1, kid);
	int total = n;

	args->dims = rng_range(m->rng, 1, 2);
	args->order = rng_chance(m->rng, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
	args->procs = 1;
	for (int d = 0; d < args->dims; d++) {
		int part = d + 1 < args->dims ? pick_factor(m->rng, n) : n;

		n /= part;
		args->distribs[d] = distribs[rng_below(m->rng, 3)];
		args->psizes[d] = args->distribs[d] == MPI_DISTRIBUTE_NONE
					  ? 1
					  : rng_range(m->rng, 1, 3);
		if (!fit_dimension(m, args, d, part))
			return make_subarray(m, kid, total);
		if (args->distribs[d] == MPI_DISTRIBUTE_NONE)
			args->dargs[d] = MPI_DISTRIBUTE_DFLT_DARG;
	}
	tree->array = args;
	return tree;
}

static struct tree *make_struct(struct maker *m)
{
	int blocks = rng_range(m->rng, 1, m->n < 4 ? (int)m->n : 4);
	bool empty = rng_chance(m->rng, 10);
	struct tree *tree = tree_new(COMB_STRUCT, blocks + empty, NULL);
	size_t from = 0;

	for (int i = 0; i < blocks; i++) {
		size_t left = m->n - from - (blocks - 1 - i);
		size_t len = i + 1 < blocks ? 1 + rng_below(m->rng, left)
					    : m->n - from;
		size_t period = pick_period(m->rng, m->sig + from, len);

		tree->kids[i] = tree_safe(tree_build(
			m->rng, m->sig + from, period, m->depth - 1, m->loose));
		tree->lens[i] = (int)(len / period);
		from += len;
	}
	if (empty)
		tree->kids[blocks] = leaf(m->sig[0]);
	place_blocks(m->rng, tree, false, m->loose && rng_chance(m->rng, 20));
	return tree;
}

static struct tree *make_single(struct maker *m, struct tree *kid)
{
	struct tree *tree;

	if (rng_chance(m->rng, 30))
		return tree_new(COMB_DUP, 1, kid);
	tree = tree_new(COMB_RESIZED, 1, kid);
	tree->lb = kid->lb - rng_range(m->rng, -8, 8);
	tree->extent = kid->extent + rng_range(m->rng, 0, 12);
	if (m->loose && rng_chance(m->rng, 30))
		tree->extent = rng_range(m->rng, 0, 8);
	else if (rng_chance(m->rng, 10))
		tree->extent = rng_range(m->rng, 1, (int)kid->extent + 1);
	if (!config.misaligned) {
		tree->lb = tree->lb / 16 * 16;
		tree->extent = floor_units(tree->extent, 16) * 16;
	}
	return tree;
}

/* n copies of kid. */
static struct tree *make_of(struct maker *m, struct tree *kid, int n)
{
	if (n > 64)
		return tree_new(COMB_CONTIG, n, kid);
	switch (rng_below(m->rng, n == 1 ? 8 : 6)) {
	case 0:
		return tree_new(COMB_CONTIG, n, kid);
	case 1:
		return make_vector(m, kid, n);
	case 2:
		return make_indexed(m, kid, n);
	case 3:
		return make_iblock(m, kid, n);
	case 4:
		return make_subarray(m, kid, n);
	case 5:
		return make_darray(m, kid, n);
	default:
		return make_single(m, kid);
	}
}

struct tree *tree_build(struct rng *rng, const uint8_t *sig, size_t n,
			int depth, bool loose)
{
	struct maker m = {
		.rng = rng, .sig = sig, .n = n, .depth = depth, .loose = loose
	};
	struct tree *tree;
	size_t period;

	if (depth <= 0)
		return tree_plain(sig, n);
	period = pick_period(rng, sig, n);
	if (n > 1 && n <= 64 && rng_chance(rng, period == n ? 60 : 15)) {
		tree = make_struct(&m);
	} else {
		struct tree *kid = tree_build(
			rng, sig, period, depth - rng_range(rng, 1, 2), loose);

		tree = make_of(&m, tree_safe(kid), (int)(n / period));
	}
	tree_finish(tree);
	return tree;
}
