/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cache.c - flattened datatypes by handle.  A type enters the map when it is
 * first used and leaves it when the program frees the datatype and no other
 * one is made of it; until then the host does not give the handle away again.
 */
#include "orl_type.h"

#include "orl_host.h"
#include "type.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct orl_map orl_type_map = ORL_MAP_INIT;

/* Called by the host when it destroys the datatype. */
static void forget(MPI_Datatype handle)
{
	void *type = orl_map_find(&orl_type_map, (uintptr_t)handle);

	orl_map_del(&orl_type_map, (uintptr_t)handle, type);
	free(type);
}

/* Enters *type, unless a thread was faster, whose type replaces it. */
static int publish(MPI_Datatype handle, struct orl_type **type, bool *first)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct orl_type *theirs;
	int rc = 0;

	orl_lock(&lock);
	theirs = orl_map_find(&orl_type_map, (uintptr_t)handle);
	*first = !theirs;
	if (*first)
		rc = orl_map_set(&orl_type_map, (uintptr_t)handle, *type);
	orl_unlock(&lock);
	if (*first && !rc)
		return 0;
	free(*type);
	*type = theirs;
	return rc;
}

struct orl_type *orl_type_keep(const struct orl_type *type)
{
	size_t nruns = type->nruns, npieces = type->npieces;
	struct orl_run *runs;
	struct orl_type *copy =
		malloc(sizeof(*copy) + (nruns + npieces) * sizeof(*runs));

	if (!copy)
		return NULL;
	runs = (struct orl_run *)(copy + 1);
	if (nruns)
		memcpy(runs, type->runs, nruns * sizeof(*runs));
	if (npieces)
		memcpy(runs + nruns, type->pieces, npieces * sizeof(*runs));
	*copy = *type;
	copy->runs = runs;
	copy->pieces = runs + nruns;
	return copy;
}

int orl_type_load(MPI_Datatype handle, const struct orl_type **type)
{
	struct orl_type *fresh;
	bool first;
	int rc;

	*type = NULL;
	if (handle == MPI_DATATYPE_NULL)
		return MPI_ERR_TYPE;
	rc = orl_type_start();
	if (rc)
		return rc;
	*type = orl_map_find(&orl_type_map, (uintptr_t)handle);
	if (*type)
		return 0;
	rc = orl_type_flatten(handle, &fresh);
	if (rc)
		return rc;
	rc = publish(handle, &fresh, &first);
	if (rc)
		return rc;
	if (first)
		rc = orl_host_type_watch(handle, forget);
	if (rc) {
		/* Not freed: another thread may have found it already. */
		orl_map_del(&orl_type_map, (uintptr_t)handle, fresh);
		return rc;
	}
	*type = fresh;
	return 0;
}

static bool drop_made(void *type, void *none)
{
	if (orl_type_is_basic(type))
		return false;
	free(type);
	return true;
}

void orl_type_end(void)
{
	orl_map_sweep(&orl_type_map, drop_made, NULL);
}
