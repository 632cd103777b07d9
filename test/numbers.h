/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numbers.h - IEEE 754 numbers as bytes in memory, of float, double and x87's
 * long double: added, multiplied, compared and rounded to nearest by integer
 * arithmetic alone, so that a test owes nothing to the compiler or the
 * processor that it tests.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 number_bits;

/* Of long double's 16 bytes the last 6 are padding. */
#define NUMBER_LONG 10

struct number_format {
	int digits; /* of the significand */
	int stored; /* in memory: long double's first one too */
	int exponent;
};

static inline const struct number_format *number_format(size_t size)
{
	static const struct number_format formats[] = { { 24, 23, 8 },
							{ 53, 52, 11 },
							{ 64, 64, 15 } };

	return &formats[size == 4 ? 0 : size == 8 ? 1 : 2];
}

/* The exponent of all ones; half of it is what 1 has. */
static inline int number_top(const struct number_format *f)
{
	return (1 << f->exponent) - 1;
}

/* Of the last digit of the least numbers. */
static inline int number_least(const struct number_format *f)
{
	return 2 - number_top(f) / 2 - f->digits;
}

/* significand * 2^exponent, unless it is none. */
struct number_parts {
	bool negative, infinite, nan;
	int exponent;
	uint64_t significand;
};

static inline number_bits number_load(const void *at, size_t size)
{
	number_bits bits = 0;

	memcpy(&bits, at, size);
	return bits;
}

static inline struct number_parts number_read(const void *at, size_t size)
{
	const struct number_format *f = number_format(size);
	const number_bits bits = number_load(at, size);
	const int e = (int)(bits >> f->stored) & number_top(f);
	const bool is_special = e == number_top(f);
	const uint64_t first = (uint64_t)1 << (f->digits - 1);
	const uint64_t stored =
		(uint64_t)(bits & (((number_bits)1 << f->stored) - 1));

	return (struct number_parts){
		.negative = bits >> (8 * size - 1),
		.infinite = is_special && !(stored & ~first),
		.nan = is_special && stored & ~first,
		.exponent = (e ? e - 1 : 0) + number_least(f),
		.significand = e ? stored | first : stored,
	};
}

static inline void number_store(void *at, size_t size, bool negative, int e,
				uint64_t significand)
{
	const struct number_format *f = number_format(size);
	const number_bits mask = ((number_bits)1 << f->stored) - 1;
	const number_bits bits = (number_bits)negative << (8 * size - 1) |
				 (number_bits)e << f->stored |
				 (significand & mask);

	memcpy(at, &bits, size);
}

static inline void number_store_infinity(void *at, size_t size, bool negative)
{
	const struct number_format *f = number_format(size);

	number_store(at, size, negative, number_top(f),
		     (uint64_t)1 << (f->digits - 1));
}

static inline void number_store_nan(void *at, size_t size)
{
	const struct number_format *f = number_format(size);

	number_store(at, size, false, number_top(f),
		     (uint64_t)3 << (f->digits - 2));
}

/* Without its last digits, to the nearest, of two to the even one. */
static inline number_bits number_cut(number_bits value, int digits)
{
	number_bits rest, half;

	/* More than value has: 1 for what is below a half. */
	for (; digits > 127; digits--)
		value = value >> 1 | (value & 1);
	if (digits <= 0)
		return value << -digits;
	rest = value & (((number_bits)1 << digits) - 1);
	half = (number_bits)1 << (digits - 1);
	value >>= digits;
	return value + (rest > half || (rest == half && value & 1));
}

/* value * 2^exponent; the last of many digits may stand for all below it. */
static inline void number_round(void *at, size_t size, bool negative,
				int exponent, number_bits value)
{
	const struct number_format *f = number_format(size);
	const int least = number_least(f);
	int cut = -f->digits;

	while (cut + f->digits < 128 && value >> (cut + f->digits))
		cut++;
	if (!value || cut < least - exponent)
		cut = least - exponent;
	value = value ? number_cut(value, cut) : 0;
	exponent += cut;
	if (value >> f->digits) {
		value >>= 1;
		exponent++;
	}
	if (!(value >> (f->digits - 1)))
		number_store(at, size, negative, 0, (uint64_t)value);
	else if (exponent - least + 1 >= number_top(f))
		number_store_infinity(at, size, negative);
	else
		number_store(at, size, negative, exponent - least + 1,
			     (uint64_t)value);
}

/* Of the two the exponent of x is not the less. */
static inline void number_add_finite(void *at, size_t size,
				     struct number_parts x,
				     struct number_parts y)
{
	const int room = 62, by = x.exponent - y.exponent - room;
	number_bits a = (number_bits)x.significand << room;
	number_bits b = y.significand;

	if (by <= 0)
		b <<= -by;
	else
		b = by > 63 ? b != 0 : b >> by | ((b >> by) << by != b);
	if (x.negative == y.negative)
		number_round(at, size, x.negative, x.exponent - room, a + b);
	else if (a == b)
		number_round(at, size, false, x.exponent, 0);
	else
		number_round(at, size, a > b ? x.negative : y.negative,
			     x.exponent - room, a > b ? a - b : b - a);
}

/* a becomes a + b. */
static inline void number_add(void *a, const void *b, size_t size)
{
	const struct number_parts x = number_read(a, size),
				  y = number_read(b, size);

	if (x.nan || y.nan ||
	    (x.infinite && y.infinite && x.negative != y.negative))
		number_store_nan(a, size);
	else if (x.infinite || y.infinite)
		number_store_infinity(a, size,
				      x.infinite ? x.negative : y.negative);
	else if (x.exponent < y.exponent)
		number_add_finite(a, size, y, x);
	else
		number_add_finite(a, size, x, y);
}

/* a becomes a * b. */
static inline void number_multiply(void *a, const void *b, size_t size)
{
	const struct number_parts x = number_read(a, size),
				  y = number_read(b, size);
	const bool negative = x.negative != y.negative;

	if (x.nan || y.nan || (x.infinite && !y.significand) ||
	    (y.infinite && !x.significand))
		number_store_nan(a, size);
	else if (x.infinite || y.infinite)
		number_store_infinity(a, size, negative);
	else
		number_round(a, size, negative, x.exponent + y.exponent,
			     (number_bits)x.significand * y.significand);
}

static inline void number_negate(void *a, size_t size)
{
	((unsigned char *)a)[size - 1] ^= 0x80;
}

static inline bool number_is_nan(const void *at, size_t size)
{
	return number_read(at, size).nan;
}

/* Of a NaN: arithmetic sets its first digit behind the point. */
static inline bool number_is_quiet(const void *at, size_t size)
{
	return number_read(at, size).significand >>
		       (number_format(size)->digits - 2) &
	       1;
}

/* Without its sign the bits of a number are in the order of their values. */
static inline __int128 number_rank(const void *at, size_t size)
{
	const number_bits sign = (number_bits)1 << (8 * size - 1);
	const number_bits bits = number_load(at, size);

	return bits & sign ? -(__int128)(bits & ~sign) : (__int128)bits;
}

/* -1, 0, 1, or 2 where there is no order. */
static inline int number_compare(const void *a, const void *b, size_t size)
{
	const __int128 x = number_rank(a, size), y = number_rank(b, size);

	if (number_is_nan(a, size) || number_is_nan(b, size))
		return 2;
	return (x > y) - (x < y);
}

#endif
