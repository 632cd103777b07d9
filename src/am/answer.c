/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * answer.c - answers, which are collected by peer and sent when the message
 * that is being worked on ends, and whatever else is then due to a peer:
 * credit, a sign of life.  Under the progress lock.
 */
#include "am.h"

#include <errno.h>

static struct orl_am_peer *due;

void orl_am_answers_due(struct orl_am_peer *peer)
{
	if (peer->due)
		return;
	peer->due = true;
	peer->next_due = due;
	due = peer;
}

static void *add(struct orl_am_peer *peer, enum orl_am_type type, size_t bytes)
{
	size_t all = ORL_ALIGN_UP(bytes, ORL_RECORD_ALIGN);

	if (orl_unlikely(all > orl_am_most()))
		return NULL;
	if (peer->answers && orl_am_message_room(peer->answers) < all)
		orl_am_answers_send(peer);
	/* Looked at after the sending, which may have been in vain. */
	if (orl_unlikely(peer->error))
		return NULL;
	if (!peer->answers) {
		peer->answers = orl_am_message_get();
		if (!peer->answers)
			return NULL;
		orl_am_answers_due(peer);
	}
	return orl_am_message_append(peer->answers, type, bytes);
}

void *orl_am_answer(struct orl_am_peer *peer, uint32_t slot, size_t len)
{
	struct orl_record_answer *answer;

	if (orl_unlikely(len > ORL_AM_BYTES))
		return NULL;
	answer = add(peer, ORL_AM_ANSWER, sizeof(*answer) + len);
	if (orl_unlikely(!answer))
		return NULL;
	answer->slot = slot;
	answer->pad = 0;
	return answer->data;
}

ORL_COLD void orl_am_answer_error(struct orl_am_peer *peer,
				  const struct orl_record_error *error)
{
	struct orl_record_error *record =
		add(peer, ORL_AM_ERROR, sizeof(*record));

	if (!record)
		return;
	record->link = error->link;
	record->error = error->error;
	record->serial = error->serial;
	record->offset = error->offset;
}

void orl_am_answers_send(struct orl_am_peer *peer)
{
	struct orl_am_message *message = peer->answers;

	if (!message)
		return;
	peer->answers = NULL;
	orl_am_message_send(message, peer);
}

/*
 * What the answers did not carry anyway.  Who has left waits for one message
 * more, our bye or that we have heard his, and is gone after that: any other
 * would but try to connect to nobody.
 */
static void tell(struct orl_am_peer *peer)
{
	if (peer->has_left && peer->must_tell && !peer->said_bye)
		orl_am_message_tell(peer, ORL_AM_HEARD_BYE);
	else if (!peer->has_left &&
		 (peer->must_tell ||
		  peer->received - peer->told >= ORL_AM_UNTOLD))
		orl_am_message_tell(peer, 0);
	peer->must_tell = false;
}

void orl_am_answers_send_all(void)
{
	while (due) {
		struct orl_am_peer *peer = due;

		due = peer->next_due;
		peer->due = false;
		orl_am_answers_send(peer);
		tell(peer);
	}
}

/* -- records that ask for no more than an answer --------------------------- */

int orl_am_handle_flush(const struct orl_am_source *source,
			const struct orl_record *record)
{
	const struct orl_record_flush *flush =
		(const struct orl_record_flush *)record;

	if (record->bytes != sizeof(*flush))
		return -EPROTO;
	return orl_am_answer(source->peer, flush->slot, 0) ? 0 : -ENOMEM;
}

int orl_am_handle_ping(const struct orl_am_source *source,
		       const struct orl_record *record)
{
	source->peer->must_tell = true;
	orl_am_answers_due(source->peer);
	return 0;
}
