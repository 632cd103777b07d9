/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_ops.c - what each operation makes of two values, in the widest
 * arithmetic there is; and values for which that is exact.
 */
#include "random.h"

#include <string.h>

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

/* A whole number keeps its 64 bits in i, any other number is in f. */
struct value {
	__int128 i;
	long double f;
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

static __int128 int_op(enum rop rop, __int128 a, __int128 b)
{
	switch (rop) {
	case ROP_SUM:
		return a + b + mutated("sum");
	case ROP_PROD: /* of the low 64 bits, which is all that counts */
		return (unsigned __int128)a * (unsigned __int128)b;
	case ROP_MAX:
		return a > b ? a : b;
	case ROP_MIN:
		return a < b ? a : b;
	case ROP_LAND:
		return a && b;
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

static long double float_op(enum rop rop, long double a, long double b)
{
	switch (rop) {
	case ROP_SUM:
		return a + b;
	case ROP_PROD:
		return a * b;
	case ROP_MAX:
		return a > b ? a : b;
	case ROP_MIN:
		return a < b ? a : b;
	default:
		return a;
	}
}

static void apply_number(enum number num, enum rop rop, void *target,
			 const void *origin)
{
	struct value a = value_load(num, target);
	struct value b = value_load(num, origin);

	a.i = int_op(rop, a.i, b.i);
	a.f = float_op(rop, a.f, b.f);
	value_store(num, target, a);
}

static void apply_complex(const struct basic *basic, enum rop rop,
			  uint8_t *target, const uint8_t *origin)
{
	enum number num = basic->first;
	int off = basic->second_off;
	long double a = value_load(num, target).f;
	long double b = value_load(num, target + off).f;
	long double c = value_load(num, origin).f;
	long double d = value_load(num, origin + off).f;
	bool sum = rop == ROP_SUM;

	value_store(num, target,
		    (struct value){ .f = sum ? a + c : a * c - b * d });
	value_store(num, target + off,
		    (struct value){ .f = sum ? b + d : a * d + b * c });
}

/* The smaller index of two equal values. */
static void apply_pair(const struct basic *basic, enum rop rop, uint8_t *target,
		       const uint8_t *origin)
{
	struct value a = value_load(basic->first, target);
	struct value b = value_load(basic->first, origin);
	struct value i = value_load(basic->second, target + basic->second_off);
	struct value k = value_load(basic->second, origin + basic->second_off);
	bool less = is_less(b, a), more = is_less(a, b);
	bool take = rop == ROP_MINLOC ? less : more;

	if (!less && !more)
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
		apply_number(basic->first, rop, target, origin);
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

void basic_random(struct rng *rng, const struct basic *basic, enum rop rop,
		  void *value)
{
	uint8_t *out = value;

	rng_fill(rng, out, basic->extent);
	if (basic->form == FORM_LOGICAL)
		value_store(basic->first, out,
			    value_of(basic->first, rng_below(rng, 2)));
	if (!basic->strict || basic->form == FORM_LOGICAL)
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
