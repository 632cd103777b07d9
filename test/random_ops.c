/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_ops.c - what each operation makes of two values, in arithmetic so
 * wide that rounding it is rounding once; and values for it.
 */
#include "random.h"

#include <float.h>
#include <string.h>

#include "numbers.h"

const char *const rop_names[ROP_COUNT] = {
	"SUM", "PROD", "MAX",	 "MIN",	   "LAND",    "LOR",   "LXOR", "BAND",
	"BOR", "BXOR", "MINLOC", "MAXLOC", "REPLACE", "NO_OP", "CAS"
};

MPI_Op rop_handle(enum rop rop)
{
	const MPI_Op handles[ROP_COUNT] = {
		MPI_SUM,    MPI_PROD,	MPI_MAX,     MPI_MIN,	MPI_LAND,
		MPI_LOR,    MPI_LXOR,	MPI_BAND,    MPI_BOR,	MPI_BXOR,
		MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP, MPI_OP_NULL
	};

	return handles[rop];
}

/* Sums and products of double are rounded once if this has twice its bits. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 wide;
#else
typedef long double wide;
#endif

/* But of x87's long double nothing here has. */
#define IS_X87 (LDBL_MANT_DIG == 64)

/* A whole number keeps its 64 bits in i, any other number is in f. */
struct value {
	__int128 i;
	wide f;
	bool whole;
};

#define LOAD(ctype, field)                                                     \
	do {                                                                   \
		ctype number;                                                  \
		memcpy(&number, from, sizeof(number));                         \
		value.field = number;                                          \
	} while (0)

static struct value value_load(enum number num, const void *from)
{
	struct value value = { .whole = num < NUM_F32 };

	switch (num) {
	case NUM_I8:
		LOAD(int8_t, i);
		break;
	case NUM_I16:
		LOAD(int16_t, i);
		break;
	case NUM_I32:
		LOAD(int32_t, i);
		break;
	case NUM_I64:
		LOAD(int64_t, i);
		break;
	case NUM_U8:
		LOAD(uint8_t, i);
		break;
	case NUM_U16:
		LOAD(uint16_t, i);
		break;
	case NUM_U32:
		LOAD(uint32_t, i);
		break;
	case NUM_U64:
		LOAD(uint64_t, i);
		break;
	case NUM_F32:
		LOAD(float, f);
		break;
	case NUM_F64:
		LOAD(double, f);
		break;
	case NUM_FLD:
		LOAD(long double, f);
		break;
#ifdef __SIZEOF_FLOAT128__
	case NUM_F128:
		LOAD(__float128, f);
		break;
#endif
	default:
		break;
	}
	return value;
}

#define STORE(ctype, field)                                                    \
	do {                                                                   \
		ctype number = (ctype)value.field;                             \
		memcpy(to, &number, sizeof(number));                           \
	} while (0)

static void value_store(enum number num, void *to, struct value value)
{
	switch (num) {
	case NUM_I8:
	case NUM_U8:
		STORE(uint8_t, i);
		break;
	case NUM_I16:
	case NUM_U16:
		STORE(uint16_t, i);
		break;
	case NUM_I32:
	case NUM_U32:
		STORE(uint32_t, i);
		break;
	case NUM_I64:
	case NUM_U64:
		STORE(uint64_t, i);
		break;
	case NUM_F32:
		STORE(float, f);
		break;
	case NUM_F64:
		STORE(double, f);
		break;
	case NUM_FLD:
		STORE(long double, f);
		break;
#ifdef __SIZEOF_FLOAT128__
	case NUM_F128:
		STORE(__float128, f);
		break;
#endif
	default:
		break;
	}
}

static struct value value_of(enum number num, int small)
{
	return (struct value){ .i = small, .f = small, .whole = num < NUM_F32 };
}

static bool is_less(struct value a, struct value b)
{
	return a.whole ? a.i < b.i : a.f < b.f;
}

static bool is_equal(struct value a, struct value b)
{
	return a.whole ? a.i == b.i : a.f == b.f;
}

static bool is_nan(struct value a)
{
	return !is_equal(a, a);
}

static bool is_negative(enum number num, const uint8_t *value)
{
	return value[number_size[num] - 1] & 0x80;
}

static __int128 int_op(enum rop rop, __int128 a, __int128 b)
{
	switch (rop) {
	case ROP_SUM:
		return a + b + mutated("sum");
	case ROP_PROD: /* of the low 64 bits, which is all that counts */
		return (unsigned __int128)a * (unsigned __int128)b;
	case ROP_LAND:
		return mutated("truth") ? a & b : a && b;
	case ROP_LOR:
		return a || b;
	case ROP_LXOR:
		return !a != !b;
	case ROP_BAND:
		return a & b;
	case ROP_BOR:
		return a | b;
	case ROP_BXOR:
		return a ^ b;
	default:
		return a;
	}
}

static wide float_op(enum rop rop, wide a, wide b)
{
	if (rop == ROP_PROD)
		return a * b;
	return mutated("round") ? (float)(a + b) : a + b;
}

