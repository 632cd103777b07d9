/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel_body.h - the kernels and their table.  Included once by each file
 * that compiles them for one instruction set; it first defines KERNEL, what
 * stands before each function, and KERNEL_TABLE, the table's name.
 *
 * Elements may lie at any address.  Nothing is written but the elements'
 * data: of a padded pair only the value and the index.
 */
#include <string.h>

#define KEEP(suffix) keep
#include "combine.h"
#include "kernel.h"

/* At -O2 gcc vectorises no loop whose count or operands' overlap it has to
 * ask for first; clang does. */
#if defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC optimize("O3")
/* Of a complex product that it makes vectors of, gcc 12 fuses multiplication
 * and addition, whatever -ffp-contract says. */
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#define COMBINE(op, OP, suffix, type, wide, word)                              \
	KERNEL static void op##_##suffix(void *target, const void *origin,     \
					 size_t n)                             \
	{                                                                      \
		LOOSE(type) *t = target;                                       \
		const LOOSE(type) *o = origin;                                 \
		size_t i;                                                      \
                                                                               \
		for (i = 0; i < n; i++) {                                      \
			wide a = t[i].v, b = o[i].v;                           \
                                                                               \
			t[i].v = (type)OP(a, b);                               \
		}                                                              \
	}

/* The fields are copied one by one, for the padding's sake. */
#define LOCATE(op, OP, suffix, type)                                           \
	KERNEL static void op##_##suffix(void *target, const void *origin,     \
					 size_t n)                             \
	{                                                                      \
		LOOSE(type) *t = target;                                       \
		const LOOSE(type) *o = origin;                                 \
		size_t i;                                                      \
                                                                               \
		for (i = 0; i < n; i++) {                                      \
			if (OP(t[i].v, o[i].v)) {                              \
				t[i].v.v = o[i].v.v;                           \
				t[i].v.i = o[i].v.i;                           \
			}                                                      \
		}                                                              \
	}

/* As bytes, lest a signalling NaN be quieted. */
#define MOVE_PAIR(suffix, type)                                                \
	static void replace_##suffix(void *target, const void *origin,         \
				     size_t n)                                 \
	{                                                                      \
		char *t = target;                                              \
		const char *o = origin;                                        \
		const size_t i = offsetof(type, i);                            \
                                                                               \
		for (; n; n--, t += sizeof(type), o += sizeof(type)) {         \
			memcpy(t, o, sizeof(((type *)0)->v));                  \
			memcpy(t + i, o + i, sizeof(((type *)0)->i));          \
		}                                                              \
	}

#define MOVE(suffix, size)                                                     \
	static void replace_##suffix(void *target, const void *origin,         \
				     size_t n)                                 \
	{                                                                      \
		const size_t len = n * (size);                                 \
                                                                               \
		memmove(target, origin, len);                                  \
	}

static void keep(void *target, const void *origin, size_t n)
{
}

WORDS(COMBINE, sum, SUM)
WORDS(COMBINE, prod, PROD)
WORDS(COMBINE, land, LAND)
WORDS(COMBINE, lor, LOR)
WORDS(COMBINE, lxor, LXOR)
WORDS(COMBINE, band, BAND)
WORDS(COMBINE, bor, BOR)
WORDS(COMBINE, bxor, BXOR)
LONG_WORDS(COMBINE, sum, SUM)
LONG_WORDS(COMBINE, prod, PROD)
LONG_WORDS(COMBINE, land, LAND)
LONG_WORDS(COMBINE, lor, LOR)
LONG_WORDS(COMBINE, lxor, LXOR)
LONG_WORDS(COMBINE, band, BAND)
LONG_WORDS(COMBINE, bor, BOR)
LONG_WORDS(COMBINE, bxor, BXOR)
INTEGERS(COMBINE, max, MAX)
INTEGERS(COMBINE, min, MIN)
LONG_INTEGERS(COMBINE, max, MAX)
LONG_INTEGERS(COMBINE, min, MIN)
FLOATS(COMBINE, sum, SUM)
FLOATS(COMBINE, prod, PROD)
FLOATS(COMBINE, max, MAX)
FLOATS(COMBINE, min, MIN)
LONG_FLOATS(COMBINE, sum, SUM)
LONG_FLOATS(COMBINE, prod, PROD)
LONG_FLOATS(COMBINE, max, MAX)
LONG_FLOATS(COMBINE, min, MIN)
COMPLEXES(COMBINE, sum, SUM)
COMPLEXES(COMBINE, prod, PROD)
LONG_COMPLEXES(COMBINE, sum, SUM)
LONG_COMPLEXES(COMBINE, prod, PROD)
PAIRS(LOCATE, maxloc, MAXLOC)
PAIRS(LOCATE, minloc, MINLOC)
LONG_PAIRS(LOCATE, maxloc, MAXLOC)
LONG_PAIRS(LOCATE, minloc, MINLOC)

MOVE(w8, 1)
MOVE(w16, 2)
MOVE(w32, 4)
MOVE(w64, 8)
MOVE(w128, 16)
MOVE(w256, 32)
MOVE_PAIR(double_int, struct orl_double_int)
MOVE_PAIR(long_int, struct orl_long_int)
MOVE_PAIR(short_int, struct orl_short_int)
MOVE_PAIR(ld_int, struct orl_ld_int)

const orl_kernel_fn KERNEL_TABLE[ORL_KIND_COUNT][ORL_OP_COUNT] = {
	WORD_ROWS,
	LONG_ROWS,
};
