/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_move.c - a call that has moved data, taken apart into the stripes of
 * its target ranges and of its local buffers, which are noted as long as the
 * standard has them in use.
 */
#include "check_parts.h"

#include <string.h>

/* Of one call; of a layout that is more irregular the rest is not seen. */
#define MOST 64

struct stripes {
	struct orl_stripe local[MOST], target[MOST];
	unsigned n;
};

struct side {
	const void *buf;
	int64_t count;
	MPI_Datatype type;
};

/* From the target's base, or in dynamic windows its address. */
static uint64_t target_at(const struct orl_win *win, const struct orl_xfer *x)
{
	uint64_t unit = win->dynamic ? 1 : win->targets[x->rank].disp_unit;

	return (uint64_t)x->disp * unit;
}

/* The bytes that are moved between a local buffer and the target. */
static void walk(const struct orl_win *win, const struct orl_xfer *x,
		 const struct side *side, struct stripes *stripes)
{
	uint64_t at = target_at(win, x), buf = (uint64_t)side->buf;
	const struct orl_type *type, *ttype;
	struct orl_cursor local, target;
	struct orl_steps s;

	stripes->n = 0;
	if (orl_type_find(side->type, &type) ||
	    orl_type_find(x->ttype, &ttype) || !side->count || !x->tcount)
		return;
	orl_cursor_bytes(&local, type, (size_t)side->count);
	orl_cursor_bytes(&target, ttype, (size_t)x->tcount);
	while (orl_cursor_steps(&local, &target, &s)) {
		if (stripes->n == MOST) {
			orl_check_lost();
			return;
		}
		stripes->local[stripes->n] = orl_stripe_make(
			buf + (uint64_t)s.a, s.len, s.n, s.a_stride);
		stripes->target[stripes->n++] = orl_stripe_make(
			at + (uint64_t)s.b, s.len, s.n, s.b_stride);
	}
}

static enum orl_check_mode mode_of(const struct orl_win *win)
{
	switch (orl_epoch_of(win)) {
	case ORL_EPOCH_START:
		return ORL_CHECK_START;
	case ORL_EPOCH_LOCK:
	case ORL_EPOCH_LOCK_ALL:
		return ORL_CHECK_PASSIVE;
	default:
		return ORL_CHECK_FENCE;
	}
}

/* -- the target's side ----------------------------------------------------- */

static uint8_t kind_of(const struct orl_xfer *x)
{
	const struct orl_type *type;

	return orl_type_find(x->ttype, &type) || type->kind == ORL_MIXED
		       ? ORL_BYTE
		       : (uint8_t)type->kind;
}

static void note_target(struct orl_win *win, const struct orl_move *move,
			const struct stripes *stripes, const char *place)
{
	const struct orl_xfer *x = move->x;
	struct orl_access accesses[MOST];
	struct orl_access access = {
		.target = (uint32_t)x->rank,
		.origin = win->rank,
		.mode = (uint8_t)mode_of(win),
		.what = (uint8_t)move->what,
		.op = move->op,
		.kind = kind_of(x),
	};
	unsigned i;

	if (access.mode == ORL_CHECK_FENCE)
		access.epoch = win->check->fences;
	snprintf(access.call, sizeof(access.call), "%s", x->call);
	snprintf(access.place, sizeof(access.place), "%s", place);
	for (i = 0; i < stripes->n; i++) {
		access.where = stripes->target[i];
		accesses[i] = access;
	}
	/* Its request, which is not seen here, completes a read. */
	orl_access_note(win, accesses, stripes->n,
			!(x->request && orl_access_is_read(&access)));
}

/* -- the local side -------------------------------------------------------- */

/* Where a put in one block is in mapped memory; an origin that overlaps itself
 * is shorter. */
static uint64_t stored_at(const struct orl_win *win, const struct orl_xfer *x,
			  const struct stripes *stripes)
{
	const struct orl_target *target = &win->targets[x->rank];

	if (win->dynamic || !target->path->mapped || stripes->n != 1 ||
	    stripes->local[0].n != 1 || stripes->target[0].n != 1 ||
	    stripes->local[0].len != stripes->target[0].len)
		return 0;
	return target->base + stripes->target[0].at + (uint64_t)target->delta;
}

/* A result that is not there yet cannot be looked at. */
static bool is_there(struct orl_win *win, const struct orl_xfer *x)
{
	struct orl_target *target = &win->targets[x->rank];

	return !target->path->remote && !win->nic &&
	       !target->path->finish(target);
}

static void note_local(struct orl_win *win, const struct orl_move *move,
		       const struct stripes *stripes, enum orl_check_part part,
		       const char *place)
{
	const struct orl_xfer *x = move->x;
	struct orl_buffer buffer = {
		.call = x->call,
		.place = place,
		.target = (uint32_t)x->rank,
		.mode = (uint8_t)mode_of(win),
		.part = (uint8_t)part,
		.summed = part != ORL_CHECK_RESULT || is_there(win, x),
	};

	if (move->what == ORL_CHECK_PUT)
		buffer.stored = stored_at(win, x, stripes);
	for (unsigned i = 0; i < stripes->n; i++) {
		buffer.where = stripes->local[i];
		orl_buffer_note(win, &buffer, !x->request);
	}
}

static bool overlap(const struct stripes *a, const struct stripes *b)
{
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (orl_stripe_meets(&a->local[i], &b->local[k]))
				return true;
	return false;
}

/* -- all of it ------------------------------------------------------------- */

/* Section 11.3.4. */
static bool check_disjoint(const struct orl_win *win,
			   const struct orl_move *move,
			   const struct stripes *origin,
			   const struct stripes *result, const char *place)
{
	if (!overlap(origin, result))
		return true;
	orl_check_report(win, move->x->call, place,
			 "target %d: its origin and result buffers overlap",
			 move->x->rank);
	return false;
}

static void note_compare(struct orl_win *win, const struct orl_move *move,
			 const char *place)
{
	const struct side side = { move->compare, 1, move->x->otype };
	struct stripes stripes;

	walk(win, move->x, &side, &stripes);
	note_local(win, move, &stripes, ORL_CHECK_COMPARE, place);
}

void orl_check_move(struct orl_win *win, const struct orl_move *move)
{
	const struct orl_xfer *x = move->x;
	const struct side origin = { x->origin, x->ocount, x->otype };
	const struct side result = { move->result, move->rcount, move->rtype };
	bool sends = move->what == ORL_CHECK_PUT ||
		     (move->what == ORL_CHECK_ACC && move->op != ORL_NO_OP);
	const char *place = orl_check_place();
	struct stripes out = { .n = 0 }, in = { .n = 0 };

	if (sends)
		walk(win, x, &origin, &out);
	if (move->fetches)
		walk(win, x, &result, &in);
	note_target(win, move, sends ? &out : &in, place);
	if (!check_disjoint(win, move, &out, &in, place))
		return;
	if (sends)
		note_local(win, move, &out, ORL_CHECK_ORIGIN, place);
	if (move->compare)
		note_compare(win, move, place);
	if (move->fetches)
		note_local(win, move, &in, ORL_CHECK_RESULT, place);
}
