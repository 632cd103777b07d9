/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_win.c - real windows: made, filled as the model says, compared
 * with it, freed.  Memory that the program brings has canaries around it.
 */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANARY 48

static uint8_t canary(size_t i)
{
	return (uint8_t)(0xc5 ^ (i * 7));
}

static bool is_carved(const struct window *win)
{
	return win->kind >= WIN_CREATE;
}

static uint8_t *block_new(const struct window *win, size_t size)
{
	void *block = NULL;

	if (win->kind == WIN_ALLOC_MEM)
		MPI_Alloc_mem(size, MPI_INFO_NULL, &block);
	else
		block = malloc(size);
	if (!block) {
		fprintf(stderr, "random: no memory for %zu bytes\n", size);
		exit(1);
	}
	return block;
}

static void carve(struct prog *prog, struct window *win, int s)
{
	size_t size = win->rank[prog->me].size[s];
	size_t before = CANARY + win->rank[prog->me].skew, total;

	if (!config.misaligned)
		before = CANARY;
	total = before + size + CANARY;
	win->block[s] = block_new(win, total);
	win->before[s] = before;
	win->after[s] = CANARY;
	for (size_t i = 0; i < total; i++)
		win->block[s][i] = canary(i);
	win->base[s] = win->block[s] + before;
	memcpy(win->base[s], win->mem[prog->me][s], size);
}

/* Where the segment's last region begins: behind its hole, if it has one. */
static size_t last_region(const struct prog *prog, const struct window *win,
			  int s)
{
	return win->rank[prog->me].hole[s] + win->rank[prog->me].hole_len[s];
}

static void attach_segment(struct prog *prog, struct window *win, int s)
{
	size_t size = win->rank[prog->me].size[s];
	size_t last = last_region(prog, win, s);

	if (last)
		must(MPI_Win_attach(win->win, win->base[s],
				    win->rank[prog->me].hole[s]),
		     prog, "MPI_Win_attach");
	if (size)
		must(MPI_Win_attach(win->win, win->base[s] + last, size - last),
		     prog, "MPI_Win_attach");
}

static void detach_segment(struct prog *prog, struct window *win, int s)
{
	size_t last = last_region(prog, win, s);

	if (last)
		must(MPI_Win_detach(win->win, win->base[s]), prog,
		     "MPI_Win_detach");
	if (win->rank[prog->me].size[s])
		must(MPI_Win_detach(win->win, win->base[s] + last), prog,
		     "MPI_Win_detach");
}

static void attach(struct prog *prog, struct window *win)
{
	MPI_Aint mine[MAX_SEGS];

	for (int s = 0; s < win->nsegs; s++) {
		MPI_Get_address(win->base[s], &mine[s]);
		attach_segment(prog, win, s);
	}
	for (int s = win->nsegs; s < MAX_SEGS; s++)
		mine[s] = 0;
	MPI_Allgather(mine, MAX_SEGS, MPI_AINT, win->addr, MAX_SEGS, MPI_AINT,
		      comms[prog->comm].comm);
}

static void set_info(struct window *win)
{
	win->info = MPI_INFO_NULL;
	if (!win->no_locks && !win->noncontig)
		return;
	MPI_Info_create(&win->info);
	if (win->no_locks)
		MPI_Info_set(win->info, "no_locks", "true");
	if (win->noncontig)
		MPI_Info_set(win->info, "alloc_shared_noncontig", "true");
}

static int make(struct prog *prog, struct window *win)
{
	MPI_Comm comm = comms[prog->comm].comm;
	size_t size = win->rank[prog->me].size[0];
	int unit = win->rank[prog->me].unit;

	switch (win->kind) {
	case WIN_ALLOCATE:
		return MPI_Win_allocate(size, unit, win->info, comm,
					&win->base[0], &win->win);
	case WIN_SHARED:
		return MPI_Win_allocate_shared(size, unit, win->info, comm,
					       &win->base[0], &win->win);
	case WIN_DYNAMIC:
		return MPI_Win_create_dynamic(win->info, comm, &win->win);
	default:
		return MPI_Win_create(win->base[0], size, unit, win->info, comm,
				      &win->win);
	}
}

void win_make(struct prog *prog, struct window *win)
{
	size_t size = win->rank[prog->me].size[0];

	set_info(win);
	for (int s = 0; s < win->nsegs && is_carved(win); s++)
		carve(prog, win, s);
	must(make(prog, win), prog, "window creation");
	MPI_Win_set_errhandler(win->win, MPI_ERRORS_RETURN);
	if (win->kind == WIN_DYNAMIC)
		attach(prog, win);
	if (!is_carved(win) && size)
		memcpy(win->base[0], win->mem[prog->me][0], size);
	if (win->info != MPI_INFO_NULL)
		MPI_Info_free(&win->info);
}

void win_drop(struct prog *prog, struct window *win)
{
	for (int s = 0; s < win->nsegs && win->kind == WIN_DYNAMIC; s++)
		detach_segment(prog, win, s);
	must(MPI_Win_free(&win->win), prog, "MPI_Win_free");
	for (int s = 0; s < win->nsegs && is_carved(win); s++) {
		if (win->kind == WIN_ALLOC_MEM)
			MPI_Free_mem(win->block[s]);
		else
			free(win->block[s]);
	}
}

static void fail_byte(struct prog *prog, struct phase *phase, int s,
		      ptrdiff_t at)
{
	struct window *win = &prog->wins[phase->win];
	size_t size = win->rank[prog->me].size[s];
	size_t from = at > 8 ? at - 8 : 0;
	size_t len = size - from < 32 ? size - from : 32;

	fail_head(prog, phase, "window memory differs");
	fprintf(stderr,
		"rank %d, segment %d of %zu bytes: byte %td should be %02x, "
		"is %02x\n",
		prog->me, s, size, at, win->mem[prog->me][s][at],
		win->base[s][at]);
	fprintf(stderr, "from byte %zu:\n", from);
	print_bytes("  should be", win->mem[prog->me][s] + from, len);
	print_bytes("  is       ", win->base[s] + from, len);
	for (int i = 0; i < phase->nops; i++) {
		const struct op *op = phase->ops[i];

		if (op->call < CALL_RMA && op->target == prog->me &&
		    op->seg == s && op->base + op->tgt.first <= at &&
		    at < op->base + op->tgt.last)
			print_op(prog, phase, op);
	}
	fail_end();
}

static void check_canaries(struct prog *prog, struct phase *phase, int s)
{
	struct window *win = &prog->wins[phase->win];
	size_t size = win->rank[prog->me].size[s];
	size_t total = win->before[s] + size + win->after[s];

	for (size_t i = 0; i < total; i++) {
		if (i == win->before[s])
			i += size;
		if (win->block[s][i] == canary(i))
			continue;
		fail_head(prog, phase, "a byte outside the window changed");
		fprintf(stderr, "rank %d, segment %d of %zu bytes: byte %td\n",
			prog->me, s, size, (ptrdiff_t)(i - win->before[s]));
		fail_end();
	}
}

void win_check(struct prog *prog, struct phase *phase)
{
	struct window *win = &prog->wins[phase->win];

	for (int s = 0; s < win->nsegs; s++) {
		size_t size = win->rank[prog->me].size[s];
		ptrdiff_t at = -1;

		if (size)
			at = model_differs(win->mem[prog->me][s],
					   win->unsure[prog->me][s],
					   win->base[s], size);
		if (at >= 0)
			fail_byte(prog, phase, s, at);
		if (is_carved(win))
			check_canaries(prog, phase, s);
	}
}
