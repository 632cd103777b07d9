/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: single elements, bulk, compare-and-swap and elements that no CPU
 * atomic can work on are atomic to each other, between threads and between
 * processes, on native memory and on memory that is loaded and stored: no
 * update is lost, no value is torn, nobody waits for ever.
 */
#include "acc_model.h"

#include <pthread.h>
#include <sys/mman.h>

#include "../atomics/gate.h"
#include "orl_acc.h"
#include "orl_util.h"

#define WORKERS	 4
#define ROUNDS	 100000
#define COUNTERS 64
#define HOT	 3     /* counters that single operations use */
#define WIDE	 40000 /* elements for which the gate is opened in between */
#define DELTA	 0x1000

/* What the operations work on; twice, see struct shared. */
struct elements {
	int64_t counters[COUNTERS];
	double floats[COUNTERS];
	double both[2];		  /* a complex one, the parts always equal */
	struct orl_long_int last; /* v == i always */
	char odd[16];		  /* a counter at an odd address */
	int8_t bytes[COUNTERS];
	int64_t wide[WIDE];
};

/* What a worker has added. */
struct tally {
	int64_t counters[COUNTERS], floats[COUNTERS], both, last, odd, wide;
	uint8_t bytes[COUNTERS];
};

struct shared {
	struct orl_gate gate;
	_Atomic(int) arrived;
	struct elements elements[2]; /* native ones, and far ones */
	struct tally tally[WORKERS][2];
};

static struct shared *shared;
static int rounds = ROUNDS;
/* Two workers share a slot, each has one, or they find one that is free. */
static enum { SHARED, OWN, FOUND } slots;

/* -- the far path ------------------------------------------------------ */

static int far_load(struct orl_target *target, const struct orl_block *blocks,
		    size_t n, void *buf)
{
	char *to = buf;

	for (; n--; to += blocks++->len)
		memcpy(to, (char *)(uintptr_t)blocks->addr + DELTA,
		       blocks->len);
	return 0;
}

static int far_store(struct orl_target *target, const struct orl_block *blocks,
		     size_t n, const void *buf)
{
	const char *from = buf;

	for (; n--; from += blocks++->len)
		memcpy((char *)(uintptr_t)blocks->addr + DELTA, from,
		       blocks->len);
	return 0;
}

static const struct orl_path paths[2] = {
	{ .name = "native", .mapped = true, .native = true },
	{ .name = "far", .load = far_load, .store = far_store },
};

/* -- what a worker does ------------------------------------------------ */

struct worker {
	struct orl_target target;
	const struct orl_path *path;
	struct elements *elements;
	struct tally *tally;
	uint64_t seed;
	int number;
};

static struct orl_place place_of(struct worker *me, const void *addr)
{
	return (struct orl_place){
		.target = &me->target,
		.path = me->path,
		.addr = (uintptr_t)addr - DELTA,
	};
}

/* One element, at once. */
static void one(struct worker *me, enum orl_op op, enum orl_kind kind,
		const void *addr, const void *origin, void *result)
{
	const struct orl_place place = place_of(me, addr);
	const struct orl_acc acc = { .op = op,
				     .kind = kind,
				     .count = 1,
				     .origin = origin,
				     .result = result };

	check(!orl_acc_one(&place, &acc));
}

static void many(struct worker *me, enum orl_kind kind, const void *addr,
		 const void *origin, void *result, size_t count)
{
	const struct orl_place place = place_of(me, addr);
	const struct orl_acc acc = { .op = ORL_SUM,
				     .kind = kind,
				     .count = count,
				     .origin = origin,
				     .result = result };

	check(!orl_acc_issue(&place, &acc));
}

static void add_one(struct worker *me)
{
	const int64_t value = (int64_t)(next_random(&me->seed) % 1000);
	const size_t i = next_random(&me->seed) % HOT;
	const double real = (double)value;
	int64_t old;

	one(me, ORL_SUM, ORL_I64, &me->elements->counters[i], &value,
	    value % 2 ? &old : NULL);
	me->tally->counters[i] += value;
	one(me, ORL_SUM, ORL_F64, &me->elements->floats[i], &real, NULL);
	me->tally->floats[i] += value;
}

