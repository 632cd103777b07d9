/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The info key mpi_minimum_memory_alignment (MPI-4.0, sections 9.2 and 12.2.2)
 * is kept by everything that allocates; values that make no sense are not
 * understood, and the memory is allocated all the same.
 */
/* ranks: 1 2; paths: default cma */
#include <stdint.h>

#include "test.h"

static MPI_Info info_of(const char *value)
{
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_minimum_memory_alignment", value);
	return info;
}

static void aligned(const void *base, unsigned long align, size_t size,
		    const char *what)
{
	check(!((uintptr_t)base % align), "%s of %zu bytes: %p, not at %lu",
	      what, size, base, align);
}

static void allocate(unsigned long align, size_t size)
{
	char value[32];
	MPI_Info info;
	MPI_Win win;
	void *base;

	snprintf(value, sizeof(value), "%lu", align);
	info = info_of(value);
	ok(MPI_Alloc_mem(size, info, &base));
	aligned(base, align, size, "MPI_Alloc_mem");
	MPI_Free_mem(base);
	ok(MPI_Win_allocate(size, 1, info, MPI_COMM_WORLD, &base, &win));
	aligned(base, align, size, "MPI_Win_allocate");
	MPI_Win_free(&win);
	/* Contiguous segments begin where the ones before them end. */
	MPI_Info_set(info, "alloc_shared_noncontig", "true");
	if (!test_apart) {
		ok(MPI_Win_allocate_shared(size, 1, info, MPI_COMM_WORLD, &base,
					   &win));
		aligned(base, align, size, "MPI_Win_allocate_shared");
		MPI_Win_free(&win);
	}
	MPI_Info_free(&info);
}

static void nonsense(const char *value)
{
	MPI_Info info = info_of(value);
	void *base;

	ok(MPI_Alloc_mem(100, info, &base));
	memset(base, 1, 100);
	MPI_Free_mem(base);
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	static const unsigned long aligns[] = { 1,	 64,	  256,	  4096,
						1 << 16, 1 << 22, 1 << 25 };
	void *first;
	size_t i;

	test_start(argc, argv);
	MPI_Alloc_mem(72, MPI_INFO_NULL, &first); /* nothing lies well now */
	for (i = 0; i < sizeof(aligns) / sizeof(aligns[0]); i++) {
		allocate(aligns[i], 8);
		allocate(aligns[i], 5000);
		allocate(aligns[i], (3 << 20) + 1);
	}
	nonsense("large");
	nonsense("3");
	nonsense("-64");
	MPI_Free_mem(first);
	return test_finish();
}
