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
 */
#include "win.h"

/* Bits of the bell: one for who tries to enter, the others for the line. */
#define BELL_TRY    (1u << 31)
#define BELL_TICKET 31

struct visit {
	struct orl_rwlock *lock;
	uint64_t unit, mask; /* one holder of our side; our side's half */
	uint32_t ticket;
	bool alone, hurried, has_entered;
};

static uint64_t side_shift(int mode)
{
	return mode & ORL_MODE_SECOND ? 32 : 0;
}

static struct visit make_visit(struct orl_rwlock *lock, int mode)
{
	uint64_t shift = side_shift(mode);

	return (struct visit){
		.lock = lock,
		.unit = 1ull << shift,
		.mask = 0xffffffffull << shift,
		.alone = mode & ORL_MODE_ALONE,
		.hurried = mode & ORL_MODE_HURRY,
	};
}

static bool is_free(const struct visit *visit, uint64_t inside)
{
	if (!visit->hurried &&
	    atomic_load_explicit(&visit->lock->hurried, memory_order_relaxed))
		return false;
	return visit->alone ? !inside : !(inside & ~visit->mask);
}

static bool try_enter(struct visit *visit)
{
	uint64_t inside = atomic_load_explicit(&visit->lock->inside,
					       memory_order_relaxed);

	while (is_free(visit, inside)) {
		/* Acquires what was done before orl_rwlock_leave. */
		if (atomic_compare_exchange_weak(&visit->lock->inside, &inside,
						 inside + visit->unit))
			return true;
	}
	return false;
}

/* orl_wait may ask again after it has succeeded. */
static bool has_entered(void *arg)
{
	struct visit *visit = arg;

	if (!visit->has_entered)
		visit->has_entered = try_enter(visit);
	return visit->has_entered;
}

static bool is_first(void *arg)
{
	const struct visit *visit = arg;

	/* Acquire: pairs with the release in stand_in_line. */
	return atomic_load_explicit(&visit->lock->serving,
				    memory_order_acquire) == visit->ticket;
}

static uint32_t ticket_bit(uint32_t ticket)
{
	return 1u << (ticket % BELL_TICKET);
}

static void stand_in_line(struct visit *visit)
{
	struct orl_rwlock *lock = visit->lock;

	visit->ticket = atomic_fetch_add(&lock->next, 1);
	orl_wait(&lock->bell, ticket_bit(visit->ticket), is_first, visit);
	orl_wait(&lock->bell, BELL_TRY, has_entered, visit);
	/* Release: pairs with the acquire in is_first. */
	atomic_store_explicit(&lock->serving, visit->ticket + 1,
			      memory_order_release);
	orl_bell_ring(&lock->bell, ticket_bit(visit->ticket + 1));
}

static void hurry(struct visit *visit)
{
	struct orl_rwlock *lock = visit->lock;

	atomic_fetch_add(&lock->hurried, 1);
	orl_wait(&lock->bell, BELL_TRY, has_entered, visit);
	atomic_fetch_sub(&lock->hurried, 1);
	orl_bell_ring(&lock->bell, BELL_TRY);
}

static bool has_line(struct orl_rwlock *lock)
{
	return atomic_load_explicit(&lock->next, memory_order_relaxed) !=
	       atomic_load_explicit(&lock->serving, memory_order_relaxed);
}

void orl_rwlock_enter(struct orl_rwlock *lock, int mode)
{
	struct visit visit = make_visit(lock, mode);

	if (orl_likely(visit.hurried || !has_line(lock)) && try_enter(&visit))
		return;
	if (visit.hurried)
		hurry(&visit);
	else
		stand_in_line(&visit);
}

void orl_rwlock_leave(struct orl_rwlock *lock, int mode)
{
	/* Both release what was done inside: to try_enter. */
	if (mode & ORL_MODE_ALONE)
		atomic_store_explicit(&lock->inside, 0, memory_order_release);
	else
		atomic_fetch_sub(&lock->inside, 1ull << side_shift(mode));
	orl_bell_ring(&lock->bell, BELL_TRY);
}
