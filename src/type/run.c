/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - lists of runs under construction.  The last run of a list is open:
 * what touches its end is joined to it.  A run is closed when another one
 * follows; it is then folded into the one before if both together are one
 * regular run.  So vector(1000000, 1, 2) is one run however it was built.
 * Where that leaves many runs, copies of one part are kept as repeats.
 *
 * Offsets are kept within a quarter of ptrdiff_t's range, so that sums and
 * differences of two, and what is one stride beyond a run, can be computed.
 */
#include "type.h"

#include <errno.h>
#include <stdlib.h>

#define FAR (PTRDIFF_MAX / 4)

/*
 * Copies of one part become repeats when there are so many runs of them, or
 * when so many copies have been looked at.
 */
#define MANY_RUNS   4096
#define MANY_COPIES (1 << 20)

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

/* Moves *off by step, to where the next copy is. */
static void go_on(struct orl_runs *list, ptrdiff_t *off, ptrdiff_t step)
{
	if (!list->err && __builtin_add_overflow(*off, step, off))
		list->err = MPI_ERR_TYPE;
}

static void add_once(struct orl_runs *list, const struct orl_runs *part,
		     ptrdiff_t off)
{
	size_t i;

	for (i = 0; i < part->n && !list->err; i++)
		add(list, &part->at[i], off);
}

/* Repeats become runs. */
static void add_all(struct orl_runs *list, const struct orl_runs *part,
		    ptrdiff_t off)
{
	size_t left = part->repeats;

	add_once(list, part, off);
	for (; left && !list->err; left--) {
		go_on(list, &off, part->step);
		add_once(list, part, off);
	}
}

/* Makes a list that may be added to of one with repeats. */
static ORL_COLD void unfold(struct orl_runs *list)
{
	const struct orl_runs old = *list;

	*list = (struct orl_runs){ .err = old.err };
	add_all(list, &old, 0);
	free(old.at);
}

void orl_runs_add(struct orl_runs *list, const struct orl_run *run)
{
	if (list->err || !run->blocks || !run->blocklen)
		return;
	if (list->repeats)
		unfold(list);
	if (!list->err)
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

/* The list's runs, as they are, count times in all. */
static ORL_COLD void set_repeats(struct orl_runs *list, size_t count,
				 ptrdiff_t step)
{
	ptrdiff_t far;
	size_t i;

	if (list->err)
		return;
	if (__builtin_mul_overflow(count - 1, step, &far))
		list->err = MPI_ERR_TYPE;
	for (i = 0; i < list->n && !list->err; i++) {
		struct orl_run last = list->at[i];

		if (__builtin_add_overflow(last.off, far, &last.off) ||
		    !is_near(&last))
			list->err = MPI_ERR_TYPE;
	}
	list->repeats = count - 1;
	list->step = step;
}

/* The same in an empty list, if repeats of repeats are repeats. */
static bool repeat_repeats(struct orl_runs *list, const struct orl_runs *part,
			   ptrdiff_t off, size_t count, ptrdiff_t step)
{
	size_t times = part->repeats + 1;

	/* In range: the last one's offset is in a quarter of it. */
	if (count > 1 && step != (ptrdiff_t)times * part->step)
		return false;
	add_once(list, part, off);
	if (__builtin_mul_overflow(times, count, &times))
		list->err = MPI_ERR_TYPE;
	else
		set_repeats(list, times, part->step);
	return true;
}

/* Copies one after the other, or repeats if they become too many. */
static void repeat_each(struct orl_runs *list, const struct orl_runs *part,
			ptrdiff_t off, size_t count, ptrdiff_t step)
{
	const bool empty = !list->n;
	const ptrdiff_t first = off;
	size_t i;

	for (i = 1; i <= count && !list->err; i++) {
		add_all(list, part, off);
		if (i == count)
			return;
		if (orl_unlikely(list->n > MANY_RUNS || i > MANY_COPIES) &&
		    empty) {
			list->n = 0;
			add_all(list, part, first);
			set_repeats(list, count, step);
			return;
		}
		go_on(list, &off, step);
	}
}

void orl_runs_repeat(struct orl_runs *list, const struct orl_runs *part,
		     ptrdiff_t off, size_t count, ptrdiff_t step)
{
	if (!list->err)
		list->err = part->err;
	if (list->err || !part->n || !count)
		return;
	if (list->repeats)
		unfold(list);
	if (part->n == 1 && !part->repeats &&
	    repeat_run(list, part->at, off, count, step))
		return;
	if (part->repeats && !list->n &&
	    repeat_repeats(list, part, off, count, step))
		return;
	repeat_each(list, part, off, count, step);
}

/* -- bytes ----------------------------------------------------------------*/

static void add_bytes(struct orl_runs *pieces, const struct orl_run *run)
{
	const struct orl_run piece = {
		.off = run->off,
		.stride = run->stride,
		.blocks = run->blocks,
		.blocklen = run->blocklen * (size_t)orl_run_unit(run),
		.kind = ORL_BYTE,
	};

	orl_runs_add(pieces, &piece);
}

/* Pairs: the value and the index, which is beyond a hole or before one. */
static void add_padded(struct orl_runs *pieces, const struct orl_run *run)
{
	const struct orl_kind_info *pair = &orl_kinds[run->kind];
	const bool hole = pair->first != pair->second;
	struct orl_run bytes[] = {
		{ .blocks = 1, .kind = ORL_BYTE },
		{ .blocks = 1, .kind = ORL_BYTE, .off = pair->second },
	};
	const struct orl_runs element = { .at = bytes, .n = hole ? 2 : 1 };
	struct orl_runs block = { .at = NULL };

	bytes[0].blocklen = hole ? pair->first : pair->size;
	bytes[1].blocklen = pair->size - pair->first;
	orl_runs_repeat(&block, &element, 0, run->blocklen, pair->extent);
	orl_runs_close(&block);
	orl_runs_repeat(pieces, &block, run->off, run->blocks, run->stride);
	orl_runs_free(&block);
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
	pieces->repeats = runs->repeats;
	pieces->step = runs->step;
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

static void add_pieces(struct orl_runs *pieces, const struct orl_runs *runs)
{
	size_t i;

	for (i = 0; i < runs->n && !pieces->err; i++) {
		const struct orl_run *run = &runs->at[i];

		if (orl_kinds[run->kind].second)
			add_padded(pieces, run);
		else
			add_bytes(pieces, run);
	}
}

void orl_runs_pieces(struct orl_runs *pieces, const struct orl_runs *runs)
{
	struct orl_runs once = { .at = NULL };

	if (is_plain(runs)) {
		copy_bytes(pieces, runs);
		return;
	}
	if (!runs->repeats) {
		add_pieces(pieces, runs);
		return;
	}
	/* As bytes they may be regular. */
	add_pieces(&once, runs);
	orl_runs_close(&once);
	orl_runs_repeat(pieces, &once, 0, runs->repeats + 1, runs->step);
	orl_runs_free(&once);
}

void orl_runs_free(struct orl_runs *list)
{
	free(list->at);
}
