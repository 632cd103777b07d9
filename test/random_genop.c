/* SPDX-License-Identifier: BSD-3-Clause */
/* random_genop.c - one random communication call, free of races. */
#include "random.h"

#include <string.h>

#define TRIES	  6
#define MAX_SIG	  64
#define BIG_ELEMS 50000

struct maker {
	struct rng *rng;
	struct prog *prog;
	struct phase *phase;
	struct op *op;
	size_t room; /* of the target segment */
	int unit;
	uint8_t *sig;
	size_t n;
};

bool call_is_acc(enum call call)
{
	return (call >= CALL_ACC && call <= CALL_CAS) || call == CALL_RACC ||
	       call == CALL_RGACC;
}

bool call_is_r(enum call call)
{
	return call >= CALL_RPUT && call <= CALL_RGACC;
}

bool call_fetches(enum call call)
{
	return call == CALL_GET || call == CALL_RGET || call == CALL_GACC ||
	       call == CALL_RGACC || call == CALL_FOP || call == CALL_CAS;
}

static bool is_single(enum call call)
{
	return call == CALL_FOP || call == CALL_CAS;
}

struct op *op_new(enum call call, int origin, int target)
{
	struct op *op = arena_alloc(sizeof(*op));

	op->call = call;
	op->origin = origin;
	op->target = target;
	op->request = MPI_REQUEST_NULL;
	return op;
}

void op_append(struct prog *prog, struct phase *phase, struct op *op)
{
	if (phase->nops == phase->room) {
		struct op **old = phase->ops;

		phase->room = phase->room ? 2 * phase->room : 16;
		phase->ops = arena_alloc(phase->room * sizeof(old[0]));
		if (old)
			memcpy(phase->ops, old, phase->nops * sizeof(old[0]));
	}
	op->id = prog->nops++;
	op->skip = op->id < (int)(sizeof(config.skip)) && config.skip[op->id] &&
		   op->call < CALL_RMA;
	phase->ops[phase->nops++] = op;
}

static bool pick_call(struct maker *m)
{
	bool passive = m->phase->sync >= SYNC_LOCK;
	uint32_t calls = config.calls & ((1u << CALL_RMA) - 1);
	int call;

	if (!passive)
		calls &= (1u << CALL_RPUT) - 1;
	if (!calls)
		return false;
	do
		call = rng_below(m->rng, CALL_RMA);
	while (!(calls >> call & 1));
	m->op->call = call;
	return true;
}

/* The operations that a call of this kind may use on the type. */
static uint32_t legal_rops(const struct maker *m, int basic)
{
	uint32_t ops = basics[basic].ops & config.rops;

	if (m->op->call == CALL_CAS)
		return ops & 1u << ROP_CAS;
	ops &= ~(1u << ROP_CAS);
	if (m->op->call == CALL_ACC || m->op->call == CALL_RACC)
		ops &= ~(1u << ROP_NO_OP);
	return ops;
}

static int pick_basic(struct maker *m)
{
	for (int try = 0; try < 24; try++) {
		int basic = rng_below(m->rng, nbasics);

		if ((size_t)basics[basic].extent > m->room)
			continue;
		if (!call_is_acc(m->op->call) || legal_rops(m, basic))
			return basic;
	}
	return -1;
}

static void pick_rop(struct maker *m)
{
	uint32_t ops = legal_rops(m, m->op->basic);

	do
		m->op->rop = rng_below(m->rng, ROP_COUNT);
	while (!(ops >> m->op->rop & 1));
}

/* n elements of one type, seldom as many as the target holds. */
static void uniform_sig(struct maker *m, int basic)
{
	size_t most = m->room / basics[basic].extent;

	if (most > BIG_ELEMS)
		most = BIG_ELEMS;
	if (most > 64 && rng_chance(m->rng, 85))
		most = 64;
	m->n = most;
	if (rng_chance(m->rng, 85))
		m->n = 1 + rng_below(m->rng, most < 8 ? most : 8);
	else if (rng_chance(m->rng, 70))
		m->n = 1 + rng_below(m->rng, most);
	if (is_single(m->op->call))
		m->n = 1;
	m->sig = arena_alloc(m->n);
	memset(m->sig, basic, m->n);
}

/* A few types in a row, repeated. */
static bool mixed_sig(struct maker *m)
{
	uint8_t part[8];
	size_t len = 0, bytes = 0, times;
	int kinds = rng_range(m->rng, 1, 3);

	for (int i = 0; i < kinds; i++) {
		int basic = pick_basic(m), run = rng_range(m->rng, 1, 2);

		if (basic < 0)
			return false;
		while (run--) {
			part[len++] = basic;
			bytes += basics[basic].extent;
		}
	}
	times = m->room / bytes < 6 ? m->room / bytes : 6;
	if (!times)
		return false;
	times = 1 + rng_below(m->rng, times);
	m->n = len * times;
	m->sig = arena_alloc(m->n);
	for (size_t i = 0; i < m->n; i++)
		m->sig[i] = part[i % len];
	return true;
}

static bool pick_sig(struct maker *m)
{
	if (!call_is_acc(m->op->call) && rng_chance(m->rng, 50) && mixed_sig(m))
		return true;
	m->op->basic = pick_basic(m);
	if (m->op->basic < 0)
		return false;
	if (call_is_acc(m->op->call))
		pick_rop(m);
	uniform_sig(m, m->op->basic);
	return true;
}

/* The displacement: a multiple of the unit, and all bytes in the window. */
static bool place_target(struct maker *m)
{
	struct side *tgt = &m->op->tgt;
	ptrdiff_t low = tgt->first < 0 ? -tgt->first : 0;
	ptrdiff_t high = (ptrdiff_t)m->room - tgt->last;
	ptrdiff_t step = m->unit;

	if (!config.misaligned)
		while (step % 16)
			step += m->unit;
	low = (low + step - 1) / step;
	high = high < 0 ? -1 : high / step;
	if (high < low)
		return false;
	m->op->base = step * (low + rng_below(m->rng, high - low + 1));
	return true;
}