static void add_byte(struct worker *me)
{
	const int8_t value = (int8_t)next_random(&me->seed);
	const size_t i = next_random(&me->seed) % HOT;

	one(me, ORL_SUM, ORL_I8, &me->elements->bytes[i], &value, NULL);
	me->tally->bytes[i] += (uint8_t)value;
}

static void add_many(struct worker *me)
{
	const size_t first = next_random(&me->seed) % HOT;
	/* Some so few that they go one by one. */
	const size_t count = next_random(&me->seed) % (COUNTERS - first) + 1;
	int64_t values[COUNTERS], old[COUNTERS];
	double reals[COUNTERS];
	int8_t bytes[COUNTERS];

	for (size_t i = 0; i < count; i++) {
		values[i] = (int64_t)(next_random(&me->seed) % 1000);
		reals[i] = (double)values[i];
		bytes[i] = (int8_t)values[i];
		me->tally->counters[first + i] += values[i];
		me->tally->floats[first + i] += values[i];
		me->tally->bytes[first + i] += (uint8_t)values[i];
	}
	many(me, ORL_I64, &me->elements->counters[first], values,
	     count % 2 ? old : values, count);
	many(me, ORL_F64, &me->elements->floats[first], reals, NULL, count);
	many(me, ORL_I8, &me->elements->bytes[first], bytes, NULL, count);
}

static void swap_in(struct worker *me)
{
	const size_t i = next_random(&me->seed) % HOT;
	int64_t *counter = &me->elements->counters[i];
	const struct orl_place place = place_of(me, counter);
	int64_t seen, next, old;

	one(me, ORL_NO_OP, ORL_I64, counter, NULL, &seen);
	for (;; seen = old) {
		next = seen + 5;
		check(!swap_one(&place, ORL_I64, &next, &seen, &old));
		if (old == seen)
			break;
	}
	me->tally->counters[i] += 5;
}

static void add_odd(struct worker *me)
{
	const int64_t value = (int64_t)(next_random(&me->seed) % 1000);

	one(me, ORL_SUM, ORL_I64, me->elements->odd + 1, &value, NULL);
	me->tally->odd += value;
}

static void add_both(struct worker *me)
{
	const double parts[2] = { 1, 1 };
	double old[2];

	one(me, ORL_SUM, ORL_C64, me->elements->both, parts, old);
	check(old[0] == old[1]);
	me->tally->both++;
}

static void raise_last(struct worker *me)
{
	const int number = (int)(next_random(&me->seed) % 1000000000);
	struct orl_long_int mine = { .v = number, .i = number }, old;

	one(me, ORL_MAXLOC, ORL_LONG_INT, &me->elements->last, &mine, &old);
	check(old.v == old.i);
	if (number > me->tally->last)
		me->tally->last = number;
}

static void add_wide(struct worker *me)
{
	static const int64_t ones[WIDE] = { [0 ... WIDE - 1] = 1 };

	if (next_random(&me->seed) % 8)
		return;
	many(me, ORL_I64, me->elements->wide, ones, NULL, WIDE);
	me->tally->wide++;
}

static void *work(void *arg)
{
	static void (*const actions[])(struct worker *) = {
		add_one, add_one, add_one,  add_byte,	add_many,
		swap_in, add_odd, add_both, raise_last, add_wide,
	};
	struct worker *me = arg;

	atomic_fetch_add(&shared->arrived, 1);
	while (atomic_load(&shared->arrived) < WORKERS)
		sched_yield();
	for (int i = 0; i < rounds; i++) {
		const int far = next_random(&me->seed) % 8 == 0;

		me->path = &paths[far];
		me->elements = &shared->elements[far];
		me->tally = &shared->tally[me->number][far];
		actions[next_random(&me->seed) % 10](me);
	}
	return NULL;
}

/* -- who works, and what must come out --------------------------------- */

static void sum_up(struct tally *sum, int far)
{
	memset(sum, 0, sizeof(*sum));
	for (int worker = 0; worker < WORKERS; worker++) {
		const struct tally *tally = &shared->tally[worker][far];

		for (int i = 0; i < COUNTERS; i++) {
			sum->counters[i] += tally->counters[i];
			sum->floats[i] += tally->floats[i];
			sum->bytes[i] += tally->bytes[i];
		}
		sum->both += tally->both;
		sum->odd += tally->odd;
		sum->wide += tally->wide;
		if (tally->last > sum->last)
			sum->last = tally->last;
	}
}

