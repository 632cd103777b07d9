/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather.c - between a typed buffer and an array of its elements, both of
 * this process.  Holes of padded pairs are neither read nor written: the
 * last one may lie outside the user's buffer.
 */
#include "orl_type.h"

#include <string.h>

/* The bytes of a row, or a block, n at most. */
static size_t gather_bytes(struct orl_cursor *from, uintptr_t buf, size_t n,
			   char *to)
{
	struct orl_run row;
	ptrdiff_t off;

	if (!orl_cursor_row(from, n, &row)) {
		n = orl_cursor_next(from, n, &off);
		memcpy(to, (void *)(buf + (uintptr_t)off), n);
		return n;
	}
	buf += (uintptr_t)row.off;
	if (!orl_lines_pick(to, (void *)buf, &row))
		orl_copy_steps(to, (ptrdiff_t)row.blocklen, (void *)buf,
			       row.stride, row.blocklen, row.blocks);
	return row.blocks * row.blocklen;
}

void orl_type_gather_next(struct orl_cursor *cur, const void *buf,
			  enum orl_kind kind, size_t n, void *elements)
{
	const struct orl_type *array = &orl_basics[kind];
	struct orl_cursor to;
	size_t left, done;
	char *next = elements;

	if (!array->dense) {
		orl_cursor_bytes(&to, array, n);
		orl_cursor_copy(&to, elements, cur, buf);
		return;
	}
	/* Not on pointers: the buffer may be MPI_BOTTOM. */
	left = n * array->size;
	while (left && (done = gather_bytes(cur, (uintptr_t)buf, left, next))) {
		next += done;
		left -= done;
	}
}

void orl_type_scatter_next(struct orl_cursor *cur, void *buf,
			   enum orl_kind kind, size_t n, const void *elements)
{
	struct orl_cursor from;

	orl_cursor_bytes(&from, &orl_basics[kind], n);
	orl_cursor_copy(cur, buf, &from, elements);
}

/* -- of a whole buffer ----------------------------------------------------- */

void orl_type_gather(const struct orl_type *type, size_t count, const void *buf,
		     void *elements)
{
	struct orl_cursor from;

	orl_cursor_bytes(&from, type, count);
	orl_type_gather_next(&from, buf, type->kind, type->elements * count,
			     elements);
}

void orl_type_scatter(const struct orl_type *type, size_t count, void *buf,
		      const void *elements)
{
	const struct orl_type *array = &orl_basics[type->kind];

	orl_type_copy(type, count, buf, array, type->elements * count,
		      elements);
}
