/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bare.c - window handles that are no objects of the host's.
 *
 * MPICH has 2047 context ids for all communicators and windows of a process,
 * and ends the program when they run out.  So that thousands of windows can
 * live, and communicators beside them, only the first thousand take one; and
 * none where it cannot make windows (orl_host_is_whole).  The others have
 * handles that MPICH itself refuses as invalid; their names and error handlers
 * are kept here.  They have no user attributes: the host's keyvals work on the
 * host's objects only.
 */
#include "orl_host.h"

#include "host.h"
#include "orl_util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Handles of no valid kind: MPICH's checks refuse them, all 2^24. */
#define BARE_FIRST 0xb4000000u
#define BARE_LAST  0xb4ffffffu

struct bare {
	MPI_Win handle;
	MPI_Errhandler handler; /* our reference */
	char name[MPI_MAX_OBJECT_NAME];
};

static struct orl_map bares = ORL_MAP_INIT;
/* Recursive: held while a handler runs, which may come back here. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static uint32_t next_bare = BARE_FIRST;
/* A host window to hand error handlers through; under lock. */
static MPI_Win scratch = MPI_WIN_NULL;

static struct bare *find(MPI_Win handle)
{
	return orl_map_find(&bares, (uintptr_t)handle);
}

bool orl_host_win_is_bare(MPI_Win handle)
{
	return find(handle);
}

static MPI_Win unused_handle(void)
{
	MPI_Win handle;

	do {
		handle = (MPI_Win)(intptr_t)(int)next_bare;
		next_bare = next_bare == BARE_LAST ? BARE_FIRST : next_bare + 1;
	} while (find(handle));
	return handle;
}

static int open_scratch(void)
{
	return scratch == MPI_WIN_NULL ? orl_host_win_genuine(&scratch) : 0;
}

int orl_host_bare_make(MPI_Win *handle)
{
	struct bare *bare = calloc(1, sizeof(*bare));
	int rc;

	if (!bare)
		return MPI_ERR_NO_MEM;
	bare->handler = MPI_ERRORS_ARE_FATAL;
	pthread_mutex_lock(&lock);
	bare->handle = unused_handle();
	rc = orl_map_set(&bares, (uintptr_t)bare->handle, bare);
	pthread_mutex_unlock(&lock);
	if (rc) {
		free(bare);
		return MPI_ERR_NO_MEM;
	}
	*handle = bare->handle;
	return 0;
}

/* These are nobody's to count or free. */
static bool is_predefined(MPI_Errhandler handler)
{
#ifdef MPI_ERRORS_ABORT
	if (handler == MPI_ERRORS_ABORT)
		return true;
#endif
	return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN;
}

static void drop_handler(struct bare *bare)
{
	if (!is_predefined(bare->handler))
		PMPI_Errhandler_free(&bare->handler);
}

void orl_host_bare_free(MPI_Win *handle)
{
	struct bare *bare = find(*handle);

	orl_map_del(&bares, (uintptr_t)*handle, bare);
	drop_handler(bare);
	free(bare);
	*handle = MPI_WIN_NULL;
}

int orl_host_bare_set_name(MPI_Win handle, const char *name)
{
	struct bare *bare = find(handle);

	snprintf(bare->name, sizeof(bare->name), "%s", name);
	return MPI_SUCCESS;
}

int orl_host_bare_get_name(MPI_Win handle, char *name, int *len)
{
	strcpy(name, find(handle)->name);
	*len = (int)strlen(name);
	return MPI_SUCCESS;
}

/* The host counts references by what is set on its own objects. */
static int take_reference(MPI_Errhandler handler, MPI_Errhandler *taken)
{
	int rc;

	*taken = handler;
	if (is_predefined(handler))
		return MPI_SUCCESS;
	pthread_mutex_lock(&lock);
	rc = open_scratch();
	if (!rc)
		rc = orl_host.Win_set_errhandler(scratch, handler);
	if (!rc)
		rc = orl_host.Win_get_errhandler(scratch, taken);
	pthread_mutex_unlock(&lock);
	return rc;
}

static int refuse(MPI_Win handle, const char *why);

int orl_host_bare_set_errhandler(MPI_Win handle, MPI_Errhandler handler)
{
	struct bare *bare = find(handle);
	MPI_Errhandler taken;

	if (take_reference(handler, &taken))
		return refuse(handle, "the host MPI refuses the error handler, "
				      "or has no window that could hold it");
	drop_handler(bare);
	bare->handler = taken;
	return MPI_SUCCESS;
}

int orl_host_bare_get_errhandler(MPI_Win handle, MPI_Errhandler *handler)
{
	return take_reference(find(handle)->handler, handler);
}

/* It needs no window, and there may be none. */
static int call_predefined(MPI_Errhandler handler, int code)
{
	int rc = PMPI_Comm_set_errhandler(orl_host_self, handler);

	if (!rc)
		rc = PMPI_Comm_call_errhandler(orl_host_self, code);
	PMPI_Comm_set_errhandler(orl_host_self, MPI_ERRORS_RETURN);
	return rc;
}

/* A handler function sees the scratch window's handle as its window. */
int orl_host_bare_call_errhandler(MPI_Win handle, int code)
{
	MPI_Errhandler handler = find(handle)->handler;
	int rc;

	pthread_mutex_lock(&lock);
	if (is_predefined(handler)) {
		rc = call_predefined(handler, code);
	} else {
		rc = orl_host.Win_set_errhandler(scratch, handler);
		if (!rc)
			rc = orl_host.Win_call_errhandler(scratch, code);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static int refuse(MPI_Win handle, const char *why)
{
	int code = orl_host_error_code(MPI_ERR_OTHER, why);

	orl_host_bare_call_errhandler(handle, code);
	return code;
}

int orl_host_bare_no_attributes(MPI_Win handle)
{
	return refuse(handle,
		      "this window has no user attributes: the host MPI cannot "
		      "hold more than about 2000 windows and communicators, "
		      "and none before a communicator of several ranks");
}

void orl_bare_end(bool is_alive)
{
	pthread_mutex_lock(&lock);
	if (is_alive && scratch != MPI_WIN_NULL)
		orl_host.Win_free(&scratch);
	scratch = MPI_WIN_NULL;
	pthread_mutex_unlock(&lock);
}
