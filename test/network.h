/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.h - a network for tests of progress: a pipe.  A request is a byte,
 * answered by the same; who polls is counted.
 */
#ifndef TEST_NETWORK_H
#define TEST_NETWORK_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "orl_progress.h"
#include "orl_util.h"

static _Atomic(int) failures;

static inline void check(bool good, const char *what)
{
	if (good)
		return;
	if (atomic_fetch_add(&failures, 1) < 10)
		fprintf(stderr, "%s: %s\n", program_invocation_short_name,
			what);
}

static inline long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Until *count has reached n; the test's time limit ends a vain wait. */
static inline void await(_Atomic(long) *count, long n)
{
	while (atomic_load(count) < n)
		usleep(100);
}

static int requests[2], replies[2]; /* pipes */
static int nudges[2];		    /* another, for peers' nudges */
static _Atomic(long) taken;	    /* of these, by the thread */
static _Atomic(long) nudged;	    /* how often we nudged, */
static _Atomic(uint64_t) waited;    /* and after how long, lastly */
static bool without_fd;
static _Atomic(bool) is_busy; /* may_sleep says no */
static _Atomic(long) patience_us = -1;
static _Atomic(bool) shows_patience; /* sets it when next polled */
static struct orl_bell bell;
static _Atomic(long) arrived;

/* By whom. */
static pthread_t application;
static _Atomic(long) polls_by_us, polls_by_thread, served_by_thread;

static inline bool is_application(void)
{
	return pthread_equal(pthread_self(), application);
}

static inline void look_at_thread(void)
{
	char name[16];
	sigset_t mask;

	prctl(PR_GET_NAME, name);
	check(!strcmp(name, "oriel"), "the thread has no name");
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	check(sigismember(&mask, SIGINT) && sigismember(&mask, SIGALRM),
	      "the thread takes signals");
}

static inline void count_poll(void)
{
	check(orl_progress_has_lock(), "polled without the lock");
	check(!orl_progress_trylock(), "took the lock twice");
	/* A handler's wait: nothing is to happen, least of all a deadlock. */
	orl_progress();
	atomic_fetch_add(is_application() ? &polls_by_us : &polls_by_thread, 1);
	if (shows_patience) {
		shows_patience = false;
		patience_us = 100;
	}
}

/* A request is a byte; it is answered by the same. */
static inline bool poll_pipe(void)
{
	char byte;

	count_poll();
	if (read(requests[0], &byte, 1) != 1)
		return false;
	if (!is_application()) {
		look_at_thread();
		atomic_fetch_add(&served_by_thread, 1);
	}
	atomic_fetch_add(&arrived, 1);
	orl_bell_ring(&bell, ORL_BELL_ALL);
	check(write(replies[1], &byte, 1) == 1, "reply");
	return true;
}

static inline int pipe_fds(struct pollfd *fds, int most)
{
	fds[0] = (struct pollfd){ .fd = requests[0], .events = POLLIN };
	return !without_fd;
}

static inline bool pipe_may_sleep(void)
{
	return !is_busy;
}

static inline long pipe_patience(void)
{
	return patience_us;
}

static inline int pipe_nudge_fd(void)
{
	return nudges[0];
}

static inline void take_nudge(void)
{
	char byte;

	check(!is_application(), "we took a nudge");
	check(read(nudges[0], &byte, 1) == 1, "no nudge to be taken");
	atomic_fetch_add(&taken, 1);
}

static inline void count_nudge(uint64_t ns)
{
	check(orl_progress_has_lock(), "nudged without the lock");
	waited = ns;
	atomic_fetch_add(&nudged, 1);
}

static struct orl_network network = {
	.poll = poll_pipe,
	.fds = pipe_fds,
	.may_sleep = pipe_may_sleep,
	.patience = pipe_patience,
	.nudge_fd = pipe_nudge_fd,
	.nudge_take = take_nudge,
	.nudge = count_nudge,
	.needs_cpu = true,
};

static inline void start(long mode)
{
	orl_options.progress = mode;
	check(!orl_progress_start(&network), "start");
	check(orl_progress_has_thread() == (mode != ORL_PROGRESS_POLL),
	      "the thread that ORIEL_PROGRESS says");
	polls_by_us = polls_by_thread = served_by_thread = arrived = 0;
}

/* Sent, and answered while we do nothing but block in the kernel. */
static inline void ask(void)
{
	char byte = 'a';

	check(write(requests[1], &byte, 1) == 1, "request");
	check(read(replies[0], &byte, 1) == 1, "answer");
}

/* -- waiting for it -------------------------------------------------------- */

static inline bool has_arrived(void *arg)
{
	return atomic_load(&arrived) > (intptr_t)arg;
}

/* Sends once the waiter is asleep. */
static inline void *send_late(void *arg)
{
	while (!atomic_load(&bell.sleepers))
		sched_yield();
	check(write(requests[1], "b", 1) == 1, "late request");
	return NULL;
}

static inline void wait_asleep(void)
{
	pthread_t sender;
	long before = arrived;
	char byte;

	pthread_create(&sender, NULL, send_late, NULL);
	orl_wait(&bell, ORL_BELL_ALL, has_arrived, (void *)before);
	pthread_join(sender, NULL);
	check(read(replies[0], &byte, 1) == 1, "reply to a late request");
}

/* First of all. */
static inline bool make_network(void)
{
	application = pthread_self();
	unsetenv("ORIEL_PROGRESS");
	orl_options_load();
	return !pipe2(requests, O_NONBLOCK) && !pipe(replies) &&
	       !pipe2(nudges, O_NONBLOCK);
}

#endif
