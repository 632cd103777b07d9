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

/* Bytes of a row that is worth lines: it has several. */
#define LEAST (4 * ORL_KERNEL_LINE)

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

/*
 * Masks of the lines of a row that has no ends, in which some block begins at
 * the lane at, from the line of lane 0 on.
 */
static void make_masks(uint64_t *masks, size_t n, ptrdiff_t lanes, ptrdiff_t at,
		       ptrdiff_t len, ptrdiff_t stride)
{
	const uint64_t line = ~0ull >> (64 - lanes);
	const uint64_t block = ~0ull >> (64 - len);
	uint64_t mask;

	/* The block before may go on in this line. */
	for (at = at % stride - stride; n; n--, at -= lanes) {
		mask = at > -len ? block >> -at : 0;
		for (at += stride; at < lanes; at += stride)
			mask |= block << at;
		at -= stride;
		*masks++ = mask & line;
	}
}

/* The masks are the second line's and those that follow: the first and the
 * last line have others before and behind the row. */
static void combine_lines(const struct orl_job *job, char *blocks,
			  const struct orl_run *row, size_t len,
			  const void *origin)
{
	const orl_lines_fn fn = job->kernel->lines;
	const size_t lane = lane_of(job->info->extent);
	const size_t lanes = ORL_KERNEL_LINE / lane;
	const size_t stride = (size_t)row->stride / lane;
	const size_t step = stride & -stride; /* both a power of 2 and in it */
	const size_t period = stride / (step < lanes ? step : lanes);
	const size_t phase = (uintptr_t)blocks % ORL_KERNEL_LINE / lane;
	const size_t end = phase + (row->blocks - 1) * stride + len / lane;
	const size_t last = (end - 1) / lanes;
	uint64_t masks[ORL_KERNEL_LINE], head, tail;
	char *line = blocks - phase * lane;

	make_masks(masks, period, (ptrdiff_t)lanes,
		   (ptrdiff_t)(phase + (period - 1) * lanes),
		   (ptrdiff_t)(len / lane), (ptrdiff_t)stride);
	head = masks[period - 1] & (~0ull << phase);
	tail = masks[(last - 1) % period] &
	       (~0ull >> (64 - lanes) >> (-end % lanes));
	origin = fn(line, origin, &head, 1, 1);
	origin = fn(line + ORL_KERNEL_LINE, origin, masks, period, last - 1);
	fn(line + last * ORL_KERNEL_LINE, origin, &tail, 1, 1);
}

/* Elements that no line cuts, four of a line at least: less are faster one by
 * one. */
static bool are_in_lines(const struct orl_kernel *kernel, const void *blocks,
			 const struct orl_run *row, size_t extent)
{
	const size_t places = (uintptr_t)blocks | (size_t)row->stride;
	const size_t len = row->blocklen * extent;

	return kernel->lines && row->stride > 0 &&
	       row->stride <= ORL_KERNEL_LINE && len <= (size_t)row->stride &&
	       (size_t)row->stride <= row->blocklen * ORL_KERNEL_LINE / 4 &&
	       row->blocks * len >= LEAST && !(places % extent) &&
	       !((places | len) % lane_of(extent)) &&
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
