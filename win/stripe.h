/* SPDX-License-Identifier: BSD-3-Clause */
/* stripe.h - blocks of bytes that repeat, as datatypes lay them out. */
#ifndef ORL_STRIPE_H
#define ORL_STRIPE_H

#include <stdbool.h>
#include <stdint.h>

struct orl_stripe {
	uint64_t at;	 /* of the first block */
	uint64_t len;	 /* of each */
	uint64_t n;	 /* blocks, 1 at least */
	uint64_t stride; /* if n > 1: more than len */
};

/* Blocks that touch or overlap become one; stride may be negative. */
struct orl_stripe orl_stripe_make(uint64_t at, uint64_t len, uint64_t n,
				  int64_t stride);

/* The last byte. */
static inline uint64_t orl_stripe_last(const struct orl_stripe *s)
{
	return s->at + (s->n - 1) * s->stride + s->len - 1;
}

/* Bytes in all blocks. */
static inline uint64_t orl_stripe_bytes(const struct orl_stripe *s)
{
	return s->n * s->len;
}

/* Have they a byte in common?  O(blocks of the one that has fewer). */
bool orl_stripe_meets(const struct orl_stripe *a, const struct orl_stripe *b);
/* The same; how far apart two blocks that have begin. */
bool orl_stripe_meets_at(const struct orl_stripe *a, const struct orl_stripe *b,
			 uint64_t *apart);

/* Does the second continue the first, both of one block? */
static inline bool orl_stripe_continues(const struct orl_stripe *a,
					const struct orl_stripe *b)
{
	return a->n == 1 && b->n == 1 && a->at + a->len == b->at;
}

/* A sum over what is there now: false if the memory is not mapped.  The sum
 * of a range whose length is a multiple of 8, continued by another. */
bool orl_stripe_sum(const struct orl_stripe *s, uint64_t *sum);

#define ORL_STRIPE_SUM 0x9e3779b97f4a7c15u /* of nothing */

#endif
