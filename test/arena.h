/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena.h - for unit tests: this process's arena, of a size by option.
 */
#ifndef TEST_ARENA_H
#define TEST_ARENA_H

#include "process.h"

#include "orl_shm.h"
#include "orl_util.h"

#define MIB ((size_t)1 << 20)

/* size is what the user would set ORIEL_ARENA to; NULL: not set. */
static inline void open_arena(const char *size)
{
	const char *what;

	if (size)
		setenv("ORIEL_ARENA", size, 1);
	else
		unsetenv("ORIEL_ARENA");
	orl_options_load();
	check(!orl_arena_open(&what));
	check(!orl_arena_open(&what));
}

static inline struct orl_card own_card(void)
{
	struct orl_card card;

	orl_card_fill(&card);
	return card;
}

#endif
