/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.c - the progress lock: a futex of three states.  Not fair, but those
 * who only poll stand back while others wait, so that a thread that polls in
 * a loop cannot keep one out that has something to post.
 */
#include "orl_progress.h"

#include <assert.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "network.h"
#include "orl_util.h"

#define SPINS 200 /* some microseconds, as a poll takes */

/* CONTENDED: held, and someone may sleep until it is free. */
enum { FREE, HELD, CONTENDED };

static struct {
	_Atomic(uint32_t) state;
	_Atomic(uint32_t) waiting; /* threads within wait_for_lock() */
} lock __attribute__((aligned(ORL_CACHELINE)));

static ORL_THREAD_LOCAL bool is_mine;

bool orl_progress_has_lock(void)
{
	return is_mine;
}

static bool take(void)
{
	uint32_t state = FREE;

	if (atomic_load_explicit(&lock.state, memory_order_relaxed) != FREE)
		return false;
	/* Acquire: pairs with the release in orl_progress_unlock. */
	is_mine = atomic_compare_exchange_strong_explicit(
		&lock.state, &state, HELD, memory_order_acquire,
		memory_order_relaxed);
	return is_mine;
}

bool orl_progress_trylock(void)
{
	return !atomic_load_explicit(&lock.waiting, memory_order_relaxed) &&
	       take();
}

/* Who comes out of it cannot know whether others sleep: CONTENDED. */
static void sleep_for_lock(void)
{
	/* Acquire: pairs with the release in orl_progress_unlock. */
	while (atomic_exchange_explicit(&lock.state, CONTENDED,
					memory_order_acquire) != FREE)
		syscall(SYS_futex, &lock.state, FUTEX_WAIT_PRIVATE, CONTENDED,
			NULL, NULL, 0);
	is_mine = true;
}

static ORL_COLD void wait_for_lock(void)
{
	int i;

	atomic_fetch_add_explicit(&lock.waiting, 1, memory_order_relaxed);
	for (i = 0; i < SPINS && !take(); i++)
		orl_pause();
	if (!is_mine)
		sleep_for_lock();
	atomic_fetch_sub_explicit(&lock.waiting, 1, memory_order_relaxed);
}

void orl_progress_lock(void)
{
	assert(!is_mine);
	if (orl_unlikely(!take()))
		wait_for_lock();
}

void orl_progress_unlock(void)
{
	assert(is_mine);
	is_mine = false;
	/* Release: pairs with the acquires of who takes it next. */
	if (orl_unlikely(atomic_exchange_explicit(&lock.state, FREE,
						  memory_order_release) ==
			 CONTENDED))
		syscall(SYS_futex, &lock.state, FUTEX_WAKE_PRIVATE, 1, NULL,
			NULL, 0);
}

bool orl_lock_is_held(void)
{
	return atomic_load_explicit(&lock.state, memory_order_relaxed) != FREE;
}

void orl_lock_reset(void)
{
	lock.state = FREE;
	lock.waiting = 0;
	is_mine = false;
}
