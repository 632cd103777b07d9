/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flush.c - completing operations.  Mapped memory is written by the call
 * itself, so its flush is a memory fence: what this process does next is
 * ordered after its stores, also a load of something else.  Where there were
 * none since the last flush there is nothing to order: loads are in order, and
 * the CPU's atomics are fences.  Remote targets are flushed all at once, by
 * one round trip each.
 */
#include "win.h"

static int complete_near(struct orl_win *win, bool local)
{
	int rc = 0, one;
	uint32_t i;

	if (orl_unlikely(win->nic != NULL))
		rc = orl_nic_flush_near(win);
	if (orl_likely(!win->queues))
		return rc;
	for (i = 0; i < win->nnear; i++) {
		struct orl_target *target = &win->targets[win->near[i]];

		/* Ours is seen; of other threads', flush decides. */
		if (!__atomic_load_n(&target->queue, __ATOMIC_RELAXED))
			continue;
		one = local ? target->path->finish(target)
			    : target->path->flush(target);
		rc = rc ? rc : one;
	}
	return rc;
}

static int complete_all(struct orl_win *win, bool local)
{
	int rc = 0, near;

	if (orl_unlikely(win->spans))
		rc = local ? orl_remote_finish(win) : orl_remote_flush(win);
	near = complete_near(win, local);
	return rc ? rc : near;
}

int orl_win_drain(struct orl_win *win)
{
	int rc = complete_all(win, false);

	orl_fence();
	return rc;
}

int orl_win_drain_near(struct orl_win *win)
{
	int rc = complete_near(win, false);

	orl_fence();
	return rc;
}

static inline bool may_flush(const struct orl_win *win, int rank)
{
	uint8_t epoch = orl_epoch_of(win);

	if (orl_unlikely((unsigned)rank >= win->size))
		return false;
	return epoch == ORL_EPOCH_LOCK_ALL ||
	       (epoch == ORL_EPOCH_LOCK && win->targets[rank].held);
}

bool orl_flush_may(const struct orl_win *win, int rank)
{
	return may_flush(win, rank);
}

static ORL_COLD int refuse_all(struct orl_win *win, const char *call)
{
	return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
			    "%s; a flush needs a passive epoch",
			    orl_epoch_objection(win, ORL_CALL_FLUSH));
}

static ORL_COLD int refuse(struct orl_win *win, const char *call, int rank)
{
	if (rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if ((unsigned)rank >= win->size)
		return orl_win_fail(win, call, MPI_ERR_RANK,
				    "no rank %d in the window", rank);
	if (!orl_epoch_is_passive(win))
		return refuse_all(win, call);
	return orl_win_fail(win, call, MPI_ERR_RMA_SYNC,
			    "target %d is not locked", rank);
}

/* What follows comes after the stores of the operations. */
static inline void order(struct orl_win *win)
{
	if (orl_unlikely(win->always_fences)) {
		orl_fence();
		return;
	}
	if (orl_likely(!__atomic_load_n(&win->has_stored, __ATOMIC_RELAXED))) {
		atomic_thread_fence(memory_order_acq_rel);
		return;
	}
	__atomic_store_n(&win->has_stored, false, __ATOMIC_RELAXED);
	orl_fence();
}

/* Where operations may not be complete when their calls return. */
static __attribute__((noinline)) int complete_one(struct orl_win *win, int rank,
						  bool local)
{
	struct orl_target *target = &win->targets[rank];
	int rc = local ? target->path->finish(target)
		       : target->path->flush(target);

	if (orl_unlikely(win->nic != NULL) && !rc)
		rc = orl_nic_flush(win, target);
	orl_fence();
	return rc;
}

static ORL_COLD int fail_one(struct orl_win *win, const char *call, int rank,
			     int rc)
{
	return orl_win_fail(win, call, rc, "target %d", rank);
}

static inline int flush_one(struct orl_win *win, const char *call, int rank,
			    bool local)
{
	int rc;

	if (orl_unlikely(!may_flush(win, rank)))
		return refuse(win, call, rank);
	orl_progress_tick();
	if (orl_unlikely(win->is_late)) {
		rc = complete_one(win, rank, local);
		return rc ? fail_one(win, call, rank, rc) : MPI_SUCCESS;
	}
	if (!local)
		order(win);
	return MPI_SUCCESS;
}

static __attribute__((noinline)) int complete_late(struct orl_win *win,
						   const char *call, bool local)
{
	int rc = complete_all(win, local);

	orl_fence();
	return rc ? orl_win_fail(win, call, rc, "%s", "") : MPI_SUCCESS;
}

static inline int flush_all(struct orl_win *win, const char *call, bool local)
{
	if (orl_unlikely(!orl_epoch_is_passive(win)))
		return refuse_all(win, call);
	orl_progress_tick();
	if (orl_unlikely(win->is_late))
		return complete_late(win, call, local);
	if (!local)
		order(win);
	return MPI_SUCCESS;
}

int orl_flush_one(struct orl_win *win, const char *call, int rank)
{
	return flush_one(win, call, rank, false);
}

int orl_win_flush(struct orl_win *win, int rank)
{
	return flush_one(win, "MPI_Win_flush", rank, false);
}

int orl_win_flush_local(struct orl_win *win, int rank)
{
	return flush_one(win, "MPI_Win_flush_local", rank, true);
}

int orl_win_flush_all(struct orl_win *win)
{
	return flush_all(win, "MPI_Win_flush_all", false);
}

int orl_win_flush_local_all(struct orl_win *win)
{
	return flush_all(win, "MPI_Win_flush_local_all", true);
}

/* Public and private copy are one: only order is to be made. */
int orl_win_sync(struct orl_win *win)
{
	orl_fence();
	/* Not before: the fence would wait for its store. */
	orl_progress_tick();
	return MPI_SUCCESS;
}
