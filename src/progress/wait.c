/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait.c - the one wait loop: spin, yield, sleep; and the bell's futex.
 *
 * Spinning is cheap and answers at once, but keeps the core from the rank
 * that is waited for when there are more ranks than cores.  A rank that
 * sleeps wakes every PERIOD to make progress for others: a peer may need the
 * host MPI of this one before it can release what is waited for.
 *
 * With a network a round trip takes as long as many looks, so spinning goes
 * by the clock; whoever sleeps leaves the network to the progress thread, or
 * wakes often to poll it where there is none.
 */
#include "orl_progress.h"

#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "network.h"
#include "orl_util.h"

#define SPINS_ALONE	2000 /* about as long as a wake-up takes */
#define SPINS_CROWDED	2    /* of 50 ns, where who is waited for must run */
#define BY_CLOCK	(-1)
#define SPINS_A_POLL	256 /* between polls: they cost much more than a look */
#define SPINS_A_NETWORK 4   /* the same, of the network */
#define SPINS_A_CLOCK	64
#define YIELDS_A_POLL	8
#define TOCKS_A_POLL	8
#define SPIN_NS		2000000 /* a large transfer takes as long */
#define NUDGE_NS	70000	/* several round trips */
#define PERIOD_NS	1000000
#define SHORT_PERIOD_NS 50000 /* as the network's only poller */
#define SHORTS_A_POLL	(PERIOD_NS / SHORT_PERIOD_NS)

struct wait {
	orl_ready_fn ready;
	void *arg;
	bool is_brief; /* makes no progress */
};

static _Atomic(bool) crowded;

void orl_progress_set_ranks(int ranks, int cores)
{
	if (ranks > cores)
		crowded = true;
}

bool orl_wait_is_crowded(void)
{
	return atomic_load_explicit(&crowded, memory_order_relaxed);
}

void orl_progress_cores(uint64_t cores[2])
{
	uint64_t set[128];
	long i, bytes = syscall(SYS_sched_getaffinity, 0, sizeof(set), set);

	cores[0] = cores[1] = 0;
	if (bytes < 0) /* more cores than set has bits */
		cores[0] = cores[1] = UINT64_MAX;
	for (i = 0; i < bytes / (long)sizeof(*set); i++)
		cores[i % 2] |= set[i];
}

ORL_THREAD_LOCAL uint32_t orl_progress_ticks;

void orl_progress_tock(void)
{
	if (orl_wait_is_crowded())
		sched_yield();
	if (orl_progress_ticks % (TOCKS_A_POLL * ORL_TICKS) == 0)
		orl_progress();
}

/* -- spinning and yielding ------------------------------------------------- */

/* Looks, or BY_CLOCK: as many as SPIN_NS allows. */
static long spin_limit(const struct wait *wait)
{
	if (orl_options.spin >= 0)
		return orl_options.spin;
	if (orl_wait_is_crowded())
		return SPINS_CROWDED;
	return orl_progress_is_on() && !wait->is_brief ? BY_CLOCK : SPINS_ALONE;
}

/* True if the network has done anything. */
static bool poll_between(const struct wait *wait, long looks, long a_network,
			 long a_poll)
{
	bool done = false;

	if (wait->is_brief)
		return false;
	orl_progress_answer();
	if (looks % a_network == 0)
		done = orl_network_poll();
	if (looks % a_poll == 0)
		orl_progress_host();
	return done;
}

/* A short wait never asks the clock; all 0 until then. */
struct clock {
	uint64_t began, end, nudge;
};

static bool is_over(struct clock *clock)
{
	uint64_t now = orl_now_ns();

	if (!clock->began) {
		clock->began = now;
		clock->nudge = now + NUDGE_NS;
	}
	if (!clock->end)
		clock->end = now + SPIN_NS;
	if (now >= clock->nudge) {
		orl_network_nudge(now - clock->began);
		clock->nudge = now + (now - clock->began);
	}
	return now >= clock->end;
}

