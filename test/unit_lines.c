/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: the bytes of a row of small blocks, of any length, distance and
 * place, are copied side by side, and none before or behind them is read or
 * written, where this processor has a way to copy lines of memory.
 */
#include <sys/mman.h>

#include "orl_type.h"
#include "process.h"

#define ROOM   ((size_t)1 << 14)
#define ROUNDS 20000

static unsigned char *map_between(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *at = mmap(NULL, ROOM + 2 * page, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(at != MAP_FAILED);
	check(!mprotect(at + page, ROOM, PROT_READ | PROT_WRITE));
	return at + page;
}

/* Where len bytes may begin: at either end of the room, or between. */
static size_t place(size_t len, uint64_t *seed)
{
	const size_t most = ROOM - len;

	switch (next_random(seed) % 3) {
	case 0:
		return 0;
	case 1:
		return most;
	default:
		return next_random(seed) % (most + 1);
	}
}

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
	const size_t at = place((row.blocks - 1) * stride + len, seed);
	const size_t dst = place(row.blocks * len, seed);

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
	unsigned char *from = map_between(), *to = map_between();
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
