/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_progress.c - the progress lock excludes, and who holds it polls
 * nothing; what is registered runs once a time; whoever waits makes progress
 * as long as it waits, asleep or not, but in a brief wait; without a thread
 * nobody else does.
 */
#include "network.h"

#define THREADS 4
#define VISITS	20000

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

static _Atomic(long) looks, looks_awake;

/* Those before the first sleep; how often it then wakes is the load's. */
static bool counts_looks(void *arg)
{
	if (!atomic_load(&bell.sleepers) && looks_awake == looks)
		looks_awake++;
	looks++;
	return is_free;
}

/* ORIEL_SPIN=0 and ORIEL_YIELD=0: a look, and to sleep. */
static void test_no_spin(void)
{
	long spin = orl_options.spin, yield = orl_options.yield;
	pthread_t other;

	start(ORL_PROGRESS_POLL);
	orl_options.spin = orl_options.yield = 0;
	is_free = false;
	pthread_create(&other, NULL, give_free, NULL);
	orl_wait(&bell, ORL_BELL_ALL, counts_looks, NULL);
	pthread_join(other, NULL);
	check(looks_awake < 100, "spun though it should not");
	orl_options.spin = spin;
	orl_options.yield = yield;
	orl_progress_stop();
}

static void *send_slowly(void *arg)
{
	await(&nudged, 1);
	check(write(requests[1], "s", 1) == 1, "slow request");
	return NULL;
}

/* While it spins: who waits long tells those that it waits for. */
static void test_nudge(void)
{
	pthread_t sender;
	char byte;

	start(ORL_PROGRESS_POLL);
	nudged = 0;
	pthread_create(&sender, NULL, send_slowly, NULL);
	orl_wait(&bell, ORL_BELL_ALL, has_arrived, (void *)0);
	pthread_join(sender, NULL);
	check(waited >= 70000, "nudged too early");
	check(read(replies[0], &byte, 1) == 1, "reply after a nudge");
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

int main(void)
{
	if (!make_network())
		return EXIT_FAILURE;
	test_lock();
	test_registry();
	test_cores();
	test_poll_mode();
	test_brief();
	test_no_spin();
	test_nudge();
	test_hook();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
