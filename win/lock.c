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
 * window that spans nodes leases take the master's place (lease.c).
 *
 * A process that holds a lock already, of whatever window, enters others past
 * the line (hurry.c): those in line may be waiting for what it holds.  That is
 * at the price of their turn, so epochs of lock_all, which programs leave open
 * for as long as they run, do not count.  models/lock_all.pml and windows.pml
 * are this.
 */
#include "win.h"

#include "hurry.h"

static struct orl_rwlock *lock_of(struct orl_target *target)
{
	return &orl_target_ctl(target)->lock;
}

/* Locks that who asks for one has counted for it: an epoch of lock_all counts
 * none. */
enum { OF_ALL, OF_LOCK };

static int hurry_beside(uint32_t own)
{
	return orl_hurry_has(own) ? ORL_MODE_HURRY : 0;
}

/* How many there were; 0 stays 0 if joins. */
static uint32_t count_exclusive(struct orl_win *win, int32_t change, bool joins)
{
	uint32_t n;

	orl_lock(&win->mutex);
	n = win->nexclusive;
	if (n || !joins)
		win->nexclusive = n + (uint32_t)change;
	orl_unlock(&win->mutex);
	return n;
}

static void enter_near(const struct orl_win *win, struct orl_rwlock *lock,
		       int mode, uint32_t own)
{
	if (orl_likely(orl_rwlock_enter_at_once(lock, mode)))
		return;
	mode |= hurry_beside(own);
	/* Of ranks of other nodes in the line it would take more than time. */
	if (!win->spans)
		mode |= ORL_MODE_TURNS;
	orl_rwlock_enter(lock, mode);
}

/*
 * The master is entered once for all exclusive locks of this process, by the
 * thread that gets in first.  None waits for another one, which may stand in
 * line where who is in a hurry does not.
 */
static int enter_master(struct orl_win *win)
{
	if (orl_unlikely(win->spans))
		return orl_lease_take(win, ORL_LEASE_ALONE);
	if (count_exclusive(win, 1, true))
		return 0;
	enter_near(win, win->master, ORL_MODE_SECOND, OF_LOCK);
	if (orl_unlikely(count_exclusive(win, 1, false)))
		orl_rwlock_leave(win->master, ORL_MODE_SECOND);
	return 0;
}

/*
 * What was put must be there for all before whatever the process reads next:
 * the end of the exclusive lock itself is a plain store, that of the master's
 * share a fence.
 */
static void leave_master(struct orl_win *win)
{
	if (orl_likely(!win->spans) && count_exclusive(win, -1, false) == 1) {
		orl_rwlock_leave(win->master, ORL_MODE_SECOND);
		return;
	}
	if (win->spans)
		orl_lease_give(win);
	orl_fence();
}

static int mode_of(int held)
{
	return held == ORL_HELD_EXCLUSIVE ? ORL_MODE_EXCLUSIVE
					  : ORL_MODE_SHARED;
}

static int enter_lock(struct orl_win *win, struct orl_target *target, int mode)
{
	struct orl_link *link;

	if (orl_likely(!target->path->remote)) {
		enter_near(win, lock_of(target), mode, OF_LOCK);
		if (orl_unlikely(win->spans) && mode == ORL_MODE_EXCLUSIVE)
			orl_rwlock_note_grant(lock_of(target));
		return 0;
	}
	link = orl_remote_link(win, target);
	if (!link)
		return -ENOMEM;
	return orl_path_lock(link, (uint8_t)(mode | hurry_beside(OF_LOCK)));
}

static int acquire(struct orl_win *win, struct orl_target *target)
{
	int rc = orl_path_settle();

	if (target->held == ORL_HELD_NOCHECK)
		return rc ? rc : orl_remote_connect(win, target);
	if (!rc && target->held == ORL_HELD_EXCLUSIVE)
		rc = enter_master(win);
	if (orl_unlikely(rc))
		return rc;
	rc = enter_lock(win, target, mode_of(target->held));
	if (orl_unlikely(rc) && target->held == ORL_HELD_EXCLUSIVE)
		leave_master(win);
	return rc;
}

/* Operations must be complete, but at remote targets, where the unlock goes
 * behind them and the path's flush then waits for both. */
static int leave_lock(struct orl_target *target, int mode)
{
	if (orl_unlikely(target->path->remote))
		return orl_path_unlock(target->link, (uint8_t)mode);
	orl_rwlock_leave(lock_of(target), mode);
	return 0;
}

/* The owner wants to know how soon after this we ask again: comeback.c. */
static int wait_for_unlock(struct orl_target *target)
{
	int rc = target->path->flush(target);

	target->link->unlocked = orl_now_us();
	return rc;
}

static int release(struct orl_win *win, struct orl_target *target)
{
	bool remote = target->path->remote;
	int rc = remote ? 0 : target->path->flush(target), one = 0;

	if (orl_unlikely(win->nic != NULL) && !rc)
		rc = orl_nic_flush(win, target);
	target->access = 0;
	if (target->held == ORL_HELD_NOCHECK)
		orl_fence();
	else
		one = leave_lock(target, mode_of(target->held));
	rc = rc ? rc : one;
	one = remote ? wait_for_unlock(target) : 0;
	return rc ? rc : one;
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
	if (orl_info_no_locks(win) ||
	    orl_epoch_objection_to_lock(win, (uint32_t)rank))
		return MPI_ERR_RMA_SYNC;
	return 0;
}

