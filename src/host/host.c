/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host.c - finding the host MPI, and the little that Oriel keeps in it from
 * the first window to MPI_Finalize.
 */
#include "orl_host.h"

#include "config.h"
#include "host.h"
#include "orl_progress.h"
#include "orl_util.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct orl_host orl_host;
const char orl_host_name[] = ORL_HOST_NAME;

/* MPICH writes up to 8192 bytes, whatever the constant says elsewhere. */
#define VERSION_BYTES 8192

/* Of the messages that make orl_host_self; any will do. */
#define SELF_TAG 11

typedef int (*version_fn)(char *, int *);

/*
 * The MPI that the program's own calls reach: the first in search order.
 * Another one can be loaded beside it, as a dependency of this library.
 */
static bool is_own_host(void)
{
	static char version[VERSION_BYTES];
	version_fn get_version =
		(version_fn)dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
	char *tab;
	int len = 0;

	if (!get_version || get_version(version, &len))
		return true;
	if (!strncmp(version, orl_host_name, strlen(orl_host_name)))
		return true;
	version[strcspn(version, "\n,")] = 0;
	tab = strchr(version, '\t');
	if (tab)
		*tab = ' ';
	orl_log(ORL_LOG_ERROR,
		"this liboriel serves %s, but the program uses \"%.60s\"; "
		"start it with the orielrun of that MPI or link it with that "
		"MPI's liboriel, or do without Oriel",
		orl_host_name, version);
	return false;
}

/* Sets *fn; false if the host has no such name. */
static bool find_any(const char *name, void *fn)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(fn, &found, sizeof(found));
	return found;
}

/* The same, with the reason logged. */
static bool find_function(const char *name, void *fn)
{
	bool found = find_any(name, fn);

	if (!found)
		orl_log(ORL_LOG_ERROR, "%s has no %s", orl_host_name, name);
	return found;
}

