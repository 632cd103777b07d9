/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.h - passing through a gate, and shutting it: the parts that are on
 * the way of single elements are inline.
 *
 * The gate is a queue of tickets: it is open when next == turn.  Shutters,
 * and singles that found it shut, get their turn in the order they came, so
 * nobody starves.
 *
 * A single counts itself in, then looks whether the gate is open; a shutter
 * takes a ticket, then looks whether singles are counted in.  All four are
 * sequentially consistent, so at least one of the two sees the other.
 */
#ifndef GATE_H
#define GATE_H

#include "orl_acc.h"
#include "orl_util.h"

/* The bit of the bell for shutters that wait for singles to leave. */
#define GATE_DRAIN (1u << 31)

static inline bool orl_gate_is_open(struct orl_gate *gate)
{
	/*
	 * next first: nobody was in front of the turn read afterwards, and
	 * whoever takes a ticket later than that sees us counted in.
	 */
	uint32_t next = atomic_load(&gate->next);

	return next == atomic_load(&gate->turn);
}

/* A single that was counted in is done. */
static inline void orl_gate_leave(struct orl_gate *gate, unsigned int slot)
{
	/* Sequentially consistent: pairs with is_idle(), gate.c. */
	atomic_fetch_sub(&gate->slots[slot].singles, 1);
	if (orl_unlikely(!orl_gate_is_open(gate)))
		orl_bell_ring(&gate->bell, GATE_DRAIN);
}

/*
 * True: the caller may work on one element by a CPU atomic, then leaves.
 * False: the gate was shut; the caller has to shut it itself.
 */
static inline bool orl_gate_enter(struct orl_gate *gate, unsigned int slot)
{
	atomic_fetch_add(&gate->slots[slot].singles, 1);
	if (orl_likely(orl_gate_is_open(gate)))
		return true;
	orl_gate_leave(gate, slot);
	return false;
}

/* The halves of orl_gate_shut; without the second, singles may be inside. */
void orl_gate_take(struct orl_gate *gate);
void orl_gate_drain(struct orl_gate *gate);

/* Does anyone wait for the caller, who holds the gate, to open it? */
static inline bool orl_gate_is_wanted(struct orl_gate *gate)
{
	return atomic_load_explicit(&gate->next, memory_order_relaxed) -
		       atomic_load_explicit(&gate->turn, memory_order_relaxed) >
	       1;
}

#endif