/* In place of why, the epoch's objection. */
static const char *sync_reason(const struct orl_win *win, const char *why)
{
	return orl_info_no_locks(win) ? "the window has the info key no_locks"
				      : why;
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
		return orl_win_fail(
			win, call, MPI_ERR_RMA_SYNC, "target %d: %s", rank,
			sync_reason(win, orl_epoch_objection_to_lock(
						 win, (uint32_t)rank)));
	}
}

static enum orl_held kind_of(int type, int assertion)
{
	if (assertion & MPI_MODE_NOCHECK)
		return ORL_HELD_NOCHECK;
	return type == MPI_LOCK_EXCLUSIVE ? ORL_HELD_EXCLUSIVE
					  : ORL_HELD_SHARED;
}

static inline void close_epoch(struct orl_win *win, struct orl_target *target)
{
	orl_lock(&win->mutex);
	target->held = ORL_HELD_NOTHING;
	if (--win->nlocks == 0)
		orl_epoch_set(win, ORL_EPOCH_NONE);
	orl_unlock(&win->mutex);
	orl_hurry_count_out();
}

static ORL_COLD int fail_lock(struct orl_win *win, struct orl_target *target,
			      int rc)
{
	close_epoch(win, target);
	return orl_win_fail(win, "MPI_Win_lock", rc, "target %u", target->rank);
}

/*
 * Communication: one atomic, for an exclusive lock two; of a remote target
 * nothing before its first operation.  Memory: O(1).
 */
int orl_win_lock(struct orl_win *win, int type, int rank, int assertion)
{
	struct orl_target *target;
	int rc;

	if (orl_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	orl_lock(&win->mutex);
	if (orl_unlikely(check_lock(win, type, rank, assertion))) {
		orl_unlock(&win->mutex);
		return refuse_lock(win, type, rank, assertion);
	}
	target = &win->targets[rank];
	target->held = kind_of(type, assertion);
	orl_epoch_set(win, ORL_EPOCH_LOCK);
	win->nlocks++;
	orl_unlock(&win->mutex);
	orl_hurry_count_in();
	rc = acquire(win, target);
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
	int rc;

	if (orl_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	if (orl_unlikely((unsigned)rank >= win->size ||
			 orl_epoch_of(win) != ORL_EPOCH_LOCK ||
			 !win->targets[rank].access))
		return refuse_unlock(win, rank);
	orl_progress_tick();
	target = &win->targets[rank];
	rc = release(win, target);
	if (target->held == ORL_HELD_EXCLUSIVE)
		leave_master(win);
	close_epoch(win, target);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_unlock", rc, "target %d",
				    rank);
	return MPI_SUCCESS;
}

/* -- all targets ----------------------------------------------------------- */

static int enter_all(struct orl_win *win)
{
	int rc = orl_path_settle();

	if (orl_unlikely(rc) || win->lock_all_nocheck)
		return rc;
	if (orl_unlikely(win->spans))
		return orl_lease_take(win, ORL_LEASE_ALL);
	enter_near(win, win->master, ORL_MODE_SHARED, OF_ALL);
	return 0;
}

static void leave_all(struct orl_win *win)
{
	if (win->lock_all_nocheck)
		return;
	if (orl_unlikely(win->spans))
		orl_lease_give(win);
	else
		orl_rwlock_leave(win->master, ORL_MODE_SHARED);
}

static ORL_COLD int fail_all(struct orl_win *win, int rc)
{
	orl_lock(&win->mutex);
	orl_epoch_set(win, ORL_EPOCH_NONE);
	orl_unlock(&win->mutex);
	return orl_win_fail(win, "MPI_Win_lock_all", rc, "%s", "");
}

/*
 * Communication: one atomic; between nodes none, see lease.c.  Memory: O(1).
 */
int orl_win_lock_all(struct orl_win *win, int assertion)
{
	const char *call = "MPI_Win_lock_all", *why;
	bool legal;
	int rc;

	if (orl_unlikely(assertion & ~MPI_MODE_NOCHECK))
		return orl_win_fail(win, call, MPI_ERR_ASSERT,
				    "assertion %#x has bits that no lock takes",
				    (unsigned)assertion);
	orl_lock(&win->mutex);
	why = orl_epoch_objection_now(win, ORL_CALL_LOCK_ALL);
	legal = !orl_info_no_locks(win) && !why;
	if (orl_likely(legal))
		orl_epoch_set(win, ORL_EPOCH_LOCK_ALL);
	orl_unlock(&win->mutex);
	if (orl_unlikely(!legal))
		return orl_win_fail(win, call, MPI_ERR_RMA_SYNC, "%s",
				    sync_reason(win, why));
	win->lock_all_nocheck = assertion & MPI_MODE_NOCHECK;
	rc = enter_all(win);
	if (orl_unlikely(rc))
		return fail_all(win, rc);
	orl_epoch_set_all(win, !win->spans);
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
	orl_epoch_set_all(win, false);
	leave_all(win);
	orl_lock(&win->mutex);
	orl_epoch_close(win);
	orl_epoch_set(win, ORL_EPOCH_NONE);
	orl_unlock(&win->mutex);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_unlock_all", rc, "%s", "");
	return MPI_SUCCESS;
}
