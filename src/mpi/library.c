/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library.c - loading the library: options, and the host's functions.  A
 * program of another MPI than this build's is stopped here, before a handle
 * of the wrong kind does harm.
 */
#include "entry.h"

#include "config.h"
#include "oriel.h"

#include <stdlib.h>

#pragma GCC visibility push(default)
const char *oriel_version(void)
{
	return PACKAGE_VERSION " (" ORL_HOST_NAME ")";
}
#pragma GCC visibility pop

static void __attribute__((constructor)) load(void)
{
	orl_options_load();
	if (!orl_host_load())
		_Exit(127);
}
