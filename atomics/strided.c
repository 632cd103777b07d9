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

static void combine_lines(orl_lines_fn fn, size_t lane, char *blocks,
			  const struct orl_run *row, size_t len,
			  const void *origin)
{
	struct orl_lines all;

	orl_lines_make(&all, blocks, row, len, lane);
	blocks -= (uintptr_t)blocks % ORL_LINE;
	origin = fn(blocks, origin, &all.head, 1, 1);
	blocks += ORL_LINE;
	origin = fn(blocks, origin, all.masks, all.period, all.between);
	blocks += all.between * ORL_LINE;
	fn(blocks, origin, &all.tail, 1, 1);
}

/* Elements that no line cuts, four of a line at least: less are faster one by
 * one. */
static bool are_in_lines(const void *blocks, const struct orl_run *row,
			 size_t extent)
{
	const size_t places = (uintptr_t)blocks | (size_t)row->stride;

	return orl_lines_fit(row, row->blocklen * extent) &&
	       (size_t)row->stride <= row->blocklen * ORL_LINE / 4 &&
	       !(places % extent);
}

/* By lines, if that can be. */
static bool combine_in_lines(const struct orl_job *job, void *blocks,
			     const struct orl_run *row, const void *origin,
			     ptrdiff_t step)
{
	const struct orl_kernel *kernel = job->kernel;
	const size_t extent = job->info->extent;
	const size_t len = row->blocklen * extent;
	const size_t lane = lane_of(extent);
	const size_t places = (uintptr_t)blocks | (size_t)row->stride | len;

	if (!kernel->lines || !are_in_lines(blocks, row, extent))
		return false;
	if (step == row->stride) {
		combine_lines(kernel->alike, 1, blocks, row, len,
			      (const char *)origin -
				      (uintptr_t)blocks % ORL_LINE);
		return true;
	}
	if (step != (ptrdiff_t)len || places % lane ||
	    (lane == 1 && !orl_kernels_bytes_run()))
		return false;
	combine_lines(kernel->lines, lane, blocks, row, len, origin);
	return true;
}

/* -- one after the other --------------------------------------------------- */

static void combine_spaced(orl_spaced_fn fn, char *blocks,
			   const struct orl_run *row, size_t extent,
			   const char *origin, ptrdiff_t step)
{
	const size_t most = row->blocklen > 1 ? BATCH : row->blocks;
	size_t left, n, i;

	for (left = row->blocks; left; left -= n) {
		n = left < most ? left : most;
		for (i = 0; i < row->blocklen; i++)
			fn(blocks + i * extent, row->stride,
			   origin + i * extent, step, n);
		blocks += (ptrdiff_t)n * row->stride;
		origin += (ptrdiff_t)n * step;
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
			   const char *origin, ptrdiff_t step)
{
	size_t n;

	for (n = row->blocks; n; n--, blocks += row->stride, origin += step)
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
			 const struct orl_run *row, const void *origin,
			 ptrdiff_t step)
{
	const struct orl_kernel *kernel = job->kernel;
	const size_t extent = job->info->extent;
	const size_t len = row->blocklen * extent;

	if (combine_in_lines(job, blocks, row, origin, step))
		return;
	if (len > SHORT)
		combine_blocks(kernel->array, blocks, row, len, origin, step);
	else if (step == (ptrdiff_t)len && are_worth_copies(job, row, len))
		combine_copies(kernel->array, blocks, row, len, origin,
			       job->elems);
	else
		combine_spaced(kernel->spaced, blocks, row, extent, origin,
			       step);
}
