/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * combine.h - what the operations compute, and on which types, once for the
 * kernels and for the single elements.  Both name a function <op>_<suffix>;
 * the rows at the end say which of them serve a kind.  KEEP(suffix) is the
 * one of NO_OP, to be defined by the includer.
 */
#ifndef COMBINE_H
#define COMBINE_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "orl_acc.h"

/* The target's new value: a is the one it has, b is the origin's. */
#define SUM(a, b)  ((a) + (b))
#define PROD(a, b) ((a) * (b))
/* One comparison: a NaN at the target stays, one at the origin is ignored. */
#define MAX(a, b)  ((b) > (a) ? (b) : (a))
#define MIN(a, b)  ((b) < (a) ? (b) : (a))
#define LAND(a, b) ((a) && (b))
#define LOR(a, b)  ((a) || (b))
#define LXOR(a, b) (!(a) != !(b))
#define BAND(a, b) ((a) & (b))
#define BOR(a, b)  ((a) | (b))
#define BXOR(a, b) ((a) ^ (b))

/* Pairs: does the origin's take the place of the target's? */
#define MAXLOC(a, b) (((b).v > (a).v) | (((b).v == (a).v) & ((b).i < (a).i)))
#define MINLOC(a, b) (((b).v < (a).v) | (((b).v == (a).v) & ((b).i < (a).i)))

/* gcc and clang share no other spelling of the complex one. */
typedef float orl_f128 __attribute__((mode(TF)));
typedef _Complex float orl_c128 __attribute__((mode(TC)));

/*
 * X(op, OP, suffix, type in memory, type to compute in, word of that size).
 * Sums and products of integers wrap: they are computed unsigned, in a type
 * that C does not promote to a signed one, and are the same for signed and
 * unsigned kinds.
 */
#define WORDS(X, op, OP)                                                       \
	X(op, OP, w8, uint8_t, unsigned int, uint8_t)                          \
	WIDE_WORDS(X, op, OP)
#define WIDE_WORDS(X, op, OP)                                                  \
	X(op, OP, w16, uint16_t, unsigned int, uint16_t)                       \
	X(op, OP, w32, uint32_t, uint32_t, uint32_t)                           \
	X(op, OP, w64, uint64_t, uint64_t, uint64_t)
#define INTEGERS(X, op, OP)                                                    \
	X(op, OP, i8, int8_t, int8_t, uint8_t)                                 \
	X(op, OP, i16, int16_t, int16_t, uint16_t)                             \
	X(op, OP, i32, int32_t, int32_t, uint32_t)                             \
	X(op, OP, i64, int64_t, int64_t, uint64_t)                             \
	X(op, OP, u8, uint8_t, uint8_t, uint8_t)                               \
	X(op, OP, u16, uint16_t, uint16_t, uint16_t)                           \
	X(op, OP, u32, uint32_t, uint32_t, uint32_t)                           \
	X(op, OP, u64, uint64_t, uint64_t, uint64_t)
#define FLOATS(X, op, OP)                                                      \
	X(op, OP, f32, float, float, uint32_t)                                 \
	X(op, OP, f64, double, double, uint64_t)
#define COMPLEXES(X, op, OP)                                                   \
	X(op, OP, c32, float _Complex, float _Complex, uint64_t)
/* Types that no CPU atomic works on have no word. */
#define LONG_WORDS(X, op, OP)                                                  \
	X(op, OP, w128, unsigned __int128, unsigned __int128, )
#define LONG_INTEGERS(X, op, OP) X(op, OP, i128, __int128, __int128, )
#define LONG_FLOATS(X, op, OP)                                                 \
	X(op, OP, fld, long double, long double, )                             \
	X(op, OP, f128, orl_f128, orl_f128, )
#define LONG_COMPLEXES(X, op, OP)                                              \
	DOUBLE_COMPLEXES(X, op, OP)                                            \
	WIDE_COMPLEXES(X, op, OP)
#define DOUBLE_COMPLEXES(X, op, OP)                                            \
	X(op, OP, c64, double _Complex, double _Complex, )
/* Of reals that no vector holds. */
#define WIDE_COMPLEXES(X, op, OP)                                              \
	X(op, OP, cld, long double _Complex, long double _Complex, )           \
	X(op, OP, c128, orl_c128, orl_c128, )

/* X(op, OP, suffix, type) */
#define PAIRS(X, op, OP)                                                       \
	X(op, OP, float_int, struct orl_float_int)                             \
	EVEN_PAIRS(X, op, OP)
#define EVEN_PAIRS(X, op, OP)                                                  \
	X(op, OP, 2int, struct orl_2int)                                       \
	X(op, OP, 2real, struct orl_2real)
#define LONG_PAIRS(X, op, OP)                                                  \
	X(op, OP, ld_int, struct orl_ld_int)                                   \
	X(op, OP, 2double, struct orl_2double)
#define PADDED_PAIRS(X, op, OP)                                                \
	X(op, OP, double_int, struct orl_double_int)                           \
	X(op, OP, long_int, struct orl_long_int)                               \
	X(op, OP, short_int, struct orl_short_int)

