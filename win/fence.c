/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.c - MPI_Win_fence: complete everything, then the window's barrier. */
#include "win.h"

#define KNOWN                                                                  \
	(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |              \
	 MPI_MODE_NOSUCCEED)

static int synchronise(struct orl_win *win)
{
	const bool spans = orl_unlikely(win->spans && orl_remote_links(win));
	int rc = spans ? orl_remote_flush_for_barrier(win) : 0, one;

	one = orl_win_drain_near(win);
	rc = rc ? rc : one;
	one = orl_win_barrier(win);
	rc = rc ? rc : one;
	one = spans ? orl_remote_finish(win) : 0;
	return rc ? rc : one;
}

/*
 * With NOPRECEDE and NOSUCCEED the call ends no epoch and starts none, so it
 * need not synchronise (section 11.5.1).  With NOPRECEDE alone it must: the
 * operations that follow may not reach a target before it has called fence.
 *
 * Communication: O(log ranks) stores or messages, and what completes the
 * operations.  Memory: O(1).
 */
int orl_win_fence(struct orl_win *win, int assertion)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_FENCE);
	const int neither = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
	int rc;

	if (orl_unlikely(why))
		return orl_win_fail(win, "MPI_Win_fence", MPI_ERR_RMA_SYNC,
				    "%s", why);
	if (orl_unlikely(assertion & ~KNOWN))
		return orl_win_fail(win, "MPI_Win_fence", MPI_ERR_ASSERT,
				    "assertion %#x has bits that no fence "
				    "takes",
				    (unsigned)assertion);
	rc = (assertion & neither) == neither ? orl_win_drain(win)
					      : synchronise(win);
	orl_lock(&win->mutex);
	orl_epoch_set(win, assertion & MPI_MODE_NOSUCCEED ? ORL_EPOCH_NONE
							  : ORL_EPOCH_FENCE);
	orl_epoch_close(win);
	orl_unlock(&win->mutex);
	if (orl_unlikely(rc))
		return orl_win_fail(win, "MPI_Win_fence", rc, "%s", "");
	return MPI_SUCCESS;
}
