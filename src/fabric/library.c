/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library.c - libfabric is loaded when a first window needs it, so that
 * programs on one node neither wait for it nor get what it does to a process.
 * It stays loaded.
 */
#include "fabric.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SONAME "libfabric.so.1"

struct orl_libfabric orl_libfabric;

const char *orl_fabric_text(const char *fmt, ...)
{
	static char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

/* Read when libfabric starts; what the user has set stays. */
static void set_environment(int ranks)
{
	char size[16];

	/* No cache of registrations, see memory.c, and none of the changes to
	 * the C library's functions by which it hears of memory that goes:
	 * UCX has made its own there. */
	setenv("FI_MR_CACHE_MONITOR", "disabled", 0);
	/* Else a library of one of its providers, loaded with it, takes the
	 * signals of crashes and turns them into exit(1). */
	setenv("IPATH_NO_BACKTRACE", "1", 0);
	/* 2 MiB of receive buffers, not 64. */
	setenv("FI_OFI_RXM_MSG_RX_SIZE", "128", 0);
	/* Receive buffers of the endpoint's instead of each connection's,
	 * which verbs, where a connection goes with messages still to be read,
	 * posts again to what is freed.  With TCP it is so anyway. */
	setenv("FI_OFI_RXM_USE_SRX", "1", 0);
	/* Messages of vectors are longer than its buffers, see endpoint.c. */
	setenv("FI_OFI_RXM_EAGER_LIMIT", "34816", 0);
	/* Looks for new connections each 0.1 ms, not each 10. */
	setenv("FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100", 0);
	/* Who forgets a peer wants no connection to it any more. */
	setenv("FI_AV_REMOVE_CLEANUP", "1", 0);
	/* Completion queues are made for so many peers.  By default for 256,
	 * too large for some devices and too small for a larger job. */
	snprintf(size, sizeof(size), "%d", ranks < 2 ? 2 : ranks);
	setenv("FI_UNIVERSE_SIZE", size, 0);
}

int orl_libfabric_load(int ranks, const char **what)
{
	static const char *const names[] = { "fi_getinfo",  "fi_freeinfo",
					     "fi_dupinfo",  "fi_fabric",
					     "fi_strerror", "fi_version" };
	void **functions[] = { (void **)&orl_libfabric.getinfo,
			       (void **)&orl_libfabric.freeinfo,
			       (void **)&orl_libfabric.dupinfo,
			       (void **)&orl_libfabric.fabric,
			       (void **)&orl_libfabric.strerror,
			       (void **)&orl_libfabric.version };
	void *library;

	if (orl_libfabric.version)
		return 0;
	set_environment(ranks);
	library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		*what = orl_fabric_text("libfabric is needed to reach other "
					"nodes, but %s: install it "
					"(libfabric1, libfabric)",
					dlerror());
		return -ENOENT;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*functions[i] = dlsym(library, names[i]);
		if (*functions[i])
			continue;
		*what = orl_fabric_text("%s has no %s: a newer libfabric is "
					"needed",
					SONAME, names[i]);
		orl_libfabric.version = NULL;
		return -ENOSYS;
	}
	return 0;
}
