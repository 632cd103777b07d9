/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * asker.c - the origins on other nodes that have asked for keys of a dynamic
 * window's regions, and are to forget them before those go.  Each has a link
 * of its own, on which nothing waits behind a lock.
 */
#include "regions.h"

#include <malloc.h>
#include <stdlib.h>

/* Added under the progress lock, and there until the window is freed. */
struct orl_asker {
	struct orl_asker *next;
	struct orl_link link;
};

static struct orl_asker *add_asker(struct orl_win *win, uint32_t rank)
{
	struct orl_asker *asker = calloc(1, sizeof(*asker));

	if (!asker)
		return NULL;
	orl_remote_aim(&asker->link, win, rank);
	asker->link.key = ORL_NO_KEY;
	asker->next = win->askers;
	win->askers = asker;
	return asker;
}

bool orl_asker_note(struct orl_win *win, uint32_t rank)
{
	struct orl_asker *asker;

	for (asker = win->askers; asker; asker = asker->next)
		if (asker->link.target == rank)
			return true;
	return add_asker(win, rank);
}

/* Who cannot be told, for want of memory, would go on with what it knows. */
static void tell(struct orl_asker *asker, uint64_t addr)
{
	int rc = orl_path_forget_key(&asker->link, addr);

	if (orl_unlikely(rc))
		orl_am_lose(asker->link.peer, rc);
}

/* A lost process does not access anything any more: errors do not matter. */
void orl_askers_recall(struct orl_win *win, uint64_t addr)
{
	struct orl_asker *asker;

	orl_progress_lock();
	for (asker = win->askers; asker; asker = asker->next)
		tell(asker, addr);
	asker = win->askers;
	orl_progress_unlock();
	for (; asker; asker = asker->next)
		orl_am_flush(&asker->link);
}

void orl_askers_free(struct orl_win *win)
{
	struct orl_asker *asker;

	while ((asker = win->askers)) {
		win->askers = asker->next;
		orl_am_link_close(&asker->link);
		free(asker);
	}
}

uint64_t orl_askers_held(const struct orl_win *win)
{
	struct orl_asker *asker;
	uint64_t sum = 0;

	for (asker = win->askers; asker; asker = asker->next)
		sum += malloc_usable_size(asker);
	return sum;
}
