/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_gen.c - the program of a seed: windows of all kinds, and phases of
 * all synchronisations.
 */
#include "random.h"

#include <string.h>

const char *const win_names[WIN_KINDS] = { "allocate", "shared", "create",
					   "alloc_mem", "dynamic" };
const char *const sync_names[SYNC_KINDS] = { "fence", "pscw", "lock",
					     "lock_all" };

/* One of the kinds that the mask allows. */
static int pick_bit(struct rng *rng, uint32_t mask, int n)
{
	int bit;

	do
		bit = rng_below(rng, n);
	while (!(mask >> bit & 1));
	return bit;
}

static size_t pick_size(struct rng *rng, bool big)
{
	if (big && rng_chance(rng, 60))
		return rng_range(rng, 3000, 300000) | 1;
	if (rng_chance(rng, 8))
		return 0;
	if (rng_chance(rng, 80))
		return rng_range(rng, 1, 72);
	return rng_range(rng, 73, 1500);
}

/* Of a segment that is large enough, bytes in the middle. */
static void gen_hole(struct rng *rng, struct window *win, int r, int s)
{
	size_t size = win->rank[r].size[s], at;

	if (size < 48 || rng_chance(rng, 40))
		return;
	at = 1 + rng_below(rng, size / 16 - 2);
	win->rank[r].hole[s] = 16 * at;
	win->rank[r].hole_len[s] =
		16 * (1 + rng_below(rng, size / 16 - 1 - at));
}

static void gen_window(struct rng *rng, struct prog *prog, struct window *win)
{
	static const int units[] = { 1, 1, 2, 4, 8, 3, 7 };
	bool big = config.big && rng_chance(rng, 5);
	int unit = units[rng_below(rng, 7)];
	bool differ = rng_chance(rng, 50);

	win->kind = pick_bit(rng, config.win_kinds, WIN_KINDS);
	win->no_locks = rng_chance(rng, 5) && config.syncs & 3;
	win->noncontig = rng_chance(rng, 30);
	win->nsegs = win->kind == WIN_DYNAMIC ? rng_range(rng, 1, MAX_SEGS) : 1;
	win->seed = rng_next(rng);
	for (int r = 0; r < prog->nranks; r++) {
		if (differ)
			unit = units[rng_below(rng, 7)];
		if (win->kind == WIN_DYNAMIC)
			unit = 1;
		if (!config.odd_units && unit & (unit - 1))
			unit = 4;
		win->rank[r].unit = unit;
		if (config.misaligned)
			win->rank[r].skew = rng_below(rng, 16);
		for (int s = 0; s < win->nsegs; s++) {
			win->rank[r].size[s] = pick_size(rng, big);
			if (win->kind == WIN_DYNAMIC && config.holes)
				gen_hole(rng, win, r, s);
		}
	}
}

/* Random bytes that owners write before the phase. */
static void gen_stores(struct rng *rng, struct prog *prog, struct phase *phase)
{
	const struct window *win = &prog->wins[phase->win];

	for (int r = 0; r < prog->nranks; r++) {
		int seg = rng_below(rng, win->nsegs);
		size_t size = win->rank[r].size[seg];
		struct store *store;

		if (!size || rng_chance(rng, 75))
			continue;
		store = arena_alloc(sizeof(*store));
		store->rank = r;
		store->seg = seg;
		store->basic = -1;
		store->off = rng_below(rng, size);
		store->len = 1 + rng_below(rng, size - store->off);
		store->seed = rng_next(rng);
		store->next = phase->stores;
		phase->stores = store;
	}
}

static void gen_fence(struct rng *rng, struct prog *prog, struct phase *phase)
{
	int nops = rng_range(rng, 0, 5 + prog->nranks);

	for (int i = 0; i < nops; i++)
		gen_rma(rng, prog, phase, rng_below(rng, prog->nranks),
			rng_below(rng, prog->nranks), 0);
}

static bool has_target(const struct phase *phase, int origin, int n)
{
	for (int t = 0; t < n; t++)
		if (phase->targets[origin][t])
			return true;
	return false;
}

static void gen_pscw(struct rng *rng, struct prog *prog, struct phase *phase)
{
	int nops = rng_range(rng, 0, 5 + prog->nranks);
	unsigned percent = rng_range(rng, 20, 100);

	for (int o = 0; o < prog->nranks; o++)
		for (int t = 0; t < prog->nranks; t++)
			phase->targets[o][t] = rng_chance(rng, percent);
	phase->nocheck = rng_chance(rng, 20) && config.asserts;
	phase->empty_groups = rng_chance(rng, 30);
	for (int r = 0; r < prog->nranks; r++)
		phase->by_test[r] = rng_chance(rng, 30);
	for (int i = 0; i < nops; i++) {
		int origin = rng_below(rng, prog->nranks), target;

		if (!has_target(phase, origin, prog->nranks))
			continue;
		do
			target = rng_below(rng, prog->nranks);
		while (!phase->targets[origin][target]);
		gen_rma(rng, prog, phase, origin, target, 0);
	}
}

