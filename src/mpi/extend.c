/* SPDX-License-Identifier: BSD-3-Clause */
/* extend.c - the calls of oriel.h, beyond MPI's. */
#include "entry.h"

#pragma GCC visibility push(default)
#include "oriel.h"
#pragma GCC visibility pop

#include <stdio.h>

/* There is no host that could know more of it. */
static ORL_COLD int no_window(const char *call)
{
	char text[128];

	snprintf(text, sizeof(text), "%s: not a window of Oriel's", call);
	return orl_host_raise_comm(MPI_COMM_NULL,
				   orl_host_error_code(MPI_ERR_WIN, text));
}

/* The arguments that most calls share, as MPI names them. */
#define XFER(name)                                                             \
	{                                                                      \
		.call = "Oriel_" #name, .origin = origin_addr,                 \
		.ocount = origin_count, .otype = origin_datatype,              \
		.tcount = target_count, .ttype = target_datatype,              \
		.disp = target_disp, .rank = target_rank, .request = false     \
	}

/* -- notifications --------------------------------------------------------- */

int Oriel_Put_notify(const void *origin_addr, int origin_count,
		     MPI_Datatype origin_datatype, int target_rank,
		     MPI_Aint target_disp, int target_count,
		     MPI_Datatype target_datatype, int tag, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Put_notify);

	return orl_likely(w) ? orl_win_put_notify(w, &x, tag)
			     : no_window(x.call);
}

int Oriel_Get_notify(void *origin_addr, int origin_count,
		     MPI_Datatype origin_datatype, int target_rank,
		     MPI_Aint target_disp, int target_count,
		     MPI_Datatype target_datatype, int tag, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xfer x = XFER(Get_notify);

	return orl_likely(w) ? orl_win_get_notify(w, &x, tag)
			     : no_window(x.call);
}

int Oriel_Accumulate_notify(const void *origin_addr, int origin_count,
			    MPI_Datatype origin_datatype, int target_rank,
			    MPI_Aint target_disp, int target_count,
			    MPI_Datatype target_datatype, MPI_Op op, int tag,
			    MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = { .xfer = XFER(Accumulate_notify),
				    .op = op,
				    .result = NULL,
				    .rcount = 0,
				    .rtype = MPI_DATATYPE_NULL };

	return orl_likely(w) ? orl_win_accumulate_notify(w, &x, tag)
			     : no_window(x.xfer.call);
}

int Oriel_Notify_wait(MPI_Win win, int tag, int count)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->notify_wait(w, tag, count)
			     : no_window("Oriel_Notify_wait");
}

int Oriel_Notify_test(MPI_Win win, int tag, int count, int *flag)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w)
		       ? orl_win_calls(w)->notify_test(w, tag, count, flag)
		       : no_window("Oriel_Notify_test");
}

/* -- requests -------------------------------------------------------------- */

/* The descriptor of a call on one element. */
#define ELEMENT(name)                                                          \
	{                                                                      \
		.call = "Oriel_" #name, .origin = origin_addr, .ocount = 1,    \
		.otype = datatype, .tcount = 1, .ttype = datatype,             \
		.disp = target_disp, .rank = target_rank, .request = true      \
	}

int Oriel_Rfetch_and_op(const void *origin_addr, void *result_addr,
			MPI_Datatype datatype, int target_rank,
			MPI_Aint target_disp, MPI_Op op, MPI_Win win,
			MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = { .xfer = ELEMENT(Rfetch_and_op),
				    .op = op,
				    .result = result_addr,
				    .rcount = 1,
				    .rtype = datatype };

	return orl_likely(w) ? orl_win_rfetch_and_op(w, &x, request)
			     : no_window(x.xfer.call);
}

int Oriel_Rcompare_and_swap(const void *origin_addr, const void *compare_addr,
			    void *result_addr, MPI_Datatype datatype,
			    int target_rank, MPI_Aint target_disp, MPI_Win win,
			    MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xacc x = { .xfer = ELEMENT(Rcompare_and_swap),
				    .op = MPI_OP_NULL,
				    .result = result_addr,
				    .rcount = 1,
				    .rtype = datatype };

	return orl_likely(w)
		       ? orl_win_rcompare_and_swap(w, &x, compare_addr, request)
		       : no_window(x.xfer.call);
}

int Oriel_Rflush(int rank, MPI_Win win, MPI_Request *request)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_calls(w)->rflush(w, rank, request)
			     : no_window("Oriel_Rflush");
}

/* -- windows --------------------------------------------------------------- */

int Oriel_Win_dup(MPI_Win win, MPI_Info info, MPI_Win *newwin)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_dup(w, info, newwin)
			     : no_window("Oriel_Win_dup");
}
