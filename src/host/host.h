/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h - what the files of src/host share. */
#ifndef ORL_HOST_PRIVATE_H
#define ORL_HOST_PRIVATE_H

#include <mpi.h>
#include <stdbool.h>

/*
 * A communicator of this process alone whose errors return: window handles
 * and finished requests are made on it.
 */
extern MPI_Comm orl_host_self;

/* The program's last session has ended, but not the world. */
void orl_host_part(void);

/* -- session.c ---- */

void orl_session_load(void);
/* May threads of the program be in MPI at once, by one of its sessions? */
extern _Atomic(bool) orl_session_threaded;
/* A communicator of this process alone, of a session of Oriel's own. */
int orl_session_self(MPI_Comm *self);
/* Has that been made and not ended? */
bool orl_session_is_ours(void);
/* Of the process set of all. */
int orl_session_world_size(void);
int orl_session_world_rank(void);
void orl_session_end(void);

/* -- what else ends with the host ---- */

void orl_errors_end(void);
void orl_types_end(void);
void orl_bare_end(bool is_alive);

/*
 * Is all of the host there?  MPICH crashes in making windows and progress
 * before a communicator of all ranks, and more than one, has been.
 */
bool orl_host_is_whole(void);
extern _Atomic(bool) orl_host_has_met;

/* A window handle that is the host's own object, whatever the limit. */
int orl_host_win_genuine(MPI_Win *handle);

/* Has the host's progress come through ucx.c? */
bool orl_ucx_is_joined(void);

/* Handles that are not; bare.c. */
int orl_host_bare_make(MPI_Win *handle);
void orl_host_bare_free(MPI_Win *handle);

#endif
