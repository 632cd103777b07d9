/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel_body.h - the kernels and their table.  Included once by each file
 * that compiles them for one instruction set; it first defines KERNEL, what
 * stands before each function, and KERNEL_TABLE, the table's name.
 *
 * Elements may lie at any address.  Nothing is written but the elements'
 * data: of a padded pair only the value and the index.
 *
 * The other forms of a kernel, for elements that lie apart, are the kernel
 * itself: of one element a step, or of one line of memory in a register.
 */
#include <string.h>

#define KEEP(suffix) ENTRY(keep)
#include "combine.h"
#include "kernel.h"

/* At -O2 gcc vectorises no loop whose count or operands' overlap it has to
 * ask for first; clang does. */
#if defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC optimize("O3")
/* Of a complex product that it makes vectors of, gcc 12 fuses multiplication
 * and addition, whatever -ffp-contract says. */
#pragma GCC optimize("no-tree-slp-vectorize")
/* Nor one that it has unrolled before, as it does those of few elements. */
#define ROLLED _Pragma("GCC unroll 1")
#else
#define ROLLED
#endif

/* Of small elements four a turn, lest the turns be what takes the time. */
#define SPACED(fn, size)                                                       \
	KERNEL __attribute__((flatten, unused)) static void fn##_spaced(       \
		void *target, ptrdiff_t stride, const void *origin,            \
		ptrdiff_t origin_stride, size_t n)                             \
	{                                                                      \
		char *t = target;                                              \
		const char *o = origin;                                        \
                                                                               \
		for (; (size) <= 8 && n >= 4; n -= 4) {                        \
			fn(t, o, 1);                                           \
			fn(t + stride, o + origin_stride, 1);                  \
			fn(t + 2 * stride, o + 2 * origin_stride, 1);          \
			fn(t + 3 * stride, o + 3 * origin_stride, 1);          \
			t += 4 * stride;                                       \
			o += 4 * origin_stride;                                \
		}                                                              \
		for (; n; n--, t += stride, o += origin_stride)                \
			fn(t, o, 1);                                           \
	}

#ifdef KERNEL_LINES
#include <immintrin.h>
/*
 * Of lines that have one mask: what is masked off is neither read nor written,
 * nor can it fault.  operand(mask, o) has a line's operands in their places.
 */
#define OVER_LINES(form, isa, fn, size, bits, lane, operand)                   \
	isa __attribute__((flatten, unused)) static void fn##_##form(          \
		void *target, ptrdiff_t stride, const void *origin,            \
		ptrdiff_t step, uint64_t lanes, size_t n)                      \
	{                                                                      \
		const __mmask##bits mask = (__mmask##bits)lanes;               \
		const char *o = origin;                                        \
		char *line = target;                                           \
                                                                               \
		for (; n; n--, line += stride, o += step) {                    \
			__m512i a = _mm512_maskz_loadu_epi##lane(mask, line);  \
			const __m512i b = operand(mask, o);                    \
                                                                               \
			fn(&a, &b, ORL_LINE / (size));                         \
			_mm512_mask_storeu_epi##lane(line, mask, a);           \
		}                                                              \
	}
