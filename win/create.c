/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * create.c - making a window: each rank prepares its part, all exchange what
 * the others must know in one allgather, each builds its table of targets,
 * and a second allgather makes sure that the window exists everywhere or
 * nowhere.  What a rank finds wrong with its arguments travels in the first
 * one, so that no rank waits for another that has given up.
 */
#include "win.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What every rank tells every other. */
struct record {
	struct orl_card card;
	uint64_t ctl;  /* the owner's addresses */
	uint64_t base;
	uint64_t size;
	uint64_t room; /* what this process may count on, orl_node_room */
	uint32_t disp_unit;
	int32_t error;	/* an MPI error class, or 0 */
	uint32_t paths; /* ORL_PATH_..., as this rank's options say */
	uint16_t mapped; /* base lies in the owner's arena */
	uint16_t fences; /* orl_fence_is_able */
};
_Static_assert(sizeof(struct record) == 96, "exchanged between processes");

/* A creation under way. */
struct creation {
	const struct orl_win_args *args;
	struct orl_win *win;
	struct record *records; /* [win->size] */
	char why[256]; /* text of the error, empty if it is the class's own */
};

/*
 * Handles are reused by the host as soon as they are free, so making or
 * freeing one and entering it in the map go together.  Recursive: a delete
 * callback may free a window.
 */
static pthread_mutex_t handles = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
struct orl_map orl_win_map = ORL_MAP_INIT;

#define EXPLAIN(creation, ...)                                                 \
	snprintf((creation)->why, sizeof((creation)->why), __VA_ARGS__)

static int check_args(struct creation *creation)
{
	const struct orl_win_args *args = creation->args;

	if (args->size < 0) {
		EXPLAIN(creation, "size %lld is negative",
			(long long)args->size);
		return MPI_ERR_SIZE;
	}
	if (args->disp_unit <= 0 || args->disp_unit > INT32_MAX) {
		EXPLAIN(creation, "displacement unit %lld is not positive",
			(long long)args->disp_unit);
		return MPI_ERR_DISP;
	}
	if (args->flavor == MPI_WIN_FLAVOR_CREATE && args->size && !args->base) {
		EXPLAIN(creation, "the base of %lld bytes is NULL",
			(long long)args->size);
		return MPI_ERR_BASE;
	}
	return 0;
}

static int make_ctl(struct orl_win *win)
{
	size_t bytes = sizeof(struct orl_ctl) + win->size;

	win->ctl = orl_arena_alloc(bytes, ORL_CACHELINE);
	if (!win->ctl)
		return MPI_ERR_NO_MEM;
	memset(win->ctl, 0, bytes);
	if (win->size < ORL_GATE_SLOTS)
		win->ctl->gate.used = win->size;
	return 0;
}

/* This rank's part; an error class, without having given up. */
static int prepare(struct creation *creation)
{
	struct orl_win *win = creation->win;
	const char *what = NULL;
	int rc, memory;

	rc = orl_arena_open(&what);
	if (rc) {
		EXPLAIN(creation, "shared memory: %s: %s", what,
			strerror(-rc));
		rc = MPI_ERR_NO_MEM;
	}
	rc = rc ? rc : check_args(creation);
	win->bytes = rc ? 0 : creation->args->size;
	/* Collective for shared windows, so also after an error. */
	memory = orl_win_memory(win, creation->args);
	if (!rc && memory == MPI_ERR_SIZE)
		EXPLAIN(creation, "the sum of all sizes is no valid size");
	rc = rc ? rc : memory;
	rc = rc ? rc : make_ctl(win);
	if (rc == MPI_ERR_NO_MEM && !creation->why[0])
		EXPLAIN(creation,
			"%lld bytes: more than this node can give (%llu)",
			(long long)creation->args->size,
			(unsigned long long)orl_node_room());
	if (!rc && win->dynamic)
		rc = orl_regions_make(win) ? MPI_ERR_NO_MEM : 0;
	return rc;
}

static void fill_record(struct orl_win *win, int error, struct record *record)
{
	*record = (struct record){
		.ctl = (uint64_t)win->ctl,
		.base = win->dynamic ? 0 : (uint64_t)win->base,
		.size = (uint64_t)win->bytes,
		.room = orl_node_room(),
		.disp_unit = (uint32_t)win->disp_unit,
		.error = error,
		.paths = (uint32_t)orl_options.path,
		.mapped = !win->bytes || win->flavor == MPI_WIN_FLAVOR_SHARED ||
			  orl_arena_holds(win->base, (size_t)win->bytes),
		.fences = orl_fence_is_able(),
	};
	orl_card_fill(&record->card);
}

/* -- what all ranks decide alike from the same records ----------------------- */

static int first_error(struct creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		if (!creation->records[i].error)
			continue;
		if (i != win->rank)
			EXPLAIN(creation, "rank %u could not make its part", i);
		return creation->records[i].error;
	}
	return 0;
}

