/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally.c - what one call asks of a link, told from what others have under
 * way there.  A thread that makes such a call opens a scope: the slots and
 * transfers that it takes on the scope's link while it is open count in one
 * tally, which the first of them makes.  What handlers of messages take in
 * this thread, as it waits for credit, is on other links, or ends before.
 */
#include "am.h"

#include <assert.h>
#include <errno.h>

static ORL_THREAD_LOCAL struct orl_am_scope *open_scope;

void orl_am_scope_begin(struct orl_am_scope *scope)
{
	assert(!open_scope);
	scope->tally = NULL;
	open_scope = scope;
}

struct orl_am_tally *orl_am_scope_tally(void)
{
	return open_scope ? open_scope->tally : NULL;
}

/* The scope's own count keeps the tally from being over too early. */
static struct orl_am_tally *make(struct orl_am_scope *scope)
{
	struct orl_am_tally *tally = scope->make();

	if (!tally)
		return NULL;
	tally->link = scope->link;
	tally->peer = scope->link->peer;
	tally->left = 1;
	tally->error = 0;
	scope->tally = tally;
	return tally;
}

int orl_am_tally_take(struct orl_link *link, struct orl_am_tally **tally)
{
	struct orl_am_scope *scope = open_scope;

	*tally = NULL;
	if (orl_likely(!scope || scope->link != link))
		return 0;
	*tally = scope->tally ? scope->tally : make(scope);
	if (orl_unlikely(!*tally))
		return -ENOMEM;
	(*tally)->left++;
	return 0;
}

void orl_am_tally_drop(struct orl_am_tally *tally, int error)
{
	if (orl_likely(!tally))
		return;
	assert(orl_progress_has_lock());
	if (orl_unlikely(error) && !tally->error)
		tally->error = error;
	/* Release: pairs with the acquire in orl_am_tally_is_over. */
	__atomic_store_n(&tally->left, tally->left - 1, __ATOMIC_RELEASE);
	if (!tally->left)
		tally->over(tally);
}

struct orl_am_tally *orl_am_scope_end(void)
{
	struct orl_am_tally *tally = open_scope->tally;

	open_scope = NULL;
	return tally;
}

bool orl_am_tally_is_over(const struct orl_am_tally *tally)
{
	/* Acquire: pairs with the releases in orl_am_tally_drop and
	 * orl_am_lose. */
	return !__atomic_load_n(&tally->left, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&tally->peer->error, __ATOMIC_ACQUIRE);
}
