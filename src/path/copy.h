/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy.h - copies that are one load and one store at the sizes of elements:
 * an aligned element is never seen half written.
 */
#ifndef ORL_COPY_H
#define ORL_COPY_H

#include <stddef.h>
#include <string.h>

/* The ranges may overlap: a process may put to itself. */
static inline void orl_copy(void *dst, const void *src, size_t len)
{
	switch (len) {
	case 8:
		__builtin_memcpy(dst, src, 8);
		break;
	case 4:
		__builtin_memcpy(dst, src, 4);
		break;
	case 16:
		__builtin_memcpy(dst, src, 16);
		break;
	case 2:
		__builtin_memcpy(dst, src, 2);
		break;
	case 1:
		__builtin_memcpy(dst, src, 1);
		break;
	default:
		memmove(dst, src, len);
	}
}

#endif
