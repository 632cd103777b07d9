/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object.c - MPI-3.1 sections 11.2.6 and 11.2.7, names and error handlers:
 * what a window tells.  Mostly the handle is a window of the host's, which
 * then does names, user attributes and error handlers itself; some handles
 * are not (orl_host_win_is_bare).
 */
#include "entry.h"

#include "oriel.h"

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

	if (w && orl_win_get_attr(w, win_keyval, attribute_val)) {
		*flag = 1;
		return MPI_SUCCESS;
	}
	if (w && win_keyval == ORIEL_WIN_PROGRESS) {
		*(int **)attribute_val = orl_win_progress(w);
		*flag = 1;
		return MPI_SUCCESS;
	}
	if (orl_likely(!orl_host_win_is_bare(win)))
		return orl_host.Win_get_attr(win, win_keyval, attribute_val,
					     flag);
	*flag = 0;
	return MPI_SUCCESS;
}
ORL_ALIAS(Win_get_attr);

int MPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
	struct orl_win *w = orl_win_find(win);
	int rc = w ? orl_win_check_keyval(w, "MPI_Win_set_attr", win_keyval)
		   : MPI_SUCCESS;

	if (rc)
		return rc;
	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_no_attributes(win);
	return orl_host.Win_set_attr(win, win_keyval, attribute_val);
}
ORL_ALIAS(Win_set_attr);

int MPI_Win_delete_attr(MPI_Win win, int win_keyval)
{
	struct orl_win *w = orl_win_find(win);
	int rc = w ? orl_win_check_keyval(w, "MPI_Win_delete_attr", win_keyval)
		   : MPI_SUCCESS;

	if (rc)
		return rc;
	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_no_attributes(win);
	return orl_host.Win_delete_attr(win, win_keyval);
}
ORL_ALIAS(Win_delete_attr);

int MPI_Win_set_name(MPI_Win win, const char *win_name)
{
	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_set_name(win, win_name);
	return orl_host.Win_set_name(win, win_name);
}
ORL_ALIAS(Win_set_name);

int MPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_get_name(win, win_name, resultlen);
	return orl_host.Win_get_name(win, win_name, resultlen);
}
ORL_ALIAS(Win_get_name);

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_set_errhandler(win, errhandler);
	return orl_host.Win_set_errhandler(win, errhandler);
}
ORL_ALIAS(Win_set_errhandler);

int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_get_errhandler(win, errhandler);
	return orl_host.Win_get_errhandler(win, errhandler);
}
ORL_ALIAS(Win_get_errhandler);

int MPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
	if (orl_unlikely(orl_host_win_is_bare(win)))
		return orl_host_bare_call_errhandler(win, errorcode);
	return orl_host.Win_call_errhandler(win, errorcode);
}
ORL_ALIAS(Win_call_errhandler);
