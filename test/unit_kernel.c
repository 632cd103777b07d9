/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: in each instruction set that this processor has, the kernels of byte
 * and complex products make what C makes of each element alone: all products
 * of two bytes; infinities, NaNs and rounding without fused operations of
 * complex numbers; wherever in a row they stand.
 */
#include <complex.h>
#include <math.h>

#include "../atomics/kernel.h"
#include "process.h"

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

static void try(orl_kernel_table *table, const char *set)
{
	printf("# %s\n", set);
	bytes(table);
	floats(table);
	doubles(table);
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
