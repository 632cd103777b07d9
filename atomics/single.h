/* SPDX-License-Identifier: BSD-3-Clause */
/* single.h - compare-and-swap of one aligned element, by CPU atomic. */
#ifndef SINGLE_H
#define SINGLE_H

/* *result becomes the value before; compares bits. */
typedef void (*orl_cas_fn)(void *target, const void *origin,
			   const void *compare, void *result);

/* By size in bytes: 1, 2, 4 and 8, else NULL. */
extern const orl_cas_fn orl_single_cas[9];

#endif
