/* SPDX-License-Identifier: BSD-3-Clause */
/* hurry.h - does this process hold locks that others may wait for?  hurry.c */
#ifndef ORL_HURRY_H
#define ORL_HURRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "orl_util.h"

/* Locks asked for, and given back. */
enum { ORL_HURRY_TAKEN, ORL_HURRY_GIVEN };

/* What a thread has counted; of the last one, all that have no number. */
struct orl_hurry {
	_Atomic(uint32_t) count[2];
} __attribute__((aligned(ORL_CACHELINE)));

extern struct orl_hurry orl_hurries[ORL_THREADS + 1];

static inline uint32_t orl_hurry_mine(void)
{
	return orl_unlikely(orl_threaded) ? orl_thread_number() : 0;
}

static inline void orl_hurry_add(int what)
{
	const uint32_t mine = orl_hurry_mine();
	_Atomic(uint32_t) *count = &orl_hurries[mine].count[what];
	uint32_t n;

	/* Both release, of what is given: pair with the acquire in sum(). */
	if (orl_unlikely(mine == ORL_THREADS)) {
		atomic_fetch_add_explicit(count, 1, memory_order_release);
		return;
	}
	n = atomic_load_explicit(count, memory_order_relaxed);
	atomic_store_explicit(count, n + 1, memory_order_release);
}

/* Before a lock is asked for, of whatever window; */
static inline void orl_hurry_count_in(void)
{
	orl_hurry_add(ORL_HURRY_TAKEN);
}

/* when it has been given back, maybe by another thread. */
static inline void orl_hurry_count_out(void)
{
	orl_hurry_add(ORL_HURRY_GIVEN);
}

/* Are there others than own ones?  For who cannot have a lock at once. */
bool orl_hurry_has(uint32_t own);

#endif
