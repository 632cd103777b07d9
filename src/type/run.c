/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - lists of runs under construction.  The last run of a list is open:
 * what touches its end is joined to it.  A run is closed when another one
 * follows; it is then folded into the one before if both together are one
 * regular run.  So vector(1000000, 1, 2) is one run however it was built.
 *
 * Offsets are kept within a quarter of ptrdiff_t's range, so that sums and
 * differences of two, and what is one stride beyond a run, can be computed.
 */
#include <errno.h>
#include <stdlib.h>

#include "type.h"

#define FAR (PTRDIFF_MAX / 4)

/* Are all its offsets, and those of the ends of its blocks, in range? */
static bool is_near(const struct orl_run *run)
{
	ptrdiff_t len, span, last, end;

	if (__builtin_mul_overflow(run->blocklen, orl_run_unit(run), &len) ||
	    __builtin_mul_overflow(run->blocks - 1, run->stride, &span) ||
	    __builtin_add_overflow(run->off, span, &last) ||
	    __builtin_add_overflow(last > run->off ? last : run->off, len,
				   &end))
		return false;
	return run->off >= -FAR && last >= -FAR && end <= FAR;
}

static ptrdiff_t run_end(const struct orl_run *run)
{
	return orl_run_last(run) + (ptrdiff_t)run->blocklen * orl_run_unit(run);
}

/* Makes one regular run of two, where they are one. */
static bool fold(struct orl_run *run, const struct orl_run *next)
{
	ptrdiff_t stride = next->off - orl_run_last(run);

	if (run->kind != next->kind || run->blocklen != next->blocklen ||
	    (run->blocks > 1 && run->stride != stride) ||
	    (next->blocks > 1 && next->stride != stride))
		return false;
	run->blocks += next->blocks;
	run->stride = stride;
	return true;
}

static void close_last(struct orl_runs *list)
{
	if (list->n > 1 && fold(&list->at[list->n - 2], &list->at[list->n - 1]))
		list->n--;
}

static int grow(struct orl_runs *list)
{
	size_t room = list->room ? 2 * list->room : 8;
	struct orl_run *at;

	if (room > PTRDIFF_MAX / sizeof(*at))
		return -ENOMEM;
	at = realloc(list->at, room * sizeof(*at));
	if (!at)
		return -ENOMEM;
	list->at = at;
	list->room = room;
	return 0;
}

static void push(struct orl_runs *list, const struct orl_run *run)
{
	close_last(list);
	if (list->n == list->room && !list->err)
		list->err = grow(list);
	if (!list->err)
		list->at[list->n++] = *run;
}

/* Makes the last block of the list a run of its own. */
static void split_last(struct orl_runs *list)
{
	struct orl_run *last = &list->at[list->n - 1];
	struct orl_run block = *last;

	if (last->blocks == 1)
		return;
	block.off = orl_run_last(last);
	block.blocks = 1;
	block.stride = 0;
	if (--last->blocks == 1)
		last->stride = 0;
	push(list, &block);
}

/* Adds a run that begins where the list ends. */
static void join(struct orl_runs *list, const struct orl_run *run)
{
	struct orl_run rest = *run;

	split_last(list);
	if (list->err)
		return;
	list->at[list->n - 1].blocklen += run->blocklen;
	if (run->blocks == 1)
		return;
	rest.off += run->stride;
	if (--rest.blocks == 1)
		rest.stride = 0;
	push(list, &rest);
}

/* One block instead of many that touch, and a stride where there is one. */
static void normalise(struct orl_run *run)
{
	if (run->blocks > 1 &&
	    run->stride == (ptrdiff_t)run->blocklen * orl_run_unit(run)) {
		run->blocklen *= run->blocks;
		run->blocks = 1;
	}
	if (run->blocks == 1)
		run->stride = 0;
}

