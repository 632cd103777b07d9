/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * finalize.c - MPI_Finalize and sessions: the host's, with what Oriel keeps of
 * the network and of the host taken down behind the last of them.
 */
#include "entry.h"

#pragma GCC visibility push(default)
/* On hosts without sessions there is no other declaration. */
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler,
		     MPI_Session *session);
int MPI_Session_finalize(MPI_Session *session);
#pragma GCC visibility pop

int MPI_Finalize(void)
{
	int rc;

	if (!orl_host_sessions())
		orl_win_leave();
	rc = orl_host.Finalize();
	if (!orl_host_sessions())
		orl_win_left();
	return rc;
}
ORL_ALIAS(Finalize);

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler,
		     MPI_Session *session)
{
	return orl_host_session_init(info, errhandler, session);
}
ORL_ALIAS(Session_init);

int MPI_Session_finalize(MPI_Session *session)
{
	int rc = orl_host_session_finalize(session);

	if (!rc && !orl_host_sessions() && !orl_host_has_world()) {
		orl_win_leave();
		orl_win_left();
	}
	return rc;
}
ORL_ALIAS(Session_finalize);
