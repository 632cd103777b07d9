/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * communicate.c - MPI-3.1 section 11.3 and the large-count forms of MPI-4.0:
 * the communication calls.  The argument lists end here: what is behind
 * works on descriptors.
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

#define COUNT	   int
#define NAME(name) name
#include "counted.h"
#undef COUNT
#undef NAME

#if MPI_VERSION >= 4
#define COUNT	   MPI_Count
#define NAME(name) name##_c
#include "counted.h"
#undef COUNT
#undef NAME
#endif

int MPI_Fetch_and_op(const void *origin_addr, void *result_addr,
		     MPI_Datatype datatype, int target_rank,
		     MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xone x = { .origin = origin_addr,
				    .result = result_addr,
				    .type = datatype,
				    .disp = target_disp,
				    .op = op,
				    .rank = target_rank };

	if (orl_unlikely(!w))
		return orl_host.Fetch_and_op(origin_addr, result_addr, datatype,
					     target_rank, target_disp, op, win);
	return orl_win_calls(w)->fetch_and_op(w, &x);
}
ORL_ALIAS(Fetch_and_op);

int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr,
			 void *result_addr, MPI_Datatype datatype,
			 int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	struct orl_win *w = orl_win_find(win);
	const struct orl_xone x = { .origin = origin_addr,
				    .result = result_addr,
				    .type = datatype,
				    .disp = target_disp,
				    .op = MPI_OP_NULL,
				    .rank = target_rank };

	if (orl_unlikely(!w))
		return orl_host.Compare_and_swap(origin_addr, compare_addr,
						 result_addr, datatype,
						 target_rank, target_disp, win);
	return orl_win_calls(w)->compare_and_swap(w, &x, compare_addr);
}
ORL_ALIAS(Compare_and_swap);
