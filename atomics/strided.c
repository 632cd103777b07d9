/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * strided.c - see strided.h.  Where a line of memory has many of the elements
 * it is combined at once, under a mask; else the kernel goes from element to
 * element, by columns of the blocks.  Blocks of many small elements are copied
 * to an array, long ones combined each by a call.
 */
#include "strided.h"

#include <string.h>

#include "job.h"

/* Bytes of a block, up to which it is not worth a call. */
#define SHORT 32

/* Blocks of several columns at a time: whatever the stride, their lines stay
 * in the nearest cache. */
#define BATCH 8

/* -- lines ----------------------------------------------------------------- */

/* Bytes for which a mask has a bit. */
static size_t lane_of(size_t extent)
{
	return extent < ORL_KERNEL_LANE ? 1 : ORL_KERNEL_LANE;
}

static void combine_lines(const struct orl_job *job, char *blocks,
			  const struct orl_run *row, size_t len,
			  const void *origin)
{
	const orl_lines_fn fn = job->kernel->lines;
	struct orl_lines all;

	orl_lines_make(&all, blocks, row, len, lane_of(job->info->extent));
	blocks -= (uintptr_t)blocks % ORL_LINE;
	origin = fn(blocks, origin, &all.head, 1, 1);
	blocks += ORL_LINE;
	origin = fn(blocks, origin, all.masks, all.period, all.between);
	blocks += all.between * ORL_LINE;
	fn(blocks, origin, &all.tail, 1, 1);
}

/* Elements that no line cuts, four of a line at least: less are faster one by
 * one. */
static bool are_in_lines(const struct orl_kernel *kernel, const void *blocks,
			 const struct orl_run *row, size_t extent)
{
	const size_t places = (uintptr_t)blocks | (size_t)row->stride;
	const size_t len = row->blocklen * extent;

	return kernel->lines && orl_lines_fit(row, len) &&
	       (size_t)row->stride <= row->blocklen * ORL_LINE / 4 &&
	       !(places % extent) && !((places | len) % lane_of(extent)) &&
	       (extent >= ORL_KERNEL_LANE || orl_kernels_bytes_run());
}

/* -- one after the other --------------------------------------------------- */

static void combine_spaced(orl_spaced_fn fn, char *blocks,
			   const struct orl_run *row, size_t extent,
			   const char *origin)
{
	const ptrdiff_t len = (ptrdiff_t)(row->blocklen * extent);
	const size_t most = row->blocklen > 1 ? BATCH : row->blocks;
	size_t left, n, i;

	for (left = row->blocks; left; left -= n) {
		n = left < most ? left : most;
		for (i = 0; i < row->blocklen; i++)
			fn(blocks + i * extent, row->stride,
			   origin + i * extent, len, n);
		blocks += (ptrdiff_t)n * row->stride;
		origin += (ptrdiff_t)n * len;
	}
}

/* -- in an array ----------------------------------------------------------- */

static void combine_copies(orl_kernel_fn fn, char *blocks,
			   const struct orl_run *row, size_t len,
			   const char *origin, void *room)
{
	const ptrdiff_t step = (ptrdiff_t)len;

	orl_copy_steps(room, step, blocks, row->stride, len, row->blocks);
	fn(room, origin, row->blocks * row->blocklen);
	orl_copy_steps(blocks, row->stride, room, step, len, row->blocks);
}

/* -- where they are, block by block --------------------------------------- */

static void combine_blocks(orl_kernel_fn fn, char *blocks,
			   const struct orl_run *row, size_t len,
			   const char *origin)
{
	size_t n;

	for (n = row->blocks; n; n--, blocks += row->stride, origin += len)
		fn(blocks, origin, row->blocklen);
}

/* Copies of such lengths are fast; fewer elements are faster one by one. */
static bool are_worth_copies(const struct orl_job *job,
			     const struct orl_run *row, size_t len)
{
	const size_t few = job->info->extent < ORL_KERNEL_LANE ? 3 : 4;

	return row->blocklen > few && !(len % ORL_KERNEL_LANE) &&
	       !orl_kind_is_padded(job->info);
}

void orl_strided_combine(struct orl_job *job, void *blocks,
			 const struct orl_run *row, const void *origin)
{
	const struct orl_kernel *kernel = job->kernel;
	const size_t extent = job->info->extent;
	const size_t len = row->blocklen * extent;

	if (are_in_lines(kernel, blocks, row, extent))
		combine_lines(job, blocks, row, len, origin);
	else if (len > SHORT)
		combine_blocks(kernel->array, blocks, row, len, origin);
	else if (are_worth_copies(job, row, len))
		combine_copies(kernel->array, blocks, row, len, origin,
			       job->elems);
	else
		combine_spaced(kernel->spaced, blocks, row, extent, origin);
}
