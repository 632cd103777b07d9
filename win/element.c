/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - MPI_Fetch_and_op and MPI_Compare_and_swap: one element of a
 * predefined type.  Where a CPU atomic does, it is reached by the fewest
 * steps; all else, errors too, is found out again from the beginning.
 */
#include "place.h"

/* -- any element ----------------------------------------------------------- */

static int check_one(struct orl_win *win, const struct orl_xacc *x, unsigned op,
		     const struct orl_type **type, struct orl_place *place)
{
	int rc = orl_type_find(x->xfer.ttype, type);

	rc = rc ? rc : orl_place_call(win, &x->xfer);
	if (rc)
		return rc;
	if (!orl_type_is_basic(*type))
		return MPI_ERR_TYPE;
	if (!orl_op_fits(op, (*type)->kind))
		return op == ORL_OP_CAS ? MPI_ERR_TYPE : MPI_ERR_OP;
	return orl_place_target(win, &x->xfer, *type, place);
}

static struct orl_acc one(struct orl_win *win, const struct orl_xacc *x,
			  enum orl_op op, enum orl_kind kind)
{
	return (struct orl_acc){ .op = op,
				 .kind = kind,
				 .count = 1,
				 .origin = x->xfer.origin,
				 .result = x->result,
				 .layout = NULL,
				 .items = 1,
				 .domain = &win->domain,
				 .lasting = true,
				 .alike = false };
}

int orl_fetch_any(struct orl_win *win, const struct orl_xacc *x)
{
	const struct orl_type *type;
	struct orl_place place;
	struct orl_acc acc;
	enum orl_op op;
	int rc = orl_op_find(x->op, &op);

	rc = rc ? rc : check_one(win, x, op, &type, &place);
	if (rc)
		return orl_accumulate_fail(win, x, rc);
	acc = one(win, x, op, type->kind);
	orl_win_note_store(win);
	rc = orl_likely(!win->nic) ? orl_acc_one(&place, &acc)
				   : orl_nic_accumulate(win, &place, &acc);
	rc = rc ? rc : orl_accumulate_finish(win, x, &place);
	return orl_likely(!rc) ? MPI_SUCCESS : orl_accumulate_fail(win, x, rc);
}

int orl_swap_any(struct orl_win *win, const struct orl_xacc *x,
		 const void *compare)
{
	const struct orl_type *type;
	struct orl_place place;
	struct orl_acc acc;
	int rc = check_one(win, x, ORL_OP_CAS, &type, &place);

	if (rc)
		return orl_accumulate_fail(win, x, rc);
	/* The operation does not count. */
	acc = one(win, x, ORL_REPLACE, type->kind);
	orl_win_note_store(win);
	rc = orl_likely(!win->nic)
		     ? orl_acc_cas(&place, &acc, compare)
		     : orl_nic_compare(win, &place, &acc, compare);
	rc = rc ? rc : orl_accumulate_finish(win, x, &place);
	return orl_likely(!rc) ? MPI_SUCCESS : orl_accumulate_fail(win, x, rc);
}

static __attribute__((noinline)) int fetch_other(struct orl_win *win,
						 const struct orl_xone *x)
{
	const struct orl_xacc any = orl_xone_any(x, "MPI_Fetch_and_op");

	return orl_fetch_any(win, &any);
}

static __attribute__((noinline)) int swap_other(struct orl_win *win,
						const struct orl_xone *x,
						const void *compare)
{
	const struct orl_xacc any = orl_xone_any(x, "MPI_Compare_and_swap");

	return orl_swap_any(win, &any, compare);
}

/* -- a native one: all of it in registers ---------------------------------- */

/*
 * While ranks contend for an element, each has its line for as long as it
 * takes the others to get it: what counts is how little a call does, above
 * all how little it stores, before the next one.
 */
static inline struct orl_target *find_native(const struct orl_win *win,
					     const struct orl_xone *x,
					     const struct orl_type *type,
					     uint64_t *addr)
{
	struct orl_target *target;

	if (orl_unlikely(!ORL_ATOMIC_FENCES || !type || win->nic ||
			 !orl_type_is_basic(type) ||
			 (uint32_t)x->rank >= win->size))
		return NULL;
	target = &win->targets[x->rank];
	if (orl_unlikely(
		    !target->path->native || !orl_epoch_is_open(win, target) ||
		    !orl_place_range(win, target, x->disp, type->size, addr)))
		return NULL;
	return target;
}

int orl_win_fetch_and_op(struct orl_win *win, const struct orl_xone *x)
{
	const struct orl_type *type = orl_type_cached(x->type);
	struct orl_target *target;
	enum orl_op op;
	uint64_t addr;

	target = find_native(win, x, type, &addr);
	if (orl_likely(target && !orl_op_find(x->op, &op) &&
		       orl_acc_native(target, addr, op, type->kind, x->origin,
				      x->result)))
		return MPI_SUCCESS;
	return fetch_other(win, x);
}

int orl_win_compare_and_swap(struct orl_win *win, const struct orl_xone *x,
			     const void *compare)
{
	const struct orl_type *type = orl_type_cached(x->type);
	struct orl_target *target;
	uint64_t addr;

	target = find_native(win, x, type, &addr);
	if (orl_likely(target && orl_op_fits(ORL_OP_CAS, type->kind) &&
		       orl_acc_native_cas(target, addr, type->kind, x->origin,
					  compare, x->result)))
		return MPI_SUCCESS;
	return swap_other(win, x, compare);
}
