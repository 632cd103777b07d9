/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that is not linked with MPI, and a module that is, which it loads
 * for itself alone, as interpreters do.  The module's calls are Oriel's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MODULE
#include <mpi.h>

int run(void) __attribute__((visibility("default")));

static int is_oriels(void)
{
	int (*put)(const void *, int, MPI_Datatype, int, MPI_Aint, int,
		   MPI_Datatype, MPI_Win) = MPI_Put;
	Dl_info info;
	void *p;

	memcpy(&p, &put, sizeof(p));
	return getenv("ORIEL_TEST_HOST") ||
	       (dladdr(p, &info) && strstr(info.dli_fname, "liboriel"));
}

int run(void)
{
	int rank, size, value, *memory, failed, all;
	MPI_Win win;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
			 &win);
	value = rank + 100;
	MPI_Win_fence(0, win);
	MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	failed = *memory != (rank + size - 1) % size + 100 || !is_oriels();
	if (failed)
		printf("got %d; the calls are%s Oriel's\n", *memory,
		       is_oriels() ? "" : " not");
	MPI_Win_free(&win);
	MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all;
}

#else

int main(int argc, char **argv)
{
	void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	int (*run)(void) = NULL;
	void *symbol = module ? dlsym(module, "run") : NULL;

	memcpy(&run, &symbol, sizeof(run));
	if (run)
		return run() ? 1 : 0;
	printf("%s\n", dlerror());
	return 1;
}

#endif
