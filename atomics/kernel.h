/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.h - the tables of kernels, one for each instruction set, and which
 * of them this processor takes.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>

#include "orl_acc.h"

extern const orl_kernel_fn orl_kernels_base[ORL_KIND_COUNT][ORL_OP_COUNT];
extern const orl_kernel_fn orl_kernels_avx2[ORL_KIND_COUNT][ORL_OP_COUNT];

#ifdef __x86_64__
#define KERNEL_AVX2 __attribute__((target("avx2")))

static inline bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}
#else
/* The table is there, and is the base one by another name. */
#define KERNEL_AVX2

static inline bool has_avx2(void)
{
	return false;
}
#endif

#endif
