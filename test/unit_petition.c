/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_petition.c - locks that a rank takes for origins of other nodes
 * (win/petition.c): they exclude, and stand in line with, visitors of the
 * node; who is in a hurry comes to its end; what an origin may not do is
 * refused.  No progress lock: one thread of each process plays the owner.
 */
#include "rwlock.h"

#include <pthread.h>
#include <sched.h>

#include "orl_util.h"
#include "process.h"

#define TARGETS 2
#define THREADS 3
#define ORIGINS 5
#define ROUNDS	20000
#define LONG	10 /* seconds, after which fewer rounds are enough */

static struct orl_rwlock locks[TARGETS];

/* -- one step after the other ---------------------------------------------- */

static int granted; /* how many were, by granted() */

struct asker {
	struct orl_petition petition;
	uint8_t held;
	int granted; /* the how-manieth it was, 0: not yet */
};

static void note(struct orl_petition *petition)
{
	struct asker *asker = (struct asker *)petition;

	asker->granted = ++granted;
}

static int ask(struct asker *asker, int target, int mode)
{
	asker->granted = 0;
	asker->petition = (struct orl_petition){
		.at = { &locks[target], &asker->held },
		.mode = (uint8_t)mode,
		.granted = note,
	};
	return orl_petition_begin(&asker->petition);
}

static int leave(struct asker *asker)
{
	return orl_petition_leave(&asker->petition.at);
}

static bool is_empty(const struct orl_rwlock *lock)
{
	return !lock->inside && !lock->hurried && lock->next == lock->serving;
}

static void check_all_empty(void)
{
	check(!orl_petition_poll());
	check(is_empty(&locks[0]) && is_empty(&locks[1]));
}

static void test_at_once(void)
{
	struct asker a = { 0 }, b = { 0 };

	check(ask(&a, 0, ORL_MODE_SHARED) == 1);
	check(a.held == ORL_PETITION_SHARED);
	check(ask(&b, 0, ORL_MODE_SHARED) == 1);
	check(!leave(&a) && !leave(&b) && a.held == ORL_PETITION_NONE);
	check(ask(&a, 0, ORL_MODE_EXCLUSIVE) == 1);
	check(a.held == ORL_PETITION_EXCLUSIVE);
	check(!leave(&a) && !granted);
	check_all_empty();
}

static void test_refusals(void)
{
	struct asker a = { 0 };

	check(ask(&a, 0, ORL_MODE_SECOND) == -EINVAL);
	check(ask(&a, 0, ORL_MODE_ALONE) == -EINVAL);
	check(ask(&a, 0, 8) == -EINVAL);
	check(leave(&a) == -EPERM);
	orl_rwlock_enter(&locks[0], ORL_MODE_EXCLUSIVE);
	check(ask(&a, 0, ORL_MODE_SHARED) == 0);
	check(a.held == ORL_PETITION_ASKED && leave(&a) == -EPERM);
	orl_rwlock_leave(&locks[0], ORL_MODE_EXCLUSIVE);
	check(!orl_petition_poll() && a.held == ORL_PETITION_SHARED);
	check(ask(&a, 0, ORL_MODE_SHARED) == -EALREADY);
	check(ask(&a, 0, ORL_MODE_EXCLUSIVE) == -EALREADY);
	check(!leave(&a) && leave(&a) == -EPERM);
	check_all_empty();
}

