/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thousands of windows made and freed one after the other, of every kind,
 * leave nothing behind: neither memory nor mappings nor file descriptors
 * grow.
 */
/* ranks: 1 2; paths: default cma */
#include <dirent.h>

#include "test.h"

#define ROUNDS 10000 /* of one rank alone, where creation is cheap */
#define FEWER  2500
#define WARMUP 500
/* Pages that malloc sets aside, untouched, when a thread first calls it. */
#define ARENA (64 << 20 >> 12)

struct usage {
	long size, resident, fds, maps;
};

static long count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static long count_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	long n = 0;
	int c;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static struct usage usage(void)
{
	struct usage u = { .fds = count_fds(), .maps = count_maps() };
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &u.size, &u.resident) != 2)
		u.size = u.resident = 0;
	if (f)
		fclose(f);
	return u;
}

static void one(int i)
{
	static char heap[4096];
	MPI_Aint size = 100 + i % 50 * 1000;
	MPI_Win win;
	char *base = NULL;

	switch (i % 5) {
	case 0:
		MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				 &win);
		break;
	case 1:
		MPI_Win_create(heap, test_path_is("direct") ? 0 : 4096, 1,
			       MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		break;
	case 2:
		MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		MPI_Win_attach(win, heap, sizeof(heap));
		break;
	case 3:
		MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL,
					test_apart ? MPI_COMM_SELF
						   : MPI_COMM_WORLD,
					&base, &win);
		break;
	default:
		MPI_Win_allocate(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_SELF,
				 &base, &win);
	}
	if (base)
		base[0] = base[99] = 1;
	if (i % 5 == 2)
		MPI_Win_detach(win, heap);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	struct usage before = { 0 }, after;
	int i;

	test_start(argc, argv);
	for (i = 0; i < (test_size > 1 ? FEWER : ROUNDS); i++) {
		if (i == WARMUP)
			before = usage();
		one(i);
	}
	after = usage();
	check(after.resident - before.resident < 1000,
	      "resident pages: %ld, then %ld", before.resident, after.resident);
	check(after.size - before.size < 10000 + ARENA, "pages: %ld, then %ld",
	      before.size, after.size);
	check(after.fds <= before.fds + 2, "descriptors: %ld, then %ld",
	      before.fds, after.fds);
	check(after.maps <= before.maps + 20, "mappings: %ld, then %ld",
	      before.maps, after.maps);
	return test_finish();
}
