/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * init.c - MPI_Init and MPI_Init_thread: the host's.  Nothing of Oriel's
 * begins before the first window, but this is the place to notice that the
 * program is about to talk to another MPI than its own.
 */
#include "entry.h"

int MPI_Init(int *argc, char ***argv)
{
	orl_host_tell_second();
	return orl_host.Init(argc, argv);
}
ORL_ALIAS(Init);

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	orl_host_tell_second();
	return orl_host.Init_thread(argc, argv, required, provided);
}
ORL_ALIAS(Init_thread);
