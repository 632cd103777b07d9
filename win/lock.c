/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.c - passive target epochs (MPI-3.1 section 11.5.3).
 *
 * Each rank's control block has a fair read-write lock, which MPI_Win_lock
 * takes there itself.  lock_all takes no rank's lock: it enters one room of
 * the window, rank 0's master, which holders of exclusive locks share as the
 * other class.  So lock_all costs the same for any number of ranks, and
 * excludes exclusive locks; shared locks exclude neither.  A process enters
 * the master once for all of its exclusive locks: a second ticket could
 * stand behind a lock_all that waits for the first.
 */
#include "win.h"

static struct orl_room *master(struct orl_win *win)
{
	return &orl_target_ctl(&win->targets[0])->master;
}

static void acquire_exclusive(struct orl_win *win, struct orl_target *target)
{
	orl_lock(&win->room_mutex);
	if (win->nexclusive++ == 0)
		orl_room_enter(master(win), ORL_ROOM_SECOND);
	orl_unlock(&win->room_mutex);
	orl_room_enter(&orl_target_ctl(target)->lock, ORL_ROOM_ALONE);
}

static void release_exclusive(struct orl_win *win, struct orl_target *target)
{
	orl_room_leave(&orl_target_ctl(target)->lock);
	orl_lock(&win->room_mutex);
	if (--win->nexclusive == 0)
		orl_room_leave(master(win));
	orl_unlock(&win->room_mutex);
}

static void acquire(struct orl_win *win, struct orl_target *target)
{
	switch (target->lock) {
	case ORL_LOCK_EXCLUSIVE:
		acquire_exclusive(win, target);
		break;
	case ORL_LOCK_SHARED:
		orl_room_enter(&orl_target_ctl(target)->lock, ORL_ROOM_SHARED);
		break;
	}
}

static void release(struct orl_win *win, struct orl_target *target, int kind)
{
	switch (kind) {
	case ORL_LOCK_EXCLUSIVE:
		release_exclusive(win, target);
		break;
	case ORL_LOCK_SHARED:
		orl_room_leave(&orl_target_ctl(target)->lock);
		break;
	}
}

static ORL_COLD int lock_refused(struct orl_win *win, int type, int rank,
				 int assertion)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_LOCK);
	const char *call = "MPI_Win_lock";

	if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
		return orl_win_fail(win, call, MPI_ERR_LOCKTYPE,
				    "%d is neither MPI_LOCK_SHARED nor "
				    "MPI_LOCK_EXCLUSIVE",
				    type);
	if ((unsigned)rank >= win->size)
		return orl_win_fail(win, call, MPI_ERR_RANK,
				    "no rank %d in the window", rank);
	if (assertion & ~MPI_MODE_NOCHECK)
		return orl_win_fail(win, call, MPI_ERR_ASSERT,
				    "assertion %#x has bits that no lock takes",
				    (unsigned)assertion);
	if (orl_info_no_locks(win))
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
				    "the window has the info key no_locks");
	if (why)
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC, "%s", why);
	if (win->targets[rank].lock)
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
				    "target %d is locked already", rank);
	return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
			    "this rank exposes its window (MPI_Win_post)");
}

static bool can_lock(struct orl_win *win, int type, int rank, int assertion)
{
	if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
		return false;
	if ((unsigned)rank >= win->size || assertion & ~MPI_MODE_NOCHECK)
		return false;
	if (orl_info_no_locks(win) || win->targets[rank].lock)
		return false;
	if (win->exposing && (unsigned)rank == win->rank)
		return false;
	return !orl_epoch_objection(win, ORL_CALL_LOCK);
}

/* Communication: two atomics, for an exclusive lock four. */
int orl_win_lock(struct orl_win *win, int type, int rank, int assertion)
{
	struct orl_target *target;

	if (orl_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	orl_lock(&win->mutex);
	if (orl_unlikely(!can_lock(win, type, rank, assertion))) {
		orl_unlock(&win->mutex);
		return lock_refused(win, type, rank, assertion);
	}
	target = &win->targets[rank];
	if (assertion & MPI_MODE_NOCHECK)
		target->lock = ORL_LOCK_NOCHECK;
	else
		target->lock = type == MPI_LOCK_EXCLUSIVE ? ORL_LOCK_EXCLUSIVE
							  : ORL_LOCK_SHARED;
	win->access = ORL_LOCK;
	win->nlocks++;
	orl_unlock(&win->mutex);
	acquire(win, target);
	target->access = 1;
	return MPI_SUCCESS;
}

static ORL_COLD int unlock_refused(struct orl_win *win, int rank)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_UNLOCK);

	if ((unsigned)rank >= win->size)
		return orl_win_fail(win, "MPI_Win_unlock", MPI_ERR_RANK,
				    "no rank %d in the window", rank);
	return orl_win_fail(win, "MPI_Win_unlock", MPI_ERR_RMA_SYNC,
			    "target %d is not locked%s%s", rank,
			    why ? ": " : "", why ? why : "");
}

int orl_win_unlock(struct orl_win *win, int rank)
{
	struct orl_target *target;
	int rc, kind;

	if (orl_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	if (orl_unlikely((unsigned)rank >= win->size ||
			 win->access != ORL_LOCK || !win->targets[rank].access))
		return unlock_refused(win, rank);
	target = &win->targets[rank];
	rc = target->path->flush(target);
	kind = target->lock;
	target->access = 0;
	release(win, target, kind);
	orl_lock(&win->mutex);
	target->lock = ORL_LOCK_NONE;
	if (--win->nlocks == 0)
		win->access = ORL_IDLE;
	orl_unlock(&win->mutex);
	if (orl_unlikely(kind == ORL_LOCK_NOCHECK))
		atomic_thread_fence(memory_order_seq_cst);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_unlock", rc, "target %d",
				    rank);
	return MPI_SUCCESS;
}

/* Communication: two atomics.  Memory: O(1). */
int orl_win_lock_all(struct orl_win *win, int assertion)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_LOCK_ALL);
	const char *call = "MPI_Win_lock_all";

	if (orl_unlikely(assertion & ~MPI_MODE_NOCHECK))
		return orl_win_fail(win, call, MPI_ERR_ASSERT,
				    "assertion %#x has bits that no lock takes",
				    (unsigned)assertion);
	if (orl_unlikely(orl_info_no_locks(win)))
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
				    "the window has the info key no_locks");
	if (orl_unlikely(why))
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC, "%s", why);
	if (orl_unlikely(win->exposing))
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
				    "this rank exposes its window "
				    "(MPI_Win_post)");
	win->access = ORL_LOCK_ALL;
	win->lock_all_nocheck = assertion & MPI_MODE_NOCHECK;
	if (!win->lock_all_nocheck)
		orl_room_enter(master(win), ORL_ROOM_SHARED);
	win->access_all = 1;
	return MPI_SUCCESS;
}

int orl_win_unlock_all(struct orl_win *win)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_UNLOCK_ALL);
	int rc;

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_unlock_all", MPI_ERR_RMA_SYNC,
				    "%s", why);
	rc = orl_win_drain(win);
	win->access_all = 0;
	if (!win->lock_all_nocheck)
		orl_room_leave(master(win));
	win->access = ORL_IDLE;
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_unlock_all", rc, "%s", "");
	return MPI_SUCCESS;
}
