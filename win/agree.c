/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agree.c - the collective decisions of a window's creation.  Each rank
 * decides from the same parts, so all decide alike, without a word more.
 */
#include "check.h"

#include <string.h>

int orl_creation_hear(struct orl_creation *creation, uint32_t rank, int theirs,
		      int mine)
{
	char why[sizeof(creation->why)];

	memcpy(why, creation->why, sizeof(why));
	if (orl_host_tell(creation->win->comm.handle, (int)rank, why,
			  sizeof(why)))
		why[0] = 0;
	if (mine)
		return mine;
	ORL_EXPLAIN(creation, "rank %u: %.238s", rank,
		    why[0] ? why : "could not make its part");
	return theirs;
}

static int find_error(struct orl_creation *creation)
{
	const struct orl_part *parts = creation->parts;
	uint32_t i;

	for (i = 0; i < creation->win->size; i++)
		if (parts[i].error)
			return orl_creation_hear(
				creation, i, parts[i].error,
				parts[creation->win->rank].error);
	return 0;
}

/* Without any path of the node's, every process is a node of its own. */
bool orl_creation_is_near(const struct orl_creation *creation, uint32_t rank)
{
	const struct orl_win *win = creation->win;

	if (rank == win->rank)
		return true;
	return win->paths & ORL_PATH_NODE &&
	       creation->parts[rank].card.node ==
		       creation->parts[win->rank].card.node;
}

/* Ranks that cannot share memory, of the whole window. */
static bool find_apart(const struct orl_creation *creation, uint32_t *rank)
{
	const struct orl_part *parts = creation->parts;
	uint32_t i;

	for (i = 1; i < creation->win->size; i++) {
		if (parts[i].card.node == parts[0].card.node)
			continue;
		*rank = i;
		return true;
	}
	return false;
}

static int check_nodes(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t other = 0;
	bool apart = find_apart(creation, &other);

	if (apart && win->flavor == MPI_WIN_FLAVOR_SHARED) {
		ORL_EXPLAIN(creation,
			    "ranks 0 and %u cannot share memory (other node, "
			    "container or user)",
			    other);
		return MPI_ERR_RMA_SHARED;
	}
	win->spans = win->size > 1 && (apart || !(win->paths & ORL_PATH_NODE));
	if (!win->spans || win->paths & ORL_PATH_REMOTE)
		return 0;
	ORL_EXPLAIN(creation,
		    "ranks 0 and %u cannot share memory (other node, container "
		    "or user), and the option ORIEL_PATH leaves no path "
		    "between them: allow fabric",
		    other);
	return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* What all ranks allow, and whether memory has to be reached by cma. */
static void read_parts(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i;

	win->paths = ORL_PATH_NODE | ORL_PATH_REMOTE;
	win->number = (uint32_t)(creation->parts[0].ctl / ORL_CACHELINE);
	win->ordinal = creation->parts[0].ordinal;
	win->contiguous = false;
	for (i = 0; i < win->size; i++) {
		const struct orl_part *part = &creation->parts[i];

		if (!part->fences)
			atomic_store(&win->ctl->gate.fenced, 1);
		win->paths &= part->paths;
		if (part->notice_tags < win->notice_tags)
			win->notice_tags = part->notice_tags;
		win->contiguous |= !part->noncontig;
	}
}

/* Some rank's memory that no other rank of its node could reach; every rank
 * finds the same. */
static bool lacks_path(const struct orl_creation *creation)
{
	const struct orl_win *win = creation->win;
	const struct orl_part *parts = creation->parts;
	uint32_t i, k;

	if (win->paths & ORL_PATH_CMA || !(win->paths & ORL_PATH_NODE))
		return false;
	for (i = 0; i < win->size; i++) {
		if (parts[i].mapped)
			continue;
		for (k = 0; k < win->size; k++)
			if (k != i && parts[k].card.node == parts[i].card.node)
				return true;
	}
	return false;
}

static int check_paths(struct orl_creation *creation)
{
	if (creation->win->paths && !lacks_path(creation))
		return 0;
	ORL_EXPLAIN(creation, "the option ORIEL_PATH leaves no path to %s",
		    creation->win->paths
			    ? "memory that is not of MPI_Alloc_mem: allow cma"
			    : "the window");
	return MPI_ERR_UNSUPPORTED_OPERATION;
}

int orl_creation_decide(struct orl_creation *creation)
{
	int rc = find_error(creation);

	if (rc)
		return rc;
	read_parts(creation);
	rc = check_paths(creation);
	return rc ? rc : check_nodes(creation);
}

static int read_verdicts(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		const struct orl_verdict *verdict = &creation->verdicts[i];

		win->paths &= (uint8_t)verdict->paths;
		if (verdict->error)
			return orl_creation_hear(
				creation, i, verdict->error,
				creation->verdicts[win->rank].error);
	}
	return 0;
}

int orl_creation_agree(struct orl_creation *creation, int rc)
{
	struct orl_win *win = creation->win;
	struct orl_verdict mine = {
		.base = (uint64_t)win->base,
		.log = orl_check_address(win),
		.error = rc,
		.paths = win->paths,
	};
	int failed = orl_host_allgather(&win->comm, &mine, creation->verdicts,
					sizeof(mine));

	return failed ? failed : read_verdicts(creation);
}
