/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link.c - the origin's side: records are written into the link's message,
 * which is sent when it is full, and the link is flushed.  Each message keeps
 * room for the record of a flush at its end, so that this never waits.
 *
 * Under the progress lock, but for what waits.  A thread that waits for
 * credit has released the lock: another may have sent the message meanwhile,
 * or begun a new one.
 */
#include "am.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define RESERVE sizeof(struct orl_record_flush)

size_t orl_am_most(void)
{
	return orl_am_message_most() - sizeof(struct orl_am_head) - RESERVE;
}

size_t orl_am_room(const struct orl_link *link)
{
	size_t full = orl_am_message_most();
	size_t used = link->out ? link->out->len + RESERVE : SIZE_MAX;

	if (full > ORL_AM_FULL)
		full = ORL_AM_FULL;
	return used < full ? full - used : 0;
}

/* -- the message under construction ---------------------------------------- */

static void leave(struct orl_link *link)
{
	link->out = NULL;
	link->lock_record = NULL;
	link->lone = NULL;
}

void orl_am_discard(struct orl_link *link)
{
	struct orl_am_message *message = link->out;
	struct orl_am_choice choice = {
		.peer = NULL,
		.link = link,
		.serial = 0,
		.offset = 0,
	};

	if (!message)
		return;
	leave(link);
	if (link->answers) {
		choice.serial = message->serial;
		orl_am_slots_fail(&choice, 0);
	}
	__atomic_store_n(&link->unasked, message->unasked, __ATOMIC_RELAXED);
	orl_am_message_put(message);
}

static ORL_COLD void give_up(struct orl_link *link, int error)
{
	orl_am_link_fail(link, error);
	orl_am_discard(link);
}

/* Begins a message: 0 or -errno. */
static int begin(struct orl_link *link)
{
	struct orl_am_head *head;

	if (orl_unlikely(link->peer->error))
		return link->peer->error;
	if (orl_unlikely(!link->id))
		link->id = orl_am_link_name(link);
	if (orl_unlikely(!link->id))
		return -ENOMEM;
	link->out = orl_am_message_get();
	if (orl_unlikely(!link->out))
		return -ENOMEM;
	link->out->unasked = link->unasked;
	link->out->slots = 0;
	head = orl_am_head(link->out);
	head->cookie = (uint32_t)link->cookie;
	head->rank = link->rank;
	head->link = link->id;
	return 0;
}

static void request(struct orl_link *link)
{
	struct orl_am_message *message = link->out;

	leave(link);
	orl_am_message_request(message, link->peer);
}

static bool has_credit(void *arg)
{
	return orl_am_message_has_credit(arg);
}

void orl_am_send(struct orl_link *link)
{
	struct orl_am_peer *peer = link->peer;

	assert(orl_progress_has_lock());
	while (link->out && orl_unlikely(!orl_am_message_has_credit(peer))) {
		orl_progress_unlock();
		orl_wait(&orl_am_bell, ORL_BELL_ALL, has_credit, peer);
		orl_progress_lock();
	}
	if (!link->out)
		return;
	if (orl_likely(!peer->error))
		request(link);
	else
		give_up(link, peer->error);
}

void orl_am_push(struct orl_link *link)
{
	assert(orl_progress_has_lock());
	if (!link->out)
		return;
	if (orl_likely(!link->peer->error))
		request(link);
	else
		give_up(link, link->peer->error);
}

bool orl_am_is_under_way(const struct orl_link *link)
{
	uint32_t unsent = link->out ? link->out->slots : 0;

	return link->answers != unsent || link->transfers;
}

/* -- records --------------------------------------------------------------- */

/* Sees to a message with room for so many bytes: 0 or -errno. */
static int make_room(struct orl_link *link, size_t bytes)
{
	while (link->out) {
		if (bytes <= orl_am_room(link))
			return 0;
		orl_am_send(link);
	}
	return begin(link);
}

void *orl_am_record(struct orl_link *link, enum orl_am_type type, size_t bytes)
{
	int rc;

	assert(orl_progress_has_lock());
	assert(bytes >= sizeof(struct orl_record) && bytes <= orl_am_most());
	if (orl_unlikely(orl_am_room(link) < bytes)) {
		rc = make_room(link, bytes);
		if (orl_unlikely(rc)) {
			give_up(link, rc);
			return NULL;
		}
	}
	__atomic_store_n(&link->unasked, true, __ATOMIC_RELAXED);
	return orl_am_message_append(link->out, type, bytes);
}

bool orl_am_is_only(const struct orl_link *link,
		    const struct orl_record *latest)
{
	return link->out && (const unsigned char *)latest ==
				    (const unsigned char *)link->out->data +
					    sizeof(struct orl_am_head);
}

void orl_am_may_end(struct orl_link *link, uint32_t *slot)
{
	*slot = 0;
	link->out->end = slot;
}

/* -- transfers ------------------------------------------------------------- */

