/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.c - what the live windows of this process hold beside their memory,
 * found by looking at what is there: doc/memory.md says what it should be.
 * Not counted are transfers that are held back, links for the network's
 * atomics, and what owners and origins note of the regions of dynamic windows.
 */
#include "check.h"
#include "watch.h"

#include <malloc.h>

static uint64_t held_by_links(const struct orl_win *win)
{
	const struct orl_link *link;
	uint64_t sum = 0;

	for (link = win->links; link; link = link->next)
		sum += malloc_usable_size((void *)link);
	return sum;
}

static uint64_t held(const struct orl_win *win)
{
	return malloc_usable_size((void *)win) +
	       malloc_usable_size(win->targets) +
	       malloc_usable_size(win->near) +
	       malloc_usable_size(win->contacts) +
	       malloc_usable_size(win->holders) +
	       malloc_usable_size(win->started) +
	       malloc_usable_size(win->exposed) +
	       malloc_usable_size(win->attached) +
	       malloc_usable_size(win->nic) + held_by_links(win) +
	       orl_watch_held(win) + orl_check_held(win) + orl_lease_held(win);
}

static bool add(void *value, void *arg)
{
	struct orl_win *win = value;
	struct orl_account *account = arg;

	account->windows++;
	account->held += held(win);
	account->shared += win->ctl_bytes;
	return false; /* it stays */
}

void orl_win_account(struct orl_account *account)
{
	*account = (struct orl_account){ .windows = 0 };
	/* Links and leases change under it. */
	orl_progress_lock();
	orl_map_sweep(&orl_win_map, add, account);
	orl_progress_unlock();
}
