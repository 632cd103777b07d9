/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfer.c - the network's own reads and writes between this process's
 * memory and a remote window.  They keep no order with messages: what they
 * might overtake is waited for before, and who must not overtake them waits
 * for link->overtakable to be 0.  Over TCP that counts reads alone: what is
 * sent after a write arrives behind it.  All under the progress lock.
 */
#include "remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Under way at once, of all links. */
#define TRANSFERS_MOST 256
/* Put by a write of its own where it is the only one, from a copy. */
#define LONE_MOST 512

struct transfer {
	struct orl_fabric_op op;
	struct orl_link *link;
	struct orl_am_tally *tally; /* in which it counts, or NULL */
	struct transfer *next;	    /* while free */
	uint32_t number;	    /* of the link's */
	bool is_overtakable;	    /* by messages */
	unsigned char copy[LONE_MOST];
};

static struct transfer *free_transfers;
static _Atomic(uint32_t) transfers;

static void transfer_done(struct orl_fabric_op *op, int error)
{
	struct transfer *transfer = (struct transfer *)op;
	struct orl_am_tally *tally = transfer->tally;
	struct orl_link *link = transfer->link;
	const bool was_overtakable = transfer->is_overtakable;

	transfer->next = free_transfers;
	free_transfers = transfer;
	atomic_fetch_sub_explicit(&transfers, 1, memory_order_relaxed);
	if (orl_unlikely(error)) {
		orl_am_transfer_fail(link, error);
		error = link->peer->error ? link->peer->error : error;
	}
	/* What follows is on its way before the link counts as idle. */
	orl_path_ended(link, transfer->number);
	orl_am_transfer_end(link, was_overtakable);
	orl_am_tally_drop(tally, error);
}

static bool has_transfer(void *arg)
{
	return atomic_load_explicit(&transfers, memory_order_relaxed) <
	       TRANSFERS_MOST;
}

static void wait_for_transfer(void)
{
	while (orl_unlikely(!has_transfer(NULL))) {
		orl_progress_unlock();
		orl_wait(&orl_am_bell, ORL_BELL_ALL, has_transfer, NULL);
		orl_progress_lock();
	}
}

static struct transfer *take_transfer(struct orl_link *link, enum orl_way way,
				      struct orl_am_tally *tally)
{
	struct transfer *transfer;

	transfer = free_transfers;
	if (transfer)
		free_transfers = transfer->next;
	else
		transfer = calloc(1, sizeof(*transfer));
	if (!transfer)
		return NULL;
	transfer->op.done = transfer_done;
	transfer->link = link;
	transfer->tally = tally;
	transfer->number = link->begun++;
	atomic_fetch_add_explicit(&transfers, 1, memory_order_relaxed);
	transfer->is_overtakable = way != ORL_WAY_PUT || !orl_fabric.in_order;
	orl_am_transfer_begin(link, transfer->is_overtakable);
	return transfer;
}

/* One that counts in the call's tally. */
static struct transfer *take_counted(struct orl_link *link, enum orl_way way)
{
	struct orl_am_tally *tally;
	struct transfer *transfer;

	if (orl_unlikely(orl_am_tally_take(link, &tally)))
		return NULL;
	transfer = take_transfer(link, way, tally);
	if (orl_unlikely(!transfer))
		orl_am_tally_drop(tally, -ENOMEM);
	return transfer;
}

/* A transfer may begin, with this key: 0, -ENOENT if there is none, -errno. */
static int prepare(struct orl_link *link, uint64_t off, struct orl_key *key)
{
	int rc;

	for (;;) {
		wait_for_transfer();
		if (orl_unlikely(link->peer->error))
			return -EHOSTDOWN;
		if (orl_likely(orl_key_find(link, off, key)))
			return key->key == ORL_NO_KEY ? -ENOENT : 0;
		/* May wait: then others may have taken what is free. */
		rc = orl_key_ask(link, off);
		if (rc)
			return rc;
	}
}

/* The bytes that one transfer may move from off on. */
static size_t transfer_most(const struct orl_key *key, uint64_t off)
{
	uint64_t left = key->len - (off - key->off);

	return left < orl_fabric.transfer_most ? (size_t)left
					       : orl_fabric.transfer_most;
}

static int post(struct orl_link *link, enum orl_way way, uint64_t addr,
		uint64_t key, const struct iovec *local)
{
	struct transfer *transfer = take_counted(link, way);

	if (orl_unlikely(!transfer))
		return -ENOMEM;
	if (way == ORL_WAY_PUT)
		orl_fabric_write(&transfer->op, link->peer->addr, addr, key,
				 local->iov_base, local->iov_len);
	else
		orl_fabric_read(&transfer->op, link->peer->addr, addr, key,
				local->iov_base, local->iov_len);
	orl_am_hint(link->peer, local->iov_len);
	return 0;
}

int orl_transfer(struct orl_link *link, enum orl_way way, uint64_t off,
		 void *buf, size_t len, size_t *done)
{
	int rc = orl_path_order(link);
	struct iovec local;
	struct orl_key key;
	size_t most;

	for (*done = 0; *done < len && !rc; *done += local.iov_len) {
		rc = prepare(link, off + *done, &key);
		if (rc)
			break;
		most = transfer_most(&key, off + *done);
		local.iov_base = (char *)buf + *done;
		local.iov_len = len - *done < most ? len - *done : most;
		rc = post(link, way, key.base + (off + *done - key.off),
			  key.key, &local);
	}
	return rc == -ENOENT ? 0 : rc;
}

/* -- lone puts and gets ---------------------------------------------------- */

static void write_lone(struct transfer *transfer,
		       const struct orl_record_put *put)
{
	struct orl_link *link = transfer->link;
	size_t len = put->head.bytes - sizeof(*put);
	uint64_t addr = link->base + put->off;

	memcpy(transfer->copy, put->data, len);
	orl_am_discard(link);
	orl_fabric_write(&transfer->op, link->peer->addr, addr, link->key,
			 transfer->copy, len);
}

/* The slot of its record goes with the record. */
static void read_lone(struct transfer *transfer,
		      const struct orl_record_get *get, void *dst)
{
	struct orl_link *link = transfer->link;
	uint64_t addr = link->base + get->off;
	size_t len = get->len;

	transfer->tally = orl_am_slot_drop(link, get->slot);
	orl_am_discard(link);
	orl_fabric_read(&transfer->op, link->peer->addr, addr, link->key, dst,
			len);
}

void orl_lone_post(struct orl_link *link)
{
	struct orl_record *lone = link->lone;
	struct transfer *transfer;
	enum orl_way way;

	if (orl_likely(!lone) || link->peer->error || !has_transfer(NULL))
		return;
	way = lone->type == ORL_AM_PUT ? ORL_WAY_PUT : ORL_WAY_GET;
	transfer = take_transfer(link, way, NULL);
	if (!transfer)
		return;
	if (way == ORL_WAY_PUT)
		write_lone(transfer, (const struct orl_record_put *)lone);
	else
		read_lone(transfer, (const struct orl_record_get *)lone,
			  link->lone_dst);
	orl_am_hint(link->peer, 0);
}

void orl_lone_note(struct orl_link *link, struct orl_record *record, void *dst)
{
	if (link->key == ORL_NO_KEY || link->unsettled ||
	    !orl_am_is_only(link, record))
		return;
	if (record->type == ORL_AM_PUT &&
	    record->bytes > sizeof(struct orl_record_put) + LONE_MOST)
		return;
	link->lone = record;
	link->lone_dst = dst;
}
