/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acc_model.h - what an accumulate of one element must do, written down
 * without the library's macros: integers in 128 bits, floats in 113 bits of
 * mantissa or by the order of their bits, all else byte by byte.
 */
#ifndef ACC_MODEL_H
#define ACC_MODEL_H

#include "process.h"

#include "orl_acc.h"

typedef float model_quad __attribute__((mode(TF)));

/* -- operands ---------------------------------------------------------- */

static inline bool model_is_signed(enum orl_kind kind)
{
	return kind <= ORL_I128;
}

/* Bytes of the value of a pair; the index is what follows, at second. */
static inline size_t model_first(enum orl_kind kind)
{
	switch (kind) {
	case ORL_SHORT_INT:
		return 2;
	case ORL_FLOAT_INT:
	case ORL_2INT:
	case ORL_2REAL:
		return 4;
	case ORL_DOUBLE_INT:
	case ORL_LONG_INT:
	case ORL_2DOUBLE:
		return 8;
	case ORL_LD_INT:
		return 16;
	default:
		return 0;
	}
}

static inline size_t model_second(enum orl_kind kind)
{
	return kind == ORL_SHORT_INT ? 4 : model_first(kind);
}

static inline size_t model_index(enum orl_kind kind)
{
	return kind == ORL_2DOUBLE ? 8 : 4;
}

/*
 * Small whole numbers, so that every sum and product is exact; not 0, so that
 * no product is -0.
 */
static inline int model_whole(uint64_t *seed)
{
	const int value = 1 + (int)(next_random(seed) % 500);

	return next_random(seed) % 2 ? value : -value;
}

static inline void model_put_real(void *elem, enum orl_kind kind,
				  model_quad value)
{
	const float f = value;
	const double d = value;
	const long double ld = value;

	if (kind == ORL_F32 || kind == ORL_C32)
		memcpy(elem, &f, sizeof(f));
	else if (kind == ORL_F64 || kind == ORL_C64)
		memcpy(elem, &d, sizeof(d));
	else if (kind == ORL_FLD || kind == ORL_CLD)
		memcpy(elem, &ld, 10);
	else
		memcpy(elem, &value, sizeof(value));
}

static inline model_quad model_get_real(const void *elem, enum orl_kind kind)
{
	long double ld = 0;
	model_quad q;
	double d;
	float f;

	if (kind == ORL_F32 || kind == ORL_C32)
		return memcpy(&f, elem, sizeof(f)), f;
	if (kind == ORL_F64 || kind == ORL_C64)
		return memcpy(&d, elem, sizeof(d)), d;
	if (kind == ORL_FLD || kind == ORL_CLD)
		return memcpy(&ld, elem, 10), ld;
	return memcpy(&q, elem, sizeof(q)), q;
}

/* Bits of floats that are easily got wrong. */
static inline void model_fill_float(unsigned char *elem, enum orl_kind kind,
				    uint64_t *seed)
{
	static const uint32_t f32[] = { 0,	    0x80000000, 0x7f800000,
					0xff800000, 0x7fc01234, 0x7fa00001,
					0xffa00001, 1,		0x80000001 };
	static const uint64_t f64[] = { 0,
					0x8000000000000000,
					0x7ff0000000000000,
					0xfff0000000000000,
					0x7ff8000000001234,
					0x7ff4000000000001,
					0xfff4000000000001,
					1,
					0x8000000000000001 };
	const unsigned int which = next_random(seed) % 16;
	const uint64_t any = next_random(seed);
	const uint64_t *bits = which < 9 ? &f64[which] : &any;

	if (kind == ORL_F32 && which < 9)
		memcpy(elem, &f32[which], 4);
	else
		memcpy(elem, bits, kind == ORL_F32 ? 4 : 8);
}

/* Of every size up to 2^31, with as many bits as the type has. */
static inline void model_fill_complex(unsigned char *elem, enum orl_kind kind,
				      uint64_t *seed)
{
	const size_t half = orl_kinds[kind].extent / 2;
	const bool is_long = kind == ORL_CLD || kind == ORL_C128;

	for (size_t i = 0; i < 2; i++) {
		const int64_t any = (int64_t)next_random(seed);

		model_put_real(elem + i * half, kind,
			       is_long ? model_whole(seed)
				       : (model_quad)any /
						 ((uint64_t)1
						  << 32
						  << (unsigned int)any % 24));
	}
}

