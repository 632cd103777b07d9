/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lines.c - rows of small blocks, a line of memory at a time: what is between
 * the blocks is masked off, and neither read nor written.
 */
#include "orl_type.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Blocks in a line from which on it is faster than block by block. */
#define MANY 4

/*
 * Masks of the lines of a row that has no ends, in which some block begins at
 * the lane at, from the line of lane 0 on.
 */
static void make_masks(struct orl_lines *lines, ptrdiff_t lanes, ptrdiff_t at,
		       ptrdiff_t len, ptrdiff_t stride)
{
	const uint64_t line = ~0ull >> (64 - lanes);
	const uint64_t block = ~0ull >> (64 - len);
	uint64_t mask;
	size_t i;

	at = at % stride - stride;
	for (i = 0; i < lines->period; i++) {
		/* The block before may go on in this line. */
		mask = at > -len ? block >> -at : 0;
		for (at += stride; at < lanes; at += stride)
			mask |= block << at;
		lines->masks[i] = mask & line;
		at -= stride + lanes;
	}
}

void orl_lines_make(struct orl_lines *lines, const void *blocks,
		    const struct orl_run *row, size_t len, size_t lane)
{
	const size_t lanes = ORL_LINE / lane;
	const size_t stride = (size_t)row->stride / lane;
	const size_t step = stride & -stride; /* both a power of 2 and in it */
	const size_t period = stride / (step < lanes ? step : lanes);
	const size_t phase = (uintptr_t)blocks % ORL_LINE / lane;
	const size_t end = phase + (row->blocks - 1) * stride + len / lane;
	const size_t last = (end - 1) / lanes;

	lines->period = period;
	lines->between = last - 1;
	make_masks(lines, (ptrdiff_t)lanes,
		   (ptrdiff_t)(phase + (period - 1) * lanes),
		   (ptrdiff_t)(len / lane), (ptrdiff_t)stride);
	lines->head = lines->masks[period - 1] & (~0ull << phase);
	lines->tail = lines->masks[(last - 1) % period] &
		      (~0ull >> (64 - lanes) >> (-end % lanes));
}

#ifdef __x86_64__

#define BYTES __attribute__((target("avx512f,avx512bw,avx512vbmi2")))

BYTES static char *pick(char *dst, const char *line, const uint64_t *masks,
			size_t period, size_t n)
{
	size_t i = 0;

	for (; n; n--, line += ORL_LINE) {
		const __mmask64 mask = masks[i];
		const int len = __builtin_popcountll(mask);
		const __m512i bytes = _mm512_maskz_loadu_epi8(mask, line);

		_mm512_mask_storeu_epi8(
			dst, ~0ull >> ((64 - len) % 64),
			_mm512_maskz_compress_epi8(mask, bytes));
		dst += len;
		i = i + 1 == period ? 0 : i + 1;
	}
	return dst;
}

static bool is_worth_it(const struct orl_run *row)
{
	return orl_lines_fit(row, row->blocklen) &&
	       row->stride <= ORL_LINE / MANY &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vbmi2");
}

bool orl_lines_pick(void *dst, const void *blocks, const struct orl_run *row)
{
	const char *line = (const char *)blocks - (uintptr_t)blocks % ORL_LINE;
	struct orl_lines all;
	char *to = dst;

	if (!is_worth_it(row))
		return false;
	orl_lines_make(&all, blocks, row, row->blocklen, 1);
	to = pick(to, line, &all.head, 1, 1);
	line += ORL_LINE;
	to = pick(to, line, all.masks, all.period, all.between);
	line += all.between * ORL_LINE;
	pick(to, line, &all.tail, 1, 1);
	return true;
}

#else

bool orl_lines_pick(void *dst, const void *blocks, const struct orl_run *row)
{
	return false;
}

#endif
