/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait.c - the one wait loop: spin, yield, sleep; and the bell's futex.
 *
 * Spinning is cheap and answers at once, but keeps the core from the rank
 * that is waited for when there are more ranks than cores.  A rank that
 * sleeps wakes every PERIOD to make progress for others: a peer may need the
 * host MPI of this one before it can release what is waited for.
 */
#include "orl_progress.h"

#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "orl_util.h"

#define SPINS_ALONE   2000 /* about as long as a wake-up takes */
#define SPINS_CROWDED 20
#define SPINS_A_POLL  256 /* between polls: they cost much more than a look */
#define YIELDS_A_POLL 8
#define TOCKS_A_POLL  8
#define PERIOD_NS     1000000

static _Atomic(int) node_ranks = 1;

void orl_progress_set_ranks(int ranks)
{
	if (ranks > node_ranks)
		node_ranks = ranks;
}

/* Are there more ranks than cores? */
static bool is_crowded(void)
{
	static _Atomic(long) cores;

	if (!cores)
		cores = sysconf(_SC_NPROCESSORS_ONLN);
	return node_ranks > cores;
}

static long spin_limit(void)
{
	if (orl_options.spin >= 0)
		return orl_options.spin;
	return is_crowded() ? SPINS_CROWDED : SPINS_ALONE;
}

_Atomic(uint32_t) orl_progress_ticks;

void orl_progress_tock(uint32_t ticks)
{
	if (is_crowded())
		sched_yield();
	if (ticks % (TOCKS_A_POLL * ORL_TICKS) == 0)
		orl_progress();
}

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool spin(orl_ready_fn ready, void *arg)
{
	long i, limit = spin_limit();

	for (i = 1; i <= limit; i++) {
		if (ready(arg))
			return true;
		if (i % SPINS_A_POLL == 0)
			orl_progress();
		pause_cpu();
	}
	return false;
}

static bool yield(orl_ready_fn ready, void *arg)
{
	long i;

	for (i = 0; i < orl_options.yield; i++) {
		if (ready(arg))
			return true;
		if (i % YIELDS_A_POLL == 0)
			orl_progress();
		sched_yield();
	}
	return false;
}

static struct timespec end_of_period(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += PERIOD_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return until;
}

/*
 * A ringer stores, then looks for sleepers; a sleeper counts itself, then
 * looks at what was stored.  One of the two must see the other, which takes
 * a full fence on both sides; the sleeper makes the kernel run one on every
 * core, between its count and its look, so that ringing needs none.  Where
 * the kernel refuses, a ring may be missed, and the period ends the sleep.
 */
static void sleep_on(struct orl_bell *bell, uint32_t bits, orl_ready_fn ready,
		     void *arg)
{
	atomic_fetch_add(&bell->sleepers, 1);
	orl_fence_others();
	for (;;) {
		uint32_t seq = atomic_load(&bell->seq);
		struct timespec until = end_of_period();

		if (ready(arg))
			break;
		syscall(SYS_futex, &bell->seq, FUTEX_WAIT_BITSET, seq, &until,
			NULL, bits);
		if (ready(arg))
			break;
		orl_progress();
	}
	atomic_fetch_sub(&bell->sleepers, 1);
}

void orl_wait(struct orl_bell *bell, uint32_t bits, orl_ready_fn ready,
	      void *arg)
{
	if (!spin(ready, arg) && !yield(ready, arg))
		sleep_on(bell, bits, ready, arg);
}

void orl_bell_wake(struct orl_bell *bell, uint32_t bits)
{
	atomic_fetch_add(&bell->seq, 1);
	syscall(SYS_futex, &bell->seq, FUTEX_WAKE_BITSET, INT32_MAX, NULL, NULL,
		bits);
}
