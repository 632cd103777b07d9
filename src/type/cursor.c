/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cursor.c - walking typed buffers block by block, and copying between two
 * of them.  A cursor keeps its run by value: items of one run each are
 * turned into one longer run, or one block, when it is made.
 */
#include "orl_type.h"

#include "type.h"

#include <errno.h>
#include <string.h>

int orl_type_span(const struct orl_type *type, size_t count, ptrdiff_t *first,
		  ptrdiff_t *last)
{
	ptrdiff_t far, lo, hi;

	*first = *last = 0;
	if (!count || !type->size)
		return 0;
	if (__builtin_mul_overflow(count - 1, type->extent, &far))
		return -EOVERFLOW;
	lo = far < 0 ? far : 0;
	hi = far < 0 ? 0 : far;
	if (__builtin_add_overflow(type->true_lb, lo, &lo) ||
	    __builtin_add_overflow(type->true_ub, hi, &hi))
		return -EOVERFLOW;
	*first = lo;
	*last = hi;
	return 0;
}

/* -- one cursor -----------------------------------------------------------*/

static inline void enter_run(struct orl_cursor *cur, const struct orl_run *run)
{
	cur->start = cur->item + run->off;
	cur->off = cur->start;
	cur->left = run->blocklen;
	cur->blocks = run->blocks;
	cur->stride = run->stride;
	cur->blocklen = run->blocklen;
	cur->unit = orl_run_unit(run);
	cur->next = run + 1;
}

/* Makes one run of the items left, where they continue each other. */
static void unite_items(struct orl_cursor *cur)
{
	ptrdiff_t len = (ptrdiff_t)(cur->blocklen * cur->unit);

	if (cur->blocks > 1) {
		if (cur->extent != (ptrdiff_t)cur->blocks * cur->stride)
			return;
		cur->blocks *= cur->items;
	} else if (cur->extent == len) {
		cur->blocklen *= cur->items;
		cur->left = cur->blocklen;
	} else {
		cur->blocks = cur->items;
		cur->stride = cur->extent;
	}
	cur->items = 1;
}

static void start(struct orl_cursor *cur, const struct orl_run *runs, size_t n,
		  const struct orl_type *type, size_t count)
{
	if (!n || !count) {
		*cur = (struct orl_cursor){ .left = 0 };
		return;
	}
	cur->first = runs;
	cur->end = runs + n;
	cur->items = count;
	cur->item = 0;
	cur->extent = type->extent;
	cur->groups = 0;
	enter_run(cur, runs);
	if (n == 1 && count > 1)
		unite_items(cur);
}

/* Makes items of the times that a type's runs are to be walked. */
static ORL_COLD void start_times(struct orl_cursor *cur, size_t times,
				 ptrdiff_t step, ptrdiff_t extent, size_t count)
{
	const size_t len = times * (size_t)step;

	if (!count)
		return;
	/* Again: the items may have been united. */
	enter_run(cur, cur->first);
	cur->extent = step;
	if (extent == (ptrdiff_t)len &&
	    !__builtin_mul_overflow(times, count, &cur->items))
		return;
	cur->items = times;
	cur->groups = count - 1;
	cur->times = times;
	/* Unsigned: extents may be anything when there is no next item. */
	cur->gap = (ptrdiff_t)((size_t)extent - len);
}

void orl_cursor_bytes(struct orl_cursor *cur, const struct orl_type *type,
		      size_t count)
{
	start(cur, type->pieces, type->npieces, type, count);
	if (orl_unlikely(type->piece_repeats))
		start_times(cur, type->piece_repeats + 1, type->piece_step,
			    type->extent, count);
}

void orl_cursor_elements(struct orl_cursor *cur, const struct orl_type *type,
			 size_t count)
{
	start(cur, type->runs, type->nruns, type, count);
	if (orl_unlikely(type->run_repeats))
		start_times(cur, type->run_repeats + 1, type->run_step,
			    type->extent, count);
}

/* Begins the next group, of which the first item is one extent further. */
static bool next_group(struct orl_cursor *cur)
{
	if (!cur->groups)
		return false;
	cur->groups--;
	cur->items = cur->times;
	cur->item += cur->gap;
	return true;
}

/* Goes to the next run, or leaves the cursor at its end: left is 0. */
static void leave_run(struct orl_cursor *cur)
{
	if (cur->next == cur->end) {
		if (--cur->items == 0 && !next_group(cur))
			return;
		cur->item += cur->extent;
		cur->next = cur->first;
	}
	enter_run(cur, cur->next);
}

/* Goes n blocks on, not beyond the run; the current block is done with. */
static inline void leave_blocks(struct orl_cursor *cur, size_t n)
{
	cur->left = 0;
	cur->blocks -= n;
	if (!cur->blocks) {
		leave_run(cur);
		return;
	}
	cur->start += (ptrdiff_t)n * cur->stride;
	cur->off = cur->start;
	cur->left = cur->blocklen;
}

/* Goes len units on, at most to the end of the block. */
static inline void advance(struct orl_cursor *cur, size_t len)
{
	if (len < cur->left) {
		cur->left -= len;
		cur->off += (ptrdiff_t)(len * cur->unit);
		return;
	}
	leave_blocks(cur, 1);
}

size_t orl_cursor_next(struct orl_cursor *cur, size_t max, ptrdiff_t *off)
{
	size_t len = cur->left < max ? cur->left : max;

	*off = cur->off;
	if (orl_likely(len))
		advance(cur, len);
	return len;
}

