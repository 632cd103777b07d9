/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * barrier.c - a dissemination barrier in the control blocks: in round k each
 * rank tells the one 2^k further that it has come so far.  A round's word
 * has one writer and only grows, so barriers need no reset.
 *
 * A rank may give its block back right after the last barrier: who tells it
 * touches the block for the last time with the word that it waits for.  The
 * bell rung after that is the process's own, which lives as long as it.
 */
#include "win.h"

struct round {
	_Atomic(uint32_t) *arrived;
	uint32_t seq;
};

static bool has_arrived(void *arg)
{
	const struct round *round = arg;

	/* Acquire: pairs with the release in orl_win_barrier. */
	return (int32_t)(atomic_load_explicit(round->arrived,
					      memory_order_acquire) -
			 round->seq) >= 0;
}

static struct orl_bell *bell_of(struct orl_ctl *ctl)
{
	return (struct orl_bell *)((char *)ctl + ctl->arrival);
}

void orl_win_barrier(struct orl_win *win)
{
	uint32_t seq = ++win->barrier_seq, far, k;

	for (k = 0, far = 1; far < win->size; k++, far *= 2) {
		uint32_t to = (win->rank + far) % win->size;
		struct orl_ctl *peer = orl_target_ctl(&win->targets[to]);
		struct orl_bell *bell = bell_of(peer);
		struct round round = { &win->ctl->arrive[k], seq };

		/* Release: pairs with the acquire in has_arrived. */
		atomic_store_explicit(&peer->arrive[k], seq,
				      memory_order_release);
		orl_bell_ring(bell, ORL_BELL_ALL);
		orl_wait(bell_of(win->ctl), ORL_BELL_ALL, has_arrived, &round);
	}
}
