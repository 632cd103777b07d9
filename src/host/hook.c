/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hook.c - our place in the progress loop that the host runs while it blocks,
 * so that a rank in a receive or barrier of the host's goes on answering for
 * its memory.  Open MPI exports how one gets there, in a library of its own
 * that is found by way of libmpi; MPICH does not.
 */
#include "orl_host.h"

#include <dlfcn.h>
#include <string.h>

#include "host.h"
#include "orl_progress.h"
#include "orl_util.h"

typedef int (*callback_fn)(void);
typedef int (*register_fn)(callback_fn);

/* Threads make windows at the same time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static register_fn hook, unhook;
static bool is_hooked, is_tried;

_Atomic(bool) orl_host_hooked;

/* Runs in several threads at once, and must not call the host. */
static int poll_network(void)
{
	orl_progress_hook();
	return 0;
}

static void find(void *library, const char *name, register_fn *fn)
{
	void *found = dlsym(library, name);

	memcpy(fn, &found, sizeof(found));
}

/* dlsym looks into what the library depends on, too. */
static void find_both(void)
{
	void *symbol = dlsym(RTLD_NEXT, "PMPI_Comm_rank"), *library;
	Dl_info info;

	if (!symbol || !dladdr(symbol, &info))
		return;
	library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return;
	find(library, "opal_progress_register", &hook);
	find(library, "opal_progress_unregister", &unhook);
	dlclose(library);
}

static void try_to_hook(void)
{
	find_both();
	is_hooked = hook && unhook && !hook(poll_network);
	if (!is_hooked && !orl_ucx_is_joined())
		orl_log(ORL_LOG_INFO, "%s's progress loop cannot be joined",
			orl_host_name);
}

bool orl_host_hook(void)
{
	bool hooked;

	pthread_mutex_lock(&lock);
	if (!is_tried)
		try_to_hook();
	is_tried = true;
	hooked = is_hooked || orl_ucx_is_joined();
	orl_host_hooked = hooked;
	pthread_mutex_unlock(&lock);
	return hooked;
}

void orl_host_unhook(void)
{
	pthread_mutex_lock(&lock);
	if (is_hooked)
		unhook(poll_network);
	is_hooked = is_tried = false;
	pthread_mutex_unlock(&lock);
}
