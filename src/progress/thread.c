/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - the thread that polls the network when nobody else does.
 *
 * While threads of the application poll, their trace moves; the thread then
 * naps by a timer, since on the network's fds every message would wake it.
 * Once the trace has stood still over a nap it polls, and sleeps on the fds.
 * A peer that waits too long by then ends the nap by a nudge.
 * A thread of the application that goes to sleep itself wakes it at once.
 */
#include "orl_progress.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "network.h"
#include "orl_util.h"

/* While the application polls: at first, and at most when it goes on. The end
 * of a nap takes the core from it: for a few us, but in a virtual machine for
 * tens of them. How late naps end shows which, and a nap that goes on should
 * be so many times as long: then it costs 2.5 %. */
#define NAP_NS	     150000
#define LONG_NAP_NS  1200000
#define LATES_A_NAP  40
#define SPIN_NS	     50000     /* after a message, for the next, at first, */
#define LONG_SPIN_NS 1000000   /* and while sleeps end sooner than spins */
#define TRAFFIC_NS   200000    /* messages so close may be worth a spin */
#define PAID_NS	     4000      /* what came later came as a next message */
#define SHORT_NS     20000     /* naps where no fd tells: the first, */
#define LONG_NS	     1000000   /* and the longest */
#define IDLE_NS	     500000000 /* lest a wake-up be lost */
#define REFUSALS     4	       /* of sleep, before it is a nap all the same */
#define FUTILE_MOST  1000
#define MAX_SKIP     63

#define STACK_BYTES (256 << 10)

/* What it sleeps on, before the network's fds. */
enum { WAKE, NUDGE, OWN_FDS };

static struct {
	pthread_t id; /* under the control mutex, as is its existence */
	int wake_fd;  /* stays open: who wakes may be late */
	_Atomic(bool) exists;
	_Atomic(bool) stopping;
	_Atomic(bool) asleep;
	_Atomic(uint32_t) wishes; /* bumped by who wants it awake */
	/* What it knows of the network's patience, in us, while it sleeps
	 * for longer than a nap; else 0, less than any. */
	_Atomic(long) patience;
} thread = { .wake_fd = -1 };

static ORL_THREAD_LOCAL bool is_self;

/* The thread's own. */
struct view {
	uint32_t polls;	 /* the trace, when last looked at */
	uint32_t wishes; /* granted */
	uint64_t worked; /* when a poll last did something */
	long stand;	 /* ns, of the next nap while the application polls */
	long late;	 /* ns, how late such naps end */
	long nap;	 /* of the next one where no fd tells */
	int refusals;	 /* may_sleep said no, in a row */
	int futile;	 /* wakings at once since a poll last did anything */
	struct pollfd fds[OWN_FDS + ORL_NETWORK_FDS];
	uint64_t spin;	  /* ns, in a visit that spins */
	bool readable;	  /* by the fd it has just slept on */
	bool nudged;	  /* or by a peer */
	bool is_visiting; /* has done something since it slept */
	bool spins;	  /* waits for more in this visit */
	bool paid;	  /* and got it */
	int skip;	  /* visits that will not spin */
	int penalty;	  /* what skip becomes after the next vain spin */
};

bool orl_thread_is_self(void)
{
	return is_self;
}

bool orl_progress_has_thread(void)
{
	return atomic_load_explicit(&thread.exists, memory_order_relaxed);
}

/* -- sleeping and waking --------------------------------------------------- */

static void drain(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

static int nudge_fd(void)
{
	return orl_network.nudge_fd ? orl_network.nudge_fd() : -1;
}

/* How many of its own fds were ready. */
static int take_own(struct view *me)
{
	me->nudged = me->fds[NUDGE].revents;
	if (me->fds[WAKE].revents)
		drain(thread.wake_fd);
	if (me->nudged)
		orl_network.nudge_take();
	return !!me->fds[WAKE].revents + me->nudged;
}

/* Until one of the n that it looks at is ready, or ns are over, or somebody
 * wishes it: then true. */
static bool doze(struct view *me, int n, long ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };
	uint32_t wishes;
	int ready = 0;

	me->nudged = false;
	/* Seq_cst, as in wake(): it sees us asleep, or we see the wish. */
	atomic_store(&thread.asleep, true);
	wishes = atomic_load(&thread.wishes);
	me->fds[WAKE] = (struct pollfd){ thread.wake_fd, POLLIN, 0 };
	me->fds[NUDGE] = (struct pollfd){ nudge_fd(), POLLIN, 0 };
	if (wishes == me->wishes)
		ready = ppoll(me->fds, (nfds_t)(OWN_FDS + n), &time, NULL);
	if (ready > 0)
		ready -= take_own(me);
	me->readable = ready > 0;
	atomic_store_explicit(&thread.asleep, false, memory_order_relaxed);
	atomic_store_explicit(&thread.patience, 0, memory_order_relaxed);
	wishes = atomic_load(&thread.wishes);
	if (wishes == me->wishes)
		return me->nudged;
	me->wishes = wishes;
	return true;
}

