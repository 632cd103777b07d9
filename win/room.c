/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * room.c - a lock for classes of guests, fair in the order of arrival.
 *
 * Each arrival draws a ticket.  Ticket t may enter when all before it have
 * left (left == t), or when the one before it entered as the same class and
 * passed the word on (admit[class] == t).  A guest who wants to be alone
 * passes nothing on.  A read-write lock is the classes SHARED and ALONE;
 * lock_all against exclusive locks is SHARED against SECOND.
 *
 * Entering writes both admit words, so that no old value can equal a ticket
 * after the counters have wrapped.
 *
 * Cost without contention: one atomic add and a store to enter, one atomic
 * add to leave.  Waiters sleep on the bell under one bit of their ticket, so
 * that leaving wakes the next in line and not all.
 */
#include "win.h"

struct visit {
	struct orl_room *room;
	uint32_t ticket;
	int class;
};

static uint32_t bell_bit(uint32_t ticket)
{
	return 1u << (ticket % 32);
}

static bool may_enter(void *arg)
{
	const struct visit *visit = arg;
	struct orl_room *room = visit->room;

	/* Acquire: pairs with the add in orl_room_leave. */
	if (atomic_load_explicit(&room->left, memory_order_acquire) ==
	    visit->ticket)
		return true;
	/* Acquire: pairs with the release in pass_on. */
	return visit->class != ORL_ROOM_ALONE &&
	       atomic_load_explicit(&room->admit[visit->class],
				    memory_order_acquire) == visit->ticket;
}

static void pass_on(struct visit *visit)
{
	struct orl_room *room = visit->room;
	uint32_t next = visit->ticket + 1;

	atomic_store_explicit(&room->admit[!visit->class], visit->ticket,
			      memory_order_relaxed);
	/* Release: pairs with the acquire in may_enter. */
	atomic_store_explicit(&room->admit[visit->class], next,
			      memory_order_release);
	orl_bell_ring(&room->bell, bell_bit(next));
}

static void pass_nothing_on(struct visit *visit)
{
	struct orl_room *room = visit->room;

	atomic_store_explicit(&room->admit[0], visit->ticket,
			      memory_order_relaxed);
	atomic_store_explicit(&room->admit[1], visit->ticket,
			      memory_order_relaxed);
}

void orl_room_enter(struct orl_room *room, int class)
{
	struct visit visit = {
		.room = room,
		.ticket = atomic_fetch_add(&room->next, 1),
		.class = class,
	};

	if (orl_unlikely(!may_enter(&visit)))
		orl_wait(&room->bell, bell_bit(visit.ticket), may_enter,
			 &visit);
	if (class == ORL_ROOM_ALONE)
		pass_nothing_on(&visit);
	else
		pass_on(&visit);
}

void orl_room_leave(struct orl_room *room)
{
	uint32_t left = atomic_fetch_add(&room->left, 1) + 1;

	orl_bell_ring(&room->bell, bell_bit(left));
}
