/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates give the bits that C's operators give, for values that are
 * easily got wrong: NaN of both sorts, infinities, zeros with a sign, what is
 * rounded, the extremes of integers, truth that is not 1, pairs of all those;
 * and the same bits for one element, a few, many, strided and misaligned.
 */
/* ranks: 1 2; paths: default cma */
#include "elements.h"

#include <stddef.h>

#define VALUES 18		 /* of a type, at most */
#define N      (VALUES * VALUES) /* each of them on each */
#define ROOM   (2 * N * 16 + 16)

enum form { WHOLE, REAL, COMPLEX_OF, PAIR_OF };

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
#define REALS (sizeof(bits64) / sizeof(bits64[0]))
static const size_t moderate[] = { 2, 6, 7, 8 };

static void put_real(unsigned char *to, size_t size, size_t which)
{
	if (size == 4)
		memcpy(to, &bits32[which], 4);
	else
		memcpy(to, &bits64[which], 8);
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
	switch (t->form) {
	case WHOLE:
		return WHOLES;
	case REAL:
		return REALS;
	case COMPLEX_OF:
		return 16;
	default:
		return 18;
	}
}

static void put_value(const struct type *t, unsigned char *to, size_t which)
{
	const int index = (int)(which % 3) - 1;
	const size_t size = t->size;

	if (t->form == REAL) {
		put_real(to, size, which);
	} else if (t->form == COMPLEX_OF) {
		put_real(to, size, moderate[which % 4]);
		put_real(to + size, size, moderate[which / 4]);
	} else if (t->form == WHOLE) {
		put_whole(to, size, which);
	} else {
		if (t->real)
			put_real(to, size, which / 3);
		else
			put_whole(to, size, which / 3 + 2);
		memcpy(to + t->second, &index, sizeof(index));
	}
}

/* -- what is to come of them -----------------------------------------------*/

static __int128 whole(const unsigned char *at, size_t size, bool sign)
{
	__int128 value = sign && at[size - 1] & 0x80 ? -1 : 0;

	memcpy(&value, at, size);
	return value;
}

/* The bits of a float in the order of their values; false: a NaN. */
static bool order_of(const unsigned char *at, size_t size, int64_t *order)
{
	const int64_t inf = size == 4 ? 0x7f800000 : 0x7ff0000000000000;
	const int64_t sign = INT64_MIN >> (64 - 8 * size);
	const int64_t bits = (int64_t)whole(at, size, true);

	*order = bits < 0 ? -(bits & ~sign) : bits;
	return (bits & ~sign) <= inf;
}

/* Of two numbers: -1, 0, 1, or 2 where there is no order. */
static int compare(const struct type *t, const unsigned char *a,
		   const unsigned char *b)
{
	int64_t x, y;

	if (!t->real) {
		const __int128 i = whole(a, t->size, t->sign);
		const __int128 k = whole(b, t->size, t->sign);

		return (i > k) - (i < k);
	}
	if (!order_of(a, t->size, &x) || !order_of(b, t->size, &y))
		return 2;
	return (x > y) - (x < y);
}

/* Rounded once, to the type's own precision. */
static void round_to(const struct type *t, unsigned char *to, __float128 value)
{
	const double d = (double)value;
	const float f = (float)value;

	if (t->size == 4)
		memcpy(to, &f, 4);
	else
		memcpy(to, &d, 8);
}

static __float128 number(const struct type *t, const unsigned char *at)
{
	double d;
	float f;

	if (t->size == 4)
		return memcpy(&f, at, 4), f;
	return memcpy(&d, at, 8), d;
}

static __float128 rounded(const struct type *t, __float128 value)
{
	unsigned char bytes[8];

	round_to(t, bytes, value);
	return number(t, bytes);
}

static void want_real(const struct type *t, enum op op, unsigned char *a,
		      const unsigned char *b)
{
	const __float128 x = number(t, a), y = number(t, b);

	round_to(t, a, op == SUM ? x + y : x * y);
}

/* Products are rounded before they are added. */
static void want_complex(const struct type *t, enum op op, unsigned char *a,
			 const unsigned char *b)
{
	const __float128 re = number(t, a), im = number(t, a + t->second);
	const __float128 x = number(t, b), y = number(t, b + t->second);

	if (op == SUM) {
		round_to(t, a, re + x);
		round_to(t, a + t->second, im + y);
		return;
	}
	round_to(t, a, rounded(t, re * x) - rounded(t, im * y));
	round_to(t, a + t->second, rounded(t, re * y) + rounded(t, im * x));
}

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
	} else if (t->form == WHOLE) {
		want_whole(t, op, a, b);
	} else if (t->form == REAL) {
		want_real(t, op, a, b);
	} else {
		want_complex(t, op, a, b);
	}
}

/* Of a NaN that arithmetic made the bits are free, but that it is quiet. */
static bool is_same(const struct type *t, enum op op, const unsigned char *a,
		    const unsigned char *b)
{
	int64_t x, y;

	if (t->form == REAL && (op == SUM || op == PROD) &&
	    !order_of(a, t->size, &x))
		return !order_of(b, t->size, &y) &&
		       whole(b, t->size, false) >> (t->size == 4 ? 22 : 51) & 1;
	return !memcmp(a, b, t->size) &&
	       (!t->second || !memcmp(a + t->second, b + t->second, t->width));
}

/* -- ways to do it ---------------------------------------------------------*/

struct trial {
	struct test_win *w;
	const struct type *t;
	enum op op;
	int n;
	MPI_Aint begin, step; /* of the elements in the window */
	unsigned char origin[N * 16], before[N * 16], wanted[N * 16];
	unsigned char fetched[N * 16], after[N * 16];
};

typedef void (*way_fn)(struct trial *a);

