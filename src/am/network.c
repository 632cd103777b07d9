/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.c - opening, polling and closing.  What is polled: the fabric,
 * which delivers messages; functions of other modules that have work which no
 * message ends; and now and then those peers that have long been silent.
 */
#include "am.h"

#include <errno.h>
#include <pthread.h>

#define POLLS_MOST     4
#define PATIENCE_LEAST 50 /* us, while a registered function has work */
#define PATIENCE_MOST  1000
#define PATIENCE_WATCH 250000 /* while an answer is awaited */
#define CLOSE_NS       200000 /* two polls of nothing, at most */
#define BYE_NS	       2000000000u

_Static_assert(ORL_FABRIC_FDS <= ORL_NETWORK_FDS, "a thread can sleep on all");

struct orl_bell orl_am_bell;
bool orl_am_polling;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(bool) is_open;
static bool is_closing;
static uint64_t closing_until;

static orl_am_poll_fn polls[POLLS_MOST];
static bool is_wanted; /* a registered function has said so */
static long patience = PATIENCE_LEAST;

/* -- polling --------------------------------------------------------------- */

int orl_am_poll_register(orl_am_poll_fn fn)
{
	int i;

	for (i = 0; i < POLLS_MOST; i++) {
		if (polls[i] && polls[i] != fn)
			continue;
		polls[i] = fn;
		return 0;
	}
	return -ENOSPC;
}

static void poll_registered(void)
{
	int i;

	is_wanted = false;
	for (i = 0; i < POLLS_MOST && polls[i]; i++)
		is_wanted |= polls[i]();
	orl_am_resume_all();
	orl_am_answers_send_all();
}

/* Behind all that has waited for credit.  Who has left knows already. */
static void say_bye(void)
{
	struct orl_am_peer *peer;

	for (peer = orl_am_peers; peer; peer = peer->next) {
		if (!peer->spoken || peer->said_bye || peer->has_left ||
		    peer->error || peer->waiting)
			continue;
		peer->said_bye = true;
		orl_am_message_tell(peer, ORL_AM_BYE);
	}
}

static bool poll_network(void)
{
	bool busy;

	orl_am_polling = true;
	orl_am_worked = false;
	busy = orl_fabric_poll();
	poll_registered();
	if (orl_unlikely(is_closing))
		say_bye();
	orl_am_watch_all();
	orl_am_polling = false;
	busy |= orl_am_worked;
	if (busy) {
		patience = PATIENCE_LEAST;
		orl_bell_ring(&orl_am_bell, ORL_BELL_ALL);
	}
	return busy;
}

/*
 * A poll may take in more than it tells: ofi_rxm polls the sockets once more
 * where it looks for connections, every 10 ms, and with that it ends.  The one
 * behind it tells; close upon each other, not both are such.
 */
static bool may_sleep(void)
{
	uint64_t began = orl_now_ns();

	return !poll_network() && !poll_network() &&
	       orl_now_ns() - began < CLOSE_NS && orl_fabric_may_sleep() &&
	       !orl_am_has_resumed();
}

static long get_patience(void)
{
	long now = patience;

	if (is_wanted) {
		patience = 2 * now < PATIENCE_MOST ? 2 * now : PATIENCE_MOST;
		return now;
	}
	patience = PATIENCE_LEAST;
	return orl_am_awaited ? PATIENCE_WATCH : -1;
}

/* -- opening --------------------------------------------------------------- */

static int open_fabric(int ranks, const char **what)
{
	int rc;

	rc = orl_am_random(&orl_am_token);
	if (rc) {
		*what = "the system gives no random numbers";
		return rc;
	}
	return orl_fabric_open(ranks, orl_am_deliver, what);
}

static int start(int ranks, const char **what)
{
	const struct orl_network network = {
		.poll = poll_network,
		.fds = orl_fabric_fds,
		.may_sleep = may_sleep,
		.patience = get_patience,
		.nudge_fd = orl_fabric_nudge_fd,
		.nudge_take = orl_fabric_nudge_take,
		.nudge = orl_am_nudge_all,
		.needs_cpu = true,
	};
	int rc;

	orl_progress_lock();
	rc = open_fabric(ranks, what);
	orl_progress_unlock();
	if (rc)
		return rc;
	rc = orl_progress_start(&network);
	if (!rc)
		return 0;
	*what = "the thread that makes progress cannot be started";
	orl_progress_lock();
	orl_fabric_close();
	orl_progress_unlock();
	return rc;
}

int orl_am_open(int ranks, const char **what)
{
	int rc = 0;

	pthread_mutex_lock(&opening);
	if (!is_open)
		rc = start(ranks, what);
	if (!rc)
		is_open = true;
	pthread_mutex_unlock(&opening);
	return rc;
}

bool orl_am_is_open(void)
{
	return is_open;
}

/* -- closing --------------------------------------------------------------- */

static bool is_done_with(struct orl_am_peer *peer)
{
	return !__atomic_load_n(&peer->spoken, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&peer->error, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&peer->has_left, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&peer->knows_bye, __ATOMIC_RELAXED);
}

/*
 * Whoever has received our bye has received all that was before it, and who
 * has said it waits for nothing of ours.
 */
static bool is_done(void *arg)
{
	struct orl_am_peer *peer;

	if (orl_now_coarse() > closing_until)
		return true;
	for (peer = orl_am_peers; peer; peer = peer->next)
		if (!is_done_with(peer))
			return false;
	return true;
}

/* Links that are used after this find their peers lost. */
static void lose_all(void)
{
	struct orl_am_peer *peer;

	for (peer = orl_am_peers; peer; peer = peer->next) {
		peer->said_bye = true;
		orl_am_lose(peer, -ESHUTDOWN);
	}
}

static void shut(void)
{
	orl_progress_lock();
	is_closing = true;
	closing_until = orl_now_coarse() + BYE_NS;
	orl_progress_unlock();
	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_done, NULL);
	orl_progress_stop();
	orl_progress_lock();
	lose_all();
	orl_fabric_close();
	is_closing = false;
	orl_progress_unlock();
}

void orl_am_close(void)
{
	pthread_mutex_lock(&opening);
	if (is_open)
		shut();
	is_open = false;
	pthread_mutex_unlock(&opening);
}
