/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * absent.c - says so when ranks do not come to the first exchange of this
 * process: one that runs without Oriel never will, as its calls go to the
 * host, and the job would hang without a word.  A thread does, since the host
 * waits in the exchange; it lives until the ranks have met, once a process.
 */
#include "creation.h"

#include <signal.h>

/* A rank may be late for reasons of its own; of ORIEL_TIMEOUT at most. */
#define PATIENCE 10

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	const char *call;
	uint32_t rank, size;
	bool is_over; /* under lock */
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Atomic(bool) has_begun;

static long patience(void)
{
	long most = orl_options.timeout;

	return most < PATIENCE ? most : PATIENCE;
}

static void tell(void)
{
	orl_log(ORL_LOG_ERROR,
		"%s: rank %u has waited %ld seconds for the other %u; do they "
		"all call it, and run under Oriel? (orielrun behind mpirun, or "
		"LD_PRELOAD set on every host; ORIEL_LOG=info has a line of "
		"each process that does)",
		watch.call, watch.rank, patience(), watch.size - 1);
}

static void *run(void *arg)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += patience();
	pthread_mutex_lock(&watch.lock);
	while (!watch.is_over && !rc)
		rc = pthread_cond_timedwait(&watch.wake, &watch.lock, &until);
	if (!watch.is_over)
		tell();
	pthread_mutex_unlock(&watch.lock);
	return arg;
}

/* The program's signals are its own threads'. */
static bool start_thread(void)
{
	pthread_condattr_t monotonic;
	sigset_t all, old;
	int rc;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&watch.wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&watch.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !rc;
}

/* Two are enough to speak, of different nodes: one may be an absent one. */
bool orl_absent_expect(const struct orl_creation *creation)
{
	const struct orl_win *win = creation->win;

	if (win->size < 2 || (win->rank && win->rank + 1 != win->size) ||
	    patience() <= 0 || atomic_exchange(&has_begun, true))
		return false;
	watch.call = creation->args->call;
	watch.rank = win->rank;
	watch.size = win->size;
	return start_thread();
}

void orl_absent_met(bool expected)
{
	if (!expected)
		return;
	pthread_mutex_lock(&watch.lock);
	watch.is_over = true;
	pthread_cond_signal(&watch.wake);
	pthread_mutex_unlock(&watch.lock);
	pthread_join(watch.thread, NULL);
}
