/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fence.c - the fence that one process has run on all: where one side of a
 * protocol acts often and the other rarely, the rare side pays for both.
 */
#include "orl_progress.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool registered;

/* A process must ask to be fenced before another can have it done. */
static void __attribute__((constructor)) register_process(void)
{
	registered = !syscall(SYS_membarrier,
			      MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) &&
		     orl_fence_others();
}

bool orl_fence_is_able(void)
{
	return registered;
}

bool orl_fence_others(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}
