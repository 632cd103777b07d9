/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extent.c - live and free extents of the arena.  Free ones hang in lists by
 * size class, sixteen to each power of two, the one freed last in front,
 * since its pages are the likeliest to be in the cache; live ones are found
 * by address in a hash table.  Both take constant time.
 */
#include "extent.h"

#include "orl_util.h"

#include <errno.h>
#include <stdlib.h>

#define SLAB	64 /* descriptions fetched at a time */
#define BUCKETS 256

static uint64_t end_of(const struct orl_extent *extent)
{
	return extent->addr + extent->len;
}

/* -- descriptions ----------------------------------------------------------*/

static int reserve(struct orl_space *space)
{
	struct orl_extent *slab;

	if (space->unused && space->unused->next)
		return 0;
	slab = calloc(SLAB, sizeof(*slab));
	if (!slab)
		return -ENOMEM;
	for (int i = 0; i < SLAB; i++) {
		slab[i].next = space->unused;
		space->unused = &slab[i];
	}
	return 0;
}

static struct orl_extent *describe(struct orl_space *space, uint64_t addr,
				   uint64_t len)
{
	struct orl_extent *extent = space->unused;

	space->unused = extent->next;
	*extent = (struct orl_extent){ .addr = addr, .len = len };
	return extent;
}

static void forget(struct orl_space *space, struct orl_extent *extent)
{
	extent->next = space->unused;
	space->unused = extent;
}

/* -- free extents by size --------------------------------------------------*/

static unsigned class_of(uint64_t len)
{
	uint64_t units = len / ORL_EXTENT_UNIT;
	unsigned log;

	if (units < 16)
		return (unsigned)units;
	log = 63 - (unsigned)__builtin_clzll(units);
	return (log - 3) * 16 + ((units >> (log - 4)) & 15);
}

/* The first class from class on that has extents. */
static unsigned next_class(const struct orl_space *space, unsigned class)
{
	unsigned word = class / 64;
	uint64_t bits;

	if (class >= ORL_EXTENT_CLASSES)
		return ORL_EXTENT_CLASSES;
	bits = space->map[word] & (~(uint64_t)0 << (class % 64));
	while (!bits) {
		if (++word == ORL_EXTENT_CLASSES / 64)
			return ORL_EXTENT_CLASSES;
		bits = space->map[word];
	}
	return word * 64 + (unsigned)__builtin_ctzll(bits);
}

static void list_free(struct orl_space *space, struct orl_extent *extent)
{
	unsigned class = class_of(extent->len);
	struct orl_extent *head = space->heads[class];

	extent->live = false;
	extent->prev = NULL;
	extent->next = head;
	if (head)
		head->prev = extent;
	space->heads[class] = extent;
	space->map[class / 64] |= (uint64_t)1 << (class % 64);
	space->warm += extent->warm_end - extent->warm;
}

static void unlist_free(struct orl_space *space, struct orl_extent *extent)
{
	unsigned class = class_of(extent->len);

	if (extent->next)
		extent->next->prev = extent->prev;
	if (extent->prev)
		extent->prev->next = extent->next;
	else
		space->heads[class] = extent->next;
	if (!space->heads[class])
		space->map[class / 64] &= ~((uint64_t)1 << (class % 64));
	space->warm -= extent->warm_end - extent->warm;
}

static bool fits(const struct orl_extent *extent, uint64_t len, uint64_t align)
{
	return ORL_ALIGN_UP(extent->addr, align) + len <= end_of(extent);
}

/* Looks at so many extents of each class at most. */
static struct orl_extent *search(const struct orl_space *space, uint64_t len,
				 uint64_t align, unsigned tries)
{
	unsigned class = next_class(space, class_of(len));

	while (class < ORL_EXTENT_CLASSES) {
		struct orl_extent *extent = space->heads[class];

		for (unsigned i = 0; extent && i < tries; i++) {
			if (fits(extent, len, align))
				return extent;
			extent = extent->next;
		}
		class = next_class(space, class + 1);
	}
	return NULL;
}

/* -- live extents by address -----------------------------------------------*/

static struct orl_extent **bucket_of(const struct orl_space *space,
				     uint64_t addr)
{
	uint64_t hash = addr / ORL_EXTENT_UNIT * 0x9e3779b97f4a7c15u;

	return &space->buckets[(hash >> 32) & space->mask];
}

static void chain(struct orl_space *space, struct orl_extent *extent)
{
	struct orl_extent **bucket = bucket_of(space, extent->addr);

	extent->prev = NULL;
	extent->next = *bucket;
	if (*bucket)
		(*bucket)->prev = extent;
	*bucket = extent;
}

