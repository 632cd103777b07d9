/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comeback.c - origins of other nodes that have just given this rank's lock
 * back, and will soon be there again.  One that locks in a loop is away for a
 * round trip, in which ranks of the node that do the same would come by the
 * lock hundreds of times.  So when it gives the lock back, its next place in
 * line is drawn for it at once, as if it asked again in that moment, and it
 * takes that place when it does.
 *
 * Only for who asked again at once the last time, as it tells itself, when
 * ranks of the node had come by the lock more than once between its turns; and
 * only for as long as it may be expected.  A place that is not taken by then is
 * passed over: who stands in line waits for one who holds the lock, or for the
 * clock, never for one who may not come.
 *
 * All of it is under the progress lock and never waits.  models/comeback.pml is
 * this.
 */
#include "rwlock.h"

#include <stddef.h>

#include "orl_util.h"

/* Of more origins in a loop, each is back before those ahead are served. */
#define COMEBACKS 16
#define IDLE_US	  30	   /* a loop on the lock, and on little else */
#define AWAY_NS	  40000000 /* who shares its core with others may need it */
#define MARGIN_NS 200000
#define LONGER	  2 /* than it was away of late: */
#define LATE_NS	  200000000
#define MANY	  2 /* grants to ranks of the node between two of its */

static struct comeback {
	uint8_t *who; /* orl_petition_at.held: of an origin, in a window */
	struct orl_rwlock *lock;
	uint64_t ended;	 /* when the origin gave the lock back */
	uint64_t until;	 /* the place is kept, and for that long */
	uint32_t grants; /* the lock's, then */
	uint32_t ticket;
	uint32_t away;	/* ns, the longest of late; */
	uint64_t noted; /* when that was */
	bool is_soon;	/* it has asked again at once, */
	bool had_place; /* and a place was kept for it */
	bool is_kept;
} comebacks[COMEBACKS];

static unsigned int nkept;

static struct comeback *find(const struct orl_petition_at *at)
{
	return &comebacks[(uintptr_t)at->held % COMEBACKS];
}

/* What is known of another one is forgotten, unless a place is kept for it. */
static struct comeback *make(const struct orl_petition_at *at)
{
	struct comeback *back = find(at);

	if (back->who == at->held)
		return back;
	if (back->is_kept)
		return NULL;
	*back = (struct comeback){ .who = at->held, .lock = at->lock };
	return back;
}

static uint32_t grants_of(struct orl_rwlock *lock)
{
	return atomic_load_explicit(&lock->grants, memory_order_relaxed);
}

static void keep(struct comeback *back)
{
	if (!back->is_kept) {
		back->ticket = orl_rwlock_draw(back->lock);
		back->is_kept = true;
		nkept++;
	}
	back->until = back->ended + MARGIN_NS + LONGER * back->away;
}

static void let_go(struct comeback *back)
{
	back->is_kept = false;
	nkept--;
}

/* Whether they compete shows in fewer grants where a place was kept. */
static bool is_overtaken(const struct comeback *back, uint32_t grants)
{
	return grants - back->grants >= (back->had_place ? 1 : MANY);
}

void orl_comeback_end(const struct orl_petition_at *at)
{
	struct comeback *back = make(at);
	uint32_t grants;

	if (!back)
		return;
	back->ended = orl_now_ns();
	grants = grants_of(back->lock);
	if (back->is_soon && is_overtaken(back, grants))
		keep(back);
	back->grants = grants;
	back->is_soon = back->had_place = false;
}

static void note_away(struct comeback *back, uint64_t now)
{
	uint64_t ns = now - back->ended;

	if (ns < back->away && now - back->noted < LATE_NS)
		return;
	back->away = (uint32_t)ns;
	back->noted = now;
}

void orl_comeback_take(struct orl_petition *petition)
{
	struct comeback *back = find(&petition->at);
	uint64_t now;

	if (back->who != petition->at.held)
		return;
	now = orl_now_ns();
	back->is_soon =
		petition->idle <= IDLE_US && now - back->ended <= AWAY_NS;
	if (back->is_soon)
		note_away(back, now);
	if (!back->is_kept)
		return;
	back->had_place = true;
	/* Who is in a hurry does not stand in line. */
	if (petition->visit.hurried) {
		back->until = 0;
		return;
	}
	orl_rwlock_stand(&petition->visit, back->ticket);
	let_go(back);
}

bool orl_comeback_poll(void)
{
	uint64_t now;
	int i;

	if (orl_likely(!nkept))
		return false;
	now = orl_now_ns();
	for (i = 0; i < COMEBACKS; i++)
		if (comebacks[i].is_kept && now >= comebacks[i].until &&
		    orl_rwlock_pass(comebacks[i].lock, comebacks[i].ticket))
			let_go(&comebacks[i]);
	return nkept;
}

void orl_comeback_forget(const struct orl_rwlock *lock)
{
	int i;

	for (i = 0; i < COMEBACKS; i++) {
		if (comebacks[i].lock != lock)
			continue;
		if (comebacks[i].is_kept)
			let_go(&comebacks[i]);
		comebacks[i] = (struct comeback){ .who = NULL };
	}
}