static inline void model_fill_pair(unsigned char *elem, enum orl_kind kind,
				   uint64_t *seed)
{
	/* Few values, so that they are often equal. */
	const int v = (int)(next_random(seed) % 3) - 1;
	const int i = (int)(next_random(seed) % 3) - 1;
	const short s = (short)v;
	const long l = v;

	if (kind == ORL_2INT)
		memcpy(elem, &v, 4);
	else if (kind == ORL_SHORT_INT)
		memcpy(elem, &s, 2);
	else if (kind == ORL_LONG_INT)
		memcpy(elem, &l, 8);
	else if (kind == ORL_LD_INT)
		model_put_real(elem, ORL_FLD, v);
	else
		model_put_real(elem, model_first(kind) == 4 ? ORL_F32 : ORL_F64,
			       v);
	/* Of integers the extremes; x87 has bits that are no value. */
	if (kind != ORL_LD_INT && next_random(seed) % 4 == 0)
		model_fill_float(
			elem, model_first(kind) == 8 ? ORL_F64 : ORL_F32, seed);
	elem += model_second(kind);
	if (kind == ORL_2REAL)
		model_put_real(elem, ORL_F32, i);
	else if (kind == ORL_2DOUBLE)
		model_put_real(elem, ORL_F64, i);
	else
		memcpy(elem, &i, 4);
}

/* Makes an operand at elem; padding gets arbitrary bytes. */
static inline void model_fill(unsigned char *elem, enum orl_kind kind,
			      uint64_t *seed)
{
	const size_t extent = orl_kinds[kind].extent;
	uint64_t word = 0;
	size_t i;

	for (i = 0; i < extent; i++, word >>= 8) {
		if (i % 8 == 0)
			word = next_random(seed);
		elem[i] = (unsigned char)word;
	}
	switch (orl_kinds[kind].class) {
	case ORL_CLASS_FLOAT:
		if (kind == ORL_F32 || kind == ORL_F64)
			model_fill_float(elem, kind, seed);
		else
			model_put_real(elem, kind, model_whole(seed));
		break;
	case ORL_CLASS_COMPLEX:
		model_fill_complex(elem, kind, seed);
		break;
	case ORL_CLASS_PAIR:
		model_fill_pair(elem, kind, seed);
		break;
	case ORL_CLASS_LOGICAL:
		if (next_random(seed) % 2)
			memset(elem, 0, extent);
		break;
	default:
		if (next_random(seed) % 4 == 0)
			memset(elem, next_random(seed) % 2 ? 255 : 0, extent);
	}
}

/* -- operations -------------------------------------------------------- */

static inline bool model_is_true(const unsigned char *elem, size_t size)
{
	while (size && !elem[size - 1])
		size--;
	return size;
}

static inline void model_logical(enum orl_op op, size_t size, unsigned char *t,
				 const unsigned char *o)
{
	const int sum = model_is_true(t, size) + model_is_true(o, size);

	memset(t, 0, size);
	t[0] = op == ORL_LAND ? sum == 2 : op == ORL_LOR ? sum > 0 : sum == 1;
}

static inline void model_bits(enum orl_op op, size_t size, unsigned char *t,
			      const unsigned char *o)
{
	for (; size--; t++, o++)
		*t = op == ORL_BAND  ? *t & *o
		     : op == ORL_BOR ? *t | *o
				     : (*t | *o) - (*t & *o);
}

static inline __int128 model_integer(enum orl_kind kind, const void *elem)
{
	const size_t size = orl_kinds[kind].size;
	const bool sign = ((const unsigned char *)elem)[size - 1] & 0x80;
	__int128 value = model_is_signed(kind) && sign ? -1 : 0;

	memcpy(&value, elem, size);
	return value;
}

