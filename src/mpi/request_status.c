/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request_status.c - MPI-4.1 section 3.7.6: MPI_Request_get_status_all, _any
 * and _some.  They are the host's; requests of RMA operations that are done
 * are completed first, so that the host finds them so.
 *
 * Few hosts have them yet, and mpi.h's say const or not, by their version: so
 * they have names of their own here, and MPI's in the library alone.
 */
#include "entry.h"

#include "orl_progress.h"

#define NAMED(name) __asm__(name) __attribute__((visibility("default")))

/* Completes those that are done; true if others are left. */
static bool complete(int count, const MPI_Request requests[])
{
	struct orl_request *rma;
	bool pending = false;
	int i;

	for (i = 0; requests && i < count; i++) {
		rma = orl_request_find(requests[i]);
		if (rma && !orl_request_test(rma))
			pending = true;
	}
	return pending;
}

static void prepare(int count, const MPI_Request requests[])
{
	if (!orl_request_is_any() || !complete(count, requests))
		return;
	orl_progress();
	complete(count, requests);
}

int request_get_status_all(int count, MPI_Request requests[], int *flag,
			   MPI_Status statuses[])
	NAMED("MPI_Request_get_status_all");
int request_get_status_any(int count, MPI_Request requests[], int *index,
			   int *flag, MPI_Status *status)
	NAMED("MPI_Request_get_status_any");
int request_get_status_some(int count, MPI_Request requests[], int *done,
			    int indices[], MPI_Status statuses[])
	NAMED("MPI_Request_get_status_some");

int request_get_status_all(int count, MPI_Request requests[], int *flag,
			   MPI_Status statuses[])
{
	if (!orl_host.Request_get_status_all)
		return MPI_ERR_OTHER;
	prepare(count, requests);
	return orl_host.Request_get_status_all(count, requests, flag, statuses);
}

int request_get_status_any(int count, MPI_Request requests[], int *index,
			   int *flag, MPI_Status *status)
{
	if (!orl_host.Request_get_status_any)
		return MPI_ERR_OTHER;
	prepare(count, requests);
	return orl_host.Request_get_status_any(count, requests, index, flag,
					       status);
}

int request_get_status_some(int count, MPI_Request requests[], int *done,
			    int indices[], MPI_Status statuses[])
{
	if (!orl_host.Request_get_status_some)
		return MPI_ERR_OTHER;
	prepare(count, requests);
	return orl_host.Request_get_status_some(count, requests, done, indices,
						statuses);
}

/* Their second names. */
extern __typeof__(request_get_status_all) request_get_status_all_p
	NAMED("PMPI_Request_get_status_all")
		__attribute__((alias("MPI_Request_get_status_all")));
extern __typeof__(request_get_status_any) request_get_status_any_p
	NAMED("PMPI_Request_get_status_any")
		__attribute__((alias("MPI_Request_get_status_any")));
extern __typeof__(request_get_status_some) request_get_status_some_p
	NAMED("PMPI_Request_get_status_some")
		__attribute__((alias("MPI_Request_get_status_some")));
