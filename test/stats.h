/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - what Oriel has counted; -1 on the host alone. */
#ifndef STATS_H
#define STATS_H

#include <dlfcn.h>
#include <mpi.h>

static inline long long stat_of(const char *name)
{
	long long (*stat)(const char *name);

	*(void **)&stat = dlsym(RTLD_DEFAULT, "oriel_stat");
	return stat ? stat(name) : -1;
}

/* Of all ranks together; collective. */
static inline long long stat_sum(const char *name)
{
	long long mine = stat_of(name), sum;

	MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

#endif
