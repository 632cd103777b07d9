/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * start.c - the network's beginning and end, and what becomes of it when the
 * process forks or exits.  The control mutex stands above the progress lock.
 */
#include "orl_progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "network.h"
#include "orl_util.h"

static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;
static bool is_wanted; /* the thread, by orl_progress_want_thread */

/* The child has neither our thread nor a right to the parent's endpoint. */
static void after_fork(void)
{
	orl_network_on = false;
	orl_lock_reset();
	orl_thread_reset();
	pthread_mutex_init(&control, NULL);
}

/*
 * The network's libraries are about to be torn down.  Who exits from within
 * a handler cannot wait for the thread to leave it.
 */
static void at_exit(void)
{
	if (!orl_progress_has_lock() && !orl_thread_is_self())
		orl_progress_stop();
}

static int watch_process(void)
{
	static bool watched;
	int rc;

	if (watched)
		return 0;
	rc = pthread_atfork(NULL, NULL, after_fork);
	if (rc || atexit(at_exit))
		return -ENOMEM;
	watched = true;
	return 0;
}

static bool wants_thread(void)
{
	return is_wanted || orl_options.progress == ORL_PROGRESS_THREAD ||
	       (orl_options.progress == ORL_PROGRESS_AUTO &&
		orl_network.needs_cpu);
}

static void turn(bool on)
{
	orl_progress_lock();
	orl_network_on = on;
	orl_progress_unlock();
}

static int start(const struct orl_network *network)
{
	int rc = watch_process();

	if (rc)
		return rc;
	orl_network = *network;
	turn(true);
	rc = wants_thread() ? orl_thread_start() : 0;
	if (rc)
		turn(false);
	return rc;
}

int orl_progress_start(const struct orl_network *network)
{
	int rc;

	pthread_mutex_lock(&control);
	rc = orl_network_on ? -EALREADY : start(network);
	pthread_mutex_unlock(&control);
	return rc;
}

void orl_progress_stop(void)
{
	pthread_mutex_lock(&control);
	orl_thread_stop();
	if (orl_network_on)
		turn(false);
	pthread_mutex_unlock(&control);
}

int orl_progress_want_thread(void)
{
	int rc;

	pthread_mutex_lock(&control);
	is_wanted = true;
	rc = orl_network_on ? orl_thread_start() : 0;
	pthread_mutex_unlock(&control);
	return rc;
}
