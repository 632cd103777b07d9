/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dynamic.c - attached memory of dynamic windows (MPI-3.1 section 11.2.4).
 *
 * The owner keeps its regions sorted by address in a table in its arena.
 * Origins search the table itself, so nothing they know can be out of date;
 * for those of other nodes the owner does, when their records arrive, or they
 * ask for the key of a region that is registered, and are told when it goes
 * (src/path/keys.c).
 * The owner changes the table between two increments of regions_seq; an
 * origin whose search overlapped a change searches again.  A table that is
 * given back stays mapped in every origin, so a late reader reads nonsense,
 * not unmapped memory, and then sees the sequence changed.
 *
 * Regions of size zero are legal, but never accessed: only the owner keeps
 * them, to know what may be detached.
 */
#include "win.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

/* What else the owner knows of a region. */
struct orl_own {
	struct orl_mr mr; /* handle NULL: not registered */
	bool told;	  /* some origin knows of it */
};

struct orl_regions {
	struct orl_region *table; /* in the arena */
	struct orl_own *own;	  /* [room]; under the progress lock */
	uint32_t room;
	uint32_t nempty, empty_room;
	const void **empty; /* bases of the regions of size zero */
};

int orl_regions_make(struct orl_win *win)
{
	win->attached = calloc(1, sizeof(*win->attached));
	return win->attached ? 0 : -ENOMEM;
}

/* Attached memory of a window that is freed may still be registered. */
static void close_all(const struct orl_regions *regions, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (regions->own[i].mr.handle)
			orl_mr_close(&regions->own[i].mr);
}

void orl_regions_free(struct orl_win *win)
{
	if (!win->attached)
		return;
	if (win->ctl)
		close_all(win->attached, win->ctl->nregions);
	free(win->attached->own);
	if (win->attached->table)
		orl_arena_free(win->attached->table);
	free(win->attached->empty);
	free(win->attached);
}

