/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delegate.c - a single element of memory that is not mapped: a process whose
 * owner polls, in a wait of ours or of the host's, hands it over, which takes
 * two lines' ways between cores instead of two system calls.  The owner works
 * as all others do, with the gate shut.  An owner that does not answer soon is
 * left alone: the origin takes the element back and does it by itself, and
 * does not ask again at once.
 *
 * Each process has one box, for one element at a time.  A process that is
 * killed in between leaves who waits for it waiting, as with a gate that it
 * holds shut.  Memory that is gone kills the owner, where a copy by the kernel
 * would fail.  The box's state:
 *
 *	FREE -> FILLING -> CALLED -> TAKEN -> DONE -> FREE
 *	origin   origin     owner    owner   origin
 *	              CALLED -> FREE: taken back, by the origin
 */
#include "delegate.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "gate.h"
#include "job.h"
#include "orl_shm.h"

/* Can the floats' arithmetic, but long double's, be set cheaply? */
#ifdef __SSE2__
#include <xmmintrin.h>
#define HAS_PLAIN_FLOATS 1
#else
#define HAS_PLAIN_FLOATS 0
#endif

#define SIZE_MOST   16
#define PATIENCE_NS 2000 /* a host's turn takes 0.1 to 0.5 us */
#define LOOKS	    4	 /* between looks at the clock */
#define LOOKS_MOST  1000 /* at one that is taken, before the core is yielded */
#define SKIP_MOST   64	 /* elements: what is waited in vain is a fortieth */
#define HOPES	    64

enum state { FREE, CALLED = ORL_CALLED, FILLING, TAKEN, DONE };

/* In the owner's arena, all zero at first. */
struct orl_box {
	_Atomic(uint32_t) state;
	uint8_t op;
	uint8_t kind;
	bool compares;
	uint8_t pad;
	int64_t gate; /* bytes from here to the gate */
	uint64_t addr;
	unsigned char operand[SIZE_MOST]; /* at the end the value before */
	unsigned char compare[SIZE_MOST];
	uint8_t pad2[8];
};
_Static_assert(sizeof(struct orl_box) == ORL_CACHELINE, "a line each way");

/* -- the owner ------------------------------------------------------------- */

static struct orl_box *own_box;
static int32_t own_pid;

/* Origins check what they fill in; but what indexes tables is looked at. */
static bool is_known(const struct orl_box *box)
{
	return box->kind < ORL_KIND_COUNT &&
	       orl_kinds[box->kind].extent <= SIZE_MOST &&
	       (box->compares ||
		(box->op < ORL_OP_COUNT && orl_op_fits(box->op, box->kind)));
}

static void combine(struct orl_box *box, void *target)
{
	if (box->op != ORL_NO_OP)
		orl_kernel(box->op, box->kind)(target, box->operand, 1);
}

static void swap(struct orl_box *box, void *target, size_t size)
{
	if (!memcmp(target, box->compare, size))
		memcpy(target, box->operand, size);
}

/* The program's rounding and traps are not the origin's: returns them. */
static unsigned set_plain_floats(void)
{
#if HAS_PLAIN_FLOATS
	const unsigned theirs = _mm_getcsr();

	_mm_setcsr(0x1f80); /* to nearest, no traps */
	return theirs;
#else
	return 0;
#endif
}

static void restore_floats(unsigned theirs)
{
#if HAS_PLAIN_FLOATS
	_mm_setcsr(theirs);
#else
	(void)theirs;
#endif
}

static void execute(struct orl_box *box)
{
	struct orl_gate *gate = (struct orl_gate *)((char *)box + box->gate);
	void *target = (void *)(uintptr_t)box->addr;
	const size_t size = orl_kinds[box->kind].extent;
	const unsigned floats = set_plain_floats();
	unsigned char before[SIZE_MOST];

	orl_gate_shut(gate);
	memcpy(before, target, size);
	if (box->compares)
		swap(box, target, size);
	else
		combine(box, target);
	orl_gate_open(gate);
	restore_floats(floats);
	memcpy(box->operand, before, size);
}

/* Several threads may. */
static void answer(void)
{
	struct orl_box *box = own_box;
	uint32_t called = CALLED;

	/* Acquire: pairs with the release in orl_delegate. */
	if (!atomic_compare_exchange_strong_explicit(
		    &box->state, &called, TAKEN, memory_order_acquire,
		    memory_order_relaxed))
		return;
	if (is_known(box))
		execute(box);
	/* Release: pairs with the acquire in is_answered. */
	atomic_store_explicit(&box->state, DONE, memory_order_release);
}

static struct orl_box *make_box(void)
{
	struct orl_box *box = orl_arena_alloc(sizeof(*box), ORL_CACHELINE);

	if (!box)
		return NULL;
	memset(box, 0, sizeof(*box));
	return box;
}

void orl_acc_take(struct orl_gate *gate)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (!own_box) {
		own_box = make_box();
		own_pid = getpid();
		if (own_box)
			orl_progress_listen(&own_box->state, answer);
	}
	if (own_box)
		gate->box = (char *)own_box - (char *)gate;
	pthread_mutex_unlock(&lock);
}

