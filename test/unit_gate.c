/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: who holds a gate shut keeps all others out, singles are waited for,
 * and one who comes again and again does not keep it from others.  A slot of a
 * gate is the first thread's that finds it, as long as that has a number of its
 * own; who finds it taken passes beside, and leaves the owner counted in.
 */
#include "process.h"

#include <pthread.h>

#include "../atomics/gate.h"

#define YIELDS	 1000 /* time for the other to do what it must not */
#define COUNTERS 64

static struct orl_gate gate;

/* -- one of each, in slow motion ------------------------------------------- */

static int64_t counters[COUNTERS];

static int load(struct orl_target *target, const struct orl_block *blocks,
		size_t n, void *buf)
{
	char *to = buf;

	for (; n--; to += blocks++->len)
		memcpy(to, (void *)(uintptr_t)blocks->addr, blocks->len);
	return 0;
}

static int store(struct orl_target *target, const struct orl_block *blocks,
		 size_t n, const void *buf)
{
	const char *from = buf;

	for (; n--; from += blocks++->len)
		memcpy((void *)(uintptr_t)blocks->addr, from, blocks->len);
	return 0;
}

static const struct orl_path near = { .name = "near",
				      .mapped = true,
				      .native = true };
static const struct orl_path far = { .name = "far",
				     .load = load,
				     .store = store };

/* What the other thread adds one to, and how. */
struct other {
	pthread_t thread;
	const struct orl_path *path;
	size_t count;
	_Atomic(bool) is_there, is_done;
};

static void *add_counters(void *arg)
{
	struct other *me = arg;
	struct orl_target target = { .gate = &gate, .slot = 7 };
	const struct orl_place place = { .target = &target,
					 .path = me->path,
					 .addr = (uintptr_t)counters };
	int64_t ones[COUNTERS];
	const struct orl_acc acc = { .op = ORL_SUM,
				     .kind = ORL_I64,
				     .count = me->count,
				     .origin = ones };

	for (size_t i = 0; i < COUNTERS; i++)
		ones[i] = 1;
	atomic_store(&me->is_there, true);
	check(!orl_acc_issue(&place, &acc));
	atomic_store(&me->is_done, true);
	return NULL;
}

/* Adds one while the other does, who must wait until this is the end. */
static void add_slowly(const struct orl_path *path, size_t count, int pass)
{
	struct other other = { .path = path, .count = count };
	const int64_t old = counters[0];

	check(!pthread_create(&other.thread, NULL, add_counters, &other));
	while (!atomic_load(&other.is_there))
		sched_yield();
	for (int i = 0; i < YIELDS && !atomic_load(&other.is_done); i++)
		sched_yield();
	check(!atomic_load(&other.is_done));
	counters[0] = old + 1;
	if (pass >= 0)
		orl_gate_leave(&gate, (unsigned int)pass);
	else
		orl_gate_open(&gate);
	check(!pthread_join(other.thread, NULL));
	check(counters[0] == old + 2);
}

/* Bulk waits for singles that are under way, of whatever kind of slot. */
static void slow_singles(void)
{
	static const unsigned int slots[] = { 5, 5 | ORL_SLOT_OWN,
					      ORL_SLOT_THREADS };

	for (int i = 0; i < 3; i++)
		add_slowly(&near, COUNTERS, orl_gate_enter(&gate, slots[i]));
}

/* Single and bulk, near and far, wait for who holds the gate shut. */
static void slow_shutter(void)
{
	for (int i = 0; i < 4; i++) {
		orl_gate_shut(&gate);
		add_slowly(i / 2 ? &far : &near, i % 2 ? COUNTERS : 1, -1);
	}
}

/* -- one who comes again and again ----------------------------------------- */

/* Holds the gate all the time but for moments, until the other had it. */
static void greed(void)
{
	struct other other = { .path = &far, .count = 1 };

	check(!pthread_create(&other.thread, NULL, add_counters, &other));
	while (!atomic_load(&other.is_done)) {
		orl_gate_shut(&gate);
		for (int i = 0; i < 100; i++)
			atomic_load(&other.is_there);
		orl_gate_open(&gate);
	}
	check(!pthread_join(other.thread, NULL));
	check(!atomic_load(&gate.claim));
}

/* -- slots ----------------------------------------------------------------- */

static int owner_pass;

static struct orl_gate_slot *slot_of(int pass)
{
	return &gate.slots[pass % ORL_GATE_SLOTS];
}

/* A thread of another process, by its number, that finds the owner's slot. */
static void *pass_beside(void *arg)
{
	const unsigned int at = (unsigned int)owner_pass % ORL_GATE_SLOTS;
	const unsigned int process =
		2 * ORL_GATE_SLOTS + at - orl_thread_number() % ORL_GATE_SLOTS;
	const int pass = orl_gate_enter(&gate, process | ORL_SLOT_THREADS);

	check(pass == (int)at);
	check(slot_of(pass)->own == 1 && slot_of(pass)->singles == 1);
	orl_gate_leave(&gate, (unsigned int)pass);
	return NULL;
}

static void beside(void)
{
	pthread_t thread;

	owner_pass = orl_gate_enter(&gate, ORL_SLOT_THREADS);
	check(owner_pass >= 0 && owner_pass & ORL_SLOT_OWN);
	check(!pthread_create(&thread, NULL, pass_beside, NULL));
	check(!pthread_join(thread, NULL));
	check(slot_of(owner_pass)->own == 1);
	check(slot_of(owner_pass)->singles == 0);
	orl_gate_leave(&gate, (unsigned int)owner_pass);
	check(slot_of(owner_pass)->own == 0);
	check(orl_gate_enter(&gate, ORL_SLOT_THREADS) == owner_pass);
}

/* What two threads that see a free slot at once may claim. */
static void claims(void)
{
	struct orl_gate_slot slot = { .owner = 0 };

	check(!orl_gate_claim_slot(&slot, ORL_THREADS, 1));
	check(orl_gate_claim_slot(&slot, 0, 2));
	check(!orl_gate_claim_slot(&slot, 1, 3));
	check(slot.owner == 2);
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "slow singles", slow_singles },
		{ "slow shutter", slow_shutter },
		{ "greed", greed },
		{ "beside the owner", beside },
		{ "claims", claims },
		{ NULL, NULL },
	};

	orl_options_load();
	return run_cases(cases);
}
