/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - what this rank does for ranks of other nodes: finds the place of
 * a record in its window, asks for its own lock on behalf of an origin, and
 * writes the words that same-node ranks write themselves.  Runs in any thread
 * that makes progress, with the progress lock held, and never waits.
 */
#include "win.h"

#include "regions.h"

#include <stdlib.h>

/* -- places ---------------------------------------------------------------- */

static int find_place(const struct orl_am_source *source, uint64_t off,
		      uint64_t len, struct orl_place *place)
{
	struct orl_win *win = source->object;
	struct orl_target *served = &win->served;

	if (orl_unlikely(!orl_remote_is_origin(win, source)))
		return MPI_ERR_RANK;
	place->target = served;
	place->path = served->path;
	place->addr = served->base + off;
	if (orl_unlikely(win->dynamic))
		return len ? orl_regions_find(win, place, off, len) : 0;
	if (orl_unlikely(off > served->size || len > served->size - off))
		return MPI_ERR_RMA_RANGE;
	return 0;
}

/* Whom a word about our own targets is for. */
static struct orl_link *find_link(const struct orl_am_source *source)
{
	struct orl_win *win = source->object;

	if (!orl_remote_is_origin(win, source))
		return NULL;
	return win->targets[source->rank].path->remote
		       ? win->targets[source->rank].link
		       : NULL;
}

/* -- locks ----------------------------------------------------------------- */

/* A lock that is asked for, until it is granted. */
struct request {
	struct orl_petition petition; /* first */
	struct orl_am_peer *peer;
	struct orl_am_parked *parked;
	uint32_t slot;
};

static struct orl_petition_at place_of(struct orl_win *win, uint32_t rank)
{
	return (struct orl_petition_at){
		.lock = &win->ctl->lock,
		.held = &win->holders[rank],
	};
}

static int answer(struct orl_am_peer *peer, uint32_t slot)
{
	if (!slot || orl_am_answer(peer, slot, 0))
		return 0;
	return MPI_ERR_NO_MEM;
}

static void lock_granted(struct orl_petition *petition)
{
	struct request *request = (struct request *)petition;

	/* Nobody is there any more, or there was no memory for the rest. */
	if (request->peer->error || !request->parked)
		orl_petition_leave(&petition->at);
	answer(request->peer, request->slot);
	if (request->parked)
		orl_am_resume(request->parked);
	orl_am_answers_send(request->peer);
	free(request);
}

static struct request *make_request(const struct orl_am_source *source,
				    const struct orl_record_lock *record)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request)
		return NULL;
	request->petition.at = place_of(source->object, source->rank);
	request->petition.rank = source->rank;
	request->petition.idle = record->idle;
	request->petition.mode = record->head.a;
	request->petition.granted = lock_granted;
	request->peer = source->peer;
	request->slot = record->slot;
	return request;
}

static int serve_lock(const struct orl_am_source *source,
		      const struct orl_record *head)
{
	const struct orl_record_lock *record =
		(const struct orl_record_lock *)head;
	struct request *request;
	int rc;

	/* Negative: what follows in the message must not be executed. */
	if (head->bytes < sizeof(*record))
		return -EINVAL;
	if (!orl_remote_is_origin(source->object, source))
		return -EPERM;
	request = make_request(source, record);
	if (!request)
		return -ENOMEM;
	rc = orl_petition_begin(&request->petition);
	if (!rc) {
		request->parked = orl_am_park();
		return ORL_AM_PARK;
	}
	free(request);
	return rc > 0 ? answer(source->peer, record->slot) : rc;
}

static int serve_unlock(const struct orl_am_source *source,
			const struct orl_record *head)
{
	const struct orl_record_unlock *record =
		(const struct orl_record_unlock *)head;
	struct orl_petition_at at;

	if (head->bytes < sizeof(*record))
		return MPI_ERR_INTERN;
	if (!orl_remote_is_origin(source->object, source))
		return MPI_ERR_RANK;
	at = place_of(source->object, source->rank);
	/* Whoever passes over places must run. */
	if (*at.held == ORL_PETITION_EXCLUSIVE && orl_progress_has_thread())
		orl_comeback_end(&at);
	if (orl_petition_leave(&at))
		return MPI_ERR_RMA_SYNC;
	return answer(source->peer, record->slot);
}

/* -- losses ---------------------------------------------------------------- */

/* What lost origins hold of this rank's lock is given back. */
static void release_lost(struct orl_win *win)
{
	uint32_t i;

	for (i = 0; i < win->size; i++) {
		const struct orl_am_peer *peer = win->contacts[i].peer;
		struct orl_petition_at at = place_of(win, i);

		if (peer && peer->error && win->holders[i] > ORL_PETITION_ASKED)
			orl_petition_leave(&at);
	}
}

static bool poll_locks(void)
{
	static uint32_t losses;
	uint32_t now =
		atomic_load_explicit(&orl_am_losses, memory_order_relaxed);

	if (orl_unlikely(now != losses)) {
		losses = now;
		orl_remote_for_all(release_lost);
	}
	return orl_petition_poll();
}

/* -- words ----------------------------------------------------------------- */

static int serve_word(const struct orl_am_source *source,
		      const struct orl_record *head)
{
	const struct orl_record_word *record =
		(const struct orl_record_word *)head;
	struct orl_win *win = source->object;

	if (head->bytes < sizeof(*record))
		return MPI_ERR_INTERN;
	if (!orl_remote_is_origin(win, source))
		return MPI_ERR_RANK;
	switch (head->type) {
	case ORL_AM_POST:
		orl_pscw_posted(win, source->rank);
		return 0;
	case ORL_AM_COMPLETE:
		orl_pscw_completed(win->ctl);
		return 0;
	case ORL_AM_NOTIFY:
		return orl_notify_told(win, record->value);
	default:
		return orl_barrier_arrived(win, source->rank, record->value);
	}
}

void orl_win_serve(void)
{
	orl_path_serve(find_place);
	orl_path_serve_keys(orl_regions_key, find_link);
	orl_acc_serve();
	orl_am_handle(ORL_AM_LOCK, serve_lock);
	orl_am_handle(ORL_AM_UNLOCK, serve_unlock);
	orl_lease_serve();
	orl_am_handle(ORL_AM_POST, serve_word);
	orl_am_handle(ORL_AM_COMPLETE, serve_word);
	orl_am_handle(ORL_AM_ARRIVE, serve_word);
	orl_am_handle(ORL_AM_NOTIFY, serve_word);
	orl_am_poll_register(poll_locks);
}