bool orl_cursor_row(struct orl_cursor *cur, size_t max, struct orl_run *row)
{
	size_t n;

	if (!cur->left || cur->left != cur->blocklen)
		return false;
	n = max / cur->blocklen;
	if (n > cur->blocks)
		n = cur->blocks;
	if (n < 2)
		return false;
	row->off = cur->off;
	row->stride = cur->stride;
	row->blocks = n;
	row->blocklen = cur->blocklen;
	row->kind = cur->next[-1].kind;
	leave_blocks(cur, n);
	return true;
}

/* -- two cursors ----------------------------------------------------------*/

/* n blocks of len bytes, to and from addresses that grow by the strides. */
struct blocks {
	char *dst;
	const char *src;
	ptrdiff_t dst_stride, src_stride;
	size_t len, n;
};

/* With a constant len each block is a load and a store; of small ones four a
 * turn, lest the turns be what takes the time. */
static inline __attribute__((always_inline)) void copy_each(
	const struct blocks *b, size_t len)
{
	const ptrdiff_t to = b->dst_stride, from = b->src_stride;
	const char *src = b->src;
	char *dst = b->dst;
	uint64_t four[4];
	size_t n = b->n;

	for (; len <= sizeof(four[0]) && n >= 4; n -= 4) {
		memcpy(&four[0], src, len);
		memcpy(&four[1], src + from, len);
		memcpy(&four[2], src + 2 * from, len);
		memcpy(&four[3], src + 3 * from, len);
		memcpy(dst, &four[0], len);
		memcpy(dst + to, &four[1], len);
		memcpy(dst + 2 * to, &four[2], len);
		memcpy(dst + 3 * to, &four[3], len);
		src += 4 * from;
		dst += 4 * to;
	}
	for (; n; n--, dst += to, src += from)
		memcpy(dst, src, len);
}

/* Buffers should not overlap; should they do, nothing worse may happen. */
static void copy_any(const struct blocks *b)
{
	const char *src = b->src;
	char *dst = b->dst;
	size_t n;

	for (n = b->n; n; n--, dst += b->dst_stride, src += b->src_stride)
		memmove(dst, src, b->len);
}

void orl_copy_steps(void *dst, ptrdiff_t dst_stride, const void *src,
		    ptrdiff_t src_stride, size_t len, size_t n)
{
	const struct blocks all = {
		.dst = dst,
		.src = src,
		.dst_stride = dst_stride,
		.src_stride = src_stride,
		.len = len,
		.n = n,
	};
	const struct blocks *b = &all;

	switch (len) {
	case 1:
		copy_each(b, 1);
		break;
	case 2:
		copy_each(b, 2);
		break;
	case 4:
		copy_each(b, 4);
		break;
	case 8:
		copy_each(b, 8);
		break;
	case 12:
		copy_each(b, 12);
		break;
	case 16:
		copy_each(b, 16);
		break;
	case 20:
		copy_each(b, 20);
		break;
	case 24:
		copy_each(b, 24);
		break;
	case 28:
		copy_each(b, 28);
		break;
	case 32:
		copy_each(b, 32);
		break;
	default:
		copy_any(b);
	}
}

/*
 * How often len bytes can be taken, and how far apart: whole blocks of len,
 * or parts of one longer block.
 */
static size_t count_steps(const struct orl_cursor *cur, size_t len,
			  ptrdiff_t *stride)
{
	if (cur->left == len && cur->blocklen == len) {
		*stride = cur->stride;
		return cur->blocks;
	}
	*stride = (ptrdiff_t)len;
	return cur->left / len;
}

/* Goes n times len bytes on, as counted by count_steps. */
static void take_steps(struct orl_cursor *cur, size_t len, size_t n)
{
	if (cur->left == len && cur->blocklen == len)
		leave_blocks(cur, n);
	else
		advance(cur, n * len);
}

bool orl_cursor_steps(struct orl_cursor *a, struct orl_cursor *b,
		      struct orl_steps *steps)
{
	size_t n;

	if (!a->left || !b->left)
		return false;
	steps->a = a->off;
	steps->b = b->off;
	steps->len = a->left < b->left ? a->left : b->left;
	steps->n = count_steps(a, steps->len, &steps->a_stride);
	n = count_steps(b, steps->len, &steps->b_stride);
	if (n < steps->n)
		steps->n = n;
	take_steps(a, steps->len, steps->n);
	take_steps(b, steps->len, steps->n);
	return true;
}

void orl_cursor_copy(struct orl_cursor *to, void *dst, struct orl_cursor *from,
		     const void *src)
{
	struct orl_steps s;

	/* Not on pointers: the buffer may be MPI_BOTTOM. */
	while (orl_cursor_steps(to, from, &s))
		orl_copy_steps((void *)((uintptr_t)dst + (uintptr_t)s.a),
			       s.a_stride,
			       (void *)((uintptr_t)src + (uintptr_t)s.b),
			       s.b_stride, s.len, s.n);
}

void orl_type_copy(const struct orl_type *dst_type, size_t dst_count, void *dst,
		   const struct orl_type *src_type, size_t src_count,
		   const void *src)
{
	struct orl_cursor to, from;

	if (dst_type->dense && src_type->dense) {
		size_t room = dst_type->size * dst_count;
		size_t n = src_type->size * src_count;
		if (room && n)
			memmove(dst, src, n < room ? n : room);
		return;
	}
	orl_cursor_bytes(&to, dst_type, dst_count);
	orl_cursor_bytes(&from, src_type, src_count);
	orl_cursor_copy(&to, dst, &from, src);
}
