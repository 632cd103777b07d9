/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scatter.h - elements that were fetched into an array, on their way to the
 * user's result buffer, which has another layout.
 */
#ifndef ORL_SCATTER_H
#define ORL_SCATTER_H

#include "orl_type.h"

struct orl_scatter {
	const struct orl_type *type; /* of the result buffer, */
	void *to;		     /* which may describe more than that */
	const void *from;
	size_t count; /* elements */
};

void orl_scatter_run(const struct orl_scatter *scatter);

#endif
