/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation of a large window touches none of its pages: they become
 * resident when they are first used; the window works at both ends.
 */
/* ranks: 1 2; paths: default cma fabric */
#include "test.h"

#define GIB (1L << 30)

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long size, pages = 0;

	if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * 4096;
}

/* As much as half of the machine may give, up to 4 GiB in all. */
static MPI_Aint size_for(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	long kib = 0, all;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	all = kib / 2 * 1024;
	if (all > 4 * GIB)
		all = 4 * GIB;
	MPI_Bcast(&all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	return all / test_size;
}

static void shape(bool shared, MPI_Aint size)
{
	long before = resident(), grown;
	int value = 77, got[2] = { 0 }, t = test_next();
	MPI_Win win;
	char *base;

	if (shared)
		MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
					&base, &win);
	else
		MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				 &win);
	grown = resident() - before;
	check(grown < 16 << 20, "%ld bytes of %ld resident after creation",
	      grown, (long)size);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win);
	MPI_Put(&value, 1, MPI_INT, t, 0, 1, MPI_INT, win);
	MPI_Put(&value, 1, MPI_INT, t, size - 4, 1, MPI_INT, win);
	MPI_Win_flush(t, win);
	MPI_Get(&got[0], 1, MPI_INT, t, 0, 1, MPI_INT, win);
	MPI_Get(&got[1], 1, MPI_INT, t, size - 4, 1, MPI_INT, win);
	MPI_Win_unlock(t, win);
	check(got[0] == 77 && got[1] == 77, "got %d and %d", got[0], got[1]);
	grown = resident() - before;
	check(grown < 16 << 20, "%ld bytes resident after use", grown);
	MPI_Win_free(&win);
}

/* What the network itself needs, once a process, is not the window's. */
static void warm_up(void)
{
	int value = 1, t = test_next();
	struct test_win w;

	test_win_open(&w, KIND_ALLOCATE, 1 << 16, 1);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w.win);
	MPI_Put(&value, 1, MPI_INT, t, 0, 1, MPI_INT, w.win);
	MPI_Win_flush(t, w.win);
	MPI_Get(w.base + 4, 1 << 15, MPI_BYTE, t, 4, 1 << 15, MPI_BYTE, w.win);
	MPI_Win_unlock(t, w.win);
	test_win_close(&w);
}

int main(int argc, char **argv)
{
	MPI_Aint size;

	test_start(argc, argv);
	size = size_for();
	if (size < 64 << 20)
		return test_skip("less than 64 MiB of memory a rank");
	warm_up();
	shape(false, size);
	if (!test_apart)
		shape(true, size);
	return test_finish();
}
