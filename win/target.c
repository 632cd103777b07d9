/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.c - the table of targets that an origin builds at a window's
 * creation: where each rank's memory and control block are in this process,
 * and by which path the memory is reached.  Ranks of other nodes are remote:
 * of them a target says only what is needed to check a call.
 */
#include "creation.h"

#include <stdlib.h>
#include <string.h>

const struct orl_path *orl_win_path(const struct orl_win *win, uint32_t rank,
				    bool mapped)
{
	/* Memory that no other process of the node accesses. */
	if (rank == win->rank && win->nnear == 1)
		return &orl_path_direct;
	if (!(win->paths & ORL_PATH_DIRECT))
		return &orl_path_cma;
	if (mapped)
		return &orl_path_direct;
	return rank == win->rank ? &orl_path_self : &orl_path_cma;
}

/* -- the ranks of this node ------------------------------------------------ */

static int list_near(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i, n = 0;

	for (i = 0; i < win->size; i++)
		n += orl_creation_is_near(creation, i);
	win->near = malloc(n * sizeof(*win->near));
	if (!win->near)
		return MPI_ERR_NO_MEM;
	for (i = 0; i < win->size; i++) {
		if (!orl_creation_is_near(creation, i))
			continue;
		win->near[win->nnear++] = i;
		creation->near_threads |= creation->parts[i].threads;
	}
	return 0;
}

static uint32_t near_index(const struct orl_win *win)
{
	uint32_t i;

	for (i = 0; win->near[i] != win->rank; i++)
		;
	return i;
}

/* The windows of the node's ranks together must fit. */
static int check_room(struct orl_creation *creation)
{
	const struct orl_win *win = creation->win;
	bool shared =
		win->flavor == MPI_WIN_FLAVOR_SHARED && !creation->args->of;
	bool over = false;
	uint64_t used = 0, room = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < win->nnear; i++) {
		const struct orl_part *part = &creation->parts[win->near[i]];
		/* Shared windows allocate after the exchange. */
		uint64_t more = shared ? part->size : 0;

		over |= __builtin_add_overflow(used, part->card.used, &used);
		over |= __builtin_add_overflow(used, more, &used);
		if (part->room < room)
			room = part->room;
	}
	if (!over && used <= room)
		return 0;
	ORL_EXPLAIN(creation,
		    "the ranks' windows would need %llu bytes together, the "
		    "node can give %llu",
		    over ? ~0ull : (unsigned long long)used,
		    (unsigned long long)room);
	return MPI_ERR_NO_MEM;
}

/* The node's ranks and the cores that they may run on, all of the node's. */
static void count_cores(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint64_t cores[2] = { 0, 0 };
	bool crowded = false;
	int ranks = 0, ncores;
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		const struct orl_part *part = &creation->parts[i];

		if (part->card.node != creation->parts[win->rank].card.node)
			continue;
		cores[0] |= part->cores[0];
		cores[1] |= part->cores[1];
		crowded |= part->crowded;
		ranks++;
	}
	ncores =
		__builtin_popcountll(cores[0]) + __builtin_popcountll(cores[1]);
	orl_progress_set_ranks(ranks, ncores);
	win->crowded = !win->spans && (crowded || ranks > ncores);
}

/* -- targets --------------------------------------------------------------- */

/* Handlers run in whichever thread polls, one at a time. */
static void open_gate(const struct orl_creation *creation)
{
	const struct orl_win *win = creation->win;
	struct orl_gate *gate = &win->ctl->gate;

	if (win->spans)
		atomic_store_explicit(&gate->slots[ORL_SLOT_SERVER].owner,
				      ORL_SLOT_OWN, memory_order_relaxed);
	else if (!creation->near_threads && win->nnear < ORL_GATE_SLOTS)
		gate->used = win->nnear;
}

/* Others of the node reach this rank's memory by the kernel's copies: where it
 * polls it takes single elements from them, in the host's loop too. */
static void take_elements(const struct orl_win *win)
{
	const struct orl_path *path = win->targets[win->rank].path;

	if (path == &orl_path_direct || win->dynamic || orl_wait_is_crowded() ||
	    win->flavor == MPI_WIN_FLAVOR_SHARED)
		return;
	orl_acc_take(&win->ctl->gate);
	orl_host_hook();
}

/* The processes' first threads are as far from each other as can be. */
static uint16_t threads_slot(uint32_t index)
{
	static const uint8_t first[ORL_GATE_SLOTS] = { 0, 8,  4, 12, 2, 10,
						       6, 14, 1, 9,  5, 13,
						       3, 11, 7, 15 };
	uint32_t process =
		index - index % ORL_GATE_SLOTS + first[index % ORL_GATE_SLOTS];

	return (uint16_t)(process | ORL_SLOT_THREADS);
}

