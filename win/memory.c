/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - where a window's memory comes from, and MPI_Alloc_mem's, which
 * is of the same kind, so that a window created on it is reached directly.
 */
#include "creation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks of a shared window that do not lie end to end share no page. */
static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int allocate(struct orl_creation *creation, size_t bytes, size_t align)
{
	struct orl_win *win = creation->win;

	win->memory = orl_arena_alloc(bytes, align);
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
		total += creation->records[i].size;
	return allocate(creation, total, page_size());
}

int orl_win_memory(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;

	switch (win->flavor) {
	case MPI_WIN_FLAVOR_CREATE:
		win->base = creation->args->base;
		return 0;
	case MPI_WIN_FLAVOR_ALLOCATE:
		return allocate(creation, (size_t)win->bytes, ORL_CACHELINE);
	case MPI_WIN_FLAVOR_SHARED:
		if (creation->contiguous)
			return allocate_contiguous(creation);
		return allocate(creation, (size_t)win->bytes, page_size());
	default:
		return 0;
	}
}

int orl_mem_alloc(MPI_Aint size, void *base)
{
	const char *what;
	void *memory;
	int rc;

	orl_host_start();
	rc = orl_arena_open(&what);
	if (!rc && size >= 0) {
		memory = orl_arena_alloc((size_t)size, ORL_CACHELINE);
		memcpy(base, &memory, sizeof(memory));
		if (memory)
			return MPI_SUCCESS;
	}
	rc = orl_host_error_code(size < 0 ? MPI_ERR_ARG : MPI_ERR_NO_MEM,
				 size < 0 ? "MPI_Alloc_mem: negative size"
					  : "MPI_Alloc_mem: more than is left of "
					    "the node's memory or of "
					    "ORIEL_ARENA");
	return orl_host_raise_comm(MPI_COMM_NULL, rc);
}

bool orl_mem_free(void *base)
{
	if (!orl_arena_is_block(base))
		return false;
	orl_arena_free(base);
	return true;
}
