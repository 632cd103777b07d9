/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client_ga.c - Global Arrays over ARMCI-MPI, as Debian builds them, works:
 * patches that cross owners, accumulates, the shared counter that hands out
 * tasks, a matrix product.
 */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40, TASKS = 60, STACK = 1 << 20 };

static int rank, size, failures;

static void check(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "rank %d: %s\n", rank, what);
	failures++;
}

static int create(int type, int rows, int columns, char *name)
{
	int dims[2] = { rows, columns }, handle;

	handle = NGA_Create(type, 2, dims, name, NULL);
	check(handle, "NGA_Create");
	GA_Zero(handle);
	return handle;
}

static double value(int i, int j)
{
	return 100.0 * i + j;
}

/* Rank 0 writes all, all read an inner part, all add to it. */
static void patches(void)
{
	static double all[N][N], part[N - 10][N - 7];
	int from[2] = { 0, 0 }, to[2] = { N - 1, N - 1 }, ld = N, i, j;
	int low[2] = { 5, 3 }, high[2] = { N - 6, N - 5 }, part_ld = N - 7;
	int a = create(C_DBL, N, N, "patches"), good;
	double one = 1.0;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++)
			all[i][j] = value(i, j);
	if (rank == 0)
		NGA_Put(a, from, to, all, &ld);
	GA_Sync();
	NGA_Get(a, low, high, part, &part_ld);
	for (i = 0, good = 1; i < N - 10; i++)
		for (j = 0; j < N - 7; j++)
			good &= part[i][j] == value(i + 5, j + 3);
	check(good, "get of a patch");
	GA_Sync();
	NGA_Acc(a, low, high, part, &part_ld, &one);
	GA_Sync();
	NGA_Get(a, from, to, all, &ld);
	for (i = 0, good = 1; i < N; i++)
		for (j = 0; j < N; j++) {
			int in = i >= 5 && i < N - 5 && j >= 3 && j < N - 4;

			good &= all[i][j] == value(i, j) * (in ? size + 1 : 1);
		}
	check(good, "accumulate of a patch");
	GA_Destroy(a);
}

/* Every task is handed out once. */
static void counter(void)
{
	int tasks = create(C_LONG, 1, 1, "counter"), at[2] = { 0, 0 };
	long task, last = -1, sum = 0, total;
	int rising = 1;

	GA_Sync();
	while ((task = NGA_Read_inc(tasks, at, 1)) < TASKS) {
		rising &= task > last;
		last = task;
		sum += task;
	}
	MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	check(rising && total == TASKS * (TASKS - 1) / 2, "shared counter");
	GA_Sync();
	GA_Destroy(tasks);
}

static void product(void)
{
	int a = create(C_DBL, N, N, "a"), b = create(C_DBL, N, N, "b");
	int c = create(C_DBL, N, N, "c");
	double two = 2.0, three = 3.0, got[N];
	int low[2] = { N / 2, 0 }, high[2] = { N / 2, N - 1 }, ld = N, j;
	int good = 1;

	GA_Fill(a, &two);
	GA_Fill(b, &three);
	GA_Dgemm('n', 't', N, N, N, 1.0, a, b, 0.0, c);
	NGA_Get(c, low, high, got, &ld);
	for (j = 0; j < N; j++)
		good &= got[j] == 6.0 * N;
	check(good, "matrix product");
	check(GA_Ddot(a, b) == 6.0 * N * N, "dot product");
	GA_Destroy(a);
	GA_Destroy(b);
	GA_Destroy(c);
}

int main(int argc, char **argv)
{
	int all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	GA_Initialize();
	check(MA_init(C_DBL, STACK, STACK), "MA_init");
	patches();
	counter();
	product();
	GA_Terminate();
	MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all != 0;
}
