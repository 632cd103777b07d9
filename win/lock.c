/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.c - passive target epochs (MPI-3.1 section 11.5.3).
 *
 * Each rank's control block has a fair read-write lock, which MPI_Win_lock
 * takes there itself.  lock_all takes no lock of the node's ranks: it enters
 * one lock of the node, the master, on one side, and holders of exclusive
 * locks enter it on the other.  So lock_all costs the same for any number of
 * ranks, and excludes exclusive locks; shared locks exclude neither.
 *
 * Of a rank of another node the owner takes the lock for us (serve.c), when
 * the first operation that needs it travels there (path's lazy lock).  In a
 * window that spans nodes lock_all takes nothing by itself: the first access
 * to a rank of this node enters the master, the first one to a remote rank
 * asks for its lock, shared.
 *
 * A process that holds a lock already enters others past the line: those in
 * line may be waiting for what it holds.
 */
#include "win.h"

static struct orl_rwlock *lock_of(struct orl_target *target)
{
	return &orl_target_ctl(target)->lock;
}

/* The master is entered once for all exclusive locks of this process. */
static void enter_master(struct orl_win *win, int hurry)
{
	orl_lock(&win->master_mutex);
	if (win->nexclusive++ == 0)
		orl_rwlock_enter(win->master, ORL_MODE_SECOND | hurry);
	orl_unlock(&win->master_mutex);
}

static void leave_master(struct orl_win *win)
{
	orl_lock(&win->master_mutex);
	if (--win->nexclusive == 0)
		orl_rwlock_leave(win->master, ORL_MODE_SECOND);
	orl_unlock(&win->master_mutex);
}

static int mode_of(int held)
{
	return held == ORL_HELD_EXCLUSIVE ? ORL_MODE_EXCLUSIVE
					  : ORL_MODE_SHARED;
}

static int acquire_remote(struct orl_win *win, struct orl_target *target,
			  int hurry)
{
	struct orl_link *link = orl_remote_link(win, target);

	if (!link)
		return -ENOMEM;
	if (target->held == ORL_HELD_NOCHECK)
		return 0;
	return orl_path_lock(link, (uint8_t)(mode_of(target->held) | hurry));
}

/* Sends what gives the lock back; the path's flush waits for the end. */
static int release_remote(struct orl_target *target, int held)
{
	if (held == ORL_HELD_NOCHECK)
		return 0;
	return orl_path_unlock(target->link, (uint8_t)mode_of(held));
}

static int acquire(struct orl_win *win, struct orl_target *target, int hurry)
{
	if (target->path->remote)
		return acquire_remote(win, target, hurry);
	if (target->held == ORL_HELD_EXCLUSIVE) {
		enter_master(win, hurry);
		orl_rwlock_enter(lock_of(target), ORL_MODE_EXCLUSIVE | hurry);
	} else if (target->held == ORL_HELD_SHARED) {
		orl_rwlock_enter(lock_of(target), ORL_MODE_SHARED | hurry);
	}
	return 0;
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

static ORL_COLD int fail_lock(struct orl_win *win, struct orl_target *target,
			      int rc)
{
	orl_lock(&win->mutex);
	target->held = ORL_HELD_NOTHING;
	if (--win->nlocks == 0)
		win->epoch = ORL_EPOCH_NONE;
	orl_unlock(&win->mutex);
	return orl_win_fail(win, "MPI_Win_lock", rc, "target %u", target->rank);
}

/*
 * Communication: one atomic, for an exclusive lock two; of a remote target
 * nothing before its first operation.  Memory: O(1).
 */
int orl_win_lock(struct orl_win *win, int type, int rank, int assertion)
{
	struct orl_target *target;
	int hurry, rc;

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
	rc = acquire(win, target, hurry);
	if (orl_unlikely(rc))
		return fail_lock(win, target, rc);
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
	held = target->held;
	rc = target->path->remote ? release_remote(target, held) : 0;
	if (orl_likely(!rc))
		rc = target->path->flush(target);
	target->access = 0;
	if (orl_likely(!target->path->remote))
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

/* -- all targets ----------------------------------------------------------- */

/* In windows that span nodes; under the master mutex. */
static int reach(struct orl_win *win, struct orl_target *target)
{
	int hurry = win->nlocks ? ORL_MODE_HURRY : 0;

	if (target->path->remote) {
		target->held = win->lock_all_nocheck ? ORL_HELD_NOCHECK
						     : ORL_HELD_SHARED;
		win->nlocks++;
		return acquire_remote(win, target, hurry);
	}
	if (win->in_master || win->lock_all_nocheck)
		return 0;
	orl_rwlock_enter(win->master, ORL_MODE_SHARED | hurry);
	win->in_master = true;
	win->nlocks++;
	return 0;
}

int orl_lock_all_reach(struct orl_win *win, struct orl_target *target)
{
	int rc = 0;

	orl_lock(&win->master_mutex);
	if (!target->access) {
		rc = reach(win, target);
		if (!rc)
			__atomic_store_n(&target->access, 1, __ATOMIC_RELEASE);
	}
	orl_unlock(&win->master_mutex);
	return rc;
}

/* Sends what gives the locks back, to all at once. */
static int release_links(struct orl_win *win)
{
	struct orl_link *link;
	int rc = 0, one;

	for (link = win->links; link; link = link->next) {
		struct orl_target *target = &win->targets[link->target];

		if (!target->held)
			continue;
		one = release_remote(target, target->held);
		rc = rc ? rc : one;
		target->held = ORL_HELD_NOTHING;
	}
	return rc;
}

/*
 * Communication: one atomic; none, but at first accesses, if the window spans
 * nodes.  Memory: O(1).
 */
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
	if (orl_unlikely(win->spans))
		return MPI_SUCCESS;
	win->in_master = !win->lock_all_nocheck;
	if (win->in_master)
		orl_rwlock_enter(win->master, ORL_MODE_SHARED);
	win->access_all = 1;
	return MPI_SUCCESS;
}

int orl_win_unlock_all(struct orl_win *win)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_UNLOCK_ALL);
	int rc = 0, drained;

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_unlock_all", MPI_ERR_RMA_SYNC,
				    "%s", why);
	orl_progress_tick();
	if (orl_unlikely(win->spans))
		rc = release_links(win);
	drained = orl_win_drain(win);
	rc = rc ? rc : drained;
	if (win->in_master)
		orl_rwlock_leave(win->master, ORL_MODE_SHARED);
	win->in_master = false;
	orl_lock(&win->mutex);
	orl_epoch_close(win);
	win->nlocks = 0;
	win->epoch = ORL_EPOCH_NONE;
	orl_unlock(&win->mutex);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_unlock_all", rc, "%s", "");
	return MPI_SUCCESS;
}