void orl_am_transfer_begin(struct orl_link *link, bool is_overtakable)
{
	assert(orl_progress_has_lock());
	orl_am_await(link->peer, 1);
	__atomic_fetch_add(&link->overtakable, is_overtakable,
			   __ATOMIC_RELAXED);
	__atomic_fetch_add(&link->transfers, 1, __ATOMIC_RELAXED);
}

ORL_COLD void orl_am_transfer_fail(struct orl_link *link, int error)
{
	assert(orl_progress_has_lock());
	if (orl_fabric_is_of_operation(error))
		orl_am_link_fail(link, error);
	else
		orl_am_lose(link->peer, error);
}

void orl_am_transfer_end(struct orl_link *link, bool was_overtakable)
{
	assert(orl_progress_has_lock());
	/* A sign of life; who is lost, or has just failed, stays so. */
	link->peer->asked = 0;
	orl_am_await(link->peer, -1);
	/* Releases: pair with the acquires in orl_am_has_overtakable and
	 * orl_am_is_idle. */
	__atomic_fetch_sub(&link->overtakable, was_overtakable,
			   __ATOMIC_RELEASE);
	if (!__atomic_sub_fetch(&link->transfers, 1, __ATOMIC_RELEASE) &&
	    orl_unlikely(link->is_closed))
		free(link);
}

/* -- flush ----------------------------------------------------------------- */

/* Where a slot for the end of all records goes: the latest's, or a flush's. */
static uint32_t *end_slot(struct orl_link *link)
{
	struct orl_record_flush *flush;

	if (link->out->end)
		return link->out->end;
	flush = orl_am_message_append(link->out, ORL_AM_FLUSH, sizeof(*flush));
	flush->pad = 0;
	return &flush->slot;
}

/* Asks for an answer when all before it has been executed: 0 or -errno. */
static int ask_for_end(struct orl_link *link)
{
	int rc = link->out ? 0 : begin(link);
	uint32_t *slot;

	if (orl_unlikely(rc))
		return rc;
	slot = end_slot(link);
	*slot = orl_am_slot(link, orl_am_copy_answer, NULL, 0);
	return *slot ? 0 : -ENOMEM;
}

void orl_am_flush_begin(struct orl_link *link)
{
	int rc = link->peer->error;

	assert(orl_progress_has_lock());
	if (orl_likely(!rc) && link->unasked)
		rc = ask_for_end(link);
	if (orl_unlikely(rc)) {
		if (link->out || link->unasked)
			give_up(link, rc);
		/* Nobody will answer for what was sent. */
		__atomic_store_n(&link->unasked, false, __ATOMIC_RELAXED);
		return;
	}
	if (link->out)
		request(link);
}

bool orl_am_is_idle(const struct orl_link *link)
{
	/* Acquire: pairs with the releases in count(), slot.c, and in
	 * orl_am_transfer_end.  In this order, see orl_am.h. */
	return !orl_am_is_awaiting(link) &&
	       !__atomic_load_n(&link->transfers, __ATOMIC_ACQUIRE);
}

static bool is_over(void *arg)
{
	const struct orl_link *link = arg;

	return orl_am_is_idle(link) ||
	       /* Acquire: pairs with the release in orl_am_lose. */
	       __atomic_load_n(&link->peer->error, __ATOMIC_ACQUIRE);
}

/* Waits, and takes the link's error. */
static int end(struct orl_link *link)
{
	int rc;

	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_over, link);
	orl_progress_lock();
	orl_am_counts.trips++;
	rc = orl_am_link_take_error(link);
	orl_progress_unlock();
	return rc;
}

int orl_am_flush(struct orl_link *link)
{
	/*
	 * Acquire: pairs with the release in orl_am_slot.  Looked at first:
	 * another thread, which asks for an answer to what we have written,
	 * counts that before it clears unasked.
	 */
	bool unasked = __atomic_load_n(&link->unasked, __ATOMIC_ACQUIRE);

	if (!unasked && orl_am_is_idle(link) && !orl_link_error(link))
		return 0;
	orl_progress_lock();
	orl_am_flush_begin(link);
	orl_progress_unlock();
	return end(link);
}

int orl_am_finish(struct orl_link *link)
{
	if (orl_am_is_idle(link) && !orl_link_error(link))
		return 0;
	orl_progress_lock();
	orl_am_send(link);
	orl_progress_unlock();
	return end(link);
}

/* -- the end --------------------------------------------------------------- */

void orl_am_link_close(struct orl_link *link)
{
	const struct orl_am_choice choice = {
		.peer = NULL,
		.link = link,
		.serial = 0,
		.offset = 0,
	};

	orl_am_discard(link);
	if (link->answers)
		orl_am_slots_fail(&choice, -ECANCELED);
	if (link->id)
		orl_am_link_unname(link);
}

void orl_am_link_free(struct orl_link *link)
{
	orl_am_link_close(link);
	link->is_closed = true;
	if (orl_likely(!link->transfers))
		free(link);
}
