/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claim: in each instruction set that this processor has, a row of blocks of
 * any kind, length, stride and place is combined as the model says, reading
 * and writing no byte before or behind it, nor any between its elements: what
 * another thread does to those is not undone.
 */
#include <pthread.h>

#include "../atomics/job.h"
#include "../atomics/strided.h"
#include "acc_model.h"
#include "room.h"

#define ROOM   ((size_t)1 << 16) /* of target and origin each */
#define ROUNDS 12		 /* for each operation on each kind */
#define SUMMED 20000

static unsigned char *target, *origin; /* no pages before and behind */
static unsigned char want[ROOM];
static unsigned char room[ORL_JOB_CHUNK] __attribute__((aligned(64)));
static orl_kernel_table *table;

static void combine(enum orl_op op, enum orl_kind kind, unsigned char *blocks,
		    const struct orl_run *row, const void *operands)
{
	struct orl_job job = {
		.info = &orl_kinds[kind],
		.kernel = &(*table)[kind][op],
		.elems = room,
	};

	orl_strided_combine(&job, blocks, row, operands);
}

/* -- any row --------------------------------------------------------------- */

/* Strides of whole elements, but for every eighth, in either direction. */
static struct orl_run make_row(enum orl_kind kind, uint64_t *seed)
{
	const size_t extent = orl_kinds[kind].extent;
	const size_t blocklen = 1 + next_random(seed) % (40 / extent + 3);
	const size_t odd = next_random(seed) % 8 ? 0 : next_random(seed) % 9;
	const size_t gap = extent * (next_random(seed) % 9) + odd;
	const size_t stride = blocklen * extent + gap;

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

/* Of the i-th element from the first. */
static size_t offset(const struct orl_run *row, size_t i)
{
	return i / row->blocklen * (size_t)row->stride +
	       i % row->blocklen * orl_kinds[row->kind].extent;
}

static void try(enum orl_op op, enum orl_kind kind, uint64_t *seed)
{
	const struct orl_run row = make_row(kind, seed);
	const size_t n = row.blocks * row.blocklen;
	const size_t extent = orl_kinds[kind].extent;
	const size_t reach = (row.blocks - 1) * (size_t)labs(row.stride);
	size_t at = room_place(ROOM, reach + row.blocklen * extent, seed);
	unsigned char *operands = origin + room_place(ROOM, n * extent, seed);

	if (next_random(seed) % 2)
		at = at / 8 * 8;
	if (row.stride < 0)
		at += reach;
	fill(target, ROOM, *seed);
	for (size_t i = 0; i < n; i++) {
		unsigned char elem[32];

		model_fill(elem, kind, seed);
		memcpy(operands + i * extent, elem, span(kind));
		model_fill(elem, kind, seed);
		memcpy(target + at + offset(&row, i), elem, span(kind));
	}
	memcpy(want, target, ROOM);
	combine(op, kind, target + at, &row, operands);
	for (size_t i = 0; i < n; i++) {
		const size_t off = at + offset(&row, i);

		model_combine(op, kind, want + off, operands + i * extent);
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

static void others_keep(void)
{
	const struct orl_run row = { .blocks = BLOCKS,
				     .blocklen = 1,
				     .stride = sizeof(pairs[0]),
				     .kind = ORL_F32 };
	static float ones[BLOCKS];
	pthread_t thread;
	size_t n = 0;

	for (size_t i = 0; i < BLOCKS; i++) {
		ones[i] = 1;
		pairs[i][0] = pairs[i][1] = 0;
	}
	stop = false;
	check(!pthread_create(&thread, NULL, count_gaps, &n));
	for (int i = 0; i < SUMMED; i++)
		combine(ORL_SUM, ORL_F32, (unsigned char *)(uintptr_t)pairs,
			&row, ones);
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
	others_keep();
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
