/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_progress_thread.c - the progress thread serves while the application
 * does something else, stays out while the application polls, costs nothing
 * while nothing comes, looks again at what no message tells of, and ends when
 * it is told to, by exit or by fork.
 */
#include "network.h"

#include <sys/resource.h>
#include <sys/wait.h>

#define TRIPS 1000

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

#define NAPS 40

static int by_time(const void *a, const void *b)
{
	return (int)(*(const long *)a - *(const long *)b);
}

static void nudge(void)
{
	check(write(nudges[1], "n", 1) == 1, "nudge");
}

/* How long a request waits, in us, that comes with a word to the thread when we
 * have just stopped polling. */
static long interrupt_nap(void (*say)(void))
{
	long begin = now_us();
	char byte;

	while (now_us() - begin < 5000)
		orl_progress();
	begin = now_us();
	check(write(requests[1], "n", 1) == 1, "request in a nap");
	say();
	check(read(replies[0], &byte, 1) == 1, "answer in a nap");
	return now_us() - begin;
}

/*
 * Each nudge is taken.  Where the end of a nap costs much, naps go on for
 * 0.6 ms on the average, which an own wish and a nudge end at once, but for
 * what the machine has to do beside.
 */
static void test_nudge(void)
{
	long own[NAPS], peers[NAPS];
	int i;

	for (i = 0; i < NAPS; i++) {
		own[i] = interrupt_nap(orl_progress_wake);
		peers[i] = interrupt_nap(nudge);
		await(&taken, i + 1);
	}
	qsort(own, NAPS, sizeof(*own), by_time);
	qsort(peers, NAPS, sizeof(*peers), by_time);
	check(peers[NAPS / 2] < 4 * own[NAPS / 2] + 100,
	      "nudges do not end naps");
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
	test_nudge();
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
	if (!make_network())
		return EXIT_FAILURE;
	test_exit();
	test_thread();
	test_want();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
