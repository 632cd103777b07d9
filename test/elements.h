/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elements.h - every predefined datatype with its C type, and what each
 * operation means on it: the reference of the accumulate tests, from the
 * tables of MPI-3.1 sections 3.2.2, 5.9.2 and 5.9.4.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include <complex.h>
#include <stdint.h>
#include <wchar.h>

#include "test.h"

enum op {
	SUM,
	PROD,
	MAX,
	MIN,
	LAND,
	LOR,
	LXOR,
	BAND,
	BOR,
	BXOR,
	MINLOC,
	MAXLOC,
	REPLACE,
	NO_OP,
	OP_COUNT
};

static inline MPI_Op op_handle(enum op op)
{
	const MPI_Op handles[OP_COUNT] = { MPI_SUM,	MPI_PROD,   MPI_MAX,
					   MPI_MIN,	MPI_LAND,   MPI_LOR,
					   MPI_LXOR,	MPI_BAND,   MPI_BOR,
					   MPI_BXOR,	MPI_MINLOC, MPI_MAXLOC,
					   MPI_REPLACE, MPI_NO_OP };

	return handles[op];
}

static inline const char *op_name(enum op op)
{
	static const char *const names[OP_COUNT] = {
		"SUM",	"PROD", "MAX",	"MIN",	  "LAND",   "LOR",     "LXOR",
		"BAND", "BOR",	"BXOR", "MINLOC", "MAXLOC", "REPLACE", "NO_OP"
	};

	return names[op];
}

enum class {
	INTEGER,
	FLOAT,
	COMPLEX,
	LOGICAL,
	BYTE,
	PAIR,
	OPAQUE, /* characters: moved only */
	CLASS_COUNT
};

/* Is the operation defined on types of the class? */
static inline bool op_fits(enum op op, enum class class)
{
	const unsigned moves = 1u << REPLACE | 1u << NO_OP;
	const unsigned bits = 1u << BAND | 1u << BOR | 1u << BXOR;
	const unsigned truth = 1u << LAND | 1u << LOR | 1u << LXOR;
	const unsigned order = 1u << MAX | 1u << MIN;
	const unsigned algebra = 1u << SUM | 1u << PROD;
	const unsigned fits[CLASS_COUNT] = {
		[INTEGER] = moves | bits | truth | order | algebra,
		[FLOAT] = moves | order | algebra,
		[COMPLEX] = moves | algebra,
		[LOGICAL] = moves | truth,
		[BYTE] = moves | bits,
		[PAIR] = moves | 1u << MINLOC | 1u << MAXLOC,
		[OPAQUE] = moves,
	};

	return fits[class] >> op & 1;
}

/* One element after the operation: *a = *a op b. */
typedef void (*apply_fn)(enum op op, void *a, const void *b);
typedef bool (*equal_fn)(const void *a, const void *b);
/* Makes an element from a number. */
typedef void (*make_fn)(void *a, int seed);

#define ELEMENT_COMMON(name, T)                                                \
	static inline bool equal_##name(const void *a, const void *b)          \
	{                                                                      \
		return *(const T *)a == *(const T *)b;                         \
	}

#define ELEMENT_ORDERED(op, a, b)                                              \
	case MAX:                                                              \
		*a = *a > b ? *a : b;                                          \
		break;                                                         \
	case MIN:                                                              \
		*a = *a < b ? *a : b;                                          \
		break;
#define ELEMENT_ALGEBRA(op, T, W, a, b)                                        \
	case SUM:                                                              \
		*a = (T)((W)*a + (W)b);                                        \
		break;                                                         \
	case PROD:                                                             \
		*a = (T)((W)*a * (W)b);                                        \
		break;
#define ELEMENT_TRUTH(op, a, b)                                                \
	case LAND:                                                             \
		*a = *a && b;                                                  \
		break;                                                         \
	case LOR:                                                              \
		*a = *a || b;                                                  \
		break;                                                         \
	case LXOR:                                                             \
		*a = !*a != !b;                                                \
		break;
#define ELEMENT_BITS(op, a, b)                                                 \
	case BAND:                                                             \
		*a &= b;                                                       \
		break;                                                         \
	case BOR:                                                              \
		*a |= b;                                                       \
		break;                                                         \
	case BXOR:                                                             \
		*a ^= b;                                                       \
		break;

#define ELEMENT_APPLY(name, T, cases)                                          \
	static inline void apply_##name(enum op op, void *at,                  \
					const void *from)                      \
	{                                                                      \
		T *a = at, b = *(const T *)from;                               \
                                                                               \
		switch (op) {                                                  \
			cases case REPLACE : *a = b;                           \
			break;                                                 \
		default:                                                       \
			break;                                                 \
		}                                                              \
	}

