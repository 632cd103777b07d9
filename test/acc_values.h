/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acc_values.h - the types of elements, and of each the values that are easily
 * got wrong.
 */
#ifndef ACC_VALUES_H
#define ACC_VALUES_H

#include <float.h>
#include <stddef.h>

#include "elements.h"
#include "numbers.h"

#define VALUES	  18 /* of a type, at most */
#define VALUE_MAX 32 /* bytes of one, at most */

/* TRUTH: Fortran's LOGICAL, an integer of any value; FLAG: C's bool. */
enum form { WHOLE, REAL, COMPLEX_OF, PAIR_OF, TRUTH, FLAG };

struct type {
	const char *name;
	MPI_Datatype type;
	enum form form;
	bool real, sign;      /* of the number, or of the value of a pair */
	size_t size, extent;  /* of the number; of the element */
	size_t second, width; /* offset and size of a second number, or 0 */
};

/* -- values ----------------------------------------------------------------*/

static const uint64_t bits64[] = { 0x0000000000000000, 0x8000000000000000,
				   0x3ff0000000000000, 0x7ff8000000001234,
				   0xfff4000000000001, 0xfff0000000000000,
				   0x3ff0000000000001, 0x3fd5555555555555,
				   0xbfd999999999999a, 0x7fefffffffffffff,
				   0x0000000000000001, 0x7ff0000000000000 };
static const uint32_t bits32[] = { 0x00000000, 0x80000000, 0x3f800000,
				   0x7fc01234, 0xffa00001, 0xff800000,
				   0x3f800001, 0x3eaaaaab, 0xbecccccd,
				   0x7f7fffff, 0x00000001, 0x7f800000 };
/* Of long double: what stands above the 64 bits of the significand. */
static const uint64_t bits80[][2] = {
	{ 0x0000, 0x0000000000000000 }, { 0x8000, 0x0000000000000000 },
	{ 0x3fff, 0x8000000000000000 }, { 0x7fff, 0xc000000000001234 },
	{ 0xffff, 0xa000000000000001 }, { 0xffff, 0x8000000000000000 },
	{ 0x3fff, 0x8000000000000001 }, { 0x3ffd, 0xaaaaaaaaaaaaaaab },
	{ 0xbffd, 0xcccccccccccccccd }, { 0x7ffe, 0xffffffffffffffff },
	{ 0x0000, 0x0000000000000001 }, { 0x7fff, 0x8000000000000000 }
};
#define REALS (sizeof(bits64) / sizeof(bits64[0]))
static const size_t moderate[] = { 2, 6, 7, 8 };

static void put_real(unsigned char *to, size_t size, size_t which)
{
	if (size == 4) {
		memcpy(to, &bits32[which], 4);
	} else if (size == 8) {
		memcpy(to, &bits64[which], 8);
	} else {
		memcpy(to, &bits80[which][1], 8);
		memcpy(to + 8, &bits80[which][0], 2);
	}
}

static void put_whole(unsigned char *to, size_t size, size_t which)
{
	const uint64_t least = (uint64_t)1 << (8 * size - 1);
	const uint64_t all[] = {
		0,	1,	   2,	      4,    UINT64_MAX,		least,
		~least, least + 1, least - 2, 0x5a, 0xa55aa55aa55aa55b,
	};

	memcpy(to, &all[which], size);
}
#define WHOLES 11

static size_t values_of(const struct type *t)
{
	static const size_t counts[] = {
		[WHOLE] = WHOLES, [REAL] = REALS,   [COMPLEX_OF] = 16,
		[PAIR_OF] = 18,	  [TRUTH] = WHOLES, [FLAG] = 2,
	};

	return counts[t->form];
}

static void put_pair(const struct type *t, unsigned char *to, size_t which)
{
	const int index = (int)(which % 3) - 1;

	if (t->real)
		put_real(to, t->size, which / 3);
	else
		put_whole(to, t->size, which / 3 + 2);
	memcpy(to + t->second, &index, sizeof(index));
}

static void put_value(const struct type *t, unsigned char *to, size_t which)
{
	if (t->form == REAL) {
		put_real(to, t->size, which);
	} else if (t->form == COMPLEX_OF) {
		put_real(to, t->size, moderate[which % 4]);
		put_real(to + t->second, t->size, moderate[which / 4]);
	} else if (t->form == PAIR_OF) {
		put_pair(t, to, which);
	} else {
		put_whole(to, t->size, which);
	}
}

