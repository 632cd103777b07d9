/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place.h - from the arguments of a communication call to the place of its
 * target buffer, every argument checked, nothing touched yet.  The checks of
 * a legal call are inline; what is wrong with an illegal one is found out
 * again, in words, by orl_place_fail.
 */
#ifndef ORL_PLACE_H
#define ORL_PLACE_H

#include "win.h"

/* A checked transfer. */
struct orl_checked {
	struct orl_place place; /* of the target buffer's displacement */
	const struct orl_type *otype, *ttype;
};

/* Raises the error that the checks found; class is what they returned. */
int orl_place_fail(struct orl_win *win, const struct orl_xfer *x,
		   int class) ORL_COLD;

/* The target range of a type with holes or bounds, or in a dynamic window. */
int orl_place_slow(struct orl_win *win, const struct orl_xfer *x,
		   const struct orl_type *type, struct orl_place *place);

/*
 * The owner's address of len bytes at a displacement of the window's memory.
 * False: they are not all in it, or the window is dynamic.
 */
static inline bool orl_place_range(const struct orl_win *win,
				   const struct orl_target *target,
				   MPI_Aint disp, uint64_t len, uint64_t *addr)
{
	uint64_t off;

	/* Negative displacements become too large ones. */
	if (orl_unlikely(win->dynamic ||
			 __builtin_mul_overflow((uint64_t)disp,
						target->disp_unit, &off) ||
			 off > target->size || len > target->size - off))
		return false;
	*addr = target->base + off;
	return true;
}

/* Rank, type, range and epoch of the target: 0 or an error class. */
static inline int orl_place_target(struct orl_win *win,
				   const struct orl_xfer *x,
				   const struct orl_type *type,
				   struct orl_place *place)
{
	struct orl_target *target = &win->targets[x->rank];
	uint64_t len;

	place->target = target;
	place->path = target->path;
	/* Negative counts become too large ones. */
	if (orl_unlikely(
		    !type->dense ||
		    __builtin_mul_overflow((uint64_t)x->tcount, type->size,
					   &len) ||
		    !orl_place_range(win, target, x->disp, len, &place->addr)))
		return orl_place_slow(win, x, type, place);
	return orl_epoch_admit(win, target);
}

/* May the call be made at all: 0, or an error class. */
static inline int orl_place_call(struct orl_win *win, const struct orl_xfer *x)
{
	if (orl_unlikely((uint32_t)x->rank >= win->size))
		return MPI_ERR_RANK;
	if (orl_unlikely(x->request && !orl_epoch_is_passive(win)))
		return MPI_ERR_RMA_SYNC;
	if (orl_unlikely((x->ocount | x->tcount) < 0))
		return MPI_ERR_COUNT;
	return 0;
}

/* All checks of a put or get: 0, or an error class. */
static inline int orl_place_check(struct orl_win *win, const struct orl_xfer *x,
				  struct orl_checked *c)
{
	int rc = orl_place_call(win, x);

	if (orl_unlikely(rc))
		return rc;
	rc = orl_type_find(x->ttype, &c->ttype);
	if (orl_unlikely(rc))
		return rc;
	c->otype = c->ttype;
	if (x->otype != x->ttype) {
		rc = orl_type_find(x->otype, &c->otype);
		if (orl_unlikely(rc))
			return rc;
	}
	return orl_place_target(win, x, c->ttype, &c->place);
}

/* An R-form near by is complete when it returns: what makes requests cheap.
 * On remote targets request.c counts. */
static inline int orl_place_finish(const struct orl_xfer *x,
				   const struct orl_place *place)
{
	if (orl_likely(!x->request) || place->path->remote)
		return 0;
	return place->path->finish(place->target);
}

/* -- the same for accumulates, accumulate.c -------------------------------- */

/* Raises the error that the checks found. */
int orl_accumulate_fail(struct orl_win *win, const struct orl_xacc *x,
			int rc) ORL_COLD;
/* An R-form that is not counted by request.c is complete when it returns. */
int orl_accumulate_finish(struct orl_win *win, const struct orl_xacc *x,
			  const struct orl_place *place);

#endif