bool orl_host_load(void)
{
	bool all = is_own_host();

	orl_session_load();
#define ORL_HOST_FIND(name)                                                    \
	all = all && find_function("PMPI_" #name, &orl_host.name);
	ORL_HOST_FUNCTIONS(ORL_HOST_FIND)
#undef ORL_HOST_FIND
#define ORL_HOST_FIND(name) find_any("PMPI_" #name, &orl_host.name);
	ORL_HOST_NEWER(ORL_HOST_FIND)
#undef ORL_HOST_FIND
	return all;
}

/* -- whether there is MPI -------------------------------------------------- */

static _Atomic(bool) is_up;

bool orl_host_has_world(void)
{
	int begun = 0, ended = 0;

	PMPI_Initialized(&begun);
	PMPI_Finalized(&ended);
	return begun && !ended;
}

bool orl_host_is_up(void)
{
	bool up;

	if (orl_likely(atomic_load_explicit(&is_up, memory_order_relaxed)))
		return true;
	up = orl_host_sessions() || orl_host_has_world();
	if (up)
		atomic_store_explicit(&is_up, true, memory_order_relaxed);
	return up;
}

_Atomic(bool) orl_host_has_met;

bool orl_host_is_whole(void)
{
#ifdef ORL_HOST_OPENMPI
	return true;
#else
	return atomic_load_explicit(&orl_host_has_met, memory_order_relaxed);
#endif
}

/* -- the host's progress --------------------------------------------------- */

/*
 * A rank that waits in Oriel must go on serving the host's messages: its
 * peer may be in a blocking send to it before it can come to the point that
 * is waited for.  Asking for the status of a request that never completes
 * makes the host look at all that comes, with or without a world.
 */
static MPI_Request endless = MPI_REQUEST_NULL;
static _Atomic(bool) is_polled;

static void poll_host(void)
{
	int flag;

	if (atomic_load_explicit(&is_polled, memory_order_relaxed) &&
	    orl_host_is_whole())
		orl_host.Request_get_status(endless, &flag, MPI_STATUS_IGNORE);
}

static int keep(void *state)
{
	return MPI_SUCCESS;
}

static int begin_polling(void)
{
	int rc = 0;

	if (endless == MPI_REQUEST_NULL)
		rc = orl_host_request_start(keep, NULL, &endless);
	if (rc)
		return rc;
	atomic_store_explicit(&is_polled, true, memory_order_relaxed);
	return orl_progress_register(poll_host) ? MPI_ERR_INTERN : 0;
}

/* The request is lost with the host if that is gone, or cannot free it. */
static void end_polling(void)
{
	atomic_store_explicit(&is_polled, false, memory_order_relaxed);
	if (orl_session_is_ours() && endless != MPI_REQUEST_NULL) {
		orl_host_request_complete(endless);
		if (orl_host_is_whole())
			orl_host.Request_free(&endless);
	}
	endless = MPI_REQUEST_NULL;
}

/* -- the communicator of this process alone -------------------------------- */

MPI_Comm orl_host_self = MPI_COMM_NULL;

/*
 * While there is a world, its: never freed, and usable until the program's
 * sessions have ended too.  Else that of a session of ours, on which stand
 * windows of the program's sessions alone, so that it can end with them: MPICH
 * puts off MPI_Finalize's work while there is any session.
 */
static MPI_Comm worlds_self = MPI_COMM_NULL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over all this */
static _Atomic(bool) started;
static _Atomic(bool) in_world; /* orl_host_self is the world's */

/*
 * Not a duplicate: that would run the user's attribute callbacks, and be a
 * collective beside one that another thread may have on MPI_COMM_SELF.
 */
static int make_worlds_self(void)
{
	MPI_Group group;
	int rc;

	if (worlds_self != MPI_COMM_NULL)
		return 0;
	rc = PMPI_Comm_group(MPI_COMM_SELF, &group);
	if (rc)
		return rc;
	rc = PMPI_Comm_create_group(MPI_COMM_SELF, group, SELF_TAG,
				    &worlds_self);
	PMPI_Group_free(&group);
	if (!rc)
		PMPI_Comm_set_errhandler(worlds_self, MPI_ERRORS_RETURN);
	return rc;
}

static int choose_self(bool world)
{
	MPI_Comm self;
	int rc = world ? make_worlds_self() : orl_session_self(&self);

	if (rc)
		return orl_host_error_class(rc);
	orl_host_self = world ? worlds_self : self;
	in_world = world;
	if (world)
		orl_host_has_met = true;
	return 0;
}

/* -- beginning and end ----------------------------------------------------- */

static bool is_threaded(bool world)
{
	int level = MPI_THREAD_SINGLE;

	if (world)
		PMPI_Query_thread(&level);
	return level == MPI_THREAD_MULTIPLE || orl_session_threaded;
}

static int start(bool world)
{
	int rc = choose_self(world);

	if (rc)
		return rc;
	if (is_threaded(world))
		orl_threaded = true;
	orl_log(ORL_LOG_INFO,
		"Oriel " PACKAGE_VERSION " does the windows of %s",
		orl_host_name);
	return begin_polling();
}

int orl_host_start(void)
{
	bool world = orl_host_has_world();
	int rc = 0;

	if (orl_likely(started && in_world == world))
		return 0;
	pthread_mutex_lock(&lock);
	if (!started || in_world != world) {
		rc = start(world);
		started = !rc;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static void end_session(void)
{
	orl_bare_end(orl_session_is_ours());
	if (orl_session_is_ours())
		orl_session_end();
	started = false;
}

void orl_host_part(void)
{
	pthread_mutex_lock(&lock);
	end_session();
	pthread_mutex_unlock(&lock);
}

void orl_host_end(void)
{
	pthread_mutex_lock(&lock);
	end_polling();
	end_session();
	orl_errors_end();
	orl_types_end();
	orl_host_self = worlds_self = MPI_COMM_NULL;
	orl_host_has_met = false;
	is_up = false;
	pthread_mutex_unlock(&lock);
}
