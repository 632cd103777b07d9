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
MPI_Comm orl_host_self = MPI_COMM_NULL;

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

/* Sets *fn; false, with the reason logged, if the host has no such name. */
static bool find_function(const char *name, void *fn)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(fn, &found, sizeof(found));
	if (!found)
		orl_log(ORL_LOG_ERROR, "%s has no %s", orl_host_name, name);
	return found;
}

bool orl_host_load(void)
{
	bool all = is_own_host();

#define ORL_HOST_FIND(name)                                                    \
	all = all && find_function("PMPI_" #name, &orl_host.name);
	ORL_HOST_FUNCTIONS(ORL_HOST_FIND)
#undef ORL_HOST_FIND
	return all;
}

/*
 * A rank that waits in Oriel must go on serving the host's messages: its
 * peer may be in a blocking send to it before it can come to the point that
 * is waited for.  Probing a communicator of this process alone makes MPICH
 * look at nothing that comes from others.
 */
static bool has_ended;

static void poll_host(void)
{
	int flag;

	if (!has_ended)
		PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
			    MPI_STATUS_IGNORE);
}

void orl_host_end(void)
{
	has_ended = true;
}

bool orl_host_has_world(void)
{
	static _Atomic(bool) known;
	int flag = 0;

	if (orl_likely(atomic_load_explicit(&known, memory_order_relaxed)))
		return true;
	PMPI_Initialized(&flag);
	if (flag)
		atomic_store_explicit(&known, true, memory_order_relaxed);
	return flag;
}

/*
 * Not a duplicate: that would run the user's attribute callbacks, and be a
 * collective beside one that another thread may have on MPI_COMM_SELF.
 */
static int make_self(void)
{
	MPI_Group group;
	int rc = PMPI_Comm_group(MPI_COMM_SELF, &group);

	if (rc)
		return rc;
	rc = PMPI_Comm_create_group(MPI_COMM_SELF, group, SELF_TAG,
				    &orl_host_self);
	PMPI_Group_free(&group);
	return rc;
}

static int start(void)
{
	int level, rc;

	rc = make_self();
	if (rc)
		return orl_host_error_class(rc);
	PMPI_Comm_set_errhandler(orl_host_self, MPI_ERRORS_RETURN);
	PMPI_Query_thread(&level);
	orl_threaded = level == MPI_THREAD_MULTIPLE;
	orl_log(ORL_LOG_INFO,
		"Oriel " PACKAGE_VERSION " does the windows of %s",
		orl_host_name);
	return orl_progress_register(poll_host) ? MPI_ERR_INTERN : 0;
}

int orl_host_start(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static _Atomic(int) started;
	int rc = 0;

	if (orl_likely(started))
		return 0;
	pthread_mutex_lock(&lock);
	if (!started) {
		rc = start();
		started = !rc;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
