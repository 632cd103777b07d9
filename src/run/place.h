/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place.h - the host MPIs that orielrun knows, and where their builds of the
 * library are.
 */
#ifndef RUN_PLACE_H
#define RUN_PLACE_H

#include <stdbool.h>

struct orl_place {
	const char *dir;      /* name of its folders */
	const char *name;     /* as people say it */
	const char *launcher; /* what starts its programs */
};

extern const struct orl_place orl_places[];
#define ORL_PLACES 2

/* The host whose launcher started this process, or NULL. */
const struct orl_place *orl_place_launcher(void);

/* The host that this orielrun was built for. */
const struct orl_place *orl_place_own(void);

/* The host that a library of this soname belongs to, or NULL. */
const struct orl_place *orl_place_of(const char *soname);

/* Path of the host's build of the library: false if there is none. */
bool orl_place_library(const struct orl_place *place, char *path, int size);

#endif
