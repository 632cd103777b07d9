/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_contest.c - elements that several origins accumulate in one phase.
 *
 * Where nothing is fetched and the operation commutes, the outcome is known
 * beforehand.  Else all ranks exchange what was fetched and what the
 * element holds in the end, and look for an order of the calls, one at a
 * time and each origin's in program order, that explains it all.
 */
#include "random.h"

#include <stdio.h>
#include <string.h>

#define SLOT MAX_EXTENT

static uint8_t *claim_mem(struct prog *prog, const struct phase *phase,
			  const struct claim *claim)
{
	return prog->wins[phase->win].mem[claim->rank][claim->seg] + claim->off;
}

static void set_unsure(struct prog *prog, const struct phase *phase,
		       const struct claim *claim, bool all)
{
	const struct basic *basic = &basics[claim->basic];
	uint8_t *unsure =
		prog->wins[phase->win].unsure[claim->rank][claim->seg] +
		claim->off;

	for (int i = 0; i < basic->extent; i++)
		if (basic->data >> i & 1)
			unsure[i] = all || !(basic->sure >> i & 1);
		else if (!config.padding)
			unsure[i] = 1;
}

static bool is_murky(struct prog *prog, const struct phase *phase,
		     const struct claim *claim)
{
	return basic_is_murky(
		&basics[claim->basic],
		prog->wins[phase->win].unsure[claim->rank][claim->seg] +
			claim->off);
}

static bool must_watch(const struct claim *claim)
{
	if (claim->rop == ROP_REPLACE || claim->rop == ROP_CAS)
		return true;
	for (const struct event *e = claim->events; e; e = e->next)
		if (e->op->res.want)
			return true;
	return false;
}

static const uint8_t *operand(const struct event *event)
{
	const struct side *src = &event->op->src;

	return src->want + src->base + src->elems[event->elem].off;
}

static void apply_event(const struct event *event, uint8_t *value)
{
	const struct basic *basic = &basics[event->op->basic];
	const struct op *op = event->op;
	enum rop rop = op->rop;

	if (rop == ROP_CAS) {
		if (!basic_equal(basic, value, op->cmp.want + op->cmp.base))
			return;
		rop = ROP_REPLACE;
	}
	basic_apply(basic, rop, value, operand(event));
}

void contest_settle(struct prog *prog, struct phase *phase)
{
	for (struct claim *c = phase->shared; c; c = c->next_shared) {
		c->murky = is_murky(prog, phase, c);
		if (!must_watch(c)) {
			for (struct event *e = c->events; e; e = e->next)
				apply_event(e, claim_mem(prog, phase, c));
			set_unsure(prog, phase, c, c->murky);
			continue;
		}
		set_unsure(prog, phase, c, true);
		c->slot = phase->nobserved++;
		for (struct event *e = c->events; e; e = e->next)
			if (e->op->res.want)
				e->slot = phase->nobserved++;
	}
	phase->observed = arena_alloc((size_t)phase->nobserved * SLOT);
}

void contest_record(struct phase *phase, struct op *op)
{
	for (const struct event *e = op->events; e; e = e->next_of_op)
		if (e->slot >= 0)
			basic_copy(&basics[op->basic],
				   phase->observed + e->slot * SLOT,
				   op->res.real + op->res.base +
					   op->res.elems[e->elem].off);
}

static void record_finals(struct prog *prog, struct phase *phase)
{
	struct window *win = &prog->wins[phase->win];

	for (const struct claim *c = phase->shared; c; c = c->next_shared)
		if (c->slot >= 0 && c->rank == prog->me)
			basic_copy(&basics[c->basic],
				   phase->observed + c->slot * SLOT,
				   win->base[c->seg] + c->off);
}

/* -- the search -------------------------------------------------------------*/

struct search {
	const struct phase *phase;
	const struct claim *claim;
	const struct event *next[MAX_RANKS]; /* of each origin */
};

static const struct event *first_of(const struct event *event, int origin)
{
	while (event && event->op->origin != origin)
		event = event->next;
	return event;
}

static bool explains(struct search *s, const uint8_t *value)
{
	const struct basic *basic = &basics[s->claim->basic];
	bool finished = true;

	for (int o = 0; o < MAX_RANKS; o++) {
		const struct event *event = s->next[o];
		uint8_t after[MAX_EXTENT];
		bool found;

		if (!event)
			continue;
		finished = false;
		if (event->slot >= 0 &&
		    !basic_equal(basic, value,
				 s->phase->observed + event->slot * SLOT))
			continue;
		memcpy(after, value, MAX_EXTENT);
		apply_event(event, after);
		s->next[o] = first_of(event->next, o);
		found = explains(s, after);
		s->next[o] = event;
		if (found)
			return true;
	}
	return finished &&
	       basic_equal(basic, value,
			   s->phase->observed + s->claim->slot * SLOT);
}

static void fail_claim(struct prog *prog, struct phase *phase,
		       const struct claim *claim, const uint8_t *before)
{
	int len = basics[claim->basic].extent;

	if (prog->me) /* all ranks fail alike: rank 0 tells it, and aborts */
		MPI_Barrier(comms[prog->comm].comm);
	fail_head(prog, phase,
		  "no order of the calls explains what an element became");
	fprintf(stderr, "element: %s at byte %d of rank %d, segment %d\n",
		basics[claim->basic].name, claim->off, claim->rank, claim->seg);
	print_bytes("before", before, len);
	for (const struct event *e = claim->events; e; e = e->next) {
		print_op(prog, phase, e->op);
		print_bytes("  operand", operand(e), len);
		if (e->op->rop == ROP_CAS)
			print_bytes("  compare",
				    e->op->cmp.want + e->op->cmp.base, len);
		if (e->slot >= 0)
			print_bytes("  fetched",
				    phase->observed + e->slot * SLOT, len);
	}
	print_bytes("after", phase->observed + claim->slot * SLOT, len);
	fail_end();
}

static void check_claim(struct prog *prog, struct phase *phase,
			const struct claim *claim)
{
	struct search search = { .phase = phase, .claim = claim };
	uint8_t before[MAX_EXTENT] = { 0 };
	uint8_t *mem = claim_mem(prog, phase, claim);

	basic_copy(&basics[claim->basic], before, mem);
	for (int o = 0; o < prog->nranks; o++)
		search.next[o] = first_of(claim->events, o);
	if (!claim->murky && !explains(&search, before))
		fail_claim(prog, phase, claim, before);
	basic_copy(&basics[claim->basic], mem,
		   phase->observed + claim->slot * SLOT);
	set_unsure(prog, phase, claim, false);
}

void contest_check(struct prog *prog, struct phase *phase)
{
	if (!phase->nobserved)
		return;
	record_finals(prog, phase);
	MPI_Allreduce(MPI_IN_PLACE, phase->observed, phase->nobserved * SLOT,
		      MPI_BYTE, MPI_BOR, comms[prog->comm].comm);
	for (const struct claim *c = phase->shared; c; c = c->next_shared)
		if (c->slot >= 0)
			check_claim(prog, phase, c);
}