/* -- the types -------------------------------------------------------------*/

#define NUMBER(name, form, T, real, sign)                                      \
	{                                                                      \
#name, name, form, real, sign, sizeof(T), sizeof(T), 0, 0      \
	}
#define COUPLE(name, form, T, fields, real, index)                             \
	{                                                                      \
#name, name, form, real, true, sizeof(T), sizeof(fields),      \
			offsetof(fields, i), sizeof(index)                     \
	}
/* Long doubles have 10 bytes of their 16. */
#define LONG_COUPLE(name, form, fields, width)                                 \
	{                                                                      \
#name, name, form, true, true, NUMBER_LONG, sizeof(fields),    \
			offsetof(fields, i), width                             \
	}

struct floats {
	float v, i;
};
struct doubles {
	double v, i;
};
struct longs {
	long double v, i;
};

static const struct type types[] = {
	NUMBER(MPI_SIGNED_CHAR, WHOLE, char, false, true),
	NUMBER(MPI_UNSIGNED_CHAR, WHOLE, char, false, false),
	NUMBER(MPI_SHORT, WHOLE, short, false, true),
	NUMBER(MPI_UNSIGNED_SHORT, WHOLE, short, false, false),
	NUMBER(MPI_INT, WHOLE, int, false, true),
	NUMBER(MPI_UNSIGNED, WHOLE, int, false, false),
	NUMBER(MPI_INT64_T, WHOLE, int64_t, false, true),
	NUMBER(MPI_UINT64_T, WHOLE, int64_t, false, false),
	NUMBER(MPI_FLOAT, REAL, float, true, true),
	NUMBER(MPI_DOUBLE, REAL, double, true, true),
	NUMBER(MPI_LOGICAL, TRUTH, int, false, true),
#ifdef OPEN_MPI
	NUMBER(MPI_LOGICAL1, TRUTH, int8_t, false, true),
	NUMBER(MPI_LOGICAL2, TRUTH, int16_t, false, true),
	NUMBER(MPI_LOGICAL8, TRUTH, int64_t, false, true),
#endif
	NUMBER(MPI_C_BOOL, FLAG, bool, false, false),
	COUPLE(MPI_C_FLOAT_COMPLEX, COMPLEX_OF, float, struct floats, true,
	       float),
	COUPLE(MPI_C_DOUBLE_COMPLEX, COMPLEX_OF, double, struct doubles, true,
	       double),
	COUPLE(MPI_FLOAT_INT, PAIR_OF, float, struct pair_float_int, true, int),
	COUPLE(MPI_DOUBLE_INT, PAIR_OF, double, struct pair_double_int, true,
	       int),
	COUPLE(MPI_SHORT_INT, PAIR_OF, short, struct pair_short_int, false,
	       int),
	COUPLE(MPI_2INT, PAIR_OF, int, struct pair_2int, false, int),
	COUPLE(MPI_LONG_INT, PAIR_OF, long, struct pair_long_int, false, int),
#if LDBL_MANT_DIG == 64
	{ "MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, REAL, true, true, NUMBER_LONG,
	  sizeof(long double), 0, 0 },
	LONG_COUPLE(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX_OF, struct longs,
		    NUMBER_LONG),
	LONG_COUPLE(MPI_LONG_DOUBLE_INT, PAIR_OF, struct pair_ld_int,
		    sizeof(int)),
#endif
};
#define TYPES (sizeof(types) / sizeof(types[0]))

/* Does this host have the type, of that size? */
static bool is_had(const struct type *t)
{
	MPI_Aint lb, extent;

	if (t->type == MPI_DATATYPE_NULL)
		return false;
	MPI_Type_get_extent(t->type, &lb, &extent);
	return (size_t)extent == t->extent;
}

static bool fits(enum op op, const struct type *t)
{
	static const enum class classes[] = {
		[WHOLE] = INTEGER, [REAL] = FLOAT,    [COMPLEX_OF] = COMPLEX,
		[PAIR_OF] = PAIR,  [TRUTH] = LOGICAL, [FLAG] = LOGICAL,
	};

	return op_fits(op, classes[t->form]);
}

#endif
