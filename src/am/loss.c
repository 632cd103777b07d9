/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loss.c - what becomes of a peer that is lost, and what is said of it: once on
 * standard error, and in the error of every call that cannot go on without it.
 * Under the progress lock, but for what tells of it.
 */
#include "am.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Atomic(uint32_t) orl_am_losses;
static _Atomic(struct orl_am_peer *) latest;

static void forget_messages(struct orl_am_peer *peer)
{
	struct orl_am_message *message = peer->waiting, *next;

	__atomic_store_n(&peer->waiting, NULL, __ATOMIC_RELAXED);
	for (; message; message = next) {
		next = message->next;
		orl_am_message_put(message);
	}
	if (peer->answers)
		orl_am_message_put(peer->answers);
	peer->answers = NULL;
}

/* The network's ETIMEDOUT is told like ours: it too heard nothing.  What was
 * under way on a connection that ends is cancelled, by libfabric's word. */
static void tell_cause(int cause, char *text, size_t len)
{
	if (cause == -ETIMEDOUT && orl_options.timeout > 0)
		snprintf(text, len, "silent for %ld s and more (ORIEL_TIMEOUT)",
			 orl_options.timeout);
	else if (cause == -ECANCELED || cause == -ECONNABORTED)
		snprintf(text, len, "its connection has ended");
	else
		snprintf(text, len, "%s", orl_fabric_reason(cause));
}

void orl_am_tell_loss(const struct orl_am_peer *peer, char *text, size_t len)
{
	char who[48] = "a process", cause[96];

	if (peer->rank >= 0)
		snprintf(who, sizeof(who), "rank %d of MPI_COMM_WORLD",
			 peer->rank);
	tell_cause(peer->cause, cause, sizeof(cause));
	snprintf(text, len, "%s, on host %s, is lost: %s", who,
		 peer->host[0] ? peer->host : "?", cause);
}

const struct orl_am_peer *orl_am_lost_latest(void)
{
	/* Acquire: pairs with the release in orl_am_lose. */
	return atomic_load_explicit(&latest, memory_order_acquire);
}

ORL_COLD void orl_am_lose(struct orl_am_peer *peer, int error)
{
	const struct orl_am_choice choice = {
		.peer = peer,
		.link = NULL,
		.serial = 0,
		.offset = 0,
	};
	char text[256];

	if (peer->error)
		return;
	peer->cause = error < 0 ? error : -error;
	/* Release: pairs with the acquire of who waits for the peer. */
	__atomic_store_n(&peer->error, -EHOSTDOWN, __ATOMIC_RELEASE);
	/* Release: pairs with the acquire in orl_am_lost_latest. */
	atomic_store_explicit(&latest, peer, memory_order_release);
	orl_am_tell_loss(peer, text, sizeof(text));
	/* Who has said that it goes is not missed. */
	orl_log(peer->has_left || peer->said_bye ? ORL_LOG_DEBUG
						 : ORL_LOG_ERROR,
		"%s", text);
	orl_fabric_lose(peer->addr);
	forget_messages(peer);
	orl_am_slots_fail(&choice, -EHOSTDOWN);
	atomic_fetch_add_explicit(&orl_am_losses, 1, memory_order_release);
	orl_bell_ring(&orl_am_bell, ORL_BELL_ALL);
}
