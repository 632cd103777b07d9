/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * number.c - numbers of threads, so that what they count can be in a line of
 * each.  A number is given back when its thread ends; one that calls again
 * after that, from a destructor of the program's, takes another.
 */
#include "orl_util.h"

#define NO_NUMBER ORL_THREADS /* which all others have */

ORL_THREAD_LOCAL uint32_t orl_thread_mark;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* whose destructor gives the number back */
static bool has_key;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t taken; /* by number, under the mutex */

static void give_back(void *arg)
{
	uint32_t number = orl_thread_mark - 1;

	orl_thread_mark = 0;
	pthread_mutex_lock(&mutex);
	taken &= ~(1ull << number);
	pthread_mutex_unlock(&mutex);
}

static void make_key(void)
{
	has_key = !pthread_key_create(&key, give_back);
}

static uint32_t take(void)
{
	uint32_t number;

	pthread_mutex_lock(&mutex);
	/* Bit 63 is never set. */
	number = (uint32_t)__builtin_ctzll(~taken);
	if (number < ORL_THREADS)
		taken |= 1ull << number;
	pthread_mutex_unlock(&mutex);
	return number;
}

uint32_t orl_thread_take_number(void)
{
	uint32_t number = NO_NUMBER;

	pthread_once(&once, make_key);
	if (has_key)
		number = take();
	orl_thread_mark = number + 1;
	if (number == NO_NUMBER || !pthread_setspecific(key, &taken))
		return number;
	give_back(NULL);
	orl_thread_mark = NO_NUMBER + 1;
	return NO_NUMBER;
}
