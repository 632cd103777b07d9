/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * communicate.c - MPI-3.1 section 11.3: the communication calls.  The
 * argument lists end here: what is behind works on descriptors.
 */
#include "entry.h"

#define CALL(name) "MPI_" #name

/* The descriptor of a transfer, every member named. */
#define XFER(name, is_request)                                                 \
	{                                                                      \
		.call = CALL(name), .origin = origin_addr,                     \
		.ocount = origin_count, .otype = origin_datatype,              \
		.tcount = target_count, .ttype = target_datatype,              \
		.disp = target_disp, .rank = target_rank,                      \
		.request = is_request                                          \
	}

int MPI_Put(const void *origin_addr, int origin_count,
	    MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
	    int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Put, false);

	if (orl_unlikely(!w))
		return orl_host.Put(origin_addr, origin_count, origin_datatype,
				    target_rank, target_disp, target_count,
				    target_datatype, win);
	return orl_win_put(w, &x);
}
ORL_ALIAS(Put);

int MPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    int target_rank, MPI_Aint target_disp, int target_count,
	    MPI_Datatype target_datatype, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Get, false);

	if (orl_unlikely(!w))
		return orl_host.Get(origin_addr, origin_count, origin_datatype,
				    target_rank, target_disp, target_count,
				    target_datatype, win);
	return orl_win_get(w, &x);
}
ORL_ALIAS(Get);

int MPI_Accumulate(const void *origin_addr, int origin_count,
		   MPI_Datatype origin_datatype, int target_rank,
		   MPI_Aint target_disp, int target_count,
		   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = {.xfer = XFER(Accumulate, false),
				   .op = op,
				   .result = NULL,
				   .rcount = 0,
				   .rtype = MPI_DATATYPE_NULL};

	if (orl_unlikely(!w))
		return orl_host.Accumulate(origin_addr, origin_count,
					   origin_datatype, target_rank,
					   target_disp, target_count,
					   target_datatype, op, win);
	return orl_win_accumulate(w, &x);
}
ORL_ALIAS(Accumulate);

int MPI_Get_accumulate(const void *origin_addr, int origin_count,
		       MPI_Datatype origin_datatype, void *result_addr,
		       int result_count, MPI_Datatype result_datatype,
		       int target_rank, MPI_Aint target_disp, int target_count,
		       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = {.xfer = XFER(Get_accumulate, false),
				   .op = op,
				   .result = result_addr,
				   .rcount = result_count,
				   .rtype = result_datatype};

	if (orl_unlikely(!w))
		return orl_host.Get_accumulate(
			origin_addr, origin_count, origin_datatype, result_addr,
			result_count, result_datatype, target_rank, target_disp,
			target_count, target_datatype, op, win);
	return orl_win_get_accumulate(w, &x);
}
ORL_ALIAS(Get_accumulate);

int MPI_Fetch_and_op(const void *origin_addr, void *result_addr,
		     MPI_Datatype datatype, int target_rank,
		     MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = {.xfer = {.call = CALL(Fetch_and_op),
					    .origin = origin_addr,
					    .ocount = 1,
					    .otype = datatype,
					    .tcount = 1,
					    .ttype = datatype,
					    .disp = target_disp,
					    .rank = target_rank,
					    .request = false},
				   .op = op,
				   .result = result_addr,
				   .rcount = 1,
				   .rtype = datatype};

	if (orl_unlikely(!w))
		return orl_host.Fetch_and_op(origin_addr, result_addr, datatype,
					     target_rank, target_disp, op, win);
	return orl_win_fetch_and_op(w, &x);
}
ORL_ALIAS(Fetch_and_op);

int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr,
			 void *result_addr, MPI_Datatype datatype,
			 int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = {.xfer = {.call = CALL(Compare_and_swap),
					    .origin = origin_addr,
					    .ocount = 1,
					    .otype = datatype,
					    .tcount = 1,
					    .ttype = datatype,
					    .disp = target_disp,
					    .rank = target_rank,
					    .request = false},
				   .op = MPI_OP_NULL,
				   .result = result_addr,
				   .rcount = 1,
				   .rtype = datatype};

	if (orl_unlikely(!w))
		return orl_host.Compare_and_swap(origin_addr, compare_addr,
						 result_addr, datatype,
						 target_rank, target_disp, win);
	return orl_win_compare_and_swap(w, &x, compare_addr);
}
ORL_ALIAS(Compare_and_swap);

int MPI_Rput(const void *origin_addr, int origin_count,
	     MPI_Datatype origin_datatype, int target_rank,
	     MPI_Aint target_disp, int target_count,
	     MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Rput, true);
	int rc;

	if (orl_unlikely(!w))
		return orl_host.Rput(origin_addr, origin_count, origin_datatype,
				     target_rank, target_disp, target_count,
				     target_datatype, win, request);
	rc = orl_win_put(w, &x);
	return rc ? rc : orl_win_request(w, request);
}
ORL_ALIAS(Rput);

int MPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	     int target_rank, MPI_Aint target_disp, int target_count,
	     MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Rget, true);
	int rc;

	if (orl_unlikely(!w))
		return orl_host.Rget(origin_addr, origin_count, origin_datatype,
				     target_rank, target_disp, target_count,
				     target_datatype, win, request);
	rc = orl_win_get(w, &x);
	return rc ? rc : orl_win_request(w, request);
}
ORL_ALIAS(Rget);

int MPI_Raccumulate(const void *origin_addr, int origin_count,
		    MPI_Datatype origin_datatype, int target_rank,
		    MPI_Aint target_disp, int target_count,
		    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
		    MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = {.xfer = XFER(Raccumulate, true),
				   .op = op,
				   .result = NULL,
				   .rcount = 0,
				   .rtype = MPI_DATATYPE_NULL};
	int rc;

	if (orl_unlikely(!w))
		return orl_host.Raccumulate(origin_addr, origin_count,
					    origin_datatype, target_rank,
					    target_disp, target_count,
					    target_datatype, op, win, request);
	rc = orl_win_accumulate(w, &x);
	return rc ? rc : orl_win_request(w, request);
}
ORL_ALIAS(Raccumulate);

int MPI_Rget_accumulate(const void *origin_addr, int origin_count,
			MPI_Datatype origin_datatype, void *result_addr,
			int result_count, MPI_Datatype result_datatype,
			int target_rank, MPI_Aint target_disp, int target_count,
			MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
			MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = {.xfer = XFER(Rget_accumulate, true),
				   .op = op,
				   .result = result_addr,
				   .rcount = result_count,
				   .rtype = result_datatype};
	int rc;

	if (orl_unlikely(!w))
		return orl_host.Rget_accumulate(
			origin_addr, origin_count, origin_datatype, result_addr,
			result_count, result_datatype, target_rank, target_disp,
			target_count, target_datatype, op, win, request);
	rc = orl_win_get_accumulate(w, &x);
	return rc ? rc : orl_win_request(w, request);
}
ORL_ALIAS(Rget_accumulate);
