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

/* In files that are included twice: MPI_x by the name that NAME makes. */
#define PASTE(a, b)  a##b
#define ENTRY_(name) PASTE(MPI_, name)
#define ENTRY(name)  ENTRY_(NAME(name))
#define STRING_(x)   #x
#define STRING(x)    STRING_(x)
#pragma GCC visibility pop

#include "orl_host.h"
#include "orl_win.h"

#endif
