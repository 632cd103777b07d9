/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * array.c - subarrays and distributed arrays (MPI-3.1, sections 4.1.3 and
 * 4.1.4), built dimension by dimension, the fastest first.
 */
#include "type.h"

#include <errno.h>
#include <stdlib.h>

/* What a process has of one dimension. */
struct dim {
	ptrdiff_t size;	  /* of the whole array */
	ptrdiff_t start;  /* first element of the first block */
	ptrdiff_t block;  /* elements in a block */
	ptrdiff_t cycle;  /* from one block to the next */
	ptrdiff_t blocks; /* whole ones */
	ptrdiff_t rest;	  /* elements of the part of a block that follows */
};

/*
 * Makes rows of what an element of this dimension is: *row, *step bytes from
 * one to the next, becomes what an element of the next dimension is.
 */
static void add_dim(struct orl_runs *row, ptrdiff_t *step,
		    const struct dim *dim)
{
	struct orl_runs block = { .at = NULL }, all = { .at = NULL };
	ptrdiff_t cycle = orl_runs_product(&all, dim->cycle, *step);
	ptrdiff_t start = orl_runs_product(&all, dim->start, *step);
	ptrdiff_t rest = orl_runs_product(&all, dim->blocks, cycle);

	orl_runs_repeat(&block, row, 0, dim->block, *step);
	orl_runs_close(&block);
	orl_runs_repeat(&all, &block, start, dim->blocks, cycle);
	if (dim->rest)
		orl_runs_repeat(&all, row, start + rest, dim->rest, *step);
	orl_runs_close(&all);
	*step = orl_runs_product(&all, dim->size, *step);
	orl_runs_free(&block);
	orl_runs_free(row);
	*row = all;
}

/* The dimension at position i of n, from the fastest to the slowest. */
static ptrdiff_t nth_dim(ptrdiff_t order, ptrdiff_t n, ptrdiff_t i)
{
	return order == MPI_ORDER_FORTRAN ? i : n - 1 - i;
}

/* A copy of the part's runs, to begin with. */
static void first_row(struct orl_runs *row, const struct orl_runs *part)
{
	*row = (struct orl_runs){ .at = NULL };
	orl_runs_repeat(row, part, 0, 1, 0);
	orl_runs_close(row);
}

/* args: n, sizes, subsizes, starts, order */
void orl_runs_add_subarray(struct orl_runs *list, const struct orl_runs *part,
			   ptrdiff_t extent, const ptrdiff_t *args)
{
	ptrdiff_t n = args[0], step = extent, i;
	const ptrdiff_t *sizes = args + 1, *subsizes = sizes + n;
	const ptrdiff_t *starts = subsizes + n;
	struct orl_runs row;

	first_row(&row, part);
	for (i = 0; i < n; i++) {
		ptrdiff_t d = nth_dim(starts[n], n, i);
		const struct dim dim = {
			.size = sizes[d],
			.start = starts[d],
			.block = subsizes[d],
			.blocks = 1,
		};

		add_dim(&row, &step, &dim);
	}
	orl_runs_repeat(list, &row, 0, 1, 0);
	orl_runs_free(&row);
}

/*
 * size elements dealt out in blocks to processes: coord's share.  cycle and
 * start are the block's length times the number of processes and coord.
 */
static void deal(struct dim *dim, ptrdiff_t size, ptrdiff_t block,
		 ptrdiff_t cycle, ptrdiff_t start)
{
	ptrdiff_t rest = cycle ? size % cycle - start : 0;

	*dim = (struct dim){
		.size = size,
		.start = start < size ? start : 0,
		.block = block,
		.cycle = cycle < size ? cycle : 0,
		.blocks = cycle ? size / cycle : 0,
	};
	if (rest >= block)
		dim->blocks++;
	else if (rest > 0)
		dim->rest = rest;
}

/* The length of a block of a dimension of that distribution. */
static ptrdiff_t block_length(ptrdiff_t distrib, ptrdiff_t arg, ptrdiff_t size,
			      ptrdiff_t procs)
{
	if (distrib == MPI_DISTRIBUTE_NONE)
		return size;
	if (arg != MPI_DISTRIBUTE_DFLT_DARG)
		return arg;
	if (distrib == MPI_DISTRIBUTE_CYCLIC)
		return 1;
	return size / procs + (size % procs > 0);
}

/*
 * Coordinates in the grid of processes, which is in C's order whatever the
 * array's is.
 */
static void find_coords(ptrdiff_t rank, ptrdiff_t n, const ptrdiff_t *procs,
			ptrdiff_t *coords)
{
	ptrdiff_t d;

	for (d = n - 1; d >= 0; d--) {
		coords[d] = rank % procs[d];
		rank /= procs[d];
	}
}

/* args: processes, rank, n, sizes, distributions, arguments, grid, order */
void orl_runs_add_darray(struct orl_runs *list, const struct orl_runs *part,
			 ptrdiff_t extent, const ptrdiff_t *args)
{
	ptrdiff_t n = args[2], step = extent, i;
	const ptrdiff_t *sizes = args + 3, *distribs = sizes + n;
	const ptrdiff_t *dargs = distribs + n, *procs = dargs + n;
	ptrdiff_t *coords = malloc((size_t)n * sizeof(*coords));
	struct orl_runs row;

	if (!coords) {
		list->err = -ENOMEM;
		return;
	}
	find_coords(args[1], n, procs, coords);
	first_row(&row, part);
	for (i = 0; i < n; i++) {
		ptrdiff_t d = nth_dim(procs[n], n, i);
		ptrdiff_t block =
			block_length(distribs[d], dargs[d], sizes[d], procs[d]);
		struct dim dim;

		deal(&dim, sizes[d], block,
		     orl_runs_product(list, block, procs[d]),
		     orl_runs_product(list, block, coords[d]));
		add_dim(&row, &step, &dim);
	}
	orl_runs_repeat(list, &row, 0, 1, 0);
	orl_runs_free(&row);
	free(coords);
}
