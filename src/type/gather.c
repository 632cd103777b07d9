/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather.c - between a typed buffer and an array of its elements, both of
 * this process.  Holes of padded pairs are neither read nor written: the
 * last one may lie outside the user's buffer.
 */
#include "orl_type.h"

void orl_type_gather(const struct orl_type *type, size_t count, const void *buf,
		     void *elements)
{
	const struct orl_type *array = &orl_basics[type->kind];

	orl_type_copy(array, type->elements * count, elements, type, count,
		      buf);
}

void orl_type_scatter(const struct orl_type *type, size_t count, void *buf,
		      const void *elements)
{
	const struct orl_type *array = &orl_basics[type->kind];

	orl_type_copy(type, count, buf, array, type->elements * count,
		      elements);
}
