/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.h - the tables of kernels, one for each instruction set, and which
 * of them this processor takes.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>

#include "orl_acc.h"

/* The line of memory that a mask is of, a bit for each lane of it: as many
 * bytes, or one of elements that are smaller. */
#define ORL_KERNEL_LANE 4

/*
 * Of n elements at target, stride bytes apart, with origin's, origin_stride
 * bytes apart.
 */
typedef void (*orl_spaced_fn)(void *target, ptrdiff_t stride,
			      const void *origin, ptrdiff_t origin_stride,
			      size_t n);
/*
 * Of n lines of memory, stride bytes apart, the first one at target: the
 * elements that the mask has, which is not empty.  Operands are step bytes
 * apart from line to line.
 */
typedef void (*orl_lines_fn)(void *target, ptrdiff_t stride, const void *origin,
			     ptrdiff_t step, uint64_t mask, size_t n);

/* All forms of a kernel do the same to an element. */
struct orl_kernel {
	orl_kernel_fn array; /* NULL where the op does not fit the kind */
	orl_spaced_fn spaced;
	/* May be NULL, both: of a line's operands side by side, where smaller
	 * ones than a lane need orl_kernels_bytes_run(); of operands that lie
	 * as the line's elements do, by masks of bytes. */
	orl_lines_fn lines;
	orl_lines_fn alike;
};

typedef const struct orl_kernel orl_kernel_table[ORL_KIND_COUNT][ORL_OP_COUNT];

extern orl_kernel_table orl_kernels_base;
extern orl_kernel_table orl_kernels_avx2;
extern orl_kernel_table orl_kernels_avx512;

/* In the table that was chosen. */
const struct orl_kernel *orl_kernel_forms(enum orl_op op, enum orl_kind kind);

/* Has this processor what they take? */
bool orl_kernels_avx2_run(void);
bool orl_kernels_avx512_run(void);
/* With lines of small elements? */
bool orl_kernels_bytes_run(void);

/* Elsewhere these tables are there, and are the base one by another name. */
#if defined(__x86_64__) && defined(__clang__)
#define KERNEL_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX512                                                          \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"),           \
		       min_vector_width(512)))
#define KERNEL_BYTES                                                           \
	__attribute__((                                                        \
		target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2"),      \
		min_vector_width(512)))
#elif defined(__x86_64__)
#define KERNEL_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX512                                                          \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,"            \
			      "prefer-vector-width=512")))
#define KERNEL_BYTES                                                           \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,"            \
			      "avx512vbmi2,prefer-vector-width=512")))
#else
#define KERNEL_AVX2
#define KERNEL_AVX512
#endif

#endif
