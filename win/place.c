/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - the rare half of place.h: odd layouts, and what was wrong. */
#include "place.h"

#include "regions.h"

#include <stdio.h>

/* What lies between the blocks need not be attached: each block alone. */
static int find_blocks(struct orl_win *win, const struct orl_xfer *x,
		       const struct orl_type *type, struct orl_place *place)
{
	const struct orl_path *direct = orl_win_path(win, x->rank, true);
	struct orl_cursor cur;
	bool mapped = true;
	ptrdiff_t off;
	size_t len;

	orl_cursor_bytes(&cur, type, (size_t)x->tcount);
	while ((len = orl_cursor_next(&cur, SIZE_MAX, &off)) > 0) {
		int rc = orl_regions_find(win, place,
					  place->addr + (uint64_t)off, len);

		if (rc)
			return rc;
		mapped &= place->path == direct;
	}
	place->path = orl_win_path(win, x->rank, mapped);
	return 0;
}

static int find_dynamic(struct orl_win *win, const struct orl_xfer *x,
			const struct orl_type *type, const ptrdiff_t span[2],
			struct orl_place *place)
{
	int rc;

	place->addr = (uint64_t)x->disp;
	if (span[0] == span[1])
		return 0;
	rc = orl_regions_find(win, place, place->addr + (uint64_t)span[0],
			      (uint64_t)(span[1] - span[0]));
	return rc && !type->dense ? find_blocks(win, x, type, place) : rc;
}

/* The target buffer's displacement in bytes, and its span. */
static int find_range(const struct orl_xfer *x, const struct orl_type *type,
		      int64_t unit, int64_t *off, ptrdiff_t span[2])
{
	if (orl_type_span(type, (size_t)x->tcount, &span[0], &span[1]))
		return MPI_ERR_RMA_RANGE;
	if (__builtin_mul_overflow((int64_t)x->disp, unit, off))
		return MPI_ERR_RMA_RANGE;
	return 0;
}

static bool is_inside(const struct orl_target *target, int64_t off,
		      ptrdiff_t first, ptrdiff_t last)
{
	int64_t begin, end;

	if (__builtin_add_overflow(off, first, &begin) ||
	    __builtin_add_overflow(off, last, &end))
		return false;
	return begin >= 0 && (uint64_t)end <= target->size;
}

int orl_place_slow(struct orl_win *win, const struct orl_xfer *x,
		   const struct orl_type *type, struct orl_place *place)
{
	struct orl_target *target = place->target;
	ptrdiff_t span[2];
	int64_t off;
	int rc;

	rc = find_range(x, type, target->disp_unit, &off, span);
	if (rc)
		return rc;
	/* Regions may change until the target has posted: admission first. */
	if (win->dynamic) {
		rc = orl_epoch_admit(win, target);
		return rc ? rc : find_dynamic(win, x, type, span, place);
	}
	/* Where nothing is touched, any displacement will do. */
	if (span[0] != span[1] && !is_inside(target, off, span[0], span[1]))
		return MPI_ERR_RMA_RANGE;
	place->addr = target->base + (uint64_t)off;
	return orl_epoch_admit(win, target);
}

static long long extent_of(MPI_Datatype handle)
{
	const struct orl_type *type;

	return orl_type_find(handle, &type) ? 0 : (long long)type->extent;
}

static int fail_range(struct orl_win *win, const struct orl_xfer *x)
{
	const struct orl_target *target = &win->targets[x->rank];

	if (win->dynamic)
		return orl_win_fail(win, x->call, MPI_ERR_RMA_RANGE,
				    "target %d: address %#llx, count %lld of a "
				    "type of %lld bytes: not in attached "
				    "memory",
				    x->rank, (unsigned long long)x->disp,
				    (long long)x->tcount, extent_of(x->ttype));
	return orl_win_fail(win, x->call, MPI_ERR_RMA_RANGE,
			    "target %d: displacement %lld (unit %u), count "
			    "%lld of a type of %lld bytes: not inside its "
			    "%llu bytes",
			    x->rank, (long long)x->disp, target->disp_unit,
			    (long long)x->tcount, extent_of(x->ttype),
			    (unsigned long long)target->size);
}

static int fail_epoch(struct orl_win *win, const struct orl_xfer *x)
{
	const char *why = orl_epoch_objection(win, x->request ? ORL_CALL_RRMA
							      : ORL_CALL_RMA);

	if (x->request && why)
		return orl_win_fail(win, x->call, MPI_ERR_RMA_SYNC,
				    "target %d: %s; calls that give a request "
				    "need a passive epoch",
				    x->rank, why);
	return orl_win_fail(win, x->call, MPI_ERR_RMA_SYNC, "target %d: %s",
			    x->rank,
			    why ? why : "the open epoch does not cover it");
}

int orl_place_fail(struct orl_win *win, const struct orl_xfer *x, int class)
{
	switch (class) {
	case MPI_ERR_RANK:
		return orl_win_fail(win, x->call, class,
				    "no target %d in the window", x->rank);
	case MPI_ERR_COUNT:
		return orl_win_fail(win, x->call, class,
				    "a count is negative: origin %lld, target "
				    "%lld",
				    (long long)x->ocount, (long long)x->tcount);
	case MPI_ERR_TYPE:
		return orl_win_fail(win, x->call, class,
				    "target %d: a datatype is null, unknown "
				    "or not allowed here",
				    x->rank);
	case MPI_ERR_RMA_RANGE:
		return fail_range(win, x);
	case MPI_ERR_RMA_SYNC:
		return fail_epoch(win, x);
	case MPI_ERR_TRUNCATE:
		return orl_win_fail(win, x->call, class,
				    "target %d: more data are sent than the "
				    "receiving side describes",
				    x->rank);
	case MPI_ERR_OP:
		return orl_win_fail(win, x->call, class,
				    "target %d: the operation is not a "
				    "predefined one, or not defined on the "
				    "datatype",
				    x->rank);
	default:
		return orl_win_fail(win, x->call, class, "target %d", x->rank);
	}
}