/*
 * Is the origin's value the greater one, or the smaller?  A NaN is neither,
 * and no zero is greater than another.
 */
static bool is_beyond(enum number num, enum rop rop, const uint8_t *target,
		      const uint8_t *origin)
{
	struct value a = value_load(num, target);
	struct value b = value_load(num, origin);

	if (mutated("sign") && a.whole)
		a.i = (uint64_t)a.i, b.i = (uint64_t)b.i;
	if (mutated("nan") && is_nan(a))
		return true;
	if (mutated("zero") && !a.whole && is_equal(a, b))
		return is_negative(num, target) == (rop == ROP_MAX);
	return rop == ROP_MAX || rop == ROP_MAXLOC ? is_less(a, b)
						   : is_less(b, a);
}

static void apply_number(const struct basic *basic, enum rop rop,
			 uint8_t *target, const uint8_t *origin)
{
	enum number num = basic->first;
	struct value a = value_load(num, target);
	struct value b = value_load(num, origin);

	if (rop == ROP_MAX || rop == ROP_MIN) {
		if (is_beyond(num, rop, target, origin))
			basic_copy(basic, target, origin);
		return;
	}
	if (num == NUM_FLD && IS_X87) {
		(rop == ROP_SUM ? number_add : number_multiply)(target, origin,
								NUMBER_LONG);
		return;
	}
	a.i = int_op(rop, a.i, b.i);
	a.f = float_op(rop, a.f, b.f);
	value_store(num, target, a);
}

/* As the type has it. */
static wide rounded(enum number num, wide f)
{
	uint8_t bytes[MAX_EXTENT];

	if (mutated("fuse"))
		return f;
	value_store(num, bytes, (struct value){ .f = f });
	return value_load(num, bytes).f;
}

static void apply_complex(const struct basic *basic, enum rop rop,
			  uint8_t *target, const uint8_t *origin)
{
	enum number num = basic->first;
	int off = basic->second_off;
	wide a = value_load(num, target).f;
	wide b = value_load(num, target + off).f;
	wide c = value_load(num, origin).f;
	wide d = value_load(num, origin + off).f;
	struct value re = { .f = a + c }, im = { .f = b + d };

	if (rop == ROP_PROD) {
		re.f = rounded(num, a * c) - rounded(num, b * d);
		im.f = rounded(num, a * d) + rounded(num, b * c);
	}
	value_store(num, target, re);
	value_store(num, target + off, im);
}

/* The smaller index of two equal values; a NaN equals nothing. */
static void apply_pair(const struct basic *basic, enum rop rop, uint8_t *target,
		       const uint8_t *origin)
{
	struct value a = value_load(basic->first, target);
	struct value b = value_load(basic->first, origin);
	struct value i = value_load(basic->second, target + basic->second_off);
	struct value k = value_load(basic->second, origin + basic->second_off);
	bool take = is_beyond(basic->first, rop, target, origin);

	if (is_equal(a, b))
		take = mutated("minloc") ? is_less(i, k) : is_less(k, i);
	if (take)
		basic_copy(basic, target, origin);
}

void basic_apply(const struct basic *basic, enum rop rop, void *target,
		 const void *origin)
{
	if (rop == ROP_NO_OP)
		return;
	if (rop == ROP_REPLACE)
		basic_copy(basic, target, origin);
	else if (basic->form == FORM_COMPLEX)
		apply_complex(basic, rop, target, origin);
	else if (basic->form == FORM_PAIR)
		apply_pair(basic, rop, target, origin);
	else
		apply_number(basic, rop, target, origin);
}

bool basic_is_vague(const struct basic *basic, enum rop rop, const void *value)
{
	return basic->form == FORM_FLOAT &&
	       (rop == ROP_SUM || rop == ROP_PROD) &&
	       is_nan(value_load(basic->first, value));
}

/*
 * Factors are small and keep clear of zeros with a sign, which no two ways
 * to multiply need to agree on.
 */
static void random_factor(struct rng *rng, const struct basic *basic,
			  uint8_t *out)
{
	bool turn = basic->form == FORM_COMPLEX && rng_chance(rng, 50);
	int factor = rng_range(rng, 1, 2);

	if (turn)
		factor = 0;
	value_store(basic->first, out, value_of(basic->first, factor));
	if (basic->form == FORM_COMPLEX)
		value_store(basic->second, out + basic->second_off,
			    value_of(basic->second, turn));
}

static int random_small(struct rng *rng, const struct basic *basic)
{
	int range = basic->form == FORM_PAIR ? 3 : 50;
	int n = rng_range(rng, 1, range);

	return rng_chance(rng, 50) ? n : -n;
}

/* The least, the greatest, and those around zero. */
static void random_extreme(struct rng *rng, const struct basic *basic,
			   uint8_t *out)
{
	uint64_t top = (uint64_t)1 << (8 * number_size[basic->first] - 1);
	const uint64_t all[] = { 0, 1, 2, UINT64_MAX, top, top - 1 };

	memcpy(out, &all[rng_below(rng, 6)], number_size[basic->first]);
}

