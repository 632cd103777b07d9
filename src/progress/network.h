/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.h - what the files of src/progress share: the network that is
 * polled, by whom, and the thread that polls it when nobody else does.
 */
#ifndef PROGRESS_NETWORK_H
#define PROGRESS_NETWORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "orl_progress.h"
#include "orl_util.h"

/* -- progress.c ------------------------------------------------------------ */

/* Changed under the lock, and only while orl_network_on is false. */
extern struct orl_network orl_network;

/*
 * The trace that threads of the application leave when they poll.  They may
 * lose each other's steps: what matters is that it moves.
 */
extern _Atomic(uint32_t) orl_network_polls;

static inline void orl_network_trace(void)
{
	uint32_t n =
		atomic_load_explicit(&orl_network_polls, memory_order_relaxed);

	atomic_store_explicit(&orl_network_polls, n + 1, memory_order_relaxed);
}

/* orl_now_ns() of when a poll last did anything, and how many calls of the
 * hook may still poll on account of it. */
extern _Atomic(uint64_t) orl_network_worked;
extern _Atomic(uint32_t) orl_network_heat;
/* A poll has done something. */
void orl_network_note(uint64_t now);

/* Polls for a thread of the application; true if anything was done. */
bool orl_network_poll(void);
/* For a thread of the application that has waited for so many ns. */
void orl_network_nudge(uint64_t waited);
/* The registered functions, as orl_progress runs them. */
void orl_progress_host(void);

/* -- lock.c ---------------------------------------------------------------- */

bool orl_lock_is_held(void); /* by anyone, just now */
/* In the child of a fork: nobody holds the lock. */
void orl_lock_reset(void);

/* -- thread.c -------------------------------------------------------------- */

/* 0 or -errno; nothing if there is one.  Under the control mutex. */
int orl_thread_start(void);
/* Waits for its end.  Under the control mutex, without the progress lock. */
void orl_thread_stop(void);
/* Is the caller that thread? */
bool orl_thread_is_self(void);
/* In the child of a fork: there is none. */
void orl_thread_reset(void);
/* Lock held, after a poll: wakes the thread if it sleeps too long by now. */
void orl_thread_review(void);

#endif
