/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.c - shutting and opening the gate of a target.
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

static bool try_shut(struct orl_gate *gate)
{
	uint32_t open = 0;

	/*
	 * Sequentially consistent: pairs with orl_gate_enter; acquires what
	 * was done before the store in orl_gate_open.
	 */
	return !atomic_load_explicit(&gate->shut, memory_order_relaxed) &&
	       atomic_compare_exchange_strong(&gate->shut, &open, 1);
}

static bool try_claim(struct orl_gate *gate)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(&gate->claim, &free, 1,
						       memory_order_relaxed,
						       memory_order_relaxed);
}

/* One attempt; orl_wait may ask again after it succeeded. */
static bool attempt(void *arg)
{
	struct waiter *me = arg;

	if (me->has_shut)
		return true;
	if (me->has_claim || !orl_gate_is_claimed(me->gate))
		me->has_shut = try_shut(me->gate);
	if (me->has_shut)
		return true;
	if (!me->has_claim && ++me->attempts > PATIENCE)
		me->has_claim = try_claim(me->gate);
	return false;
}

static ORL_COLD void wait_and_shut(struct orl_gate *gate)
{
	struct waiter me = { .gate = gate };

	orl_wait(&gate->bell, GATE_OPEN, attempt, &me);
	if (me.has_claim)
		atomic_store_explicit(&gate->claim, 0, memory_order_relaxed);
}

void orl_gate_take(struct orl_gate *gate)
{
	if (orl_unlikely(orl_gate_is_claimed(gate) || !try_shut(gate)))
		wait_and_shut(gate);
}

static bool is_idle(void *arg)
{
	_Atomic(uint32_t) *singles = arg;

	/*
	 * Pairs with orl_gate_enter; acquires what the singles did before
	 * orl_gate_leave.
	 */
	return !atomic_load(singles);
}

/* Sequentially consistent: no single passes unseen between the two. */
static ORL_COLD void fence_singles(struct orl_gate *gate)
{
	atomic_store(&gate->fenced, 1);
	/* Refused since the window was made?  No store stays hidden so long. */
	if (!orl_fence_others())
		usleep(FENCE_US);
}

void orl_gate_drain(struct orl_gate *gate)
{
	const unsigned int used = gate->used ? gate->used : ORL_GATE_SLOTS;
	unsigned int i;

	if (orl_unlikely(!atomic_load_explicit(&gate->fenced,
					       memory_order_relaxed)))
		fence_singles(gate);
	for (i = 0; i < used; i++) {
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
	/* Releases what was done with the gate shut: to try_shut. */
	atomic_store_explicit(&gate->shut, 0, memory_order_release);
	orl_bell_ring(&gate->bell, GATE_OPEN);
}
