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
 * In windows that span nodes, some kinds may be the network's own instead,
 * for all origins, of the target's node too (struct orl_acc_domain).
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

#include "orl_gate.h"
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

extern const MPI_Op orl_op_handles[ORL_OP_COUNT];

/* The operation of a handle: 0, or MPI_ERR_OP for any other handle. */
static inline int orl_op_find(MPI_Op handle, enum orl_op *op)
{
	unsigned int i;

	for (i = 0; i < ORL_OP_COUNT; i++) {
		if (orl_op_handles[i] == handle) {
			*op = (enum orl_op)i;
			return 0;
		}
	}
	return MPI_ERR_OP;
}
/* In masks of operations the bit after theirs is MPI_Compare_and_swap. */
#define ORL_OP_CAS  ORL_OP_COUNT
#define ORL_OPS_ALL ((2u << ORL_OP_CAS) - 1)

/* By class, a mask: the operations that are defined on its kinds. */
extern const uint32_t orl_op_classes[ORL_CLASS_COUNT];

/* Is the operation, or ORL_OP_CAS, defined on the kind? */
static inline bool orl_op_fits(unsigned op, enum orl_kind kind)
{
	return orl_op_classes[orl_kinds[kind].class] >> op & 1;
}

/* -- who executes: the same on all ranks of a window ----------------------- */

/* What the info keys of a window say about its accumulates. */
struct orl_acc_hints {
	uint32_t ops;	   /* those that will be used; which_accumulate_ops */
	uint32_t ordering; /* ORL_ORDER_...; accumulate_ordering */
	bool same_op;	   /* never two at once on one element, not even a
			       * NO_OP; accumulate_ops */
	bool single;	   /* of one element; acc_single_intrinsic */
	uint64_t granularity; /* bytes that one accumulate keeps others from at
			       * a time, 0: as we like;
			       * mpi_accumulate_granularity */
};

enum orl_agent {
	ORL_AGENT_ATOMIC, /* CPU atomics */
	ORL_AGENT_LOCKED, /* this CPU, with the gate shut */
	ORL_AGENT_OWNER,  /* the target's process, by records, or delegated */
	ORL_AGENT_NIC,	  /* the network's atomics */
	ORL_AGENT_COUNT
};

/*
 * hints and nic are constant after creation.  counts are of the calls of this
 * process by who executed them, but for single elements by CPU atomics, on
 * whose way nothing is counted; with threads some may be lost.
 */
struct orl_acc_domain {
	struct orl_acc_hints hints;
	/* By kind, the operations that are the network's, on aligned
	 * elements; all zero in most windows. */
	uint16_t nic[ORL_KIND_COUNT];
	uint64_t counts[ORL_AGENT_COUNT];
};

static inline void orl_acc_count(struct orl_acc_domain *domain,
				 enum orl_agent agent)
{
	uint64_t *count = &domain->counts[agent];

	__atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + 1,
			 __ATOMIC_RELAXED);
}

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
	struct orl_acc_domain *domain; /* NULL: whatever is the default */
	bool lasting; /* origin stays as it is until the path's finish */
	bool alike;   /* origin is no array: it is laid out as the target is,
		       * each element as far from it as from the place's
		       * address; with a layout, on a mapped path */
};
_Static_assert(sizeof(struct orl_acc) == ORL_CACHELINE, "cheap to fill");

/*
 * Applies it: 0 or -errno.  Complete at target and origin on return, but on
 * a remote path: there the operands may be reused, and the rest is complete
 * after the path's finish and flush.
 */
int orl_acc_issue(const struct orl_place *place, const struct orl_acc *acc);

/* orl_acc_issue for one element, contiguous. */
int orl_acc_one(const struct orl_place *place, const struct orl_acc *acc);

/* Is a CPU atomic a full fence, but for a REPLACE that fetches nothing? */
#ifdef __x86_64__
#define ORL_ATOMIC_FENCES true
#else
#define ORL_ATOMIC_FENCES false
#endif

/*
 * MPI_Compare_and_swap of one element (bits are compared): 0 or -errno.
 * Kinds: integer, logical, byte and opaque ones.  The operation does not
 * count.
 */
int orl_acc_cas(const struct orl_place *place, const struct orl_acc *acc,
		const void *compare);

/*
 * From now on single elements of this process's memory, which others of the
 * node do not map, may be delegated to it by the gate's users: while it polls
 * it executes them, in half the time that the kernel's copies take.
 * Without memory for it they are not.
 */