/* -- is it worth a call? --------------------------------------------------- */

/* Of each owner, by its process, whether this process has waited in vain. */
static struct hope {
	_Atomic(uint8_t) skip; /* elements that are not delegated, */
	_Atomic(uint8_t) next; /* and how many it will be the next time */
} hopes[HOPES];

static struct hope *hope_of(const struct orl_target *target)
{
	return &hopes[(uint32_t)target->pid % HOPES];
}

/* Threads may count amiss. */
static bool has_hope(struct hope *hope)
{
	uint8_t skip = atomic_load_explicit(&hope->skip, memory_order_relaxed);

	if (!skip)
		return true;
	atomic_store_explicit(&hope->skip, skip - 1, memory_order_relaxed);
	return false;
}

static void note(struct hope *hope, bool answered)
{
	uint8_t next = atomic_load_explicit(&hope->next, memory_order_relaxed);

	if (answered) {
		if (next)
			atomic_store_explicit(&hope->next, 0,
					      memory_order_relaxed);
		return;
	}
	next = next ? next * 2 : 1;
	next = next > SKIP_MOST ? SKIP_MOST : next;
	atomic_store_explicit(&hope->next, next, memory_order_relaxed);
	atomic_store_explicit(&hope->skip, next, memory_order_relaxed);
}

/* -- the origin ------------------------------------------------------------ */

static bool is_answered(struct orl_box *box)
{
	return atomic_load_explicit(&box->state, memory_order_acquire) == DONE;
}

static bool take_back(struct orl_box *box)
{
	uint32_t called = CALLED;

	return atomic_compare_exchange_strong_explicit(
		&box->state, &called, FREE, memory_order_relaxed,
		memory_order_relaxed);
}

/* Of a call that has been taken: the owner runs, or will again. */
static void await_end(struct orl_box *box)
{
	int looks;

	for (looks = 0; !is_answered(box); looks++) {
		if (looks < LOOKS_MOST)
			orl_pause();
		else
			sched_yield();
	}
}

static bool await_answer(struct orl_box *box)
{
	uint64_t end = orl_now_ns() + PATIENCE_NS;
	int looks;

	for (looks = 1; looks % LOOKS || orl_now_ns() < end; looks++) {
		if (is_answered(box))
			return true;
		orl_pause();
	}
	if (take_back(box))
		return false;
	await_end(box);
	return true;
}

static bool claim(struct orl_box *box)
{
	uint32_t free = FREE;

	return atomic_compare_exchange_strong_explicit(
		&box->state, &free, FILLING, memory_order_acquire,
		memory_order_relaxed);
}

static void fill(struct orl_box *box, const struct orl_place *place,
		 const struct orl_acc *acc, const void *compare)
{
	const size_t size = orl_kinds[acc->kind].extent;

	box->op = (uint8_t)acc->op;
	box->kind = (uint8_t)acc->kind;
	box->compares = compare;
	box->gate = (char *)place->target->gate - (char *)box;
	box->addr = place->addr;
	if (compare || acc->op != ORL_NO_OP)
		memcpy(box->operand, acc->origin, size);
	if (compare)
		memcpy(box->compare, compare, size);
}

static struct orl_box *find_box(const struct orl_target *target)
{
	struct orl_gate *gate = target->gate;

	return gate->box ? (struct orl_box *)((char *)gate + gate->box) : NULL;
}

/* Not mapped only where ORIEL_PATH will have it so. */
static bool is_own(const struct orl_target *target)
{
	return target->pid == own_pid;
}

static bool is_float(const struct orl_kind_info *info)
{
	return info->class == ORL_CLASS_FLOAT ||
	       info->class == ORL_CLASS_COMPLEX;
}

static bool fits(enum orl_kind kind)
{
	const struct orl_kind_info *info = &orl_kinds[kind];

	if (is_float(info) && (kind == ORL_FLD || !HAS_PLAIN_FLOATS))
		return false;
	return info->extent <= SIZE_MOST && !orl_kind_is_padded(info);
}

bool orl_delegate(const struct orl_place *place, const struct orl_acc *acc,
		  const void *compare)
{
	struct hope *hope = hope_of(place->target);
	struct orl_box *box;
	bool answered;

	if (place->path->mapped || !fits(acc->kind))
		return false;
	box = find_box(place->target);
	if (!box || is_own(place->target) || !has_hope(hope) || !claim(box))
		return false;
	fill(box, place, acc, compare);
	/* Release: pairs with the acquire in answer. */
	atomic_store_explicit(&box->state, CALLED, memory_order_release);
	answered = await_answer(box);
	note(hope, answered);
	if (!answered)
		return false;
	if (acc->result)
		memcpy(acc->result, box->operand, orl_kinds[acc->kind].extent);
	atomic_store_explicit(&box->state, FREE, memory_order_release);
	return true;
}
