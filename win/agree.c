/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agree.c - the collective decisions of a window's creation.  Each rank
 * decides from the same records, so all decide alike, without a word more.
 */
#include "creation.h"

/* Every rank says why, since only one of them may get to print it. */
static void explain_other(struct orl_creation *creation, uint32_t rank,
			  const char *why)
{
	if (rank == creation->win->rank && creation->why[0])
		return;
	ORL_EXPLAIN(creation, "rank %u: %s", rank,
		    why[0] ? why : "could not make its part");
}

static int find_error(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		if (!creation->records[i].error)
			continue;
		explain_other(creation, i, creation->records[i].why);
		return creation->records[i].error;
	}
	return 0;
}

static int check_node(struct orl_creation *creation)
{
	const struct orl_record *records = creation->records;
	uint32_t i;

	for (i = 1; i < creation->win->size; i++) {
		if (records[i].card.node == records[0].card.node)
			continue;
		ORL_EXPLAIN(creation,
			    "ranks 0 and %u cannot share memory (other node, "
			    "container or user); this version of Oriel serves "
			    "one node",
			    i);
		return MPI_ERR_UNSUPPORTED_OPERATION;
	}
	if (creation->win->size <= 1u << ORL_BARRIER_ROUNDS)
		return 0;
	ORL_EXPLAIN(creation, "more than %u ranks on one node",
		    1u << ORL_BARRIER_ROUNDS);
	return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* All windows of the node's ranks together must fit. */
static int check_room(struct orl_creation *creation)
{
	const struct orl_record *records = creation->records;
	bool shared = creation->win->flavor == MPI_WIN_FLAVOR_SHARED;
	uint64_t used = 0, room = UINT64_MAX;
	bool over = false;
	uint32_t i;

	for (i = 0; i < creation->win->size; i++) {
		/* Shared windows allocate after the exchange. */
		uint64_t more = shared ? records[i].size : 0;

		over |= __builtin_add_overflow(used, records[i].card.used,
					       &used);
		over |= __builtin_add_overflow(used, more, &used);
		if (records[i].room < room)
			room = records[i].room;
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

static int choose_paths(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	bool heap = false;
	uint32_t i;

	win->paths = ORL_PATH_DIRECT | ORL_PATH_CMA;
	creation->contiguous = false;
	for (i = 0; i < win->size; i++) {
		const struct orl_record *record = &creation->records[i];

		if (!record->fences)
			atomic_store(&win->ctl->gate.fenced, 1);
		win->paths &= record->paths;
		heap |= !record->mapped;
		creation->contiguous |= !record->noncontig;
	}
	if (win->paths && (win->paths & ORL_PATH_CMA || !heap || win->size < 2))
		return 0;
	ORL_EXPLAIN(creation, "the option ORIEL_PATH leaves no path to %s",
		    heap ? "memory that is not of MPI_Alloc_mem: allow cma"
			 : "the window");
	return MPI_ERR_UNSUPPORTED_OPERATION;
}

int orl_creation_decide(struct orl_creation *creation)
{
	int rc = find_error(creation);

	rc = rc ? rc : check_node(creation);
	rc = rc ? rc : check_room(creation);
	return rc ? rc : choose_paths(creation);
}

int orl_creation_agree(struct orl_creation *creation, int rc)
{
	struct orl_win *win = creation->win;
	struct orl_verdict mine = {
		.base = (uint64_t)win->base,
		.error = rc,
		.paths = win->paths,
	};
	uint32_t i;
	int failed;

	snprintf(mine.why, sizeof(mine.why), "%.*s", (int)sizeof(mine.why) - 1,
		 creation->why);
	failed = orl_host_allgather(&win->comm, &mine, creation->verdicts,
				    sizeof(mine));

	if (rc || failed)
		return rc ? rc : failed;
	for (i = 0; i < win->size; i++) {
		const struct orl_verdict *verdict = &creation->verdicts[i];

		win->paths &= (uint8_t)verdict->paths;
		if (!verdict->error || rc)
			continue;
		explain_other(creation, i, verdict->why);
		rc = verdict->error;
	}
	return rc;
}
