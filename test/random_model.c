/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_model.c - foretells windows and buffers.  Calls are applied in the
 * order of the list, which is as good as any: they touch different bytes,
 * or are one origin's and ordered.  Elements that several origins
 * accumulate are left to random_contest.c.
 */
#include "random.h"

#include <string.h>

void model_start(struct prog *prog)
{
	for (int w = 0; w < prog->nwins; w++) {
		struct window *win = &prog->wins[w];
		struct rng rng = { win->seed };

		for (int r = 0; r < prog->nranks; r++) {
			for (int s = 0; s < win->nsegs; s++) {
				size_t size = win->rank[r].size[s];

				win->mem[r][s] = arena_alloc(size + MAX_EXTENT);
				win->unsure[r][s] =
					arena_alloc(size + MAX_EXTENT);
				rng_fill(&rng, win->mem[r][s], size);
			}
		}
	}
}

/* The order of one origin's accumulates is known, of several's it is not. */
static bool may_be_wild(const struct claim *claim)
{
	return config.wild && claim && !claim->shared;
}

void store_bytes(const struct store *store, uint8_t *mem)
{
	uint8_t value[MAX_EXTENT];
	struct rng rng = { store->seed };

	if (store->basic < 0) {
		rng_fill(&rng, mem + store->off, store->len);
		return;
	}
	basic_random(&rng, &basics[store->basic], store->rop,
		     may_be_wild(store->claim), value);
	basic_copy(&basics[store->basic], mem + store->off, value);
}

static void apply_stores(struct window *win, const struct phase *phase)
{
	for (const struct store *s = phase->stores; s; s = s->next) {
		uint8_t *unsure = win->unsure[s->rank][s->seg] + s->off;
		size_t len = s->len;

		store_bytes(s, win->mem[s->rank][s->seg]);
		for (size_t i = 0; i < len; i++)
			if (s->basic < 0)
				unsure[i] = 0;
			else if (basics[s->basic].data >> i & 1)
				unsure[i] = !(basics[s->basic].sure >> i & 1);
	}
}

/* -- origins' buffers -------------------------------------------------------*/

static void fill_region(struct rng *rng, struct side *side)
{
	side->want = arena_alloc(side->size + MAX_EXTENT);
	side->unsure = arena_alloc(side->size + MAX_EXTENT);
	rng_fill(rng, side->want, side->size);
}

static void fill_operands(struct rng *rng, struct op *op)
{
	struct side *src = &op->src;
	enum rop rop = op->rop;
	bool wild = true;

	for (size_t k = 0; k < op->tgt.n; k++)
		wild &= may_be_wild(op->claims ? op->claims[k] : NULL);

	for (size_t k = 0; k < src->n; k++) {
		uint8_t value[MAX_EXTENT];

		basic_random(rng, &basics[op->basic], rop, wild, value);
		basic_copy(&basics[op->basic],
			   src->want + src->base + src->elems[k].off, value);
	}
}

/* What is there, if that can be known; else what the first origin saw. */
static void fill_compare(struct prog *prog, struct phase *phase, struct op *op)
{
	struct window *win = &prog->wins[phase->win];

	if (op->target == MPI_PROC_NULL || !op->cas_hit)
		return;
	basic_copy(&basics[op->basic], op->cmp.want + op->cmp.base,
		   win->mem[op->target][op->seg] + op->base +
			   op->tgt.elems[0].off);
}

static void make_real(struct side *side)
{
	side->real = arena_alloc(side->size + 16 + MAX_EXTENT);
	side->real += side->skew;
	memcpy(side->real, side->want, side->size);
}

static void prepare(struct prog *prog, struct phase *phase, struct op *op)
{
	struct rng rng = { op->seed };

	fill_region(&rng, &op->src);
	if (call_is_acc(op->call))
		fill_operands(&rng, op);
	if (call_fetches(op->call) || op->call == CALL_CAS)
		fill_region(&rng, &op->res);
	if (op->call == CALL_CAS) {
		fill_region(&rng, &op->cmp);
		fill_compare(prog, phase, op);
	}
	if (op->origin != prog->me)
		return;
	make_real(&op->src);
	if (op->res.want)
		make_real(&op->res);
	if (op->cmp.want)
		make_real(&op->cmp);
}

/* -- calls ------------------------------------------------------------------*/

/* Moves one element and what is known of its bytes. */
static void move(const struct basic *basic, uint8_t *to, uint8_t *to_unsure,
		 const uint8_t *from, const uint8_t *from_unsure)
{
	basic_copy(basic, to, from);
	if (mutated("padding"))
		memcpy(to, from, basic->extent);
	for (int i = 0; i < basic->extent; i++)
		if (basic->data >> i & 1)
			to_unsure[i] = !(basic->sure >> i & 1) ||
				       (from_unsure && from_unsure[i]);
		else if (!config.padding)
			to_unsure[i] = 1;
}