static int check_node(struct creation *creation)
{
	const struct record *records = creation->records;
	uint32_t i;

	for (i = 1; i < creation->win->size; i++) {
		if (records[i].card.node == records[0].card.node)
			continue;
		EXPLAIN(creation,
			"ranks 0 and %u cannot share memory (other node, "
			"container or user); this version of Oriel serves "
			"one node",
			i);
		return MPI_ERR_UNSUPPORTED_OPERATION;
	}
	return 0;
}

/* All windows of the node's ranks together must fit. */
static int check_room(struct creation *creation)
{
	const struct record *records = creation->records;
	uint64_t used = 0, room = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < creation->win->size; i++) {
		used += records[i].card.used;
		if (records[i].room < room)
			room = records[i].room;
	}
	if (used <= room)
		return 0;
	EXPLAIN(creation,
		"the ranks' windows would need %llu bytes, the node has %llu",
		(unsigned long long)used, (unsigned long long)room);
	return MPI_ERR_NO_MEM;
}

static int agree_on_paths(struct creation *creation)
{
	struct orl_win *win = creation->win;
	bool heap = false;
	uint32_t i;

	win->paths = ORL_PATH_DIRECT | ORL_PATH_CMA;
	for (i = 0; i < win->size; i++) {
		if (!creation->records[i].fences)
			atomic_store(&win->ctl->gate.fenced, 1);
		win->paths &= (uint8_t)creation->records[i].paths;
		heap |= !creation->records[i].mapped;
	}
	if (win->paths && (win->paths & ORL_PATH_CMA || !heap || win->size < 2))
		return 0;
	EXPLAIN(creation, "ORIEL_PATH leaves no path to %s",
		heap ? "memory that is not of MPI_Alloc_mem" : "the window");
	return MPI_ERR_UNSUPPORTED_OPERATION;
}

static int decide(struct creation *creation)
{
	int rc = first_error(creation);

	rc = rc ? rc : check_node(creation);
	rc = rc ? rc : check_room(creation);
	return rc ? rc : agree_on_paths(creation);
}

/* -- targets -------------------------------------------------------------------- */

const struct orl_path *orl_win_path(const struct orl_win *win, uint32_t rank,
				    bool mapped)
{
	if (!(win->paths & ORL_PATH_DIRECT))
		return &orl_path_cma;
	if (mapped)
		return &orl_path_direct;
	return rank == win->rank ? &orl_path_self : &orl_path_cma;
}

/*
 * Ranks of a contiguous shared window have their parts in rank 0's arena,
 * so that rank's addresses, displacement and process serve for all.
 */
