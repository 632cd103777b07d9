/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rwlock.h - the lock with two sides that MPI_Win_lock takes (rwlock.c), and
 * what a rank does for origins of other nodes that ask for it (petition.c).
 */
#ifndef ORL_RWLOCK_H
#define ORL_RWLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "orl_progress.h"

/* -- the lock -------------------------------------------------------------- */

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
	_Atomic(uint32_t) grants; /* exclusive ones to ranks of the node, where
				   * others compete: by the holder */
	uint8_t pad[32];
};
_Static_assert(sizeof(struct orl_rwlock) == 64, "shared layout");

enum {
	ORL_MODE_SHARED = 0, /* the first side */
	ORL_MODE_SECOND = 1, /* the second side */
	ORL_MODE_ALONE = 2,  /* and exclusive: all of that side, or none */
	ORL_MODE_EXCLUSIVE = ORL_MODE_SECOND | ORL_MODE_ALONE,
	ORL_MODE_HURRY = 4, /* past the line: holds what others wait for */
	ORL_MODE_TURNS = 8  /* if ALONE, of orl_rwlock_enter: it may come back
			       past the line for a moment (rwlock.c) */
};

/* orl_visit.stage: how far it has come. */
enum orl_visit_stage {
	ORL_VISIT_NEW,
	ORL_VISIT_IN_LINE, /* has a ticket */
	ORL_VISIT_HURRIED, /* is counted in the lock's hurried */
	ORL_VISIT_INSIDE
};

/* One attempt to enter a lock; a single thread's at a time. */
struct orl_visit {
	struct orl_rwlock *lock;
	uint64_t unit, mask; /* one holder of our side; our side's half */
	uint32_t ticket;
	uint8_t stage; /* enum orl_visit_stage */
	bool alone, hurried;
};

void orl_rwlock_begin(struct orl_visit *visit, struct orl_rwlock *lock,
		      int mode);
/*
 * Enters if it can, without waiting, and else keeps its place for the next
 * call: in line, or among the hurried.  True once it has entered.  A visit
 * that has a place must be tried until it has entered: others wait for it.
 */
bool orl_rwlock_try(struct orl_visit *visit);
/* Both of these, and waits. */
void orl_rwlock_enter(struct orl_rwlock *lock, int mode);
/* The first try of a visit, which keeps no place: has it entered? */
bool orl_rwlock_enter_at_once(struct orl_rwlock *lock, int mode);
void orl_rwlock_leave(struct orl_rwlock *lock, int mode);
/* A place in line for a visit to come: which stands there, or which is passed
 * over once it is the first: then true. */
uint32_t orl_rwlock_draw(struct orl_rwlock *lock);
void orl_rwlock_stand(struct orl_visit *visit, uint32_t ticket);
bool orl_rwlock_pass(struct orl_rwlock *lock, uint32_t ticket);

/* By who holds the lock exclusively, a rank of the node. */
static inline void orl_rwlock_note_grant(struct orl_rwlock *lock)
{
	uint32_t n = atomic_load_explicit(&lock->grants, memory_order_relaxed);

	atomic_store_explicit(&lock->grants, n + 1, memory_order_relaxed);
}

/* -- petitions: origins of other nodes; under the progress lock ------------ */

/* What a rank remembers of each origin of other nodes, a byte; 0 at first. */
enum orl_petition_held {
	ORL_PETITION_NONE,
	ORL_PETITION_ASKED, /* waits */
	ORL_PETITION_SHARED,
	ORL_PETITION_EXCLUSIVE
};

/* The lock of this rank that an origin asks for. */
struct orl_petition_at {
	struct orl_rwlock *lock;
	uint8_t *held; /* the origin's, enum orl_petition_held */
};

struct orl_petition {
	/* The caller sets these, and keeps the petition until it is granted. */
	struct orl_petition_at at;
	uint32_t rank; /* the origin; not looked at here */
	uint32_t idle; /* us since it gave the lock back */
	uint8_t mode;  /* ORL_MODE_SHARED or _EXCLUSIVE, maybe | _HURRY */
	/*
	 * Called by orl_petition_poll once it is granted; the petition may be
	 * freed or used again.  It may call everything here.
	 */
	void (*granted)(struct orl_petition *petition);

	/* petition.c's. */
	struct orl_petition *next;
	struct orl_visit visit;
};

/*
 * 1: granted at once, granted() is not called; 0: queued; -EINVAL: no such
 * mode; -EALREADY: the origin holds the lock or asks for it.
 */
int orl_petition_begin(struct orl_petition *petition);
/*
 * Advances all that are queued, in the order in which they came, and calls
 * granted() of those that are granted.  Are any left, or places kept for
 * origins that come back (comeback.c)?  Two loads if there are none.
 */
bool orl_petition_poll(void);
/*
 * Gives back what the origin holds: 0, or -EPERM if that is nothing.  Grants
 * nothing by itself: orl_petition_poll does, which is to be called soon.
 */
int orl_petition_leave(const struct orl_petition_at *at);

/* -- places in line that are kept for such origins, comeback.c ------------- */

/* The origin is about to give the lock back, which was exclusive. */
void orl_comeback_end(const struct orl_petition_at *at);
/* It asks again: its visit stands in the place kept for it, if any. */
void orl_comeback_take(struct orl_petition *petition);
/* Passes over those who are late.  Are places kept? */
bool orl_comeback_poll(void);
/* The lock will be no more. */
void orl_comeback_forget(const struct orl_rwlock *lock);

#endif
