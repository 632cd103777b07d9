/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h - what the files of src/host share. */
#ifndef ORL_HOST_PRIVATE_H
#define ORL_HOST_PRIVATE_H

#include <mpi.h>

/*
 * A communicator of this process alone whose errors return: window handles
 * and finished requests are made on it.  Valid from orl_host_start to
 * MPI_Finalize.
 */
extern MPI_Comm orl_host_self;

#endif
