/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_rwlock.c - the lock of win/rwlock.c: its sides exclude each other as
 * they must and share as they may, also where its counters wrap, arrivals
 * are served in their order, and who is in a hurry waits for holders only;
 * the same for those who wait by trying again; turns end.
 */
#include "rwlock.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "orl_util.h"

#define THREADS 4
#define VISITS	20000

static struct orl_rwlock lock;
static _Atomic(int) inside[4]; /* by mode */
static _Atomic(int) failures;
static long plain; /* changed only exclusively */
static int second; /* what the lock's second side is: SECOND or EXCLUSIVE */

static void check(bool good, const char *what)
{
	if (good)
		return;
	if (atomic_fetch_add(&failures, 1) < 5)
		fprintf(stderr, "unit_rwlock: %s\n", what);
}

static void enter(int mode, bool tries)
{
	struct orl_visit visit;

	if (!tries) {
		orl_rwlock_enter(&lock, mode);
		return;
	}
	orl_rwlock_begin(&visit, &lock, mode);
	while (!orl_rwlock_try(&visit))
		sched_yield();
}

static void visit(int mode, int hurry, bool tries)
{
	enter(mode | hurry, tries);
	atomic_fetch_add(&inside[mode], 1);
	if (mode == ORL_MODE_EXCLUSIVE) {
		check(inside[mode] == 1, "two who are exclusive");
		check(!inside[0] && !inside[1], "exclusive, with others");
		plain++;
	} else {
		check(!inside[!mode], "both sides at once");
		check(!inside[ORL_MODE_EXCLUSIVE], "beside an exclusive one");
	}
	atomic_fetch_sub(&inside[mode], 1);
	orl_rwlock_leave(&lock, mode);
}

static void *visitor(void *arg)
{
	unsigned state = (unsigned)(uintptr_t)arg * 2654435761u + 1;
	long alone = 0;
	int i;

	for (i = 0; i < VISITS; i++) {
		int mode;

		state = state * 1664525u + 1013904223u;
		mode = state >> 24 & 1 ? second : ORL_MODE_SHARED;
		alone += mode == ORL_MODE_EXCLUSIVE;
		visit(mode, state >> 20 & 1 ? ORL_MODE_HURRY : 0,
		      state >> 16 & 1);
	}
	return (void *)alone;
}

static void test_exclusion(int mode, uint32_t start)
{
	pthread_t threads[THREADS];
	long expected = 0, i;
	void *alone;

	lock = (struct orl_rwlock){ .next = start, .serving = start };
	plain = 0;
	second = mode;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, visitor, (void *)(i + 1));
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &alone);
		expected += (long)alone;
	}
	check(plain == expected, "a lost update of an exclusive one");
	check(lock.next == lock.serving && !lock.inside, "someone is left");
}

/* Holders of one side are inside together: each waits for the others. */
static pthread_barrier_t meeting;

static void *meet(void *arg)
{
	orl_rwlock_enter(&lock, (int)(intptr_t)arg);
	pthread_barrier_wait(&meeting);
	orl_rwlock_leave(&lock, (int)(intptr_t)arg);
	return NULL;
}

static void test_sharing(int mode)
{
	pthread_t threads[THREADS];
	int i;

	lock = (struct orl_rwlock){ 0 };
	pthread_barrier_init(&meeting, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, meet, (void *)(intptr_t)mode);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&meeting);
}

/* Who comes after one in line does not overtake it. */
static _Atomic(int) order;
static int exclusive_at, shared_at;

static void *arrive_exclusive(void *arg)
{
	orl_rwlock_enter(&lock, ORL_MODE_EXCLUSIVE);
	exclusive_at = ++order;
	orl_rwlock_leave(&lock, ORL_MODE_EXCLUSIVE);
	return NULL;
}

static void *arrive_shared(void *arg)
{
	orl_rwlock_enter(&lock, ORL_MODE_SHARED);
	shared_at = ++order;
	orl_rwlock_leave(&lock, ORL_MODE_SHARED);
	return NULL;
}

static void wait_for_line(uint32_t n)
{
	while (atomic_load(&lock.next) != n)
		sched_yield();
}

