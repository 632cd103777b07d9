/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - where a window's memory comes from, and MPI_Alloc_mem's, which
 * is of the same kind, so that a window created on it is reached directly.
 */
#include "creation.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks of a shared window that do not lie end to end share no page. */
static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * The info key of MPI-4.0, section 9.2, for all that allocates: at least so
 * much.  What is no power of two is not understood and changes nothing.
 */
static size_t alignment(MPI_Info info, size_t least)
{
	unsigned long long wanted;
	char value[32];

	if (!orl_host_info_get(info, "mpi_minimum_memory_alignment", value,
			       sizeof(value)))
		return least;
	wanted = strtoull(value, NULL, 10);
	return wanted > least && !(wanted & (wanted - 1)) ? (size_t)wanted
							  : least;
}

static int allocate(struct orl_creation *creation, size_t bytes, size_t align)
{
	struct orl_win *win = creation->win;

	win->memory =
		orl_arena_alloc(bytes, alignment(creation->args->info, align));
	win->base = win->memory;
	if (win->memory)
		return 0;
	ORL_EXPLAIN(creation,
		    "%zu bytes: more than is left of this node's %zu, or of "
		    "the address space that ORIEL_ARENA sets",
		    bytes, orl_node_room());
	return MPI_ERR_NO_MEM;
}

/* Rank 0 allocates for all; check_room has seen the sum. */
static int allocate_contiguous(struct orl_creation *creation)
{
	size_t total = 0;
	uint32_t i;

	if (creation->win->rank)
		return 0;
	for (i = 0; i < creation->win->size; i++)
		total += creation->parts[i].size;
	return allocate(creation, total, page_size());
}

int orl_win_memory(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;

	if (creation->args->of) {
		win->base = creation->args->of->base;
		return 0;
	}
	switch (win->flavor) {
	case MPI_WIN_FLAVOR_CREATE:
		win->base = creation->args->base;
		return 0;
	case MPI_WIN_FLAVOR_ALLOCATE:
		return allocate(creation, (size_t)win->bytes, ORL_CACHELINE);
	case MPI_WIN_FLAVOR_SHARED:
		if (creation->win->contiguous)
			return allocate_contiguous(creation);
		return allocate(creation, (size_t)win->bytes, page_size());
	default:
		return 0;
	}
}

/* On the error handler of MPI_COMM_WORLD, as section 8.2 has it. */
static ORL_COLD int fail_memory(int class, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return orl_host_raise_comm(MPI_COMM_NULL,
				   orl_host_error_code(class, text));
}

int orl_mem_alloc(MPI_Aint size, MPI_Info info, void *base)
{
	const char *what;
	void *memory;

	if (size < 0)
		return fail_memory(MPI_ERR_ARG,
				   "MPI_Alloc_mem: size %lld is negative",
				   (long long)size);
	if (orl_host_start() || orl_arena_open(&what))
		return fail_memory(MPI_ERR_NO_MEM,
				   "MPI_Alloc_mem: no memory that ranks can "
				   "share");
	memory = orl_arena_alloc((size_t)size, alignment(info, ORL_CACHELINE));
	if (!memory)
		return fail_memory(MPI_ERR_NO_MEM,
				   "MPI_Alloc_mem: %lld bytes: more than is "
				   "left of the node's %zu or of ORIEL_ARENA",
				   (long long)size, orl_node_room());
	memcpy(base, &memory, sizeof(memory));
	return MPI_SUCCESS;
}

bool orl_mem_is_ours(void *base)
{
	return orl_arena_is_block(base);
}

int orl_mem_free(void *base)
{
	/* NULL is what some hosts give for size 0. */
	if (base && !orl_arena_is_block(base))
		return fail_memory(MPI_ERR_BASE,
				   "MPI_Free_mem: %p is not memory of "
				   "MPI_Alloc_mem, or was freed before",
				   base);
	if (base)
		orl_arena_free(base);
	return MPI_SUCCESS;
}
