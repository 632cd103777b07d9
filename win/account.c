/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.c - what the live windows of this process hold beside their memory,
 * found by looking at what is there: doc/memory.md says what it should be.
 * Not counted are transfers that are held back, messages, and regions of size
 * zero.
 */
#include "check.h"
#include "regions.h"
#include "watch.h"

#include <malloc.h>

static uint64_t held_by_links(const struct orl_win *win)
{
	const struct orl_link *link;
	uint64_t sum = 0;

	for (link = win->links; link; link = link->next)
		sum += malloc_usable_size((void *)link) +
		       malloc_usable_size(link->keys);
	return sum;
}

static uint64_t held_by_nic(const struct orl_win *win)
{
	uint64_t sum = malloc_usable_size(win->nic);
	uint32_t i;

	for (i = 0; win->nic && i < win->size; i++)
		sum += malloc_usable_size(win->nic[i]);
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
	       malloc_usable_size(win->exposed) + held_by_links(win) +
	       held_by_nic(win) + orl_regions_held(win) + orl_askers_held(win) +
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
