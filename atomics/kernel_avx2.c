/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_avx2.c - the kernels for processors that have AVX2. */
#include "kernel.h"

#define KERNEL	     KERNEL_AVX2
#define KERNEL_TABLE orl_kernels_avx2
#include "kernel_body.h"
