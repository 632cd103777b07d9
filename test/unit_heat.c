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

static void expect(const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	fprintf(stderr, "%s: %llu, not %llu\n", what, (unsigned long long)got,
		(unsigned long long)want);
	exit(1);
}

/* Each rank accesses the next, rank r with r + 1 calls of 10 bytes. */
static char *make_stats(void)
{
	char *rows = calloc(RANKS, orl_stats_bytes(RANKS));

	for (int i = 0; i < RANKS; i++) {
		struct orl_stats *row =
			(void *)(rows + i * orl_stats_bytes(RANKS));

		row->targets[(i + 1) % RANKS] = (struct orl_sum){
			.calls = i + 1,
			.bytes = 10 * (i + 1),
		};
	}
	return rows;
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
	char path[] = "/tmp/oriel-heat-XXXXXX.svg", *stats = make_stats();
	int ranks[RANKS], fd = mkstemps(path, 4);
	struct orl_report report = {
		.size = RANKS,
		.rows = RANKS,
		.stats = stats,
		.ranks = ranks,
		.world = RANKS,
	};
	unsigned cells;
	FILE *in;

	for (int i = 0; i < RANKS; i++)
		ranks[i] = i;
	orl_heat_add(&report);
	ranks[7] = -1;
	report.rows = 8;
	orl_heat_add(&report);
	orl_options.stats = (long)path;
	orl_heat_write();
	in = fdopen(fd, "r");
	/* Ranks 0 to 5 once more: 6 goes to 7, and 7 is of another world. */
	expect("calls", add_up(in, "calls", &cells), 200 * 201 / 2 + 21);
	/* 4 ranks a cell: 50 with neighbours inside, 50 with the next. */
	expect("cells", cells, 100);
	expect("bytes", add_up(in, "bytes", &cells), 10 * (200 * 201 / 2 + 21));
	unlink(path);
	free(stats);
	return 0;
}