/* Negative numbers, zeros, and what overflows a byte when multiplied. */
#define ELEMENT_MAKE(name, T, value)                                           \
	static inline void make_##name(void *a, int seed)                      \
	{                                                                      \
		*(T *)a = (T)(value);                                          \
	}

#define ELEMENT_INTEGER(name, T)                                               \
	ELEMENT_COMMON(name, T)                                                \
	ELEMENT_MAKE(name, T, seed * 13 % 41 - 17)                             \
	ELEMENT_APPLY(name, T,                                                 \
		      ELEMENT_ALGEBRA(op, T, unsigned __int128, a,             \
				      b) ELEMENT_ORDERED(op, a, b)             \
			      ELEMENT_TRUTH(op, a, b) ELEMENT_BITS(op, a, b))
#define ELEMENT_FLOAT(name, T)                                                 \
	ELEMENT_COMMON(name, T)                                                \
	ELEMENT_MAKE(name, T, (seed * 13 % 41 - 17) / 2.0)                     \
	ELEMENT_APPLY(name, T,                                                 \
		      ELEMENT_ALGEBRA(op, T, T, a, b)                          \
			      ELEMENT_ORDERED(op, a, b))
#define ELEMENT_COMPLEX(name, T)                                               \
	ELEMENT_COMMON(name, T)                                                \
	ELEMENT_MAKE(name, T, seed * 13 % 41 - 17 + (seed % 7 - 3) * I)        \
	ELEMENT_APPLY(name, T, ELEMENT_ALGEBRA(op, T, T, a, b))
#define ELEMENT_LOGICAL(name, T)                                               \
	ELEMENT_COMMON(name, T)                                                \
	ELEMENT_MAKE(name, T, seed * 13 % 41 % 2)                              \
	ELEMENT_APPLY(name, T, ELEMENT_TRUTH(op, a, b))
#define ELEMENT_BYTE(name, T)                                                  \
	ELEMENT_COMMON(name, T)                                                \
	ELEMENT_MAKE(name, T, seed * 13)                                       \
	ELEMENT_APPLY(name, T, ELEMENT_BITS(op, a, b))
#define ELEMENT_OPAQUE(name, T)                                                \
	ELEMENT_COMMON(name, T)                                                \
	ELEMENT_MAKE(name, T, seed * 13 % 101)                                 \
	ELEMENT_APPLY(name, T, )
/* Values tie often, so that the lesser index has to win. */
#define ELEMENT_PAIR(name, T, V, X)                                            \
	struct pair_##name {                                                   \
		V v;                                                           \
		X i;                                                           \
	};                                                                     \
	static inline bool equal_##name(const void *a, const void *b)          \
	{                                                                      \
		const struct pair_##name *x = a, *y = b;                       \
                                                                               \
		return x->v == y->v && x->i == y->i;                           \
	}                                                                      \
	static inline void make_##name(void *a, int seed)                      \
	{                                                                      \
		struct pair_##name *x = a;                                     \
                                                                               \
		memset(x, 0, sizeof(*x));                                      \
		x->v = (V)(seed * 13 % 5 - 2);                                 \
		x->i = (X)(seed * 7 % 23);                                     \
	}                                                                      \
	static inline void apply_##name(enum op op, void *at,                  \
					const void *from)                      \
	{                                                                      \
		struct pair_##name *a = at;                                    \
		const struct pair_##name *b = from;                            \
		bool less = b->v<a->v, more = b->v> a->v;                      \
                                                                               \
		if (op == REPLACE || (op == MINLOC && less) ||                 \
		    (op == MAXLOC && more)) {                                  \
			a->v = b->v;                                           \
			a->i = b->i;                                           \
		} else if (op != NO_OP && !less && !more) {                    \
			a->i = a->i < b->i ? a->i : b->i;                      \
		}                                                              \
	}