static void wake(void)
{
	uint64_t one = 1;

	atomic_fetch_add(&thread.wishes, 1);
	if (atomic_load(&thread.asleep) &&
	    write(thread.wake_fd, &one, sizeof(one)) < 0)
		orl_log(ORL_LOG_DEBUG, "eventfd: %s", strerror(errno));
}

void orl_progress_wake(void)
{
	if (orl_progress_has_thread() && !is_self)
		wake();
}

static long patience(void)
{
	return orl_network.patience ? orl_network.patience() : -1;
}

/* Asks only while the answer may matter: asking may have a meaning. */
void orl_thread_review(void)
{
	long known =
		atomic_load_explicit(&thread.patience, memory_order_relaxed);
	long us;

	if (!known)
		return;
	us = patience();
	if (us < 0 || (known >= 0 && us >= known))
		return;
	atomic_store_explicit(&thread.patience, 0, memory_order_relaxed);
	wake();
}

/* -- polling --------------------------------------------------------------- */

/*
 * 0, or -EBUSY: who holds the lock polls, or is about to be done; on a core
 * that we share with it, waiting in its way costs both.
 */
static int poll_once(bool *done)
{
	if (!orl_progress_trylock())
		return -EBUSY;
	*done = orl_network.poll();
	orl_progress_unlock();
	return 0;
}

/* -- while the application polls ------------------------------------------- */

static bool application_polls(struct view *me)
{
	uint32_t polls =
		atomic_load_explicit(&orl_network_polls, memory_order_relaxed);
	bool moved = polls != me->polls;

	me->polls = polls;
	return moved;
}

/* Goes down faster than up: what else runs on the core makes naps late, too. */
static void note_lateness(struct view *me, long late)
{
	me->late += (late - me->late) / (late < me->late ? 2 : 8);
}

static long longest_nap(const struct view *me)
{
	long ns = LATES_A_NAP * me->late;

	if (ns > LONG_NAP_NS)
		return LONG_NAP_NS;
	return ns > NAP_NS ? ns : NAP_NS;
}

/*
 * One poll after the nap serves what came after the application's last, so
 * that nothing waits for two naps.
 */
static void stand_back(struct view *me)
{
	uint64_t began = orl_now_ns();
	long longest;
	bool done;

	if (doze(me, 0, me->stand)) {
		application_polls(me);
		/* A nudge may be in vain: then naps go on as before. */
		if (!me->nudged)
			me->stand = NAP_NS;
	} else {
		note_lateness(me, (long)(orl_now_ns() - began) - me->stand);
		poll_once(&done);
	}
	longest = longest_nap(me);
	me->stand = me->stand < longest / 2 ? 2 * me->stand : longest;
}

/* -- while it does not ----------------------------------------------------- */

/*
 * Is it worth spinning after this visit's work?  Only if messages come close
 * upon each other, and less often the more spins were in vain.
 */
static bool is_worth_spinning(struct view *me, uint64_t now)
{
	if (now - me->worked > TRAFFIC_NS || orl_wait_is_crowded())
		return false;
	if (!me->skip)
		return true;
	me->skip--;
	return false;
}

static void note_work(struct view *me)
{
	uint64_t now = orl_now_ns();

	if (!me->is_visiting) {
		me->is_visiting = true;
		me->paid = false;
		me->spins = is_worth_spinning(me, now);
	} else if (now - me->worked > PAID_NS) {
		me->paid = true;
	}
	me->worked = now;
	orl_network_note(now);
	me->nap = SHORT_NS;
	me->refusals = 0;
}

static bool expects_more(const struct view *me)
{
	return me->is_visiting && me->spins &&
	       orl_now_ns() - me->worked < me->spin;
}

