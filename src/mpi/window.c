/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.c - MPI-3.1 sections 11.2.1 to 11.2.5 and 8.2, and the large-count
 * forms of MPI-4.0: windows, memory.  Where there is no MPI, the host says so.
 */
#include "entry.h"

#include <string.h>

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

#define UNIT	   int
#define NAME(name) name
#include "unit.h"
#undef UNIT
#undef NAME

#if MPI_VERSION >= 4
#define UNIT	   MPI_Aint
#define NAME(name) name##_c
#include "unit.h"
#undef UNIT
#undef NAME
#endif

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	const struct orl_win_args args = { .call = "MPI_Win_create_dynamic",
					   .flavor = MPI_WIN_FLAVOR_DYNAMIC,
					   .base = MPI_BOTTOM,
					   .size = 0,
					   .disp_unit = 1,
					   .info = info,
					   .comm = comm };

	if (orl_unlikely(!orl_host_is_up()))
		return orl_host.Win_create_dynamic(info, comm, win);
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

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	if (orl_unlikely(!orl_host_is_up()))
		return orl_host.Alloc_mem(size, info, baseptr);
	return orl_mem_alloc(size, info, baseptr);
}
ORL_ALIAS(Alloc_mem);

int MPI_Free_mem(void *base)
{
	if (orl_unlikely(!orl_host_is_up()) && !orl_mem_is_ours(base))
		return orl_host.Free_mem(base);
	return orl_mem_free(base);
}
ORL_ALIAS(Free_mem);
