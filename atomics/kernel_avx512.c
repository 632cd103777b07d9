/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_avx512.c - the kernels for processors that have AVX-512. */
#include "kernel.h"

#define KERNEL KERNEL_AVX512
#ifdef __x86_64__
#define KERNEL_LINES
#endif
#define KERNEL_TABLE orl_kernels_avx512
#include "kernel_body.h"
