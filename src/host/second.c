/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * second.c - a second MPI in the process.  An interpreter is linked with none,
 * so orielrun takes the launcher's; then the script may load another, whose
 * calls are found in the first.
 */
#include "orl_host.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orl_util.h"

#ifdef OPEN_MPI
#define OTHER "mpich"
#else
#define OTHER "openmpi"
#endif

/* libmpi.so.12 is MPICH's where it is not libmpich.so, numbers from 20 on are
 * Open MPI's. */
static bool is_other(const char *name)
{
	bool is_mpich = !strncmp(name, "libmpich.so", 11);
	int version = 0;

	if (!is_mpich && sscanf(name, "libmpi.so.%d", &version) != 1)
		return false;
	return (is_mpich || version < 20) == !strcmp(OTHER, "mpich");
}

static int look(struct dl_phdr_info *info, size_t size, void *found)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	if (!is_other(slash ? slash + 1 : info->dlpi_name))
		return 0;
	snprintf(found, 256, "%s", info->dlpi_name);
	return 1;
}

/* One word a job: of the first rank, or of who knows of no launcher. */
static bool is_first(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");

	rank = rank ? rank : getenv("PMI_RANK");
	return !rank || !strcmp(rank, "0");
}

void orl_host_tell_second(void)
{
	char other[256];

	if (!dl_iterate_phdr(look, other) || !is_first())
		return;
	orl_log(ORL_LOG_ERROR,
		"the program has loaded %s beside %s, whose launcher or "
		"orielrun it was started by, and fails as soon as it uses a "
		"communicator: start it by mpirun.%s and that MPI's orielrun",
		other, orl_host_name, OTHER);
}
