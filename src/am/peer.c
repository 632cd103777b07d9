/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer.c - the processes that we have cards of, and how one is found to be
 * lost (loss.c): a message cannot be sent, or it has been asked whether it
 * lives and has said nothing for ORIEL_TIMEOUT seconds.  Only a peer with a
 * thread that makes progress can be held to that; others may compute for as
 * long as they like.  The question is put to them all the same, and repeated,
 * since it fails where the process is gone.  Under the progress lock.
 */
#include "am.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SILENCE	      (ORL_SECOND / 2) /* before we ask */
#define REPEAT_MOST   (64ull * ORL_SECOND)
#define LOOK_INTERVAL (ORL_SECOND / 4)
/* A byte on its way, before it seems to stand.  What is slower is nudged in
 * vain, once a transfer that takes much longer than that. */
#define SLOW_NS	    4
#define NUDGE_AGAIN (ORL_SECOND / 1000) /* it may be lost, or be too early */
#define FORGOTTEN   (8ull * ORL_SECOND) /* since it was watched last */

static struct orl_map by_name = ORL_MAP_INIT;

uint64_t orl_am_token;
struct orl_am_peer *orl_am_peers;

int orl_am_random(uint64_t *number)
{
	do {
		ssize_t n = getrandom(number, sizeof(*number), 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n != sizeof(*number))
			*number = 0;
	} while (!*number);
	return 0;
}

/* Of this host, cut if it is long; asked for once. */
static const char *host_name(void)
{
	static char host[ORL_AM_HOST];

	if (!host[0] && gethostname(host, sizeof(host) - 1))
		host[0] = '\0';
	return host;
}

void orl_am_card_fill(struct orl_am_card *card)
{
	memset(card, 0, sizeof(*card));
	card->token = orl_am_token;
	card->name_len = (uint16_t)orl_fabric.name_len;
	card->lively = orl_progress_has_thread();
	card->nudged = card->lively && orl_fabric_nudge_fd() >= 0;
	card->buffer_bytes = (uint32_t)orl_fabric.buffer_bytes;
	memcpy(card->name, orl_fabric.name, orl_fabric.name_len);
	card->rank = -1;
	memcpy(card->host, host_name(), sizeof(card->host));
}

struct orl_am_peer *orl_am_peer_by_name(uint64_t name)
{
	return name ? orl_map_find(&by_name, name) : NULL;
}

static int make_peer(const struct orl_am_card *card, struct orl_am_peer **made)
{
	struct orl_am_peer *peer;
	int rc;

	peer = calloc(1, sizeof(*peer));
	if (!peer)
		return -ENOMEM;
	peer->token = card->token;
	peer->is_lively = card->lively;
	peer->is_nudged = card->nudged;
	peer->rank = card->rank;
	memcpy(peer->host, card->host, sizeof(peer->host) - 1);
	rc = orl_fabric_peer(card->name, card->name_len, &peer->addr);
	if (!rc)
		rc = orl_map_set(&by_name, orl_am_name_of(peer->token), peer);
	if (rc) {
		free(peer);
		return rc;
	}
	peer->next = orl_am_peers;
	orl_am_peers = peer;
	*made = peer;
	return 0;
}

void orl_am_await(struct orl_am_peer *peer, int change)
{
	peer->awaited += (uint32_t)change;
	if (!peer->awaited)
		peer->bytes = 0;
	orl_am_awaited += (uint32_t)change;
}

int orl_am_peer_find(const struct orl_am_card *card, struct orl_am_peer **peer)
{
	if (!card->token || !card->name_len ||
	    card->name_len > sizeof(card->name))
		return -EINVAL;
	*peer = orl_am_peer_by_name(orl_am_name_of(card->token));
	if (!*peer)
		return make_peer(card, peer);
	(*peer)->is_nudged |= card->nudged;
	/* As good as never: of 2^48 names two processes drew the same. */
	return (*peer)->token == card->token ? 0 : -EEXIST;
}

/* -- nudges ---------------------------------------------------------------- */

void orl_am_expect(struct orl_am_peer *peer, size_t len)
{
	peer->bytes += len;
}

static bool keeps_us_waiting(const struct orl_am_peer *peer, uint64_t waited)
{
	return peer->awaited && peer->is_nudged && !peer->error &&
	       waited > peer->bytes * SLOW_NS;
}

void orl_am_nudge_all(uint64_t waited)
{
	const uint64_t now = orl_now_ns();
	uint32_t left = orl_am_awaited;
	struct orl_am_peer *peer;

	for (peer = orl_am_peers; peer && left; peer = peer->next) {
		left -= peer->awaited;
		if (now - peer->nudged < NUDGE_AGAIN ||
		    !keeps_us_waiting(peer, waited))
			continue;
		peer->nudged = now;
		orl_fabric_nudge(peer->addr);
	}
}

/* -- silence --------------------------------------------------------------- */

static void ask(struct orl_am_peer *peer)
{
	struct orl_am_message *message = orl_am_message_get();

	if (!message)
		return;
	message->followed = true;
	orl_am_message_append(message, ORL_AM_PING, sizeof(struct orl_record));
	orl_am_message_send(message, peer);
}

static bool is_overdue(const struct orl_am_peer *peer, uint64_t now)
{
	return peer->is_lively && orl_options.timeout > 0 &&
	       now - peer->asked > (uint64_t)orl_options.timeout * ORL_SECOND;
}

static void start_watch(struct orl_am_peer *peer, uint64_t now)
{
	peer->asked = now;
	peer->ask_next = now + SILENCE;
}

static void ask_again(struct orl_am_peer *peer, uint64_t now)
{
	uint64_t waited = now - peer->asked;

	peer->ask_next = now + (waited < REPEAT_MOST ? waited : REPEAT_MOST);
	ask(peer);
}

void orl_am_watch(struct orl_am_peer *peer)
{
	const uint64_t now = orl_now_coarse();
	const bool was_watched = now - peer->watched < FORGOTTEN;

	peer->watched = now;
	if (peer->error)
		return;
	/* What was asked long ago, for another reason, does not count. */
	if (!peer->asked || !was_watched)
		start_watch(peer, now);
	else if (is_overdue(peer, now))
		orl_am_lose(peer, -ETIMEDOUT);
	else if (now >= peer->ask_next)
		ask_again(peer, now);
}

void orl_am_watch_all(void)
{
	static uint64_t looked;
	const uint64_t now = orl_now_coarse();
	struct orl_am_peer *peer;

	if (orl_likely(now - looked < LOOK_INTERVAL))
		return;
	looked = now;
	for (peer = orl_am_peers; peer; peer = peer->next)
		if (peer->awaited || !orl_am_message_has_credit(peer))
			orl_am_watch(peer);
}
