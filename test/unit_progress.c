/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_progress.c - whoever waits makes progress, and where nobody does, the
 * progress thread: it serves while the application does something else, stays
 * out while the application polls, costs nothing while nothing comes, and
 * ends when it is told to, by exit or by fork.  The progress lock excludes,
 * and who holds it polls nothing.  The network is a pipe.
 */
#include "orl_progress.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orl_util.h"

#define THREADS 4
#define VISITS	20000
#define TRIPS	1000

static _Atomic(int) failures;

static void check(bool good, const char *what)
{
	if (good)
		return;
	if (atomic_fetch_add(&failures, 1) < 10)
		fprintf(stderr, "unit_progress: %s\n", what);
}

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Until *count has reached n; the test's time limit ends a vain wait. */
static void await(_Atomic(long) *count, long n)
{
	while (atomic_load(count) < n)
		usleep(100);
}

/*
 * So many more polls of the thread's within less than the second after which
 * it looks by itself: someone has woken it.
 */
static void await_polls(_Atomic(long) *polls, long more)
{
	long begin = now_us();

	await(polls, *polls + more);
	check(now_us() - begin < 900000, "the thread was not woken");
}

/* -- a network ------------------------------------------------------------- */

static int requests[2], replies[2]; /* pipes */
static bool without_fd;
static _Atomic(bool) is_busy; /* may_sleep says no */
static _Atomic(long) patience_us = -1;
static _Atomic(bool) shows_patience; /* sets it when next polled */
static struct orl_bell bell;
static _Atomic(long) arrived;

/* By whom. */
static pthread_t application;
static _Atomic(long) polls_by_us, polls_by_thread, served_by_thread;

static bool is_application(void)
{
	return pthread_equal(pthread_self(), application);
}

static void look_at_thread(void)
{
	char name[16];
	sigset_t mask;

	prctl(PR_GET_NAME, name);
	check(!strcmp(name, "oriel"), "the thread has no name");
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	check(sigismember(&mask, SIGINT) && sigismember(&mask, SIGALRM),
	      "the thread takes signals");
}

static void count_poll(void)
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
static bool poll_pipe(void)
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

static int pipe_fd(void)
{
	return without_fd ? -1 : requests[0];
}

static bool pipe_may_sleep(void)
{
	return !is_busy;
}

static long pipe_patience(void)
{
	return patience_us;
}

static struct orl_network network = {
	.poll = poll_pipe,
	.fd = pipe_fd,
	.may_sleep = pipe_may_sleep,
	.patience = pipe_patience,
	.needs_cpu = true,
};

static void start(long mode)
{
	orl_options.progress = mode;
	check(!orl_progress_start(&network), "start");
	check(orl_progress_has_thread() == (mode != ORL_PROGRESS_POLL),
	      "the thread that ORIEL_PROGRESS says");
	polls_by_us = polls_by_thread = served_by_thread = arrived = 0;
}

/* Sent, and answered while we do nothing but block in the kernel. */
static void ask(void)
{
	char byte = 'a';

	check(write(requests[1], &byte, 1) == 1, "request");
	check(read(replies[0], &byte, 1) == 1, "answer");
}

/* -- the lock -------------------------------------------------------------- */

static long plain; /* under the lock */

static void *visit(void *arg)
{
	bool tries = arg;
	int i;

	for (i = 0; i < VISITS; i++) {
		if (!tries)
			orl_progress_lock();
		else
			while (!orl_progress_trylock())
				sched_yield();
		check(orl_progress_has_lock(), "has no lock that it took");
		plain++;
		orl_progress_unlock();
		check(!orl_progress_has_lock(), "has a lock that it left");
	}
	return NULL;
}

static void test_lock(void)
{
	pthread_t threads[THREADS];
	long i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, visit,
			       (void *)(uintptr_t)(i == 0));
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check(plain == THREADS * VISITS, "two held the lock");
}

static _Atomic(long) runs;

static void count_run(void)
{
	runs++;
	/* Within it already. */
	orl_progress();
}

static void test_registry(void)
{
	check(!orl_progress_register(count_run), "register");
	check(!orl_progress_register(count_run), "register again");
	orl_progress();
	check(runs == 1, "not run once");
	orl_progress_lock();
	orl_progress();
	orl_progress_unlock();
	check(runs == 1, "run with the lock held");
}

static void test_cores(void)
{
	cpu_set_t set;
	uint64_t cores[2];
	int i;

	orl_progress_cores(cores);
	sched_getaffinity(0, sizeof(set), &set);
	for (i = 0; i < 128 && CPU_COUNT(&set) <= 128; i++)
		check(!CPU_ISSET(i, &set) || cores[i / 64] >> i % 64 & 1,
		      "a core is not there");
	check(cores[0] || cores[1], "no core");
}

/* -- waiting --------------------------------------------------------------- */

static bool has_arrived(void *arg)
{
	return atomic_load(&arrived) > (intptr_t)arg;
}

/* Sends once the waiter is asleep. */
static void *send_late(void *arg)
{
	while (!atomic_load(&bell.sleepers))
		sched_yield();
	check(write(requests[1], "b", 1) == 1, "late request");
	return NULL;
}

static void wait_asleep(void)
{
	pthread_t sender;
	long before = arrived;
	char byte;

	pthread_create(&sender, NULL, send_late, NULL);
	orl_wait(&bell, ORL_BELL_ALL, has_arrived, (void *)before);
	pthread_join(sender, NULL);
	check(read(replies[0], &byte, 1) == 1, "reply to a late request");
}

