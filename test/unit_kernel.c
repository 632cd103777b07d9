/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: in each instruction set that this processor has, the kernels of byte
 * and complex products make what C makes of each element alone: all products
 * of two bytes; infinities, NaNs and rounding without fused operations of
 * complex numbers; wherever in a row they stand.  So do those of pairs, of
 * any number, which leave the padding as it is.
 */
#include <complex.h>
#include <math.h>

#include "../atomics/kernel.h"
#include "acc_model.h"

#define N 1000 /* not a multiple of any slice */

static void bytes(orl_kernel_table *table)
{
	static uint8_t target[1 << 16], origin[1 << 16];

	for (unsigned shift = 0; shift < 2; shift++) {
		for (unsigned i = 0; i < 1 << 16; i++) {
			target[i] = (uint8_t)i;
			origin[i] = (uint8_t)(i >> 8);
		}
		(*table)[ORL_I8][ORL_PROD].array(target + shift, origin + shift,
						 (1 << 16) - 2 * shift - 1);
		for (unsigned i = shift; i < (1 << 16) - shift - 1; i++)
			check(target[i] == (uint8_t)((i & 255) * (i >> 8)));
	}
}

/* Every seventh is odd in one way or another, but in some slices none is. */
static double number(uint64_t *seed, unsigned i)
{
	static const double odd[] = { INFINITY, -INFINITY, NAN, 0, -0.0 };
	const int64_t any = (int64_t)next_random(seed);

	if (i / 200 % 2 && any % 7 == 0)
		return odd[(uint64_t)any / 7 % 5];
	return (double)any / 3e15;
}

static bool is_same(double a, double b)
{
	return a == b ? signbit(a) == signbit(b) : isnan(a) && isnan(b);
}

/* The volatile ones are multiplied one by one. */
#define COMPLEX(fn, type, kind)                                                \
	static void fn(orl_kernel_table *table)                                \
	{                                                                      \
		static type target[N], origin[N], before[N];                   \
		uint64_t seed = 1;                                             \
                                                                               \
		for (unsigned i = 0; i < N; i++) {                             \
			before[i] = target[i] =                                \
				CMPLX(number(&seed, i), number(&seed, i));     \
			origin[i] = CMPLX(number(&seed, i), number(&seed, i)); \
		}                                                              \
		(*table)[kind][ORL_PROD].array(target, origin, N);             \
		for (unsigned i = 0; i < N; i++) {                             \
			volatile type a = before[i], b = origin[i];            \
			const type want = a * b;                               \
                                                                               \
			check(is_same(creal(want), creal(target[i])) &&        \
			      is_same(cimag(want), cimag(target[i])));         \
		}                                                              \
	}
COMPLEX(floats, float _Complex, ORL_C32)
COMPLEX(doubles, double _Complex, ORL_C64)

/* Few values, so that they are often the same. */
static void fill_pairs(unsigned char *elems, size_t n, enum orl_kind kind,
		       uint64_t *seed)
{
	const size_t extent = orl_kinds[kind].extent;

	fill(elems, n * extent, *seed);
	for (size_t i = 0; i < n; i++, elems += extent) {
		unsigned char elem[32];

		model_fill(elem, kind, seed);
		memcpy(elems, elem, model_first(kind));
		memcpy(elems + model_second(kind), elem + model_second(kind),
		       model_index(kind));
	}
}

static void pairs(orl_kernel_table *table, enum orl_kind kind, enum orl_op op)
{
	static unsigned char target[32 * 80], origin[32 * 80], want[32 * 80];
	const size_t extent = orl_kinds[kind].extent;
	uint64_t seed = kind;

	for (size_t n = 0; n < 70; n++) {
		fill_pairs(target, 80, kind, &seed);
		fill_pairs(origin, 80, kind, &seed);
		memcpy(want, target, sizeof(want));
		for (size_t i = 0; i < n; i++)
			model_combine(op, kind, want + i * extent,
				      origin + i * extent);
		(*table)[kind][op].array(target, origin, n);
		for (size_t i = 0; i < 80; i++)
			check(model_same(op, kind, want + i * extent,
					 target + i * extent));
	}
}

static void all_pairs(orl_kernel_table *table)
{
	for (unsigned kind = 0; kind < ORL_KIND_COUNT; kind++) {
		if (orl_kinds[kind].class != ORL_CLASS_PAIR)
			continue;
		pairs(table, kind, ORL_MAXLOC);
		pairs(table, kind, ORL_MINLOC);
		pairs(table, kind, ORL_REPLACE);
	}
}

static void try(orl_kernel_table *table, const char *set)
{
	printf("# %s\n", set);
	bytes(table);
	floats(table);
	doubles(table);
	all_pairs(table);
}

int main(void)
{
	try(&orl_kernels_base, "base");
	if (orl_kernels_avx2_run())
		try(&orl_kernels_avx2, "avx2");
	if (orl_kernels_avx512_run())
		try(&orl_kernels_avx512, "avx512");
	return 0;
}
