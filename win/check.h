/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h - windows that are checked for misuse (ORIEL_CHECK): what the rest
 * of win calls.  A window is checked if all of its ranks want it; its calls
 * then come by check.c.  Others have no orl_check.
 */
#ifndef ORL_CHECK_H
#define ORL_CHECK_H

#include "creation.h"

/* Once targets are known: chooses the window's calls.  0 or an error class. */
int orl_check_open(struct orl_creation *creation);
/* What the ranks of a node write their accesses down in is in the arena of
 * the first of them: its address, 0 of all others. */
uint64_t orl_check_address(const struct orl_win *win);
/* Once all have told their address. */
void orl_check_join(struct orl_creation *creation);
void orl_check_close(struct orl_win *win);
/* Bytes that the window keeps for it. */
uint64_t orl_check_held(const struct orl_win *win);

void orl_check_released(struct orl_win *win, int rank, bool all) ORL_COLD;
/* An error of this class is about to be raised. */
void orl_check_error(const struct orl_win *win, const char *call, int class,
		     const char *reason) ORL_COLD;
/*
 * What this rank has accessed of that one's memory others may access from now
 * on, as it is told that it is complete (oriel.h); if all, the buffers are free
 * as well when the program has waited for a request.
 */
static inline void orl_check_release(struct orl_win *win, int rank, bool all)
{
	if (orl_unlikely(win->check != NULL))
		orl_check_released(win, rank, all);
}
/* Before the host's MPI_Finalize: what was found in all. */
void orl_check_leave(void);

#endif