/* Without memory the chains grow longer; that is all. */
static ORL_COLD void widen(struct orl_space *space)
{
	size_t n = (space->mask + 1) * 4;
	struct orl_extent **buckets = calloc(n, sizeof(struct orl_extent *));

	if (!buckets)
		return;
	free(space->buckets);
	space->buckets = buckets;
	space->mask = n - 1;
	for (struct orl_extent *e = space->first; e; e = e->after)
		if (e->live)
			chain(space, e);
}

static void list_live(struct orl_space *space, struct orl_extent *extent)
{
	if (space->live > space->mask)
		widen(space);
	extent->live = true;
	chain(space, extent);
	space->live++;
}

static void unlist_live(struct orl_space *space, struct orl_extent *extent)
{
	if (extent->next)
		extent->next->prev = extent->prev;
	if (extent->prev)
		extent->prev->next = extent->next;
	else
		*bucket_of(space, extent->addr) = extent->next;
	space->live--;
}

struct orl_extent *orl_space_find(const struct orl_space *space, uint64_t addr)
{
	struct orl_extent *extent = *bucket_of(space, addr);

	while (extent && extent->addr != addr)
		extent = extent->next;
	return extent;
}

/* -- cutting and joining ---------------------------------------------------*/

/* Reduces what is warm to what lies in the extent. */
static void clip_warm(struct orl_extent *extent)
{
	if (extent->warm < extent->addr)
		extent->warm = extent->addr;
	if (extent->warm_end > end_of(extent))
		extent->warm_end = end_of(extent);
	if (extent->warm >= extent->warm_end)
		extent->warm = extent->warm_end = 0;
}

/* Cuts an extent of no list at addr: the second half. */
static struct orl_extent *cut(struct orl_space *space,
			      struct orl_extent *extent, uint64_t addr)
{
	struct orl_extent *rest = describe(space, addr, end_of(extent) - addr);

	extent->len = addr - extent->addr;
	rest->warm = extent->warm;
	rest->warm_end = extent->warm_end;
	clip_warm(extent);
	clip_warm(rest);
	rest->before = extent;
	rest->after = extent->after;
	if (rest->after)
		rest->after->before = rest;
	extent->after = rest;
	return rest;
}

/* Adds the neighbour after it, both of no list, to the extent. */
static void join(struct orl_space *space, struct orl_extent *extent)
{
	struct orl_extent *rest = extent->after;

	extent->len += rest->len;
	extent->after = rest->after;
	if (rest->after)
		rest->after->before = extent;
	if (!extent->warm_end)
		extent->warm = rest->warm;
	if (rest->warm_end)
		extent->warm_end = rest->warm_end;
	forget(space, rest);
}

int orl_space_init(struct orl_space *space, uint64_t addr, uint64_t len)
{
	space->buckets = calloc(BUCKETS, sizeof(struct orl_extent *));
	if (!space->buckets)
		return -ENOMEM;
	space->mask = BUCKETS - 1;
	if (reserve(space)) {
		free(space->buckets);
		return -ENOMEM;
	}
	space->first = describe(space, addr, len);
	list_free(space, space->first);
	return 0;
}

struct orl_extent *orl_space_take(struct orl_space *space, uint64_t len,
				  uint64_t align)
{
	struct orl_extent *extent;
	uint64_t addr;

	if (reserve(space))
		return NULL;
	extent = search(space, len, align, 16);
	if (!extent)
		extent = search(space, len, align, -1u);
	if (!extent)
		return NULL;
	unlist_free(space, extent);
	addr = ORL_ALIGN_UP(extent->addr, align);
	if (addr > extent->addr) {
		struct orl_extent *gap = extent;

		extent = cut(space, gap, addr);
		list_free(space, gap);
	}
	if (extent->len > len)
		list_free(space, cut(space, extent, addr + len));
	list_live(space, extent);
	return extent;
}

struct orl_extent *orl_space_give(struct orl_space *space,
				  struct orl_extent *extent)
{
	struct orl_extent *before = extent->before, *after = extent->after;

	unlist_live(space, extent);
	extent->warm = extent->addr;
	extent->warm_end = end_of(extent);
	if (after && !after->live) {
		unlist_free(space, after);
		join(space, extent);
	}
	if (before && !before->live) {
		unlist_free(space, before);
		join(space, before);
		extent = before;
	}
	list_free(space, extent);
	return extent;
}

void orl_space_cool(struct orl_space *space, struct orl_extent *extent)
{
	space->warm -= extent->warm_end - extent->warm;
	extent->warm = extent->warm_end = 0;
}
