/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ops.c - what MPI_Accumulate takes for each operation on each basic type:
 * 64 KiB and a flush, by rank 0 on the memory of rank 1, which waits in a
 * barrier, and the ratio to a memcpy of as many bytes.  A plain MPI program.
 */
#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES	65536
#define BATCHES 41 /* of which the median counts */
#define CALLS	8  /* in one */

enum { INTEGER = 1, REAL = 2, COMPLEX = 4, LOGICAL = 8, BITS = 16, PAIR = 32 };

/* An element whose every value is 1. */
static const int8_t i8 = 1;
static const int16_t i16 = 1;
static const int32_t i32 = 1;
static const int64_t i64 = 1;
static const float f32 = 1;
static const double f64 = 1;
static const long double fld = 1;
static const bool yes = true;
static const float _Complex c32 = 1;
static const double _Complex c64 = 1;
static const long double _Complex cld = 1;
static const struct {
	float v;
	int i;
} float_int = { 1, 1 };
static const struct {
	double v;
	int i;
} double_int = { 1, 1 };
static const struct {
	long v;
	int i;
} long_int = { 1, 1 };
static const struct {
	short v;
	int i;
} short_int = { 1, 1 };
static const struct {
	long double v;
	int i;
} ld_int = { 1, 1 };
static const int two_int[2] = { 1, 1 };

#define TYPE(type, class, one)                                                 \
	{                                                                      \
#type, MPI_##type, class, sizeof(one), &(one)                  \
	}
static const struct type {
	const char *name;
	MPI_Datatype type;
	int class;
	size_t extent;
	const void *one;
} types[] = {
	TYPE(INT8_T, INTEGER, i8),
	TYPE(INT16_T, INTEGER, i16),
	TYPE(INT32_T, INTEGER, i32),
	TYPE(INT64_T, INTEGER, i64),
	TYPE(UINT8_T, INTEGER, i8),
	TYPE(UINT16_T, INTEGER, i16),
	TYPE(UINT32_T, INTEGER, i32),
	TYPE(UINT64_T, INTEGER, i64),
	TYPE(FLOAT, REAL, f32),
	TYPE(DOUBLE, REAL, f64),
	TYPE(LONG_DOUBLE, REAL, fld),
	TYPE(C_FLOAT_COMPLEX, COMPLEX, c32),
	TYPE(C_DOUBLE_COMPLEX, COMPLEX, c64),
	TYPE(C_LONG_DOUBLE_COMPLEX, COMPLEX, cld),
	TYPE(C_BOOL, LOGICAL, yes),
	TYPE(BYTE, BITS, i8),
	TYPE(FLOAT_INT, PAIR, float_int),
	TYPE(DOUBLE_INT, PAIR, double_int),
	TYPE(LONG_INT, PAIR, long_int),
	TYPE(2INT, PAIR, two_int),
	TYPE(SHORT_INT, PAIR, short_int),
	TYPE(LONG_DOUBLE_INT, PAIR, ld_int),
};
#define NTYPES (sizeof(types) / sizeof(types[0]))

static const struct op {
	const char *name;
	MPI_Op op;
	int classes;
	bool keeps; /* 1 op 1 is 1 */
} ops[] = {
	{ "REPLACE", MPI_REPLACE, 63, true },
	{ "SUM", MPI_SUM, INTEGER | REAL | COMPLEX, false },
	{ "PROD", MPI_PROD, INTEGER | REAL | COMPLEX, true },
	{ "MAX", MPI_MAX, INTEGER | REAL, true },
	{ "MIN", MPI_MIN, INTEGER | REAL, true },
	{ "LAND", MPI_LAND, INTEGER | LOGICAL, true },
	{ "LOR", MPI_LOR, INTEGER | LOGICAL, true },
	{ "LXOR", MPI_LXOR, INTEGER | LOGICAL, false },
	{ "BAND", MPI_BAND, INTEGER | BITS, true },
	{ "BOR", MPI_BOR, INTEGER | BITS, true },
	{ "BXOR", MPI_BXOR, INTEGER | BITS, false },
	{ "MAXLOC", MPI_MAXLOC, PAIR, true },
	{ "MINLOC", MPI_MINLOC, PAIR, true },
};
#define NOPS (sizeof(ops) / sizeof(ops[0]))

static unsigned char *origin, *other;
static MPI_Win win;

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void fill(unsigned char *to, const struct type *type)
{
	for (size_t at = 0; at + type->extent <= BYTES; at += type->extent)
		memcpy(to + at, type->one, type->extent);
}

static void call(const struct type *type, const struct op *op)
{
	const int n = (int)(BYTES / type->extent);

	MPI_Accumulate(origin, n, type->type, 1, 0, n, type->type, op->op, win);
	MPI_Win_flush(1, win);
}

static void copy(void)
{
	memcpy(other, origin, BYTES);
	__asm__ volatile("" ::: "memory");
}

/* Microseconds of one call, or, without an op, of one memcpy. */
static double measure(const struct type *type, const struct op *op)
{
	double times[BATCHES];

	for (int batch = -2; batch < BATCHES; batch++) {
		double start = MPI_Wtime();

		for (int i = 0; i < CALLS; i++) {
			if (op)
				call(type, op);
			else
				copy();
		}
		if (batch >= 0)
			times[batch] = (MPI_Wtime() - start) * 1e6 / CALLS;
	}
	qsort(times, BATCHES, sizeof(times[0]), compare);
	return times[BATCHES / 2];
}

/* Has every element the value that the calls leave? */
static void verify(const struct type *type, const struct op *op)
{
	if (!op->keeps)
		return;
	MPI_Get(other, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
	MPI_Win_flush(1, win);
	if (!memcmp(other, origin, BYTES))
		return;
	printf("%s of %s: wrong data\n", op->name, type->name);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

static void measure_type(const struct type *type)
{
	double copied, time;

	fill(origin, type);
	copied = measure(type, NULL);
	for (size_t i = 0; i < NOPS; i++) {
		if (!(ops[i].classes & type->class))
			continue;
		MPI_Put(origin, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
		MPI_Win_flush(1, win);
		time = measure(type, &ops[i]);
		verify(type, &ops[i]);
		printf("%-22s %-8s %9.2f %9.2f %9.2f\n", type->name,
		       ops[i].name, time, copied, copied / time);
	}
}

int main(int argc, char **argv)
{
	void *base;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2) {
		fprintf(stderr, "two ranks are needed\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	origin = calloc(1, BYTES);
	other = calloc(1, BYTES);
	MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	if (!origin || !other)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Win_lock_all(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank) {
		printf("%-22s %-8s %9s %9s %9s\n", "# type", "op", "us",
		       "memcpy", "ratio");
		for (size_t i = 0; i < NTYPES; i++)
			measure_type(&types[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	free(origin);
	free(other);
	MPI_Finalize();
	return 0;
}
