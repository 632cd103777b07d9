/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block.h - the host's calls that wait for requests, none of which is an
 * incomplete one of an RMA operation.
 */
#ifndef ORL_BLOCK_H
#define ORL_BLOCK_H

#include "entry.h"

int orl_block_wait(MPI_Request *request, MPI_Status *status);
int orl_block_waitall(int count, MPI_Request array_of_requests[],
		      MPI_Status array_of_statuses[]);
int orl_block_waitany(int count, MPI_Request array_of_requests[], int *index,
		      MPI_Status *status);
int orl_block_waitsome(int incount, MPI_Request array_of_requests[],
		       int *outcount, int array_of_indices[],
		       MPI_Status array_of_statuses[]);

#endif
