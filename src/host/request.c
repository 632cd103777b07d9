/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.c - requests that are the host's own objects: one that has completed
 * already, and generalized ones, completed by the program's threads alone.
 * An incomplete one must not come to the host's Wait family: MPICH 4.0 aborts
 * where MPI_REQUEST_NULL stands beside it.
 */
#include "orl_host.h"

#include "host.h"

int orl_host_request_done(MPI_Request *request)
{
	int rc = PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, orl_host_self,
			    request);

	return rc ? orl_host_error_class(rc) : 0;
}

/* Section 11.3.5 defines none of it but the error, which is not the host's. */
static int query(void *state, MPI_Status *status)
{
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	return MPI_SUCCESS;
}

int orl_host_request_start(orl_host_free_fn on_free, void *state,
			   MPI_Request *request)
{
	int rc = PMPI_Grequest_start(query, on_free, cancel, state, request);

	return rc ? orl_host_error_class(rc) : 0;
}

void orl_host_request_complete(MPI_Request request)
{
	PMPI_Grequest_complete(request);
}
