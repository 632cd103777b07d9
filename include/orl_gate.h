/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_gate.h - the gate of a target, and how a single element passes through
 * it: a part of orl_acc.h.
 *
 * A single counts itself in, then looks whether the gate is shut; a shutter
 * shuts it, then looks whether singles are counted in.  At least one of the
 * two must see the other, which takes a full fence on both sides.  While
 * nobody has ever shut the gate, the owner of a slot saves its own: the first
 * shutter has all other cores fenced, and leaves word that from now on
 * singles fence themselves.
 *
 * Slots are of processes; or, where some process of the node has threads, of
 * threads: whichever comes first owns the slot for good, and others that
 * would have the same count in a word beside the owner's.
 */
#ifndef ORL_GATE_H
#define ORL_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "orl_progress.h"
#include "orl_util.h"

/*
 * The gate of one target of one window: in the target's control block, all
 * zero at first, used by every origin of the node.
 */
#define ORL_GATE_SLOTS 16

/*
 * Bits of orl_target.slot and of passes.  OWN: one thread of one process alone
 * uses the owner's word.  THREADS: each thread looks for its slot, and the rest
 * is the process's number among those of the node.
 */
#define ORL_SLOT_OWN	 0x8000u
#define ORL_SLOT_THREADS 0x4000u
#define ORL_SLOT_SERVER	 (ORL_GATE_SLOTS - 1) /* of handlers, if any */

struct orl_gate {
	_Atomic(uint32_t) shut;	  /* 1 while somebody holds it shut */
	_Atomic(uint32_t) claim;  /* 1 while only one waiter may shut it */
	struct orl_bell bell;	  /* waiters for the gate */
	uint32_t used;		  /* slots that have origins; 0: all.  Set by
				  * the owner, constant */
	_Atomic(uint32_t) fenced; /* singles fence, since somebody has shut
				   * the gate; never reset */
	uint8_t pad[ORL_CACHELINE - 24];
	int64_t box; /* bytes from the gate to where its owner takes elements,
		      * delegate.c; 0: nowhere.  Set by the owner, constant;
		      * not in a line that changes */
	uint8_t pad2[ORL_CACHELINE - 8];
	struct orl_gate_slot {
		_Atomic(uint32_t) own;	   /* 1: the owner's is under way */
		_Atomic(uint32_t) singles; /* under way, by all others */
		_Atomic(uint32_t) owner;   /* of a thread's slot, once: by that
					    * thread; or as the target's owner
					    * has kept it for handlers */
		uint8_t pad[ORL_CACHELINE - 12];
	} slots[ORL_GATE_SLOTS];
};
_Static_assert(sizeof(struct orl_gate) == 18 * ORL_CACHELINE, "shared layout");

/* Bits of the bell: waiters for the gate to open, for singles to leave. */
#define GATE_OPEN  1u
#define GATE_DRAIN 2u

/* A slot that no thread has yet becomes the caller's: false, another was
 * faster, or the caller has no number of its own. */
bool orl_gate_claim_slot(struct orl_gate_slot *slot, uint32_t thread,
			 uint32_t claimant) ORL_COLD;

/* Consecutive threads have different slots.  The slot, OWN if it is theirs. */
static inline unsigned int orl_gate_find_slot(struct orl_gate *gate,
					      unsigned int process)
{
	const uint32_t thread = orl_thread_number();
	/* Of no other thread of the node; never 0, for THREADS is set. */
	const uint32_t me = process * (ORL_THREADS + 1) + thread;
	const unsigned int at = (process + thread) % ORL_GATE_SLOTS;
	struct orl_gate_slot *slot = &gate->slots[at];
	uint32_t owner =
		atomic_load_explicit(&slot->owner, memory_order_relaxed);

	if (orl_likely(owner == me) ||
	    (!owner && orl_gate_claim_slot(slot, thread, me)))
		return at | ORL_SLOT_OWN;
	return at;
}

/*
 * A single that was counted in is done.  Only who holds the gate shut waits
 * for singles.  The owner of a slot saves a locked instruction, of three.
 */
static inline void orl_gate_leave(struct orl_gate *gate, unsigned int pass)
{
	struct orl_gate_slot *slot = &gate->slots[pass % ORL_GATE_SLOTS];

	/* Both release: pair with is_idle(), gate.c. */
	if (pass & ORL_SLOT_OWN)
		atomic_store_explicit(&slot->own, 0, memory_order_release);
	else
		atomic_fetch_sub(&slot->singles, 1);
	/* A look after the store, as orl_bell_ring's own. */
	atomic_signal_fence(memory_order_seq_cst);
	if (orl_unlikely(
		    atomic_load_explicit(&gate->shut, memory_order_relaxed)))
		orl_bell_ring(&gate->bell, GATE_DRAIN);
}

static inline void orl_gate_count_in(struct orl_gate *gate, unsigned int pass)
{
	struct orl_gate_slot *slot = &gate->slots[pass % ORL_GATE_SLOTS];

	if (orl_unlikely(!(pass & ORL_SLOT_OWN))) {
		atomic_fetch_add(&slot->singles, 1);
		return;
	}
	atomic_store_explicit(&slot->own, 1, memory_order_relaxed);
	/* The compiler keeps the order; the core does if it must. */
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&gate->fenced, memory_order_relaxed))
		atomic_exchange(&slot->own, 1); /* cheaper than a fence */
}

/*
 * A pass: the caller may work on elements by CPU atomics, then leaves with it.
 * Below 0: the gate was shut; the caller has to shut it itself.
 */
static inline int orl_gate_enter(struct orl_gate *gate, unsigned int slot)
{
	if (orl_unlikely(slot & ORL_SLOT_THREADS))
		slot = orl_gate_find_slot(gate, slot);
	orl_gate_count_in(gate, slot);
	/* Sequentially consistent: pairs with orl_gate_try. */
	if (orl_likely(!atomic_load(&gate->shut)))
		return (int)slot;
	orl_gate_leave(gate, slot);
	return -1;
}

#endif
