/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acc.c - the entries of the accumulate family: a few native elements are
 * worked on here, by CPU atomics inside a pass through the gate; remote
 * targets are owner.c's; other single elements are delegated, if their owner
 * polls; all else is locked.c's.
 */
#include "orl_acc.h"

#include "delegate.h"
#include "gate.h"
#include "locked.h"
#include "owner.h"

static void count(const struct orl_acc *acc, enum orl_agent agent)
{
	if (acc->domain)
		orl_acc_count(acc->domain, agent);
}

/* One element that no CPU atomic does; compare is NULL, or a swap's. */
static ORL_COLD int other_one(const struct orl_place *place,
			      const struct orl_acc *acc, const void *compare)
{
	if (place->path->remote) {
		count(acc, ORL_AGENT_OWNER);
		return compare ? orl_owner_cas(place, acc->kind, acc->origin,
					       compare, acc->result)
			       : orl_owner_one(place, acc);
	}
	if (orl_delegate(place, acc, compare)) {
		count(acc, ORL_AGENT_OWNER);
		return 0;
	}
	count(acc, ORL_AGENT_LOCKED);
	return compare ? orl_locked_cas(place, acc, compare)
		       : orl_locked_one(place, acc);
}

/* A pass through the gate as a single; below 0: the caller holds it shut. */
static inline int begin(const struct orl_target *target)
{
	int pass = orl_gate_enter(target->gate, target->slot);

	if (orl_unlikely(pass < 0))
		orl_gate_shut(target->gate);
	return pass;
}

static inline void end(const struct orl_target *target, int pass)
{
	if (orl_likely(pass >= 0))
		orl_gate_leave(target->gate, (unsigned int)pass);
	else
		orl_gate_open(target->gate);
}

int orl_acc_one(const struct orl_place *place, const struct orl_acc *acc)
{
	orl_single_fn single = orl_single(acc->op, acc->kind);
	int pass;

	if (orl_unlikely(!place->path->native || !single ||
			 !orl_acc_is_aligned(place->addr, acc->kind)))
		return other_one(place, acc, NULL);
	pass = begin(place->target);
	single(orl_place_here(place, place->addr), acc->origin, acc->result);
	end(place->target, pass);
	return 0;
}

/* -- a few elements -------------------------------------------------------- */

/* Is every element of the layout aligned to its size? */
static bool is_layout_aligned(const struct orl_place *place,
			      const struct orl_acc *acc)
{
	struct orl_cursor cursor;
	ptrdiff_t off;

	orl_cursor_elements(&cursor, acc->layout, acc->items);
	while (orl_cursor_next(&cursor, acc->count, &off)) {
		if (!orl_acc_is_aligned(place->addr + off, acc->kind))
			return false;
	}
	return true;
}

/*
 * So many that it is worth keeping others out; but no more of them at a time
 * than the program wants.
 */
static bool is_bulk(const struct orl_acc *acc)
{
	uint64_t most = acc->domain ? acc->domain->hints.granularity : 0;

	if (acc->domain && acc->domain->hints.single)
		return false;
	if (most &&
	    most / orl_kinds[acc->kind].extent < (uint64_t)orl_options.bulk)
		return false;
	return (long)acc->count >= orl_options.bulk;
}

static bool can_single(const struct orl_place *place, const struct orl_acc *acc)
{
	if (!place->path->native || is_bulk(acc) ||
	    !orl_single(acc->op, acc->kind))
		return false;
	if (acc->layout)
		return is_layout_aligned(place, acc);
	return orl_acc_is_aligned(place->addr, acc->kind);
}

/* Of n elements in a row: the operands, or NULL, and where the result goes. */
static void single_block(const struct orl_acc *acc, unsigned char *target,
			 const unsigned char *origin, unsigned char *result,
			 size_t n)
{
	orl_single_fn single = orl_single(acc->op, acc->kind);
	const size_t extent = orl_kinds[acc->kind].extent;
	size_t i, at;

	for (i = 0; i < n; i++) {
		at = i * extent;
		single(target + at, origin ? origin + at : NULL,
		       result ? result + at : NULL);
	}
}

/* The block at off of the layout; done elements were before it. */
static void single_layout_block(const struct orl_place *place,
				const struct orl_acc *acc, ptrdiff_t off,
				size_t done, size_t n)
{
	const size_t at = done * orl_kinds[acc->kind].extent;
	/* Not on pointers: it may be MPI_BOTTOM. */
	const uintptr_t origin = (uintptr_t)acc->origin;
	const void *operands = NULL;

	if (acc->op != ORL_NO_OP)
		operands = (void *)(origin + (acc->alike ? (size_t)off : at));
	single_block(acc, orl_place_here(place, place->addr + (uint64_t)off),
		     operands,
		     acc->result ? (unsigned char *)acc->result + at : NULL, n);
}

static void issue_singles(const struct orl_place *place,
			  const struct orl_acc *acc)
{
	int pass = begin(place->target);
	struct orl_cursor cursor;
	size_t n, done = 0;
	ptrdiff_t off;

	if (!acc->layout) {
		single_block(acc, orl_place_here(place, place->addr),
			     acc->origin, acc->result, acc->count);
	} else {
		orl_cursor_elements(&cursor, acc->layout, acc->items);
		for (; done < acc->count; done += n) {
			n = orl_cursor_next(&cursor, acc->count - done, &off);
			single_layout_block(place, acc, off, done, n);
		}
	}
	end(place->target, pass);
}

int orl_acc_issue(const struct orl_place *place, const struct orl_acc *acc)
{
	if (!acc->count || (acc->op == ORL_NO_OP && !acc->result))
		return 0;
	if (place->path->remote) {
		count(acc, ORL_AGENT_OWNER);
		return orl_owner_issue(place, acc);
	}
	if (!can_single(place, acc)) {
		count(acc, ORL_AGENT_LOCKED);
		return orl_locked_issue(place, acc);
	}
	count(acc, ORL_AGENT_ATOMIC);
	issue_singles(place, acc);
	return 0;
}

/* -- compare-and-swap ------------------------------------------------------ */

int orl_acc_cas(const struct orl_place *place, const struct orl_acc *acc,
		const void *compare)
{
	const size_t size = orl_kinds[acc->kind].extent;
	int pass;

	if (orl_unlikely(!place->path->native || size > 8 ||
			 !orl_acc_is_aligned(place->addr, acc->kind)))
		return other_one(place, acc, compare);
	pass = begin(place->target);
	orl_single_cas[size](orl_place_here(place, place->addr), acc->origin,
			     compare, acc->result);
	end(place->target, pass);
	return 0;
}
