/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.c - passive target epochs (MPI-3.1 section 11.5.3).
 *
 * Each rank's control block has a fair read-write lock, which MPI_Win_lock
 * takes there itself.  lock_all takes no rank's lock: it enters one lock of
 * the window, rank 0's master, on one side, and holders of exclusive locks
 * enter it on the other.  So lock_all costs the same for any number of
 * ranks, and excludes exclusive locks; shared locks exclude neither.
 *
 * A process that holds a lock already enters others past the line: those in
 * line may be waiting for what it holds.
 */
#include "win.h"

static struct orl_rwlock *master(struct orl_win *win)
{
	return &orl_target_ctl(&win->targets[0])->master;
}

static struct orl_rwlock *lock_of(struct orl_target *target)
{
	return &orl_target_ctl(target)->lock;
}

/* The master is entered once for all exclusive locks of this process. */
static void enter_master(struct orl_win *win, int hurry)
{
	orl_lock(&win->master_mutex);
	if (win->nexclusive++ == 0)
		orl_rwlock_enter(master(win), ORL_MODE_SECOND | hurry);
	orl_unlock(&win->master_mutex);
}

static void leave_master(struct orl_win *win)
{
	orl_lock(&win->master_mutex);
	if (--win->nexclusive == 0)
		orl_rwlock_leave(master(win), ORL_MODE_SECOND);
	orl_unlock(&win->master_mutex);
}

static void acquire(struct orl_win *win, struct orl_target *target, int hurry)
{
	if (target->held == ORL_HELD_EXCLUSIVE) {
		enter_master(win, hurry);
		orl_rwlock_enter(lock_of(target), ORL_MODE_EXCLUSIVE | hurry);
	} else if (target->held == ORL_HELD_SHARED) {
		orl_rwlock_enter(lock_of(target), ORL_MODE_SHARED | hurry);
	}
}

static void release(struct orl_win *win, struct orl_target *target, int held)
{
	if (held == ORL_HELD_EXCLUSIVE) {
		orl_rwlock_leave(lock_of(target), ORL_MODE_EXCLUSIVE);
		leave_master(win);
	} else if (held == ORL_HELD_SHARED) {
		orl_rwlock_leave(lock_of(target), ORL_MODE_SHARED);
	} else {
		atomic_thread_fence(memory_order_seq_cst);
	}
}

/* What is wrong with a lock call: an error class, or 0. */
static int check_lock(struct orl_win *win, int type, int rank, int assertion)
{
	if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
		return MPI_ERR_LOCKTYPE;
	if ((unsigned)rank >= win->size)
		return MPI_ERR_RANK;
	if (assertion & ~MPI_MODE_NOCHECK)
		return MPI_ERR_ASSERT;
	if (orl_info_no_locks(win) || win->targets[rank].held ||
	    (win->exposing && (unsigned)rank == win->rank) ||
	    orl_epoch_objection(win, ORL_CALL_LOCK))
		return MPI_ERR_RMA_SYNC;
	return 0;
}

static const char *sync_reason(struct orl_win *win, enum orl_call call)
{
	const char *why = orl_epoch_objection(win, call);

	if (orl_info_no_locks(win))
		return "the window has the info key no_locks";
	if (why)
		return why;
	if (win->exposing)
		return "this rank exposes its window (MPI_Win_post)";
	return "the target is locked already";
}

static ORL_COLD int refuse_lock(struct orl_win *win, int type, int rank,
				int assertion)
{
	int class = check_lock(win, type, rank, assertion);
	const char *call = "MPI_Win_lock";

	switch (class) {
	case MPI_ERR_LOCKTYPE:
		return orl_win_fail(win, call, class,
				    "%d is neither MPI_LOCK_SHARED nor "
				    "MPI_LOCK_EXCLUSIVE",
				    type);
	case MPI_ERR_RANK:
		return orl_win_fail(win, call, class,
				    "no rank %d in the window", rank);
	case MPI_ERR_ASSERT:
		return orl_win_fail(win, call, class,
				    "assertion %#x has bits that no lock takes",
				    (unsigned)assertion);
	default:
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
				    "target %d: %s", rank,
				    sync_reason(win, ORL_CALL_LOCK));
	}
}

static enum orl_held kind_of(int type, int assertion)
{
	if (assertion & MPI_MODE_NOCHECK)
		return ORL_HELD_NOCHECK;
	return type == MPI_LOCK_EXCLUSIVE ? ORL_HELD_EXCLUSIVE
					  : ORL_HELD_SHARED;
}

/* Communication: one atomic, for an exclusive lock two.  Memory: O(1). */
int orl_win_lock(struct orl_win *win, int type, int rank, int assertion)
{
	struct orl_target *target;
	int hurry;

	if (orl_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	orl_lock(&win->mutex);
	if (orl_unlikely(check_lock(win, type, rank, assertion))) {
		orl_unlock(&win->mutex);
		return refuse_lock(win, type, rank, assertion);
	}
	target = &win->targets[rank];
	target->held = kind_of(type, assertion);
	win->epoch = ORL_EPOCH_LOCK;
	hurry = win->nlocks++ ? ORL_MODE_HURRY : 0;
	orl_unlock(&win->mutex);
	acquire(win, target, hurry);
	target->access = 1;
	return MPI_SUCCESS;
}

static ORL_COLD int refuse_unlock(struct orl_win *win, int rank)
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
	int rc, held;

	if (orl_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	if (orl_unlikely((unsigned)rank >= win->size ||
			 win->epoch != ORL_EPOCH_LOCK ||
			 !win->targets[rank].access))
		return refuse_unlock(win, rank);
	orl_progress_tick();
	target = &win->targets[rank];
	rc = target->path->flush(target);
	held = target->held;
	target->access = 0;
	release(win, target, held);
	orl_lock(&win->mutex);
	target->held = ORL_HELD_NOTHING;
	if (--win->nlocks == 0)
		win->epoch = ORL_EPOCH_NONE;
	orl_unlock(&win->mutex);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_unlock", rc, "target %d",
				    rank);
	return MPI_SUCCESS;
}

/* Communication: one atomic.  Memory: O(1). */
int orl_win_lock_all(struct orl_win *win, int assertion)
{
	const char *call = "MPI_Win_lock_all";
	bool legal;

	if (orl_unlikely(assertion & ~MPI_MODE_NOCHECK))
		return orl_win_fail(win, call, MPI_ERR_ASSERT,
				    "assertion %#x has bits that no lock takes",
				    (unsigned)assertion);
	orl_lock(&win->mutex);
	legal = !orl_info_no_locks(win) && !win->exposing &&
		!orl_epoch_objection(win, ORL_CALL_LOCK_ALL);
	if (orl_likely(legal))
		win->epoch = ORL_EPOCH_LOCK_ALL;
	orl_unlock(&win->mutex);
	if (orl_unlikely(!legal))
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC, "%s",
				    sync_reason(win, ORL_CALL_LOCK_ALL));
	win->lock_all_nocheck = assertion & MPI_MODE_NOCHECK;
	if (!win->lock_all_nocheck)
		orl_rwlock_enter(master(win), ORL_MODE_SHARED);
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
	orl_progress_tick();
	rc = orl_win_drain(win);
	win->access_all = 0;
	if (!win->lock_all_nocheck)
		orl_rwlock_leave(master(win), ORL_MODE_SHARED);
	orl_lock(&win->mutex);
	win->epoch = ORL_EPOCH_NONE;
	orl_unlock(&win->mutex);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_unlock_all", rc, "%s", "");
	return MPI_SUCCESS;
}
