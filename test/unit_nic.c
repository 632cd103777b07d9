/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: accumulates by the network's atomics keep the orders that the window
 * asks for and the network does not promise, on the same bytes, though it
 * executes the newest first; and wait for nothing else.
 */
#include "orl_acc.h"

#include "nowhere.h"
#include "process.h"

#define ELEMENTS 8
#define STEPS	 40

static int64_t memory[ELEMENTS];
static struct orl_link way;
static struct orl_path near; /* as of a target of this node */
static struct orl_target target = { .path = &near, .link = &way };
static struct orl_acc_domain domain;

/* -- a network that keeps no order ----------------------------------------- */

static struct orl_fabric_atomic *going[STEPS * 4];
static unsigned ngoing, most_going;

size_t orl_fabric_atomic_most(enum orl_kind kind, enum orl_fabric_verb verb)
{
	return kind == ORL_I64 ? ELEMENTS : 0;
}

static void execute(const struct orl_fabric_atomic *atomic)
{
	const int64_t *operand = atomic->operand;
	int64_t *result = atomic->result;

	for (size_t i = 0; i < atomic->count; i++) {
		int64_t *at = &memory[atomic->op.addr / sizeof(int64_t) + i];

		if (result)
			result[i] = *at;
		if (atomic->verb == ORL_VERB_SUM)
			*at += operand[i];
		else if (atomic->verb == ORL_VERB_WRITE)
			*at = operand[i];
		else
			check(atomic->verb == ORL_VERB_READ);
	}
}

void orl_fabric_atomic(struct orl_fabric_atomic *atomic, uint64_t peer,
		       uint64_t addr, uint64_t key)
{
	check(ngoing < STEPS * 4);
	atomic->op.addr = addr;
	going[ngoing++] = atomic;
	most_going = ngoing > most_going ? ngoing : most_going;
}

/* Called by nowhere.h's poll. */
static void end_newest(void)
{
	struct orl_fabric_atomic *atomic;

	if (!ngoing)
		return;
	atomic = going[--ngoing];
	execute(atomic);
	atomic->op.done(&atomic->op, 0);
}

static void start(void)
{
	check(!nowhere_link(&way));
	at_poll = end_newest;
}

static void finish(void)
{
	while (ngoing)
		orl_progress();
	check(!way.transfers && !way.amos);
	most_going = 0;
}

static void issue(enum orl_op op, int64_t *operand, int64_t *result,
		  uint64_t element)
{
	const struct orl_place place = { .target = &target,
					 .path = &near,
					 .addr = element * sizeof(int64_t) };
	const struct orl_acc acc = { .op = op,
				     .kind = ORL_I64,
				     .count = 1,
				     .origin = operand,
				     .result = result,
				     .items = 1,
				     .domain = &domain,
				     .lasting = true,
				     .alike = false };

	check(!orl_nic_issue(&way, &place, &acc));
}

/* -- cases ----------------------------------------------------------------- */

/* What depends on the order of all of them. */
static void check_values(void)
{
	static int64_t set[STEPS], old[STEPS], sum[STEPS];
	int64_t one = 1;

	memset(memory, 0, sizeof(memory));
	for (int i = 0; i < STEPS; i++) {
		set[i] = 10 * i;
		issue(ORL_REPLACE, &set[i], NULL, 3);
		issue(ORL_SUM, &one, NULL, 3);
		issue(ORL_NO_OP, NULL, &old[i], 3);
		issue(ORL_SUM, &one, &sum[i], 3);
	}
	finish();
	for (int i = 0; i < STEPS; i++)
		check(old[i] == 10 * i + 1 && sum[i] == 10 * i + 1);
	check(memory[3] == 10 * (STEPS - 1) + 2);
}

static void default_order(void)
{
	start();
	domain.hints.ordering = ORL_ORDER_ALL;
	check_values();
	/* Reads are kept behind each other by the network, no more. */
	orl_fabric.atomic_order = ORL_ORDER_RAR;
	check_values();
}

/* A call as it acts on its element. */
static const struct act {
	enum orl_op op;
	bool fetch, reads, writes;
} acts[] = {
	{ ORL_NO_OP, true, true, false },
	{ ORL_REPLACE, false, false, true },
	{ ORL_SUM, true, true, true },
};

static bool depend(const struct act *first, const struct act *second,
		   unsigned orders)
{
	return (first->reads && second->reads && orders & ORL_ORDER_RAR) ||
	       (first->writes && second->reads && orders & ORL_ORDER_RAW) ||
	       (first->reads && second->writes && orders & ORL_ORDER_WAR) ||
	       (first->writes && second->writes && orders & ORL_ORDER_WAW);
}

static void act(const struct act *a, uint64_t element)
{
	static int64_t one = 1, result;

	issue(a->op, &one, a->fetch ? &result : NULL, element);
}

static void try(const struct act *first, const struct act *second,
		unsigned asked, unsigned kept)
{
	domain.hints.ordering = asked;
	orl_fabric.atomic_order = kept;
	act(first, 3);
	act(second, 4);
	check(ngoing == 2);
	finish();
	act(first, 3);
	act(second, 3);
	check(most_going == (depend(first, second, asked & ~kept) ? 1 : 2));
	finish();
}

static void each_order(void)
{
	start();
	for (unsigned i = 0; i < 9; i++) {
		for (unsigned asked = 0; asked <= ORL_ORDER_ALL; asked++) {
			try(&acts[i / 3], &acts[i % 3], asked, 0);
			try(&acts[i / 3], &acts[i % 3], asked, asked & 5);
			try(&acts[i / 3], &acts[i % 3], asked, asked);
		}
	}
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "the default order", default_order },
		{ "each order", each_order },
		{ NULL, NULL },
	};

	return run_cases(cases);
}