/* Another accumulate's elements, or one of them, once more. */
static bool copy_target(struct maker *m)
{
	const struct phase *phase = m->phase;
	struct op *op = m->op, *old;
	size_t k;

	if (!phase->nops || !rng_chance(m->rng, 50))
		return false;
	old = phase->ops[rng_below(m->rng, phase->nops)];
	if (!old->claims || old->target != op->target || !old->tgt.n ||
	    !legal_rops(m, old->basic))
		return false;
	op->seg = old->seg;
	op->basic = old->basic;
	op->rop = old->rop;
	if (!(legal_rops(m, op->basic) >> op->rop & 1) ||
	    rng_chance(m->rng, 30))
		pick_rop(m);
	op->tgt = old->tgt;
	op->base = old->base;
	m->n = old->tgt.n;
	if (is_single(op->call)) {
		k = rng_below(m->rng, m->n);
		m->n = 1;
		op->base += old->tgt.elems[k].off;
		if (op->base % m->unit)
			return false;
		side_single(m->rng, &op->tgt, op->basic);
	}
	m->sig = arena_alloc(m->n);
	memset(m->sig, op->basic, m->n);
	return true;
}

static bool new_target(struct maker *m)
{
	const struct window *win = &m->prog->wins[m->phase->win];
	struct op *op = m->op;

	op->seg = rng_below(m->rng, win->nsegs);
	m->room = win->rank[op->target].size[op->seg];
	if (!pick_sig(m))
		return false;
	if (is_single(op->call))
		side_single(m->rng, &op->tgt, op->basic);
	else
		side_build(m->rng, &op->tgt, m->sig, m->n, OVERLAP_NO, m->room);
	return place_target(m);
}

static bool pick_target(struct maker *m, int gen)
{
	const struct window *win = &m->prog->wins[m->phase->win];
	struct op *op = m->op;

	m->unit = win->rank[op->target].unit;
	for (int try = 0; try < TRIES; try++) {
		bool found = call_is_acc(op->call) && copy_target(m);

		if (!found)
			found = new_target(m);
		op->seed = rng_next(m->rng);
		if (found && claim_take(m->prog, m->phase, op, gen))
			return true;
	}
	return false;
}

/* Nothing is moved: no elements, or no target. */
static bool pick_nothing(struct maker *m)
{
	const struct window *win = &m->prog->wins[m->phase->win];
	struct op *op = m->op;
	bool nobody = op->target == MPI_PROC_NULL;

	m->room = MAX_EXTENT;
	if (!pick_sig(m))
		return false;
	if (!nobody && is_single(op->call))
		return false;
	if (!nobody)
		m->n = 0;
	op->seed = rng_next(m->rng);
	if (is_single(op->call))
		side_single(m->rng, &op->tgt, op->basic);
	else
		side_build(m->rng, &op->tgt, m->sig, m->n, OVERLAP_NO, 512);
	if (!nobody) {
		op->seg = rng_below(m->rng, win->nsegs);
		m->unit = win->rank[op->target].unit;
		op->base = rng_below(m->rng,
				     win->rank[op->target].size[op->seg] + 1);
		op->base -= op->base % m->unit;
	}
	return true;
}

/* Bytes of a local buffer: what is needed, and something for holes. */
static size_t local_room(const struct maker *m)
{
	return 256 + 3 * m->n * MAX_EXTENT;
}

static void build_locals(struct maker *m)
{
	struct op *op = m->op;
	enum overlap overlap = OVERLAP_ANY;
	bool nothing = m->n == 0 || op->target == MPI_PROC_NULL;

	if (call_is_acc(op->call) && basics[op->basic].strict)
		overlap = OVERLAP_SAME;
	if (is_single(op->call)) {
		side_single(m->rng, &op->src, op->basic);
		side_single(m->rng, &op->res, op->basic);
		side_single(m->rng, &op->cmp, op->basic);
	} else {
		side_build(m->rng, &op->src, m->sig, m->n, overlap,
			   local_room(m));
		side_build(m->rng, &op->res, m->sig, m->n, OVERLAP_NO,
			   local_room(m));
	}
	if (nothing && config.null_buffers)
		op->src.null = op->res.null = op->cmp.null =
			rng_chance(m->rng, 40);
	if (op->rop == ROP_NO_OP && call_is_acc(op->call) &&
	    config.null_buffers)
		op->src.null = rng_chance(m->rng, 50);
}

void gen_rma(struct rng *rng, struct prog *prog, struct phase *phase,
	     int origin, int target, int gen)
{
	struct maker m = { .rng = rng, .prog = prog, .phase = phase };
	bool found;

	m.op = op_new(CALL_PUT, origin, target);
	if (rng_chance(rng, 4) && config.proc_null)
		m.op->target = MPI_PROC_NULL;
	if (!pick_call(&m))
		return;
	if (m.op->target == MPI_PROC_NULL ||
	    (rng_chance(rng, 4) && config.zero))
		found = pick_nothing(&m);
	else
		found = pick_target(&m, gen);
	if (!found)
		return;
	m.op->tgt.bottom = false; /* of a window there are no addresses */
	build_locals(&m);
	m.op->scribble = rng_chance(rng, 50);
	m.op->free_early = rng_chance(rng, 50) && config.early_free;
	m.op->large = rng_chance(rng, 30) && config.large;
	m.op->cas_hit = rng_chance(rng, 60);
	op_append(prog, phase, m.op);
}
