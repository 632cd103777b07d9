/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pscw.c - post, start, complete, wait (MPI-3.1 section 11.5.2).
 *
 * A post sets a flag in each origin's control block; the origin meets it, at
 * its first access to that target or at complete, and clears it.  There can
 * be no second post before: the target waits for our complete first.
 * Complete adds one to the target's counter; the exposure ends when all
 * origins of the group have.  An origin completes only what it has met, so
 * the counter never counts for a later epoch.
 *
 * A remote member is told by a message, and its process writes there what a
 * rank of its node would.  The complete travels behind the operations, in the
 * same message if they fit: nobody waits for its arrival.
 *
 * models/pscw.pml is this file.
 *
 * Communication: one store or message per member and call.  Memory: O(group)
 * and a byte per rank.
 */
#include "win.h"

#include <stdlib.h>

static struct orl_target *started_target(struct orl_win *win, int i)
{
	return &win->targets[win->started[i]];
}

struct meeting {
	_Atomic(uint8_t) *posted;
	struct orl_target *target;
};

/* The post has come, or another thread has met it. */
static bool has_met(void *arg)
{
	const struct meeting *meeting = arg;

	/* Acquire: pairs with the release in orl_win_post. */
	return atomic_load_explicit(meeting->posted, memory_order_acquire) ||
	       __atomic_load_n(&meeting->target->access, __ATOMIC_ACQUIRE);
}

int orl_pscw_meet(struct orl_win *win, struct orl_target *target)
{
	struct meeting meeting = { &win->ctl->posted[target->rank], target };
	int rc = 0;

	if (!win->start_nocheck)
		rc = orl_win_wait_for(win, &win->ctl->exposure, has_met,
				      &meeting);
	if (orl_unlikely(rc))
		return rc;
	orl_lock(&win->mutex);
	if (!target->access) {
		__atomic_store_n(&target->access, 1, __ATOMIC_RELEASE);
		if (!win->start_nocheck)
			atomic_store_explicit(meeting.posted, 0,
					      memory_order_relaxed);
	}
	orl_unlock(&win->mutex);
	return 0;
}

static int open_group(struct orl_win *win, const char *call, MPI_Group group,
		      int **ranks, int *count)
{
	int rc = orl_host_group_ranks(&win->comm, group, ranks, count);

	if (orl_likely(!rc))
		return 0;
	return orl_win_fail(win, call, rc,
			    rc == MPI_ERR_GROUP
				    ? "the group has members that are not in "
				      "the window"
				    : "no memory for the group");
}

static void set_posted(struct orl_ctl *ctl, uint32_t rank)
{
	/* Release: pairs with the acquire in has_met. */
	atomic_store_explicit(&ctl->posted[rank], 1, memory_order_release);
	orl_bell_ring(&ctl->exposure, ORL_BELL_ALL);
}

void orl_pscw_posted(struct orl_win *win, uint32_t rank)
{
	set_posted(win->ctl, rank);
}

static int post_to(struct orl_win *win, int rank)
{
	struct orl_target *target = &win->targets[rank];

	if (orl_unlikely(target->path->remote))
		return orl_remote_tell(win, target, ORL_AM_POST, 0);
	set_posted(orl_target_ctl(target), win->rank);
	return 0;
}

int orl_win_post(struct orl_win *win, MPI_Group group, int assertion)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_POST);
	const int known = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
	int i, rc;

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_post", MPI_ERR_RMA_SYNC, "%s",
				    why);
	if (orl_unlikely(assertion & ~known))
		return orl_win_fail(win, "MPI_Win_post", MPI_ERR_ASSERT,
				    "assertion %#x has bits that no post takes",
				    (unsigned)assertion);
	rc = open_group(win, "MPI_Win_post", group, &win->exposed,
			&win->nexposed);
	if (orl_unlikely(rc))
		return rc;
	orl_lock(&win->mutex);
	if (win->epoch == ORL_EPOCH_FENCE)
		orl_epoch_set(win, ORL_EPOCH_NONE);
	win->exposing = true;
	orl_unlock(&win->mutex);
	/* What we stored into the window before is seen by those who come. */
	orl_fence();
	for (i = 0; i < win->nexposed && !(assertion & MPI_MODE_NOCHECK); i++) {
		int one = post_to(win, win->exposed[i]);

		rc = rc ? rc : one;
	}
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_post", rc, "%s", "");
	return MPI_SUCCESS;
}

