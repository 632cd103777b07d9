/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_claim.c - keeps programs free of races (MPI-3.1 section 11.7): in
 * one phase a byte is read by anyone, or written by one call, or
 * accumulated as part of one element, by one origin as it likes or by
 * several with one operation (and NO_OP).  What an origin has flushed is
 * behind it: it may use those bytes anew, but nobody else may.
 */
#include "random.h"

#define MAX_USES 7 /* so that all orders of several origins can be tried */

struct want {
	struct prog *prog;
	struct phase *phase;
	struct op *op;
	int gen;
	enum access access;
	struct claim *cases[3]; /* made on demand: one for all like bytes */
};

static bool may_accumulate(const struct claim *claim, const struct want *want)
{
	enum rop rop = want->op->rop;

	if (claim->uses >= MAX_USES)
		return false;
	if (claim->origin == want->op->origin && !claim->shared)
		return true;
	if (!config.shared || claim->mine_only || claim->mixed)
		return false;
	return rop == claim->rop || rop == ROP_NO_OP || claim->rop == ROP_NO_OP;
}

static bool is_same_element(const struct claim *claim, const struct want *want,
			    int off)
{
	return claim && want->access == ACCESS_ACC &&
	       claim->access == ACCESS_ACC && claim->off == off &&
	       claim->basic == want->op->basic;
}

static bool is_in_hole(const struct want *want, int off)
{
	const struct window *win = &want->prog->wins[want->phase->win];
	int rank = want->op->target, seg = want->op->seg;

	return off - win->rank[rank].hole[seg] < win->rank[rank].hole_len[seg];
}

static bool may_touch(const struct claim *claim, const struct want *want,
		      int off)
{
	bool strict =
		want->access == ACCESS_ACC && basics[want->op->basic].strict;

	if (!claim)
		return !strict || !want->phase->chained;
	if (is_same_element(claim, want, off))
		return may_accumulate(claim, want);
	if (claim->access == ACCESS_READ && want->access == ACCESS_READ)
		return !claim->mine_only || claim->origin == want->op->origin;
	return claim->origin == want->op->origin && !claim->shared &&
	       claim->gen < want->gen && !strict;
}

static struct claim *claim_new(const struct want *want, int off)
{
	struct claim *claim = arena_alloc(sizeof(*claim));

	*claim = (struct claim){
		.access = want->access,
		.origin = want->op->origin,
		.gen = want->gen,
		.basic = want->op->basic,
		.off = off,
		.rank = want->op->target,
		.seg = want->op->seg,
		.rop = want->op->rop,
		.slot = -1,
	};
	return claim;
}

static bool keeps_to_me(const struct claim *old, const struct want *want)
{
	return old && (old->access != ACCESS_READ ||
		       want->access != ACCESS_READ || old->mine_only);
}

static void take_byte(struct want *want, struct claim **byte)
{
	struct claim *old = *byte;
	int kind = keeps_to_me(old, want);

	if (!kind && old && old->origin != want->op->origin)
		kind = 2;
	if (!want->cases[kind])
		want->cases[kind] = claim_new(want, 0);
	*byte = want->cases[kind];
	(*byte)->mine_only = kind == 1;
	if (kind == 2)
		(*byte)->origin = -1;
}

static void add_store(struct want *want, const struct claim *claim, int off)
{
	struct store *store = arena_alloc(sizeof(*store));
	struct store ***tail = &want->phase->tail;

	*store = (struct store){
		.rank = want->op->target,
		.seg = want->op->seg,
		.basic = want->op->basic,
		.off = off,
		.len = basics[want->op->basic].extent,
		.rop = ROP_SUM,
		.seed = want->op->seed + off,
		.claim = claim,
	};
	if (!*tail)
		*tail = &want->phase->stores;
	while (**tail)
		*tail = &(**tail)->next;
	**tail = store;
}

