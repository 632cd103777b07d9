/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * array.c - subarrays and distributed arrays (MPI-3.1, sections 4.1.3 and
 * 4.1.4), built dimension by dimension, the fastest first.
 */
#include <errno.h>
#include <stdlib.h>

#include "type.h"

/* What a process has of one dimension. */
struct dim {
	int size;   /* of the whole array */
	int start;  /* first element of the first block */
	int block;  /* elements in a block */
	int cycle;  /* from one block to the next */
	int blocks; /* whole ones */
	int rest;   /* elements of the part of a block that follows */
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
static int nth_dim(int order, int n, int i)
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

/* ints: n, sizes, subsizes, starts, order */
void orl_runs_add_subarray(struct orl_runs *list, const struct orl_runs *part,
			   ptrdiff_t extent, const int *ints)
{
	int n = ints[0], i;
	const int *sizes = ints + 1, *subsizes = sizes + n;
	const int *starts = subsizes + n;
	ptrdiff_t step = extent;
	struct orl_runs row;

	first_row(&row, part);
	for (i = 0; i < n; i++) {
		int d = nth_dim(starts[n], n, i);
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

/* size elements dealt out in blocks to procs processes: coord's share. */
static void deal(struct dim *dim, int size, int block, int procs, int coord)
{
	long cycle = (long)block * procs, start = (long)block * coord;
	long whole = cycle ? size / cycle : 0;
	long rest = cycle ? size % cycle - start : 0;

	*dim = (struct dim){
		.size = size,
		.start = start < size ? (int)start : 0,
		.block = block,
		.cycle = cycle < size ? (int)cycle : 0,
		.blocks = (int)whole,
	};
	if (rest >= block)
		dim->blocks++;
	else if (rest > 0)
		dim->rest = (int)rest;
}

/* The length of a block of a dimension of that distribution. */
static int block_length(int distrib, int arg, int size, int procs)
{
	if (distrib == MPI_DISTRIBUTE_NONE)
		return size;
	if (arg != MPI_DISTRIBUTE_DFLT_DARG)
		return arg;
	if (distrib == MPI_DISTRIBUTE_CYCLIC)
		return 1;
	return (int)(((long)size + procs - 1) / procs);
}

/*
 * Coordinates in the grid of processes, which is in C's order whatever the
 * array's is.
 */
static void find_coords(int rank, int n, const int *procs, int *coords)
{
	int d;

	for (d = n - 1; d >= 0; d--) {
		coords[d] = rank % procs[d];
		rank /= procs[d];
	}
}

/* ints: processes, rank, n, sizes, distributions, arguments, grid, order */
void orl_runs_add_darray(struct orl_runs *list, const struct orl_runs *part,
			 ptrdiff_t extent, const int *ints)
{
	int n = ints[2], i;
	const int *sizes = ints + 3, *distribs = sizes + n;
	const int *args = distribs + n, *procs = args + n;
	int *coords = malloc(n * sizeof(*coords));
	ptrdiff_t step = extent;
	struct orl_runs row;

	if (!coords) {
		list->err = -ENOMEM;
		return;
	}
	find_coords(ints[1], n, procs, coords);
	first_row(&row, part);
	for (i = 0; i < n; i++) {
		int d = nth_dim(procs[n], n, i);
		struct dim dim;

		deal(&dim, sizes[d],
		     block_length(distribs[d], args[d], sizes[d], procs[d]),
		     procs[d], coords[d]);
		add_dim(&row, &step, &dim);
	}
	orl_runs_repeat(list, &row, 0, 1, 0);
	orl_runs_free(&row);
	free(coords);
}
