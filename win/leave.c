/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leave.c - what this process ends with MPI: before and after MPI_Finalize,
 * which may call back into the program, and that may use windows still.  So
 * the network ends after it; a session that comes later opens it anew.
 */
#include "check.h"
#include "watch.h"

void orl_win_leave(void)
{
	orl_check_leave();
	orl_host_unhook();
}

void orl_win_left(void)
{
	orl_host_end();
	orl_type_end();
	orl_stats_leave();
	orl_trace_close();
	if (!orl_am_is_open())
		return;
	orl_acc_end();
	orl_am_close();
}
