/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.c - the table of targets that an origin builds at a window's
 * creation: where each rank's memory and control block are in this process,
 * and by which path the memory is reached.
 */
#include "creation.h"

#include <stdlib.h>
#include <string.h>

const struct orl_path *orl_win_path(const struct orl_win *win, uint32_t rank,
				    bool mapped)
{
	if (!(win->paths & ORL_PATH_DIRECT))
		return &orl_path_cma;
	if (mapped)
		return &orl_path_direct;
	return rank == win->rank ? &orl_path_self : &orl_path_cma;
}

static uint16_t gate_slot(const struct orl_win *win)
{
	bool own = win->size <= ORL_GATE_SLOTS && !orl_threaded;

	return (uint16_t)(win->rank % ORL_GATE_SLOTS |
			  (own ? ORL_SLOT_OWN : 0));
}

/* Without cma a dynamic window still has memory of MPI_Alloc_mem. */
static int probe_dynamic(struct orl_win *win, struct orl_peer *peer)
{
	if (!(win->paths & ORL_PATH_CMA) || !orl_peer_cma(peer))
		return 0;
	if (!(win->paths & ORL_PATH_DIRECT))
		return -EPERM;
	win->paths &= ~ORL_PATH_CMA;
	return 0;
}

static int make_target(struct orl_win *win, uint32_t rank,
		       const struct orl_record *record)
{
	struct orl_target *target = &win->targets[rank];
	struct orl_peer *peer;
	int rc = orl_peer_find(&record->card, &peer);

	if (rc)
		return rc;
	*target = (struct orl_target){
		.path = orl_win_path(win, rank, record->mapped),
		.gate = (void *)(record->ctl + (uint64_t)peer->delta),
		.base = record->base,
		.size = win->dynamic ? UINT64_MAX : record->size,
		.delta = peer->delta,
		.disp_unit = record->disp_unit,
		.pid = record->card.pid,
		.slot = gate_slot(win),
		.rank = rank,
	};
	if (win->dynamic)
		return probe_dynamic(win, peer);
	if (target->path != &orl_path_cma)
		return 0;
	win->queues = true;
	return orl_peer_cma(peer);
}

int orl_creation_targets(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	size_t bytes = win->size * sizeof(*win->targets);
	uint32_t i;
	int rc = 0;

	win->targets = aligned_alloc(ORL_CACHELINE, bytes);
	if (!win->targets)
		return MPI_ERR_NO_MEM;
	memset(win->targets, 0, bytes);
	for (i = 0; i < win->size && !rc; i++)
		rc = make_target(win, i, &creation->records[i]);
	if (!rc) {
		orl_progress_set_ranks((int)win->size);
		return 0;
	}
	ORL_EXPLAIN(creation, "rank %u's memory cannot be reached: %s%s", i - 1,
		    strerror(-rc),
		    rc == -EPERM || rc == -EACCES
			    ? " (the system's ptrace rules forbid it)"
			    : "");
	return rc == -ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_UNSUPPORTED_OPERATION;
}

/*
 * Ranks of a contiguous shared window have their parts in rank 0's arena,
 * so that rank's addresses, displacement and process serve for all.
 */
static void place_contiguous(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	const struct orl_target *holder = &win->targets[0];
	uint64_t base = creation->verdicts[0].base;
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		struct orl_target *target = &win->targets[i];

		target->base = base;
		target->delta = holder->delta;
		target->pid = holder->pid;
		base += target->size;
	}
	win->base = (void *)(win->targets[win->rank].base +
			     (uint64_t)holder->delta);
}

static void place_apart(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i;

	for (i = 0; i < win->size; i++)
		win->targets[i].base = creation->verdicts[i].base;
}

/* Whatever a dynamic window's regions are, this path can flush them. */
static void set_dynamic_paths(struct orl_win *win)
{
	uint32_t i;

	win->queues = win->paths & ORL_PATH_CMA;
	for (i = 0; i < win->size; i++)
		win->targets[i].path =
			win->queues ? &orl_path_cma : &orl_path_direct;
}

void orl_creation_finish(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;

	if (win->dynamic)
		set_dynamic_paths(win);
	if (win->flavor != MPI_WIN_FLAVOR_SHARED)
		return;
	if (creation->contiguous)
		place_contiguous(creation);
	else
		place_apart(creation);
}
