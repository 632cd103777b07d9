/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.c - shutting and opening the gate of a target, and who owns a slot.
 *
 * Whoever comes first after the gate opened shuts it, and that is mostly one
 * who is running: handing it on in the order of arrival would give it to
 * waiters whose core is busy with something else.  Lest anyone starve, a
 * waiter that has lost often lays a claim, and the others then hold back.
 */
#include "gate.h"

#include <unistd.h>

#define FENCE_US 10000
#define PATIENCE 100 /* attempts before a waiter claims the gate */

struct waiter {
	struct orl_gate *gate;
	unsigned int attempts;
	bool has_claim;
	bool has_shut;
};

static bool try_claim(struct orl_gate *gate)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(&gate->claim, &free, 1,
						       memory_order_relaxed,
						       memory_order_relaxed);
}

/* One attempt; orl_wait_brief may ask again after it succeeded. */
static bool attempt(void *arg)
{
	struct waiter *me = arg;

	if (me->has_shut)
		return true;
	if (me->has_claim || !orl_gate_is_claimed(me->gate))
		me->has_shut = orl_gate_try(me->gate);
	if (me->has_shut)
		return true;
	if (!me->has_claim && ++me->attempts > PATIENCE)
		me->has_claim = try_claim(me->gate);
	return false;
}

void orl_gate_wait(struct orl_gate *gate)
{
	struct waiter me = { .gate = gate };

	orl_wait_brief(&gate->bell, GATE_OPEN, attempt, &me);
	if (me.has_claim)
		atomic_store_explicit(&gate->claim, 0, memory_order_relaxed);
}

/* No single passes unseen between the two. */
static void fence_singles(struct orl_gate *gate)
{
	atomic_store(&gate->fenced, 1);
	/* Refused since the window was made?  No store stays hidden so long. */
	if (!orl_fence_others())
		usleep(FENCE_US);
}

static bool is_idle(void *arg)
{
	_Atomic(uint32_t) *singles = arg;

	/* Acquires what the singles did before orl_gate_leave. */
	return !atomic_load(singles);
}

static void wait_until_idle(struct orl_gate *gate, _Atomic(uint32_t) *singles)
{
	if (!is_idle(singles))
		orl_wait_brief(&gate->bell, GATE_DRAIN, is_idle, singles);
}

void orl_gate_drain(struct orl_gate *gate)
{
	unsigned int i;

	if (!atomic_load_explicit(&gate->fenced, memory_order_relaxed))
		fence_singles(gate);
	for (i = 0; i < orl_gate_slots(gate); i++) {
		wait_until_idle(gate, &gate->slots[i].own);
		wait_until_idle(gate, &gate->slots[i].singles);
	}
}

bool orl_gate_claim_slot(struct orl_gate_slot *slot, uint32_t thread,
			 uint32_t claimant)
{
	uint32_t nobody = 0;

	return thread < ORL_THREADS &&
	       atomic_compare_exchange_strong_explicit(
		       &slot->owner, &nobody, claimant, memory_order_relaxed,
		       memory_order_relaxed);
}
