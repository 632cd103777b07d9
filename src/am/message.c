/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.c - messages on their way out: their memory, and credit.  A message
 * is its maker's until it is sent, src/fabric's until its op is done, and
 * then goes back to a short list of free ones.  Requests need credit: at most
 * ORL_AM_CREDIT of them are on the way to a peer; what exceeds that waits in
 * the peer's queue.  Answers need none: the origin
 * bounds how many it awaits by link (src/path/remote.c).
 */
#include "am.h"

#include <stdlib.h>
#include <string.h>

#define SPARE_MOST 64

static struct orl_am_message *spare;
static unsigned nspare;

struct orl_am_counts orl_am_counts;

size_t orl_am_message_most(void)
{
	size_t most = orl_fabric.message_most;

	return (most < ORL_AM_BYTES ? most : ORL_AM_BYTES) & ~(size_t)7;
}

struct orl_am_message *orl_am_message_get(void)
{
	static uint16_t serial;
	struct orl_am_message *message = spare;

	if (orl_likely(message)) {
		spare = message->next;
		nspare--;
	} else {
		message = malloc(sizeof(*message));
		if (!message)
			return NULL;
	}
	/* 0 means none. */
	if (!++serial)
		serial = 1;
	message->next = NULL;
	message->len = sizeof(struct orl_am_head);
	message->latest = 0;
	message->end = NULL;
	message->serial = serial;
	message->unasked = false;
	message->followed = false;
	memset(orl_am_head(message), 0, sizeof(struct orl_am_head));
	return message;
}

void orl_am_message_put(struct orl_am_message *message)
{
	if (nspare >= SPARE_MOST) {
		free(message);
		return;
	}
	message->next = spare;
	spare = message;
	nspare++;
}

void *orl_am_message_append(struct orl_am_message *message,
			    enum orl_am_type type, size_t bytes)
{
	const size_t all = ORL_ALIGN_UP(bytes, ORL_RECORD_ALIGN);
	unsigned char *end;
	struct orl_record *record;

	record = (struct orl_record *)((unsigned char *)message->data +
				       message->len);
	end = (unsigned char *)record + all;
	/* What pads it must not be what the memory held before. */
	memset(end - ORL_RECORD_ALIGN, 0, ORL_RECORD_ALIGN);
	*record = (struct orl_record){
		.type = (uint8_t)type,
		.a = 0,
		.b = 0,
		.c = 0,
		.bytes = (uint32_t)bytes,
	};
	message->latest = message->len;
	message->end = NULL;
	message->len += all;
	return record;
}

static void sent(struct orl_fabric_op *op, int error)
{
	struct orl_am_message *message =
		(struct orl_am_message *)((char *)op -
					  offsetof(struct orl_am_message, op));
	struct orl_am_peer *peer = message->peer;

	orl_am_message_put(message);
	if (orl_unlikely(error))
		orl_am_lose(peer, error);
}

/* The quicker way for small ones.  False: it cannot go that way. */
static bool inject(struct orl_am_message *message, struct orl_am_peer *peer)
{
	if (message->len > orl_fabric.inject_most || message->followed ||
	    !orl_fabric_inject(peer->addr, message->data, message->len))
		return false;
	orl_am_message_put(message);
	return true;
}

void orl_am_message_send(struct orl_am_message *message,
			 struct orl_am_peer *peer)
{
	struct orl_am_head *head = orl_am_head(message);

	if (orl_unlikely(peer->error)) {
		orl_am_message_put(message);
		return;
	}
	head->to = peer->token;
	head->from = (uint32_t)orl_am_token;
	head->from_up = (uint16_t)(orl_am_token >> 32);
	head->serial = message->serial;
	head->credit = (uint16_t)peer->received;
	if (orl_progress_has_thread())
		head->flags |= ORL_AM_LIVELY;
	peer->told = peer->received;
	peer->bytes += message->len;
	__atomic_store_n(&peer->spoken, true, __ATOMIC_RELAXED);
	orl_am_counts.sent++;
	if (inject(message, peer))
		return;
	message->peer = peer;
	message->op.done = sent;
	orl_fabric_send(&message->op, peer->addr, message->data, message->len);
}

void orl_am_message_tell(struct orl_am_peer *peer, uint16_t flags)
{
	struct orl_am_message *message = orl_am_message_get();

	if (!message)
		return;
	orl_am_head(message)->flags = flags;
	message->followed = flags & (ORL_AM_BYE | ORL_AM_HEARD_BYE);
	orl_am_message_send(message, peer);
}

/* -- hints ----------------------------------------------------------------- */

/* Small transfers, or the like of them in large ones, for a hint. */
#define HINT_WEIGHT  32
#define WEIGHT_BYTES 16384

void orl_am_hint(struct orl_am_peer *peer, size_t len)
{
	uint64_t now = orl_now_coarse();

	peer->bytes += len;
	peer->unhinted += 1 + len / WEIGHT_BYTES;
	if (orl_fabric.passive ||
	    (peer->unhinted < HINT_WEIGHT && now == peer->hinted))
		return;
	peer->unhinted = 0;
	peer->hinted = now;
	orl_am_message_tell(peer, 0);
}

/* -- credit ---------------------------------------------------------------- */

static bool is_within_credit(struct orl_am_peer *peer)
{
	return __atomic_load_n(&peer->sent, __ATOMIC_RELAXED) -
		       __atomic_load_n(&peer->credited, __ATOMIC_RELAXED) <
	       ORL_AM_CREDIT;
}

bool orl_am_message_has_credit(struct orl_am_peer *peer)
{
	return __atomic_load_n(&peer->error, __ATOMIC_RELAXED) ||
	       (!__atomic_load_n(&peer->waiting, __ATOMIC_RELAXED) &&
		is_within_credit(peer));
}

static void use_credit(struct orl_am_message *message, struct orl_am_peer *peer)
{
	orl_am_head(message)->flags |= ORL_AM_REQUEST;
	__atomic_store_n(&peer->sent, peer->sent + 1, __ATOMIC_RELAXED);
	orl_am_message_send(message, peer);
}

void orl_am_message_request(struct orl_am_message *message,
			    struct orl_am_peer *peer)
{
	if (orl_likely(orl_am_message_has_credit(peer))) {
		use_credit(message, peer);
		return;
	}
	message->next = NULL;
	if (peer->waiting)
		*peer->last_waiting = message;
	else
		__atomic_store_n(&peer->waiting, message, __ATOMIC_RELAXED);
	peer->last_waiting = &message->next;
}

void orl_am_message_pump(struct orl_am_peer *peer)
{
	while (peer->waiting && !peer->error && is_within_credit(peer)) {
		struct orl_am_message *message = peer->waiting;

		__atomic_store_n(&peer->waiting, message->next,
				 __ATOMIC_RELAXED);
		use_credit(message, peer);
	}
}