/* How many of n sorted regions begin at or below addr. */
static uint32_t count_below(const struct orl_region *table, uint32_t n,
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

/* -- the origin's side ----------------------------------------------------- */

struct search {
	uint64_t addr, len;
	bool found;
	bool mapped; /* all of it */
};

/* The range may go on from region to region where they touch. */
static bool covers(const struct orl_region *table, uint32_t n,
		   struct search *search)
{
	uint32_t i = count_below(table, n, search->addr);
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

/* -- the owner's side ------------------------------------------------------ */

static void begin_change(struct orl_ctl *ctl)
{
	atomic_store_explicit(&ctl->regions_seq, ctl->regions_seq + 1,
			      memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

static void end_change(struct orl_ctl *ctl)
{
	/* Release: pairs with the acquire in search_once. */
	atomic_store_explicit(&ctl->regions_seq, ctl->regions_seq + 1,
			      memory_order_release);
}

static void put_region(struct orl_region *slot, const struct orl_region *value)
{
	__atomic_store_n(&slot->addr, value->addr, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->len, value->len, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->mapped, value->mapped, __ATOMIC_RELAXED);
}

static int grow_own(struct orl_regions *regions, uint32_t room)
{
	struct orl_own *own;

	orl_progress_lock();
	own = realloc(regions->own, room * sizeof(*own));
	if (own)
		regions->own = own;
	orl_progress_unlock();
	return own ? 0 : -ENOMEM;
}

/* Doubles the table; the old one goes after nobody can find it any more. */
static int grow(struct orl_win *win)
{
	struct orl_regions *regions = win->attached;
	struct orl_ctl *ctl = win->ctl;
	uint32_t room = regions->room ? 2 * regions->room : FIRST_ROOM;
	struct orl_region *table =
		grow_own(regions, room)
			? NULL
			: orl_arena_alloc(room * sizeof(*table), ORL_CACHELINE);
	struct orl_region *old = regions->table;

	if (!table)
		return -ENOMEM;
	if (old)
		memcpy(table, old, ctl->nregions * sizeof(*table));
	begin_change(ctl);
	__atomic_store_n(&ctl->regions, (uint64_t)table, __ATOMIC_RELAXED);
	end_change(ctl);
	regions->table = table;
	regions->room = room;
	if (old)
		orl_arena_free(old);
	return 0;
}

/* Handlers see table and own as one: they run under the progress lock. */
static void insert(struct orl_win *win, uint32_t at,
		   const struct orl_region *region, const struct orl_own *own)
{
	struct orl_regions *regions = win->attached;
	struct orl_ctl *ctl = win->ctl;
	uint32_t n = ctl->nregions, i;

	orl_progress_lock();
	begin_change(ctl);
	for (i = n; i > at; i--)
		put_region(&regions->table[i], &regions->table[i - 1]);
	put_region(&regions->table[at], region);
	__atomic_store_n(&ctl->nregions, n + 1, __ATOMIC_RELAXED);
	end_change(ctl);
	memmove(&regions->own[at + 1], &regions->own[at],
		(n - at) * sizeof(*own));
	regions->own[at] = *own;
	orl_progress_unlock();
}

static struct orl_own extract(struct orl_win *win, uint32_t at)
{
	struct orl_regions *regions = win->attached;
	struct orl_ctl *ctl = win->ctl;
	uint32_t n = ctl->nregions - 1, i;
	struct orl_own own;

	orl_progress_lock();
	begin_change(ctl);
	for (i = at; i < n; i++)
		put_region(&regions->table[i], &regions->table[i + 1]);
	__atomic_store_n(&ctl->nregions, n, __ATOMIC_RELAXED);
	end_change(ctl);
	own = regions->own[at];
	memmove(&regions->own[at], &regions->own[at + 1],
		(n - at) * sizeof(own));
	orl_progress_unlock();
	return own;
}

/* -- other nodes ----------------------------------------------------------- */

/* A region that cannot be registered is reached by records. */
static struct orl_own register_region(const struct orl_win *win,
				      const struct orl_region *region)
{
	struct orl_own own = { .told = false };

	if (!win->spans || !(win->paths & ORL_PATH_FABRIC) ||
	    !orl_path_wants_key(region->len) ||
	    orl_mr_open((void *)region->addr, region->len, &own.mr))
		own.mr.handle = NULL;
	return own;
}

int orl_regions_key(const struct orl_am_source *source, uint64_t off,
		    struct orl_key *key)
{
	struct orl_win *win = source->object;
	const struct orl_region *region;
	struct orl_own *own;
	uint32_t at;

	if (!win->dynamic)
		return MPI_ERR_RMA_FLAVOR;
	if (!orl_remote_is_origin(win, source))
		return MPI_ERR_RANK;
	at = count_below(win->attached->table, win->ctl->nregions, off);
	if (!at)
		return 0;
	region = &win->attached->table[at - 1];
	if (off - region->addr >= region->len)
		return 0;
	if (!orl_asker_note(win, source->rank))
		return MPI_ERR_NO_MEM;
	own = &win->attached->own[at - 1];
	own->told = true;
	key->off = region->addr;
	key->len = region->len;
	key->key = own->mr.handle ? own->mr.key : ORL_NO_KEY;
	key->base = own->mr.base;
	return 0;
}

static void close_region(struct orl_win *win, uint64_t addr,
			 struct orl_own *own)
{
	if (own->told)
		orl_askers_recall(win, addr);
	if (own->mr.handle)
		orl_mr_close(&own->mr);
}

/* -- attach and detach ----------------------------------------------------- */

static int attach_empty(struct orl_regions *regions, const void *base)
{
	if (regions->nempty == regions->empty_room) {
		uint32_t room = 2 * regions->empty_room + 16;
		const void **empty =
			realloc(regions->empty, room * sizeof(*empty));

		if (!empty)
			return -ENOMEM;
		regions->empty = empty;
		regions->empty_room = room;
	}
	regions->empty[regions->nempty++] = base;
	return 0;
}

static bool detach_empty(struct orl_regions *regions, const void *base)
{
	uint32_t i;

	for (i = 0; i < regions->nempty; i++) {
		if (regions->empty[i] != base)
			continue;
		regions->empty[i] = regions->empty[--regions->nempty];
		return true;
	}
	return false;
}

/* 0, -ENOMEM, or MPI_ERR_RMA_ATTACH if a part is attached already. */
static int attach(struct orl_win *win, const struct orl_region *region)
{
	struct orl_regions *regions = win->attached;
	uint32_t n = win->ctl->nregions, at;
	struct orl_own own;
	int rc;

	at = count_below(regions->table, n, region->addr);
	if (at && region->addr - regions->table[at - 1].addr <
			  regions->table[at - 1].len)
		return MPI_ERR_RMA_ATTACH;
	if (at < n && regions->table[at].addr - region->addr < region->len)
		return MPI_ERR_RMA_ATTACH;
	if (n == regions->room) {
		rc = grow(win);
		if (rc)
			return rc;
	}
	own = register_region(win, region);
	insert(win, at, region, &own);
	return 0;
}

int orl_win_attach(struct orl_win *win, void *base, MPI_Aint size)
{
	struct orl_region region = {
		.addr = (uint64_t)base,
		.len = (uint64_t)size,
		.mapped = orl_arena_holds(base, (size_t)size),
	};
	int rc;

	if (!win->dynamic)
		return orl_win_fail(win, "MPI_Win_attach", MPI_ERR_RMA_FLAVOR,
				    "the window is not dynamic");
	if (size < 0)
		return orl_win_fail(win, "MPI_Win_attach", MPI_ERR_SIZE,
				    "size %lld is negative", (long long)size);
	if (size && !base)
		return orl_win_fail(win, "MPI_Win_attach", MPI_ERR_BASE,
				    "the base is NULL");
	if (size && !region.mapped && !(win->paths & ORL_PATH_CMA) &&
	    win->nnear > 1)
		return orl_win_fail(win, "MPI_Win_attach", MPI_ERR_RMA_ATTACH,
				    "the other ranks cannot reach memory that "
				    "is not of MPI_Alloc_mem: path cma is "
				    "switched off or forbidden (ptrace rules)");
	orl_lock(&win->mutex);
	rc = size ? attach(win, &region) : attach_empty(win->attached, base);
	orl_unlock(&win->mutex);
	if (rc)
		return orl_win_fail(win, "MPI_Win_attach", rc,
				    "%lld bytes at %p%s", (long long)size, base,
				    rc == MPI_ERR_RMA_ATTACH
					    ? ": a part is attached already"
					    : "");
	return MPI_SUCCESS;
}

int orl_win_detach(struct orl_win *win, const void *base)
{
	struct orl_regions *regions = win->attached;
	struct orl_own own = { .told = false };
	bool found = false;
	uint32_t at;

	if (!win->dynamic)
		return orl_win_fail(win, "MPI_Win_detach", MPI_ERR_RMA_FLAVOR,
				    "the window is not dynamic");
	orl_lock(&win->mutex);
	at = count_below(regions->table, win->ctl->nregions, (uint64_t)base);
	if (at && regions->table[at - 1].addr == (uint64_t)base) {
		own = extract(win, at - 1);
		found = true;
	} else {
		found = detach_empty(regions, base);
	}
	orl_unlock(&win->mutex);
	close_region(win, (uint64_t)base, &own);
	if (!found)
		return orl_win_fail(win, "MPI_Win_detach", MPI_ERR_RMA_ATTACH,
				    "no attached region begins at %p", base);
	return MPI_SUCCESS;
}