int orl_win_start(struct orl_win *win, MPI_Group group, int assertion)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_START);
	int i, rc;

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_start", MPI_ERR_RMA_SYNC,
				    "%s", why);
	if (orl_unlikely(assertion & ~MPI_MODE_NOCHECK))
		return orl_win_fail(win, "MPI_Win_start", MPI_ERR_ASSERT,
				    "assertion %#x has bits that no start "
				    "takes",
				    (unsigned)assertion);
	rc = open_group(win, "MPI_Win_start", group, &win->started,
			&win->nstarted);
	if (orl_unlikely(rc))
		return rc;
	for (i = 0; i < win->nstarted; i++)
		started_target(win, i)->held = ORL_HELD_START;
	win->start_nocheck = assertion & MPI_MODE_NOCHECK;
	orl_lock(&win->mutex);
	orl_epoch_set(win, ORL_EPOCH_START);
	orl_unlock(&win->mutex);
	return MPI_SUCCESS;
}

void orl_pscw_completed(struct orl_ctl *ctl)
{
	/* Also a release of the accesses: pairs with all_complete. */
	atomic_fetch_add(&ctl->completes, 1);
	orl_bell_ring(&ctl->exposure, ORL_BELL_ALL);
}

/* What messages may overtake ends first; the rest, by orl_remote_finish. */
static int complete_remote(struct orl_win *win, struct orl_target *target)
{
	struct orl_link *link = orl_remote_link(win, target);
	int rc = 0;

	if (link)
		orl_path_settle_afters(link);
	if (link && orl_am_has_overtakable(link))
		rc = target->path->flush(target);
	if (!rc)
		rc = orl_remote_tell(win, target, ORL_AM_COMPLETE, 0);
	return rc;
}

static int complete_at(struct orl_win *win, struct orl_target *target)
{
	int rc = target->access ? 0 : orl_pscw_meet(win, target);

	target->access = 0;
	target->held = ORL_HELD_NOTHING;
	if (orl_unlikely(rc))
		return rc;
	if (target->path->remote)
		return complete_remote(win, target);
	orl_pscw_completed(orl_target_ctl(target));
	return 0;
}

int orl_win_complete(struct orl_win *win)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_COMPLETE);
	int i, rc, one;

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_complete", MPI_ERR_RMA_SYNC,
				    "%s", why);
	rc = orl_win_drain_near(win);
	for (i = 0; i < win->nstarted; i++) {
		one = complete_at(win, started_target(win, i));
		rc = rc ? rc : one;
	}
	one = win->spans ? orl_remote_finish(win) : 0;
	rc = rc ? rc : one;
	free(win->started);
	win->started = NULL;
	win->nstarted = 0;
	orl_lock(&win->mutex);
	orl_epoch_set(win, ORL_EPOCH_NONE);
	orl_unlock(&win->mutex);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_complete", rc, "%s", "");
	return MPI_SUCCESS;
}

static bool all_complete(void *arg)
{
	const struct orl_win *win = arg;
	/* Acquire: pairs with the add in orl_win_complete. */
	uint32_t now = atomic_load_explicit(&win->ctl->completes,
					    memory_order_acquire);

	return (int32_t)(now - win->completes - (uint32_t)win->nexposed) >= 0;
}

static void end_exposure(struct orl_win *win)
{
	win->completes += (uint32_t)win->nexposed;
	free(win->exposed);
	win->exposed = NULL;
	win->nexposed = 0;
	orl_lock(&win->mutex);
	win->exposing = false;
	orl_unlock(&win->mutex);
}

int orl_win_wait(struct orl_win *win)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_WAIT);
	int rc;

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_wait", MPI_ERR_RMA_SYNC, "%s",
				    why);
	rc = orl_win_wait_for(win, &win->ctl->exposure, all_complete, win);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_wait", rc, "%s", "");
	end_exposure(win);
	return MPI_SUCCESS;
}

int orl_win_test(struct orl_win *win, int *flag)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_TEST);

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_test", MPI_ERR_RMA_SYNC, "%s",
				    why);
	*flag = all_complete(win);
	if (*flag)
		end_exposure(win);
	else
		orl_progress();
	if (orl_unlikely(!*flag && win->spans && orl_remote_is_broken(win)))
		return orl_win_fail(win, "MPI_Win_test", -EHOSTDOWN, "%s", "");
	return MPI_SUCCESS;
}
