/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote.c - targets on other nodes, the origin's side.  Small transfers are
 * records in the link's message, copied, so that many travel in one; large
 * ones are the network's own reads and writes between the user's memory and
 * the window, or on the path software a row of records.  All under the
 * progress lock.
 */
#include "remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A longer transfer is worth a read or write of its own. */
#define RECORD_MOST 4096
/* Reads and writes under way at once, of all links. */
#define TRANSFERS_MOST 256
/* Put by a write of its own where it is the only one, from a copy. */
#define LONE_MOST 512
/* Answers that a link waits for at most: the target keeps them in memory. */
#define ANSWERS_MOST 512

static struct orl_record *add_put(struct orl_link *link, uint64_t off,
				  const void *src, size_t len)
{
	struct orl_record_put *record = orl_path_record(
		link, ORL_AM_PUT, sizeof(struct orl_record_put) + len);

	if (orl_unlikely(!record))
		return NULL;
	record->off = off;
	memcpy(record->data, src, len);
	return &record->head;
}

static struct orl_record *add_get(struct orl_link *link, uint64_t off,
				  void *dst, size_t len)
{
	struct orl_record_get *record =
		orl_path_record(link, ORL_AM_GET, sizeof(*record));

	if (orl_unlikely(!record))
		return NULL;
	record->off = off;
	record->len = (uint32_t)len;
	record->slot = orl_am_slot(link, orl_am_copy_answer, dst, len);
	return orl_likely(record->slot != 0) ? &record->head : NULL;
}

static int put_record(struct orl_link *link, uint64_t off, const void *src,
		      size_t len)
{
	return orl_likely(add_put(link, off, src, len) != NULL)
		       ? 0
		       : orl_path_lost(link);
}

static int get_record(struct orl_link *link, uint64_t off, void *dst,
		      size_t len)
{
	return orl_likely(add_get(link, off, dst, len) != NULL)
		       ? 0
		       : orl_path_lost(link);
}

/* Of one record; leaves room for heads. */
static size_t piece_most(void)
{
	return orl_am_most() - ORL_RECORD_ROOM;
}

static int put_pieces(struct orl_link *link, uint64_t off, const void *src,
		      size_t len)
{
	const size_t most = piece_most();
	size_t done, n;
	int rc = 0;

	for (done = 0; done < len && !rc; done += n) {
		n = len - done < most ? len - done : most;
		rc = put_record(link, off + done, (const char *)src + done, n);
	}
	return rc;
}

int orl_path_bound_answers(struct orl_link *link)
{
	int rc;

	if (orl_likely(link->answers < ANSWERS_MOST))
		return 0;
	orl_lazy_ask(link);
	orl_progress_unlock();
	rc = orl_am_finish(link);
	orl_progress_lock();
	return rc;
}

static int get_pieces(struct orl_link *link, uint64_t off, void *dst,
		      size_t len)
{
	const size_t most = piece_most();
	size_t done, n;
	int rc = 0;

	for (done = 0; done < len && !rc; done += n) {
		n = len - done < most ? len - done : most;
		rc = orl_path_bound_answers(link);
		rc = rc ? rc
			: get_record(link, off + done, (char *)dst + done, n);
	}
	return rc;
}

/* -- reads and writes ------------------------------------------------------ */

struct transfer {
	struct orl_fabric_op op;
	struct orl_link *link;
	struct transfer *next; /* while free */
	unsigned char copy[LONE_MOST];
};

static struct transfer *free_transfers;
static _Atomic(uint32_t) transfers;

static void transfer_done(struct orl_fabric_op *op, int error)
{
	struct transfer *transfer = (struct transfer *)op;
	struct orl_link *link = transfer->link;

	/* The other end answers what is wrong by closing the connection. */
	if (orl_unlikely(error))
		orl_am_lose(link->peer, error);
	orl_am_await(link->peer, -1);
	transfer->next = free_transfers;
	free_transfers = transfer;
	atomic_fetch_sub_explicit(&transfers, 1, memory_order_relaxed);
	/* Release: pairs with the acquire in orl_am_is_idle. */
	__atomic_fetch_sub(&link->transfers, 1, __ATOMIC_RELEASE);
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

static struct transfer *take_transfer(struct orl_link *link)
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
	atomic_fetch_add_explicit(&transfers, 1, memory_order_relaxed);
	orl_am_await(link->peer, 1);
	__atomic_fetch_add(&link->transfers, 1, __ATOMIC_RELAXED);
	return transfer;
}

typedef void (*post_fn)(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
			uint64_t key, void *buf, size_t len);

static void post_write(struct orl_fabric_op *op, uint64_t peer, uint64_t addr,
		       uint64_t key, void *buf, size_t len)
{
	orl_fabric_write(op, peer, addr, key, buf, len);
}

/* What must be over before a read or write: it might overtake it. */
static int settle(struct orl_link *link)
{
	int rc = orl_lazy_settle(link);

	if (orl_likely(!link->unsettled) || rc)
		return rc;
	link->unsettled = false;
	__atomic_store_n(&link->unasked, true, __ATOMIC_RELAXED);
	orl_progress_unlock();
	rc = orl_am_flush(link);
	orl_progress_lock();
	return rc;
}