static void test_poll_mode(void)
{
	start(ORL_PROGRESS_POLL);
	check(orl_progress_start(&network) == -EALREADY, "started twice");
	/* Met while it spins. */
	check(write(requests[1], "c", 1) == 1, "early request");
	orl_wait(&bell, ORL_BELL_ALL, has_arrived, (void *)0);
	check(read(replies[0], (char[1]){ 0 }, 1) == 1, "early reply");
	wait_asleep();
	check(!polls_by_thread, "a thread polled");
	orl_progress_lock();
	polls_by_us = 0;
	orl_progress();
	orl_progress_unlock();
	check(!polls_by_us, "polled with the lock held");
	orl_progress_stop();
	orl_progress();
	check(!polls_by_us, "polled after the end");
}

static _Atomic(bool) is_free;

static bool gets_free(void *arg)
{
	return is_free;
}

static void *give_free(void *arg)
{
	while (!atomic_load(&bell.sleepers))
		sched_yield();
	is_free = true;
	orl_bell_ring(&bell, ORL_BELL_ALL);
	return NULL;
}

static void test_brief(void)
{
	pthread_t other;

	start(ORL_PROGRESS_POLL);
	runs = 0;
	pthread_create(&other, NULL, give_free, NULL);
	orl_wait_brief(&bell, ORL_BELL_ALL, gets_free, NULL);
	pthread_join(other, NULL);
	check(!polls_by_us && !runs, "a brief wait made progress");
	orl_progress_stop();
}

static void test_hook(void)
{
	long runs_before = runs;

	orl_progress_hook();
	start(ORL_PROGRESS_POLL);
	while (polls_by_us < 3)
		orl_progress_hook();
	check(runs == runs_before, "the hook called the host");
	orl_progress_stop();
}

/* -- the thread ------------------------------------------------------------ */

static void test_service(void)
{
	int i;

	for (i = 0; i < TRIPS; i++)
		ask();
	check(!polls_by_us, "we polled");
	check(served_by_thread == TRIPS, "not every request was served");
	wait_asleep();
}

static long cpu_us(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 +
	       use.ru_utime.tv_usec + use.ru_stime.tv_usec;
}

static void test_idle(void)
{
	long polls, cpu;

	ask();
	usleep(10000); /* it may spin a little after a message */
	polls = polls_by_thread;
	cpu = cpu_us();
	usleep(1000000);
	check(cpu_us() - cpu < 20000, "an idle thread costs much time");
	check(polls_by_thread - polls < 200, "an idle thread polls often");
}

/* We send to ourselves and poll until it has come. */
static void test_stand_back(void)
{
	long begin = now_us(), before = arrived, sent;
	char byte;

	served_by_thread = 0;
	for (sent = 0; now_us() - begin < 200000; sent++) {
		check(write(requests[1], "d", 1) == 1, "request to us");
		orl_wait(&bell, ORL_BELL_ALL, has_arrived,
			 (void *)(before + sent));
		check(read(replies[0], &byte, 1) == 1, "reply from us");
	}
	check(served_by_thread < sent / 10, "the thread polls beside us");
	/* And it takes over. */
	ask();
}

static void test_patience(void)
{
	patience_us = 200;
	orl_progress_wake();
	await_polls(&polls_by_thread, 20);
	/* Parked by a handler that ran here, while the thread sleeps. */
	patience_us = -1;
	usleep(20000);
	shows_patience = true;
	orl_progress();
	await_polls(&polls_by_thread, 20);
	patience_us = -1;
	/* Something to poll for that no fd tells of. */
	usleep(20000);
	is_busy = true;
	orl_progress_wake();
	await_polls(&polls_by_thread, 20);
	is_busy = false;
}

static void test_fork(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		check(!orl_progress_has_thread(), "the child has a thread");
		polls_by_us = 0;
		orl_progress();
		orl_progress_hook();
		check(!polls_by_us, "the child polls the network");
		orl_progress_lock();
		orl_progress_unlock();
		exit(failures ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	check(waitpid(child, &status, 0) == child && !status, "the child");
	ask();
}

static void test_stop(void)
{
	long polls;

	orl_progress_stop();
	check(!orl_progress_has_thread(), "there is still a thread");
	polls = polls_by_thread;
	usleep(10000);
	check(polls == polls_by_thread, "it still polls");
	orl_progress_stop();
	orl_progress_wake();
}

static void test_want(void)
{
	network.needs_cpu = false;
	orl_options.progress = ORL_PROGRESS_AUTO;
	check(!orl_progress_start(&network), "start");
	check(!orl_progress_has_thread(), "a thread that nothing needs");
	check(!orl_progress_want_thread(), "want a thread");
	check(!orl_progress_want_thread(), "want it twice");
	ask();
	orl_progress_stop();
}

/* Called behind what orl_progress_start has registered. */
static void look_for_thread(void)
{
	if (orl_progress_has_thread())
		_exit(EXIT_FAILURE);
}

/* Exits with the thread running; before we have one ourselves. */
static void test_exit(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		application = pthread_self();
		atexit(look_for_thread);
		start(ORL_PROGRESS_THREAD);
		ask();
		exit(failures ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	check(waitpid(child, &status, 0) == child && !status, "exit");
}

static void test_thread(void)
{
	start(ORL_PROGRESS_THREAD);
	test_service();
	test_stand_back();
	test_patience();
	test_fork();
	test_idle();
	test_stop();
	without_fd = true;
	start(ORL_PROGRESS_AUTO);
	test_service();
	test_stop();
	without_fd = false;
}

int main(void)
{
	application = pthread_self();
	unsetenv("ORIEL_PROGRESS");
	orl_options_load();
	if (pipe2(requests, O_NONBLOCK) || pipe(replies))
		return EXIT_FAILURE;
	test_lock();
	test_registry();
	test_cores();
	test_exit();
	test_poll_mode();
	test_brief();
	test_hook();
	test_thread();
	test_want();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
