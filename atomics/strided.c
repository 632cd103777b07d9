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

/* Lines at a time that stay there in any order. */
#define TURN 256

/* -- lines ----------------------------------------------------------------- */

/* Bytes for which a mask has a bit. */
static size_t lane_of(size_t extent)
{
	return extent < ORL_KERNEL_LANE ? 1 : ORL_KERNEL_LANE;
}

struct lines {
	orl_lines_fn fn;
	size_t lane; /* of the masks; 0: operands lie as the elements do */
	char *at;
	const char *origin;
};

/* From a line's operands to the next's. */
static size_t operand_bytes(const struct lines *l, uint64_t mask)
{
	if (!l->lane)
		return ORL_LINE;
	return l->lane * (size_t)__builtin_popcountll(mask);
}

static void combine_line(struct lines *l, uint64_t mask)
{
	l->fn(l->at, 0, l->origin, 0, mask, 1);
	l->at += ORL_LINE;
	l->origin += operand_bytes(l, mask);
}

/* All that have one mask, then those that have the next one: to load a mask
 * for each line takes nearly half as long as all else.  period_bytes are the
 * operands of as many lines as there are masks. */
static void combine_turn(struct lines *l, const struct orl_lines *all,
			 size_t period_bytes, size_t n)
{
	const size_t period = all->period;
	const char *origin = l->origin;
	size_t i, times, bytes;

	for (i = 0; i < period && i < n; i++) {
		times = (n - i + period - 1) / period;
		bytes = operand_bytes(l, all->masks[i]);
		l->fn(l->at + i * ORL_LINE, (ptrdiff_t)(period * ORL_LINE),
		      origin, (ptrdiff_t)period_bytes, all->masks[i], times);
		origin += bytes;
		l->origin += times * bytes;
	}
	l->at += n * ORL_LINE;
}

static void combine_lines(struct lines *l, const struct orl_lines *all)
{
	const size_t turn = TURN / all->period * all->period;
	size_t i, left, n, period_bytes = 0;

	for (i = 0; i < all->period; i++)
		period_bytes += operand_bytes(l, all->masks[i]);
	combine_line(l, all->head);
	for (left = all->between; left; left -= n) {
		n = left < turn ? left : turn;
		combine_turn(l, all, period_bytes, n);
	}
	combine_line(l, all->tail);
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

/* Operands side by side that are spread over lines. */
static bool can_spread(const void *blocks, const struct orl_run *row,
		       size_t extent)
{
	const size_t len = row->blocklen * extent;
	const size_t places = (uintptr_t)blocks | (size_t)row->stride | len;

	if (lane_of(extent) == 1)
		return orl_kernels_bytes_run();
	return !(places % lane_of(extent));
}

/* By lines, if that can be. */
static bool combine_in_lines(const struct orl_job *job, char *blocks,
			     const struct orl_run *row, const char *origin,
			     ptrdiff_t step)
{
	const struct orl_kernel *kernel = job->kernel;
	const size_t extent = job->info->extent;
	const size_t len = row->blocklen * extent;
	const size_t before = (uintptr_t)blocks % ORL_LINE;
	const bool alike = step == row->stride;
	struct lines lines = {
		.fn = alike ? kernel->alike : kernel->lines,
		.lane = alike ? 0 : lane_of(extent),
		.at = blocks - before,
		.origin = alike ? origin - before : origin,
	};
	struct orl_lines all;

	if (!lines.fn || !are_in_lines(blocks, row, extent))
		return false;
	if (!alike &&
	    (step != (ptrdiff_t)len || !can_spread(blocks, row, extent)))
		return false;
	orl_lines_make(&all, blocks, row, len, alike ? 1 : lane_of(extent));
	combine_lines(&lines, &all);
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
