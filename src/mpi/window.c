/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.c - MPI-3.1 sections 11.2.1 to 11.2.5 and 8.2, and the large-count
 * forms of MPI-4.0: windows, memory.
 */
#include "entry.h"

#include <string.h>

int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
		   MPI_Comm comm, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_create",
					   .flavor = MPI_WIN_FLAVOR_CREATE,
					   .base = base,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	return orl_win_create(&args, win);
}
ORL_ALIAS(Win_create);

/* baseptr is the address of a pointer of any type. */
static int allocate(const struct orl_win_args *args, void *baseptr,
		    MPI_Win *win)
{
	int rc = orl_win_create(args, win);
	void *base;

	if (rc)
		return rc;
	base = orl_win_base(orl_win_find(*win));
	memcpy(baseptr, &base, sizeof(base));
	return MPI_SUCCESS;
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
		     void *baseptr, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_allocate",
					   .flavor = MPI_WIN_FLAVOR_ALLOCATE,
					   .base = NULL,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	return allocate(&args, baseptr, win);
}
ORL_ALIAS(Win_allocate);

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info,
			    MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_allocate_shared",
					   .flavor = MPI_WIN_FLAVOR_SHARED,
					   .base = NULL,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	return allocate(&args, baseptr, win);
}
ORL_ALIAS(Win_allocate_shared);

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_create_dynamic",
					   .flavor = MPI_WIN_FLAVOR_DYNAMIC,
					   .base = MPI_BOTTOM,
					   .size = 0,
					   .disp_unit = 1,
					   .info = info,
					   .comm = comm };

	return orl_win_create(&args, win);
}
ORL_ALIAS(Win_create_dynamic);

int MPI_Win_free(MPI_Win *win)
{
	struct orl_win *w = orl_win_find(*win);

	return orl_likely(w) ? orl_win_free(win, w) : orl_host.Win_free(win);
}
ORL_ALIAS(Win_free);

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_attach(w, base, size)
			     : orl_host.Win_attach(win, base, size);
}
ORL_ALIAS(Win_attach);

int MPI_Win_detach(MPI_Win win, const void *base)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_detach(w, base)
			     : orl_host.Win_detach(win, base);
}
ORL_ALIAS(Win_detach);

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit,
			 void *baseptr)
{
	struct orl_win *w = orl_win_find(win);
	MPI_Aint unit;
	int rc;

	if (orl_unlikely(!w))
		return orl_host.Win_shared_query(win, rank, size, disp_unit,
						 baseptr);
	rc = orl_win_shared_query(w, rank, size, &unit, baseptr);
	if (!rc)
		*disp_unit = (int)unit;
	return rc;
}
ORL_ALIAS(Win_shared_query);

/* The info argument changes nothing: all memory is of the best kind. */
int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	return orl_mem_alloc(size, baseptr);
}
ORL_ALIAS(Alloc_mem);

int MPI_Free_mem(void *base)
{
	return orl_mem_free(base);
}
ORL_ALIAS(Free_mem);

#if MPI_VERSION >= 4
int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit,
		     MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_create_c",
					   .flavor = MPI_WIN_FLAVOR_CREATE,
					   .base = base,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	return orl_win_create(&args, win);
}
ORL_ALIAS(Win_create_c);

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
		       MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_allocate_c",
					   .flavor = MPI_WIN_FLAVOR_ALLOCATE,
					   .base = NULL,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	return allocate(&args, baseptr, win);
}
ORL_ALIAS(Win_allocate_c);

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
			      MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_allocate_shared_c",
					   .flavor = MPI_WIN_FLAVOR_SHARED,
					   .base = NULL,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	return allocate(&args, baseptr, win);
}
ORL_ALIAS(Win_allocate_shared_c);

int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size,
			   MPI_Aint *disp_unit, void *baseptr)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w)
		       ? orl_win_shared_query(w, rank, size, disp_unit, baseptr)
		       : orl_host.Win_shared_query_c(win, rank, size, disp_unit,
						     baseptr);
}
ORL_ALIAS(Win_shared_query_c);
#endif