/* Of x87's format: all but zero and what is less than all others has the
 * first digit of its significand in memory. */
static void random_long(struct rng *rng, uint8_t *out)
{
	static const uint16_t tops[] = { 0, 0x8000, 0x7fff, 0xffff, 0x3fff };
	static const uint64_t digits[] = { 0, 1, 0x123, (uint64_t)1 << 62 };
	const uint64_t first = (uint64_t)1 << 63;
	uint16_t top = tops[rng_below(rng, 5)];
	uint64_t significand = digits[rng_below(rng, 4)];

	if (rng_chance(rng, 30)) {
		rng_fill(rng, (uint8_t *)&significand, sizeof(significand));
		rng_fill(rng, (uint8_t *)&top, sizeof(top));
	}
	significand &= ~first;
	if (top & 0x7fff)
		significand |= first;
	memcpy(out, &significand, sizeof(significand));
	memcpy(out + sizeof(significand), &top, sizeof(top));
}

/* Half of them zeros: a sign shows where one meets another. */
static void random_bits(struct rng *rng, enum number num, uint8_t *out)
{
	static const uint32_t f32[] = { 0x7f800000, 0xff800000, 0x7fc00123,
					0xffa00001, 1,		0x7f7fffff,
					0x3f800001 };
	static const uint64_t f64[] = {
		0x7ff0000000000000,
		0xfff0000000000000,
		0x7ff8000000000123,
		0xfff4000000000001,
		1,
		0x7fefffffffffffff,
		0x3ff0000000000001,
	};
	unsigned which = rng_below(rng, 7);

	if (num == NUM_FLD) {
		random_long(rng, out);
	} else if (rng_chance(rng, 30)) {
		rng_fill(rng, out, number_size[num]);
	} else if (rng_chance(rng, 50)) {
		memset(out, 0, number_size[num]);
		out[number_size[num] - 1] = rng_chance(rng, 50) ? 0x80 : 0;
	} else if (num == NUM_F32) {
		memcpy(out, &f32[which], sizeof(f32[0]));
	} else {
		memcpy(out, &f64[which], sizeof(f64[0]));
	}
}

/* From 1/2 to 1 on either side of zero, with all bits that the type has. */
static void random_fraction(struct rng *rng, enum number num, uint8_t *out)
{
	struct value value = { .f = (wide)(rng_next(rng) >> 1 | 1ull << 62) };

	value.f /= (wide)(1ull << 63);
	if (rng_chance(rng, 50))
		value.f = -value.f;
	value_store(num, out, value);
}

/* False: there are no wild values of the type. */
static bool random_wild(struct rng *rng, const struct basic *basic,
			uint8_t *out)
{
	const bool is_long = basic->first == NUM_FLD && IS_X87 &&
			     basic->form != FORM_COMPLEX;
	const bool real = basic->first == NUM_F32 || basic->first == NUM_F64;

	if (!(real || is_long) || basic->form == FORM_INT ||
	    basic->form == FORM_OPAQUE)
		return false;
	if (basic->form == FORM_COMPLEX) {
		random_fraction(rng, basic->first, out);
		random_fraction(rng, basic->first, out + basic->second_off);
		return true;
	}
	random_bits(rng, basic->first, out);
	if (basic->form == FORM_PAIR)
		value_store(basic->second, out + basic->second_off,
			    value_of(basic->second, rng_range(rng, -2, 2)));
	return true;
}

/* Any bits, of Fortran's LOGICAL; C's bool has but two values. */
static bool is_free_truth(struct rng *rng, const struct basic *basic, bool wild)
{
	return wild && basic->first != NUM_U8 && rng_chance(rng, 50);
}

void basic_random(struct rng *rng, const struct basic *basic, enum rop rop,
		  bool wild, void *value)
{
	uint8_t *out = value;

	rng_fill(rng, out, basic->extent);
	if (basic->form == FORM_INT && rng_chance(rng, 25))
		random_extreme(rng, basic, out);
	if (basic->form == FORM_LOGICAL && !is_free_truth(rng, basic, wild))
		value_store(basic->first, out,
			    value_of(basic->first, rng_below(rng, 2)));
	if (!basic->strict || basic->form == FORM_LOGICAL)
		return;
	if (wild && rng_chance(rng, 70) && random_wild(rng, basic, out))
		return;
	if (rop == ROP_PROD) {
		random_factor(rng, basic, out);
		return;
	}
	value_store(basic->first, out,
		    value_of(basic->first, random_small(rng, basic)));
	if (basic->form == FORM_COMPLEX)
		value_store(basic->second, out + basic->second_off,
			    value_of(basic->second, random_small(rng, basic)));
	if (basic->form == FORM_PAIR)
		value_store(basic->second, out + basic->second_off,
			    value_of(basic->second, rng_below(rng, 5)));
}
