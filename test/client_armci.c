/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client_armci.c - ARMCI-MPI, as Debian builds it, works: contiguous,
 * strided and vector transfers, accumulates with a scale, fetch-and-add,
 * swap, mutexes, memory of a group.
 */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, ROWS = 6, COLUMNS = 9, ADDS = 50 };

static int rank, size, failures;

static void check(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "rank %d: %s\n", rank, what);
	failures++;
}

/* Memory of every rank, cleared. */
static void **allocate(size_t bytes)
{
	void **bases = calloc(size, sizeof(*bases));

	check(!ARMCI_Malloc(bases, bytes), "ARMCI_Malloc");
	ARMCI_Access_begin(bases[rank]);
	memset(bases[rank], 0, bytes);
	ARMCI_Access_end(bases[rank]);
	ARMCI_Barrier();
	return bases;
}

static void release(void **bases)
{
	ARMCI_Barrier();
	check(!ARMCI_Free(bases[rank]), "ARMCI_Free");
	free(bases);
}

static void contiguous(void)
{
	void **bases = allocate(COUNT * sizeof(double));
	int right = (rank + 1) % size, left = (rank + size - 1) % size, i;
	double mine[COUNT], got[COUNT], scale = 0.5, *local = bases[rank];
	int good = 1, same = 1;

	for (i = 0; i < COUNT; i++)
		mine[i] = 1000.0 * rank + i;
	ARMCI_Put(mine, bases[right], sizeof(mine), right);
	ARMCI_Fence(right);
	ARMCI_Get(bases[right], got, sizeof(got), right);
	ARMCI_Barrier();
	ARMCI_Acc(ARMCI_ACC_DBL, &scale, mine, bases[right], sizeof(mine),
		  right);
	ARMCI_Barrier();
	ARMCI_Access_begin(local);
	for (i = 0; i < COUNT; i++) {
		good &= local[i] == 1.5 * (1000.0 * left + i);
		same &= got[i] == mine[i];
	}
	ARMCI_Access_end(local);
	check(good, "put and accumulate");
	check(same, "get");
	release(bases);
}

/* The inner part of a matrix, all ranks add to rank 0's. */
static void strided(void)
{
	enum { INNER = COLUMNS - 2 };
	void **bases = allocate(ROWS * COLUMNS * sizeof(int));
	int mine[ROWS - 2][INNER], got[ROWS - 2][INNER], one = 1, i, j, good;
	int src_stride = sizeof(mine[0]), dst_stride = COLUMNS * sizeof(int);
	int count[2] = { INNER * sizeof(int), ROWS - 2 };
	int *corner = (int *)bases[0] + COLUMNS + 1;

	for (i = 0; i < ROWS - 2; i++)
		for (j = 0; j < INNER; j++)
			mine[i][j] = 10 * i + j + 1;
	ARMCI_AccS(ARMCI_ACC_INT, &one, mine, &src_stride, corner, &dst_stride,
		   count, 1, 0);
	ARMCI_Barrier();
	ARMCI_GetS(corner, &dst_stride, got, &src_stride, count, 1, 0);
	for (i = 0, good = 1; i < ROWS - 2; i++)
		for (j = 0; j < INNER; j++)
			good &= got[i][j] == size * mine[i][j];
	check(good, "strided accumulate and get");
	ARMCI_Barrier();
	if (rank == size - 1)
		ARMCI_PutS(mine, &src_stride, corner, &dst_stride, count, 1, 0);
	ARMCI_Barrier();
	if (rank == 0) {
		int *all = bases[0];

		ARMCI_Access_begin(all);
		for (i = 0, good = 1; i < ROWS; i++)
			for (j = 0; j < COLUMNS; j++) {
				int in = i && j && i < ROWS - 1 &&
					 j < COLUMNS - 1;

				good &= all[i * COLUMNS + j] ==
					(in ? mine[i - 1][j - 1] : 0);
			}
		ARMCI_Access_end(all);
		check(good, "strided put leaves the border alone");
	}
	release(bases);
}

static void vector(void)
{
	void **bases = allocate(COUNT * sizeof(int));
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	int mine[COUNT], i, good, *local = bases[rank];
	void *src[COUNT / 5], *dst[COUNT / 5];
	armci_giov_t iov = { src, dst, sizeof(int), COUNT / 5 };

	for (i = 0; i < COUNT; i++)
		mine[i] = 1 + rank * COUNT + i;
	for (i = 0; i < COUNT / 5; i++) {
		src[i] = &mine[i];
		dst[i] = (int *)bases[right] + 5 * i;
	}
	ARMCI_PutV(&iov, 1, right);
	ARMCI_Barrier();
	ARMCI_Access_begin(local);
	for (i = 0, good = 1; i < COUNT; i++)
		good &= local[i] == (i % 5 ? 0 : 1 + left * COUNT + i / 5);
	ARMCI_Access_end(local);
	check(good, "vector put");
	release(bases);
}

static void atomics(void)
{
	void **bases = allocate(2 * sizeof(long));
	long old, last = -1, *remote = bases[0], swapped = rank + 1;
	int i, rising = 1, plain;

	for (i = 0; i < ADDS; i++) {
		ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, remote, 1, 0);
		rising &= old > last;
		last = old;
	}
	check(rising, "fetch-and-add gives rising numbers");
	ARMCI_Rmw(ARMCI_SWAP_LONG, &swapped, remote + 1, 0, 0);
	ARMCI_Barrier();
	check(ARMCI_GetValueLong(remote, 0) == (long)ADDS * size,
	      "fetch-and-add counts all");
	check(swapped >= 0 && swapped <= size, "swap");
	release(bases);

	/* A counter under a mutex, not updated atomically. */
	bases = allocate(sizeof(int));
	check(!ARMCI_Create_mutexes(1), "ARMCI_Create_mutexes");
	for (i = 0; i < ADDS; i++) {
		ARMCI_Lock(0, 0);
		ARMCI_Get(bases[0], &plain, sizeof(plain), 0);
		plain++;
		ARMCI_Put(&plain, bases[0], sizeof(plain), 0);
		ARMCI_Fence(0);
		ARMCI_Unlock(0, 0);
	}
	ARMCI_Barrier();
	check(ARMCI_GetValueInt(bases[0], 0) == ADDS * size, "mutex");
	ARMCI_Barrier();
	check(!ARMCI_Destroy_mutexes(), "ARMCI_Destroy_mutexes");
	release(bases);
}

int main(int argc, char **argv)
{
	int all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	ARMCI_Init();
	contiguous();
	strided();
	vector();
	atomics();
	ARMCI_Finalize();
	MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all != 0;
}
