/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: an origin of another node that locks in a loop, while ranks of the
 * node do, finds its place in line kept (win/comeback.c): from when it gives
 * the lock back until it asks again, or is late.  None is kept for others.
 */
#include "rwlock.h"

#include "orl_util.h"
#include "process.h"

#define QUICK_NS 5000000
#define MUCH_NS	 1000000000ull

static struct orl_rwlock lock;
static uint8_t held;
static struct orl_petition petition = { .at = { &lock, &held } };

static bool has_line(void)
{
	return lock.next != lock.serving;
}

/* The origin asks again: true if it stands in line for it. */
static bool ask(uint32_t idle, int mode)
{
	petition.idle = idle;
	orl_rwlock_begin(&petition.visit, &lock, mode);
	orl_comeback_take(&petition);
	return petition.visit.stage == ORL_VISIT_IN_LINE;
}

/* And gives it back: true if a place is kept for it. */
static bool end(void)
{
	uint32_t before = lock.next;

	orl_comeback_end(&petition.at);
	return lock.next != before;
}

/* A turn in which so many ranks of the node come by the lock; the system
 * may not run us for a while, which is another story. */
static void come_back(int grants, uint32_t idle)
{
	uint64_t began;

	do {
		end();
		began = orl_now_ns();
		if (ask(idle, ORL_MODE_EXCLUSIVE))
			check(orl_rwlock_try(&petition.visit));
		lock.inside = 0;
		for (int i = 0; i < grants; i++)
			orl_rwlock_note_grant(&lock);
	} while (orl_now_ns() - began > QUICK_NS);
}

static void wait_until_late(void)
{
	uint64_t until = orl_now_ns() + MUCH_NS;

	while (orl_comeback_poll())
		check(orl_now_ns() < until);
}

static void keeps(void)
{
	check(!end() && !orl_comeback_poll());
	come_back(2, 0);
	check(end() && has_line());
	/* Nobody gets past it; it is the first, and enters. */
	check(!orl_rwlock_enter_at_once(&lock, ORL_MODE_EXCLUSIVE));
	check(ask(0, ORL_MODE_EXCLUSIVE) && orl_rwlock_try(&petition.visit));
	check(!has_line() && !orl_comeback_poll());
	lock.inside = 0;
	/* With the place kept, one grant shows that others compete still. */
	come_back(2, 0);
	come_back(1, 0);
	check(end());
}

static void keeps_none(void)
{
	come_back(1, 0); /* one by one is fair */
	check(!end() && !has_line());
	come_back(100, 1000); /* it has other things to do */
	check(!end() && !has_line());
	come_back(2, 0);
	come_back(0, 0); /* nobody else was there */
	check(!end() && !has_line());
}

static void late(void)
{
	struct orl_visit other;

	come_back(2, 0);
	check(end());
	wait_until_late();
	check(!has_line());
	check(orl_rwlock_enter_at_once(&lock, ORL_MODE_EXCLUSIVE));
	lock.inside = 0;
	check(!ask(0, ORL_MODE_EXCLUSIVE));
	/* Not before those who stand in line before it. */
	come_back(2, 0);
	orl_rwlock_begin(&other, &lock, ORL_MODE_EXCLUSIVE);
	lock.inside = 1ull << 32;
	check(!orl_rwlock_try(&other) && end());
	usleep(100000);
	check(orl_comeback_poll() && lock.next == lock.serving + 2);
	lock.inside = 0;
	check(orl_rwlock_try(&other));
	check(!orl_comeback_poll() && !has_line());
}

/* Who is in a hurry stands in no line: its place is not needed. */
static void hurried(void)
{
	come_back(2, 0);
	check(end());
	check(!ask(0, ORL_MODE_EXCLUSIVE | ORL_MODE_HURRY));
	check(orl_rwlock_try(&petition.visit));
	check(!orl_comeback_poll() && !has_line());
}

static void forgotten(void)
{
	come_back(2, 0);
	check(end() && orl_comeback_poll());
	orl_comeback_forget(&lock);
	check(!orl_comeback_poll());
	lock.serving = lock.next;
	check(!end());
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "keeps", keeps },	    { "keeps none", keeps_none },
		{ "late", late },	    { "hurried", hurried },
		{ "forgotten", forgotten }, { NULL, NULL },
	};

	orl_options_load();
	return run_cases(cases);
}
