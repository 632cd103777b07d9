/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.c - the kernels in the compiler's default instruction set, and the
 * choice between the tables.
 *
 * Why a table for each instruction set and not target_clones: those need an
 * indirect function each, which is resolved before a sanitizer's run-time has
 * been started, and which not every C library has.  AVX2 moves 64 KiB of
 * doubles through SUM, MIN or BAND as fast as memcpy does, SSE2 at 0.6 to
 * 0.8 of that; AVX-512 gained no more but for operands in the first-level
 * cache.
 */
#include "orl_acc.h"

#define KERNEL
#define KERNEL_TABLE orl_kernels_base
#include "kernel_body.h"

orl_kernel_fn orl_kernel(enum orl_op op, enum orl_kind kind)
{
	if (has_avx2())
		return orl_kernels_avx2[kind][op];
	return orl_kernels_base[kind][op];
}
