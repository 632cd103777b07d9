/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of 200 ranks has at most 64 cells a side, and what the cells
 * tell adds up to what was told; ranks of another world are left out.
 */
#include "watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RANKS 200
#define CELLS (50 * 50)

static void expect(const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	fprintf(stderr, "%s: %llu, not %llu\n", what, (unsigned long long)got,
		(unsigned long long)want);
	exit(1);
}

/* Each rank accesses the next, rank r with r + 1 calls of 10 bytes. */
static void add_rows(struct orl_heat *heat, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++) {
		struct orl_sum targets[RANKS] = { { .calls = 0 } };

		targets[(i + 1) % RANKS] = (struct orl_sum){
			.calls = i + 1,
			.bytes = 10 * (i + 1),
		};
		orl_heat_row(heat, targets, i, RANKS);
	}
	orl_heat_add(heat);
}

/* A window of all ranks. */
static struct orl_heat *make_heat(void)
{
	struct orl_heat *heat =
		calloc(1, sizeof(*heat) + RANKS * sizeof(int32_t));

	heat->world = RANKS;
	heat->cells = calloc(CELLS, sizeof(*heat->cells));
	for (int i = 0; i < RANKS; i++)
		heat->ranks[i] = i;
	return heat;
}

static uint64_t add_up(FILE *in, const char *unit, unsigned *cells)
{
	char line[512], word[8];
	unsigned long long value;
	uint64_t sum = 0;

	rewind(in);
	for (*cells = 0; fgets(line, sizeof(line), in);) {
		const char *title = strstr(line, "<title>");
		const char *colon = title ? strstr(title, ": ") : NULL;

		if (!colon || sscanf(colon, ": %llu %5[a-z]", &value, word) < 2)
			continue;
		if (strcmp(word, unit))
			continue;
		sum += value;
		++*cells;
	}
	return sum;
}

int main(void)
{
	char path[] = "/tmp/oriel-heat-XXXXXX.svg";
	struct orl_heat *all = make_heat(), *some = make_heat();
	int fd = mkstemps(path, 4);
	unsigned cells;
	FILE *in;

	add_rows(all, RANKS);
	some->ranks[7] = -1;
	add_rows(some, 8);
	orl_options.stats = (long)path;
	orl_heat_write();
	in = fdopen(fd, "r");
	/* Ranks 0 to 5 once more: 6 goes to 7, and 7 is of another world. */
	expect("calls", add_up(in, "calls", &cells), 200 * 201 / 2 + 21);
	/* 4 ranks a cell: 50 with neighbours inside, 50 with the next. */
	expect("cells", cells, 100);
	expect("bytes", add_up(in, "bytes", &cells), 10 * (200 * 201 / 2 + 21));
	unlink(path);
	return 0;
}
