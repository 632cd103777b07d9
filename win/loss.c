/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loss.c - noticing that a process of a window is lost (src/am says which),
 * and waits that end then, since what they wait for may never come.
 */
#include "win.h"

/* Ranks that are asked for signs of life in one go. */
#define WATCH_MOST 64

/* Any of the window's, or NULL. */
static const struct orl_am_peer *find_lost(const struct orl_win *win)
{
	const struct orl_am_peer *peer;
	uint32_t i;

	for (i = 0; win->spans && win->contacts && i < win->size; i++) {
		peer = win->contacts[i].peer;
		/* Acquire: pairs with the release in orl_am_lose. */
		if (peer && __atomic_load_n(&peer->error, __ATOMIC_ACQUIRE))
			return peer;
	}
	return NULL;
}

bool orl_remote_is_broken(const struct orl_win *win)
{
	return orl_unlikely(atomic_load_explicit(&orl_am_losses,
						 memory_order_relaxed)) &&
	       find_lost(win);
}

bool orl_remote_loss(const struct orl_win *win, char *text, size_t len)
{
	const struct orl_am_peer *peer = find_lost(win);

	/* A lock may wait for one of another window. */
	peer = peer ? peer : orl_am_lost_latest();
	if (peer)
		orl_am_tell_loss(peer, text, len);
	return peer;
}

void orl_remote_watch(struct orl_win *win)
{
	uint32_t i, n = 0;

	orl_progress_lock();
	for (i = 0; i < win->size && n < WATCH_MOST; i++) {
		uint32_t rank = (win->rank + i) % win->size;

		if (!win->contacts[rank].peer)
			continue;
		orl_am_watch(win->contacts[rank].peer);
		n++;
	}
	orl_progress_unlock();
}

struct patience {
	struct orl_win *win;
	orl_ready_fn ready;
	void *arg;
	uint64_t next; /* when to look after the others */
	unsigned looks;
	bool broken;
};

/* Of what is waited for, for each look at the clock and at the losses, which
 * costs more. */
#define LOOKS_A_CHECK 64

static void look_after(struct patience *patience)
{
	uint64_t now;

	if (++patience->looks % LOOKS_A_CHECK)
		return;
	now = orl_now_coarse();
	patience->broken = orl_remote_is_broken(patience->win);
	if (!patience->next)
		patience->next = now + ORL_SECOND;
	if (now < patience->next)
		return;
	patience->next = now + ORL_SECOND;
	orl_remote_watch(patience->win);
}

static bool is_ready(void *arg)
{
	struct patience *patience = arg;

	if (patience->ready(patience->arg))
		return true;
	look_after(patience);
	return patience->broken;
}

int orl_win_wait_for(struct orl_win *win, struct orl_bell *bell,
		     orl_ready_fn ready, void *arg)
{
	struct patience patience = { .win = win, .ready = ready, .arg = arg };

	if (orl_likely(!win->spans)) {
		orl_wait(bell, ORL_BELL_ALL, ready, arg);
		return 0;
	}
	orl_wait(bell, ORL_BELL_ALL, is_ready, &patience);
	return ready(arg) ? 0 : -EHOSTDOWN;
}
