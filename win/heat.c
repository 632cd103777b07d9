/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heat.c - ORIEL_STATS=FILE.svg: who accessed whom, in ranks of
 * MPI_COMM_WORLD, as two pictures side by side, of bytes and of calls.  Summed
 * up by rank 0 of each window when that is freed, and written at the end.  Of
 * more than CELLS ranks neighbours share a cell.  Under the lock.
 */
#include "watch.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define CELLS  64
#define SIDE   512 /* of a picture */
#define MARGIN 72
#define WIDTH  (2 * (SIDE + MARGIN) + MARGIN)
#define HEIGHT (SIDE + 2 * MARGIN)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint32_t world; /* ranks */
	int writer;	/* this one */
	uint32_t per;	/* in a row or column of cells */
	uint32_t cells; /* of them */
	unsigned windows;
	struct orl_sum *sums; /* [cells * cells], by origin, then target */
} picture;

/* Ranks that share a row or column of cells. */
static uint32_t per_of(uint32_t world)
{
	return (world + CELLS - 1) / CELLS;
}

static uint32_t cells_of(uint32_t world)
{
	return (world + per_of(world) - 1) / per_of(world);
}

static uint32_t square(uint32_t world)
{
	return cells_of(world) * cells_of(world);
}

/* -- one window ------------------------------------------------------------ */

/* Rank 0 draws, by what ranks are called in its world. */
static int know_ranks(struct orl_win *win, struct orl_heat *heat, size_t bytes)
{
	int rc = 0;

	if (!win->rank) {
		heat->world = (uint32_t)orl_host_world_size();
		heat->writer = orl_host_world_rank();
		rc = orl_host_world_ranks(&win->comm, heat->ranks);
	}
	/* Nobody is in its world where it does not know. */
	if (rc)
		memset(heat->ranks, 0xff, win->size * sizeof(*heat->ranks));
	return orl_host_tell(win->watch->comm, 0, heat, bytes);
}

int orl_heat_open(struct orl_win *win)
{
	const size_t bytes =
		sizeof(struct orl_heat) + win->size * sizeof(int32_t);
	struct orl_heat *heat = calloc(1, bytes);
	int rc;

	win->watch->heat = heat;
	if (!heat)
		return MPI_ERR_NO_MEM;
	rc = know_ranks(win, heat, bytes);
	heat->cells = NULL;
	if (rc)
		return rc;
	heat->cells = calloc(square(heat->world), 2 * sizeof(*heat->cells));
	if (!heat->cells)
		return MPI_ERR_NO_MEM;
	heat->other = heat->cells + square(heat->world);
	return 0;
}

void orl_heat_close(struct orl_win *win)
{
	if (win->watch->heat)
		free(win->watch->heat->cells);
	free(win->watch->heat);
}

uint64_t orl_heat_held(const struct orl_heat *heat)
{
	return heat ? malloc_usable_size((void *)heat) +
			       malloc_usable_size(heat->cells)
		    : 0;
}

void orl_heat_row(struct orl_heat *heat, const struct orl_sum targets[],
		  uint32_t rank, uint32_t size)
{
	const uint32_t per = per_of(heat->world),
		       row = (uint32_t)heat->ranks[rank];
	struct orl_sum *cells;

	if (row >= heat->world)
		return;
	cells = heat->cells + row / per * cells_of(heat->world);
	for (uint32_t i = 0; i < size; i++) {
		uint32_t column = (uint32_t)heat->ranks[i];

		if (column >= heat->world)
			continue;
		cells[column / per].calls += targets[i].calls;
		cells[column / per].bytes += targets[i].bytes;
	}
}

static void merge(void *into, const void *from, size_t bytes)
{
	const struct orl_sum *more = from;
	struct orl_sum *sums = into;

	for (size_t i = 0; i < bytes / sizeof(*sums); i++)
		orl_sum_add(&sums[i], &more[i]);
}

