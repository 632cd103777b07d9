/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic.c - windows in which some kinds are the network's: agreeing on them,
 * and keeping to it.  Of such kinds the ranks of this node are reached by the
 * network too, this one included, by links that serve for nothing else.
 */
#include "creation.h"

#include <errno.h>
#include <stdlib.h>

/* -- creation -------------------------------------------------------------- */

/* What this rank can do, by its hints, provider and memory. */
void orl_nic_offer(struct orl_win *win, struct orl_introduction *mine)
{
	enum orl_kind kind;

	if (!orl_info_wants_nic(win) || !orl_fabric.atomics ||
	    (win->bytes && !mine->registered))
		return;
	for (kind = 0; kind < ORL_KIND_COUNT; kind++)
		mine->nic[kind] = (uint16_t)orl_domain_nic(
			kind, &win->domain.hints, orl_fabric_atomic_most);
}

/* What all can.  True if there is any. */
static bool agree(struct orl_win *win, const struct orl_introduction *all)
{
	enum orl_kind kind;
	bool any = false;
	uint32_t i;

	for (kind = 0; kind < ORL_KIND_COUNT; kind++) {
		uint16_t ops = all[0].nic[kind];

		for (i = 1; i < win->size; i++)
			ops &= all[i].nic[kind];
		win->domain.nic[kind] = ops;
		any |= ops;
	}
	return any;
}

static int make_link(struct orl_win *win, uint32_t rank,
		     const struct orl_introduction *other)
{
	struct orl_link *link = calloc(1, sizeof(*link));
	int rc;

	if (!link)
		return MPI_ERR_NO_MEM;
	win->nic[rank] = link;
	link->key = other->key;
	link->base = other->base;
	link->rank = win->rank;
	link->target = rank;
	orl_progress_lock();
	rc = orl_am_peer_find(&other->card, &link->peer);
	orl_progress_unlock();
	return rc == -ENOMEM ? MPI_ERR_NO_MEM : rc ? MPI_ERR_OTHER : 0;
}

int orl_nic_agree(struct orl_creation *creation,
		  const struct orl_introduction *all)
{
	struct orl_win *win = creation->win;
	uint32_t i;
	int rc = 0;

	if (win->flavor == MPI_WIN_FLAVOR_SHARED || win->dynamic ||
	    !agree(win, all))
		return 0;
	win->nic = calloc(win->size, sizeof(*win->nic));
	if (!win->nic)
		return MPI_ERR_NO_MEM;
	for (i = 0; i < win->size && !rc; i++)
		if (orl_creation_is_near(creation, i))
			rc = make_link(win, i, &all[i]);
	return rc;
}

void orl_nic_free(struct orl_win *win)
{
	uint32_t i;

	for (i = 0; i < win->size && win->nic; i++) {
		if (win->nic[i] && win->nic[i]->peer)
			orl_am_link_free(win->nic[i]);
		else
			free(win->nic[i]);
	}
	free(win->nic);
	win->nic = NULL;
}

/* -- operations ------------------------------------------------------------ */

static struct orl_link *link_to(struct orl_win *win, struct orl_target *target)
{
	return target->path->remote ? orl_remote_link(win, target)
				    : win->nic[target->rank];
}

/*
 * Where one kind has two agents, by operation, what an origin does on an
 * element must keep its order all the same.
 */
static int wait_for_nic(struct orl_win *win, struct orl_link *link)
{
	if (!win->domain.hints.same_op)
		return 0;
	return link->transfers ? orl_am_finish(link) : 0;
}

int orl_nic_accumulate(struct orl_win *win, const struct orl_place *place,
		       const struct orl_acc *acc)
{
	struct orl_link *link = link_to(win, place->target);
	int rc;

	if (!link)
		return -ENOMEM;
	if (orl_acc_is_nic(&win->domain, acc->kind, acc->op))
		return orl_nic_issue(link, place, acc);
	rc = wait_for_nic(win, link);
	return rc ? rc : orl_acc_issue(place, acc);
}

int orl_nic_compare(struct orl_win *win, const struct orl_place *place,
		    const struct orl_acc *acc, const void *compare)
{
	struct orl_link *link = link_to(win, place->target);
	const size_t extent = orl_kinds[acc->kind].extent;
	int rc;

	if (!link)
		return -ENOMEM;
	if (orl_acc_is_nic(&win->domain, acc->kind, ORL_OP_CAS) &&
	    !(place->addr % extent))
		return orl_nic_cas(link, place, acc, compare);
	rc = wait_for_nic(win, link);
	return rc ? rc : orl_acc_cas(place, acc, compare);
}

int orl_nic_flush(struct orl_win *win, const struct orl_target *target)
{
	struct orl_link *link = win->nic[target->rank];

	return link ? orl_am_finish(link) : 0;
}

static bool has_atomics(struct orl_link *link)
{
	bool has;

	orl_progress_lock();
	has = link->amos;
	orl_progress_unlock();
	return has;
}

int orl_nic_settle(struct orl_win *win, const struct orl_target *target)
{
	if (!target->path->remote)
		return orl_nic_flush(win, target);
	return has_atomics(target->link) ? orl_am_finish(target->link) : 0;
}

int orl_nic_flush_near(struct orl_win *win)
{
	int rc = 0, one;
	uint32_t i;

	for (i = 0; i < win->nnear; i++) {
		one = orl_nic_flush(win, &win->targets[win->near[i]]);
		rc = rc ? rc : one;
	}
	return rc;
}
