/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.c - the kernels in the compiler's default instruction set, and the
 * choice between the tables, made when the library is loaded.
 *
 * Why a table for each instruction set and not target_clones: those need an
 * indirect function each, which is resolved before a sanitizer's run-time has
 * been started, and which not every C library has.  AVX2 moves 64 KiB of
 * doubles through SUM, MIN or BAND as fast as memcpy does, SSE2 at 0.6 to
 * 0.8 of that; AVX-512 gains for operands in the first-level cache.
 */
#include "kernel.h"

#define KERNEL
#define KERNEL_TABLE orl_kernels_base
#include "kernel_body.h"

static orl_kernel_table *kernels = &orl_kernels_base;

bool orl_kernels_avx2_run(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

bool orl_kernels_avx512_run(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl");
#else
	return false;
#endif
}

bool orl_kernels_bytes_run(void)
{
#ifdef __x86_64__
	return orl_kernels_avx512_run() &&
	       __builtin_cpu_supports("avx512vbmi2");
#else
	return false;
#endif
}

static void __attribute__((constructor)) choose(void)
{
#ifdef __x86_64__
	__builtin_cpu_init();
#endif
	if (orl_kernels_avx512_run())
		kernels = &orl_kernels_avx512;
	else if (orl_kernels_avx2_run())
		kernels = &orl_kernels_avx2;
}

const char *orl_kernel_set(void)
{
	if (kernels == &orl_kernels_base)
		return "base";
	return kernels == &orl_kernels_avx2 ? "avx2" : "avx512";
}

orl_kernel_fn orl_kernel(enum orl_op op, enum orl_kind kind)
{
	return (*kernels)[kind][op].array;
}

const struct orl_kernel *orl_kernel_forms(enum orl_op op, enum orl_kind kind)
{
	return &(*kernels)[kind][op];
}
