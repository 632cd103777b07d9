/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * petition.c - the owner's side of MPI_Win_lock for origins of other nodes.
 * All of it is under the progress lock and never waits.
 *
 * An origin of another node cannot reach the rank's lock itself, so the rank
 * visits it in the origin's name, from whatever thread makes progress, and
 * with a ticket of the same line as everyone else's.  What cannot be granted
 * at once is queued and asked again: a leave by a process of the node rings
 * the lock's bell, which only sleepers hear.
 *
 * Nothing is entered here for lock_all: an origin of another node has a lease
 * (lease.c) before it asks for an exclusive lock.
 *
 * models/lazy.pml has this beside the origin's side.
 */
#include "rwlock.h"

#include <errno.h>
#include <stddef.h>

/* In the order of arrival. */
static struct orl_petition *first, **last = &first;

static bool is_mode(int mode)
{
	mode &= ~ORL_MODE_HURRY;
	return mode == ORL_MODE_SHARED || mode == ORL_MODE_EXCLUSIVE;
}

static bool advance(struct orl_petition *petition)
{
	if (!orl_rwlock_try(&petition->visit))
		return false;
	*petition->at.held = petition->mode & ORL_MODE_SECOND
				     ? ORL_PETITION_EXCLUSIVE
				     : ORL_PETITION_SHARED;
	return true;
}

static void append(struct orl_petition *petition)
{
	petition->next = NULL;
	*last = petition;
	last = &petition->next;
}

int orl_petition_begin(struct orl_petition *petition)
{
	if (!is_mode(petition->mode))
		return -EINVAL;
	if (*petition->at.held)
		return -EALREADY;
	*petition->at.held = ORL_PETITION_ASKED;
	orl_rwlock_begin(&petition->visit, petition->at.lock, petition->mode);
	orl_comeback_take(petition);
	if (advance(petition))
		return 1;
	append(petition);
	return 0;
}

/* Takes the first that can be granted out of the queue. */
static struct orl_petition *take_granted(void)
{
	struct orl_petition **place, *petition;

	for (place = &first; (petition = *place); place = &petition->next) {
		if (!advance(petition))
			continue;
		*place = petition->next;
		if (last == &petition->next)
			last = place;
		return petition;
	}
	return NULL;
}

bool orl_petition_poll(void)
{
	struct orl_petition *petition;

	/* The queue may change under granted(). */
	while (first && (petition = take_granted()))
		petition->granted(petition);
	return orl_comeback_poll() || first;
}

int orl_petition_leave(const struct orl_petition_at *at)
{
	switch (*at->held) {
	case ORL_PETITION_SHARED:
		orl_rwlock_leave(at->lock, ORL_MODE_SHARED);
		break;
	case ORL_PETITION_EXCLUSIVE:
		orl_rwlock_leave(at->lock, ORL_MODE_EXCLUSIVE);
		break;
	default:
		return -EPERM;
	}
	*at->held = ORL_PETITION_NONE;
	return 0;
}
