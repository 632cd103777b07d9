/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object.c - MPI-3.1 sections 11.2.6 and 11.2.7: what a window tells.  The
 * handle is a window of the host's, so names, user attributes, error
 * handlers and conversions to Fortran need nothing here.
 */
#include "entry.h"

int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_get_group(w, group)
			     : orl_host.Win_get_group(win, group);
}
ORL_ALIAS(Win_get_group);

int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_set_info(w, info)
			     : orl_host.Win_set_info(win, info);
}
ORL_ALIAS(Win_set_info);

int MPI_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_get_info(w, info_used)
			     : orl_host.Win_get_info(win, info_used);
}
ORL_ALIAS(Win_get_info);

int MPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val,
		     int *flag)
{
	struct orl_win *w = orl_win_find(win);

	if (!w || !orl_win_get_attr(w, win_keyval, attribute_val))
		return orl_host.Win_get_attr(win, win_keyval, attribute_val,
					     flag);
	*flag = 1;
	return MPI_SUCCESS;
}
ORL_ALIAS(Win_get_attr);
