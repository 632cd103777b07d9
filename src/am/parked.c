/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parked.c - messages whose rest has to wait: for a lock, mostly.  The rest
 * is copied; messages of the same link that come meanwhile line up behind it.
 * What is resumed goes on when the records or the function under way have
 * ended: handlers do not nest, however many of them set free the next, and
 * who resumes something finds nothing changed.  Under the progress lock.
 */
#include "am.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	struct piece *next;
	uint32_t serial;
	size_t len, shift; /* as in struct orl_am_delivery */
	unsigned char data[] __attribute__((aligned(16)));
};

/* In the list of its peer. */
struct orl_am_parked {
	struct orl_am_parked *next;
	struct orl_am_parked *next_resumed;
	struct orl_am_peer *peer;
	uint64_t cookie;
	uint32_t rank, link;
	uint32_t serial, offset; /* of the record, as in orl_record_error */
	struct piece *first, **last;
};

static struct orl_am_parked *resumed, **last_resumed = &resumed;

/* -- pieces ---------------------------------------------------------------- */

/* What has not been executed of it. */
static struct piece *make_piece(const struct orl_am_delivery *delivery)
{
	size_t len = delivery->len - delivery->next;
	struct piece *piece = malloc(sizeof(*piece) + len);

	if (!piece)
		return NULL;
	piece->next = NULL;
	piece->serial = delivery->serial;
	piece->len = len;
	piece->shift = delivery->shift + delivery->next;
	memcpy(piece->data, delivery->data + delivery->next, len);
	return piece;
}

static void append(struct orl_am_parked *parked, struct piece *piece)
{
	*parked->last = piece;
	while (*parked->last)
		parked->last = &(*parked->last)->next;
}

static struct piece *take_first(struct orl_am_parked *parked)
{
	struct piece *piece = parked->first;

	if (piece) {
		parked->first = piece->next;
		piece->next = NULL;
	}
	return piece;
}

/* -- parking --------------------------------------------------------------- */

struct orl_am_parked *orl_am_park(void)
{
	struct orl_am_delivery *delivery = orl_am_current;
	struct orl_am_peer *peer = delivery->source.peer;
	struct orl_am_parked *parked = malloc(sizeof(*parked));
	struct piece *piece = make_piece(delivery);

	if (!parked || !piece) {
		free(parked);
		free(piece);
		return NULL;
	}
	*parked = (struct orl_am_parked){
		.next = peer->parked,
		.next_resumed = NULL,
		.peer = peer,
		.cookie = delivery->cookie,
		.rank = delivery->source.rank,
		.link = delivery->link,
		.serial = delivery->serial,
		.offset = (uint32_t)(delivery->shift + delivery->at),
		.first = NULL,
		.last = &parked->first,
	};
	append(parked, piece);
	peer->parked = parked;
	delivery->parked = parked;
	return parked;
}

void orl_am_park_fail(struct orl_am_parked *parked, int error)
{
	orl_am_answer_error(parked->peer,
			    &(struct orl_record_error){
				    .head = { .type = ORL_AM_ERROR },
				    .link = parked->link,
				    .error = error,
				    .serial = parked->serial,
				    .offset = parked->offset,
			    });
}

static bool is_of(const struct orl_am_parked *parked,
		  const struct orl_am_delivery *delivery)
{
	return parked->cookie == delivery->cookie &&
	       parked->rank == delivery->source.rank &&
	       parked->link == delivery->link;
}

/*
 * A message that does not fit into memory is lost, and its origin stays
 * without answers: it must not overtake.
 */
bool orl_am_follow(const struct orl_am_delivery *delivery)
{
	struct orl_am_parked *parked = delivery->source.peer->parked;
	struct piece *piece;

	while (parked && !is_of(parked, delivery))
		parked = parked->next;
	if (!parked)
		return false;
	piece = make_piece(delivery);
	if (piece)
		append(parked, piece);
	else
		orl_am_counts.dropped++;
	return true;
}

static void unlink_parked(struct orl_am_parked *parked)
{
	struct orl_am_parked **at = &parked->peer->parked;

	while (*at != parked)
		at = &(*at)->next;
	*at = parked->next;
}

static void free_parked(struct orl_am_parked *parked)
{
	struct piece *piece;

	while ((piece = take_first(parked)))
		free(piece);
	free(parked);
}

/* -- going on -------------------------------------------------------------- */

/* Executes a piece; false if it was parked again, and the others behind it. */
static bool execute(struct orl_am_parked *parked, const struct piece *piece)
{
	struct orl_am_delivery delivery = {
		.source = {
			.peer = parked->peer,
			.object = orl_am_name_find(parked->cookie),
			.rank = parked->rank,
		},
		.cookie = parked->cookie,
		.link = parked->link,
		.serial = piece->serial,
		.data = piece->data,
		.len = piece->len,
		.at = 0,
		.next = 0,
		.shift = piece->shift,
		.parked = NULL,
	};

	if (parked->peer->error ||
	    (parked->cookie && !delivery.source.object)) {
		orl_am_counts.dropped++;
		return true;
	}
	orl_am_execute(&delivery);
	if (!delivery.parked)
		return true;
	append(delivery.parked, parked->first);
	parked->first = NULL;
	return false;
}

static void go_on(struct orl_am_parked *parked)
{
	struct piece *piece;

	unlink_parked(parked);
	while ((piece = take_first(parked))) {
		bool more = execute(parked, piece);

		free(piece);
		if (!more)
			break;
	}
	free_parked(parked);
}

void orl_am_resume_all(void)
{
	while (resumed) {
		struct orl_am_parked *parked = resumed;

		resumed = parked->next_resumed;
		if (!resumed)
			last_resumed = &resumed;
		go_on(parked);
	}
}

void orl_am_resume(struct orl_am_parked *parked)
{
	parked->next_resumed = NULL;
	*last_resumed = parked;
	last_resumed = &parked->next_resumed;
	if (!orl_am_polling)
		orl_progress_wake();
}

bool orl_am_has_resumed(void)
{
	return resumed;
}
