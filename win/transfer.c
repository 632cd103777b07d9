/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfer.c - MPI_Put and MPI_Get.  Contiguous data go to the path in one
 * call; other layouts are walked in pairs of blocks, origin and target.
 */
#include "place.h"

struct walk {
	const struct orl_place *place;
	uintptr_t origin; /* of MPI_BOTTOM, 0 */
};

static int put_block(void *arg, ptrdiff_t ooff, ptrdiff_t toff, size_t len)
{
	const struct walk *walk = arg;
	const struct orl_place *place = walk->place;

	return place->path->put(place->target, place->addr + (uint64_t)toff,
				(void *)(walk->origin + (uintptr_t)ooff), len);
}

static int get_block(void *arg, ptrdiff_t ooff, ptrdiff_t toff, size_t len)
{
	const struct walk *walk = arg;
	const struct orl_place *place = walk->place;

	return place->path->get(place->target, place->addr + (uint64_t)toff,
				(void *)(walk->origin + (uintptr_t)ooff), len);
}

static int walk_blocks(const struct orl_xfer *x, const struct orl_checked *c,
		       orl_pair_fn fn)
{
	struct walk walk = { &c->place, (uintptr_t)x->origin };
	struct orl_cursor origin, target;

	orl_cursor_bytes(&origin, c->otype, (size_t)x->ocount);
	orl_cursor_bytes(&target, c->ttype, (size_t)x->tcount);
	return orl_cursor_pairs(&origin, &target, fn, &walk);
}

static int put_layout(const struct orl_xfer *x, const struct orl_checked *c)
{
	const struct orl_place *place = &c->place;

	if (!place->path->mapped)
		return walk_blocks(x, c, put_block);
	orl_type_copy(c->ttype, (size_t)x->tcount,
		      (char *)place->addr + place->target->delta, c->otype,
		      (size_t)x->ocount, x->origin);
	return 0;
}

static int get_layout(const struct orl_xfer *x, const struct orl_checked *c)
{
	const struct orl_place *place = &c->place;

	if (!place->path->mapped)
		return walk_blocks(x, c, get_block);
	orl_type_copy(c->otype, (size_t)x->ocount, (void *)x->origin, c->ttype,
		      (size_t)x->tcount,
		      (char *)place->addr + place->target->delta);
	return 0;
}

/* An R-form's request is done when the origin buffer is. */
static int finish(const struct orl_xfer *x, const struct orl_place *place)
{
	return x->request ? place->path->finish(place->target) : 0;
}

static ORL_COLD int refuse(struct orl_win *win, const struct orl_xfer *x,
			   int rc)
{
	if (x->rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	return orl_place_fail(win, x, rc);
}

/* Is what one side sends too much for the other? */
static bool exceeds(size_t from_count, const struct orl_type *from,
		    size_t to_count, const struct orl_type *to)
{
	size_t sent, room;

	if (__builtin_mul_overflow(from_count, from->size, &sent))
		return true;
	return !__builtin_mul_overflow(to_count, to->size, &room) &&
	       sent > room;
}

int orl_win_put(struct orl_win *win, const struct orl_xfer *x)
{
	struct orl_checked c;
	const struct orl_place *place = &c.place;
	int rc = orl_place_check(win, x, &c);

	if (orl_unlikely(rc))
		return refuse(win, x, rc);
	if (orl_unlikely(exceeds((size_t)x->ocount, c.otype, (size_t)x->tcount,
				 c.ttype)))
		return refuse(win, x, MPI_ERR_TRUNCATE);
	if (orl_unlikely(!x->ocount || !c.otype->size))
		return MPI_SUCCESS;
	if (orl_likely(c.otype->dense && c.ttype->dense))
		rc = place->path->put(place->target, place->addr, x->origin,
				      (size_t)x->ocount * c.otype->size);
	else
		rc = put_layout(x, &c);
	rc = rc ? rc : finish(x, place);
	return orl_likely(!rc) ? MPI_SUCCESS : refuse(win, x, rc);
}

int orl_win_get(struct orl_win *win, const struct orl_xfer *x)
{
	struct orl_checked c;
	const struct orl_place *place = &c.place;
	int rc = orl_place_check(win, x, &c);

	if (orl_unlikely(rc))
		return refuse(win, x, rc);
	if (orl_unlikely(exceeds((size_t)x->tcount, c.ttype, (size_t)x->ocount,
				 c.otype)))
		return refuse(win, x, MPI_ERR_TRUNCATE);
	if (orl_unlikely(!x->tcount || !c.ttype->size))
		return MPI_SUCCESS;
	if (orl_likely(c.otype->dense && c.ttype->dense))
		rc = place->path->get(place->target, place->addr,
				      (void *)x->origin,
				      (size_t)x->tcount * c.ttype->size);
	else
		rc = get_layout(x, &c);
	rc = rc ? rc : finish(x, place);
	return orl_likely(!rc) ? MPI_SUCCESS : refuse(win, x, rc);
}

int orl_win_request(struct orl_win *win, MPI_Request *request)
{
	int rc = orl_host_request_done(request);

	orl_progress_tick();
	if (orl_likely(!rc))
		return MPI_SUCCESS;
	return orl_win_fail(win, "an R-form", rc,
			    "the host MPI gives no "
			    "request");
}
