/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - where a window's memory comes from, and MPI_Alloc_mem's, which
 * is of the same kind, so that a window created on it is reached directly.
 */
#include "win.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks of a shared window that do not lie end to end share no page. */
static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int allocate(struct orl_win *win, size_t bytes, size_t align)
{
	win->memory = orl_arena_alloc(bytes, align);
	win->base = win->memory;
	return win->memory ? 0 : MPI_ERR_NO_MEM;
}

/* Rank 0 allocates for all; the others learn the base in the exchange. */
static int allocate_contiguous(struct orl_win *win)
{
	int64_t mine = win->bytes, total = 0, *all;
	uint32_t i;
	int rc;

	all = calloc(win->size, sizeof(*all));
	if (!all)
		return MPI_ERR_NO_MEM;
	rc = orl_host_allgather(&win->comm, &mine, all, sizeof(mine));
	for (i = 0; i < win->size && !rc; i++)
		if (all[i] < 0 || __builtin_add_overflow(total, all[i], &total))
			rc = MPI_ERR_SIZE;
	free(all);
	if (rc || win->rank)
		return rc;
	return allocate(win, (size_t)total, page_size());
}

int orl_win_memory(struct orl_win *win, const struct orl_win_args *args)
{
	switch (args->flavor) {
	case MPI_WIN_FLAVOR_CREATE:
		win->base = args->base;
		return 0;
	case MPI_WIN_FLAVOR_ALLOCATE:
		return allocate(win, (size_t)win->bytes, ORL_CACHELINE);
	case MPI_WIN_FLAVOR_SHARED:
		if (!orl_info_is_noncontig(args->info))
			return allocate_contiguous(win);
		return allocate(win, (size_t)win->bytes, page_size());
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
					  : "MPI_Alloc_mem: the node has no "
					    "such memory");
	return orl_host_raise_comm(MPI_COMM_NULL, rc);
}

bool orl_mem_free(void *base)
{
	if (!orl_arena_is_block(base))
		return false;
	orl_arena_free(base);
	return true;
}