/* By the network, in as many transfers as it takes. */
static int transfer(struct orl_link *link, uint64_t off, void *buf, size_t len,
		    post_fn post)
{
	int rc = settle(link);
	struct transfer *transfer;
	size_t done, n;

	for (done = 0; done < len && !rc; done += n) {
		n = len - done;
		if (n > orl_fabric.transfer_most)
			n = orl_fabric.transfer_most;
		wait_for_transfer();
		if (link->peer->error)
			return -EHOSTDOWN;
		transfer = take_transfer(link);
		if (!transfer)
			return -ENOMEM;
		post(&transfer->op, link->peer->addr, link->base + off + done,
		     link->key, (char *)buf + done, n);
	}
	return rc;
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

	orl_am_slot_drop(link, get->slot);
	orl_am_discard(link);
	orl_fabric_read(&transfer->op, link->peer->addr, addr, link->key, dst,
			len);
}

void orl_lone_post(struct orl_link *link)
{
	struct orl_record *lone = link->lone;
	struct transfer *transfer;

	if (orl_likely(!lone) || link->peer->error || !has_transfer(NULL))
		return;
	transfer = take_transfer(link);
	if (!transfer)
		return;
	if (lone->type == ORL_AM_PUT)
		write_lone(transfer, (const struct orl_record_put *)lone);
	else
		read_lone(transfer, (const struct orl_record_get *)lone,
			  link->lone_dst);
}

/* After the first record of a message: it may remain the only one. */
static void note_lone(struct orl_link *link, struct orl_record *record,
		      void *dst)
{
	if (link->unsettled || !orl_am_is_only(link, record))
		return;
	link->lone = record;
	link->lone_dst = dst;
}

/*
 * Where the device works alone, it does so for all but what has to travel
 * with a lock.
 */
static bool is_record(const struct orl_link *link, size_t len)
{
	return len <= RECORD_MOST && len <= piece_most() &&
	       (!orl_fabric.passive || link->lock_record);
}

static int put_small(struct orl_link *link, uint64_t off, const void *src,
		     size_t len)
{
	struct orl_record *record = add_put(link, off, src, len);

	if (orl_unlikely(!record))
		return orl_path_lost(link);
	if (len <= LONE_MOST)
		note_lone(link, record, NULL);
	return 0;
}

static int get_small(struct orl_link *link, uint64_t off, void *dst, size_t len)
{
	int rc = orl_path_bound_answers(link);
	struct orl_record *record;

	if (orl_unlikely(rc))
		return rc;
	record = add_get(link, off, dst, len);
	if (orl_unlikely(!record))
		return orl_path_lost(link);
	note_lone(link, record, dst);
	return 0;
}

/* -- the paths ------------------------------------------------------------- */

static int fabric_put(struct orl_target *target, uint64_t addr, const void *src,
		      size_t len)
{
	uint64_t off = orl_path_off(target, addr);
	struct orl_link *link = target->link;
	int rc;

	orl_progress_lock();
	if (orl_likely(is_record(link, len)))
		rc = put_small(link, off, src, len);
	else
		rc = transfer(link, off, (void *)(uintptr_t)src, len,
			      post_write);
	orl_progress_unlock();
	return rc;
}

static int fabric_get(struct orl_target *target, uint64_t addr, void *dst,
		      size_t len)
{
	uint64_t off = orl_path_off(target, addr);
	struct orl_link *link = target->link;
	int rc;

	orl_progress_lock();
	if (orl_likely(is_record(link, len)))
		rc = get_small(link, off, dst, len);
	else
		rc = transfer(link, off, dst, len, orl_fabric_read);
	orl_progress_unlock();
	return rc;
}

static int software_put(struct orl_target *target, uint64_t addr,
			const void *src, size_t len)
{
	int rc;

	orl_progress_lock();
	rc = put_pieces(target->link, orl_path_off(target, addr), src, len);
	orl_progress_unlock();
	return rc;
}

static int software_get(struct orl_target *target, uint64_t addr, void *dst,
			size_t len)
{
	int rc;

	orl_progress_lock();
	rc = get_pieces(target->link, orl_path_off(target, addr), dst, len);
	orl_progress_unlock();
	return rc;
}

static int remote_finish(struct orl_target *target)
{
	struct orl_link *link = target->link;

	if (!link || (orl_am_is_idle(link) && !link->error))
		return 0;
	orl_progress_lock();
	if (link->answers) {
		orl_lone_post(link);
		orl_lazy_ask(link);
	}
	orl_progress_unlock();
	return orl_am_finish(link);
}

static int remote_flush(struct orl_target *target)
{
	struct orl_link *link = target->link;

	/* A lock that nobody has asked for yet needs no message. */
	if (!link || orl_link_is_quiet(link))
		return 0;
	orl_progress_lock();
	orl_lone_post(link);
	orl_lazy_ask(link);
	link->unsettled &= !link->unasked;
	orl_progress_unlock();
	return orl_am_flush(link);
}

/* -- what no caller uses of remote targets --------------------------------- */

static int no_load(struct orl_target *target, const struct orl_block *blocks,
		   size_t n, void *buf)
{
	return -ENOSYS;
}

static int no_store(struct orl_target *target, const struct orl_block *blocks,
		    size_t n, const void *buf)
{
	return -ENOSYS;
}

const struct orl_path orl_path_fabric = {
	.name = "fabric",
	.remote = true,
	.put = fabric_put,
	.get = fabric_get,
	.finish = remote_finish,
	.flush = remote_flush,
	.load = no_load,
	.store = no_store,
};

const struct orl_path orl_path_software = {
	.name = "software",
	.remote = true,
	.put = software_put,
	.get = software_get,
	.finish = remote_finish,
	.flush = remote_flush,
	.load = no_load,
	.store = no_store,
};
