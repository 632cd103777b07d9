/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: an element that is delegated is worked on once, by the owner or by
 * its origin, with the gate shut like all others; and one whose owner does not
 * answer is its origin's.
 */
#include "acc_model.h"
#include "arena.h"

#include <pthread.h>
#include <sched.h>

#include "../atomics/gate.h"

#define ORIGINS 3
#define ROUNDS	300
#define ENOUGH	60   /* elements that the owner has worked on */
#define YIELDS	1000 /* time for the other to do what it must not */

static struct orl_gate gate;
static int64_t counter, swapped;
static _Atomic(bool) is_over;

/* -- memory that is not mapped, in slow motion ----------------------------- */

static int load(struct orl_target *target, const struct orl_block *blocks,
		size_t n, void *buf)
{
	check(n == 1);
	memcpy(buf, (void *)(uintptr_t)blocks->addr, blocks->len);
	sched_yield();
	return 0;
}

static int store(struct orl_target *target, const struct orl_block *blocks,
		 size_t n, const void *buf)
{
	check(n == 1);
	memcpy((void *)(uintptr_t)blocks->addr, buf, blocks->len);
	return 0;
}

static const struct orl_path far = { .name = "far",
				     .load = load,
				     .store = store };

/* As another process is. */
static struct orl_target target = { .gate = &gate, .pid = -1 };

static struct orl_place at(int64_t *word)
{
	return (struct orl_place){ .target = &target,
				   .path = &far,
				   .addr = (uintptr_t)word };
}

struct origin {
	pthread_t thread;
	struct orl_acc_domain domain;
	int rounds;
};

static int64_t add_one(struct origin *me)
{
	const struct orl_place place = at(&counter);
	const int64_t one = 1;
	int64_t old = -1;
	const struct orl_acc acc = { .op = ORL_SUM,
				     .kind = ORL_I64,
				     .count = 1,
				     .origin = &one,
				     .result = &old,
				     .domain = &me->domain };

	check(!orl_acc_one(&place, &acc));
	return old;
}

static void swap_up(void)
{
	const struct orl_place place = at(&swapped);
	int64_t found = 0, seen, next;

	do {
		seen = found;
		next = seen + 1;
		check(!swap_one(&place, ORL_I64, &next, &seen, &found));
	} while (found != seen);
}

static void *add_and_swap(void *arg)
{
	struct origin *me = arg;
	int64_t last = -1, old;
	int i;

	for (i = 0; i < me->rounds; i++) {
		old = add_one(me);
		check(old > last);
		last = old;
		swap_up();
	}
	return NULL;
}

static void *poll_always(void *arg)
{
	while (!is_over) {
		orl_progress();
		sched_yield();
	}
	return arg;
}

static void start(struct origin *origin, int rounds)
{
	*origin = (struct origin){ .rounds = rounds };
	check(!pthread_create(&origin->thread, NULL, add_and_swap, origin));
}

static uint64_t delegated(struct origin *origin)
{
	check(!pthread_join(origin->thread, NULL));
	check(origin->domain.counts[ORL_AGENT_OWNER] +
		      origin->domain.counts[ORL_AGENT_LOCKED] ==
	      (uint64_t)origin->rounds);
	return origin->domain.counts[ORL_AGENT_OWNER];
}

static void take(void)
{
	open_arena(NULL);
	orl_threaded = true;
	orl_acc_take(&gate);
	check(gate.box);
}

/* -- cases ----------------------------------------------------------------- */

static void once_each(void)
{
	struct origin origins[ORIGINS];
	pthread_t owners[2];
	uint64_t owner = 0;
	int64_t all = 0;
	int i;

	take();
	for (i = 0; i < 2; i++)
		check(!pthread_create(&owners[i], NULL, poll_always, NULL));
	do {
		for (i = 0; i < ORIGINS; i++)
			start(&origins[i], ROUNDS);
		for (i = 0; i < ORIGINS; i++)
			owner += delegated(&origins[i]);
		all += ORIGINS * ROUNDS;
	} while (owner < ENOUGH);
	is_over = true;
	for (i = 0; i < 2; i++)
		check(!pthread_join(owners[i], NULL));
	check(counter == all && swapped == all);
}

/* Until the owner was fast enough to take one that it must not work on. */
static void gate_is_shut(void)
{
	struct origin origin;
	pthread_t owner;
	int64_t before;
	int i;

	take();
	check(!pthread_create(&owner, NULL, poll_always, NULL));
	do {
		before = counter;
		orl_gate_shut(&gate);
		start(&origin, 1);
		for (i = 0; i < YIELDS; i++) {
			sched_yield();
			check(counter == before);
		}
		orl_gate_open(&gate);
	} while (!delegated(&origin));
	is_over = true;
	check(!pthread_join(owner, NULL));
}

static void nobody_polls(void)
{
	struct origin origin;

	take();
	start(&origin, ROUNDS);
	check(!delegated(&origin));
	check(counter == ROUNDS && swapped == ROUNDS);
}

static const struct process_case cases[] = {
	{ "once each", once_each },
	{ "the gate is shut", gate_is_shut },
	{ "nobody polls", nobody_polls },
	{ NULL, NULL },
};

int main(void)
{
	return run_cases(cases);
}
