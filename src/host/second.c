/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * second.c - a second MPI in the process, or around it.  An interpreter is
 * linked with none, so orielrun takes the launcher's; then the script may load
 * another, whose calls are found in the first.  A program that is linked with
 * Oriel may be started by another MPI's launcher.
 */
#include "orl_host.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orl_util.h"

#ifdef OPEN_MPI
#define OTHER	   "mpich"
#define OTHER_SIZE "PMI_SIZE"
#define OTHER_MARK "MPI_LOCALNRANKS" /* not of other users of PMI */
#define OWN	   "openmpi"
#define OWN_SIZE   "OMPI_COMM_WORLD_SIZE"
#else
#define OTHER	   "openmpi"
#define OTHER_SIZE "OMPI_COMM_WORLD_SIZE"
#define OTHER_MARK OTHER_SIZE
#define OWN	   "mpich"
#define OWN_SIZE   "PMI_SIZE"
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

/* By the other's launcher, and not by ours within it; of a program that it has
 * preloaded us into, orielrun has said so. */
static bool is_astray(void)
{
	const char *preload = getenv("LD_PRELOAD");
	const char *size = getenv(OTHER_SIZE);

	return size && strcmp(size, "1") && getenv(OTHER_MARK) &&
	       !getenv(OWN_SIZE) &&
	       !(preload && strstr(preload, "liboriel.so"));
}

static void tell_launcher(void)
{
	if (is_astray() && is_first())
		orl_log(ORL_LOG_ERROR,
			"the program uses %s, but seems to be started by "
			"mpirun.%s: "
			"its processes will not find each other; use "
			"mpirun.%s",
			orl_host_name, OTHER, OWN);
}

void orl_host_tell_second(void)
{
	char other[256];

	tell_launcher();
	if (!dl_iterate_phdr(look, other) || !is_first())
		return;
	orl_log(ORL_LOG_ERROR,
		"the program has loaded %s beside %s, whose launcher or "
		"orielrun it was started by, and fails as soon as it uses a "
		"communicator: start it by mpirun.%s and that MPI's orielrun",
		other, orl_host_name, OTHER);
}