static bool spin(const struct wait *wait)
{
	long i, limit = spin_limit(wait);
	struct clock clock = { 0 };

	for (i = 1; limit == BY_CLOCK || i <= limit; i++) {
		if (wait->ready(wait->arg))
			return true;
		if (poll_between(wait, i, SPINS_A_NETWORK, SPINS_A_POLL))
			clock.end = 0; /* what is under way moves */
		if (limit == BY_CLOCK && i % SPINS_A_CLOCK == 0 &&
		    is_over(&clock))
			break;
		orl_pause();
	}
	return false;
}

static bool yield(const struct wait *wait)
{
	long i;

	/* Not to the host at once: its poll may yield too, for nothing. */
	for (i = 1; i <= orl_options.yield; i++) {
		if (wait->ready(wait->arg))
			return true;
		poll_between(wait, i, 1, YIELDS_A_POLL);
		sched_yield();
	}
	return false;
}

/* -- sleeping -------------------------------------------------------------- */

static struct timespec end_of_period(long ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ns;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return until;
}

/* Must this sleeper poll the network itself? */
static bool is_poller(const struct wait *wait)
{
	return orl_progress_is_on() && !wait->is_brief &&
	       !orl_progress_has_thread();
}

/* After the periods-th period, each as short as is_poller says. */
static void poll_asleep(const struct wait *wait, long periods)
{
	if (is_poller(wait))
		poll_between(wait, periods, 1, SHORTS_A_POLL);
	else if (!wait->is_brief)
		orl_progress_host();
}

/*
 * A ringer stores, then looks for sleepers; a sleeper counts itself, then
 * looks at what was stored.  One of the two must see the other, which takes
 * a full fence on both sides; the sleeper makes the kernel run one on every
 * core, between its count and its look, so that ringing needs none.  Where
 * the kernel refuses, a ring may be missed, and the period ends the sleep.
 */
static void sleep_on(struct orl_bell *bell, uint32_t bits,
		     const struct wait *wait)
{
	long periods;

	atomic_fetch_add(&bell->sleepers, 1);
	orl_fence_others();
	if (!wait->is_brief)
		orl_progress_wake();
	for (periods = 1;; periods++) {
		uint32_t seq = atomic_load(&bell->seq);
		struct timespec until = end_of_period(
			is_poller(wait) ? SHORT_PERIOD_NS : PERIOD_NS);

		if (wait->ready(wait->arg))
			break;
		syscall(SYS_futex, &bell->seq, FUTEX_WAIT_BITSET, seq, &until,
			NULL, bits);
		if (wait->ready(wait->arg))
			break;
		poll_asleep(wait, periods);
	}
	atomic_fetch_sub(&bell->sleepers, 1);
}

static void wait_for(struct orl_bell *bell, uint32_t bits,
		     const struct wait *wait)
{
	if (!spin(wait) && !yield(wait))
		sleep_on(bell, bits, wait);
}

void orl_wait(struct orl_bell *bell, uint32_t bits, orl_ready_fn ready,
	      void *arg)
{
	/*
	 * Also where nothing is to be waited for because the thread was first:
	 * on a core that it shares with us it would be first for ever.
	 */
	if (orl_progress_is_on() && !orl_progress_has_lock())
		orl_network_trace();
	wait_for(bell, bits, &(struct wait){ .ready = ready, .arg = arg });
}

void orl_wait_brief(struct orl_bell *bell, uint32_t bits, orl_ready_fn ready,
		    void *arg)
{
	wait_for(
		bell, bits,
		&(struct wait){ .ready = ready, .arg = arg, .is_brief = true });
}

void orl_bell_wake(struct orl_bell *bell, uint32_t bits)
{
	atomic_fetch_add(&bell->seq, 1);
	syscall(SYS_futex, &bell->seq, FUTEX_WAKE_BITSET, INT32_MAX, NULL, NULL,
		bits);
}