ELEMENT_INTEGER(i8, int8_t)
ELEMENT_INTEGER(i16, int16_t)
ELEMENT_INTEGER(i32, int32_t)
ELEMENT_INTEGER(i64, int64_t)
ELEMENT_INTEGER(i128, __int128)
ELEMENT_INTEGER(u8, uint8_t)
ELEMENT_INTEGER(u16, uint16_t)
ELEMENT_INTEGER(u32, uint32_t)
ELEMENT_INTEGER(u64, uint64_t)
ELEMENT_FLOAT(f32, float)
ELEMENT_FLOAT(f64, double)
ELEMENT_FLOAT(fld, long double)
ELEMENT_FLOAT(f128, __float128)
ELEMENT_COMPLEX(c32, float _Complex)
ELEMENT_COMPLEX(c64, double _Complex)
ELEMENT_COMPLEX(cld, long double _Complex)
ELEMENT_LOGICAL(truth, bool)
ELEMENT_LOGICAL(l8, int8_t)
ELEMENT_LOGICAL(l16, int16_t)
ELEMENT_LOGICAL(l32, int32_t)
ELEMENT_LOGICAL(l64, int64_t)
ELEMENT_BYTE(byte, unsigned char)
ELEMENT_OPAQUE(char, char)
ELEMENT_OPAQUE(wchar, wchar_t)
ELEMENT_PAIR(float_int, float_int, float, int)
ELEMENT_PAIR(double_int, double_int, double, int)
ELEMENT_PAIR(long_int, long_int, long, int)
ELEMENT_PAIR(2int, 2int, int, int)
ELEMENT_PAIR(short_int, short_int, short, int)
ELEMENT_PAIR(ld_int, ld_int, long double, int)
ELEMENT_PAIR(2real, 2real, float, float)
ELEMENT_PAIR(2double, 2double, double, double)

struct element {
	const char *name;
	MPI_Datatype type;
	size_t size; /* sizeof, the extent */
	enum class class;
	make_fn make;
	apply_fn apply;
	equal_fn equal;
};

#define ELEMENT(type, T, fn, class)                                            \
	{                                                                      \
#type, type, sizeof(T), class, make_##fn, apply_##fn,          \
			equal_##fn                                             \
	}