static void place_contiguous(struct creation *creation)
{
	struct orl_win *win = creation->win;
	const struct orl_target *holder = &win->targets[0];
	uint64_t base = creation->records[0].base;
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

static bool is_contiguous(const struct creation *creation)
{
	return creation->args->flavor == MPI_WIN_FLAVOR_SHARED &&
	       !orl_info_is_noncontig(creation->args->info);
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

static uint16_t gate_slot(const struct orl_win *win)
{
	bool own = win->size <= ORL_GATE_SLOTS && !orl_threaded;

	return (uint16_t)(win->rank % ORL_GATE_SLOTS |
			  (own ? ORL_SLOT_OWN : 0));
}

static int make_target(struct orl_win *win, uint32_t rank,
		       const struct record *record)
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

static int make_targets(struct creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i;
	int rc = 0;

	win->targets = aligned_alloc(64, win->size * sizeof(*win->targets));
	if (!win->targets)
		return MPI_ERR_NO_MEM;
	for (i = 0; i < win->size && !rc; i++)
		rc = make_target(win, i, &creation->records[i]);
	if (rc) {
		EXPLAIN(creation,
			"rank %u's memory cannot be reached: %s%s", i - 1,
			strerror(-rc),
			rc == -EPERM || rc == -EACCES
				? " (ptrace rules: allow ptrace between the "
				  "ranks, or use memory of MPI_Alloc_mem)"
				: "");
		return MPI_ERR_UNSUPPORTED_OPERATION;
	}
	if (is_contiguous(creation))
		place_contiguous(creation);
	orl_progress_set_ranks((int)win->size);
	return 0;
}

/* -- together --------------------------------------------------------------------- */

/* What a rank says at the end. */
struct verdict {
	int32_t error;
	uint32_t paths;
};

/* Every rank's verdict: the error class of one that failed, or 0. */
static int agree(struct creation *creation, int rc)
{
	struct orl_win *win = creation->win;
	struct verdict mine = {.error = rc, .paths = win->paths};
	struct verdict *all = (struct verdict *)creation->records;
	uint32_t i;
	int failed = orl_host_allgather(&win->comm, &mine, all, sizeof(mine));

	if (rc || failed)
		return rc ? rc : failed;
	for (i = 0; i < win->size; i++) {
		win->paths &= (uint8_t)all[i].paths;
		if (!all[i].error || rc)
			continue;
		EXPLAIN(creation, "rank %u could not make its part", i);
		rc = all[i].error;
	}
	return rc;
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

static int enter_map(struct orl_win *win)
{
	int rc;

	pthread_mutex_lock(&handles);
	rc = orl_host_win_make(&win->handle);
	if (!rc && orl_map_set(&orl_win_map, (uintptr_t)win->handle, win)) {
		orl_host_win_free(&win->handle);
		rc = MPI_ERR_NO_MEM;
	}
	pthread_mutex_unlock(&handles);
	return rc;
}

static int leave_map(struct orl_win *win)
{
	uintptr_t key = (uintptr_t)win->handle;
	int rc;

	pthread_mutex_lock(&handles);
	rc = orl_host_win_free(&win->handle);
	if (!rc)
		orl_map_del(&orl_win_map, key);
	pthread_mutex_unlock(&handles);
	return rc;
}

static int build(struct creation *creation)
{
	struct orl_win *win = creation->win;
	struct record mine;
	int rc;

	creation->records = calloc(win->size, sizeof(mine));
	if (!creation->records)
		return MPI_ERR_NO_MEM;
	rc = prepare(creation);
	fill_record(win, rc, &mine);
	rc = orl_host_allgather(&win->comm, &mine, creation->records,
				sizeof(mine));
	rc = rc ? rc : decide(creation);
	if (!rc) {
		rc = make_targets(creation);
		rc = agree(creation, rc ? rc : enter_map(win));
	}
	if (!rc && win->dynamic)
		set_dynamic_paths(win);
	free(creation->records);
	return rc;
}

static struct orl_win *make_object(const struct orl_win_args *args)
{
	struct orl_win *win = calloc(1, sizeof(*win));

	if (!win)
		return NULL;
	pthread_mutex_init(&win->mutex, NULL);
	pthread_mutex_init(&win->room_mutex, NULL);
	win->handle = MPI_WIN_NULL;
	win->flavor = args->flavor;
	win->dynamic = args->flavor == MPI_WIN_FLAVOR_DYNAMIC;
	win->disp_unit = (int)args->disp_unit;
	orl_info_read(win, args->info, true);
	return win;
}

static void free_object(struct orl_win *win)
{
	uint32_t i;

	for (i = 0; i < win->size && win->targets; i++)
		orl_path_release(&win->targets[i]);
	free(win->targets);
	orl_regions_free(win);
	if (win->ctl)
		orl_arena_free(win->ctl);
	if (win->memory)
		orl_arena_free(win->memory);
	free(win);
}

/* What no step has explained. */
static void explain_class(struct creation *creation, int class)
{
	if (class == MPI_ERR_COMM)
		EXPLAIN(creation, "the communicator is null, invalid or an "
				  "intercommunicator");
	else if (class == MPI_ERR_WIN)
		EXPLAIN(creation, "the host MPI makes no window, not even of "
				  "one process, to serve as handle");
	else if (class == MPI_ERR_NO_MEM)
		EXPLAIN(creation, "no memory");
	else
		EXPLAIN(creation, "the host MPI failed in the exchange "
				  "between the ranks");
}

static ORL_COLD int fail(struct creation *creation, int class)
{
	char text[512];

	if (!creation->why[0])
		explain_class(creation, class);
	snprintf(text, sizeof(text), "%s: %s", creation->args->call,
		 creation->why);
	orl_log(ORL_LOG_INFO, "%s", text);
	return orl_host_raise_comm(creation->args->comm,
				   orl_host_error_code(class, text));
}

int orl_win_create(const struct orl_win_args *args, MPI_Win *handle)
{
	struct creation creation = {.args = args};
	struct orl_comm comm;
	struct orl_win *win;
	int rc = orl_host_start();

	rc = rc ? rc : orl_host_comm_open(args->comm, &comm);
	if (rc)
		return fail(&creation, rc);
	win = make_object(args);
	if (!win) {
		orl_host_comm_close(&comm);
		return fail(&creation, MPI_ERR_NO_MEM);
	}
	creation.win = win;
	win->comm = comm;
	win->rank = (uint32_t)comm.rank;
	win->size = (uint32_t)comm.size;
	rc = build(&creation);
	if (rc) {
		if (win->handle != MPI_WIN_NULL)
			leave_map(win);
		orl_host_comm_close(&comm);
		free_object(win);
		return fail(&creation, rc);
	}
	*handle = win->handle;
	return MPI_SUCCESS;
}

void *orl_win_base(const struct orl_win *win)
{
	return win->base;
}

int orl_win_free(MPI_Win *handle, struct orl_win *win)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_FREE);
	int rc;

	if (why)
		return orl_win_fail(win, "MPI_Win_free", MPI_ERR_RMA_SYNC,
				    "%s", why);
	orl_win_barrier(win);
	rc = leave_map(win);
	if (rc)
		return orl_win_fail(win, "MPI_Win_free", rc,
				    "an attribute's delete callback or the "
				    "host MPI refused");
	orl_host_comm_close(&win->comm);
	free_object(win);
	*handle = MPI_WIN_NULL;
	return MPI_SUCCESS;
}