static bool is_update(const struct op *op)
{
	return op->call < CALL_RMA && op->call != CALL_GET &&
	       op->call != CALL_RGET;
}

static bool is_updated(const struct phase *phase, int rank)
{
	for (int i = 0; i < phase->nops; i++)
		if (is_update(phase->ops[i]) && phase->ops[i]->target == rank)
			return true;
	return false;
}

static bool is_stored(const struct phase *phase, int rank)
{
	for (const struct store *s = phase->stores; s; s = s->next)
		if (s->rank == rank)
			return true;
	return false;
}

/* Assertions that hold, some of the time. */
static void gen_assertions(struct rng *rng, struct prog *prog,
			   struct phase *phase)
{
	bool precede = rng_chance(rng, 50), succeed = rng_chance(rng, 50);

	for (int r = 0; r < prog->nranks && config.asserts; r++) {
		int *open = &phase->open[r], *close = &phase->close[r];

		if (!phase->first && !is_stored(phase, r) &&
		    rng_chance(rng, 40))
			*open |= MPI_MODE_NOSTORE;
		if (!is_updated(phase, r) && rng_chance(rng, 40))
			*open |= MPI_MODE_NOPUT;
		if (phase->sync == SYNC_PSCW)
			continue;
		if (precede && !phase->chained)
			*open |= MPI_MODE_NOPRECEDE;
		if (rng_chance(rng, 40))
			*close |= MPI_MODE_NOSTORE;
		if (phase->check && succeed)
			*close |= MPI_MODE_NOSUCCEED;
	}
}

/* -- passive phases ---------------------------------------------------------*/

struct passive {
	struct rng *rng;
	struct prog *prog;
	struct phase *phase;
	int gen[MAX_RANKS][MAX_RANKS]; /* flushes, by origin and target */
	bool locked[MAX_RANKS][MAX_RANKS];
	bool all[MAX_RANKS];
	/* An origin may hold several locks only if nobody can wait for it. */
	bool several;
};

static struct op *add(struct passive *p, enum call call, int origin, int target)
{
	struct op *op = op_new(call, origin, target);

	op_append(p->prog, p->phase, op);
	return op;
}

static void flushed_all(struct passive *p, int origin)
{
	for (int t = 0; t < p->prog->nranks; t++)
		p->gen[origin][t]++;
}

static void unlock(struct passive *p, int origin, int target)
{
	add(p, CALL_UNLOCK, origin, target);
	p->locked[origin][target] = false;
	p->gen[origin][target]++;
}

static void unlock_all(struct passive *p, int origin)
{
	add(p, CALL_UNLOCK_ALL, origin, 0);
	p->all[origin] = false;
	flushed_all(p, origin);
}

/* A target that the origin holds locked, or -1. */
static int locked_target(struct passive *p, int origin)
{
	int n = p->prog->nranks, from = rng_below(p->rng, n);

	for (int i = 0; i < n; i++)
		if (p->all[origin] || p->locked[origin][(from + i) % n])
			return (from + i) % n;
	return -1;
}

static void add_wait(struct passive *p, int origin)
{
	struct op *op = add(p, CALL_WAIT, origin, 0);

	op->wait = rng_below(p->rng, WAIT_MODES);
}

static void open_epoch(struct passive *p, int origin)
{
	int target = rng_below(p->rng, p->prog->nranks);
	struct op *op;

	if (p->phase->sync == SYNC_LOCK_ALL && rng_chance(p->rng, 80)) {
		add(p, CALL_LOCK_ALL, origin, 0);
		p->all[origin] = true;
		return;
	}
	if (p->locked[origin][target])
		return;
	op = add(p, CALL_LOCK, origin, target);
	op->lock_type = p->several || rng_chance(p->rng, 50)
				? MPI_LOCK_SHARED
				: MPI_LOCK_EXCLUSIVE;
	p->locked[origin][target] = true;
}

static void flush(struct passive *p, int origin, int target)
{
	static const enum call calls[] = {
		CALL_FLUSH,	CALL_FLUSH,	      CALL_FLUSH_LOCAL,
		CALL_FLUSH_ALL, CALL_FLUSH_LOCAL_ALL, CALL_WIN_SYNC
	};
	enum call call = calls[rng_below(p->rng, 6)];

	add(p, call, origin, target);
	if (call == CALL_FLUSH)
		p->gen[origin][target]++;
	if (call == CALL_FLUSH_ALL)
		flushed_all(p, origin);
}

