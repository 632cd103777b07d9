/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.c - sessions (MPI-4.0, section 11.3): the program's are counted,
 * and while it has no world beside them, Oriel keeps what it needs of the host
 * in one of its own, so that no window depends on a session but that of its
 * communicator.
 */
#include "orl_host.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "host.h"
#include "orl_util.h"

/* By name, since the program may run on a newer host than this was built
 * with; NULL where the host has no sessions. */
static struct {
	int (*init)(MPI_Info, MPI_Errhandler, MPI_Session *);
	int (*finalize)(MPI_Session *);
	int (*get_info)(MPI_Session, MPI_Info *);
	int (*find_group)(MPI_Session, const char *, MPI_Group *);
	int (*make_comm)(MPI_Group, const char *, MPI_Info, MPI_Errhandler,
			 MPI_Comm *);
} host;

static _Atomic(int) sessions;
_Atomic(bool) orl_session_threaded;

/* Ours: begun by orl_session_self, under the lock of orl_host_start. */
static MPI_Session own;
static MPI_Comm own_self = MPI_COMM_NULL;
static int world_size = 1, world_rank;

static void find(const char *name, void *fn)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(fn, &found, sizeof(found));
}

void orl_session_load(void)
{
	find("PMPI_Session_init", &host.init);
	find("PMPI_Session_finalize", &host.finalize);
	find("PMPI_Session_get_info", &host.get_info);
	find("PMPI_Group_from_session_pset", &host.find_group);
	find("PMPI_Comm_create_from_group", &host.make_comm);
}

/* -- the program's --------------------------------------------------------- */

/* Whoever does not say its level (Open MPI 5.0) may have any. */
static bool is_threaded(MPI_Session session)
{
	char level[64];
	MPI_Info info;
	bool known;

	if (host.get_info(session, &info))
		return true;
	known = orl_host_info_get(info, "thread_level", level, sizeof(level));
	orl_host_info_free(&info);
	return !known || !strcmp(level, "MPI_THREAD_MULTIPLE");
}

int orl_host_session_init(MPI_Info info, MPI_Errhandler handler,
			  MPI_Session *session)
{
	int rc = MPI_ERR_OTHER;

	if (host.init)
		rc = host.init(info, handler, session);
	if (rc)
		return rc;
	if (is_threaded(*session))
		orl_session_threaded = true;
	atomic_fetch_add(&sessions, 1);
	return MPI_SUCCESS;
}

int orl_host_session_finalize(MPI_Session *session)
{
	int rc = MPI_ERR_OTHER;

	if (host.finalize)
		rc = host.finalize(session);
	if (!rc && atomic_fetch_sub(&sessions, 1) == 1 && orl_host_has_world())
		orl_host_part();
	return rc;
}

int orl_host_sessions(void)
{
	return sessions;
}

/* -- ours ------------------------------------------------------------------ */

static int make_self(void)
{
	MPI_Group group;
	int rc = host.find_group(own, "mpi://SELF", &group);

	if (rc)
		return rc;
	rc = host.make_comm(group, "oriel", MPI_INFO_NULL, MPI_ERRORS_RETURN,
			    &own_self);
	PMPI_Group_free(&group);
	return rc;
}

static void look_at_world(void)
{
	MPI_Group group;

	if (host.find_group(own, "mpi://WORLD", &group))
		return;
	PMPI_Group_size(group, &world_size);
	PMPI_Group_rank(group, &world_rank);
	PMPI_Group_free(&group);
}

int orl_session_self(MPI_Comm *self)
{
	int rc = 0;

	if (own_self == MPI_COMM_NULL) {
		rc = host.init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
		if (rc)
			return rc;
		rc = make_self();
		if (rc) {
			host.finalize(&own);
			return rc;
		}
		PMPI_Comm_set_errhandler(own_self, MPI_ERRORS_RETURN);
		look_at_world();
	}
	*self = own_self;
	return rc;
}

bool orl_session_is_ours(void)
{
	return own_self != MPI_COMM_NULL;
}

int orl_session_world_size(void)
{
	return world_size;
}

int orl_session_world_rank(void)
{
	return world_rank;
}

void orl_session_end(void)
{
	PMPI_Comm_free(&own_self);
	host.finalize(&own);
}
