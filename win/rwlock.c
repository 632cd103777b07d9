/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rwlock.c - a fair lock with two sides: holders of one keep the other out.
 * Those of the first share; those of the second are, in one lock, either all
 * exclusive (then it is a read-write lock) or all share as well.
 *
 * inside counts the holders of both sides in one word, so entering is one
 * compare-exchange and leaving one subtraction.  Who cannot enter at once
 * draws a ticket and stands in line; only the first in line tries to enter,
 * and nobody enters past the line.
 *
 * But for one who holds something already that those in line wait for:
 * standing behind them it would wait for ever.  It enters past the line
 * (ORL_MODE_HURRY), as soon as the holders permit; while it waits, nobody
 * else enters.
 *
 * And for one whose turn it is (ORL_MODE_TURNS), where ranks outnumber cores.
 *
 * A visit is a state machine that never waits by itself: who visits for
 * itself waits on the bell between its steps, and who visits for an origin of
 * another node (petition.c) is asked again by the progress of its process.
 * The two stand in the same line.  models/rwlock.pml is this file, but for
 * turns.
 */
#include "rwlock.h"

#include "orl_util.h"

/* Bits of the bell: one for who tries to enter, the others for the line. */
#define BELL_TRY    (1u << 31)
#define BELL_TICKET 31

void orl_rwlock_begin(struct orl_visit *visit, struct orl_rwlock *lock,
		      int mode)
{
	uint64_t shift = mode & ORL_MODE_SECOND ? 32 : 0;

	visit->lock = lock;
	visit->unit = 1ull << shift;
	visit->mask = 0xffffffffull << shift;
	visit->stage = ORL_VISIT_NEW;
	visit->alone = mode & ORL_MODE_ALONE;
	visit->hurried = mode & ORL_MODE_HURRY;
}

static bool is_free(const struct orl_visit *visit, uint64_t inside)
{
	if (!visit->hurried &&
	    atomic_load_explicit(&visit->lock->hurried, memory_order_relaxed))
		return false;
	return visit->alone ? !inside : !(inside & ~visit->mask);
}

static bool enter_inside(struct orl_visit *visit)
{
	uint64_t inside = atomic_load_explicit(&visit->lock->inside,
					       memory_order_relaxed);

	while (is_free(visit, inside)) {
		/* Acquires what was done before orl_rwlock_leave. */
		if (atomic_compare_exchange_weak(&visit->lock->inside, &inside,
						 inside + visit->unit)) {
			visit->stage = ORL_VISIT_INSIDE;
			return true;
		}
	}
	return false;
}

static uint32_t ticket_bit(uint32_t ticket)
{
	return 1u << (ticket % BELL_TICKET);
}

static bool is_served(struct orl_rwlock *lock, uint32_t ticket)
{
	/* Acquire: pairs with the release in serve_next. */
	return atomic_load_explicit(&lock->serving, memory_order_acquire) ==
	       ticket;
}

static bool is_first(void *arg)
{
	const struct orl_visit *visit = arg;

	return is_served(visit->lock, visit->ticket);
}

static void serve_next(struct orl_rwlock *lock, uint32_t ticket)
{
	/* Release: pairs with the acquire in is_served. */
	atomic_store_explicit(&lock->serving, ticket + 1, memory_order_release);
	orl_bell_ring(&lock->bell, ticket_bit(ticket + 1));
}

static bool enter_first(struct orl_visit *visit)
{
	if (!is_first(visit) || !enter_inside(visit))
		return false;
	serve_next(visit->lock, visit->ticket);
	return true;
}

static bool enter_hurried(struct orl_visit *visit)
{
	if (!enter_inside(visit))
		return false;
	atomic_fetch_sub(&visit->lock->hurried, 1);
	orl_bell_ring(&visit->lock->bell, BELL_TRY);
	return true;
}

uint32_t orl_rwlock_draw(struct orl_rwlock *lock)
{
	return atomic_fetch_add(&lock->next, 1);
}

void orl_rwlock_stand(struct orl_visit *visit, uint32_t ticket)
{
	visit->ticket = ticket;
	visit->stage = ORL_VISIT_IN_LINE;
}

bool orl_rwlock_pass(struct orl_rwlock *lock, uint32_t ticket)
{
	if (!is_served(lock, ticket))
		return false;
	serve_next(lock, ticket);
	return true;
}

