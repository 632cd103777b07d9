/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keys.c - the keys of dynamic windows, whose memory is registered region by
 * region.  An origin asks the owner for a region's key when it first reads or
 * writes there, and keeps it with the link.  An owner that closes a region has
 * those who ever asked forget it, and waits until they have, before memory
 * may be attached at the same address again.  So a key that an origin has is
 * never out of date, and an access costs no look at the owner's table.
 *
 * An answer and a later call to forget travel in this order.  All under the
 * progress lock.
 */
#include "remote.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Kept by a link; beyond them one makes room for the next. */
#define KEYS_MOST 256

struct orl_keys {
	uint32_t n, victim;
	struct orl_key sorted[KEYS_MOST]; /* by off; none overlaps another */
};

/* ORL_AM_KEY, and ORL_AM_FORGET without a slot. */
struct record_key {
	struct orl_record head;
	uint64_t off;
	uint32_t slot;
	uint32_t pad;
};
_Static_assert(sizeof(struct record_key) == 24, "on the wire");
_Static_assert(sizeof(struct orl_key) == 32, "on the wire, in answers");

/* -- what a link keeps ----------------------------------------------------- */

/* How many begin at off or below. */
static uint32_t count_below(const struct orl_keys *keys, uint64_t off)
{
	uint32_t low = 0, high = keys ? keys->n : 0;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (keys->sorted[mid].off <= off)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool holds(const struct orl_key *key, uint64_t off)
{
	return off >= key->off && off - key->off < key->len;
}

bool orl_key_find(const struct orl_link *link, uint64_t off,
		  struct orl_key *key)
{
	const struct orl_keys *keys = link->keys;
	uint32_t at;

	if (orl_likely(!link->has_regions)) {
		*key = (struct orl_key){ .off = 0,
					 .len = UINT64_MAX,
					 .key = link->key,
					 .base = link->base };
		return true;
	}
	at = count_below(keys, off);
	if (!at || !holds(&keys->sorted[at - 1], off))
		return false;
	*key = keys->sorted[at - 1];
	return true;
}

static void take_out(struct orl_keys *keys, uint32_t at)
{
	keys->n--;
	memmove(&keys->sorted[at], &keys->sorted[at + 1],
		(keys->n - at) * sizeof(keys->sorted[0]));
}

/* Only one of two answers to the same question stays. */
static bool keep(struct orl_link *link, const struct orl_key *key)
{
	struct orl_keys *keys = link->keys;
	uint32_t at;

	if (!keys)
		keys = link->keys = calloc(1, sizeof(*keys));
	if (!keys)
		return false;
	at = count_below(keys, key->off);
	if (at && keys->sorted[at - 1].off == key->off)
		take_out(keys, at - 1);
	if (keys->n == KEYS_MOST)
		take_out(keys, keys->victim++ % KEYS_MOST);
	at = count_below(keys, key->off);
	memmove(&keys->sorted[at + 1], &keys->sorted[at],
		(keys->n - at) * sizeof(keys->sorted[0]));
	keys->sorted[at] = *key;
	keys->n++;
	return true;
}

static void forget(struct orl_link *link, uint64_t off)
{
	uint32_t at = count_below(link->keys, off);

	if (at && link->keys->sorted[at - 1].off == off)
		take_out(link->keys, at - 1);
}

void orl_keys_free(struct orl_link *link)
{
	free(link->keys);
	link->keys = NULL;
}

/* -- asking ---------------------------------------------------------------- */

struct question {
	uint64_t off;
	bool answered; /* or never will be */
	bool known;
};

static void answered(struct orl_link *link, void *dst, const void *data,
		     size_t len)
{
	struct question *question = dst;
	struct orl_key key;

	if (data) {
		memcpy(&key, data, sizeof(key));
		question->known =
			holds(&key, question->off) && keep(link, &key);
	}
	/* Release: pairs with the acquire in is_answered. */
	__atomic_store_n(&question->answered, true, __ATOMIC_RELEASE);
}

static bool is_answered(void *arg)
{
	const struct question *question = arg;

	return __atomic_load_n(&question->answered, __ATOMIC_ACQUIRE);
}

int orl_key_ask(struct orl_link *link, uint64_t off)
{
	struct question question = { .off = off };
	struct record_key *record =
		orl_path_record(link, ORL_AM_KEY, sizeof(*record));

	if (!record)
		return orl_path_lost(link);
	record->off = off;
	record->pad = 0;
	record->slot =
		orl_am_slot(link, answered, &question, sizeof(struct orl_key));
	if (!record->slot)
		return -ENOMEM;
	orl_path_send(link);
	orl_progress_unlock();
	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_answered, &question);
	orl_progress_lock();
	if (link->peer->error)
		return -EHOSTDOWN;
	return question.known ? 0 : -ENOENT;
}

/* -- the owner ------------------------------------------------------------- */

static orl_path_key_fn find_key;
static orl_path_link_fn find_link;

static int serve_key(const struct orl_am_source *source,
		     const struct orl_record *head)
{
	const struct record_key *record = (const struct record_key *)head;
	struct orl_key key = { .len = 0 };
	void *answer;
	int rc;

	if (head->bytes < sizeof(*record))
		return MPI_ERR_INTERN;
	rc = find_key(source, record->off, &key);
	if (rc)
		return rc;
	answer = orl_am_answer(source->peer, record->slot, sizeof(key));
	if (!answer)
		return MPI_ERR_NO_MEM;
	memcpy(answer, &key, sizeof(key));
	return 0;
}

/* The origin does as it is told. */
static int serve_forget(const struct orl_am_source *source,
			const struct orl_record *head)
{
	const struct record_key *record = (const struct record_key *)head;
	struct orl_link *link;

	if (head->bytes < sizeof(*record))
		return MPI_ERR_INTERN;
	link = find_link(source);
	if (link)
		forget(link, record->off);
	return 0;
}

void orl_path_serve_keys(orl_path_key_fn key, orl_path_link_fn link)
{
	find_key = key;
	find_link = link;
	orl_am_handle(ORL_AM_KEY, serve_key);
	orl_am_handle(ORL_AM_FORGET, serve_forget);
}

int orl_path_forget_key(struct orl_link *link, uint64_t off)
{
	struct record_key *record =
		orl_am_record(link, ORL_AM_FORGET, sizeof(*record));

	/* A lost process will not access anything any more. */
	if (!record)
		return link->peer->error ? 0 : -ENOMEM;
	record->off = off;
	record->slot = 0;
	record->pad = 0;
	orl_am_flush_begin(link);
	return 0;
}
