/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.c - the five ways to a window.  Memory and window are made apart, so
 * that the cost of the window alone can be measured.
 */
#include "bench.h"

#include <stdlib.h>

static void heap_memory(struct bench *b)
{
	void *memory;

	if (posix_memalign(&memory, 64, b->bytes))
		bench_die("no memory for a window of %zu bytes", b->bytes);
	b->base = memory;
}

static void heap_release(struct bench *b)
{
	free(b->base);
}

static void mpi_memory(struct bench *b)
{
	MPI_Alloc_mem((MPI_Aint)b->bytes, MPI_INFO_NULL, &b->base);
}

static void mpi_release(struct bench *b)
{
	MPI_Free_mem(b->base);
}

static void open_create(struct bench *b)
{
	MPI_Win_create(b->base, (MPI_Aint)b->bytes, 1, MPI_INFO_NULL,
		       MPI_COMM_WORLD, &b->win);
}

static void open_allocate(struct bench *b)
{
	MPI_Win_allocate((MPI_Aint)b->bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			 &b->base, &b->win);
}

static void open_shared(struct bench *b)
{
	MPI_Win_allocate_shared((MPI_Aint)b->bytes, 1, MPI_INFO_NULL,
				MPI_COMM_WORLD, &b->base, &b->win);
}

static void open_dynamic(struct bench *b)
{
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &b->win);
	MPI_Win_attach(b->win, b->base, (MPI_Aint)b->bytes);
}

static void close_window(struct bench *b)
{
	MPI_Win_free(&b->win);
}

static void close_dynamic(struct bench *b)
{
	MPI_Win_detach(b->win, b->base);
	MPI_Win_free(&b->win);
}

static const struct kind kind_allocate = {
	"allocate", NULL, open_allocate, close_window, NULL,
};
static const struct kind kind_shared = {
	"shared", NULL, open_shared, close_window, NULL,
};
static const struct kind kind_create = {
	"create", heap_memory, open_create, close_window, heap_release,
};
static const struct kind kind_alloc_mem = {
	"alloc_mem", mpi_memory, open_create, close_window, mpi_release,
};
static const struct kind kind_dynamic = {
	"dynamic", heap_memory, open_dynamic, close_dynamic, heap_release,
};

const struct kind *const bench_kinds[] = {
	&kind_allocate,	 &kind_shared,	&kind_create,
	&kind_alloc_mem, &kind_dynamic, NULL,
};

/* Displacement of the target's base: its address in a dynamic window. */
static MPI_Aint target_base(struct bench *b)
{
	MPI_Aint base = 0;

	if (b->kind->open == open_dynamic)
		MPI_Get_address(b->base, &base);
	MPI_Bcast(&base, 1, MPI_AINT, TARGET, MPI_COMM_WORLD);
	return base;
}

void bench_window_open(struct bench *b)
{
	MPI_Aint base;

	if (b->kind->memory)
		b->kind->memory(b);
	b->kind->open(b);
	base = target_base(b);
	for (int j = 0; j < b->burst; j++)
		b->slot[j] = base + (MPI_Aint)b->test->place(b->size, j);
}

void bench_window_close(struct bench *b)
{
	b->kind->close(b);
	if (b->kind->release)
		b->kind->release(b);
}
