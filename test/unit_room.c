/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_room.c - the lock of win/room.c: classes exclude each other as they
 * must and share as they may, also where its counters wrap, and arrivals are
 * served in their order.
 */
#include "win.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define VISITS	20000

static struct orl_room room;
static _Atomic(int) inside[3]; /* by class */
static _Atomic(int) failures;
static long plain; /* changed only alone */

static void check(bool good, const char *what)
{
	if (good)
		return;
	if (atomic_fetch_add(&failures, 1) < 5)
		fprintf(stderr, "unit_room: %s\n", what);
}

static void visit(int class)
{
	orl_room_enter(&room, class);
	atomic_fetch_add(&inside[class], 1);
	if (class == ORL_ROOM_ALONE) {
		check(inside[ORL_ROOM_ALONE] == 1, "two who are alone");
		check(!inside[0] && !inside[1], "alone, with others inside");
		plain++;
	} else {
		check(!inside[!class], "two classes at once");
		check(!inside[ORL_ROOM_ALONE], "beside one who is alone");
	}
	atomic_fetch_sub(&inside[class], 1);
	orl_room_leave(&room);
}

static void *visitor(void *arg)
{
	unsigned state = (unsigned)(uintptr_t)arg * 2654435761u + 1;
	long alone = 0;
	int i;

	for (i = 0; i < VISITS; i++) {
		state = state * 1664525u + 1013904223u;
		int class = (int)(state >> 24) % 3;

		alone += class == ORL_ROOM_ALONE;
		visit(class);
	}
	return (void *)alone;
}

static void test_exclusion(uint32_t start)
{
	pthread_t threads[THREADS];
	long expected = 0, i;
	void *alone;

	room = (struct orl_room){.next = start, .left = start};
	room.admit[0] = room.admit[1] = start - 1;
	plain = 0;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, visitor, (void *)(i + 1));
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &alone);
		expected += (long)alone;
	}
	check(plain == expected, "a lost update under ALONE");
	check(room.next == room.left, "guests left in the room");
}

/* Guests of one class are inside together: each waits for the other. */
static pthread_barrier_t meeting;

static void *meet(void *arg)
{
	orl_room_enter(&room, (int)(intptr_t)arg);
	pthread_barrier_wait(&meeting);
	orl_room_leave(&room);
	return NULL;
}

static void test_sharing(int class)
{
	pthread_t threads[THREADS];
	int i;

	room = (struct orl_room){0};
	pthread_barrier_init(&meeting, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, meet, (void *)(intptr_t)class);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&meeting);
}

/* Who comes after one who waits to be alone does not overtake it. */
static _Atomic(int) order;
static int alone_at, shared_at;

static void *arrive_alone(void *arg)
{
	orl_room_enter(&room, ORL_ROOM_ALONE);
	alone_at = ++order;
	orl_room_leave(&room);
	return NULL;
}

static void *arrive_shared(void *arg)
{
	orl_room_enter(&room, ORL_ROOM_SHARED);
	shared_at = ++order;
	orl_room_leave(&room);
	return NULL;
}

static void wait_for_arrivals(uint32_t n)
{
	while (atomic_load(&room.next) != n)
		sched_yield();
}

static void test_order(void)
{
	pthread_t alone, shared;

	room = (struct orl_room){0};
	order = 0;
	orl_room_enter(&room, ORL_ROOM_SHARED);
	pthread_create(&alone, NULL, arrive_alone, NULL);
	wait_for_arrivals(2);
	pthread_create(&shared, NULL, arrive_shared, NULL);
	wait_for_arrivals(3);
	check(order == 0, "someone entered past the line");
	orl_room_leave(&room);
	pthread_join(alone, NULL);
	pthread_join(shared, NULL);
	check(alone_at == 1 && shared_at == 2, "not in the order of arrival");
}

int main(void)
{
	orl_options_load();
	orl_progress_set_ranks(THREADS);
	test_exclusion(0);
	test_exclusion(UINT32_MAX - VISITS);
	test_sharing(ORL_ROOM_SHARED);
	test_sharing(ORL_ROOM_SECOND);
	test_order();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