static void test_order(void)
{
	pthread_t exclusive, shared;

	lock = (struct orl_rwlock){ 0 };
	order = 0;
	orl_rwlock_enter(&lock, ORL_MODE_SHARED);
	pthread_create(&exclusive, NULL, arrive_exclusive, NULL);
	wait_for_line(1);
	pthread_create(&shared, NULL, arrive_shared, NULL);
	wait_for_line(2);
	check(order == 0, "someone entered past the line");
	/* But for us, who hold what they wait for. */
	orl_rwlock_enter(&lock, ORL_MODE_SHARED | ORL_MODE_HURRY);
	orl_rwlock_leave(&lock, ORL_MODE_SHARED);
	check(order == 0, "someone entered beside a holder");
	orl_rwlock_leave(&lock, ORL_MODE_SHARED);
	pthread_join(exclusive, NULL);
	pthread_join(shared, NULL);
	check(exclusive_at == 1 && shared_at == 2, "not in their order");
}

/* A place is taken once, however often the visit is tried. */
static void test_steps(void)
{
	struct orl_visit line, behind, hurried;
	int i;

	lock = (struct orl_rwlock){ 0 };
	orl_rwlock_enter(&lock, ORL_MODE_EXCLUSIVE);
	orl_rwlock_begin(&line, &lock, ORL_MODE_SHARED);
	orl_rwlock_begin(&behind, &lock, ORL_MODE_SHARED);
	orl_rwlock_begin(&hurried, &lock, ORL_MODE_SHARED | ORL_MODE_HURRY);
	for (i = 0; i < 3; i++) {
		check(!orl_rwlock_try(&line), "beside an exclusive one");
		check(!orl_rwlock_try(&behind), "beside an exclusive one");
		check(!orl_rwlock_try(&hurried), "beside an exclusive one");
	}
	check(lock.next == 2 && lock.hurried == 1, "more than one place");
	orl_rwlock_leave(&lock, ORL_MODE_EXCLUSIVE);
	check(!orl_rwlock_try(&line), "past one in a hurry");
	check(orl_rwlock_try(&hurried) && !lock.hurried, "not in a hurry");
	check(!orl_rwlock_try(&behind), "past the line");
	check(orl_rwlock_try(&line) && orl_rwlock_try(&behind), "left in line");
	check(orl_rwlock_try(&line) && lock.inside == 3, "entered twice");
	for (i = 0; i < 3; i++)
		orl_rwlock_leave(&lock, ORL_MODE_SHARED);
	check(lock.next == lock.serving && !lock.inside, "someone is left");
}

/* Visits that one who was first in line makes before it stands there again. */
static _Atomic(int) visits;
static _Atomic(bool) enough;

static void *come_back(void *arg)
{
	int mode = (int)(intptr_t)arg;

	do {
		orl_rwlock_enter(&lock, mode);
		atomic_fetch_add(&visits, 1);
		orl_rwlock_leave(&lock, ORL_MODE_EXCLUSIVE);
	} while (!enough);
	return NULL;
}

static int visits_in_turn(int mode)
{
	struct orl_visit behind;
	pthread_t thread;
	int n;

	lock = (struct orl_rwlock){ 0 };
	visits = 0;
	enough = false;
	orl_rwlock_enter(&lock, ORL_MODE_EXCLUSIVE);
	pthread_create(&thread, NULL, come_back, (void *)(intptr_t)mode);
	wait_for_line(1);
	orl_rwlock_begin(&behind, &lock, ORL_MODE_EXCLUSIVE);
	check(!orl_rwlock_try(&behind), "beside an exclusive one");
	orl_rwlock_leave(&lock, ORL_MODE_EXCLUSIVE);
	wait_for_line(3); /* the turn ends, though nobody asks for the lock */
	n = visits;
	check(orl_rwlock_try(&behind), "no turn after a turn");
	enough = true;
	orl_rwlock_leave(&lock, ORL_MODE_EXCLUSIVE);
	pthread_join(thread, NULL);
	check(lock.next == lock.serving && !lock.inside, "someone is left");
	return n;
}

#define TURNS 50 /* the system may take the core away in one */

static void test_turns(void)
{
	int i, again = 0;

	for (i = 0; i < TURNS; i++) {
		check(visits_in_turn(ORL_MODE_EXCLUSIVE) == 1, "a turn");
		again +=
			visits_in_turn(ORL_MODE_EXCLUSIVE | ORL_MODE_TURNS) > 1;
	}
	check(again, "no turn");
}

int main(void)
{
	orl_options_load();
	orl_progress_set_ranks(THREADS, 1);
	test_exclusion(ORL_MODE_SECOND, 0);
	test_exclusion(ORL_MODE_EXCLUSIVE, 0);
	test_exclusion(ORL_MODE_EXCLUSIVE, UINT32_MAX - 100);
	test_sharing(ORL_MODE_SHARED);
	test_sharing(ORL_MODE_SECOND);
	test_order();
	test_steps();
	test_turns();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
