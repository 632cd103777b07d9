/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orl_progress.h - waiting.  Every wait of Oriel is orl_wait: it polls,
 * makes progress, yields the core and at last sleeps in the kernel until a
 * bell that another thread or process of the node rings.
 */
#ifndef ORL_PROGRESS_H
#define ORL_PROGRESS_H

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "orl_util.h"

/* Does some pending work without blocking; runs in a thread that waits. */
typedef void (*orl_poll_fn)(void);

/*
 * Adds fn to what orl_progress runs, once.  0, or -ENOSPC.  These are for
 * threads of the application alone: they may call the host MPI.
 */
int orl_progress_register(orl_poll_fn fn);

/*
 * Runs every registered function once, then the network's poll.  A thread
 * that is already within it, or holds the progress lock, gets nothing done.
 */
void orl_progress(void);

static inline void orl_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* -- calls from the node --------------------------------------------------- */

/*
 * A word of shared memory, by which others of the node call this process:
 * whenever it is ORL_CALLED, each wait, but for brief ones, while it spins or
 * yields, and the host's progress loop run answer.  Any thread may; none that
 * holds a gate does.  Before the word is there it is NULL.
 */
#define ORL_CALLED 1u

struct orl_summons {
	_Atomic(uint32_t) *_Atomic word;
	orl_poll_fn answer;
};
extern struct orl_summons orl_progress_summons;

/* Once. */
void orl_progress_listen(_Atomic(uint32_t) *word, orl_poll_fn answer);

static inline void orl_progress_answer(void)
{
	/* Acquire: pairs with the release in orl_progress_listen. */
	_Atomic(uint32_t) *word = atomic_load_explicit(
		&orl_progress_summons.word, memory_order_acquire);

	if (orl_unlikely(word &&
			 atomic_load_explicit(word, memory_order_relaxed) ==
				 ORL_CALLED))
		orl_progress_summons.answer();
}

/* -- the network ----------------------------------------------------------- */

/*
 * The progress lock: over src/fabric, src/am and whatever else the handlers
 * of messages and the functions that post them share.  A thread that holds it
 * must not wait for anything but a bounded critical section.  Always a real
 * lock, since the progress thread may exist in any program.
 */
void orl_progress_lock(void);
/* False also while others wait for the lock: who may go without, goes. */
bool orl_progress_trylock(void);
void orl_progress_unlock(void);
/* Does this thread hold it?  For assertions. */
bool orl_progress_has_lock(void);

#define ORL_NETWORK_FDS 160

/* Where messages come from, as src/am gives it. */
struct orl_network {
	bool (*poll)(void); /* lock held; true if anything was done */
	/* Lock held: what to sleep on until one is ready, and how many they
	 * are, ORL_NETWORK_FDS at most; 0: nothing tells. */
	int (*fds)(struct pollfd *fds, int most);
	bool (*may_sleep)(void); /* lock held: is there nothing to poll for? */
	/*
	 * Lock held: microseconds after which poll must look at something
	 * again that no message tells of (parked work); -1: never.  NULL is as
	 * if it always said so.  Asked before each sleep of the thread, and
	 * behind polls of others while it sleeps for longer.
	 */
	long (*patience)(void);
	/*
	 * Ready, if not -1, when a peer has waited for this process to poll:
	 * what the thread sleeps on while the application seems to poll.  It
	 * takes what has come without the lock.  All three, or NULL.
	 */
	int (*nudge_fd)(void);
	void (*nudge_take)(void);
	/* Lock held: the caller has waited for so many ns, for peers that may
	 * have to be told by their nudge_fd. */
	void (*nudge)(uint64_t waited);
	bool needs_cpu; /* peers' operations wait for this process's poll */
};

/*
 * From now on orl_progress polls the network too, and so do the progress
 * thread, if ORIEL_PROGRESS wants one or, by auto, needs_cpu does, and the
 * host's own progress where it lets itself be hooked (orl_progress_hook).
 * Once; 0 or -errno.  The thread makes no call of the host's, blocks all
 * signals, and is asleep while application threads poll themselves.
 */
