/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deliver.c - what has come: a message is checked as a whole, then its
 * records are executed in their order.  Nothing here trusts what it reads:
 * who does not know our token gets nothing done, and lengths are compared
 * before anything is touched.  Under the progress lock.
 */
#include "am.h"

#include <errno.h>
#include <string.h>

static orl_am_handler_fn handlers[ORL_AM_TYPES] = {
	[ORL_AM_ANSWER] = orl_am_handle_answer,
	[ORL_AM_ERROR] = orl_am_handle_error,
	[ORL_AM_PING] = orl_am_handle_ping,
	[ORL_AM_FLUSH] = orl_am_handle_flush,
};

struct orl_am_delivery *orl_am_current;
bool orl_am_worked;

void orl_am_handle(enum orl_am_type type, orl_am_handler_fn fn)
{
	handlers[type] = fn;
}

/* -- execution ------------------------------------------------------------- */

/* Records that may come without a window. */
static bool is_own(unsigned type)
{
	return type == ORL_AM_ANSWER || type == ORL_AM_ERROR ||
	       type == ORL_AM_PING || type == ORL_AM_FLUSH;
}

static int execute_one(const struct orl_am_delivery *delivery,
		       const struct orl_record *record)
{
	if (orl_unlikely(record->type >= ORL_AM_TYPES ||
			 !handlers[record->type]))
		return -EPROTO;
	if (orl_unlikely(!delivery->source.object && !is_own(record->type)))
		return -EPROTO;
	return handlers[record->type](&delivery->source, record);
}

/* offset 0: nothing from there on was executed. */
static ORL_COLD void report(const struct orl_am_delivery *delivery, int error,
			    size_t offset)
{
	const struct orl_record_error record = {
		.head = { .type = ORL_AM_ERROR },
		.link = delivery->link,
		.error = error,
		.serial = delivery->serial,
		.offset = (uint32_t)offset,
	};

	if (error < 0)
		orl_am_counts.dropped++;
	if (delivery->link)
		orl_am_answer_error(delivery->source.peer, &record);
}

void orl_am_execute(struct orl_am_delivery *delivery)
{
	orl_am_current = delivery;
	orl_am_worked = true;
	while (delivery->next < delivery->len && !delivery->parked) {
		const struct orl_record *record;
		int rc;

		delivery->at = delivery->next;
		record = (const struct orl_record *)(delivery->data +
						     delivery->at);
		delivery->next +=
			ORL_ALIGN_UP((size_t)record->bytes, ORL_RECORD_ALIGN);
		rc = execute_one(delivery, record);
		if (orl_likely(!rc) || delivery->parked)
			continue;
		/* Without memory to keep the rest it must not go on. */
		if (rc == ORL_AM_PARK)
			rc = -ENOMEM;
		report(delivery, rc,
		       rc > 0 ? delivery->shift + delivery->at : 0);
		if (rc < 0)
			break;
	}
	orl_am_current = NULL;
}

/* -- checks ---------------------------------------------------------------- */

/* Do the records fill len bytes exactly? */
static bool are_records(const unsigned char *data, size_t len)
{
	size_t at = 0;

	if (len % ORL_RECORD_ALIGN)
		return false;
	while (at < len) {
		const struct orl_record *record =
			(const struct orl_record *)(data + at);

		/* len is a multiple of 8: the padding fits too. */
		if (record->bytes < sizeof(*record) || record->bytes > len - at)
			return false;
		at += ORL_ALIGN_UP((size_t)record->bytes, ORL_RECORD_ALIGN);
	}
	return true;
}

/* Takes the credit that the peer tells of; false if that cannot be. */
static bool take_credit(struct orl_am_peer *peer, uint16_t credit)
{
	uint16_t more = (uint16_t)(credit - (uint16_t)peer->credited);

	if (more > peer->sent - peer->credited)
		return false;
	__atomic_store_n(&peer->credited, peer->credited + more,
			 __ATOMIC_RELAXED);
	return true;
}

static void take_flags(struct orl_am_peer *peer, unsigned flags)
{
	peer->is_lively = flags & ORL_AM_LIVELY;
	if (flags & ORL_AM_REQUEST) {
		peer->received++;
		orl_am_answers_due(peer);
	}
	if (flags & ORL_AM_BYE) {
		peer->must_tell = true;
		orl_am_answers_due(peer);
		__atomic_store_n(&peer->has_left, true, __ATOMIC_RELAXED);
	}
	if (flags & ORL_AM_HEARD_BYE)
		__atomic_store_n(&peer->knows_bye, true, __ATOMIC_RELAXED);
}

/* The peer that it is from; NULL if it is not for us, or not well formed. */
static struct orl_am_peer *admit(const struct orl_am_head *head, size_t len)
{
	struct orl_am_peer *peer;

	if (len < sizeof(*head) || len > ORL_AM_BYTES ||
	    head->to != orl_am_token)
		return NULL;
	peer = orl_am_peer_by_name(orl_am_sender(head));
	if (!peer || peer->error || !take_credit(peer, head->credit))
		return NULL;
	peer->asked = 0;
	__atomic_store_n(&peer->spoken, true, __ATOMIC_RELAXED);
	take_flags(peer, head->flags);
	return peer;
}

/* -- messages -------------------------------------------------------------- */

static void execute_message(struct orl_am_peer *peer,
			    const struct orl_am_head *head, size_t len)
{
	struct orl_am_delivery delivery = {
		.source = {
			.peer = peer,
			.object = orl_am_name_find(head->cookie),
			.rank = head->rank,
		},
		.cookie = head->cookie,
		.link = head->link,
		.serial = head->serial,
		.data = (const unsigned char *)(head + 1),
		.len = len,
		.at = 0,
		.next = 0,
		.shift = sizeof(*head),
		.parked = NULL,
	};

	if (orl_unlikely(head->cookie && !delivery.source.object)) {
		orl_am_counts.dropped++;
		orl_log(ORL_LOG_DEBUG, "a message for a window that is gone");
	} else if (orl_unlikely(!are_records(delivery.data, len))) {
		report(&delivery, -EPROTO, 0);
	} else if (orl_likely(!peer->parked) || !orl_am_follow(&delivery)) {
		orl_am_execute(&delivery);
		orl_am_resume_all();
	}
}

/* The message where it can be read as what it is.  Peers of ours send whole
 * words, so that only foreign messages lie otherwise. */
static const struct orl_am_head *aligned(const void *message, size_t len)
{
	static uint64_t copy[ORL_AM_BYTES / sizeof(uint64_t)];

	if (orl_likely(!((uintptr_t)message % sizeof(uint64_t))) ||
	    len > sizeof(copy))
		return message;
	memcpy(copy, message, len);
	return (const struct orl_am_head *)copy;
}

void orl_am_deliver(const void *message, size_t len)
{
	const struct orl_am_head *head = aligned(message, len);
	struct orl_am_peer *peer = admit(head, len);

	orl_am_counts.received++;
	if (orl_unlikely(!peer)) {
		orl_am_counts.dropped++;
		return;
	}
	if (len > sizeof(*head))
		execute_message(peer, head, len - sizeof(*head));
	orl_am_answers_send_all();
	if (orl_unlikely(peer->waiting != NULL))
		orl_am_message_pump(peer);
}
