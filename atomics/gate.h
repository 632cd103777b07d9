/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.h - passing through a gate, and shutting it: what is on the way of
 * single elements is inline.
 *
 * A single counts itself in, then looks whether the gate is shut; a shutter
 * shuts it, then looks whether singles are counted in.  At least one of the
 * two must see the other, which takes a full fence on both sides.  While
 * nobody has ever shut the gate, the owner of a slot saves its own: the first
 * shutter has all other cores fenced, and leaves word that from now on
 * singles fence themselves.
 */
#ifndef GATE_H
#define GATE_H

#include "orl_acc.h"
#include "orl_util.h"

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

/* Has anyone waited long for the caller to open the gate? */
static inline bool orl_gate_is_claimed(struct orl_gate *gate)
{
	return atomic_load_explicit(&gate->claim, memory_order_relaxed);
}

static inline bool orl_gate_try(struct orl_gate *gate)
{
	uint32_t open = 0;

	/*
	 * Sequentially consistent: pairs with orl_gate_enter; acquires what
	 * was done before the store in orl_gate_open.
	 */
	return !atomic_load_explicit(&gate->shut, memory_order_relaxed) &&
	       atomic_compare_exchange_strong(&gate->shut, &open, 1);
}

static inline unsigned int orl_gate_slots(const struct orl_gate *gate)
{
	return gate->used ? gate->used : ORL_GATE_SLOTS;
}

/* Are no singles under way?  Only to be believed where singles fence. */
static inline bool orl_gate_is_drained(struct orl_gate *gate)
{
	const unsigned int slots = orl_gate_slots(gate);
	uint32_t singles = 0;
	unsigned int i;

	for (i = 0; i < slots; i++)
		singles |= atomic_load(&gate->slots[i].singles);
	return !singles &&
	       atomic_load_explicit(&gate->fenced, memory_order_relaxed);
}

/* The slow halves of orl_gate_shut. */
void orl_gate_wait(struct orl_gate *gate) ORL_COLD;
void orl_gate_drain(struct orl_gate *gate) ORL_COLD;

/* Keeps all others out: on return the caller alone works on elements. */
static inline void orl_gate_shut(struct orl_gate *gate)
{
	if (orl_unlikely(orl_gate_is_claimed(gate) || !orl_gate_try(gate)))
		orl_gate_wait(gate);
	if (orl_unlikely(!orl_gate_is_drained(gate)))
		orl_gate_drain(gate);
}

static inline void orl_gate_open(struct orl_gate *gate)
{
	/* Releases what was done with the gate shut: to orl_gate_try. */
	atomic_store_explicit(&gate->shut, 0, memory_order_release);
	orl_bell_ring(&gate->bell, GATE_OPEN);
}

#endif