static void test_order(void)
{
	struct asker a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	orl_rwlock_enter(&locks[0], ORL_MODE_EXCLUSIVE);
	check(ask(&a, 0, ORL_MODE_SHARED) == 0);
	check(ask(&b, 0, ORL_MODE_EXCLUSIVE) == 0);
	check(ask(&c, 0, ORL_MODE_SHARED) == 0);
	check(ask(&d, 0, ORL_MODE_SHARED) == 0);
	check(orl_petition_poll() && orl_petition_poll() && !granted);
	check(locks[0].next - locks[0].serving == 4);
	orl_rwlock_leave(&locks[0], ORL_MODE_EXCLUSIVE);
	check(orl_petition_poll() && a.granted == 1 && granted == 1);
	check(!leave(&a) && !b.granted);
	check(orl_petition_poll() && b.granted == 2 && granted == 2);
	check(!leave(&b));
	check(!orl_petition_poll() && c.granted == 3 && d.granted == 4);
	check(!leave(&c) && !leave(&d));
	check_all_empty();
}

/* Petitions of one lock do not hold up those of another. */
static void test_targets(void)
{
	struct asker a = { 0 }, b = { 0 };

	orl_rwlock_enter(&locks[0], ORL_MODE_EXCLUSIVE);
	orl_rwlock_enter(&locks[1], ORL_MODE_EXCLUSIVE);
	check(ask(&a, 0, ORL_MODE_EXCLUSIVE) == 0);
	check(ask(&b, 1, ORL_MODE_EXCLUSIVE) == 0);
	orl_rwlock_leave(&locks[1], ORL_MODE_EXCLUSIVE);
	check(orl_petition_poll() && b.granted == 1 && !a.granted);
	orl_rwlock_leave(&locks[0], ORL_MODE_EXCLUSIVE);
	check(!orl_petition_poll() && a.granted == 2);
	check(!leave(&a) && !leave(&b));
	check_all_empty();
}

/*
 * Who holds one target's lock gets another's although others stand in line
 * who wait for the first; who holds nothing stands behind them.
 */
static void test_hurry(void)
{
	struct asker a = { 0 }, again = { 0 }, b = { 0 };
	struct orl_visit line;

	check(ask(&a, 0, ORL_MODE_EXCLUSIVE) == 1);
	orl_rwlock_enter(&locks[1], ORL_MODE_SHARED);
	orl_rwlock_begin(&line, &locks[1], ORL_MODE_EXCLUSIVE);
	check(!orl_rwlock_try(&line));
	check(ask(&b, 1, ORL_MODE_EXCLUSIVE) == 0);
	check(ask(&again, 1, ORL_MODE_EXCLUSIVE | ORL_MODE_HURRY) == 0);
	orl_rwlock_leave(&locks[1], ORL_MODE_SHARED);
	check(!orl_rwlock_try(&line)); /* not beside one in a hurry */
	check(orl_petition_poll() && again.granted == 1 && !b.granted);
	check(!leave(&again) && !leave(&a));
	check(orl_rwlock_try(&line));
	check(orl_petition_poll() && !b.granted);
	orl_rwlock_leave(&locks[1], ORL_MODE_EXCLUSIVE);
	check(!orl_petition_poll() && b.granted == 2 && !leave(&b));
	check_all_empty();
}

/* A message whose rest unlocks, asks anew, and makes progress. */
static void pass_on(struct orl_petition *petition)
{
	struct asker *asker = (struct asker *)petition;
	int round = asker->granted;

	granted++;
	check(!leave(asker));
	orl_petition_poll();
	if (round == 3)
		return;
	check(ask(asker, 0, ORL_MODE_EXCLUSIVE) >= 0);
	asker->granted = round + 1;
	petition->granted = pass_on;
	if (asker->held == ORL_PETITION_EXCLUSIVE)
		pass_on(petition);
}

static void test_within_granted(void)
{
	struct asker askers[4] = { 0 };

	orl_rwlock_enter(&locks[0], ORL_MODE_SHARED);
	for (int i = 0; i < 4; i++) {
		check(ask(&askers[i], 0, ORL_MODE_EXCLUSIVE) == 0);
		askers[i].petition.granted = pass_on;
	}
	orl_rwlock_leave(&locks[0], ORL_MODE_SHARED);
	check(!orl_petition_poll() && granted == 16);
	check_all_empty();
}

/* -- beside visitors of the node, who wait --------------------------------- */

