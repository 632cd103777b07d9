/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote.c - the ranks of a window that are on other nodes: getting to know
 * their processes at creation, and links to those that are accessed.
 *
 * Of a remote rank the window keeps a contact, one of struct orl_contact;
 * the link, with all that a transfer needs, is made at its first access and
 * lives as long as the window.
 */
#include "creation.h"
#include "regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- the network ----------------------------------------------------------- */

static pthread_once_t served = PTHREAD_ONCE_INIT;

/* Those that span nodes; under the progress lock. */
static struct orl_win *windows;

static void unlist(struct orl_win *win)
{
	struct orl_win **at = &windows;

	while (*at && *at != win)
		at = &(*at)->next;
	if (*at)
		*at = win->next;
}

void orl_remote_for_all(void (*fn)(struct orl_win *win))
{
	struct orl_win *win;

	for (win = windows; win; win = win->next)
		fn(win);
}

/* -- creation -------------------------------------------------------------- */

static int open_network(struct orl_creation *creation)
{
	const char *what = NULL;
	int rc;

	pthread_once(&served, orl_win_serve);
	if (orl_info_wants_nic(creation->win))
		orl_fabric_want_atomics();
	rc = orl_am_open(orl_host_world_size(), &what);
	if (!rc) {
		orl_host_hook();
		orl_info_start_thread(creation->win);
		return 0;
	}
	ORL_EXPLAIN(creation, "no network between the ranks: %s",
		    what ? what : strerror(-rc));
	return MPI_ERR_OTHER;
}

/*
 * Memory that cannot be registered is reached by records, and so is what
 * peers find only at the end (shared windows).  Regions of dynamic windows
 * are registered one by one, dynamic.c.  Without the progress lock: a device
 * may take long for much memory.
 */
static void register_memory(struct orl_win *win, struct orl_introduction *mine)
{
	bool fixed = win->flavor == MPI_WIN_FLAVOR_CREATE ||
		     win->flavor == MPI_WIN_FLAVOR_ALLOCATE;

	if (!fixed || !win->bytes || !(win->paths & ORL_PATH_FABRIC))
		return;
	mine->registered =
		!orl_mr_open(win->base, (size_t)win->bytes, &win->mr);
	mine->key = win->mr.key;
	mine->base = win->mr.base;
}

static int prepare(struct orl_creation *creation, struct orl_introduction *mine)
{
	struct orl_win *win = creation->win;
	int rc = open_network(creation);

	if (rc)
		return rc;
	win->contacts = calloc(win->size, sizeof(*win->contacts));
	win->holders = calloc(win->size, sizeof(*win->holders));
	if (!win->contacts || !win->holders || orl_lease_open(win))
		return MPI_ERR_NO_MEM;
	register_memory(win, mine);
	orl_nic_offer(win, mine);
	orl_progress_lock();
	orl_am_card_fill(&mine->card);
	mine->card.rank = orl_host_world_rank();
	rc = orl_am_name_make(win, &win->cookie);
	if (!rc) {
		win->next = windows;
		windows = win;
	}
	orl_progress_unlock();
	mine->cookie = win->cookie;
	return rc ? MPI_ERR_NO_MEM : 0;
}

static int add_contact(struct orl_win *win, uint32_t rank,
		       const struct orl_introduction *other)
{
	struct orl_contact *contact = &win->contacts[rank];
	int rc;

	contact->cookie = other->cookie;
	contact->key = other->registered ? other->key : ORL_NO_KEY;
	contact->base = other->base;
	orl_progress_lock();
	rc = orl_am_peer_find(&other->card, &contact->peer);
	orl_progress_unlock();
	return rc;
}

static int refuse_contact(struct orl_creation *creation, uint32_t rank, int rc)
{
	ORL_EXPLAIN(creation, "rank %u cannot be reached: %s", rank,
		    strerror(-rc));
	return rc == -ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
}

static int read_introductions(struct orl_creation *creation)
{
	const struct orl_introduction *all = creation->introductions;
	struct orl_win *win = creation->win;
	uint32_t i;
	int rc;

	for (i = 0; i < win->size; i++)
		if (all[i].error)
			return orl_creation_hear(creation, i, all[i].error,
						 all[win->rank].error);
	for (i = 1; i < win->size; i++) {
		if (all[i].card.buffer_bytes == all[0].card.buffer_bytes)
			continue;
		ORL_EXPLAIN(
			creation,
			"rank %u: libfabric and FI_OFI_RXM_BUFFER_SIZE must "
			"be the same for all ranks, and rank 0 has another",
			i);
		return MPI_ERR_OTHER;
	}
	for (i = 0; i < win->size; i++) {
		/* Of rank 0 leases are asked for by all, and it calls all. */
		if (i == win->rank ||
		    (orl_creation_is_near(creation, i) && i && win->rank))
			continue;
		rc = add_contact(win, i, &all[i]);
		if (rc)
			return refuse_contact(creation, i, rc);
	}
	return orl_nic_agree(creation, all);
}

int orl_remote_meet(struct orl_creation *creation, int error)
{
	struct orl_win *win = creation->win;
	struct orl_introduction mine = { .error = error };
	int rc;

	if (!error)
		mine.error = prepare(creation, &mine);
	rc = orl_host_allgather(&win->comm, &mine, creation->introductions,
				sizeof(mine));
	return rc ? rc : read_introductions(creation);
}

