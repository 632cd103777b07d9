/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_side.c - one typed buffer of a call: count and type for a given
 * sequence of elements, and the region of memory it lies in.
 */
#include "random.h"

#include <string.h>

#define TRIES 5
#define PAD   24 /* canary bytes before and after */

static void expand(struct side *side)
{
	struct elem *to;
	ptrdiff_t low = 0, high = 0;

	side->n = side->count * side->tree->nelems;
	side->elems = arena_alloc((side->n + 1) * sizeof(side->elems[0]));
	to = side->elems;
	for (int i = 0; i < side->count; i++) {
		ptrdiff_t at = i * side->tree->extent;

		to = tree_expand(side->tree, at, to);
		if (i == 0 || at + side->tree->true_lb < low)
			low = at + side->tree->true_lb;
		if (i == 0 || at + side->tree->true_ub > high)
			high = at + side->tree->true_ub;
	}
	side->first = low;
	side->last = high;
}

static bool overlaps(const struct side *side, enum overlap overlap)
{
	int *owner = arena_alloc((side->last - side->first + MAX_EXTENT) *
				 sizeof(int));

	for (size_t k = 0; k < side->n; k++) {
		const struct elem *elem = &side->elems[k];
		const struct basic *basic = &basics[elem->basic];
		int at = elem->off - (int)side->first;

		for (int b = 0; b < basic->extent; b++) {
			if (!basic_has(basic, b))
				continue;
			if (owner[at + b] &&
			    (overlap == OVERLAP_NO || owner[at + b] != at + 1))
				return true;
			owner[at + b] = at + 1;
		}
	}
	return false;
}

static bool is_aligned(const struct side *side)
{
	for (size_t k = 0; k < side->n; k++)
		if (side->elems[k].off % basics[side->elems[k].basic].align)
			return false;
	return true;
}

static bool is_usable(const struct side *side, enum overlap overlap,
		      size_t room)
{
	if ((size_t)(side->last - side->first) > room)
		return false;
	if (!config.misaligned && !is_aligned(side))
		return false;
	return overlap == OVERLAP_ANY || !overlaps(side, overlap);
}

/* How many times the sequence repeats; one of the ways to say so. */
static size_t pick_count(struct rng *rng, const uint8_t *sig, size_t n)
{
	size_t count = 1 + rng_below(rng, n < 8 ? n : 8);

	if (rng_chance(rng, 30))
		count = n;
	if (n % count || memcmp(sig, sig + n / count, n - n / count))
		return 1;
	return count;
}

static void build_once(struct rng *rng, struct side *side, const uint8_t *sig,
		       size_t n, int depth, bool loose)
{
	size_t count = pick_count(rng, sig, n);

	side->tree = tree_build(rng, sig, n / count, depth, loose);
	if (count > 1)
		side->tree = tree_safe(side->tree);
	side->count = (int)count;
	expand(side);
}

static void set_region(struct rng *rng, struct side *side)
{
	side->base = PAD - side->first;
	side->skew = config.misaligned ? rng_below(rng, 16) : 0;
	if (!config.misaligned)
		side->base =
			(side->base + 1024 * 16 + 15) / 16 * 16 - 1024 * 16;
	side->size = side->base + side->last + PAD;
	side->bottom = rng_chance(rng, 10) && config.bottom;
}

void side_build(struct rng *rng, struct side *side, const uint8_t *sig,
		size_t n, enum overlap overlap, size_t room)
{
	bool none = n == 0, loose = overlap != OVERLAP_NO;
	int depth = config.derived ? rng_range(rng, 0, 3) : 0;

	*side = (struct side){ 0 };
	if (none)
		n = 1;
	if (n > 200)
		depth = depth > 1;
	for (int try = 0; try < TRIES; try++) {
		build_once(rng, side, sig, n, try + 1 < TRIES ? depth : 0,
			   loose);
		if (is_usable(side, overlap, room))
			break;
		if (try + 1 == TRIES) {
			side->tree = tree_plain(sig, n);
			side->count = 1;
			expand(side);
		}
	}
	if (none) {
		side->count = 0;
		side->n = 0;
		side->first = side->last = 0;
	}
	set_region(rng, side);
}

void side_single(struct rng *rng, struct side *side, int basic)
{
	*side = (struct side){ .tree = tree_plain(&(uint8_t){ basic }, 1),
			       .count = 1 };
	expand(side);
	set_region(rng, side);
	side->bottom = false;
}