void orl_acc_take(struct orl_gate *gate);

/* -- the network's atomics ------------------------------------------------- */

/* Elements that one atomic takes, 0: there is no such; orl_fabric's. */
typedef size_t (*orl_nic_most_fn)(enum orl_kind kind,
				  enum orl_fabric_verb verb);
/*
 * The operations on the kind that are the network's, by the hints and by what
 * it offers.
 */
uint32_t orl_domain_nic(enum orl_kind kind, const struct orl_acc_hints *hints,
			orl_nic_most_fn most);

/* Is it the network's, if the address is aligned? */
static inline bool orl_acc_is_nic(const struct orl_acc_domain *domain,
				  enum orl_kind kind, unsigned op)
{
	return domain->nic[kind] >> op & 1;
}

/*
 * For what is the network's, on any target, by a link to it.  0 or -errno.
 * Complete, with the result here, when the link has no transfers under way.
 * In a layout, runs that are not aligned go as by orl_acc_issue.  A
 * compare-and-swap has its operands in acc, of which op does not count.
 */
int orl_nic_issue(struct orl_link *link, const struct orl_place *place,
		  const struct orl_acc *acc);
int orl_nic_cas(struct orl_link *link, const struct orl_place *place,
		const struct orl_acc *acc, const void *compare);

/* Installs the handlers by which this rank serves others.  Once. */
void orl_acc_serve(void);
/* What was kept for other nodes, before the network is closed. */
void orl_acc_end(void);

/* -- kernels: plain code for elements nobody else touches meanwhile -------- */

/* target[i] = target[i] op origin[i]; NULL where the op does not fit. */
typedef void (*orl_kernel_fn)(void *target, const void *origin, size_t n);
orl_kernel_fn orl_kernel(enum orl_op op, enum orl_kind kind);
/* The instruction set that they were compiled for: "avx512", "avx2", "base". */
const char *orl_kernel_set(void);

/*
 * One element, aligned, of 1, 2, 4 or 8 bytes, as one CPU atomic (or a loop
 * of compare-exchange): the value before goes to *result if not NULL.
 */
typedef void (*orl_single_fn)(void *target, const void *origin, void *result);
extern const orl_single_fn orl_singles[ORL_KIND_COUNT][ORL_OP_COUNT];

/* NULL where there is none. */
static inline orl_single_fn orl_single(enum orl_op op, enum orl_kind kind)
{
	return orl_singles[kind][op];
}

/* *result becomes the value before; compares bits. */
typedef void (*orl_cas_fn)(void *target, const void *origin,
			   const void *compare, void *result);
/* By size in bytes: 1, 2, 4 and 8, else NULL. */
extern const orl_cas_fn orl_single_cas[9];

/* -- one native element: the fast way -------------------------------------- */

static inline bool orl_acc_is_aligned(uint64_t addr, enum orl_kind kind)
{
	return !(addr & (orl_kinds[kind].extent - 1));
}

/*
 * By one CPU atomic, on a path that is native.  False, and nothing has been
 * done: the element is not, or the operation is not defined on its kind, or
 * the gate is shut.
 */
static inline bool orl_acc_native(const struct orl_target *target,
				  uint64_t addr, enum orl_op op,
				  enum orl_kind kind, const void *origin,
				  void *result)
{
	const orl_single_fn single = orl_single(op, kind);
	int pass;

	if (orl_unlikely(!single || !orl_acc_is_aligned(addr, kind)))
		return false;
	pass = orl_gate_enter(target->gate, target->slot);
	if (orl_unlikely(pass < 0))
		return false;
	single((void *)(uintptr_t)(addr + (uint64_t)target->delta), origin,
	       result);
	orl_gate_leave(target->gate, (unsigned int)pass);
	return true;
}

/* The same of a compare-and-swap. */
static inline bool orl_acc_native_cas(const struct orl_target *target,
				      uint64_t addr, enum orl_kind kind,
				      const void *origin, const void *compare,
				      void *result)
{
	const size_t size = orl_kinds[kind].extent;
	int pass;

	if (orl_unlikely(size > 8 || !orl_acc_is_aligned(addr, kind)))
		return false;
	pass = orl_gate_enter(target->gate, target->slot);
	if (orl_unlikely(pass < 0))
		return false;
	orl_single_cas[size](
		(void *)(uintptr_t)(addr + (uint64_t)target->delta), origin,
		compare, result);
	orl_gate_leave(target->gate, (unsigned int)pass);
	return true;
}

#endif
