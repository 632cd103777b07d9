/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rwlock.h - the lock with two sides that MPI_Win_lock takes, rwlock.c.
 */
#ifndef ORL_RWLOCK_H
#define ORL_RWLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "orl_progress.h"

/*
 * A lock with two sides, fair in the order of arrival; see rwlock.c.  Shared
 * by all processes of the node, all zero at first.
 */
struct orl_rwlock {
	_Atomic(uint64_t) inside;  /* holders, by half: of either side */
	_Atomic(uint32_t) next;	   /* the ticket of the next to stand in line */
	_Atomic(uint32_t) serving; /* the ticket of the first in line */
	_Atomic(uint32_t) hurried; /* waiters who go past the line */
	struct orl_bell bell;
	uint8_t pad[36];
};
_Static_assert(sizeof(struct orl_rwlock) == 64, "shared layout");

enum {
	ORL_MODE_SHARED = 0, /* the first side */
	ORL_MODE_SECOND = 1, /* the second side */
	ORL_MODE_ALONE = 2,  /* and exclusive: all of that side, or none */
	ORL_MODE_EXCLUSIVE = ORL_MODE_SECOND | ORL_MODE_ALONE,
	ORL_MODE_HURRY = 4 /* past the line: holds what others wait for */
};
void orl_rwlock_enter(struct orl_rwlock *lock, int mode);
void orl_rwlock_leave(struct orl_rwlock *lock, int mode);

#endif
