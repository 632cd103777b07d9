/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: the bytes of a row of small blocks, of any length, distance and
 * place, are copied side by side, and none before or behind them is read or
 * written, where this processor has a way to copy lines of memory.
 */

#include "orl_type.h"
#include "room.h"

#define ROOM   ((size_t)1 << 14)
#define ROUNDS 20000

static struct orl_run make_row(uint64_t *seed)
{
	const size_t len = 1 + next_random(seed) % 16;
	const size_t stride = len + next_random(seed) % 8;

	return (struct orl_run){
		.blocklen = len,
		.stride = (ptrdiff_t)stride,
		.blocks = 2 + next_random(seed) % (ROOM / stride - 2),
	};
}

static bool try(unsigned char *from, unsigned char *to, uint64_t *seed)
{
	static unsigned char want[ROOM];
	const struct orl_run row = make_row(seed);
	const size_t stride = (size_t)row.stride, len = row.blocklen;
	const size_t at =
		room_place(ROOM, (row.blocks - 1) * stride + len, seed);
	const size_t dst = room_place(ROOM, row.blocks * len, seed);

	fill(to, ROOM, *seed);
	memcpy(want, to, ROOM);
	if (!orl_lines_pick(to + dst, from + at, &row))
		return false;
	for (size_t i = 0; i < row.blocks; i++)
		memcpy(want + dst + i * len, from + at + i * stride, len);
	check(!memcmp(want, to, ROOM));
	return true;
}

int main(void)
{
	unsigned char *from = room_map(ROOM), *to = room_map(ROOM);
	uint64_t seed = 1;
	int picked = 0;

	fill(from, ROOM, seed);
	for (int i = 0; i < ROUNDS; i++)
		picked += try(from, to, &seed);
	printf("# %d of %d rows\n", picked, ROUNDS);
	if (!picked) {
		printf("this processor compresses no bytes\n");
		return 77;
	}
	return 0;
}
