/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alike.c - whether two typed buffers have their elements in like places, so
 * that one walk goes over both.
 */
#include "orl_type.h"

static bool are_runs_alike(const struct orl_run *a, const struct orl_run *b)
{
	return a->blocks == b->blocks && a->blocklen == b->blocklen &&
	       a->stride == b->stride;
}

/* What the cursors are at may have been made of all runs. */
static bool are_firsts_alike(const struct orl_cursor *a,
			     const struct orl_cursor *b)
{
	return a->blocks == b->blocks && a->blocklen == b->blocklen &&
	       (a->blocks == 1 || a->stride == b->stride);
}

static bool are_others_alike(const struct orl_cursor *a,
			     const struct orl_cursor *b, ptrdiff_t shift)
{
	const struct orl_run *x = a->next, *y = b->next;

	if (a->end - x != b->end - y)
		return false;
	for (; x < a->end; x++, y++) {
		if (!are_runs_alike(x, y) || x->off - y->off != shift)
			return false;
	}
	return true;
}

static bool are_items_alike(const struct orl_cursor *a,
			    const struct orl_cursor *b)
{
	if (a->items != b->items || a->groups != b->groups)
		return false;
	if (a->groups && (a->times != b->times || a->gap != b->gap))
		return false;
	return (a->items == 1 && !a->groups) || a->extent == b->extent;
}

bool orl_type_is_alike(const struct orl_type *a, size_t a_count,
		       const struct orl_type *b, size_t b_count,
		       ptrdiff_t *shift)
{
	struct orl_cursor x, y;

	orl_cursor_elements(&x, a, a_count);
	orl_cursor_elements(&y, b, b_count);
	if (!x.left || !y.left)
		return false;
	*shift = x.off - y.off;
	return are_firsts_alike(&x, &y) && are_items_alike(&x, &y) &&
	       are_others_alike(&x, &y, *shift);
}