static inline void model_integers(enum orl_op op, enum orl_kind kind,
				  unsigned char *t, const unsigned char *o)
{
	const __int128 a = model_integer(kind, t), b = model_integer(kind, o);
	__int128 c = a;

	if (op == ORL_SUM)
		c = (__int128)((unsigned __int128)a + (unsigned __int128)b);
	else if (op == ORL_PROD)
		c = (__int128)((unsigned __int128)a * (unsigned __int128)b);
	else if ((op == ORL_MAX && a < b) || (op == ORL_MIN && a > b))
		c = b;
	memcpy(t, &c, orl_kinds[kind].size);
}

/* The bits of a float as a number of the same order, NaN apart. */
static inline int64_t model_rank(enum orl_kind kind, const void *elem,
				 bool *is_nan)
{
	const uint64_t inf = kind == ORL_F32 ? (uint64_t)0x7f800000 << 32
					     : 0x7ff0000000000000;
	uint64_t bits = 0, magnitude;

	if (kind == ORL_F32)
		memcpy((char *)&bits + 4, elem, 4);
	else
		memcpy(&bits, elem, 8);
	magnitude = bits & INT64_MAX;
	*is_nan = magnitude > inf;
	return bits >> 63 ? -(int64_t)magnitude : (int64_t)magnitude;
}

static inline void model_float_bound(enum orl_op op, enum orl_kind kind,
				     unsigned char *t, const unsigned char *o)
{
	bool no, never;
	const int64_t a = model_rank(kind, t, &no);
	const int64_t b = model_rank(kind, o, &never);

	if (!no && !never && (op == ORL_MAX ? a < b : b < a))
		memcpy(t, o, orl_kinds[kind].size);
}

static inline void model_float(enum orl_op op, enum orl_kind kind,
			       unsigned char *t, const unsigned char *o)
{
	double a64, b64;
	float a32, b32;

	if (op == ORL_MAX || op == ORL_MIN) {
		model_float_bound(op, kind, t, o);
	} else if (kind == ORL_F32) {
		memcpy(&a32, t, 4);
		memcpy(&b32, o, 4);
		a32 = op == ORL_SUM ? (model_quad)a32 + b32
				    : (model_quad)a32 * b32;
		memcpy(t, &a32, 4);
	} else {
		memcpy(&a64, t, 8);
		memcpy(&b64, o, 8);
		a64 = op == ORL_SUM ? (model_quad)a64 + b64
				    : (model_quad)a64 * b64;
		memcpy(t, &a64, 8);
	}
}

static inline void model_long_float(enum orl_op op, enum orl_kind kind,
				    unsigned char *t, const unsigned char *o)
{
	const int a = model_get_real(t, kind), b = model_get_real(o, kind);

	model_put_real(t, kind,
		       op == ORL_SUM		    ? a + b
		       : op == ORL_PROD		    ? a * b
		       : (op == ORL_MAX) == (a < b) ? b
						    : a);
}

static inline model_quad model_rounded(enum orl_kind kind, model_quad value)
{
	if (kind == ORL_C32)
		return (float)value;
	return kind == ORL_C64 ? (double)value : value;
}

/* Both products are rounded before they are added: a fused multiply-add
 * gives another number. */
static inline void model_complex(enum orl_op op, enum orl_kind kind,
				 unsigned char *t, const unsigned char *o)
{
	const size_t half = orl_kinds[kind].extent / 2;
	const model_quad re = model_get_real(t, kind);
	const model_quad im = model_get_real(t + half, kind);
	const model_quad ore = model_get_real(o, kind);
	const model_quad oim = model_get_real(o + half, kind);

	if (op == ORL_SUM) {
		model_put_real(t, kind, re + ore);
		model_put_real(t + half, kind, im + oim);
		return;
	}
	model_put_real(t, kind,
		       model_rounded(kind, re * ore) -
			       model_rounded(kind, im * oim));
	model_put_real(t + half, kind,
		       model_rounded(kind, re * oim) +
			       model_rounded(kind, im * ore));
}

