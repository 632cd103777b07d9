/* SPDX-License-Identifier: BSD-3-Clause */
/* synchronise.c - MPI-3.1 section 11.5: the synchronisation calls. */
#include "entry.h"

int MPI_Win_fence(int assertion, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->fence(w, assertion)
			     : orl_host.Win_fence(assertion, win);
}
ORL_ALIAS(Win_fence);

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->post(w, group, assertion)
			     : orl_host.Win_post(group, assertion, win);
}
ORL_ALIAS(Win_post);

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->start(w, group, assertion)
			     : orl_host.Win_start(group, assertion, win);
}
ORL_ALIAS(Win_start);

int MPI_Win_complete(MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->complete(w)
			     : orl_host.Win_complete(win);
}
ORL_ALIAS(Win_complete);

int MPI_Win_wait(MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->wait(w)
			     : orl_host.Win_wait(win);
}
ORL_ALIAS(Win_wait);

int MPI_Win_test(MPI_Win win, int *flag)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->test(w, flag)
			     : orl_host.Win_test(win, flag);
}
ORL_ALIAS(Win_test);

int MPI_Win_lock(int lock_type, int rank, int assertion, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w)
		       ? orl_win_calls(w)->lock(w, lock_type, rank, assertion)
		       : orl_host.Win_lock(lock_type, rank, assertion, win);
}
ORL_ALIAS(Win_lock);

int MPI_Win_unlock(int rank, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->unlock(w, rank)
			     : orl_host.Win_unlock(rank, win);
}
ORL_ALIAS(Win_unlock);

int MPI_Win_lock_all(int assertion, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->lock_all(w, assertion)
			     : orl_host.Win_lock_all(assertion, win);
}
ORL_ALIAS(Win_lock_all);

int MPI_Win_unlock_all(MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->unlock_all(w)
			     : orl_host.Win_unlock_all(win);
}
ORL_ALIAS(Win_unlock_all);

int MPI_Win_flush(int rank, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->flush(w, rank)
			     : orl_host.Win_flush(rank, win);
}
ORL_ALIAS(Win_flush);

int MPI_Win_flush_all(MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->flush_all(w)
			     : orl_host.Win_flush_all(win);
}
ORL_ALIAS(Win_flush_all);

int MPI_Win_flush_local(int rank, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->flush_local(w, rank)
			     : orl_host.Win_flush_local(rank, win);
}
ORL_ALIAS(Win_flush_local);

int MPI_Win_flush_local_all(MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->flush_local_all(w)
			     : orl_host.Win_flush_local_all(win);
}
ORL_ALIAS(Win_flush_local_all);

int MPI_Win_sync(MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->sync(w)
			     : orl_host.Win_sync(win);
}
ORL_ALIAS(Win_sync);