static void check_sums(int far)
{
	const struct elements *got = &shared->elements[far];
	struct tally want;
	int64_t odd;

	sum_up(&want, far);
	for (int i = 0; i < COUNTERS; i++) {
		check(got->counters[i] == want.counters[i]);
		check(got->floats[i] == (double)want.floats[i]);
		check((uint8_t)got->bytes[i] == want.bytes[i]);
	}
	memcpy(&odd, got->odd + 1, sizeof(odd));
	check(odd == want.odd);
	check(got->both[0] == (double)want.both &&
	      got->both[1] == got->both[0]);
	check(got->last.v == want.last && got->last.i == got->last.v);
	for (int i = 0; i < WIDE; i++)
		check(got->wide[i] == want.wide);
}

static void share(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(shared != MAP_FAILED);
}

static void check_all(void)
{
	check_sums(0);
	check_sums(1);
	check(!atomic_load(&shared->gate.shut) &&
	      !atomic_load(&shared->gate.claim));
	for (int i = 0; i < ORL_GATE_SLOTS; i++)
		check(!atomic_load(&shared->gate.slots[i].own) &&
		      !atomic_load(&shared->gate.slots[i].singles));
}

static int count_owners(void)
{
	int n = 0;

	for (int i = 0; i < ORL_GATE_SLOTS; i++)
		n += atomic_load(&shared->gate.slots[i].owner) != 0;
	return n;
}

/* The second threads of pairs find the slots of the next pair's first. */
static uint16_t slot_of(int worker)
{
	if (slots == FOUND)
		return (uint16_t)(worker / 2) | ORL_SLOT_THREADS;
	return slots == OWN ? (uint16_t)(worker * 5) | ORL_SLOT_OWN
			    : (uint16_t)(worker / 2 * 15);
}

/* Workers first to first + n - 1, as threads. */
static void run_threads(int first, int n)
{
	struct worker workers[WORKERS];
	pthread_t threads[WORKERS];

	for (int i = 0; i < n; i++) {
		workers[i] = (struct worker){
			.target = { .gate = &shared->gate,
				    .delta = DELTA,
				    .slot = slot_of(first + i) },
			.seed = (uint64_t)(first + i),
			.number = first + i,
		};
		check(!pthread_create(&threads[i], NULL, work, &workers[i]));
	}
	for (int i = 0; i < n; i++)
		check(!pthread_join(threads[i], NULL));
}

static void threads(void)
{
	share();
	run_threads(0, WORKERS);
	check_all();
}

static void second_process(struct partner *partner)
{
	run_threads(2, 2);
	meet(partner);
}

static void processes(void)
{
	struct partner partner;

	share();
	partner = partner_start(second_process);
	run_threads(0, 2);
	meet(&partner);
	partner_end(&partner);
	check_all();
}

static void owners(void)
{
	slots = OWN;
	threads();
}

static void owner_processes(void)
{
	slots = OWN;
	processes();
}

/* The second ones have the numbers of the first, and thereby their slots. */
static void finders(void)
{
	int before;

	slots = FOUND;
	rounds = ROUNDS / 2;
	threads();
	before = count_owners();
	check(before >= 2);
	atomic_store(&shared->arrived, 0);
	run_threads(0, WORKERS);
	check_all();
	check(count_owners() >= before);
}

static void finder_processes(void)
{
	slots = FOUND;
	processes();
}

/* Whoever waits sleeps in the kernel, and must be woken. */
static void sleepers(void)
{
	orl_options.spin = 0;
	orl_options.yield = 0;
	rounds = ROUNDS / 10;
	threads();
	slots = OWN;
	threads();
}

int main(void)
{
	static const struct process_case cases[] = {
		{ "threads", threads },
		{ "processes", processes },
		{ "owners", owners },
		{ "processes of owners", owner_processes },
		{ "finders", finders },
		{ "processes of finders", finder_processes },
		{ "sleepers", sleepers },
		{ NULL, NULL },
	};

	orl_options_load();
	return run_cases(cases);
}