/* A value at any address, of memory that has any type. */
#define LOOSE(type)                                                            \
	struct {                                                               \
		type v;                                                        \
	} __attribute__((packed, may_alias))

/* -- the rows of tables [kind][op] ----------------------------------------- */

_Static_assert(sizeof(wchar_t) == 4, "WCHAR is served as a word of 32 bits");

/* ENTRY(fn) is what a table has of a function; the includer defines it. */
#define MOVES(w)  [ORL_REPLACE] = ENTRY(replace_##w), [ORL_NO_OP] = KEEP(w)
#define SUMS(w)	  [ORL_SUM] = ENTRY(sum_##w), [ORL_PROD] = ENTRY(prod_##w)
#define BOUNDS(i) [ORL_MAX] = ENTRY(max_##i), [ORL_MIN] = ENTRY(min_##i)
#define LOGIC(w)                                                               \
	[ORL_LAND] = ENTRY(land_##w), [ORL_LOR] = ENTRY(lor_##w),              \
	[ORL_LXOR] = ENTRY(lxor_##w)
#define BITS(w)                                                                \
	[ORL_BAND] = ENTRY(band_##w), [ORL_BOR] = ENTRY(bor_##w),              \
	[ORL_BXOR] = ENTRY(bxor_##w)
#define PAIR(p, w)                                                             \
	{                                                                      \
		[ORL_MAXLOC] = ENTRY(maxloc_##p),                              \
		[ORL_MINLOC] = ENTRY(minloc_##p), MOVES(w)                     \
	}

/* Kinds of 1, 2, 4 and 8 bytes, what one CPU atomic works on. */
#define WORD_ROWS                                                              \
	[ORL_I8] = { SUMS(w8), BOUNDS(i8), LOGIC(w8), BITS(w8), MOVES(w8) },   \
	[ORL_I16] = { SUMS(w16), BOUNDS(i16), LOGIC(w16), BITS(w16),           \
		      MOVES(w16) },                                            \
	[ORL_I32] = { SUMS(w32), BOUNDS(i32), LOGIC(w32), BITS(w32),           \
		      MOVES(w32) },                                            \
	[ORL_I64] = { SUMS(w64), BOUNDS(i64), LOGIC(w64), BITS(w64),           \
		      MOVES(w64) },                                            \
	[ORL_U8] = { SUMS(w8), BOUNDS(u8), LOGIC(w8), BITS(w8), MOVES(w8) },   \
	[ORL_U16] = { SUMS(w16), BOUNDS(u16), LOGIC(w16), BITS(w16),           \
		      MOVES(w16) },                                            \
	[ORL_U32] = { SUMS(w32), BOUNDS(u32), LOGIC(w32), BITS(w32),           \
		      MOVES(w32) },                                            \
	[ORL_U64] = { SUMS(w64), BOUNDS(u64), LOGIC(w64), BITS(w64),           \
		      MOVES(w64) },                                            \
	[ORL_F32] = { SUMS(f32), BOUNDS(f32), MOVES(w32) },                    \
	[ORL_F64] = { SUMS(f64), BOUNDS(f64), MOVES(w64) },                    \
	[ORL_C32] = { SUMS(c32), MOVES(w64) },                                 \
	[ORL_BOOL] = { LOGIC(w8), MOVES(w8) },                                 \
	[ORL_L8] = { LOGIC(w8), MOVES(w8) },                                   \
	[ORL_L16] = { LOGIC(w16), MOVES(w16) },                                \
	[ORL_L32] = { LOGIC(w32), MOVES(w32) },                                \
	[ORL_L64] = { LOGIC(w64), MOVES(w64) },                                \
	[ORL_BYTE] = { BITS(w8), MOVES(w8) }, [ORL_WCHAR] = { MOVES(w32) },    \
	[ORL_CHARACTER] = { MOVES(w8) }, [ORL_PACKED] = { MOVES(w8) },         \
	[ORL_FLOAT_INT] = PAIR(float_int, w64), [ORL_2INT] = PAIR(2int, w64),  \
	[ORL_2REAL] = PAIR(2real, w64)

/* All others. */
#define LONG_ROWS                                                              \
	[ORL_I128] = { SUMS(w128), BOUNDS(i128), LOGIC(w128), BITS(w128),      \
		       MOVES(w128) },                                          \
	[ORL_FLD] = { SUMS(fld), BOUNDS(fld), MOVES(w128) },                   \
	[ORL_F128] = { SUMS(f128), BOUNDS(f128), MOVES(w128) },                \
	[ORL_C64] = { SUMS(c64), MOVES(w128) },                                \
	[ORL_CLD] = { SUMS(cld), MOVES(w256) },                                \
	[ORL_C128] = { SUMS(c128), MOVES(w256) },                              \
	[ORL_DOUBLE_INT] = PAIR(double_int, double_int),                       \
	[ORL_LONG_INT] = PAIR(long_int, long_int),                             \
	[ORL_SHORT_INT] = PAIR(short_int, short_int),                          \
	[ORL_LD_INT] = PAIR(ld_int, ld_int),                                   \
	[ORL_2DOUBLE] = PAIR(2double, w128)

#endif
