/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_hurry.c - threads have numbers of their own as long as there are any,
 * and give them back; the locks that they count add up, whoever gives them
 * back; a lock is entered at once if it is free, and only then.
 */
#include "hurry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "rwlock.h"

#define THREADS 80 /* more than there are numbers */

static int failures;
static pthread_barrier_t barrier;
static uint32_t numbers[THREADS];

static void check(bool good, const char *what)
{
	if (good)
		return;
	failures++;
	fprintf(stderr, "unit_hurry: %s\n", what);
}

static void meet(void)
{
	pthread_barrier_wait(&barrier);
}

/* Takes a lock, and gives back one that another has taken. */
static void *take_and_give(void *arg)
{
	numbers[(size_t)arg] = orl_thread_number();
	orl_hurry_count_in();
	meet();
	meet();
	orl_hurry_count_out();
	meet();
	return NULL;
}

static void check_numbers(void)
{
	bool seen[ORL_THREADS] = { false };
	int i, shared = 0;

	seen[orl_thread_number()] = true;
	for (i = 0; i < THREADS; i++) {
		check(numbers[i] <= ORL_THREADS, "a number too large");
		if (numbers[i] >= ORL_THREADS) {
			shared++;
			continue;
		}
		check(!seen[numbers[i]], "two threads with a number");
		seen[numbers[i]] = true;
	}
	check(shared == THREADS + 1 - ORL_THREADS, "numbers were left");
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	size_t i;

	for (i = 0; i < THREADS; i++)
		check(!pthread_create(&threads[i], NULL, take_and_give,
				      (void *)i),
		      "no thread");
	meet();
	check_numbers();
	check(orl_hurry_has(0), "locks are missed");
	check(!orl_hurry_has(THREADS), "not all locks are counted");
	orl_hurry_count_in();
	check(orl_hurry_has(THREADS), "our own lock is missed");
	orl_hurry_count_out();
	meet();
	meet();
	check(!orl_hurry_has(0), "locks are left");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void enter_at_once(void)
{
	static struct orl_rwlock lock;

	check(orl_rwlock_enter_at_once(&lock, ORL_MODE_SHARED), "it is free");
	check(orl_rwlock_enter_at_once(&lock, ORL_MODE_SHARED), "it is shared");
	check(!orl_rwlock_enter_at_once(&lock, ORL_MODE_EXCLUSIVE),
	      "entered exclusively beside others");
	orl_rwlock_leave(&lock, ORL_MODE_SHARED);
	orl_rwlock_leave(&lock, ORL_MODE_SHARED);
	/* A try that failed has left nothing behind. */
	check(orl_rwlock_enter_at_once(&lock, ORL_MODE_EXCLUSIVE),
	      "it is free again");
	check(!orl_rwlock_enter_at_once(&lock, ORL_MODE_SHARED),
	      "entered beside an exclusive one");
	orl_rwlock_leave(&lock, ORL_MODE_EXCLUSIVE);
}

int main(void)
{
	orl_threaded = true;
	check(orl_thread_number() < ORL_THREADS, "no number for the first");
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	run_threads();
	run_threads(); /* with numbers that were given back */
	enter_at_once();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
