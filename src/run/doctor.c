/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor.c - oriel-doctor: finds the build of Oriel that goes with the MPI
 * whose mpirun has started it, and runs that build's oriel-examine under
 * orielrun, which looks at the rest.
 */
#include "config.h"
#include "build.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: oriel-doctor, or mpirun -n N oriel-doctor\n"
	"\n"
	"Tells what Oriel finds on this machine, or on those of the job: the\n"
	"MPI, the paths between ranks and why, the network, limits; and what\n"
	"to change where something would fail.\n"
	"\n"
	"  --help     print this\n"
	"  --version  print the version\n"
	"\n"
	"Exit status: 0, 1 if something would fail, 125 if called wrongly.\n";

/* A neighbour of this program or of the library. */
static int find(char path[PATH_MAX], const char *of, const char *name)
{
	const char *end = strrchr(of, '/');
	int len =
		snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - of), of, name);

	return len < PATH_MAX && !access(path, X_OK) ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct orl_build *build = orl_build_launcher();
	char library[PATH_MAX], own[PATH_MAX], run[PATH_MAX], examine[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (argc > 1 && !strcmp(argv[1], "--version"))
		return printf("oriel-doctor (Oriel) %s\n", PACKAGE_VERSION) < 0;
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return fputs(help, stdout) < 0;
	if (argc > 1) {
		fprintf(stderr,
			"oriel-doctor: what is %s? --help tells what there "
			"is\n",
			argv[1]);
		return 125;
	}
	build = build ? build : orl_build_own();
	own[len < 0 ? 0 : len] = 0;
	if (!orl_build_library(build, library, sizeof(library))) {
		fprintf(stderr,
			"oriel-doctor: Oriel is not built for %s here:\n"
			"  run ./quickstart build in its source, or configure "
			"it with that MPI's CC=mpicc\n",
			build->name);
		return 1;
	}
	if (len < 0 || find(run, own, "orielrun") ||
	    (find(examine, library, "oriel-examine") &&
	     find(examine, library, "../oriel-examine"))) {
		fprintf(stderr, "oriel-doctor: orielrun or oriel-examine is "
				"missing: install Oriel again\n");
		return 1;
	}
	execl(run, run, examine, (char *)NULL);
	fprintf(stderr, "oriel-doctor: %s: %s\n", run, strerror(errno));
	return 1;
}