/* Types that this host has not are MPI_DATATYPE_NULL or of size 0. */
static const struct element elements[] = {
	ELEMENT(MPI_SIGNED_CHAR, int8_t, i8, INTEGER),
	ELEMENT(MPI_UNSIGNED_CHAR, uint8_t, u8, INTEGER),
	ELEMENT(MPI_SHORT, short, i16, INTEGER),
	ELEMENT(MPI_UNSIGNED_SHORT, unsigned short, u16, INTEGER),
	ELEMENT(MPI_INT, int, i32, INTEGER),
	ELEMENT(MPI_UNSIGNED, unsigned, u32, INTEGER),
	ELEMENT(MPI_LONG, long, i64, INTEGER),
	ELEMENT(MPI_UNSIGNED_LONG, unsigned long, u64, INTEGER),
	ELEMENT(MPI_LONG_LONG, long long, i64, INTEGER),
	ELEMENT(MPI_LONG_LONG_INT, long long, i64, INTEGER),
	ELEMENT(MPI_UNSIGNED_LONG_LONG, unsigned long long, u64, INTEGER),
	ELEMENT(MPI_INT8_T, int8_t, i8, INTEGER),
	ELEMENT(MPI_INT16_T, int16_t, i16, INTEGER),
	ELEMENT(MPI_INT32_T, int32_t, i32, INTEGER),
	ELEMENT(MPI_INT64_T, int64_t, i64, INTEGER),
	ELEMENT(MPI_UINT8_T, uint8_t, u8, INTEGER),
	ELEMENT(MPI_UINT16_T, uint16_t, u16, INTEGER),
	ELEMENT(MPI_UINT32_T, uint32_t, u32, INTEGER),
	ELEMENT(MPI_UINT64_T, uint64_t, u64, INTEGER),
	ELEMENT(MPI_AINT, MPI_Aint, i64, INTEGER),
	ELEMENT(MPI_OFFSET, MPI_Offset, i64, INTEGER),
	ELEMENT(MPI_COUNT, MPI_Count, i64, INTEGER),
	ELEMENT(MPI_FLOAT, float, f32, FLOAT),
	ELEMENT(MPI_DOUBLE, double, f64, FLOAT),
	ELEMENT(MPI_LONG_DOUBLE, long double, fld, FLOAT),
	ELEMENT(MPI_C_COMPLEX, float _Complex, c32, COMPLEX),
	ELEMENT(MPI_C_FLOAT_COMPLEX, float _Complex, c32, COMPLEX),
	ELEMENT(MPI_C_DOUBLE_COMPLEX, double _Complex, c64, COMPLEX),
	ELEMENT(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex, cld, COMPLEX),
	ELEMENT(MPI_C_BOOL, bool, truth, LOGICAL),
	ELEMENT(MPI_CXX_BOOL, bool, truth, LOGICAL),
	ELEMENT(MPI_CXX_FLOAT_COMPLEX, float _Complex, c32, COMPLEX),
	ELEMENT(MPI_CXX_DOUBLE_COMPLEX, double _Complex, c64, COMPLEX),
	ELEMENT(MPI_CXX_LONG_DOUBLE_COMPLEX, long double _Complex, cld,
		COMPLEX),
	ELEMENT(MPI_BYTE, unsigned char, byte, BYTE),
	ELEMENT(MPI_CHAR, char, char, OPAQUE),
	ELEMENT(MPI_WCHAR, wchar_t, wchar, OPAQUE),
	ELEMENT(MPI_CHARACTER, char, char, OPAQUE),
	ELEMENT(MPI_INTEGER, int, i32, INTEGER),
	ELEMENT(MPI_INTEGER1, int8_t, i8, INTEGER),
	ELEMENT(MPI_INTEGER2, int16_t, i16, INTEGER),
	ELEMENT(MPI_INTEGER4, int32_t, i32, INTEGER),
	ELEMENT(MPI_INTEGER8, int64_t, i64, INTEGER),
#ifdef MPI_INTEGER16
	ELEMENT(MPI_INTEGER16, __int128, i128, INTEGER),
#endif
	ELEMENT(MPI_REAL, float, f32, FLOAT),
	ELEMENT(MPI_REAL4, float, f32, FLOAT),
	ELEMENT(MPI_REAL8, double, f64, FLOAT),
	ELEMENT(MPI_REAL16, __float128, f128, FLOAT),
	ELEMENT(MPI_DOUBLE_PRECISION, double, f64, FLOAT),
	ELEMENT(MPI_COMPLEX, float _Complex, c32, COMPLEX),
	ELEMENT(MPI_COMPLEX8, float _Complex, c32, COMPLEX),
	ELEMENT(MPI_COMPLEX16, double _Complex, c64, COMPLEX),
	ELEMENT(MPI_DOUBLE_COMPLEX, double _Complex, c64, COMPLEX),
	ELEMENT(MPI_LOGICAL, int32_t, l32, LOGICAL),
#ifdef OPEN_MPI
	ELEMENT(MPI_LOGICAL1, int8_t, l8, LOGICAL),
	ELEMENT(MPI_LOGICAL2, int16_t, l16, LOGICAL),
	ELEMENT(MPI_LOGICAL4, int32_t, l32, LOGICAL),
	ELEMENT(MPI_LOGICAL8, int64_t, l64, LOGICAL),
#endif
	ELEMENT(MPI_FLOAT_INT, struct pair_float_int, float_int, PAIR),
	ELEMENT(MPI_DOUBLE_INT, struct pair_double_int, double_int, PAIR),
	ELEMENT(MPI_LONG_INT, struct pair_long_int, long_int, PAIR),
	ELEMENT(MPI_2INT, struct pair_2int, 2int, PAIR),
	ELEMENT(MPI_SHORT_INT, struct pair_short_int, short_int, PAIR),
	ELEMENT(MPI_LONG_DOUBLE_INT, struct pair_ld_int, ld_int, PAIR),
	ELEMENT(MPI_2REAL, struct pair_2real, 2real, PAIR),
	ELEMENT(MPI_2DOUBLE_PRECISION, struct pair_2double, 2double, PAIR),
	ELEMENT(MPI_2INTEGER, struct pair_2int, 2int, PAIR),
};

#define ELEMENT_COUNT (sizeof(elements) / sizeof(elements[0]))
#define ELEMENT_MAX   32 /* bytes of the largest */

/* Does this host have the type, as large as the C type? */
static inline bool element_exists(const struct element *e)
{
	MPI_Aint lb, extent;
	int size = 0;

	if (e->type == MPI_DATATYPE_NULL)
		return false;
	MPI_Type_size(e->type, &size);
	if (!size)
		return false;
	MPI_Type_get_extent(e->type, &lb, &extent);
	return (size_t)extent == e->size;
}

static inline void element_fill(const struct element *e, void *buf, size_t n,
				int seed)
{
	size_t i;

	memset(buf, 0, n * e->size);
	for (i = 0; i < n; i++)
		e->make((char *)buf + i * e->size, seed + (int)i);
}

/* The first of n elements that differs, or n. */
static inline size_t element_differs(const struct element *e, const void *a,
				     const void *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!e->equal((const char *)a + i * e->size,
			      (const char *)b + i * e->size))
			break;
	return i;
}

static inline void element_apply(const struct element *e, enum op op, void *a,
				 const void *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		e->apply(op, (char *)a + i * e->size,
			 (const char *)b + i * e->size);
}

#endif