/* A slot of the gates to itself, if there are enough. */
static uint16_t gate_slot(const struct orl_creation *creation, uint32_t index)
{
	const struct orl_win *win = creation->win;
	uint32_t slots = win->spans ? ORL_SLOT_SERVER : ORL_GATE_SLOTS;
	bool own = win->nnear <= slots && !creation->near_threads;

	if (creation->near_threads && index < ORL_SLOT_THREADS)
		return threads_slot(index);
	return (uint16_t)(index % slots | (own ? ORL_SLOT_OWN : 0));
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

static int make_near(struct orl_win *win, uint32_t rank, uint16_t slot,
		     const struct orl_part *part)
{
	struct orl_target *target = &win->targets[rank];
	struct orl_peer *peer;
	int rc = orl_peer_find(&part->card, &peer);

	if (rc)
		return rc;
	*target = (struct orl_target){
		.path = orl_win_path(win, rank, part->mapped),
		.gate = (void *)(part->ctl + (uint64_t)peer->delta),
		.base = part->base,
		.size = win->dynamic ? UINT64_MAX : part->size,
		.delta = peer->delta,
		.disp_unit = part->disp_unit,
		.pid = part->card.pid,
		.slot = slot,
		.rank = rank,
	};
	if (win->dynamic)
		return win->nnear > 1 ? probe_dynamic(win, peer) : 0;
	if (target->path != &orl_path_cma)
		return 0;
	win->queues = true;
	return orl_peer_cma(peer);
}

/*
 * Of a shared window the memory is mapped all the same; only operations go
 * by another way.
 */
static int map_shared(struct orl_target *target, const struct orl_part *part)
{
	struct orl_peer *peer;
	int rc = orl_peer_find(&part->card, &peer);

	if (!rc)
		target->delta = peer->delta;
	return rc;
}

static int make_remote(struct orl_win *win, uint32_t rank,
		       const struct orl_part *part)
{
	/* Of dynamic windows the regions have keys. */
	bool keyed = win->contacts[rank].key != ORL_NO_KEY || win->dynamic;
	struct orl_target *target = &win->targets[rank];

	*target = (struct orl_target){
		.path = keyed && win->paths & ORL_PATH_FABRIC
				? &orl_path_fabric
				: &orl_path_software,
		.base = part->base,
		.size = win->dynamic ? UINT64_MAX : part->size,
		.disp_unit = part->disp_unit,
		.rank = rank,
	};
	if (win->flavor != MPI_WIN_FLAVOR_SHARED)
		return 0;
	return map_shared(target, part);
}

/* For the handlers of what others send. */
static void serve(struct orl_win *win)
{
	if (!win->spans)
		return;
	orl_progress_lock();
	win->served = win->targets[win->rank];
	win->served.slot = ORL_SLOT_SERVER | ORL_SLOT_OWN;
	orl_progress_unlock();
}

static int make_targets(struct orl_creation *creation, uint32_t *failed)
{
	struct orl_win *win = creation->win;
	uint16_t slot = gate_slot(creation, near_index(win));
	uint32_t i;
	int rc;

	for (i = 0; i < win->size; i++) {
		const struct orl_part *part = &creation->parts[i];

		rc = orl_creation_is_near(creation, i)
			     ? make_near(win, i, slot, part)
			     : make_remote(win, i, part);
		*failed = i;
		if (rc)
			return rc;
	}
	return 0;
}

static const char *hint(int rc)
{
	if (rc == -EPERM || rc == -EACCES)
		return " (the system's ptrace rules forbid it)";
	if (rc == -ENOMEM)
		return " (ORIEL_ARENA takes less address space)";
	return "";
}

int orl_creation_targets(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	size_t bytes = win->size * sizeof(*win->targets);
	uint32_t failed;
	int rc = list_near(creation);

	rc = rc ? rc : check_room(creation);
	if (rc)
		return rc;
	win->targets = aligned_alloc(ORL_CACHELINE, bytes);
	if (!win->targets)
		return MPI_ERR_NO_MEM;
	memset(win->targets, 0, bytes);
	open_gate(creation);
	rc = make_targets(creation, &failed);
	if (!rc) {
		win->master =
			&orl_target_ctl(&win->targets[win->near[0]])->master;
		count_cores(creation);
		take_elements(win);
		serve(win);
		return 0;
	}
	ORL_EXPLAIN(creation, "rank %u's memory cannot be reached: %s%s",
		    failed, strerror(-rc), hint(rc));
	return rc == -ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_UNSUPPORTED_OPERATION;
}

/* -- after the last exchange ----------------------------------------------- */

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

/* A part of nothing is nowhere, as on the hosts. */
static void place_apart(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i;

	for (i = 0; i < win->size; i++)
		win->targets[i].base = creation->verdicts[i].base;
	if (!win->bytes)
		win->base = NULL;
}

static void place_alike(struct orl_win *win, const struct orl_win *of)
{
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		win->targets[i].base = of->targets[i].base;
		win->targets[i].delta = of->targets[i].delta;
		win->targets[i].pid = of->targets[i].pid;
	}
}

static void place_shared(struct orl_creation *creation)
{
	if (creation->args->of)
		place_alike(creation->win, creation->args->of);
	else if (creation->win->contiguous)
		place_contiguous(creation);
	else
		place_apart(creation);
}

/* Whatever a dynamic window's regions are, this path can flush them. */
static void set_dynamic_paths(struct orl_win *win)
{
	uint32_t i;

	win->queues = win->paths & ORL_PATH_CMA && win->nnear > 1;
	for (i = 0; i < win->nnear; i++)
		win->targets[win->near[i]].path =
			win->queues ? &orl_path_cma : &orl_path_direct;
}

/*
 * Nobody sends us anything before we know where it has to go.  What only the
 * verdicts tell some ranks know before others.  They have been read: there is
 * room.
 */
static int wait_for_all(struct orl_creation *creation)
{
	char mine = 0;

	return orl_host_allgather(&creation->win->comm, &mine,
				  creation->verdicts, sizeof(mine));
}

/* What flushes have to do. */
static void set_order(struct orl_win *win)
{
	win->is_late = win->queues || win->spans;
	win->always_fences =
		orl_threaded || win->flavor == MPI_WIN_FLAVOR_SHARED;
}

int orl_creation_finish(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;

	if (win->dynamic)
		set_dynamic_paths(win);
	else if (win->flavor == MPI_WIN_FLAVOR_SHARED)
		place_shared(creation);
	set_order(win);
	if (!win->dynamic && win->flavor != MPI_WIN_FLAVOR_SHARED)
		return 0;
	serve(win);
	return win->spans ? wait_for_all(creation) : 0;
}
