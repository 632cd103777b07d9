/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dup.c - several windows on one memory: each has a control block, targets
 * and epochs of its own, made as those of any window.  Memory that a window
 * has allocated is given back by the last of them that is freed; of dynamic
 * ones each has a table of what is attached to all.
 */
#include "regions.h"

static pthread_mutex_t rings = PTHREAD_MUTEX_INITIALIZER;

void orl_alike_lock(void)
{
	pthread_mutex_lock(&rings);
}

void orl_alike_unlock(void)
{
	pthread_mutex_unlock(&rings);
}

int orl_win_join(struct orl_win *win, struct orl_win *of)
{
	int rc = 0;

	win->contiguous = of->contiguous;
	orl_alike_lock();
	if (win->dynamic)
		rc = orl_regions_copy(win, of);
	if (!rc) {
		win->alike = orl_alike_next(of);
		of->alike = win;
	}
	orl_alike_unlock();
	return rc;
}

static struct orl_win *before(struct orl_win *win)
{
	struct orl_win *at = win->alike;

	while (at->alike != win)
		at = at->alike;
	return at;
}

static void leave_ring(struct orl_win *win)
{
	struct orl_win *heir = win->alike;

	if (win->memory)
		heir->memory = win->memory;
	win->memory = NULL;
	before(win)->alike = heir->alike == win ? NULL : heir;
	win->alike = NULL;
}

void orl_win_part(struct orl_win *win)
{
	orl_alike_lock();
	if (win->alike)
		leave_ring(win);
	orl_alike_unlock();
}

int orl_win_dup(struct orl_win *of, MPI_Info info, MPI_Win *handle)
{
	static const char call[] = "Oriel_Win_dup";
	struct orl_win_args args = { .call = call,
				     .flavor = of->flavor,
				     .base = of->base,
				     .size = of->bytes,
				     .disp_unit = of->disp_unit,
				     .info = info,
				     .comm = MPI_COMM_NULL,
				     .of = of };
	int rc;

	if (of->is_leaving)
		return orl_win_fail(of, call, MPI_ERR_WIN,
				    "MPI_Win_free was called");
	rc = orl_host_comm_make(of->comm.group, of->number, &args.comm);
	if (rc)
		return orl_win_fail(of, call, rc,
				    "no communicator of the window's group: "
				    "not all are of MPI_COMM_WORLD");
	rc = orl_win_create(&args, handle);
	orl_host_comm_drop(&args.comm);
	return rc;
}