void orl_report_heat(const struct orl_report *report)
{
	const struct orl_win *win = report->win;
	struct orl_heat *heat = win->watch->heat;
	int rc = 0;

	orl_heat_row(heat, win->watch->stats->targets, win->rank, win->size);
	if (!report->is_alone)
		rc = orl_host_reduce(win->watch->comm, heat->cells, heat->other,
				     square(heat->world) * sizeof(*heat->cells),
				     merge);
	if (!rc && !win->rank)
		orl_heat_add(heat);
}

/* -- all windows ----------------------------------------------------------- */

static bool make(uint32_t world)
{
	if (picture.sums)
		return picture.world == world;
	picture.world = world;
	picture.per = per_of(world);
	picture.cells = cells_of(world);
	picture.sums = calloc(square(world), sizeof(*picture.sums));
	return picture.sums;
}

void orl_heat_add(const struct orl_heat *heat)
{
	pthread_mutex_lock(&lock);
	if (make(heat->world)) {
		picture.windows++;
		picture.writer = heat->writer;
		merge(picture.sums, heat->cells,
		      square(heat->world) * sizeof(*picture.sums));
	}
	pthread_mutex_unlock(&lock);
}

/* -- drawing --------------------------------------------------------------- */

enum measure { BYTES, CALLS };

static uint64_t value_of(uint32_t row, uint32_t column, enum measure measure)
{
	const struct orl_sum *sum = &picture.sums[row * picture.cells + column];

	return measure == BYTES ? sum->bytes : sum->calls;
}

/* Near enough to the logarithm to base 2, for a colour. */
static double log_of(uint64_t value)
{
	int power = 63 - __builtin_clzll(value);

	return power + (double)value / (double)(1ull << power) - 1;
}

struct range {
	uint64_t least, most; /* but for nought; 0: there is nothing */
};

/* Small differences are not to look like large ones. */
#define FACTOR_LEAST 16

static struct range range_of(enum measure measure)
{
	struct range range = { .least = 0 };

	for (uint32_t i = 0; i < picture.cells * picture.cells; i++) {
		uint64_t value = value_of(0, i, measure);

		if (value && (!range.most || value < range.least))
			range.least = value;
		if (value > range.most)
			range.most = value;
	}
	if (range.most && range.least > range.most / FACTOR_LEAST)
		range.least = (range.most + FACTOR_LEAST - 1) / FACTOR_LEAST;
	return range;
}

/* From light to dark; red, green, blue. */
static const int colours[][3] = {
	{ 255, 237, 160 }, { 254, 178, 76 }, { 240, 59, 32 }, { 84, 0, 38 }
};
#define STEPS (int)(sizeof(colours) / sizeof(*colours) - 1)