static inline model_quad model_number(const unsigned char *at, size_t size,
				      bool is_real)
{
	if (is_real)
		return model_get_real(at, size == 4   ? ORL_F32
					  : size == 8 ? ORL_F64
						      : ORL_FLD);
	return model_integer(size == 2	 ? ORL_I16
			     : size == 4 ? ORL_I32
					 : ORL_I64,
			     at);
}

static inline void model_move(enum orl_kind kind, unsigned char *t,
			      const unsigned char *o)
{
	if (!model_first(kind)) {
		memcpy(t, o, orl_kinds[kind].extent);
		return;
	}
	memcpy(t, o, model_first(kind));
	memcpy(t + model_second(kind), o + model_second(kind),
	       model_index(kind));
}

static inline void model_pair(enum orl_op op, enum orl_kind kind,
			      unsigned char *t, const unsigned char *o)
{
	const bool whole = kind == ORL_2INT || kind == ORL_LONG_INT ||
			   kind == ORL_SHORT_INT;
	const bool real_index = kind == ORL_2REAL || kind == ORL_2DOUBLE;
	const size_t second = model_second(kind);
	const model_quad a = model_number(t, model_first(kind), !whole);
	const model_quad b = model_number(o, model_first(kind), !whole);
	const model_quad i =
		model_number(t + second, model_index(kind), real_index);
	const model_quad j =
		model_number(o + second, model_index(kind), real_index);

	/* What is no number is neither equal nor more nor less. */
	if (a == b ? j < i : op == ORL_MAXLOC ? b > a : b < a)
		model_move(kind, t, o);
}

/* t becomes t op o. */
static inline void model_combine(enum orl_op op, enum orl_kind kind,
				 unsigned char *t, const unsigned char *o)
{
	const size_t size = orl_kinds[kind].size;
	const bool is_short = kind == ORL_F32 || kind == ORL_F64;

	if (op == ORL_NO_OP)
		return;
	if (op == ORL_REPLACE)
		model_move(kind, t, o);
	else if (op == ORL_LAND || op == ORL_LOR || op == ORL_LXOR)
		model_logical(op, size, t, o);
	else if (op == ORL_BAND || op == ORL_BOR || op == ORL_BXOR)
		model_bits(op, size, t, o);
	else if (op == ORL_MINLOC || op == ORL_MAXLOC)
		model_pair(op, kind, t, o);
	else if (orl_kinds[kind].class == ORL_CLASS_INTEGER)
		model_integers(op, kind, t, o);
	else if (orl_kinds[kind].class == ORL_CLASS_COMPLEX)
		model_complex(op, kind, t, o);
	else if (is_short)
		model_float(op, kind, t, o);
	else
		model_long_float(op, kind, t, o);
}

/* -- comparison -------------------------------------------------------- */

/* Bytes 10 to 15 of a long double belong to its value, and mean nothing. */
static inline bool model_is_slack(enum orl_kind kind, size_t i)
{
	if (kind == ORL_FLD || kind == ORL_CLD)
		return i % 16 >= 10;
	return kind == ORL_LD_INT && i >= 10 && i < 16;
}

/*
 * Is got what the model wants?  Of a NaN that arithmetic made the bits are
 * free; one that was moved or stayed must be the same.
 */
static inline bool model_same(enum orl_op op, enum orl_kind kind,
			      const unsigned char *want,
			      const unsigned char *got)
{
	bool nan, other;
	size_t i;

	if ((kind == ORL_F32 || kind == ORL_F64) &&
	    (op == ORL_SUM || op == ORL_PROD)) {
		model_rank(kind, want, &nan);
		model_rank(kind, got, &other);
		if (nan || other)
			return nan && other;
	}
	for (i = 0; i < orl_kinds[kind].extent; i++) {
		if (want[i] != got[i] && !model_is_slack(kind, i))
			return false;
	}
	return true;
}

/* A compare-and-swap. */
static inline int swap_one(const struct orl_place *place, enum orl_kind kind,
			   const void *origin, const void *compare,
			   void *result)
{
	const struct orl_acc acc = {
		.kind = kind, .count = 1, .origin = origin, .result = result
	};

	return orl_acc_cas(place, &acc, compare);
}

#endif
