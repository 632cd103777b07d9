/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layouts.c - what MPI_Accumulate takes where elements lie apart: sums of
 * 64 KiB in blocks, and a flush, by rank 0 on the memory of rank 1, which
 * waits in a barrier; into blocks of the target, and from blocks like them;
 * and the ratio to as many bytes in a row.  A plain MPI program.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES	65536
#define MOST	64 /* bytes of memory for one of data, at most */
#define BATCHES 41 /* of which the median counts */
#define CALLS	8  /* in one */

/* Elements in a block, and from one to the next. */
static const struct layout {
	int len, stride;
} layouts[] = {
	{ 1, 2 }, { 1, 3 }, { 1, 4 }, { 1, 8 },	 { 1, 64 }, { 2, 3 },  { 2, 4 },
	{ 3, 4 }, { 4, 5 }, { 4, 8 }, { 4, 64 }, { 8, 10 }, { 8, 16 },
};
#define NLAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static void *origin;
static MPI_Win win;

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* An operand of so many items of a type. */
struct items {
	int count;
	MPI_Datatype type;
};

/* Microseconds of one call. */
static double measure(struct items from, struct items to)
{
	double times[BATCHES];

	for (int batch = -2; batch < BATCHES; batch++) {
		double start = MPI_Wtime();

		for (int i = 0; i < CALLS; i++) {
			MPI_Accumulate(origin, from.count, from.type, 1, 0,
				       to.count, to.type, MPI_SUM, win);
			MPI_Win_flush(1, win);
		}
		if (batch >= 0)
			times[batch] = (MPI_Wtime() - start) * 1e6 / CALLS;
	}
	qsort(times, BATCHES, sizeof(times[0]), compare);
	return times[BATCHES / 2];
}

static void measure_type(const char *name, MPI_Datatype type, int bytes)
{
	for (size_t i = 0; i < NLAYOUTS; i++) {
		const struct layout *l = &layouts[i];
		const int n = BYTES / bytes / l->len;
		struct items row = { n * l->len, type }, blocks = { 1, type };
		double plain, to, both;

		MPI_Type_vector(n, l->len, l->stride, type, &blocks.type);
		MPI_Type_commit(&blocks.type);
		plain = measure(row, row);
		to = measure(row, blocks);
		both = measure(blocks, blocks);
		printf("%-8s %4d %6d %9.2f %9.2f %9.2f %9.2f %9.2f\n", name,
		       l->len, l->stride, plain, to, both, to / plain,
		       both / plain);
		MPI_Type_free(&blocks.type);
	}
}

int main(int argc, char **argv)
{
	const MPI_Aint bytes = (MPI_Aint)MOST * BYTES;
	void *base;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2) {
		fprintf(stderr, "two ranks are needed\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	origin = calloc(1, (size_t)bytes);
	MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	if (!origin)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Win_lock_all(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank) {
		printf("%-8s %4s %6s %9s %9s %9s %9s %9s\n", "# type", "len",
		       "stride", "row us", "blocks", "both", "blocks/row",
		       "both/row");
		measure_type("DOUBLE", MPI_DOUBLE, 8);
		measure_type("FLOAT", MPI_FLOAT, 4);
		measure_type("INT16_T", MPI_INT16_T, 2);
		measure_type("INT8_T", MPI_INT8_T, 1);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	free(origin);
	MPI_Finalize();
	return 0;
}
