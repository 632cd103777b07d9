/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfer.c - MPI_Put and MPI_Get.  Contiguous data go to the path in one
 * call; other layouts are walked in rows of pairs of blocks, origin and
 * target.
 */
#include "place.h"

static int put_vector(struct orl_target *target, const struct orl_path *path,
		      const struct orl_vector *v)
{
	if (path->put_vector && v->n > 1)
		return path->put_vector(target, v);
	return orl_path_put_each(path->put, target, v);
}

static int get_vector(struct orl_target *target, const struct orl_path *path,
		      const struct orl_vector *v)
{
	if (path->get_vector && v->n > 1)
		return path->get_vector(target, v);
	return orl_path_get_each(path->get, target, v);
}

typedef int (*vector_fn)(struct orl_target *target, const struct orl_path *path,
			 const struct orl_vector *v);

/* Not on pointers: the origin buffer may be MPI_BOTTOM. */
static int walk_blocks(const struct orl_xfer *x, const struct orl_checked *c,
		       vector_fn fn)
{
	const struct orl_place *place = &c->place;
	struct orl_cursor origin, target;
	struct orl_vector v;
	struct orl_steps s;
	int rc = 0;

	orl_cursor_bytes(&origin, c->otype, (size_t)x->ocount);
	orl_cursor_bytes(&target, c->ttype, (size_t)x->tcount);
	while (!rc && orl_cursor_steps(&origin, &target, &s)) {
		v.addr = place->addr + (uint64_t)s.b;
		v.stride = s.b_stride;
		v.buf = (char *)((uintptr_t)x->origin + (uintptr_t)s.a);
		v.buf_stride = s.a_stride;
		v.len = s.len;
		v.n = s.n;
		rc = fn(place->target, place->path, &v);
	}
	return rc;
}

static int put_layout(const struct orl_xfer *x, const struct orl_checked *c)
{
	const struct orl_place *place = &c->place;

	if (!place->path->mapped)
		return walk_blocks(x, c, put_vector);
	orl_type_copy(c->ttype, (size_t)x->tcount,
		      (char *)place->addr + place->target->delta, c->otype,
		      (size_t)x->ocount, x->origin);
	return 0;
}

static int get_layout(const struct orl_xfer *x, const struct orl_checked *c)
{
	const struct orl_place *place = &c->place;

	if (!place->path->mapped)
		return walk_blocks(x, c, get_vector);
	orl_type_copy(c->otype, (size_t)x->ocount, (void *)x->origin, c->ttype,
		      (size_t)x->tcount,
		      (char *)place->addr + place->target->delta);
	return 0;
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
	orl_win_note_store(win);
	if (orl_likely(c.otype->dense && c.ttype->dense))
		rc = place->path->put(place->target, place->addr, x->origin,
				      (size_t)x->ocount * c.otype->size);
	else
		rc = put_layout(x, &c);
	rc = rc ? rc : orl_place_finish(x, place);
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
	rc = rc ? rc : orl_place_finish(x, place);
	return orl_likely(!rc) ? MPI_SUCCESS : refuse(win, x, rc);
}
