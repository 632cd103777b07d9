/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * epoch.c - which call is legal in which epoch (MPI-3.1 section 11.5): one
 * table for the origin's side, one flag for the target's.
 *
 * A fence opens an epoch only if communication follows it, so after a fence
 * that nothing has followed (ORL_EPOCH_FENCE) another kind of epoch may begin.
 */
#include "win.h"

#define IN(state) (1u << (state))
#define ANY	  (~0u)

/* By call: the states in which it may be made. */
static const unsigned legal[] = {
	[ORL_CALL_FENCE] = IN(ORL_EPOCH_NONE) | IN(ORL_EPOCH_FENCE) |
			   IN(ORL_EPOCH_FENCE_USED),
	[ORL_CALL_START] = IN(ORL_EPOCH_NONE) | IN(ORL_EPOCH_FENCE),
	[ORL_CALL_COMPLETE] = IN(ORL_EPOCH_START),
	/* With a lock only if that is not of the own rank. */
	[ORL_CALL_POST] =
		ANY & ~IN(ORL_EPOCH_FENCE_USED) & ~IN(ORL_EPOCH_LOCK_ALL),
	[ORL_CALL_WAIT] = ANY,
	[ORL_CALL_TEST] = ANY,
	[ORL_CALL_LOCK] =
		IN(ORL_EPOCH_NONE) | IN(ORL_EPOCH_FENCE) | IN(ORL_EPOCH_LOCK),
	[ORL_CALL_UNLOCK] = IN(ORL_EPOCH_LOCK),
	[ORL_CALL_LOCK_ALL] = IN(ORL_EPOCH_NONE) | IN(ORL_EPOCH_FENCE),
	[ORL_CALL_UNLOCK_ALL] = IN(ORL_EPOCH_LOCK_ALL),
	[ORL_CALL_FLUSH] = IN(ORL_EPOCH_LOCK) | IN(ORL_EPOCH_LOCK_ALL),
	[ORL_CALL_RMA] = ANY & ~IN(ORL_EPOCH_NONE),
	[ORL_CALL_RRMA] = IN(ORL_EPOCH_LOCK) | IN(ORL_EPOCH_LOCK_ALL),
	[ORL_CALL_FREE] = IN(ORL_EPOCH_NONE) | IN(ORL_EPOCH_FENCE),
};

static const char *const states[] = {
	[ORL_EPOCH_NONE] =
		"no access epoch is open (MPI_Win_fence, _start, _lock)",
	[ORL_EPOCH_FENCE] = "a fence epoch is open",
	[ORL_EPOCH_FENCE_USED] = "a fence epoch with communication is open",
	[ORL_EPOCH_START] = "an epoch of MPI_Win_start is open",
	[ORL_EPOCH_LOCK] = "a lock is held",
	[ORL_EPOCH_LOCK_ALL] = "an epoch of MPI_Win_lock_all is open",
};

const char *orl_epoch_objection_now(const struct orl_win *win,
				    enum orl_call call)
{
	bool needs_exposure = call == ORL_CALL_WAIT || call == ORL_CALL_TEST;
	bool bars_exposure = call == ORL_CALL_FENCE || call == ORL_CALL_POST ||
			     call == ORL_CALL_LOCK_ALL || call == ORL_CALL_FREE;

	if (orl_unlikely(win->is_leaving && call != ORL_CALL_FREE))
		return "MPI_Win_free was called, and refused by a callback";
	if (orl_unlikely(!(legal[call] & IN(win->epoch))))
		return states[win->epoch];
	if (needs_exposure && !win->exposing)
		return "no exposure epoch is open (MPI_Win_post)";
	if (bars_exposure && win->exposing)
		return "an exposure epoch of MPI_Win_post is open";
	if (call == ORL_CALL_POST && win->epoch == ORL_EPOCH_LOCK &&
	    win->targets[win->rank].held)
		return "this rank holds a lock of its own window";
	return NULL;
}

const char *orl_epoch_objection(struct orl_win *win, enum orl_call call)
{
	const char *why;

	orl_lock(&win->mutex);
	why = orl_epoch_objection_now(win, call);
	orl_unlock(&win->mutex);
	return why;
}

const char *orl_epoch_objection_to_lock(const struct orl_win *win,
					uint32_t rank)
{
	const char *why = orl_epoch_objection_now(win, ORL_CALL_LOCK);

	if (why)
		return why;
	if (win->targets[rank].held)
		return "the target is locked already";
	if (win->exposing && rank == win->rank)
		return "an exposure epoch of MPI_Win_post is open";
	return NULL;
}

static int open_fence(struct orl_win *win, struct orl_target *target)
{
	int rc = orl_remote_connect(win, target);

	if (rc)
		return rc;
	orl_lock(&win->mutex);
	orl_epoch_set(win, ORL_EPOCH_FENCE_USED);
	if (win->spans)
		__atomic_store_n(&target->access, 1, __ATOMIC_RELEASE);
	else
		orl_epoch_set_all(win, true);
	orl_unlock(&win->mutex);
	return 0;
}

static int open_all(struct orl_win *win, struct orl_target *target)
{
	int rc = orl_remote_connect(win, target);

	if (!rc)
		__atomic_store_n(&target->access, 1, __ATOMIC_RELEASE);
	return rc;
}

int orl_epoch_first_access(struct orl_win *win, struct orl_target *target)
{
	int rc;

	if (target->held == ORL_HELD_START) {
		rc = orl_remote_connect(win, target);
		return rc ? rc : orl_pscw_meet(win, target);
	}
	switch (orl_epoch_of(win)) {
	case ORL_EPOCH_FENCE:
	case ORL_EPOCH_FENCE_USED:
		return open_fence(win, target);
	case ORL_EPOCH_LOCK_ALL:
		return open_all(win, target);
	default:
		/* Another thread may have opened it meanwhile. */
		return target->access ? 0 : MPI_ERR_RMA_SYNC;
	}
}

void orl_epoch_close(struct orl_win *win)
{
	struct orl_link *link;
	uint32_t i;

	orl_epoch_set_all(win, false);
	if (orl_likely(!win->spans))
		return;
	for (i = 0; i < win->nnear; i++)
		win->targets[win->near[i]].access = 0;
	for (link = orl_remote_links(win); link; link = link->next)
		win->targets[link->target].access = 0;
}
