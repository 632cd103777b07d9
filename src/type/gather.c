/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather.c - between a typed buffer and an array of its elements, both of
 * this process.  Holes of padded pairs are neither read nor written: the
 * last one may lie outside the user's buffer.
 */
#include "orl_type.h"

#include <string.h>

/* The bytes of a row, or a block. */
static size_t gather_next(struct orl_cursor *from, uintptr_t buf, char *to)
{
	struct orl_run row;
	ptrdiff_t off;
	size_t n;

	if (!orl_cursor_row(from, SIZE_MAX, &row)) {
		n = orl_cursor_next(from, SIZE_MAX, &off);
		memcpy(to, (void *)(buf + (uintptr_t)off), n);
		return n;
	}
	n = row.blocks * row.blocklen;
	buf += (uintptr_t)row.off;
	if (!orl_lines_pick(to, (void *)buf, &row))
		orl_copy_steps(to, (ptrdiff_t)row.blocklen, (void *)buf,
			       row.stride, row.blocklen, row.blocks);
	return n;
}

void orl_type_gather(const struct orl_type *type, size_t count, const void *buf,
		     void *elements)
{
	const struct orl_type *array = &orl_basics[type->kind];
	struct orl_cursor from;
	char *to = elements;

	if (array->dense && !type->dense) {
		orl_cursor_bytes(&from, type, count);
		/* Not on pointers: the buffer may be MPI_BOTTOM. */
		while (from.left)
			to += gather_next(&from, (uintptr_t)buf, to);
		return;
	}
	orl_type_copy(array, type->elements * count, elements, type, count,
		      buf);
}

void orl_type_scatter(const struct orl_type *type, size_t count, void *buf,
		      const void *elements)
{
	const struct orl_type *array = &orl_basics[type->kind];

	orl_type_copy(type, count, buf, array, type->elements * count,
		      elements);
}

/* -- piece by piece --------------------------------------------------------*/

/* Copies what both have, from b to a.  Not on pointers: a buffer may be
 * MPI_BOTTOM. */
static void copy_next(struct orl_cursor *a, uintptr_t to, struct orl_cursor *b,
		      uintptr_t from)
{
	struct orl_steps s;

	while (orl_cursor_steps(a, b, &s))
		orl_copy_steps((void *)(to + (uintptr_t)s.a), s.a_stride,
			       (void *)(from + (uintptr_t)s.b), s.b_stride,
			       s.len, s.n);
}

void orl_type_gather_next(struct orl_cursor *cur, const void *buf,
			  enum orl_kind kind, size_t n, void *elements)
{
	struct orl_cursor array;

	orl_cursor_bytes(&array, &orl_basics[kind], n);
	copy_next(&array, (uintptr_t)elements, cur, (uintptr_t)buf);
}

void orl_type_scatter_next(struct orl_cursor *cur, void *buf,
			   enum orl_kind kind, size_t n, const void *elements)
{
	struct orl_cursor array;

	orl_cursor_bytes(&array, &orl_basics[kind], n);
	copy_next(cur, (uintptr_t)buf, &array, (uintptr_t)elements);
}