void orl_runs_add(struct orl_runs *list, const struct orl_run *given)
{
	struct orl_run run = *given;
	const struct orl_run *last;

	if (list->err || !run.blocks || !run.blocklen)
		return;
	if (!is_near(&run)) {
		list->err = MPI_ERR_TYPE;
		return;
	}
	normalise(&run);
	last = list->n ? &list->at[list->n - 1] : NULL;
	if (last && last->kind == run.kind && run_end(last) == run.off)
		join(list, &run);
	else
		push(list, &run);
}

void orl_runs_close(struct orl_runs *list)
{
	close_last(list);
}

/* Adds part's run, moved by off. */
static void add_moved(struct orl_runs *list, struct orl_run run, ptrdiff_t off)
{
	if (__builtin_add_overflow(run.off, off, &run.off))
		list->err = MPI_ERR_TYPE;
	else
		orl_runs_add(list, &run);
}

/* Makes count copies of a run, step apart, one run if they are regular. */
static bool spread(struct orl_run *run, size_t count, ptrdiff_t step)
{
	if (run->blocks == 1)
		run->stride = step;
	else if (step != (ptrdiff_t)run->blocks * run->stride)
		return false;
	return !__builtin_mul_overflow(run->blocks, count, &run->blocks);
}

void orl_runs_repeat(struct orl_runs *list, const struct orl_runs *part,
		     ptrdiff_t off, size_t count, ptrdiff_t step)
{
	size_t i, j;

	if (!list->err)
		list->err = part->err;
	if (list->err || !part->n || !count)
		return;
	if (part->n == 1) {
		struct orl_run run = part->at[0];

		if (spread(&run, count, step)) {
			add_moved(list, run, off);
			return;
		}
	}
	for (i = 0; i < count && !list->err; i++) {
		for (j = 0; j < part->n; j++)
			add_moved(list, part->at[j], off);
		if (i + 1 < count && __builtin_add_overflow(off, step, &off))
			list->err = MPI_ERR_TYPE;
	}
}

/* -- bytes -------------------------------------------------------------------*/

static void add_bytes(struct orl_runs *pieces, const struct orl_run *run,
		      ptrdiff_t off, size_t len)
{
	const struct orl_run piece = {
		.off = run->off + off,
		.stride = run->stride,
		.blocks = run->blocks,
		.blocklen = len,
		.kind = ORL_BYTE,
	};

	orl_runs_add(pieces, &piece);
}

/* Blocks of one padded pair each: run is the block, or a strided run. */
static void add_pairs(struct orl_runs *pieces, struct orl_run run)
{
	const struct orl_kind_info *pair = &orl_kinds[run.kind];
	size_t n = run.blocks;

	if (pair->first == pair->second) {
		add_bytes(pieces, &run, 0, pair->size);
		return;
	}
	for (run.blocks = 1; n; n--, run.off += run.stride) {
		add_bytes(pieces, &run, 0, pair->first);
		add_bytes(pieces, &run, pair->second, pair->size - pair->first);
	}
}

/* As add_pairs, for blocks of any length. */
static void add_padded(struct orl_runs *pieces, const struct orl_run *run)
{
	struct orl_run block = *run;
	size_t n = run->blocks;

	if (run->blocklen == 1) {
		add_pairs(pieces, *run);
		return;
	}
	block.blocks = run->blocklen;
	block.blocklen = 1;
	block.stride = orl_run_unit(run);
	for (; n && !pieces->err; n--, block.off += run->stride)
		add_pairs(pieces, block);
}

void orl_runs_pieces(struct orl_runs *pieces, const struct orl_runs *runs)
{
	size_t i;

	for (i = 0; i < runs->n && !pieces->err; i++) {
		const struct orl_run *run = &runs->at[i];

		if (orl_kinds[run->kind].second)
			add_padded(pieces, run);
		else
			add_bytes(pieces, run, 0,
				  run->blocklen * orl_run_unit(run));
	}
}

void orl_runs_free(struct orl_runs *list)
{
	free(list->at);
}
