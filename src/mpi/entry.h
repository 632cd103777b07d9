/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * entry.h - what the files of entry points share.  Every function here is
 * exported as MPI_x and PMPI_x: the names that C, Fortran bindings and tools
 * call.  A window that is not Oriel's goes to the host as it came.
 */
#ifndef ORL_ENTRY_H
#define ORL_ENTRY_H

#pragma GCC visibility push(default)
#include <mpi.h>

/* After the definition of MPI_x: its second name. */
#define ORL_ALIAS(name) ORL_ALIAS_(name)
#define ORL_ALIAS_(name)                                                       \
	extern __typeof__(MPI_##name) PMPI_##name                              \
		__attribute__((alias("MPI_" #name)))
#pragma GCC visibility pop

#include "orl_host.h"
#include "orl_win.h"

#endif