static void put(struct window *win, struct op *op)
{
	uint8_t *mem = win->mem[op->target][op->seg] + op->base;
	uint8_t *unsure = win->unsure[op->target][op->seg] + op->base;
	struct side *src = &op->src, *tgt = &op->tgt;

	for (size_t k = 0; k < tgt->n; k++)
		move(&basics[tgt->elems[k].basic], mem + tgt->elems[k].off,
		     unsure + tgt->elems[k].off,
		     src->want + src->base + src->elems[k].off, NULL);
}

static void get(struct window *win, struct op *op)
{
	uint8_t *mem = win->mem[op->target][op->seg] + op->base;
	uint8_t *unsure = win->unsure[op->target][op->seg] + op->base;
	struct side *res = &op->res, *tgt = &op->tgt;

	for (size_t k = 0; k < tgt->n; k++)
		move(&basics[tgt->elems[k].basic],
		     res->want + res->base + res->elems[k].off,
		     res->unsure + res->base + res->elems[k].off,
		     mem + tgt->elems[k].off, unsure + tgt->elems[k].off);
}

static void combine(struct window *win, struct op *op, size_t k)
{
	const struct basic *basic = &basics[op->basic];
	int off = (int)op->base + op->tgt.elems[k].off;
	uint8_t *mem = win->mem[op->target][op->seg] + off;
	uint8_t *unsure = win->unsure[op->target][op->seg] + off;
	const uint8_t *from =
		op->src.want + op->src.base + op->src.elems[k].off;
	bool murky = basic_is_murky(basic, unsure);

	if (op->rop == ROP_NO_OP ||
	    (op->call == CALL_CAS && !murky &&
	     !basic_equal(basic, mem, op->cmp.want + op->cmp.base)))
		return;
	basic_apply(basic, op->rop == ROP_CAS ? ROP_REPLACE : op->rop, mem,
		    from);
	murky &= op->rop != ROP_REPLACE;
	murky |= basic_is_vague(basic, op->rop, mem);
	for (int i = 0; i < basic->extent; i++)
		if (basic->data >> i & 1)
			unsure[i] = murky || !(basic->sure >> i & 1);
		else if (!config.padding)
			unsure[i] = 1;
}

static void add_event(struct op *op, size_t k, struct claim *claim)
{
	struct event *event = arena_alloc(sizeof(*event));

	*event = (struct event){ .op = op,
				 .elem = k,
				 .claim = claim,
				 .next_of_op = op->events,
				 .slot = -1 };
	op->events = event;
	if (!claim->events)
		claim->tail = &claim->events;
	*claim->tail = event;
	claim->tail = &event->next;
}

static void doubt(struct op *op, size_t k)
{
	struct side *res = &op->res;
	uint8_t *unsure = res->unsure + res->base + res->elems[k].off;

	for (int i = 0; i < basics[op->basic].extent; i++)
		if (basics[op->basic].data >> i & 1 || !config.result_padding)
			unsure[i] = 1;
}

static void fetch(struct window *win, struct op *op, size_t k)
{
	const struct basic *basic = &basics[op->basic];
	int from = (int)op->base + op->tgt.elems[k].off;
	struct side *res = &op->res;
	size_t to = res->base + res->elems[k].off;

	move(basic, res->want + to, res->unsure + to,
	     win->mem[op->target][op->seg] + from,
	     win->unsure[op->target][op->seg] + from);
	for (int i = 0; i < basic->extent && !config.result_padding; i++)
		if (!(basic->data >> i & 1))
			res->unsure[to + i] = 1;
}

static void accumulate(struct window *win, struct op *op)
{
	for (size_t k = 0; k < op->tgt.n; k++) {
		if (op->claims[k]->shared) {
			add_event(op, k, op->claims[k]);
			if (op->res.want)
				doubt(op, k);
			continue;
		}
		if (op->res.want)
			fetch(win, op, k);
		combine(win, op, k);
	}
}

static void apply(struct window *win, struct op *op)
{
	if (op->target == MPI_PROC_NULL)
		return;
	if (op->call == CALL_PUT || op->call == CALL_RPUT)
		put(win, op);
	else if (op->call == CALL_GET || op->call == CALL_RGET)
		get(win, op);
	else
		accumulate(win, op);
}

void model_phase(struct prog *prog, struct phase *phase)
{
	struct window *win = &prog->wins[phase->win];

	apply_stores(win, phase);
	for (int i = 0; i < phase->nops; i++) {
		bool reverse = mutated("order");
		struct op *op = phase->ops[reverse ? phase->nops - 1 - i : i];

		if (op->call >= CALL_RMA || op->skip)
			continue;
		prepare(prog, phase, op);
		apply(win, op);
	}
	contest_settle(prog, phase);
}

ptrdiff_t model_differs(const uint8_t *want, const uint8_t *unsure,
			const uint8_t *got, size_t len)
{
	if (!memcmp(want, got, len))
		return -1;
	for (size_t i = 0; i < len; i++)
		if (want[i] != got[i] && !unsure[i])
			return (ptrdiff_t)i;
	return -1;
}
