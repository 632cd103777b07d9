/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * finalize.c - MPI_Finalize: the host's, with what Oriel keeps of the network
 * taken down around it.
 */
#include "entry.h"

int MPI_Finalize(void)
{
	int rc;

	orl_win_leave();
	rc = orl_host.Finalize();
	orl_win_left();
	return rc;
}
ORL_ALIAS(Finalize);
