/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counted.h - the communication calls that take counts, of the type COUNT
 * and with names made by NAME: included once for int and, where the host
 * has MPI 4, once for MPI_Count and names that end in _c.
 */

int ENTRY(Put)(const void *origin_addr, COUNT origin_count,
	       MPI_Datatype origin_datatype, int target_rank,
	       MPI_Aint target_disp, COUNT target_count,
	       MPI_Datatype target_datatype, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Put, false);

	if (orl_unlikely(!w))
		return orl_host.NAME(Put)(
			origin_addr, origin_count, origin_datatype, target_rank,
			target_disp, target_count, target_datatype, win);
	return orl_win_calls(w)->put(w, &x);
}
ORL_ALIAS(NAME(Put));

int ENTRY(Get)(void *origin_addr, COUNT origin_count,
	       MPI_Datatype origin_datatype, int target_rank,
	       MPI_Aint target_disp, COUNT target_count,
	       MPI_Datatype target_datatype, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Get, false);

	if (orl_unlikely(!w))
		return orl_host.NAME(Get)(
			origin_addr, origin_count, origin_datatype, target_rank,
			target_disp, target_count, target_datatype, win);
	return orl_win_calls(w)->get(w, &x);
}
ORL_ALIAS(NAME(Get));

int ENTRY(Accumulate)(const void *origin_addr, COUNT origin_count,
		      MPI_Datatype origin_datatype, int target_rank,
		      MPI_Aint target_disp, COUNT target_count,
		      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = { .xfer = XFER(Accumulate, false),
				    .op = op,
				    .result = NULL,
				    .rcount = 0,
				    .rtype = MPI_DATATYPE_NULL };

	if (orl_unlikely(!w))
		return orl_host.NAME(Accumulate)(
			origin_addr, origin_count, origin_datatype, target_rank,
			target_disp, target_count, target_datatype, op, win);
	return orl_win_calls(w)->accumulate(w, &x);
}
ORL_ALIAS(NAME(Accumulate));

int ENTRY(Get_accumulate)(const void *origin_addr, COUNT origin_count,
			  MPI_Datatype origin_datatype, void *result_addr,
			  COUNT result_count, MPI_Datatype result_datatype,
			  int target_rank, MPI_Aint target_disp,
			  COUNT target_count, MPI_Datatype target_datatype,
			  MPI_Op op, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = { .xfer = XFER(Get_accumulate, false),
				    .op = op,
				    .result = result_addr,
				    .rcount = result_count,
				    .rtype = result_datatype };

	if (orl_unlikely(!w))
		return orl_host.NAME(Get_accumulate)(
			origin_addr, origin_count, origin_datatype, result_addr,
			result_count, result_datatype, target_rank, target_disp,
			target_count, target_datatype, op, win);
	return orl_win_calls(w)->get_accumulate(w, &x);
}
ORL_ALIAS(NAME(Get_accumulate));

int ENTRY(Rput)(const void *origin_addr, COUNT origin_count,
		MPI_Datatype origin_datatype, int target_rank,
		MPI_Aint target_disp, COUNT target_count,
		MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Rput, true);

	if (orl_unlikely(!w))
		return orl_host.NAME(Rput)(origin_addr, origin_count,
					   origin_datatype, target_rank,
					   target_disp, target_count,
					   target_datatype, win, request);
	return orl_win_calls(w)->rput(w, &x, request);
}
ORL_ALIAS(NAME(Rput));

int ENTRY(Rget)(void *origin_addr, COUNT origin_count,
		MPI_Datatype origin_datatype, int target_rank,
		MPI_Aint target_disp, COUNT target_count,
		MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Rget, true);

	if (orl_unlikely(!w))
		return orl_host.NAME(Rget)(origin_addr, origin_count,
					   origin_datatype, target_rank,
					   target_disp, target_count,
					   target_datatype, win, request);
	return orl_win_calls(w)->rget(w, &x, request);
}
ORL_ALIAS(NAME(Rget));

int ENTRY(Raccumulate)(const void *origin_addr, COUNT origin_count,
		       MPI_Datatype origin_datatype, int target_rank,
		       MPI_Aint target_disp, COUNT target_count,
		       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
		       MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = { .xfer = XFER(Raccumulate, true),
				    .op = op,
				    .result = NULL,
				    .rcount = 0,
				    .rtype = MPI_DATATYPE_NULL };

	if (orl_unlikely(!w))
		return orl_host.NAME(Raccumulate)(
			origin_addr, origin_count, origin_datatype, target_rank,
			target_disp, target_count, target_datatype, op, win,
			request);
	return orl_win_calls(w)->raccumulate(w, &x, request);
}
ORL_ALIAS(NAME(Raccumulate));

int ENTRY(Rget_accumulate)(const void *origin_addr, COUNT origin_count,
			   MPI_Datatype origin_datatype, void *result_addr,
			   COUNT result_count, MPI_Datatype result_datatype,
			   int target_rank, MPI_Aint target_disp,
			   COUNT target_count, MPI_Datatype target_datatype,
			   MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = { .xfer = XFER(Rget_accumulate, true),
				    .op = op,
				    .result = result_addr,
				    .rcount = result_count,
				    .rtype = result_datatype };

	if (orl_unlikely(!w))
		return orl_host.NAME(Rget_accumulate)(
			origin_addr, origin_count, origin_datatype, result_addr,
			result_count, result_datatype, target_rank, target_disp,
			target_count, target_datatype, op, win, request);
	return orl_win_calls(w)->rget_accumulate(w, &x, request);
}
ORL_ALIAS(NAME(Rget_accumulate));