static void end_visit(struct view *me)
{
	if (!me->is_visiting)
		return;
	me->is_visiting = false;
	if (!me->spins)
		return;
	me->penalty = me->paid ? 0 : 2 * me->penalty + 1;
	if (me->penalty > MAX_SKIP)
		me->penalty = MAX_SKIP;
	me->skip = me->penalty;
}

/* What is ready all the time tells nothing. */
static int list_fds(struct view *me)
{
	if (me->futile > FUTILE_MOST)
		return 0;
	return orl_network.fds(me->fds + OWN_FDS, ORL_NETWORK_FDS);
}

/* Lock held.  On how many to sleep and how long, 0: not at all. */
static long plan(struct view *me, int *n)
{
	long us = patience(), ns = IDLE_NS;
	bool may = orl_network.may_sleep();

	*n = may ? list_fds(me) : 0;
	me->refusals = may ? 0 : me->refusals + 1;
	if (!may && me->refusals < REFUSALS)
		return 0;
	if (!*n) {
		ns = me->nap;
		me->nap = ns > LONG_NS / 2 ? LONG_NS : 2 * ns;
	}
	atomic_store_explicit(&thread.patience, *n ? us : 0,
			      memory_order_relaxed);
	return us >= 0 && us < ns / 1000 ? us * 1000 : ns;
}

/*
 * Others' reads and writes are done within a poll, without a word but for a
 * hint now and then: between hints a visit ends though there is traffic.
 * That shows in sleeps that are soon over.
 */
static void sleep_between(struct view *me, int n, long ns)
{
	uint64_t began = orl_now_ns(), slept;

	if (doze(me, n, ns))
		me->nap = SHORT_NS; /* somebody waits, and may do so again */
	if (!me->readable)
		return;
	slept = orl_now_ns() - began;
	me->futile = slept > SPIN_NS ? 0 : me->futile + 1;
	if (slept > me->spin)
		me->spin = SPIN_NS;
	else if (me->spin < LONG_SPIN_NS)
		me->spin *= 2;
	note_work(me);
}

static void serve(struct view *me)
{
	bool done;
	long ns;
	int n;

	if (poll_once(&done)) {
		doze(me, 0, NAP_NS);
		return;
	}
	if (done) {
		me->futile = 0;
		note_work(me);
		return;
	}
	if (expects_more(me))
		return;
	orl_progress_lock();
	ns = plan(me, &n);
	orl_progress_unlock();
	if (!ns)
		return;
	end_visit(me);
	sleep_between(me, n, ns);
}

/* -- its life -------------------------------------------------------------- */

static void *run(void *arg)
{
	struct view me = { .stand = NAP_NS,
			   .late = LONG_NAP_NS / LATES_A_NAP,
			   .nap = SHORT_NS,
			   .spin = SPIN_NS };

	is_self = true;
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	application_polls(&me);
	while (!atomic_load_explicit(&thread.stopping, memory_order_relaxed)) {
		/* A poll that moves much data leaves no trace for long. */
		if (application_polls(&me) || orl_lock_is_held()) {
			stand_back(&me);
		} else {
			me.stand = NAP_NS;
			serve(&me);
		}
	}
	return NULL;
}

static int create(void)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int rc = pthread_attr_init(&attr);

	if (rc)
		return rc;
	sigfillset(&all);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread.id, &attr, run, NULL);
	if (rc == EINVAL) /* the program's thread-local memory is larger */
		rc = pthread_create(&thread.id, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

int orl_thread_start(void)
{
	int rc;

	if (thread.exists)
		return 0;
	if (thread.wake_fd < 0)
		thread.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (thread.wake_fd < 0)
		return -errno;
	thread.stopping = false;
	rc = create();
	if (rc)
		return -rc;
	pthread_setname_np(thread.id, "oriel");
	thread.exists = true;
	return 0;
}

void orl_thread_stop(void)
{
	if (!thread.exists)
		return;
	thread.exists = false;
	thread.stopping = true;
	wake();
	pthread_join(thread.id, NULL);
}

void orl_thread_reset(void)
{
	thread.exists = false;
	thread.asleep = false;
	thread.patience = 0;
	/* The parent's thread would be woken by it. */
	if (thread.wake_fd >= 0)
		close(thread.wake_fd);
	thread.wake_fd = -1;
}
