/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build.c - finds liboriel for a host MPI: in the build tree that this
 * orielrun stands in and the tree beside it, else beneath the prefix that it
 * was moved or installed to.
 */
#include "config.h"
#include "build.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct orl_build orl_builds[ORL_BUILDS] = {
	{ "openmpi", "Open MPI", "mpirun.openmpi" },
	{ "mpich", "MPICH", "mpirun.mpich" },
};

const struct orl_build *orl_build_launcher(void)
{
	if (getenv("OMPI_COMM_WORLD_SIZE"))
		return &orl_builds[0];
	if (getenv("PMI_RANK") && getenv("MPI_LOCALNRANKS"))
		return &orl_builds[1];
	return NULL;
}

const struct orl_build *orl_build_own(void)
{
	int i = !strcmp(orl_builds[1].dir, ORL_HOST_DIR);

	return &orl_builds[i];
}

/*
 * "libmpi.so.12" is MPICH's as its authors build it (and Intel's), numbers
 * from 20 on are Open MPI's.
 */
const struct orl_build *orl_build_of(const char *soname)
{
	int version;

	if (!strncmp(soname, "libmpich.so", 11))
		return &orl_builds[1];
	if (sscanf(soname, "libmpi.so.%d", &version) != 1)
		return NULL;
	return &orl_builds[version < 20];
}

/* Folder that holds this program: false if the kernel does not tell. */
static bool own_folder(char folder[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", folder, PATH_MAX - 1);

	if (len <= 0)
		return false;
	folder[len] = 0;
	*strrchr(folder, '/') = 0;
	return true;
}

static bool try_folder(char *path, int size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Tidies the folder's name, but keeps the library's, which has no version. */
static bool try_folder(char *path, int size, const char *fmt, ...)
{
	char folder[PATH_MAX], tidy[PATH_MAX];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(folder, sizeof(folder), fmt, args);
	va_end(args);
	if (len >= (int)sizeof(folder) || !realpath(folder, tidy))
		return false;
	len = snprintf(path, size, "%s/liboriel.so", tidy);
	return len < size && !access(path, R_OK);
}

bool orl_build_library(const struct orl_build *build, char *path, int size)
{
	char here[PATH_MAX];

	if (own_folder(here) &&
	    ((build == orl_build_own() &&
	      try_folder(path, size, "%s/.libs", here)) ||
	     try_folder(path, size, "%s/../%s/.libs", here, build->dir) ||
	     try_folder(path, size, "%s/../lib/oriel/%s", here, build->dir)))
		return true;
	return try_folder(path, size, "%s/oriel/%s", ORL_LIBDIR, build->dir);
}
