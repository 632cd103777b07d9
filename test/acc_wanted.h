/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acc_wanted.h - what accumulates are to make of the values of acc_values.h,
 * bit by bit, by integer arithmetic and comparison alone.
 */
#ifndef ACC_WANTED_H
#define ACC_WANTED_H

#include "acc_values.h"

static __int128 whole(const unsigned char *at, size_t size, bool sign)
{
	__int128 value = sign && at[size - 1] & 0x80 ? -1 : 0;

	memcpy(&value, at, size);
	return value;
}

/* Of two numbers: -1, 0, 1, or 2 where there is no order. */
static int compare(const struct type *t, const unsigned char *a,
		   const unsigned char *b)
{
	const __int128 i = whole(a, t->size, t->sign);
	const __int128 k = whole(b, t->size, t->sign);

	return t->real ? number_compare(a, b, t->size) : (i > k) - (i < k);
}

static void want_real(const struct type *t, enum op op, unsigned char *a,
		      const unsigned char *b)
{
	if (op == SUM)
		number_add(a, b, t->size);
	else
		number_multiply(a, b, t->size);
}

/* Products are rounded before they are added. */
static void want_product(const struct type *t, unsigned char *a,
			 const unsigned char *b)
{
	unsigned char re[NUMBER_LONG], im[NUMBER_LONG], other[NUMBER_LONG];
	unsigned char *const a_im = a + t->second;
	const unsigned char *const b_im = b + t->second;

	memcpy(re, a, t->size);
	memcpy(im, a, t->size);
	number_multiply(re, b, t->size);
	memcpy(other, a_im, t->size);
	number_multiply(other, b_im, t->size);
	number_negate(other, t->size);
	number_add(re, other, t->size);
	number_multiply(im, b_im, t->size);
	number_multiply(a_im, b, t->size);
	number_add(a_im, im, t->size);
	memcpy(a, re, t->size);
}

static void want_complex(const struct type *t, enum op op, unsigned char *a,
			 const unsigned char *b)
{
	if (op == PROD) {
		want_product(t, a, b);
		return;
	}
	number_add(a, b, t->size);
	number_add(a + t->second, b + t->second, t->size);
}

/*
 * Truth is what is not 0, and becomes 1 by a logical operation, of LOGICAL
 * too, as of C's integers (section 5.9.2); what is only moved or fetched stays
 * as it was.
 */
static void want_whole(const struct type *t, enum op op, unsigned char *a,
		       const unsigned char *b)
{
	const unsigned __int128 x = (unsigned __int128)whole(a, t->size, false);
	const unsigned __int128 y = (unsigned __int128)whole(b, t->size, false);
	const unsigned __int128 results[OP_COUNT] = {
		[SUM] = x + y,	[PROD] = x * y,	  [LAND] = x && y,
		[LOR] = x || y, [LXOR] = !x ^ !y, [BAND] = x & y,
		[BOR] = x | y,	[BXOR] = x ^ y,
	};

	memcpy(a, &results[op], t->size);
}

static void want_move(const struct type *t, unsigned char *a,
		      const unsigned char *b)
{
	memcpy(a, b, t->size);
	memcpy(a + t->second, b + t->second, t->second ? t->width : 0);
}

static bool is_taken(const struct type *t, enum op op, const unsigned char *a,
		     const unsigned char *b)
{
	const int order = compare(t, b, a);

	if (op == MAX || op == MIN)
		return order == (op == MAX ? 1 : -1);
	if (order)
		return order == (op == MAXLOC ? 1 : -1);
	return whole(b + t->second, t->width, true) <
	       whole(a + t->second, t->width, true);
}

/* a becomes a op b. */
static void want(const struct type *t, enum op op, unsigned char *a,
		 const unsigned char *b)
{
	const bool bound = op == MAX || op == MIN;

	if (op == NO_OP)
		return;
	if (op == REPLACE || bound || op == MAXLOC || op == MINLOC) {
		if (op == REPLACE || is_taken(t, op, a, b))
			want_move(t, a, b);
	} else if (t->form == REAL) {
		want_real(t, op, a, b);
	} else if (t->form == COMPLEX_OF) {
		want_complex(t, op, a, b);
	} else {
		want_whole(t, op, a, b);
	}
}

/* Of a NaN that arithmetic made the bits are free, but that it is quiet. */
static bool is_same(const struct type *t, enum op op, const unsigned char *a,
		    const unsigned char *b)
{
	if (t->form == REAL && (op == SUM || op == PROD) &&
	    number_is_nan(a, t->size))
		return number_is_nan(b, t->size) && number_is_quiet(b, t->size);
	return !memcmp(a, b, t->size) &&
	       (!t->second || !memcmp(a + t->second, b + t->second, t->width));
}

#endif
