/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * barrier.c - a dissemination barrier in the control blocks: in round k each
 * rank tells the one 2^k further that it has come so far.  A round's word
 * has one writer at a time and only grows, so barriers need no reset.  A rank
 * of another node sends a message, of which the word is written here on its
 * behalf.
 *
 * Where ranks outnumber the cores, each round would cost each rank a turn on
 * one.  There the ranks count themselves in a word of the first one's block,
 * and the last to come tells all others: one turn a barrier.
 *
 * A rank may give its block back right after the last barrier: who tells it
 * touches the block for the last time with the word that it waits for, and
 * nobody counts himself after that.  The bell rung then is the process's own,
 * which lives as long as it.
 * models/barrier.pml is this file.
 */
#include "win.h"

struct round {
	_Atomic(uint32_t) *arrived;
	uint32_t seq;
};

static bool has_arrived(void *arg)
{
	const struct round *round = arg;

	/* Acquire: pairs with the release in arrive. */
	return (int32_t)(atomic_load_explicit(round->arrived,
					      memory_order_acquire) -
			 round->seq) >= 0;
}

static struct orl_bell *bell_of(struct orl_ctl *ctl)
{
	return (struct orl_bell *)((char *)ctl + ctl->arrival);
}

static void arrive(struct orl_ctl *peer, uint32_t k, uint32_t seq)
{
	struct orl_bell *bell = bell_of(peer);

	/* Release: pairs with the acquire in has_arrived. */
	atomic_store_explicit(&peer->arrive[k], seq, memory_order_release);
	orl_bell_ring(bell, ORL_BELL_ALL);
}

int orl_barrier_arrived(struct orl_win *win, uint32_t rank, uint32_t seq)
{
	uint32_t far, k;

	for (k = 0, far = 1; far < win->size; k++, far *= 2) {
		if ((rank + far) % win->size != win->rank)
			continue;
		arrive(win->ctl, k, seq);
		return 0;
	}
	return MPI_ERR_INTERN;
}

static int tell(struct orl_win *win, uint32_t rank, uint32_t k, uint32_t seq)
{
	struct orl_target *target = &win->targets[rank];

	if (target->path->remote)
		return orl_remote_tell(win, target, ORL_AM_ARRIVE, seq);
	arrive(orl_target_ctl(target), k, seq);
	return 0;
}

static int disseminate(struct orl_win *win, uint32_t seq)
{
	uint32_t far, k;
	int rc = 0;

	for (k = 0, far = 1; far < win->size && !rc; k++, far *= 2) {
		struct round round = { &win->ctl->arrive[k], seq };

		rc = tell(win, (win->rank + far) % win->size, k, seq);
		if (!rc)
			rc = orl_win_wait_for(win, bell_of(win->ctl),
					      has_arrived, &round);
	}
	return rc;
}

/* True for the last of all ranks; it has seen what all did before. */
static bool count_in(struct orl_win *win, uint32_t seq)
{
	struct orl_ctl *first = orl_target_ctl(&win->targets[0]);

	/* Both: the release of each rank pairs with the last one's acquire. */
	return atomic_fetch_add_explicit(&first->come, 1,
					 memory_order_acq_rel) +
		       1 ==
	       seq * win->size;
}

static int gather(struct orl_win *win, uint32_t seq)
{
	struct round round = { &win->ctl->arrive[0], seq };
	uint32_t i;

	if (!count_in(win, seq))
		return orl_win_wait_for(win, bell_of(win->ctl), has_arrived,
					&round);
	/* Ourselves too: a word left far behind would once seem ahead. */
	for (i = 0; i < win->size; i++)
		arrive(orl_target_ctl(&win->targets[i]), 0, seq);
	return 0;
}

int orl_win_barrier(struct orl_win *win)
{
	uint32_t seq = ++win->barrier_seq;

	/* Two ranks tell each other all the same. */
	return win->crowded && win->size > 2 ? gather(win, seq)
					     : disseminate(win, seq);
}
