/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.h - the calls that take or tell a displacement unit, of the type UNIT
 * and with names made by NAME: included once for int and, where the host has
 * MPI 4, once for MPI_Aint and names that end in _c.
 */

int ENTRY(Win_create)(void *base, MPI_Aint size, UNIT disp_unit, MPI_Info info,
		      MPI_Comm comm, MPI_Win *win)
{
	const struct orl_win_args args = { .call = STRING(ENTRY(Win_create)),
					   .flavor = MPI_WIN_FLAVOR_CREATE,
					   .base = base,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	if (orl_unlikely(!orl_host_is_up()))
		return orl_host.NAME(Win_create)(base, size, disp_unit, info,
						 comm, win);
	return orl_win_create(&args, win);
}
ORL_ALIAS(NAME(Win_create));

int ENTRY(Win_allocate)(MPI_Aint size, UNIT disp_unit, MPI_Info info,
			MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	const struct orl_win_args args = { .call = STRING(ENTRY(Win_allocate)),
					   .flavor = MPI_WIN_FLAVOR_ALLOCATE,
					   .base = NULL,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	if (orl_unlikely(!orl_host_is_up()))
		return orl_host.NAME(Win_allocate)(size, disp_unit, info, comm,
						   baseptr, win);
	return allocate(&args, baseptr, win);
}
ORL_ALIAS(NAME(Win_allocate));

int ENTRY(Win_allocate_shared)(MPI_Aint size, UNIT disp_unit, MPI_Info info,
			       MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	const struct orl_win_args args = { .call = STRING(
						   ENTRY(Win_allocate_shared)),
					   .flavor = MPI_WIN_FLAVOR_SHARED,
					   .base = NULL,
					   .size = size,
					   .disp_unit = disp_unit,
					   .info = info,
					   .comm = comm };

	if (orl_unlikely(!orl_host_is_up()))
		return orl_host.NAME(Win_allocate_shared)(size, disp_unit, info,
							  comm, baseptr, win);
	return allocate(&args, baseptr, win);
}
ORL_ALIAS(NAME(Win_allocate_shared));

int ENTRY(Win_shared_query)(MPI_Win win, int rank, MPI_Aint *size,
			    UNIT *disp_unit, void *baseptr)
{
	struct orl_win *w = orl_win_find(win);
	MPI_Aint unit;
	int rc;

	if (orl_unlikely(!w))
		return orl_host.NAME(Win_shared_query)(win, rank, size,
						       disp_unit, baseptr);
	rc = orl_win_shared_query(w, rank, size, &unit, baseptr);
	if (!rc)
		*disp_unit = (UNIT)unit;
	return rc;
}
ORL_ALIAS(NAME(Win_shared_query));
