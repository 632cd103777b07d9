/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel_pairs.h - the kernels of padded pairs in registers of AVX-512: a part
 * of kernel_body.h.  No compiler makes vectors of fields of two sizes.
 *
 * A register has as many pairs as go into 64 bytes, in two lanes each.  It is
 * compared as two, of which one has the pair's value in both lanes and the
 * other has the index, so that a mask says of both fields whether they are
 * taken.  Padding is masked off: it is neither read nor written.
 */
#include <immintrin.h>

/* Bytes of data. */
#define DATA_short_int	0xf3f3f3f3f3f3f3f3ull
#define DATA_double_int 0x0fff0fff0fff0fffull
#define DATA_long_int	0x0fff0fff0fff0fffull

/* What dwords of four go to the four places; a short's sign to the top. */
#define PICK(x, a, b, c, d)                                                    \
	_mm512_shuffle_epi32(x, (_MM_PERM_ENUM)_MM_SHUFFLE(d, c, b, a))
#define VALUE_short_int(x)  _mm512_slli_epi32(PICK(x, 0, 0, 2, 2), 16)
#define VALUE_double_int(x) _mm512_castsi512_pd(PICK(x, 0, 1, 0, 1))
#define VALUE_long_int(x)   PICK(x, 0, 1, 0, 1)
#define INDEX_32(x)	    PICK(x, 1, 1, 3, 3)
#define INDEX_64(x)	    PICK(x, 2, 2, 2, 2)

/* Lanes where x is greater, or is the same. */
#define MORE_short_int(x, y)  _mm512_cmpgt_epi32_mask(x, y)
#define SAME_short_int(x, y)  _mm512_cmpeq_epi32_mask(x, y)
#define MORE_double_int(x, y) _mm512_cmp_pd_mask(x, y, _CMP_GT_OQ)
#define SAME_double_int(x, y) _mm512_cmp_pd_mask(x, y, _CMP_EQ_OQ)
#define MORE_long_int(x, y)   _mm512_cmpgt_epi64_mask(x, y)
#define SAME_long_int(x, y)   _mm512_cmpeq_epi64_mask(x, y)

/* Whole registers, then what is left; line(target, origin, bytes of data). */
#define BY_REGISTERS(line, data, size)                                         \
	{                                                                      \
		const size_t most = 64 / (size);                               \
		const char *o = origin;                                        \
		char *t = target;                                              \
                                                                               \
		for (; n >= most; n -= most, t += 64, o += 64)                 \
			line(t, o, data);                                      \
		if (n)                                                         \
			line(t, o, (data) & ((1ull << n * (size)) - 1));       \
	}

/* One alone, as where they lie apart, is faster without a register. */
PADDED_PAIRS(LOCATE, maxloc_one, MAXLOC)
PADDED_PAIRS(LOCATE, minloc_one, MINLOC)

/* x and y are a and b in the order in which the value that takes the other's
 * place is the greater one. */
#define LOCATE_LANES(op, suffix, bits, x, y)                                   \
	KERNEL static inline void op##_line_##suffix(                          \
		char *target, const char *origin, __mmask64 data)              \
	{                                                                      \
		const __m512i old = _mm512_maskz_loadu_epi8(data, target);     \
		const __m512i new = _mm512_maskz_loadu_epi8(data, origin);     \
		const __typeof__(VALUE_##suffix(old)) a = VALUE_##suffix(old), \
						      b = VALUE_##suffix(new); \
		const unsigned int less = _mm512_mask_cmpgt_epi##bits##_mask(  \
			SAME_##suffix(a, b), INDEX_##bits(old),                \
			INDEX_##bits(new));                                    \
		const unsigned int take = MORE_##suffix(x, y) | less;          \
                                                                               \
		_mm512_mask_storeu_epi8(                                       \
			target, data,                                          \
			_mm512_mask_mov_epi##bits(old, take, new));            \
	}                                                                      \
	KERNEL static void op##_##suffix(void *target, const void *origin,     \
					 size_t n)                             \
	{                                                                      \
		if (n == 1)                                                    \
			op##_one_##suffix(target, origin, 1);                  \
		else                                                           \
			BY_REGISTERS(op##_line_##suffix, DATA_##suffix,        \
				     sizeof(struct orl_##suffix))              \
	}                                                                      \
	FORMS(op##_##suffix, sizeof(struct orl_##suffix))

#define LOCATE_BOTH(suffix, bits)                                              \
	LOCATE_LANES(maxloc, suffix, bits, b, a)                               \
	LOCATE_LANES(minloc, suffix, bits, a, b)

KERNEL static inline void move_line(char *target, const char *origin,
				    __mmask64 data)
{
	_mm512_mask_storeu_epi8(target, data,
				_mm512_maskz_loadu_epi8(data, origin));
}

#define MOVE_LANES(suffix)                                                     \
	KERNEL static void replace_##suffix(void *target, const void *origin,  \
					    size_t n)                          \
		BY_REGISTERS(move_line, DATA_##suffix,                         \
			     sizeof(struct orl_##suffix))                      \
			FORMS(replace_##suffix, sizeof(struct orl_##suffix))

LOCATE_BOTH(short_int, 32)
LOCATE_BOTH(double_int, 64)
LOCATE_BOTH(long_int, 64)
MOVE_LANES(short_int)
MOVE_LANES(double_int)
MOVE_LANES(long_int)
