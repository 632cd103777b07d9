/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_util.c - memory that lives as long as one program, and the
 * generator of numbers (splitmix64): all ranks draw the same ones.
 */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (1 << 20)

struct chunk {
	struct chunk *next;
	size_t size;
	_Alignas(16) uint8_t bytes[];
};

static struct chunk *small_chunk, *big_chunks;
static size_t used;

static struct chunk *chunk_new(size_t size)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk) + size);

	if (!chunk) {
		fprintf(stderr, "random: no memory for %zu bytes\n", size);
		exit(1);
	}
	chunk->size = size;
	return chunk;
}

static void *alloc_big(size_t size)
{
	struct chunk *chunk = chunk_new(size);

	chunk->next = big_chunks;
	big_chunks = chunk;
	return chunk->bytes;
}

void *arena_alloc(size_t size)
{
	void *out;

	size = (size + 15) / 16 * 16;
	if (!small_chunk)
		small_chunk = chunk_new(CHUNK);
	if (size > CHUNK - used)
		return alloc_big(size);
	out = small_chunk->bytes + used;
	used += size;
	return out;
}

void arena_reset(void)
{
	while (big_chunks) {
		struct chunk *next = big_chunks->next;

		free(big_chunks);
		big_chunks = next;
	}
	if (small_chunk)
		memset(small_chunk->bytes, 0, used);
	used = 0;
}

uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

unsigned rng_below(struct rng *rng, unsigned n)
{
	return n ? (rng_next(rng) >> 32) % n : 0;
}

int rng_range(struct rng *rng, int low, int high)
{
	return low + (int)rng_below(rng, high - low + 1);
}

bool rng_chance(struct rng *rng, unsigned percent)
{
	return rng_below(rng, 100) < percent;
}

void rng_fill(struct rng *rng, void *buf, size_t len)
{
	uint8_t *to = buf;

	while (len) {
		uint64_t z = rng_next(rng);
		size_t n = len < sizeof(z) ? len : sizeof(z);

		memcpy(to, &z, n);
		to += n;
		len -= n;
	}
}
