/* SPDX-License-Identifier: BSD-3-Clause */
/* stripe.c - whether stripes meet, and the sum of what is in one. */
#include "stripe.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct orl_stripe orl_stripe_make(uint64_t at, uint64_t len, uint64_t n,
				  int64_t stride)
{
	struct orl_stripe s = { .at = at, .len = len, .n = n };

	if (n == 1)
		return s;
	s.stride = (uint64_t)(stride < 0 ? -stride : stride);
	if (stride < 0)
		s.at -= (n - 1) * s.stride;
	if (s.stride > len)
		return s;
	s.len += (n - 1) * s.stride;
	s.n = 1;
	s.stride = 0;
	return s;
}

/* Has a block of s any of the bytes first to last?  Where it begins. */
static bool touches(const struct orl_stripe *s, uint64_t first, uint64_t last,
		    uint64_t *begin)
{
	uint64_t i = 0;

	if (last < s->at)
		return false;
	/* The first block that does not end before them. */
	if (first >= s->at + s->len && s->n > 1)
		i = (first - s->at - s->len) / s->stride + 1;
	*begin = s->at + i * s->stride;
	return i<s->n && * begin <= last && * begin + s->len> first;
}

bool orl_stripe_meets_at(const struct orl_stripe *a, const struct orl_stripe *b,
			 uint64_t *apart)
{
	const struct orl_stripe *few = a->n < b->n ? a : b;
	const struct orl_stripe *many = few == a ? b : a;
	uint64_t i, begin;

	if (a->at > orl_stripe_last(b) || b->at > orl_stripe_last(a))
		return false;
	for (i = 0; i < few->n; i++) {
		uint64_t first = few->at + i * few->stride;

		if (!touches(many, first, first + few->len - 1, &begin))
			continue;
		*apart = first > begin ? first - begin : begin - first;
		return true;
	}
	return false;
}

bool orl_stripe_meets(const struct orl_stripe *a, const struct orl_stripe *b)
{
	uint64_t apart;

	return orl_stripe_meets_at(a, b, &apart);
}

/* Without a signal: msync does nothing here but tell. */
static bool is_mapped(const struct orl_stripe *s)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t first = s->at & ~(page - 1);

	return !msync((void *)first, orl_stripe_last(s) + 1 - first, MS_ASYNC);
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0xff51afd7ed558ccdu;
	return sum ^ sum >> 32;
}

static uint64_t sum_block(uint64_t sum, const char *from, uint64_t len)
{
	uint64_t i, word;

	for (i = 0; i < len; i += sizeof(word)) {
		word = 0;
		memcpy(&word, from + i,
		       len - i < sizeof(word) ? len - i : sizeof(word));
		sum = mix(sum, word);
	}
	return sum;
}

bool orl_stripe_sum(const struct orl_stripe *s, uint64_t *sum)
{
	uint64_t i;

	if (!is_mapped(s))
		return false;
	for (i = 0; i < s->n; i++)
		*sum = sum_block(*sum, (const char *)(s->at + i * s->stride),
				 s->len);
	return true;
}