static void join(struct want *want, struct claim *claim)
{
	enum rop rop = want->op->rop;

	if (claim->rop == ROP_NO_OP)
		claim->rop = rop;
	else if (rop != claim->rop && rop != ROP_NO_OP)
		claim->mixed = true;
	if (claim->origin != want->op->origin)
		claim->shared = true;
	else
		claim->gen = want->gen;
	if (claim->shared && !claim->listed) {
		claim->listed = true;
		claim->next_shared = want->phase->shared;
		want->phase->shared = claim;
	}
}

static void take_element(struct want *want, struct claim **bytes, size_t k,
			 int off)
{
	const struct basic *basic = &basics[want->op->basic];
	struct claim *claim = bytes[0];

	if (is_same_element(claim, want, off)) {
		join(want, claim);
	} else {
		claim = claim_new(want, off);
		for (int b = 0; b < basic->extent; b++) {
			if (!basic_has(basic, b))
				continue;
			claim->mine_only |= bytes[b] != NULL;
			bytes[b] = claim;
		}
		if (!claim->mine_only && !want->phase->chained &&
		    (basic->strict || want->op->seed % 8 == 0))
			add_store(want, claim, off);
	}
	claim->uses++;
	want->op->claims[k] = claim;
}

static bool may_take(const struct want *want, struct claim **map)
{
	const struct op *op = want->op;

	for (size_t k = 0; k < op->tgt.n; k++) {
		const struct basic *basic = &basics[op->tgt.elems[k].basic];
		int off = (int)op->base + op->tgt.elems[k].off;

		for (int b = 0; b < basic->extent; b++)
			if (basic_has(basic, b) &&
			    (is_in_hole(want, off + b) ||
			     !may_touch(map[off + b], want, off)))
				return false;
	}
	return true;
}

/* An element that was accumulated before must still be one. */
static bool is_whole(const struct want *want, struct claim **map)
{
	const struct op *op = want->op;

	for (size_t k = 0; k < op->tgt.n; k++) {
		const struct basic *basic = &basics[op->tgt.elems[k].basic];
		int off = (int)op->base + op->tgt.elems[k].off;

		for (int b = 1; b < basic->extent; b++)
			if (basic_has(basic, b) && map[off + b] != map[off] &&
			    (is_same_element(map[off], want, off) ||
			     is_same_element(map[off + b], want, off)))
				return false;
	}
	return true;
}

static void take(struct want *want, struct claim **map)
{
	struct op *op = want->op;

	for (size_t k = 0; k < op->tgt.n; k++) {
		const struct basic *basic = &basics[op->tgt.elems[k].basic];
		int off = (int)op->base + op->tgt.elems[k].off;

		if (want->access == ACCESS_ACC) {
			take_element(want, map + off, k, off);
			continue;
		}
		for (int b = 0; b < basic->extent; b++)
			if (basic_has(basic, b))
				take_byte(want, &map[off + b]);
	}
}

static enum access access_of(enum call call)
{
	if (call == CALL_PUT || call == CALL_RPUT)
		return ACCESS_WRITE;
	if (call == CALL_GET || call == CALL_RGET)
		return ACCESS_READ;
	return ACCESS_ACC;
}

bool claim_take(struct prog *prog, struct phase *phase, struct op *op, int gen)
{
	struct want want = { .prog = prog,
			     .phase = phase,
			     .op = op,
			     .gen = gen,
			     .access = access_of(op->call) };
	size_t size = prog->wins[phase->win].rank[op->target].size[op->seg];
	struct claim ***map = &phase->claims[op->target][op->seg];

	if (!*map)
		*map = arena_alloc((size + MAX_EXTENT) * sizeof(**map));
	if (!may_take(&want, *map))
		return false;
	if (want.access == ACCESS_ACC && !is_whole(&want, *map))
		return false;
	if (want.access == ACCESS_ACC)
		op->claims = arena_alloc(op->tgt.n * sizeof(op->claims[0]));
	take(&want, *map);
	return true;
}
