/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx.c - our place in the progress loop of an MPICH that is built on UCX: at
 * every turn it calls UCX's progress function, as an outer one that can be
 * taken over, and so comes through here.  Not so for Open MPI, which has a
 * hook, and loads UCX where RTLD_NEXT may not find it.
 */
#include "host.h"

#include "config.h"

#ifdef ORL_HOST_OPENMPI

bool orl_ucx_is_joined(void)
{
	return false;
}

#else

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "orl_progress.h"

typedef unsigned (*progress_fn)(void *);

static _Atomic(progress_fn) host_progress;

static progress_fn find_progress(void)
{
	void *found = dlsym(RTLD_NEXT, "ucp_worker_progress");
	progress_fn fn;

	memcpy(&fn, &found, sizeof(fn));
	atomic_store_explicit(&host_progress, fn, memory_order_relaxed);
	return fn;
}

#pragma GCC visibility push(default)
unsigned ucp_worker_progress(void *worker);

/* The host holds locks of its own here: nothing of it may be called. */
unsigned ucp_worker_progress(void *worker)
{
	progress_fn fn =
		atomic_load_explicit(&host_progress, memory_order_relaxed);

	orl_progress_hook();
	return fn ? fn(worker) : find_progress()(worker);
}
#pragma GCC visibility pop

bool orl_ucx_is_joined(void)
{
	return atomic_load_explicit(&host_progress, memory_order_relaxed);
}

#endif
