/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.h - the tables of kernels, one for each instruction set, and which
 * of them this processor takes.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>

#include "orl_acc.h"

typedef const orl_kernel_fn orl_kernel_table[ORL_KIND_COUNT][ORL_OP_COUNT];

extern orl_kernel_table orl_kernels_base;
extern orl_kernel_table orl_kernels_avx2;
extern orl_kernel_table orl_kernels_avx512;

/* Has this processor what they take? */
bool orl_kernels_avx2_run(void);
bool orl_kernels_avx512_run(void);

/* Elsewhere these tables are there, and are the base one by another name. */
#if defined(__x86_64__) && defined(__clang__)
#define KERNEL_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX512                                                          \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"),           \
		       min_vector_width(512)))
#elif defined(__x86_64__)
#define KERNEL_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX512                                                          \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,"            \
			      "prefer-vector-width=512")))
#else
#define KERNEL_AVX2
#define KERNEL_AVX512
#endif

#endif
