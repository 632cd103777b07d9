/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * direct.c - the target's memory is mapped here, or is our own: the CPU
 * copies, and every transfer is complete when its call returns.  The order
 * that others see is up to the caller's fences.  No lock is needed.
 */
#include "orl_path.h"
#include "orl_type.h"

static void *here(const struct orl_target *target, uint64_t addr)
{
	return (void *)(uintptr_t)(addr + (uint64_t)target->delta);
}

static int direct_put(struct orl_target *target, uint64_t addr, const void *src,
		      size_t len)
{
	orl_copy(here(target, addr), src, len);
	return 0;
}

static int direct_get(struct orl_target *target, uint64_t addr, void *dst,
		      size_t len)
{
	orl_copy(dst, here(target, addr), len);
	return 0;
}

static int direct_finish(struct orl_target *target)
{
	return 0;
}

static int direct_load(struct orl_target *target,
		       const struct orl_block *blocks, size_t n, void *buf)
{
	char *dst = buf;

	for (size_t i = 0; i < n; i++) {
		orl_copy(dst, here(target, blocks[i].addr), blocks[i].len);
		dst += blocks[i].len;
	}
	return 0;
}

static int direct_store(struct orl_target *target,
			const struct orl_block *blocks, size_t n,
			const void *buf)
{
	const char *src = buf;

	for (size_t i = 0; i < n; i++) {
		orl_copy(here(target, blocks[i].addr), src, blocks[i].len);
		src += blocks[i].len;
	}
	return 0;
}

#define DIRECT_PATH(its_name, is_native)                                       \
	{                                                                      \
		.name = its_name, .mapped = true, .native = is_native,         \
		.put = direct_put, .get = direct_get, .finish = direct_finish, \
		.flush = direct_finish, .load = direct_load,                   \
		.store = direct_store                                          \
	}

const struct orl_path orl_path_direct = DIRECT_PATH("direct", true);
const struct orl_path orl_path_self = DIRECT_PATH("self", false);
