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

static ORL_COLD int grow(struct orl_runs *list)
{
	size_t room = list->room ? 4 * list->room : 8;
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

static inline void push(struct orl_runs *list, struct orl_run run)
{
	close_last(list);
	if (orl_unlikely(list->n == list->room))
		list->err = grow(list);
	if (orl_likely(!list->err))
		list->at[list->n++] = run;
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
	push(list, block);
}

/* Adds a run that begins where the list ends. */
static ORL_COLD void join(struct orl_runs *list, struct orl_run run)
{
	split_last(list);
	if (list->err)
		return;
	list->at[list->n - 1].blocklen += run.blocklen;
	if (run.blocks == 1)
		return;
	run.off += run.stride;
	if (--run.blocks == 1)
		run.stride = 0;
	push(list, run);
}

/* One block instead of many that touch, and a stride where there is one. */
static inline void normalise(struct orl_run *run)
{
	if (run->blocks > 1 &&
	    run->stride == (ptrdiff_t)run->blocklen * orl_run_unit(run)) {
		run->blocklen *= run->blocks;
		run->blocks = 1;
	}
	if (run->blocks == 1)
		run->stride = 0;
}

/*
 * Adds a run moved by off.  Copied member by member: loaded as a whole just
 * after the caller has stored its members, it would stall the CPU.
 */
static void add(struct orl_runs *list, const struct orl_run *from,
		ptrdiff_t off)
{
	const struct orl_run *last;
	struct orl_run run = {
		.stride = from->stride,
		.blocks = from->blocks,
		.blocklen = from->blocklen,
		.kind = from->kind,
	};

	if (__builtin_add_overflow(from->off, off, &run.off) ||
	    !is_near(&run)) {
		list->err = MPI_ERR_TYPE;
		return;
	}
	normalise(&run);
	last = list->n ? &list->at[list->n - 1] : NULL;
	if (last && last->kind == run.kind && run_end(last) == run.off)
		join(list, run);
	else
		push(list, run);
}

void orl_runs_add(struct orl_runs *list, const struct orl_run *run)
{
	if (!list->err && run->blocks && run->blocklen)
		add(list, run, 0);
}

ptrdiff_t orl_runs_product(struct orl_runs *list, ptrdiff_t a, ptrdiff_t b)
{
	ptrdiff_t c;

	if (!__builtin_mul_overflow(a, b, &c))
		return c;
	if (!list->err)
		list->err = MPI_ERR_TYPE;
	return 0;
}

void orl_runs_close(struct orl_runs *list)
{
	close_last(list);
}

/* count copies of one run, if they are one run too. */
static bool repeat_run(struct orl_runs *list, const struct orl_run *from,
		       ptrdiff_t off, size_t count, ptrdiff_t step)
{
	struct orl_run run = {
		.off = from->off,
		.stride = from->blocks == 1 ? step : from->stride,
		.blocklen = from->blocklen,
		.kind = from->kind,
	};

	if (count > 1 && step != (ptrdiff_t)from->blocks * run.stride)
		return false;
	if (__builtin_mul_overflow(from->blocks, count, &run.blocks))
		list->err = MPI_ERR_TYPE;
	else
		add(list, &run, off);
	return true;
}

void orl_runs_repeat(struct orl_runs *list, const struct orl_runs *part,
		     ptrdiff_t off, size_t count, ptrdiff_t step)
{
	size_t i, j;

	if (!list->err)
		list->err = part->err;
	if (list->err || !part->n || !count)
		return;
	if (part->n == 1 && repeat_run(list, part->at, off, count, step))
		return;
	for (i = 0; i < count; i++) {
		for (j = 0; j < part->n && !list->err; j++)
			add(list, &part->at[j], off);
		if (list->err)
			return;
		if (i + 1 < count && __builtin_add_overflow(off, step, &off))
			list->err = MPI_ERR_TYPE;
	}
}

/* -- bytes ----------------------------------------------------------------*/

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

/* Runs of one kind: what could be merged has been. */
static void copy_bytes(struct orl_runs *pieces, const struct orl_runs *runs)
{
	size_t i;

	pieces->at = malloc(runs->n * sizeof(*pieces->at));
	if (!pieces->at) {
		pieces->err = -ENOMEM;
		return;
	}
	pieces->n = pieces->room = runs->n;
	for (i = 0; i < runs->n; i++) {
		pieces->at[i] = runs->at[i];
		pieces->at[i].blocklen *= orl_run_unit(&runs->at[i]);
		pieces->at[i].kind = ORL_BYTE;
	}
}

static bool is_plain(const struct orl_runs *runs)
{
	size_t i;

	for (i = 1; i < runs->n; i++)
		if (runs->at[i].kind != runs->at[0].kind)
			return false;
	return runs->n && !orl_kinds[runs->at[0].kind].second;
}

void orl_runs_pieces(struct orl_runs *pieces, const struct orl_runs *runs)
{
	size_t i;

	if (is_plain(runs)) {
		copy_bytes(pieces, runs);
		return;
	}
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