static void wait_for_line(struct orl_rwlock *lock, uint32_t n)
{
	while (atomic_load(&lock->next) != n)
		sched_yield();
}

static _Atomic(int) turn;

static void *visit_shared(void *arg)
{
	orl_rwlock_enter(&locks[0], ORL_MODE_SHARED);
	atomic_fetch_add(&turn, 1);
	while (atomic_load(&turn) != 2)
		sched_yield();
	orl_rwlock_leave(&locks[0], ORL_MODE_SHARED);
	return NULL;
}

/* Petition, visitor and petition come and are served in this order. */
static void test_one_line(void)
{
	struct asker a = { 0 }, b = { 0 };
	pthread_t visitor;

	orl_rwlock_enter(&locks[0], ORL_MODE_SHARED);
	check(ask(&a, 0, ORL_MODE_EXCLUSIVE) == 0);
	check(!pthread_create(&visitor, NULL, visit_shared, NULL));
	wait_for_line(&locks[0], 2);
	check(ask(&b, 0, ORL_MODE_EXCLUSIVE) == 0);
	orl_rwlock_leave(&locks[0], ORL_MODE_SHARED);
	check(!turn);
	check(orl_petition_poll() && a.granted && !turn);
	check(!leave(&a));
	while (!turn)
		check(orl_petition_poll() && !b.granted);
	check(orl_petition_poll() && !b.granted);
	atomic_fetch_add(&turn, 1);
	check(!pthread_join(visitor, NULL));
	check(!orl_petition_poll() && b.granted && !leave(&b));
	check_all_empty();
}

/* -- many rounds of everybody ---------------------------------------------- */

static _Atomic(int) sharing[TARGETS], excluding[TARGETS];
static long plain[TARGETS]; /* changed only by exclusive holders */
static _Atomic(long) expected;

static void come(int target, int mode)
{
	if (mode == ORL_MODE_EXCLUSIVE) {
		check(!atomic_fetch_add(&excluding[target], 1));
		check(!sharing[target]);
		plain[target]++;
		atomic_fetch_add(&expected, 1);
	} else {
		atomic_fetch_add(&sharing[target], 1);
		check(!excluding[target]);
	}
}

static void go(int target, int mode)
{
	if (mode == ORL_MODE_EXCLUSIVE)
		atomic_fetch_sub(&excluding[target], 1);
	else
		atomic_fetch_sub(&sharing[target], 1);
}

static int random_mode(uint64_t *seed)
{
	return next_random(seed) % 3 ? ORL_MODE_SHARED : ORL_MODE_EXCLUSIVE;
}

/* A visitor of the node, as win/lock.c does it. */
struct visitor {
	uint64_t seed;
	int nlocks;
	int mode[TARGETS];
};

static void visitor_lock(struct visitor *visitor, int target)
{
	int hurry = visitor->nlocks++ ? ORL_MODE_HURRY : 0;
	int mode = visitor->mode[target] = random_mode(&visitor->seed);

	orl_rwlock_enter(&locks[target], mode | hurry);
	come(target, mode);
}

static void visitor_unlock(struct visitor *visitor, int target)
{
	int mode = visitor->mode[target];

	go(target, mode);
	orl_rwlock_leave(&locks[target], mode);
	visitor->nlocks--;
}

static _Atomic(int) running;

/* Where other programs fill the cores each turn takes some ms. */
static uint64_t end;

static bool is_enough(void)
{
	return orl_now_coarse() > end;
}