#define FORMS(fn, size)                                                        \
	enum { fn##_size = size };                                             \
	SPACED(fn, size)                                                       \
	OVER_LINES(words, KERNEL, fn, size, 16, 32, spread_words)              \
	OVER_LINES(bytes, KERNEL_BYTES, fn, size, 64, 8, spread_bytes)         \
	OVER_LINES(alike, KERNEL, fn, size, 64, 8, _mm512_maskz_loadu_epi8)

KERNEL static inline __m512i spread_words(__mmask16 mask, const void *o)
{
	return _mm512_maskz_expandloadu_epi32(mask, o);
}

KERNEL_BYTES static inline __m512i spread_bytes(__mmask64 mask, const void *o)
{
	const int len = __builtin_popcountll(mask);
	const __mmask64 row = ~0ull >> (64 - len) % 64;

	return _mm512_maskz_expand_epi8(mask, _mm512_maskz_loadu_epi8(row, o));
}

#define LINES(fn) (fn##_size < ORL_KERNEL_LANE ? fn##_bytes : fn##_words)
#define ALIKE(fn) fn##_alike
#else
#define FORMS(fn, size) SPACED(fn, size)
#define LINES(fn)	NULL
#define ALIKE(fn)	NULL
#endif

#define COMBINE(op, OP, suffix, type, wide, word)                              \
	KERNEL static void op##_##suffix(void *target, const void *origin,     \
					 size_t n)                             \
	{                                                                      \
		LOOSE(type) *t = target;                                       \
		const LOOSE(type) *o = origin;                                 \
		size_t i;                                                      \
                                                                               \
		ROLLED                                                         \
		for (i = 0; i < n; i++) {                                      \
			wide a = t[i].v, b = o[i].v;                           \
                                                                               \
			t[i].v = (type)OP(a, b);                               \
		}                                                              \
	}                                                                      \
	FORMS(op##_##suffix, sizeof(type))

/* Written without a branch, changed or not; field by field, for the padding's
 * sake. */
#define LOCATE(op, OP, suffix, type)                                           \
	KERNEL static void op##_##suffix(void *target, const void *origin,     \
					 size_t n)                             \
	{                                                                      \
		LOOSE(type) *t = target;                                       \
		const LOOSE(type) *o = origin;                                 \
		size_t i;                                                      \
                                                                               \
		ROLLED                                                         \
		for (i = 0; i < n; i++) {                                      \
			const type a = t[i].v, b = o[i].v;                     \
			const bool take = OP(a, b);                            \
                                                                               \
			t[i].v.v = take ? b.v : a.v;                           \
			t[i].v.i = take ? b.i : a.i;                           \
		}                                                              \
	}                                                                      \
	FORMS(op##_##suffix, sizeof(type))

KERNEL static inline float float_of(uint32_t word)
{
	float value;

	memcpy(&value, &word, sizeof(value));
	return value;
}

/* Of a float and an int gcc makes a vector if both are words. */
#define LOCATE_WORDS(op, OP)                                                   \
	KERNEL static void op##_float_int(void *target, const void *origin,    \
					  size_t n)                            \
	{                                                                      \
		LOOSE(uint32_t) *t = target;                                   \
		const LOOSE(uint32_t) *o = origin;                             \
		size_t i;                                                      \
                                                                               \
		ROLLED                                                         \
		for (i = 0; i < 2 * n; i += 2) {                               \
			const uint32_t av = t[i].v, ai = t[i + 1].v;           \
			const uint32_t bv = o[i].v, bi = o[i + 1].v;           \
			const struct orl_float_int a = { float_of(av),         \
							 (int)ai };            \
			const struct orl_float_int b = { float_of(bv),         \
							 (int)bi };            \
			const bool take = OP(a, b);                            \
                                                                               \
			t[i].v = take ? bv : av;                               \
			t[i + 1].v = take ? bi : ai;                           \
		}                                                              \
	}                                                                      \
	FORMS(op##_float_int, sizeof(struct orl_float_int))

/*
 * Where both parts of a product are NaN it may still be an infinity, by C,
 * which the compiler's own product finds out for each element.  Here a slice
 * is multiplied without that, and again where it matters.  The parts lie apart
 * until then: of a loop that had them side by side gcc 12 would fuse
 * multiplication and addition.
 */
#define SLICE 64
#define PRODUCT(suffix, real)                                                  \
	KERNEL static bool multiply_##suffix(real *re, real *im,               \
					     const void *a, const void *b)     \
	{                                                                      \
		const LOOSE(real) *t = a, *o = b;                              \
		int again = 0;                                                 \
		size_t i;                                                      \
                                                                               \
		for (i = 0; i < SLICE; i++) {                                  \
			const real x = t[2 * i].v, y = t[2 * i + 1].v;         \
			const real u = o[2 * i].v, v = o[2 * i + 1].v;         \
                                                                               \
			re[i] = x * u - y * v;                                 \
			im[i] = x * v + y * u;                                 \
			again |= (re[i] != re[i]) & (im[i] != im[i]);          \
		}                                                              \
		return !again;                                                 \
	}                                                                      \
                                                                               \
	KERNEL static void prod_##suffix(void *target, const void *origin,     \
					 size_t n)                             \
	{                                                                      \
		real re[SLICE], im[SLICE];                                     \
		LOOSE(real) *t = target;                                       \
		const LOOSE(real) *o = origin;                                 \
		size_t i;                                                      \
                                                                               \
		for (; n >= SLICE; n -= SLICE) {                               \
			if (multiply_##suffix(re, im, t, o)) {                 \
				for (i = 0; i < SLICE; i++) {                  \
					t[2 * i].v = re[i];                    \
					t[2 * i + 1].v = im[i];                \
				}                                              \
			} else {                                               \
				exact_##suffix(t, o, SLICE);                   \
			}                                                      \
			t += 2 * SLICE;                                        \
			o += 2 * SLICE;                                        \
		}                                                              \
		exact_##suffix(t, o, n);                                       \
	}                                                                      \
	FORMS(prod_##suffix, 2 * sizeof(real))

/* As bytes, lest a signalling NaN be quieted. */
#define MOVE_PAIR(suffix, type)                                                \
	KERNEL static void replace_##suffix(void *target, const void *origin,  \
					    size_t n)                          \
	{                                                                      \
		char *t = target;                                              \
		const char *o = origin;                                        \
		const size_t i = offsetof(type, i);                            \
                                                                               \
		for (; n; n--, t += sizeof(type), o += sizeof(type)) {         \
			memcpy(t, o, sizeof(((type *)0)->v));                  \
			memcpy(t + i, o + i, sizeof(((type *)0)->i));          \
		}                                                              \
	}                                                                      \
	FORMS(replace_##suffix, sizeof(type))

#define MOVE(suffix, size)                                                     \
	KERNEL static void replace_##suffix(void *target, const void *origin,  \
					    size_t n)                          \
	{                                                                      \
		const size_t len = n * (size);                                 \
                                                                               \
		memmove(target, origin, len);                                  \
	}                                                                      \
	FORMS(replace_##suffix, size)

KERNEL static void keep(void *target, const void *origin, size_t n)
{
}
FORMS(keep, 1)

WORDS(COMBINE, sum, SUM)
WIDE_WORDS(COMBINE, prod, PROD)
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
COMPLEXES(COMBINE, exact, PROD)
LONG_COMPLEXES(COMBINE, sum, SUM)
WIDE_COMPLEXES(COMBINE, prod, PROD)
DOUBLE_COMPLEXES(COMBINE, exact, PROD)
PRODUCT(c32, float)
PRODUCT(c64, double)
LOCATE_WORDS(maxloc, MAXLOC)
LOCATE_WORDS(minloc, MINLOC)
EVEN_PAIRS(LOCATE, maxloc, MAXLOC)
EVEN_PAIRS(LOCATE, minloc, MINLOC)
LONG_PAIRS(LOCATE, maxloc, MAXLOC)
LONG_PAIRS(LOCATE, minloc, MINLOC)

/* No processor multiplies bytes: two of them in a word, each in a product of
 * its own of which the other's share is cut off or shifted out. */
KERNEL static void prod_w8(void *target, const void *origin, size_t n)
{
	LOOSE(uint16_t) *t = target;
	const LOOSE(uint16_t) *o = origin;
	size_t i;

	for (i = 0; i < n / 2; i++) {
		const uint16_t a = t[i].v, b = o[i].v;
		const uint16_t high = a >> 8, factor = b & 0xff00;

		t[i].v = (uint16_t)((uint16_t)((unsigned int)a * b) & 0xff) |
			 (uint16_t)((unsigned int)high * factor);
	}
	if (n % 2)
		((uint8_t *)target)[n - 1] *= ((const uint8_t *)origin)[n - 1];
}
FORMS(prod_w8, 1)

/* Their halves do not need each other. */
#define BY_HALVES(op)                                                          \
	KERNEL static void op##_w128(void *target, const void *origin,         \
				     size_t n)                                 \
	{                                                                      \
		op##_w64(target, origin, 2 * n);                               \
	}                                                                      \
	FORMS(op##_w128, 16)
BY_HALVES(band)
BY_HALVES(bor)
BY_HALVES(bxor)

MOVE(w8, 1)
MOVE(w16, 2)
MOVE(w32, 4)
MOVE(w64, 8)
MOVE(w128, 16)
MOVE(w256, 32)
MOVE_PAIR(ld_int, struct orl_ld_int)

#ifdef KERNEL_LINES
#include "kernel_pairs.h"
#else
PADDED_PAIRS(LOCATE, maxloc, MAXLOC)
PADDED_PAIRS(LOCATE, minloc, MINLOC)
MOVE_PAIR(double_int, struct orl_double_int)
MOVE_PAIR(long_int, struct orl_long_int)
MOVE_PAIR(short_int, struct orl_short_int)
#endif

/* No lines of padded pairs, whose padding masks do not leave out, nor of what
 * takes more than one register. */
const struct orl_kernel KERNEL_TABLE[ORL_KIND_COUNT][ORL_OP_COUNT] = {
#define ENTRY(fn)                                                              \
	{                                                                      \
		.array = fn, .spaced = fn##_spaced, .lines = LINES(fn),        \
		.alike = ALIKE(fn),                                            \
	}
	WORD_ROWS,
#undef ENTRY
#define ENTRY(fn)                                                              \
	{                                                                      \
		.array = fn, .spaced = fn##_spaced                             \
	}
	LONG_ROWS,
};
