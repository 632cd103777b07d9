/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alloc_mem gives memory of any size, aligned for any type, that windows may
 * be made of, whole or in part, once or several times; Free_mem takes it
 * back; memory is reused, so that a loop does not grow.
 */
/* ranks: 1 3; paths: default direct cma */
#include <stdint.h>
#include <unistd.h>

#include "test.h"

static void sizes(void)
{
	static const MPI_Aint list[] = { 0,    1,	15,	 16,
					 17,   100,	4095,	 4096,
					 4097, 1000003, 40000000 };
	enum { N = sizeof(list) / sizeof(list[0]) };
	char *base[N];
	int i;

	for (i = 0; i < N; i++) {
		base[i] = NULL;
		ok(MPI_Alloc_mem(list[i], MPI_INFO_NULL, &base[i]));
		check(!list[i] || base[i], "NULL for %ld bytes", (long)list[i]);
		check((uintptr_t)base[i] % 16 == 0, "%p for %ld bytes", base[i],
		      (long)list[i]);
		memset(base[i], i + 1, list[i]);
	}
	for (i = N - 1; i >= 0; i--)
		check(test_differs_from(base[i], list[i], i + 1) ==
			      (size_t)list[i],
		      "%ld bytes overlap others", (long)list[i]);
	for (i = 0; i < N; i++)
		ok(MPI_Free_mem(base[(i * 5 + 3) % N]));
}

static long pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;

	if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident;
}

/* 20 GB in all, if it were not given back. */
static void reuse(void)
{
	long before = 0, after;
	char *base;
	int i;

	for (i = 0; i < 2000; i++) {
		MPI_Alloc_mem(10000000, MPI_INFO_NULL, &base);
		base[0] = base[9999999] = 1;
		MPI_Free_mem(base);
		if (i == 100)
			before = pages();
	}
	after = pages();
	check(after - before < 2000, "grew from %ld to %ld pages", before,
	      after);
}

/* Two windows that overlap, in the middle of the memory. */
static void windows(void)
{
	int t = test_next(), one = 1, got = 0;
	char *base;
	MPI_Win a, b;

	MPI_Alloc_mem(100000, MPI_INFO_NULL, &base);
	memset(base, 0, 100000);
	MPI_Win_create(base + 4, 90000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &a);
	MPI_Win_create(base + 44, 99956, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &b);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, a);
	MPI_Put(&one, 1, MPI_INT, t, 40, 1, MPI_INT, a);
	MPI_Win_unlock(t, a);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, b);
	MPI_Get(&got, 1, MPI_INT, t, 0, 1, MPI_INT, b);
	MPI_Win_unlock(t, b);
	check(got == 1, "got %d by the other window", got);
	MPI_Win_free(&a);
	MPI_Win_free(&b);
	check(base[44] == 1 && base[40] == 0 && base[48] == 0, "%d %d %d",
	      base[40], base[44], base[48]);
	MPI_Free_mem(base);
}

/* The memory of a rank that has none of it in a window stays its own. */
static void uneven(void)
{
	char *base;
	MPI_Win win;
	int value = 5;

	MPI_Alloc_mem(test_rank ? 16 : 64, MPI_INFO_NULL, &base);
	memset(base, 0, test_rank ? 16 : 64);
	MPI_Win_create(base, test_rank ? 0 : 64, 1, MPI_INFO_NULL,
		       MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (test_rank == test_size - 1)
		MPI_Put(&value, 1, MPI_INT, 0, 60, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	check(test_rank || base[60] == 5, "last word is %d", base[60]);
	MPI_Win_free(&win);
	MPI_Free_mem(base);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	sizes();
	reuse();
	windows();
	uneven();
	return test_finish();
}
