/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * strided.h - small blocks of a layout at regular distances, in mapped memory:
 * many are combined by one call, where they are or in an array of their
 * elements, and nothing between them is written.
 */
#ifndef STRIDED_H
#define STRIDED_H

#include <stdlib.h>

#include "orl_type.h"

struct orl_job;

/* The blocks that come next, at most max elements together, if there are two
 * at least. */
static inline bool orl_strided_next(struct orl_cursor *cur, size_t max,
				    struct orl_run *row)
{
	const size_t len = cur->blocklen * cur->unit;

	/* Blocks that overlap are combined one after the other. */
	if ((size_t)labs(cur->stride) < len)
		return false;
	return orl_cursor_row(cur, max, row);
}

/*
 * Combines the row's elements, of which the first is at blocks, with those of
 * as many blocks at origin, step bytes apart: side by side, or as the row's.
 * At most ORL_JOB_CHUNK bytes.
 */
void orl_strided_combine(struct orl_job *job, void *blocks,
			 const struct orl_run *row, const void *origin,
			 ptrdiff_t step);

#endif