static MPI_Aint at(const struct trial *a, int i)
{
	return test_at(a->w, test_next(), a->begin + i * a->step);
}

static void one_by_one(struct trial *a)
{
	for (int i = 0; i < a->n; i++)
		MPI_Fetch_and_op(a->origin + i * a->t->extent,
				 a->fetched + i * a->t->extent, a->t->type,
				 test_next(), at(a, i), op_handle(a->op),
				 a->w->win);
}

static void in_groups(struct trial *a, int group)
{
	for (int i = 0; i < a->n; i += group) {
		const int n = a->n - i < group ? a->n - i : group;
		const size_t off = (size_t)i * a->t->extent;

		MPI_Get_accumulate(a->origin + off, n, a->t->type,
				   a->fetched + off, n, a->t->type, test_next(),
				   at(a, i), n, a->t->type, op_handle(a->op),
				   a->w->win);
	}
}

static void in_threes(struct trial *a)
{
	in_groups(a, 3);
}

static void at_once(struct trial *a)
{
	in_groups(a, a->n);
}

static void spread(struct trial *a)
{
	MPI_Datatype type;

	MPI_Type_create_hvector(a->n, 1, a->step, a->t->type, &type);
	MPI_Type_commit(&type);
	MPI_Get_accumulate(a->origin, a->n, a->t->type, a->fetched, a->n,
			   a->t->type, test_next(), at(a, 0), 1, type,
			   op_handle(a->op), a->w->win);
	MPI_Type_free(&type);
}

static void fill(struct trial *a)
{
	const size_t values = values_of(a->t), extent = a->t->extent;

	a->n = (int)(values * values);
	memset(a->before, 0, sizeof(a->before));
	memset(a->fetched, 0, sizeof(a->fetched));
	memset(a->after, 0, sizeof(a->after));
	memset(a->origin, 0, sizeof(a->origin));
	for (size_t i = 0; i < (size_t)a->n; i++) {
		put_value(a->t, a->before + i * extent, i / values);
		put_value(a->t, a->origin + i * extent, i % values);
	}
	memcpy(a->wanted, a->before, sizeof(a->before));
	for (size_t i = 0; i < (size_t)a->n; i++)
		want(a->t, a->op, a->wanted + i * extent,
		     a->origin + i * extent);
}

/* All elements, to the window or from it. */
static void transfer(struct trial *a, const void *put, void *got)
{
	const int target = test_next();
	MPI_Datatype type;

	MPI_Type_create_hvector(a->n, 1, a->step, a->t->type, &type);
	MPI_Type_commit(&type);
	if (put)
		MPI_Put(put, a->n, a->t->type, target, at(a, 0), 1, type,
			a->w->win);
	else
		MPI_Get(got, a->n, a->t->type, target, at(a, 0), 1, type,
			a->w->win);
	MPI_Win_flush(target, a->w->win);
	MPI_Type_free(&type);
}

static void try(struct trial *a, const char *name, way_fn way)
{
	const size_t extent = a->t->extent, values = values_of(a->t);

	fill(a);
	transfer(a, a->before, NULL);
	way(a);
	MPI_Win_flush(test_next(), a->w->win);
	transfer(a, NULL, a->after);
	for (size_t i = 0; i < (size_t)a->n; i++) {
		const size_t off = i * extent;

		check(is_same(a->t, NO_OP, a->before + off, a->fetched + off),
		      "%s of %s %s, target %zu, origin %zu: fetched another",
		      op_name(a->op), a->t->name, name, i / values, i % values);
		check(is_same(a->t, a->op, a->wanted + off, a->after + off),
		      "%s of %s %s, target %zu, origin %zu", op_name(a->op),
		      a->t->name, name, i / values, i % values);
	}
}

static void each_way(struct trial *a)
{
	static const struct {
		const char *name;
		way_fn way;
		MPI_Aint begin, step; /* step 0: contiguous */
	} ways[] = {
		{ "one by one", one_by_one, 0, 0 },
		{ "in threes", in_threes, 0, 0 },
		{ "at once", at_once, 0, 0 },
		{ "spread", spread, 16, 32 },
		{ "one by one, misaligned", one_by_one, 3, 0 },
		{ "at once, misaligned", at_once, 5, 0 },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		a->begin = ways[i].begin;
		a->step = ways[i].step ? ways[i].step : (MPI_Aint)a->t->extent;
		try(a, ways[i].name, ways[i].way);
	}
}

/* -- what is tried ---------------------------------------------------------*/

#define NUMBER(name, form, T, real, sign)                                      \
	{                                                                      \
#name, name, form, real, sign, sizeof(T), sizeof(T), 0, 0      \
	}
#define COUPLE(name, form, T, fields, real, index)                             \
	{                                                                      \
#name, name, form, real, true, sizeof(T), sizeof(fields),      \
			offsetof(fields, i), sizeof(index)                     \
	}

struct floats {
	float v, i;
};
struct doubles {
	double v, i;
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
};

static bool fits(enum op op, const struct type *t)
{
	static const enum class classes[] = { INTEGER, FLOAT, COMPLEX, PAIR };

	return op_fits(op, classes[t->form]);
}

int main(int argc, char **argv)
{
	static struct trial trial;
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts have arithmetic of their own");
	trial.w = &w;
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (kind != KIND_ALLOCATE && kind != KIND_CREATE)
			continue;
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, ROOM, 1);
		MPI_Win_lock_all(0, w.win);
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
			trial.t = &types[i];
			for (trial.op = 0; trial.op < OP_COUNT; trial.op++)
				if (fits(trial.op, trial.t))
					each_way(&trial);
		}
		MPI_Win_unlock_all(w.win);
		test_win_close(&w);
	}
	return test_finish();
}
