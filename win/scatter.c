/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter.c - see scatter.h. */
#include "scatter.h"

#include <string.h>

/* The first n elements of one item. */
static void scatter_part(const struct orl_type *type, char *to,
			 const char *from, size_t n)
{
	size_t extent = orl_kinds[type->kind].extent, some;
	struct orl_cursor cur;
	ptrdiff_t off;

	orl_cursor_elements(&cur, type, 1);
	while (n && (some = orl_cursor_next(&cur, n, &off)) > 0) {
		memcpy(to + off, from, some * extent);
		from += some * extent;
		n -= some;
	}
}

void orl_scatter_run(const struct orl_scatter *scatter)
{
	const struct orl_type *type = scatter->type;
	size_t items = scatter->count / type->elements;
	size_t whole = items * type->elements;
	size_t extent = orl_kinds[type->kind].extent;

	orl_type_scatter(type, items, scatter->to, scatter->from);
	scatter_part(type,
		     (char *)scatter->to + (ptrdiff_t)items * type->extent,
		     (const char *)scatter->from + whole * extent,
		     scatter->count - whole);
}
