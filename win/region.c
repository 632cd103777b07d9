/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.c - the search for attached memory of a dynamic window, by the
 * origins of the owner's node in the owner's table itself, so that nothing
 * they know can be out of date.
 *
 * The owner changes the table between two increments of regions_seq; an
 * origin whose search overlapped a change searches again.  A table that is
 * given back stays mapped in every origin, so a late reader reads nonsense,
 * not unmapped memory, and then sees the sequence changed.
 */
#include "regions.h"

uint32_t orl_regions_below(const struct orl_region *table, uint32_t n,
			   uint64_t addr)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (__atomic_load_n(&table[mid].addr, __ATOMIC_RELAXED) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct search {
	uint64_t addr, len;
	bool found;
	bool mapped; /* all of it */
};

/* The range may go on from region to region where they touch. */
static bool covers(const struct orl_region *table, uint32_t n,
		   struct search *search)
{
	uint32_t i = orl_regions_below(table, n, search->addr);
	uint64_t end = search->addr + search->len, covered;

	if (!i || end < search->addr)
		return false;
	search->mapped = true;
	for (i--, covered = search->addr; covered < end; i++) {
		uint64_t begin, size;

		if (i >= n)
			return false;
		begin = __atomic_load_n(&table[i].addr, __ATOMIC_RELAXED);
		size = __atomic_load_n(&table[i].len, __ATOMIC_RELAXED);
		if (covered < begin || covered - begin >= size)
			return false;
		covered = begin + size;
		search->mapped &=
			__atomic_load_n(&table[i].mapped, __ATOMIC_RELAXED);
	}
	return true;
}

static bool is_settled(void *arg)
{
	struct orl_ctl *ctl = arg;

	/* Acquire: pairs with the release in end_change. */
	return !(atomic_load_explicit(&ctl->regions_seq, memory_order_acquire) &
		 1);
}

static bool is_unchanged(struct orl_ctl *ctl, uint32_t seq)
{
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&ctl->regions_seq, memory_order_relaxed) ==
	       seq;
}

/* One search; false if the owner has changed the table meanwhile. */
static bool search_once(struct orl_target *target, struct search *search)
{
	struct orl_ctl *ctl = orl_target_ctl(target);
	/* Acquire: pairs with the release in end_change. */
	uint32_t n, seq = atomic_load_explicit(&ctl->regions_seq,
					       memory_order_acquire);
	uint64_t table;

	if (seq & 1)
		return false;
	n = __atomic_load_n(&ctl->nregions, __ATOMIC_RELAXED);
	table = __atomic_load_n(&ctl->regions, __ATOMIC_RELAXED);
	/* Do the two belong together?  Else n may be past the table. */
	if (!is_unchanged(ctl, seq))
		return false;
	search->found = n && covers((void *)(table + (uint64_t)target->delta),
				    n, search);
	return is_unchanged(ctl, seq);
}

int orl_regions_find(struct orl_win *win, struct orl_place *place,
		     uint64_t addr, uint64_t len)
{
	struct orl_target *target = place->target;
	struct orl_ctl *ctl = orl_target_ctl(target);
	struct search search = { .addr = addr, .len = len };

	/* The owner finds out, and reports it. */
	if (target->path->remote)
		return 0;
	while (!search_once(target, &search))
		orl_wait_brief(&ctl->exposure, ORL_BELL_ALL, is_settled, ctl);
	if (!search.found)
		return MPI_ERR_RMA_RANGE;
	place->path = orl_win_path(win, target->rank, search.mapped);
	return 0;
}
