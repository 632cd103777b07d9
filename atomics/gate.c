/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.c - shutting and opening the gate of a target. */
#include "gate.h"

#define TURN_BITS 31 /* bits of the bell for tickets, the last is GATE_DRAIN */

struct ticket {
	struct orl_gate *gate;
	uint32_t number;
};

static uint32_t ticket_bit(uint32_t number)
{
	return 1u << number % TURN_BITS;
}

static bool is_my_turn(void *arg)
{
	struct ticket *ticket = arg;

	/* Pairs with the addition in orl_gate_open. */
	return atomic_load(&ticket->gate->turn) == ticket->number;
}

static bool is_idle(void *arg)
{
	_Atomic(uint32_t) *singles = arg;

	/*
	 * Pairs with orl_gate_enter, see the top of gate.h, and acquires what
	 * the singles did before orl_gate_leave.
	 */
	return !atomic_load(singles);
}

void orl_gate_take(struct orl_gate *gate)
{
	struct ticket ticket = {
		.gate = gate,
		.number = atomic_fetch_add(&gate->next, 1),
	};

	if (!is_my_turn(&ticket))
		orl_wait(&gate->bell, ticket_bit(ticket.number), is_my_turn,
			 &ticket);
}

void orl_gate_drain(struct orl_gate *gate)
{
	unsigned int i;

	for (i = 0; i < ORL_GATE_SLOTS; i++) {
		if (!is_idle(&gate->slots[i].singles))
			orl_wait(&gate->bell, GATE_DRAIN, is_idle,
				 &gate->slots[i].singles);
	}
}

void orl_gate_shut(struct orl_gate *gate)
{
	orl_gate_take(gate);
	orl_gate_drain(gate);
}

void orl_gate_open(struct orl_gate *gate)
{
	/* Releases what was done meanwhile; before the ring, see orl_bell. */
	uint32_t next = atomic_fetch_add(&gate->turn, 1) + 1;

	orl_bell_ring(&gate->bell, ticket_bit(next));
}
