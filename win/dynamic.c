/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dynamic.c - attached memory of dynamic windows (MPI-3.1 section 11.2.4), the
 * owner's side.
 *
 * The owner keeps its regions sorted by address in a table in its arena, which
 * the node's origins search (region.c).  For those of other nodes the owner
 * does, when their records arrive, or they ask for the key of a region that is
 * registered, and are told when it goes (src/path/keys.c).
 *
 * Tables change under the lock of windows on the same memory (dup.c), as what
 * is attached to one of these is attached to all; handlers see table and own as
 * one, since they run under the progress lock.
 *
 * Regions of size zero are legal, but never accessed: only the owner keeps
 * them, to know what may be detached.
 */
#include "regions.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

/* What else the owner knows of a region. */
struct orl_own {
	struct orl_mr mr; /* handle NULL: not registered */
	bool told;	  /* some origin knows of it */
};

/* Changed under the window's mutex, and what handlers read (table, own and
 * the control block's count) under the progress lock too. */
struct orl_regions {
	struct orl_region *table; /* in the arena */
	struct orl_own *own;	  /* [room] */
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

uint64_t orl_regions_held(const struct orl_win *win)
{
	struct orl_regions *regions = win->attached;

	return regions ? malloc_usable_size(regions) +
				 malloc_usable_size(regions->own)
		       : 0;
}

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

/* Doubles the table; the old one goes after nobody can find it any more:
 * handlers, which read it without the sequence, run under the progress lock. */
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
	orl_progress_lock();
	begin_change(ctl);
	__atomic_store_n(&ctl->regions, (uint64_t)table, __ATOMIC_RELAXED);
	end_change(ctl);
	regions->table = table;
	regions->room = room;
	if (old)
		orl_arena_free(old);
	orl_progress_unlock();
	return 0;
}

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
	at = orl_regions_below(win->attached->table, win->ctl->nregions, off);
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

/* -- one window's table ---------------------------------------------------- */

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

	if (!region->len)
		return attach_empty(regions, (void *)region->addr);
	at = orl_regions_below(regions->table, n, region->addr);
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

/* False if no region begins there; else what is left to be closed is in own. */
static bool take_out(struct orl_win *win, const void *base, struct orl_own *own)
{
	struct orl_regions *regions = win->attached;
	uint32_t at = orl_regions_below(regions->table, win->ctl->nregions,
					(uint64_t)base);

	*own = (struct orl_own){ .told = false };
	if (!at || regions->table[at - 1].addr != (uint64_t)base)
		return detach_empty(regions, base);
	*own = extract(win, at - 1);
	return true;
}

/* -- windows on the same memory, see dup.c --------------------------------- */

static void detach_others(struct orl_win *win, struct orl_win *end,
			  const void *base)
{
	struct orl_win *other = orl_alike_next(win);
	struct orl_own own;

	for (; other != end; other = orl_alike_next(other)) {
		take_out(other, base, &own);
		close_region(other, (uint64_t)base, &own);
	}
}

/* All or none. */
static int attach_all(struct orl_win *win, const struct orl_region *region)
{
	const void *base = (const void *)region->addr;
	struct orl_win *other = win;
	struct orl_own own;
	int rc;

	do {
		rc = attach(other, region);
		if (rc && other != win) {
			detach_others(win, other, base);
			take_out(win, base, &own);
			close_region(win, region->addr, &own);
		}
		other = orl_alike_next(other);
	} while (!rc && other != win);
	return rc;
}

int orl_regions_copy(struct orl_win *win, const struct orl_win *of)
{
	const struct orl_regions *from = of->attached;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < of->ctl->nregions && !rc; i++)
		rc = attach(win, &from->table[i]);
	for (i = 0; i < from->nempty && !rc; i++)
		rc = attach_empty(win->attached, from->empty[i]);
	return rc;
}

/* -- attach and detach ----------------------------------------------------- */

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
	orl_alike_lock();
	rc = attach_all(win, &region);
	orl_alike_unlock();
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
	struct orl_own own;
	bool found;

	if (!win->dynamic)
		return orl_win_fail(win, "MPI_Win_detach", MPI_ERR_RMA_FLAVOR,
				    "the window is not dynamic");
	orl_alike_lock();
	found = take_out(win, base, &own);
	if (found)
		detach_others(win, win, base);
	orl_alike_unlock();
	close_region(win, (uint64_t)base, &own);
	if (!found)
		return orl_win_fail(win, "MPI_Win_detach", MPI_ERR_RMA_ATTACH,
				    "no attached region begins at %p", base);
	return MPI_SUCCESS;
}
