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

/* Bits of the bell: waiters for the gate to open, for singles to leave. */
#define GATE_OPEN  1u
#define GATE_DRAIN 2u

static inline _Atomic(uint32_t) *orl_gate_singles(struct orl_gate *gate,
						  unsigned int slot)
{
	return &gate->slots[slot % ORL_GATE_SLOTS].singles;
}

/*
 * A single that was counted in is done.  Only who holds the gate shut waits
 * for singles.  The owner of a slot saves a locked instruction, of three.
 */
static inline void orl_gate_leave(struct orl_gate *gate, unsigned int slot)
{
	/* Both release: pair with is_idle(), gate.c. */
	if (slot & ORL_SLOT_OWN)
		atomic_store_explicit(orl_gate_singles(gate, slot), 0,
				      memory_order_release);
	else
		atomic_fetch_sub(orl_gate_singles(gate, slot), 1);
	/* A look after the store, as orl_bell_ring's own. */
	atomic_signal_fence(memory_order_seq_cst);
	if (orl_unlikely(
		    atomic_load_explicit(&gate->shut, memory_order_relaxed)))
		orl_bell_ring(&gate->bell, GATE_DRAIN);
}

static inline void orl_gate_count_in(struct orl_gate *gate, unsigned int slot)
{
	_Atomic(uint32_t) *singles = orl_gate_singles(gate, slot);

	if (orl_unlikely(!(slot & ORL_SLOT_OWN))) {
		atomic_fetch_add(singles, 1);
		return;
	}
	atomic_store_explicit(singles, 1, memory_order_relaxed);
	/* The compiler keeps the order; the core does if it must. */
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&gate->fenced, memory_order_relaxed))
		atomic_exchange(singles, 1); /* cheaper than a fence */
}

/*
 * True: the caller may work on elements by CPU atomics, then leaves.
 * False: the gate was shut; the caller has to shut it itself.
 */
static inline bool orl_gate_enter(struct orl_gate *gate, unsigned int slot)
{
	orl_gate_count_in(gate, slot);
	/* Sequentially consistent: pairs with orl_gate_try. */
	if (orl_likely(!atomic_load(&gate->shut)))
		return true;
	orl_gate_leave(gate, slot);
	return false;
}

#endif
