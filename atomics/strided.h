/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * strided.h - which blocks of a layout in mapped memory are so small that
 * many of them are better combined in an array of their elements, by one call
 * of a kernel, than each by a call of its own.
 */
#ifndef STRIDED_H
#define STRIDED_H

#include <stdlib.h>

#include "orl_type.h"

/* Bytes of a block: up to these copies have a constant length. */
#define ORL_STRIDED_MOST 32

/* A row of at most max elements, if what comes next is one worth it. */
static inline bool orl_strided_next(struct orl_cursor *cur, size_t max,
				    struct orl_run *row)
{
	const size_t len = cur->blocklen * cur->unit;

	/* Blocks that overlap are combined one after the other. */
	if (len > ORL_STRIDED_MOST || (size_t)labs(cur->stride) < len)
		return false;
	return orl_cursor_row(cur, max, row);
}

#endif