void orl_remote_free(struct orl_win *win)
{
	struct orl_link *link;

	if (!win->spans || !win->contacts)
		return;
	orl_progress_lock();
	if (win->cookie)
		orl_am_name_drop(win->cookie);
	unlist(win);
	while ((link = win->links)) {
		win->links = link->next;
		orl_path_forget(link);
		orl_am_link_free(link);
	}
	orl_nic_free(win);
	orl_comeback_forget(&win->ctl->lock);
	orl_lease_close(win);
	orl_askers_free(win);
	orl_progress_unlock();
	if (win->mr.handle)
		orl_mr_close(&win->mr);
	free(win->contacts);
	free(win->holders);
}

/* -- links ----------------------------------------------------------------- */

void orl_remote_aim(struct orl_link *link, const struct orl_win *win,
		    uint32_t rank)
{
	link->peer = win->contacts[rank].peer;
	link->cookie = win->contacts[rank].cookie;
	link->rank = win->rank;
	link->target = rank;
}

static struct orl_link *make_link(struct orl_win *win,
				  struct orl_target *target)
{
	const struct orl_contact *contact = &win->contacts[target->rank];
	struct orl_link *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	orl_remote_aim(link, win, target->rank);
	link->key = contact->key;
	link->base = contact->base;
	link->has_regions = win->dynamic && target->path == &orl_path_fabric;
	link->next = win->links;
	/* Release: other threads read both without the lock. */
	__atomic_store_n(&win->links, link, __ATOMIC_RELEASE);
	__atomic_store_n(&target->link, link, __ATOMIC_RELEASE);
	return link;
}

struct orl_link *orl_remote_link(struct orl_win *win, struct orl_target *target)
{
	struct orl_link *link =
		__atomic_load_n(&target->link, __ATOMIC_ACQUIRE);

	if (orl_likely(link != NULL))
		return link;
	orl_progress_lock();
	link = target->link ? target->link : make_link(win, target);
	orl_progress_unlock();
	return link;
}

int orl_remote_connect(struct orl_win *win, struct orl_target *target)
{
	if (!target->path->remote || orl_remote_link(win, target))
		return 0;
	return -ENOMEM;
}

int orl_remote_tell(struct orl_win *win, struct orl_target *target,
		    enum orl_am_type type, uint32_t value)
{
	struct orl_link *link = orl_remote_link(win, target);
	struct orl_record_word *record;
	bool unasked;
	int rc = 0;

	if (!link)
		return -ENOMEM;
	orl_progress_lock();
	/* Nothing leaves with a lock that nobody has asked for. */
	if (link->lock_record && orl_am_room(link) < sizeof(*record))
		orl_path_send(link);
	unasked = link->unasked;
	record = orl_am_record(link, type, sizeof(*record));
	if (record) {
		record->value = value;
		record->pad = 0;
		/* Nobody asks later whether the word has come, nor, but for a
		 * post, for what went before it: the target itself knows. */
		link->lone = NULL;
		__atomic_store_n(&link->unasked, unasked && type == ORL_AM_POST,
				 __ATOMIC_RELAXED);
		link->unsettled |= unasked && type == ORL_AM_ARRIVE;
		orl_path_send(link);
	} else {
		rc = orl_path_lost(link);
	}
	orl_progress_unlock();
	return rc;
}

/* What follows reads and writes is written before the flush that tells of its
 * end is. */
static void settle_afters(struct orl_win *win)
{
	struct orl_link *link;

	for (link = orl_remote_links(win); link; link = link->next)
		orl_path_settle_afters(link);
}

/* All links in one go, so that they wait for the slowest, not for the sum. */
static int for_links(struct orl_win *win, bool flush)
{
	struct orl_link *link;
	int rc = 0, one;

	if (flush) {
		settle_afters(win);
		orl_progress_lock();
		for (link = win->links; link; link = link->next)
			orl_path_flush_begin(link);
		orl_progress_unlock();
	}
	for (link = orl_remote_links(win); link; link = link->next) {
		struct orl_target *target = &win->targets[link->target];

		one = flush ? target->path->flush(target)
			    : target->path->finish(target);
		rc = rc ? rc : one;
	}
	return rc;
}

int orl_remote_flush(struct orl_win *win)
{
	return orl_remote_links(win) ? for_links(win, true) : 0;
}

/*
 * Is it enough that the next barrier tells the target, behind all that was
 * sent before?  If there is no third rank, which may leave the barrier and
 * come to the target before that, and no error that only the target can find.
 * Our own reads and writes that follow wait (orl_link.unsettled); writes that
 * are under way are in front of its word, too.
 */
static bool is_told(const struct orl_win *win, const struct orl_link *link)
{
	return win->size == 2 && !win->dynamic && !orl_am_has_overtakable(link);
}

int orl_remote_flush_for_barrier(struct orl_win *win)
{
	struct orl_link *link;
	int rc = 0, one;

	settle_afters(win);
	orl_progress_lock();
	for (link = win->links; link; link = link->next)
		if (!is_told(win, link))
			orl_path_flush_begin(link);
	orl_progress_unlock();
	for (link = orl_remote_links(win); link; link = link->next) {
		struct orl_target *target = &win->targets[link->target];

		/* What could be overtaken may have ended since. */
		one = 0;
		if (!is_told(win, link))
			one = target->path->flush(target);
		else if (orl_am_is_awaiting(link))
			one = target->path->finish(target);
		rc = rc ? rc : one;
	}
	return rc;
}

int orl_remote_finish(struct orl_win *win)
{
	return orl_remote_links(win) ? for_links(win, false) : 0;
}

bool orl_remote_is_origin(const struct orl_win *win,
			  const struct orl_am_source *source)
{
	return source->rank < win->size &&
	       win->contacts[source->rank].peer == source->peer;
}