static void print_colour(FILE *out, double share)
{
	int step = share < 1 ? (int)(share * STEPS) : STEPS - 1, rgb[3];
	double part = share * STEPS - step;

	for (int i = 0; i < 3; i++)
		rgb[i] =
			(int)(colours[step][i] +
			      part * (colours[step + 1][i] - colours[step][i]) +
			      0.5);
	fprintf(out, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static double share_of(uint64_t value, struct range range)
{
	double all = log_of(range.most) - log_of(range.least);

	return all > 0 ? (log_of(value) - log_of(range.least)) / all : 1;
}

/* "rank 3", or "ranks 6-8". */
static void print_ranks(FILE *out, uint32_t cell)
{
	uint32_t first = cell * picture.per, last = first + picture.per - 1;

	if (last >= picture.world)
		last = picture.world - 1;
	if (first == last)
		fprintf(out, "rank %u", first);
	else
		fprintf(out, "ranks %u-%u", first, last);
}

static void print_cell(FILE *out, uint32_t row, uint32_t column,
		       enum measure measure, struct range range)
{
	double side = (double)SIDE / picture.cells;
	uint64_t value = value_of(row, column, measure);

	if (!value)
		return;
	fprintf(out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
		"fill=\"",
		column * side, row * side, side, side);
	print_colour(out, share_of(value, range));
	fputs("\"><title>", out);
	print_ranks(out, row);
	fputs(" to ", out);
	print_ranks(out, column);
	fprintf(out, ": %llu %s</title></rect>\n", (unsigned long long)value,
		measure == BYTES ? "bytes" : "calls");
}

/* First ranks of some cells, along both sides. */
static void print_axes(FILE *out)
{
	double side = (double)SIDE / picture.cells;
	uint32_t step = (picture.cells + 7) / 8;

	for (uint32_t i = 0; i < picture.cells; i += step)
		fprintf(out,
			"<text x=\"%.2f\" y=\"-6\" text-anchor=\"middle\">%u"
			"</text><text x=\"-6\" y=\"%.2f\" text-anchor=\"end\">"
			"%u</text>\n",
			(i + 0.5) * side, i * picture.per, (i + 0.5) * side + 4,
			i * picture.per);
	fprintf(out,
		"<text x=\"%d\" y=\"-24\" text-anchor=\"middle\">to rank"
		"</text><text transform=\"translate(-44 %d) rotate(-90)\" "
		"text-anchor=\"middle\">from rank</text>\n",
		SIDE / 2, SIDE / 2);
}

/* What the colours stand for: equal steps are equal factors. */
static void print_scale(FILE *out, enum measure measure, struct range range)
{
	const char *unit = measure == BYTES ? "bytes" : "calls";

	fprintf(out,
		"<rect y=\"%d\" width=\"%d\" height=\"12\" fill=\"url(#scale)\""
		"/><text y=\"%d\">%llu %s</text><text x=\"%d\" y=\"%d\" "
		"text-anchor=\"middle\">logarithmic; white: none</text>"
		"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%llu %s</text>\n",
		SIDE + 16, SIDE, SIDE + 44, (unsigned long long)range.least,
		unit, SIDE / 2, SIDE + 44, SIDE, SIDE + 44,
		(unsigned long long)range.most, unit);
}

static void print_picture(FILE *out, enum measure measure)
{
	struct range range = range_of(measure);

	fprintf(out,
		"<g id=\"%s\" transform=\"translate(%d %d)\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\" "
		"stroke=\"#888\"/>\n",
		measure == BYTES ? "bytes" : "calls",
		MARGIN + (int)measure * (SIDE + MARGIN), MARGIN, SIDE, SIDE);
	for (uint32_t i = 0; i < picture.cells; i++)
		for (uint32_t k = 0; k < picture.cells; k++)
			print_cell(out, i, k, measure, range);
	print_axes(out);
	print_scale(out, measure, range);
	fputs("</g>\n", out);
}

static void print(FILE *out)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
		" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" "
		"fill=\"#fff\"/>\n<defs><linearGradient id=\"scale\">",
		WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	for (int i = 0; i <= STEPS; i++) {
		fprintf(out, "<stop offset=\"%.3f\" stop-color=\"",
			(double)i / STEPS);
		print_colour(out, (double)i / STEPS);
		fputs("\"/>", out);
	}
	fprintf(out,
		"</linearGradient></defs>\n<text x=\"%d\" y=\"24\" "
		"font-size=\"16\">One-sided communication of %u ranks in %u "
		"windows: bytes, and calls</text>\n",
		MARGIN, picture.world, picture.windows);
	print_picture(out, BYTES);
	print_picture(out, CALLS);
	fputs("</svg>\n", out);
}

void orl_heat_name(char *path, size_t size, int writer)
{
	const char *wish = (const char *)orl_options.stats;
	int stem = (int)strlen(wish) - 4;

	if (writer)
		snprintf(path, size, "%.*s.%d.svg", stem, wish, writer);
	else
		snprintf(path, size, "%s", wish);
}

void orl_heat_write(void)
{
	char path[4096];
	FILE *out;

	if (!picture.sums)
		return;
	orl_heat_name(path, sizeof(path), picture.writer);
	out = fopen(path, "we");
	if (out)
		print(out);
	if (!out || fclose(out))
		orl_report_fail(path, errno, "");
	free(picture.sums);
	picture.sums = NULL;
}
