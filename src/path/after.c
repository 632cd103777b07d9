/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * after.c - what is to follow the reads and writes that are under way on a
 * link, though nobody waits for them.  They are numbered as they begin and end
 * in any order; each thing that follows counts those before it, so what came
 * first is due first.  All under the progress lock.
 */
#include "remote.h"

#include <errno.h>
#include <stdlib.h>

void orl_path_after(struct orl_link *link, struct orl_after *after)
{
	struct orl_after **at = &link->afters;

	after->left = link->begun - link->ended;
	after->begun = link->begun;
	after->next = NULL;
	/* What is written already comes before, and leaves by its message: a
	 * write of its own would not be one of those that are counted. */
	link->lone = NULL;
	if (!after->left) {
		after->run(link, after);
		return;
	}
	while (*at)
		at = &(*at)->next;
	*at = after;
}

static void count_down(struct orl_link *link, uint32_t number)
{
	struct orl_after *after;

	for (after = link->afters; after; after = after->next)
		if ((int32_t)(number - after->begun) < 0)
			after->left--;
}

void orl_path_ended(struct orl_link *link, uint32_t number)
{
	struct orl_after *after;

	link->ended++;
	if (orl_likely(!link->afters))
		return;
	count_down(link, number);
	while ((after = link->afters) && !after->left) {
		/* Release: pairs with the acquire in has_settled. */
		__atomic_store_n(&link->afters, after->next, __ATOMIC_RELEASE);
		after->run(link, after);
	}
}

void orl_path_drop_afters(struct orl_link *link)
{
	struct orl_after *after;

	while ((after = link->afters)) {
		link->afters = after->next;
		after->run(link, after);
	}
}

static bool has_settled(void *arg)
{
	const struct orl_link *link = arg;

	return !__atomic_load_n(&link->afters, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&link->peer->error, __ATOMIC_RELAXED);
}

void orl_path_settle_afters(struct orl_link *link)
{
	if (orl_unlikely(!has_settled(link)))
		orl_wait(&orl_am_bell, ORL_BELL_ALL, has_settled, link);
}

/* -- a flush that is counted ----------------------------------------------- */

struct counted {
	struct orl_after after; /* first */
	struct orl_am_tally *tally;
};

static void end_counted(struct orl_link *link, struct orl_after *after)
{
	struct counted *counted = (struct counted *)after;

	orl_am_tally_drop(counted->tally, orl_link_error(link));
	free(counted);
}

static int count_transfers(struct orl_link *link)
{
	struct counted *counted = malloc(sizeof(*counted));
	int rc = -ENOMEM;

	if (counted)
		rc = orl_am_tally_take(link, &counted->tally);
	if (rc) {
		free(counted);
		return rc;
	}
	counted->after.run = end_counted;
	orl_path_after(link, &counted->after);
	return 0;
}

int orl_path_flush_counted(struct orl_link *link)
{
	if (orl_link_is_quiet(link))
		return 0;
	/* An answer that is awaited counts for the call that asked for it. */
	if (link->answers)
		__atomic_store_n(&link->unasked, true, __ATOMIC_RELAXED);
	orl_path_flush_begin(link);
	if (orl_unlikely(orl_link_error(link)))
		return orl_am_link_take_error(link);
	if (link->begun == link->ended)
		return 0;
	return count_transfers(link);
}
