/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hurry.c - how many locks this process holds or asks for, of all windows: who
 * has any goes past the line of others.
 *
 * Only who must wait, or asks another node, wants to know.  So each thread
 * counts in a line of its own, and who wants to know adds them up.  A lock
 * that is held meanwhile is never missed, though threads give back what others
 * took: what was given back is added up first, and each of that was taken
 * before, so what is taken then has all of it and all that is still held.
 * models/hurry.pml is this.
 */
#include "hurry.h"

struct orl_hurry orl_hurries[ORL_THREADS + 1];

static uint32_t sum(int what, uint32_t n)
{
	uint32_t all = 0, i;

	for (i = 0; i < n; i++)
		/* Acquire: pairs with the release in orl_hurry_add. */
		all += atomic_load_explicit(&orl_hurries[i].count[what],
					    memory_order_acquire);
	return all;
}

bool orl_hurry_has(uint32_t own)
{
	uint32_t n = orl_threaded ? ORL_THREADS + 1 : 1, given;

	/* Of two threads that count and then look, one sees the other. */
	orl_fence();
	given = sum(ORL_HURRY_GIVEN, n);
	return sum(ORL_HURRY_TAKEN, n) - given != own;
}
