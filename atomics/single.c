/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * single.c - one element as one CPU atomic.  The target is aligned to its
 * size, origin and result may lie at any address.
 *
 * Order between operations comes from the gate, through which every single
 * passes; acquire and release here order the element's own value.  A value
 * that would not change is not written: its line stays shared.
 */
#include "orl_acc.h"

#include <stdatomic.h>
#include <string.h>

#define KEEP(suffix) no_op_##suffix
#define ENTRY(fn)    fn
#include "combine.h"

/* OP is one of C11's atomic_fetch functions. */
#define FETCH(op, OP, suffix, type, wide, word)                                \
	static void op##_##suffix(void *target, const void *origin,            \
				  void *result)                                \
	{                                                                      \
		_Atomic(word) *t = target;                                     \
		word a, b;                                                     \
                                                                               \
		memcpy(&b, origin, sizeof(b));                                 \
		/* Apart: "lock and" does not give the old value. */           \
		if (!result) {                                                 \
			OP(t, b, memory_order_acq_rel);                        \
			return;                                                \
		}                                                              \
		a = OP(t, b, memory_order_acq_rel);                            \
		memcpy(result, &a, sizeof(a));                                 \
	}

#define COMBINE(op, OP, suffix, type, wide, word)                              \
	static void op##_##suffix(void *target, const void *origin,            \
				  void *result)                                \
	{                                                                      \
		_Atomic(word) *t = target;                                     \
		word new, old = atomic_load_explicit(t, memory_order_acquire); \
		type a, b;                                                     \
                                                                               \
		memcpy(&b, origin, sizeof(b));                                 \
		do {                                                           \
			memcpy(&a, &old, sizeof(a));                           \
			a = (type)OP((wide)a, (wide)b);                        \
			memcpy(&new, &a, sizeof(new));                         \
		} while (new != old &&                                         \
			 !atomic_compare_exchange_weak_explicit(               \
				 t, &old, new, memory_order_acq_rel,           \
				 memory_order_acquire));                       \
		if (result)                                                    \
			memcpy(result, &old, sizeof(old));                     \
	}

#define LOCATE(op, OP, suffix, type)                                           \
	static void op##_##suffix(void *target, const void *origin,            \
				  void *result)                                \
	{                                                                      \
		_Atomic(uint64_t) *t = target;                                 \
		uint64_t new, old;                                             \
		type a, b;                                                     \
                                                                               \
		_Static_assert(sizeof(type) == sizeof(new), "fits a word");    \
		old = atomic_load_explicit(t, memory_order_acquire);           \
		memcpy(&b, origin, sizeof(b));                                 \
		memcpy(&new, origin, sizeof(new));                             \
		do                                                             \
			memcpy(&a, &old, sizeof(a));                           \
		while (OP(a, b) && !atomic_compare_exchange_weak_explicit(     \
					   t, &old, new, memory_order_acq_rel, \
					   memory_order_acquire));             \
		if (result)                                                    \
			memcpy(result, &old, sizeof(old));                     \
	}

#define REPLACE(op, OP, suffix, type, wide, word)                              \
	static void op##_##suffix(void *target, const void *origin,            \
				  void *result)                                \
	{                                                                      \
		_Atomic(word) *t = target;                                     \
		word a, b;                                                     \
                                                                               \
		memcpy(&b, origin, sizeof(b));                                 \
		if (!result) {                                                 \
			atomic_store_explicit(t, b, memory_order_release);     \
			return;                                                \
		}                                                              \
		a = atomic_exchange_explicit(t, b, memory_order_acq_rel);      \
		memcpy(result, &a, sizeof(a));                                 \
	}

#define NO_OP(op, OP, suffix, type, wide, word)                                \
	static void op##_##suffix(void *target, const void *origin,            \
				  void *result)                                \
	{                                                                      \
		_Atomic(word) *t = target;                                     \
		word a = atomic_load_explicit(t, memory_order_acquire);        \
                                                                               \
		if (result)                                                    \
			memcpy(result, &a, sizeof(a));                         \
	}

#define CAS(op, OP, suffix, type, wide, word)                                  \
	static void op##_##suffix(void *target, const void *origin,            \
				  const void *compare, void *result)           \
	{                                                                      \
		_Atomic(word) *t = target;                                     \
		word a, b;                                                     \
                                                                               \
		memcpy(&a, compare, sizeof(a));                                \
		memcpy(&b, origin, sizeof(b));                                 \
		atomic_compare_exchange_strong_explicit(                       \
			t, &a, b, memory_order_acq_rel, memory_order_acquire); \
		memcpy(result, &a, sizeof(a));                                 \
	}

WORDS(FETCH, sum, atomic_fetch_add_explicit)
WORDS(FETCH, band, atomic_fetch_and_explicit)
WORDS(FETCH, bor, atomic_fetch_or_explicit)
WORDS(FETCH, bxor, atomic_fetch_xor_explicit)
WORDS(COMBINE, prod, PROD)
WORDS(COMBINE, land, LAND)
WORDS(COMBINE, lor, LOR)
WORDS(COMBINE, lxor, LXOR)
INTEGERS(COMBINE, max, MAX)
INTEGERS(COMBINE, min, MIN)
FLOATS(COMBINE, sum, SUM)
FLOATS(COMBINE, prod, PROD)
FLOATS(COMBINE, max, MAX)
FLOATS(COMBINE, min, MIN)
COMPLEXES(COMBINE, sum, SUM)
COMPLEXES(COMBINE, prod, PROD)
PAIRS(LOCATE, maxloc, MAXLOC)
PAIRS(LOCATE, minloc, MINLOC)
WORDS(REPLACE, replace, )
WORDS(NO_OP, no_op, )
WORDS(CAS, cas, )

const orl_single_fn orl_singles[ORL_KIND_COUNT][ORL_OP_COUNT] = {
	WORD_ROWS,
};

const orl_cas_fn orl_single_cas[9] = {
	[1] = cas_w8, [2] = cas_w16, [4] = cas_w32, [8] = cas_w64
};