static void *visitor_run(void *arg)
{
	struct visitor visitor = { .seed = (uintptr_t)arg };
	int i;

	for (i = 0; i < ROUNDS && !is_enough(); i++) {
		uint64_t choice = 1 + next_random(&visitor.seed) % 3;

		if (choice & 1)
			visitor_lock(&visitor, 0);
		if (choice & 2)
			visitor_lock(&visitor, 1);
		if (choice & 2)
			visitor_unlock(&visitor, 1);
		if (choice & 1)
			visitor_unlock(&visitor, 0);
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

/* An origin of another node: one petition at a time, held for some polls. */
struct origin {
	struct orl_petition petition;
	uint8_t held[TARGETS];
	int mode[TARGETS];
	uint64_t seed;
	int target; /* that it has asked for */
	int last;   /* the target after which it unlocks */
	int rounds, stay;
	bool waits;
};

static void origin_enter(struct orl_petition *petition)
{
	struct origin *origin = (struct origin *)petition;

	origin->waits = false;
	origin->stay = (int)(next_random(&origin->seed) % 4);
	come(origin->target, origin->mode[origin->target]);
}

static void origin_ask(struct origin *origin, int target, int hurry)
{
	int rc;

	origin->target = target;
	origin->mode[target] = random_mode(&origin->seed);
	origin->petition = (struct orl_petition){
		.at = { &locks[target], &origin->held[target] },
		.mode = (uint8_t)(origin->mode[target] | hurry),
		.granted = origin_enter,
	};
	origin->waits = true;
	rc = orl_petition_begin(&origin->petition);
	check(rc == 0 || rc == 1);
	if (rc)
		origin_enter(&origin->petition);
}

static void origin_unlock(struct origin *origin)
{
	int i;

	for (i = 0; i < TARGETS; i++) {
		struct orl_petition_at at = { &locks[i], &origin->held[i] };

		if (!origin->held[i])
			continue;
		go(i, origin->mode[i]);
		check(!orl_petition_leave(&at));
	}
	origin->rounds = is_enough() ? 0 : origin->rounds - 1;
}

static bool is_holder(const struct origin *origin)
{
	return origin->held[0] || origin->held[1];
}

static void origin_step(struct origin *origin)
{
	if (origin->waits || origin->stay-- > 0)
		return;
	if (!is_holder(origin)) {
		origin->last = (int)(next_random(&origin->seed) % TARGETS);
		if (origin->rounds)
			origin_ask(origin,
				   (int)(next_random(&origin->seed) %
					 (unsigned)(origin->last + 1)),
				   0);
	} else if (origin->target < origin->last) {
		origin_ask(origin, origin->target + 1, ORL_MODE_HURRY);
	} else {
		origin_unlock(origin);
	}
}

/* Does any of them still have rounds to go? */
static bool origins_step(struct origin *origins)
{
	bool left = false;
	int i;

	for (i = 0; i < ORIGINS; i++) {
		origin_step(&origins[i]);
		left |= origins[i].rounds;
	}
	return left;
}

static void test_many(void)
{
	struct origin origins[ORIGINS] = { 0 };
	pthread_t threads[THREADS];
	long i;

	for (i = 0; i < ORIGINS; i++) {
		origins[i].rounds = ROUNDS;
		origins[i].seed = (uint64_t)i + 100;
	}
	end = orl_now_coarse() + LONG * ORL_SECOND;
	running = THREADS;
	for (i = 0; i < THREADS; i++)
		check(!pthread_create(&threads[i], NULL, visitor_run,
				      (void *)(i + 1)));
	while (origins_step(origins)) {
		orl_petition_poll();
		if (running)
			sched_yield();
	}
	for (i = 0; i < THREADS; i++)
		check(!pthread_join(threads[i], NULL));
	check(plain[0] + plain[1] == expected);
	check_all_empty();
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "at_once", test_at_once },
		{ "refusals", test_refusals },
		{ "order", test_order },
		{ "targets", test_targets },
		{ "hurry", test_hurry },
		{ "within_granted", test_within_granted },
		{ "one_line", test_one_line },
		{ "many", test_many },
		{ NULL, NULL },
	};

	orl_options_load();
	orl_progress_set_ranks(THREADS + 1, 1);
	return run_cases(cases);
}