/* A place that it keeps until it has entered. */
static void take_place(struct orl_visit *visit)
{
	if (visit->hurried) {
		atomic_fetch_add(&visit->lock->hurried, 1);
		visit->stage = ORL_VISIT_HURRIED;
	} else {
		orl_rwlock_stand(visit, orl_rwlock_draw(visit->lock));
	}
}

static bool has_line(struct orl_rwlock *lock)
{
	return atomic_load_explicit(&lock->next, memory_order_relaxed) !=
	       atomic_load_explicit(&lock->serving, memory_order_relaxed);
}

static bool enter_new(struct orl_visit *visit)
{
	return (visit->hurried || !has_line(visit->lock)) &&
	       enter_inside(visit);
}

/* All but the first try of a visit. */
static ORL_COLD bool try_again(struct orl_visit *visit)
{
	switch (visit->stage) {
	case ORL_VISIT_INSIDE:
		return true;
	case ORL_VISIT_NEW:
		take_place(visit);
		break;
	}
	return visit->stage == ORL_VISIT_HURRIED ? enter_hurried(visit)
						 : enter_first(visit);
}

bool orl_rwlock_try(struct orl_visit *visit)
{
	if (visit->stage == ORL_VISIT_NEW && enter_new(visit))
		return true;
	return try_again(visit);
}

/* orl_wait may ask again after it has succeeded. */
static bool has_entered(void *arg)
{
	return orl_rwlock_try(arg);
}

static void wait_in_line(struct orl_visit *visit)
{
	struct orl_bell *bell = &visit->lock->bell;

	if (try_again(visit))
		return;
	if (visit->stage == ORL_VISIT_IN_LINE)
		orl_wait(bell, ticket_bit(visit->ticket), is_first, visit);
	orl_wait(bell, BELL_TRY, has_entered, visit);
}

/*
 * Where ranks outnumber cores the first in line does not run, as a rule: it
 * comes in after a switch of the system's, which takes many times what is done
 * inside.  So who has stood in line has a turn, as long as such a switch: until
 * its end it may enter again past the line, if the first there is not quicker.
 * Turns are paid for by places in line, each for so many visits, which keep for
 * a later turn if this one ends early: so all have as much of the lock as
 * before.
 */
#define TURN_NS	     5000
#define TURN_VISITS  16
#define VISITS_SAVED (4 * TURN_VISITS)

static ORL_THREAD_LOCAL struct {
	const struct orl_rwlock *lock;
	uint64_t end;
	int visits; /* that are paid for */
} turn;

static bool enter_in_turn(struct orl_visit *visit)
{
	if (turn.lock != visit->lock || !turn.visits ||
	    orl_now_ns() >= turn.end || !enter_inside(visit))
		return false;
	turn.visits--;
	return true;
}

static void begin_turn(const struct orl_rwlock *lock)
{
	int saved = turn.lock == lock ? turn.visits : 0;

	turn.lock = lock;
	turn.end = orl_now_ns() + TURN_NS;
	turn.visits = saved + TURN_VISITS < VISITS_SAVED ? saved + TURN_VISITS
							 : VISITS_SAVED;
}

static ORL_COLD void wait_inside(struct orl_visit *visit, bool turns)
{
	turns = turns && visit->alone && orl_wait_is_crowded();
	if (turns && enter_in_turn(visit))
		return;
	wait_in_line(visit);
	if (turns)
		begin_turn(visit->lock);
}

void orl_rwlock_enter(struct orl_rwlock *lock, int mode)
{
	struct orl_visit visit;

	orl_rwlock_begin(&visit, lock, mode);
	if (orl_unlikely(!enter_new(&visit)))
		wait_inside(&visit, mode & ORL_MODE_TURNS);
}

bool orl_rwlock_enter_at_once(struct orl_rwlock *lock, int mode)
{
	struct orl_visit visit;

	orl_rwlock_begin(&visit, lock, mode);
	return enter_new(&visit);
}

void orl_rwlock_leave(struct orl_rwlock *lock, int mode)
{
	/* Both release what was done inside: to enter_inside. */
	if (mode & ORL_MODE_ALONE)
		atomic_store_explicit(&lock->inside, 0, memory_order_release);
	else
		atomic_fetch_sub(&lock->inside,
				 1ull << (mode & ORL_MODE_SECOND ? 32 : 0));
	orl_bell_ring(&lock->bell, BELL_TRY);
}
