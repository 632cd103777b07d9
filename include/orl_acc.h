/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_acc.h - the accumulate family: atomic, element by element, between
 * all calls, origins and paths of one window.
 *
 * Who is atomic to whom.  An element is worked on in one of two ways, a
 * function of its address and size alone, so that all origins agree:
 *
 *   native  size 1, 2, 4 or 8, aligned to it, path->native: a CPU atomic
 *           inside a pass through the gate (a counter that says "a single
 *           is under way"), or, in bulk, plain code that holds the gate shut
 *   locked  all others: always with the gate shut
 *
 * Shutting the gate keeps other shutters out and waits for the singles that
 * are under way; a single that finds the gate shut shuts it itself when its
 * turn comes.  The gate is shut for a bounded time, and who has waited long
 * goes before all others.
 */
#ifndef ORL_ACC_H
#define ORL_ACC_H

#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "orl_path.h"
#include "orl_progress.h"
#include "orl_type.h"

enum orl_op {
	ORL_SUM,
	ORL_PROD,
	ORL_MAX,
	ORL_MIN,
	ORL_LAND,
	ORL_LOR,
	ORL_LXOR,
	ORL_BAND,
	ORL_BOR,
	ORL_BXOR,
	ORL_MINLOC,
	ORL_MAXLOC,
	ORL_REPLACE,
	ORL_NO_OP,
	ORL_OP_COUNT
};

/* The operation of a handle: 0, or MPI_ERR_OP for any other handle. */
int orl_op_find(MPI_Op handle, enum orl_op *op);
/* By class: a bit for each operation that is defined on its kinds. */
extern const uint32_t orl_op_classes[ORL_CLASS_COUNT];

/* Is the operation defined on the kind? */
static inline bool orl_op_fits(enum orl_op op, enum orl_kind kind)
{
	return orl_op_classes[orl_kinds[kind].class] >> op & 1;
}

/*
 * The gate of one target of one window: in the target's control block, all
 * zero at first, used by every origin of the node.
 */
#define ORL_GATE_SLOTS 16

/* Set in orl_target.slot if one thread of one process alone uses the slot. */
#define ORL_SLOT_OWN 0x8000u

struct orl_gate {
	_Atomic(uint32_t) shut;	  /* 1 while somebody holds it shut */
	_Atomic(uint32_t) claim;  /* 1 while only one waiter may shut it */
	struct orl_bell bell;	  /* waiters for the gate */
	uint32_t used;		  /* slots that have origins; 0: all.  Set by
				  * the owner, constant */
	_Atomic(uint32_t) fenced; /* singles fence, since somebody has shut
				   * the gate; never reset */
	uint8_t pad[ORL_CACHELINE - 24];
	struct {
		_Atomic(uint32_t) singles; /* under way, by origins of a slot */
		uint8_t pad[ORL_CACHELINE - 4];
	} slots[ORL_GATE_SLOTS];
};
_Static_assert(sizeof(struct orl_gate) == 17 * ORL_CACHELINE, "shared layout");

/*
 * One operation on elements of one kind.  origin and result are contiguous
 * arrays of count elements (extent apart); origin may be NULL for NO_OP,
 * result NULL where nothing is fetched; they may be equal.
 */
struct orl_acc {
	enum orl_op op;
	enum orl_kind kind;
	size_t count;
	const void *origin;
	void *result;
	const struct orl_type *layout; /* of the target: one item after the
					* other; NULL: contiguous elements */
	size_t items;
	bool lasting; /* origin stays as it is until the path's finish */
};

/*
 * Applies it: 0 or -errno.  Complete at target and origin on return, but on
 * a remote path: there the operands may be reused, and the rest is complete
 * after the path's finish and flush.
 */
int orl_acc_issue(const struct orl_place *place, const struct orl_acc *acc);

/* orl_acc_issue for one element, contiguous: the fast way. */
int orl_acc_one(const struct orl_place *place, const struct orl_acc *acc);

/*
 * MPI_Compare_and_swap of one element (bits are compared): 0 or -errno.
 * Kinds: integer, logical, byte and opaque ones.
 */
int orl_acc_cas(const struct orl_place *place, enum orl_kind kind,
		const void *origin, const void *compare, void *result);

/* Installs the handlers by which this rank serves others.  Once. */
void orl_acc_serve(void);

/* -- kernels: plain code for elements nobody else touches meanwhile -------- */

/* target[i] = target[i] op origin[i]; NULL where the op does not fit. */
typedef void (*orl_kernel_fn)(void *target, const void *origin, size_t n);
orl_kernel_fn orl_kernel(enum orl_op op, enum orl_kind kind);

/*
 * One element, aligned, of 1, 2, 4 or 8 bytes, as one CPU atomic (or a loop
 * of compare-exchange): the value before goes to *result if not NULL.
 */
typedef void (*orl_single_fn)(void *target, const void *origin, void *result);
orl_single_fn orl_single(enum orl_op op, enum orl_kind kind);

#endif
