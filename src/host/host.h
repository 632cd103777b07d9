/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h - what the files of src/host share. */
#ifndef ORL_HOST_PRIVATE_H
#define ORL_HOST_PRIVATE_H

#include <mpi.h>
#include <stdbool.h>

/*
 * A communicator of this process alone whose errors return: window handles
 * and finished requests are made on it.  Never freed: while MPI_Finalize
 * deletes attributes, a callback may still use windows.
 */
extern MPI_Comm orl_host_self;

/* A window handle that is the host's own object, whatever the limit. */
int orl_host_win_genuine(MPI_Win *handle);

/* Has the host's progress come through ucx.c? */
bool orl_ucx_is_joined(void);

/* Handles that are not; bare.c. */
int orl_host_bare_make(MPI_Win *handle);
void orl_host_bare_free(MPI_Win *handle);

#endif
