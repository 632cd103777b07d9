/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_input.h - inputs that fuzz_am makes for itself: messages that are nearly
 * right, and the same with some bytes changed.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include "../src/am/am.h"

#include <string.h>

#include "../atomics/owner.h"
#include "process.h"

#define WINDOW 4096 /* bytes, of a page */

struct output {
	uint8_t bytes[1 << 17];
	size_t len;
};

static inline void put(struct output *output, uint64_t value, size_t bytes)
{
	if (output->len + bytes > sizeof(output->bytes))
		return;
	memcpy(output->bytes + output->len, &value, bytes);
	output->len += bytes;
}

static inline void make_record(struct output *output, uint64_t *state)
{
	size_t at = output->len, most = next_random(state) % 8 ? 64 : 4000;
	size_t bytes = 8 + next_random(state) % most;

	put(output, 1 + next_random(state) % ORL_AM_TYPES, 1);
	put(output, next_random(state), 3);
	/* Of errors and answers, those that fit. */
	if (next_random(state) % 2)
		bytes = 8 + next_random(state) % 4 * 8;
	put(output, bytes, 4);
	/* What handlers read as numbers. */
	while (next_random(state) % 4 && output->len - at + 4 <= bytes)
		put(output, next_random(state) >> next_random(state) % 64, 4);
	while (output->len - at < bytes && output->len < sizeof(output->bytes))
		put(output, next_random(state) % 3 ? 1 : next_random(state), 1);
	while ((output->len - at) % 8 && output->len < sizeof(output->bytes))
		put(output, 0, 1);
}

/* Half of the elements at the window's end. */
static inline uint64_t make_off(uint64_t *state, unsigned kind)
{
	const size_t reach = orl_owner_reach((enum orl_kind)kind);

	return next_random(state) % 2 ? WINDOW - reach
				      : next_random(state) % (2 * WINDOW);
}

/* An accumulate of one element whose length is right. */
static inline void make_one(struct output *output, uint64_t *state)
{
	const bool is_cas = next_random(state) % 2;
	const unsigned kind = (unsigned)(next_random(state) % ORL_KIND_COUNT);
	const size_t operands = (is_cas ? 2u : 1u) * orl_kinds[kind].extent;
	size_t i;

	put(output, is_cas ? ORL_AM_CAS : ORL_AM_FOP, 1);
	put(output, next_random(state) % ORL_OP_COUNT, 1);
	put(output, kind, 2);
	put(output, 24 + operands, 4);
	put(output, make_off(state, kind), 8);
	put(output, next_random(state) % 2, 8);
	for (i = 0; i < ORL_ALIGN_UP(operands, 8); i += 8)
		put(output, next_random(state) % 2, 8);
}

/* A message that is well formed. */
static inline void make_message(struct output *output, uint64_t *state)
{
	size_t at, len, n = next_random(state) % 6;
	uint16_t bytes;

	put(output, 15, 1);
	put(output, next_random(state) | 1, 1);
	at = output->len;
	put(output, 0, 2);
	for (len = 0; len < sizeof(struct orl_am_head); len += 8)
		put(output, next_random(state), 8);
	while (n--) {
		if (next_random(state) % 4)
			make_record(output, state);
		else
			make_one(output, state);
	}
	if (output->len + 8 > sizeof(output->bytes))
		return;
	bytes = (uint16_t)(output->len - at - 2);
	memcpy(output->bytes + at, &bytes, sizeof(bytes));
}

static inline void mutate(struct output *output, uint64_t *state)
{
	uint64_t n = next_random(state) % 8;

	while (n-- && output->len)
		output->bytes[next_random(state) % output->len] =
			(uint8_t)next_random(state);
}

static inline void make_input(struct output *output, uint64_t seed)
{
	uint64_t state = seed, n = 1 + next_random(&state) % 30;

	output->len = 0;
	while (n--) {
		if (next_random(&state) % 2)
			make_message(output, &state);
		else
			put(output, next_random(&state), 5);
	}
	if (seed % 2)
		mutate(output, &state);
}

#endif