static void step(struct passive *p)
{
	int origin = rng_below(p->rng, p->prog->nranks);
	int target = locked_target(p, origin);
	unsigned dice = rng_below(p->rng, 100);

	if (target < 0 || (p->several && !p->all[origin] && dice < 15))
		open_epoch(p, origin);
	else if (dice < 70)
		gen_rma(p->rng, p->prog, p->phase, origin, target,
			1 + p->gen[origin][target]);
	else if (dice < 85)
		flush(p, origin, target);
	else if (dice < 93)
		add_wait(p, origin);
	else if (p->all[origin])
		unlock_all(p, origin);
	else
		unlock(p, origin, target);
}

static void close_all(struct passive *p)
{
	for (int o = 0; o < p->prog->nranks; o++) {
		if (!config.waits_late || rng_chance(p->rng, 60))
			add_wait(p, o);
		if (p->all[o])
			unlock_all(p, o);
		for (int t = 0; t < p->prog->nranks; t++)
			if (p->locked[o][t])
				unlock(p, o, t);
	}
}

/* Could another origin hold a lock that conflicts with this one? */
static bool is_contended(const struct phase *phase, const struct op *lock)
{
	bool shared = lock->call == CALL_LOCK_ALL ||
		      lock->lock_type == MPI_LOCK_SHARED;

	for (int i = 0; i < phase->nops; i++) {
		const struct op *op = phase->ops[i];
		bool all = op->call == CALL_LOCK_ALL;

		if (op->origin == lock->origin ||
		    (op->call != CALL_LOCK && !all))
			continue;
		if (!all && lock->call != CALL_LOCK_ALL &&
		    op->target != lock->target)
			continue;
		if (!shared || (!all && op->lock_type != MPI_LOCK_SHARED))
			return true;
	}
	return false;
}

static void gen_passive(struct rng *rng, struct prog *prog, struct phase *phase)
{
	struct passive *p = arena_alloc(sizeof(*p));
	int steps = rng_range(rng, 3, 9 * prog->nranks + 6);

	*p = (struct passive){ .rng = rng, .prog = prog, .phase = phase };
	p->several = phase->sync == SYNC_LOCK && rng_chance(rng, 30);
	for (int i = 0; i < steps; i++)
		step(p);
	close_all(p);
	for (int i = 0; i < phase->nops; i++) {
		struct op *op = phase->ops[i];

		if ((op->call == CALL_LOCK || op->call == CALL_LOCK_ALL) &&
		    rng_chance(rng, 20) && config.asserts &&
		    !is_contended(phase, op))
			op->assertion = MPI_MODE_NOCHECK;
	}
}

/* -- programs ---------------------------------------------------------------*/

static void gen_phase(struct rng *rng, struct prog *prog, int id)
{
	struct phase *phase = &prog->phases[id];
	const struct phase *last = id ? phase - 1 : NULL;
	uint32_t syncs = config.syncs;

	phase->id = id;
	phase->chained = last && last->sync == SYNC_FENCE && !last->check;
	phase->win =
		phase->chained ? last->win : (int)rng_below(rng, prog->nwins);
	phase->first = true;
	for (int i = 0; i < id; i++)
		if (prog->phases[i].win == phase->win)
			phase->first = false;
	if (prog->wins[phase->win].no_locks)
		syncs &= 1u << SYNC_FENCE | 1u << SYNC_PSCW;
	phase->sync =
		phase->chained ? SYNC_FENCE : pick_bit(rng, syncs, SYNC_KINDS);
	phase->check = phase->sync != SYNC_FENCE || id + 1 == prog->nphases ||
		       rng_chance(rng, 60);
	if (!phase->chained)
		gen_stores(rng, prog, phase);
	if (phase->sync == SYNC_FENCE)
		gen_fence(rng, prog, phase);
	else if (phase->sync == SYNC_PSCW)
		gen_pscw(rng, prog, phase);
	else
		gen_passive(rng, prog, phase);
	if (phase->shared) /* finals are read, so nobody may go on */
		phase->check = true;
	gen_assertions(rng, prog, phase);
}

struct prog *gen_program(uint64_t seed, int comm)
{
	struct prog *prog = arena_alloc(sizeof(*prog));
	struct rng rng = { seed * 0x9e3779b97f4a7c15 + comms[comm].colour };

	prog->seed = seed;
	prog->comm = comm;
	prog->nranks = comms[comm].size;
	prog->me = comms[comm].rank;
	prog->nwins = rng_range(&rng, 1, MAX_WINS);
	prog->nphases = rng_range(&rng, 2, config.max_phases);
	for (int w = 0; w < prog->nwins; w++)
		gen_window(&rng, prog, &prog->wins[w]);
	prog->phases = arena_alloc(prog->nphases * sizeof(*prog->phases));
	for (int i = 0; i < prog->nphases; i++)
		gen_phase(&rng, prog, i);
	return prog;
}
