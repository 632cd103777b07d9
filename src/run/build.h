/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build.h - the host MPIs that orielrun knows, and where their builds of the
 * library are.
 */
#ifndef RUN_PLACE_H
#define RUN_PLACE_H

#include <stdbool.h>

struct orl_build {
	const char *dir;      /* name of its folders */
	const char *name;     /* as people say it */
	const char *launcher; /* what starts its programs */
};

extern const struct orl_build orl_builds[];
#define ORL_BUILDS 2

/* The host whose launcher started this process, or NULL. */
const struct orl_build *orl_build_launcher(void);

/* The host that this orielrun was built for. */
const struct orl_build *orl_build_own(void);

/* The host that a library of this soname belongs to, or NULL. */
const struct orl_build *orl_build_of(const char *soname);

/* Path of the host's build of the library: false if there is none. */
bool orl_build_library(const struct orl_build *build, char *path, int size);

#endif
