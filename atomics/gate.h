/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.h - shutting the gate, see orl_gate.h. */
#ifndef GATE_H
#define GATE_H

#include "orl_acc.h"
#include "orl_gate.h"

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
		singles |= atomic_load(&gate->slots[i].own) |
			   atomic_load(&gate->slots[i].singles);
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
