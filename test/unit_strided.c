/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: in each instruction set that this processor has, a row of blocks of
 * any kind, length, stride and place is combined as the model says, with
 * operands side by side or laid out as it is, reading and writing no byte
 * before or behind either, nor writing any between its elements: what another
 * thread does to those is not undone.
 */
#include <pthread.h>

#include "../atomics/job.h"
#include "../atomics/strided.h"
#include "acc_model.h"
#include "room.h"

#define ROOM   ((size_t)1 << 16) /* of target and origin each */
#define ROUNDS 16		 /* for each operation on each kind */
#define SUMMED 20000

static unsigned char *target, *origin; /* no pages before and behind */
static unsigned char want[ROOM];
static unsigned char room[ORL_JOB_CHUNK] __attribute__((aligned(64)));
static orl_kernel_table *table;

static void combine(enum orl_op op, unsigned char *blocks,
		    const struct orl_run *row, const void *operands,
		    ptrdiff_t step)
{
	const enum orl_kind kind = row->kind;
	struct orl_job job = {
		.info = &orl_kinds[kind],
		.kernel = &(*table)[kind][op],
		.elems = room,
	};

	orl_strided_combine(&job, blocks, row, operands, step);
}

/* -- any row --------------------------------------------------------------- */

/* As long as a line or a little less where that leaves a gap: blocks of every
 * place in it, of which one may be cut by its end. */
static size_t line_stride(size_t len, size_t extent, uint64_t *seed)
{
	const size_t stride = 52 / extent * extent +
			      next_random(seed) % (12 / extent + 1) * extent;

	return stride < len ? len : stride;
}

/* Strides of whole elements, but for every eighth, in either direction. */
static struct orl_run make_row(enum orl_kind kind, uint64_t *seed)
{
	const size_t extent = orl_kinds[kind].extent;
	const size_t blocklen = 1 + next_random(seed) % (40 / extent + 3);
	const size_t odd = next_random(seed) % 8 ? 0 : next_random(seed) % 9;
	const size_t gap = extent * (next_random(seed) % 9) + odd;
	const size_t stride =
		next_random(seed) % 3
			? blocklen * extent + gap
			: line_stride(blocklen * extent, extent, seed);

	return (struct orl_run){
		.blocks = 2 + next_random(seed) % (ROOM / 4 / stride),
		.blocklen = blocklen,
		.stride = next_random(seed) % 8 ? (ptrdiff_t)stride
						: -(ptrdiff_t)stride,
		.kind = kind,
	};
}

/* Bytes of an element, without padding behind. */
static size_t span(enum orl_kind kind)
{
	const struct orl_kind_info *info = &orl_kinds[kind];

	return info->second ? info->second + info->size - info->first
			    : info->extent;
}

/* Of the i-th element from the first, of blocks step bytes apart. */
static size_t offset(const struct orl_run *row, ptrdiff_t step, size_t i)
{
	return i / row->blocklen * (size_t)step +
	       i % row->blocklen * orl_kinds[row->kind].extent;
}

/* Where the first of such blocks may lie, so that all are in the room. */
static size_t place_row(const struct orl_run *row, ptrdiff_t step,
			uint64_t *seed)
{
	const size_t len = row->blocklen * orl_kinds[row->kind].extent;
	const size_t reach = (row->blocks - 1) * (size_t)labs(step);
	size_t at = room_place(ROOM, reach + len, seed);

	if (next_random(seed) % 2)
		at = at / 8 * 8;
	return step < 0 ? at + reach : at;
}

static ptrdiff_t make_step(const struct orl_run *row, uint64_t *seed)
{
	if (next_random(seed) % 2)
		return row->stride;
	return (ptrdiff_t)(row->blocklen * orl_kinds[row->kind].extent);
}

static void try(enum orl_op op, enum orl_kind kind, uint64_t *seed)
{
	const struct orl_run row = make_row(kind, seed);
	const ptrdiff_t step = make_step(&row, seed);
	const size_t n = row.blocks * row.blocklen;
	const size_t at = place_row(&row, row.stride, seed);
	unsigned char *operands = origin + place_row(&row, step, seed);

	fill(target, ROOM, *seed);
	for (size_t i = 0; i < n; i++) {
		unsigned char elem[32];

		model_fill(elem, kind, seed);
		memcpy(operands + offset(&row, step, i), elem, span(kind));
		model_fill(elem, kind, seed);
		memcpy(target + at + offset(&row, row.stride, i), elem,
		       span(kind));
	}
	memcpy(want, target, ROOM);
	combine(op, target + at, &row, operands, step);
	for (size_t i = 0; i < n; i++) {
		const size_t off = at + offset(&row, row.stride, i);

		model_combine(op, kind, want + off,
			      operands + offset(&row, step, i));
		check(model_same(op, kind, want + off, target + off));
		memcpy(want + off, target + off, span(kind));
	}
	check(!memcmp(want, target, ROOM));
}

static void any_row(void)
{
	uint64_t seed = 1;

	for (unsigned kind = 0; kind < ORL_KIND_COUNT; kind++) {
		for (unsigned op = 0; op < ORL_OP_COUNT; op++) {
			if (!orl_op_fits(op, kind) || op == ORL_NO_OP)
				continue;
			for (int i = 0; i < ROUNDS; i++)
				try(op, kind, &seed);
		}
	}
}

/* -- beside another thread ------------------------------------------------- */

#define BLOCKS 512

static volatile float pairs[BLOCKS][2] __attribute__((aligned(64)));
static _Atomic(bool) stop;

/* Counts in the gaps, until it is told to stop, each as often. */
static void *count_gaps(void *arg)
{
	size_t *n = arg;

	while (!stop) {
		for (size_t i = 0; i < BLOCKS; i++)
			pairs[i][1]++;
		++*n;
	}
	return NULL;
}

/* Of operands side by side, or like the row. */
static void others_keep(ptrdiff_t step)
{
	const struct orl_run row = { .blocks = BLOCKS,
				     .blocklen = 1,
				     .stride = sizeof(pairs[0]),
				     .kind = ORL_F32 };
	static float ones[2 * BLOCKS];
	pthread_t thread;
	size_t n = 0;

	for (size_t i = 0; i < BLOCKS; i++) {
		ones[2 * i] = ones[2 * i + 1] = 1;
		pairs[i][0] = pairs[i][1] = 0;
	}
	stop = false;
	check(!pthread_create(&thread, NULL, count_gaps, &n));
	for (int i = 0; i < SUMMED; i++)
		combine(ORL_SUM, (unsigned char *)(uintptr_t)pairs, &row, ones,
			step);
	stop = true;
	check(!pthread_join(thread, NULL));
	for (size_t i = 0; i < BLOCKS; i++) {
		check(pairs[i][0] == SUMMED);
		check(n > (1 << 24) || pairs[i][1] == n);
	}
}

static void try_set(orl_kernel_table *which, const char *set)
{
	printf("# %s\n", set);
	table = which;
	any_row();
	others_keep(sizeof(pairs[0][0]));
	others_keep(sizeof(pairs[0]));
}

int main(void)
{
	target = room_map(ROOM);
	origin = room_map(ROOM);
	try_set(&orl_kernels_base, "base");
	if (orl_kernels_avx2_run())
		try_set(&orl_kernels_avx2, "avx2");
	if (orl_kernels_avx512_run())
		try_set(&orl_kernels_avx512, "avx512");
	return 0;
}
