/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object.c - what can be asked of a window.  Names, user attributes and
 * error handlers are the host's own, on the handle.
 */
#include "win.h"

#include <string.h>

int orl_win_get_group(struct orl_win *win, MPI_Group *group)
{
	int rc = orl_host_group_copy(win->comm.group, group);

	if (rc)
		return orl_win_fail(win, "MPI_Win_get_group", rc,
				    "the host MPI gives no group");
	return MPI_SUCCESS;
}

/* Section 11.2.6: pointers to the window's own values, in C. */
bool orl_win_get_attr(struct orl_win *win, int keyval, void *value)
{
	static int model = MPI_WIN_UNIFIED;
	void *found;

	if (keyval == MPI_WIN_BASE)
		found = win->base;
	else if (keyval == MPI_WIN_SIZE)
		found = &win->bytes;
	else if (keyval == MPI_WIN_DISP_UNIT)
		found = &win->disp_unit;
	else if (keyval == MPI_WIN_CREATE_FLAVOR)
		found = &win->flavor;
	else if (keyval == MPI_WIN_MODEL)
		found = &model;
	else
		return false;
	memcpy(value, &found, sizeof(found));
	return true;
}

const char *orl_win_path_name(const struct orl_win *win, int rank)
{
	return (unsigned)rank < win->size ? win->targets[rank].path->name
					  : NULL;
}

int *orl_win_progress(struct orl_win *win)
{
	int mode = !win->spans ? 0 : orl_progress_has_thread() ? 2 : 1;

	__atomic_store_n(&win->progress, mode, __ATOMIC_RELAXED);
	return &win->progress;
}

int orl_win_check_keyval(struct orl_win *win, const char *call, int keyval)
{
	void *ignored;

	if (keyval != MPI_KEYVAL_INVALID &&
	    !orl_win_get_attr(win, keyval, &ignored))
		return MPI_SUCCESS;
	return orl_win_fail(win, call, MPI_ERR_KEYVAL,
			    keyval == MPI_KEYVAL_INVALID
				    ? "the key is MPI_KEYVAL_INVALID"
				    : "the key is predefined: its attribute "
				      "cannot be changed");
}

/* Section 11.2.3: MPI_PROC_NULL asks for the first rank that has memory. */
static uint32_t first_with_memory(const struct orl_win *win)
{
	uint32_t i;

	for (i = 0; i < win->size; i++)
		if (win->targets[i].size)
			return i;
	return 0;
}

/* Is it memory that we may load from and store to? */
static bool is_shared(const struct orl_win *win,
		      const struct orl_target *target)
{
	return win->flavor == MPI_WIN_FLAVOR_SHARED ||
	       target->rank == win->rank || target->path->mapped;
}

/* The hosts give NULL for a part of nothing that is apart. */
static bool has_place(const struct orl_win *win,
		      const struct orl_target *target)
{
	return target->size || win->contiguous ||
	       win->flavor != MPI_WIN_FLAVOR_SHARED;
}

/* MPI-4.1, section 12.2.3: of all windows but dynamic ones; where memory is
 * not shared it is told to be none. */
int orl_win_shared_query(struct orl_win *win, int rank, MPI_Aint *size,
			 MPI_Aint *unit, void *base)
{
	const struct orl_target *target;
	void *address = NULL;

	if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return orl_win_fail(win, "MPI_Win_shared_query",
				    MPI_ERR_RMA_FLAVOR,
				    "the window is of "
				    "MPI_Win_create_dynamic");
	if (rank != MPI_PROC_NULL && (unsigned)rank >= win->size)
		return orl_win_fail(win, "MPI_Win_shared_query", MPI_ERR_RANK,
				    "no rank %d in the window", rank);
	target = &win->targets[rank == MPI_PROC_NULL ? first_with_memory(win)
						     : (uint32_t)rank];
	*size = 0;
	*unit = (MPI_Aint)target->disp_unit;
	if (is_shared(win, target) && has_place(win, target)) {
		address = (void *)(target->base + (uint64_t)target->delta);
		*size = (MPI_Aint)target->size;
	}
	memcpy(base, &address, sizeof(address));
	return MPI_SUCCESS;
}
