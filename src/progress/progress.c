/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress.c - what progress consists of: the registry of poll functions,
 * whose entries are only added, by starting code, so that a reader needs no
 * lock; and the network, polled by whoever gets the progress lock.
 */
#include "orl_progress.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#include "network.h"
#include "orl_util.h"

#define MAX_POLLS 8

/* How often orl_progress_hook looks at the clock, and what it then allows. */
#define CALLS_A_LOOK  16
#define SHORT_HOOK_NS 2000
#define LONG_HOOK_NS  10000
#define RECENT_NS     500000 /* after the latest message */
#define HOT_CALLS     900    /* of the hook, after a message; of these, */
#define BURST_CALLS   128    /* the first, see below */
#define LONG_POLL_NS  4000   /* more than one of nothing takes */
#define BUSY_NS	      100000 /* of the host's time */
#define BURST_POLLS   4	     /* each: the host's turn takes as long as some */

static _Atomic(orl_poll_fn) polls[MAX_POLLS];

struct orl_network orl_network;
_Atomic(bool) orl_network_on;
_Atomic(uint32_t) orl_network_polls;
_Atomic(uint64_t) orl_network_worked;
_Atomic(uint32_t) orl_network_heat;

/* Within orl_progress_host: what it calls may wait, or call the hook. */
static ORL_THREAD_LOCAL bool is_inside;

int orl_progress_register(orl_poll_fn fn)
{
	int i;

	for (i = 0; i < MAX_POLLS; i++) {
		orl_poll_fn empty = NULL;

		/* Release: pairs with the acquire in run_polls. */
		if (atomic_compare_exchange_strong(&polls[i], &empty, fn) ||
		    empty == fn)
			return 0;
	}
	return -ENOSPC;
}

static void run_polls(void)
{
	int i;

	for (i = 0; i < MAX_POLLS; i++) {
		/* Acquire: pairs with the release in orl_progress_register. */
		orl_poll_fn fn =
			atomic_load_explicit(&polls[i], memory_order_acquire);
		if (!fn)
			return;
		fn();
	}
}

struct orl_summons orl_progress_summons;

/* The child of a fork answers for nobody. */
static void hang_up(void)
{
	atomic_store_explicit(&orl_progress_summons.word, NULL,
			      memory_order_relaxed);
}

void orl_progress_listen(_Atomic(uint32_t) *word, orl_poll_fn answer)
{
	if (pthread_atfork(NULL, NULL, hang_up))
		return;
	orl_progress_summons.answer = answer;
	/* Release: pairs with the acquire in orl_progress_answer. */
	atomic_store_explicit(&orl_progress_summons.word, word,
			      memory_order_release);
}

void orl_progress_host(void)
{
	if (is_inside || orl_progress_has_lock())
		return;
	is_inside = true;
	run_polls();
	is_inside = false;
}

bool orl_network_poll(void)
{
	bool done = false;

	if (!orl_progress_is_on() || orl_progress_has_lock())
		return false;
	orl_network_trace();
	if (!orl_progress_trylock()) {
		/* Who holds it may wait for the core that we are on. */
		sched_yield();
		return false;
	}
	if (orl_progress_is_on()) {
		done = orl_network.poll();
		orl_thread_review();
	}
	orl_progress_unlock();
	if (done)
		orl_network_note(orl_now_ns());
	return done;
}

void orl_network_nudge(uint64_t waited)
{
	if (!orl_progress_trylock())
		return;
	if (orl_progress_is_on() && orl_network.nudge)
		orl_network.nudge(waited);
	orl_progress_unlock();
}

void orl_network_note(uint64_t now)
{
	atomic_store_explicit(&orl_network_worked, now, memory_order_relaxed);
	atomic_store_explicit(&orl_network_heat, HOT_CALLS,
			      memory_order_relaxed);
}

void orl_progress(void)
{
	if (is_inside)
		return;
	orl_progress_answer();
	orl_progress_host();
	orl_network_poll();
}

/* Is it for the hook to poll, rather than for the thread to be woken? */
static bool has_traffic(uint64_t now)
{
	return !orl_progress_has_thread() ||
	       now - atomic_load_explicit(&orl_network_worked,
					  memory_order_relaxed) <
		       RECENT_NS;
}

/*
 * Several, while the next message may be for us; later, when it is as likely
 * to be the host's, one.  Small writes, which arrive without a word, renew it
 * by a hint with every 32nd (src/am/message.c), so a burst is long enough for
 * those 32: four turns for each.  A poll that takes long has moved data, of
 * reads and writes, and there may be more: then it goes on, for a while.
 */
static void poll_hot(uint32_t heat)
{
	uint64_t began = orl_now_ns(), before, now = began;
	int left = HOT_CALLS - heat < BURST_CALLS ? BURST_POLLS : 1;

	atomic_store_explicit(&orl_network_heat, heat - 1,
			      memory_order_relaxed);
	for (; left && now - began < BUSY_NS; left--) {
		before = now;
		if (orl_network_poll())
			break;
		now = orl_now_ns();
		if (now - before > LONG_POLL_NS)
			left = BURST_POLLS;
	}
}

/* Now and then, as the clock says. */
static void poll_rarely(void)
{
	static ORL_THREAD_LOCAL uint64_t next, interval;
	uint64_t now = orl_now_ns();

	if (now < next || !has_traffic(now))
		return;
	interval += interval / 4;
	if (orl_network_poll() || interval < SHORT_HOOK_NS)
		interval = SHORT_HOOK_NS;
	if (interval > LONG_HOOK_NS)
		interval = LONG_HOOK_NS;
	next = now + interval;
}

/*
 * The host looks for its messages as often as it can, and each of our polls,
 * a system call, delays one that comes meanwhile: none while nothing comes
 * for us, if there is a thread to note when that changes, else few.  But
 * while messages come for us, one by one, each waits for its answer.
 */
void orl_progress_hook(void)
{
	static ORL_THREAD_LOCAL uint32_t calls;
	uint32_t heat;

	orl_progress_answer();
	if (!orl_progress_is_on() || is_inside)
		return;
	heat = atomic_load_explicit(&orl_network_heat, memory_order_relaxed);
	if (heat)
		poll_hot(heat);
	else if (++calls % CALLS_A_LOOK == 0)
		poll_rarely();
}
