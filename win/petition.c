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
 * Exclusive locks enter the node's master first, as in lock.c.  There, a
 * process enters the master once for all exclusive locks that it holds; here,
 * every petition enters it on its own:
 *
 * - The one count of lock.c stands for locks of one origin, which a thread of
 *   that origin waits for, with master_mutex held.  This code may neither
 *   wait for that mutex nor join the count: were the count non-zero because
 *   the owner's own thread is still waiting for the master, a petition that
 *   joined it would take a lock that nobody holds yet.
 * - Holders of the master's second side share it, so any number of visits may
 *   be inside together, the owner's own among them, and it is free for
 *   lock_all when the last has left: counting in the lock itself does what
 *   the process's count does, at the price of a ticket where lock_all's
 *   holders are inside.
 * - An origin that takes its second exclusive lock on this node while
 *   lock_all waits for its first must not stand behind lock_all.  In lock.c
 *   the count sees to that; here ORL_MODE_HURRY does, which origins ask for
 *   with every lock but the first.  It holds for both stages.
 * - Between the stages a petition holds the master and may stand in the
 *   rank's line.  Nobody in front of it there waits for the master: who is
 *   exclusive has it, who shares needs none.  And a holder of the rank's lock
 *   who goes on to another rank's is in a hurry, and on our side of the
 *   master.  So the line moves on.
 *
 * models/lock_all.pml is this, beside lock.c.  Where leases keep lock_all out
 * (lease.c), serve.c names a master that only petitions meet, and entering it
 * succeeds at once; the rules above are for one that others enter too.
 */
#include "rwlock.h"

#include <errno.h>
#include <stddef.h>

/* In the order of arrival. */
static struct orl_petition *first, **last = &first;

static bool is_exclusive(const struct orl_petition *petition)
{
	return petition->mode & ORL_MODE_SECOND;
}

static bool is_mode(int mode)
{
	mode &= ~ORL_MODE_HURRY;
	return mode == ORL_MODE_SHARED || mode == ORL_MODE_EXCLUSIVE;
}

/* As far as it can get without waiting; true when it holds what it asks for. */
static bool advance(struct orl_petition *petition)
{
	struct orl_visit *visit = &petition->visit;

	if (!orl_rwlock_try(visit))
		return false;
	if (petition->in_master) {
		petition->in_master = false;
		orl_rwlock_begin(visit, petition->at.lock, petition->mode);
		if (!orl_rwlock_try(visit))
			return false;
	}
	*petition->at.held = is_exclusive(petition) ? ORL_PETITION_EXCLUSIVE
						    : ORL_PETITION_SHARED;
	return true;
}

static void start(struct orl_petition *petition)
{
	int hurry = petition->mode & ORL_MODE_HURRY;

	*petition->at.held = ORL_PETITION_ASKED;
	petition->in_master = is_exclusive(petition);
	if (petition->in_master)
		orl_rwlock_begin(&petition->visit, petition->at.master,
				 ORL_MODE_SECOND | hurry);
	else
		orl_rwlock_begin(&petition->visit, petition->at.lock,
				 ORL_MODE_SHARED | hurry);
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
	start(petition);
	if (advance(petition))
		return 1;
	append(petition);
	return 0;
}

/*
 * Takes the first that can be granted out of the queue.  From the front: a
 * petition may have let go of what another in front of it waits for.
 */
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
	return first;
}

int orl_petition_leave(const struct orl_petition_at *at)
{
	switch (*at->held) {
	case ORL_PETITION_SHARED:
		orl_rwlock_leave(at->lock, ORL_MODE_SHARED);
		break;
	case ORL_PETITION_EXCLUSIVE:
		orl_rwlock_leave(at->lock, ORL_MODE_EXCLUSIVE);
		orl_rwlock_leave(at->master, ORL_MODE_SECOND);
		break;
	default:
		return -EPERM;
	}
	*at->held = ORL_PETITION_NONE;
	return 0;
}
