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

	return orl_likely(w) ? orl_win_notify_wait(w, tag, count)
			     : no_window("Oriel_Notify_wait");
}

int Oriel_Notify_test(MPI_Win win, int tag, int count, int *flag)
{
	struct orl_win *w = orl_win_find(win);

	return orl_likely(w) ? orl_win_notify_test(w, tag, count, flag)
			     : no_window("Oriel_Notify_test");
}
