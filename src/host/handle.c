/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle.c - window handles that are the host's own objects: a window of this
 * process alone, on which names, attributes and error handlers work as ever,
 * in every language.
 */
#include "orl_host.h"

#include "config.h"
#include "host.h"

#include <stdatomic.h>

/* How many windows may be objects of the host's at once: see bare.c. */
#ifdef ORL_HOST_OPENMPI
#define GENUINE_LIMIT UINT32_MAX
#else
#define GENUINE_LIMIT 1024
#endif

static _Atomic(uint32_t) genuine;

int orl_host_win_genuine(MPI_Win *handle)
{
	void *base;

	if (!orl_host_is_whole())
		return MPI_ERR_WIN;
	/* Not every component of Open MPI can make every flavor. */
	if (!orl_host.Win_allocate(0, 1, MPI_INFO_NULL, orl_host_self, &base,
				   handle))
		return 0;
	if (!orl_host.Win_create_dynamic(MPI_INFO_NULL, orl_host_self, handle))
		return 0;
	if (!orl_host.Win_create(NULL, 0, 1, MPI_INFO_NULL, orl_host_self,
				 handle))
		return 0;
	return MPI_ERR_WIN;
}

int orl_host_win_make(MPI_Win *handle)
{
	int rc;

	if (atomic_fetch_add(&genuine, 1) < GENUINE_LIMIT &&
	    orl_host_is_whole()) {
		rc = orl_host_win_genuine(handle);
		if (!rc)
			return 0;
		atomic_fetch_sub(&genuine, 1);
		return rc;
	}
	atomic_fetch_sub(&genuine, 1);
	return orl_host_bare_make(handle);
}

int orl_host_win_free(MPI_Win *handle)
{
	int rc;

	if (orl_host_win_is_bare(*handle)) {
		orl_host_bare_free(handle);
		return 0;
	}
	rc = orl_host.Win_free(handle);
	if (rc)
		return orl_host_error_class(rc);
	atomic_fetch_sub(&genuine, 1);
	return 0;
}

void orl_host_win_name(MPI_Win handle, char name[MPI_MAX_OBJECT_NAME])
{
	int len = 0;

	name[0] = 0;
	if (orl_host_win_is_bare(handle))
		orl_host_bare_get_name(handle, name, &len);
	else
		orl_host.Win_get_name(handle, name, &len);
}