int orl_progress_start(const struct orl_network *network);
/*
 * Ends the thread; nobody polls the network from then on.  The progress lock
 * must not be held.  Done at exit too, before any destructor.
 */
void orl_progress_stop(void);
bool orl_progress_has_thread(void);
/*
 * Starts the thread now, or with the network if that is not there yet,
 * whatever ORIEL_PROGRESS says: an info key's wish.
 */
int orl_progress_want_thread(void);

/*
 * Has the thread, if it sleeps, poll and ask may_sleep and patience again:
 * for who leaves something to be polled for that the fd does not tell of, and
 * may not poll itself.  With or without the lock; an addition if it is awake.
 */
void orl_progress_wake(void);

/*
 * For the host's progress loop to call, from any application thread, as often
 * as it likes: polls the network when it is time to.  Cheap else.
 */
void orl_progress_hook(void);

/* Changed under the lock, read by who may be wrong without it. */
extern _Atomic(bool) orl_network_on;

/* Is there a network to poll?  Costs a load. */
static inline bool orl_progress_is_on(void)
{
	return atomic_load_explicit(&orl_network_on, memory_order_relaxed);
}

/*
 * For calls that never wait, but that a program may make in a loop until
 * something happens: now and then they make progress too, and give up the
 * core where there are more ranks than cores.  Costs an addition.
 */
#define ORL_TICKS 64

/* A thread's own, lest threads take the line from each other. */
extern ORL_THREAD_LOCAL uint32_t orl_progress_ticks;
void orl_progress_tock(void);

static inline void orl_progress_tick(void)
{
	if (__builtin_expect(++orl_progress_ticks % ORL_TICKS == 0, 0))
		orl_progress_tock();
}

/*
 * Tells how many ranks of the job run on this node, and on how many cores
 * altogether; more ranks than cores makes waits give up the core at once.
 */
void orl_progress_set_ranks(int ranks, int cores);
/* Has it ever been told of more ranks than cores? */
bool orl_wait_is_crowded(void);

/* The cores that this thread may run on, as bits of their numbers modulo
 * 128. */
void orl_progress_cores(uint64_t cores[2]);

/*
 * Runs a full memory fence on every core that runs a thread of a process
 * that has loaded this library, about 1 us.  A thread that has no fence
 * between a store and a load is then as if it had: what it has not stored
 * before, it loads after.  False where the kernel has no such call.
 */
bool orl_fence_others(void);
/* Has this process been registered, so that others can have it fenced? */
bool orl_fence_is_able(void);

/*
 * A bell: lives in memory that waiter and ringer share, all zero at first.
 * The ringer first stores, with release order, what the waiter's predicate
 * reads, then rings.
 */
struct orl_bell {
	_Atomic(uint32_t) seq;	    /* bumped by every ring that wakes */
	_Atomic(uint32_t) sleepers; /* waiters that are about to sleep */
};

/* Every waiter of a bell, see orl_wait. */
#define ORL_BELL_ALL UINT32_MAX

typedef bool (*orl_ready_fn)(void *arg);

/*
 * Returns when ready(arg) is true.  The sleeper wakes from rings whose bits
 * meet its own.  ready must be cheap, without side effects that a second
 * call would repeat, and read with acquire order what it waits for.
 */
void orl_wait(struct orl_bell *bell, uint32_t bits, orl_ready_fn ready,
	      void *arg);

/*
 * The same for what another thread or process gives free within a bounded
 * time, whatever we do: makes no progress, so it may be called with the
 * progress lock held, and from the progress thread.
 */
void orl_wait_brief(struct orl_bell *bell, uint32_t bits, orl_ready_fn ready,
		    void *arg);

/* The slow half of orl_bell_ring. */
void orl_bell_wake(struct orl_bell *bell, uint32_t bits);

/*
 * Wakes those who sleep on the bell for one of these bits.  Costs a load:
 * the fence that the store and this look need between them is brought about
 * by who goes to sleep, see sleep_on() in wait.c.
 */
static inline void orl_bell_ring(struct orl_bell *bell, uint32_t bits)
{
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(atomic_load_explicit(&bell->sleepers,
						  memory_order_relaxed) != 0,
			     0))
		orl_bell_wake(bell, bits);
}

#endif
