/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lazy.c - the lock of a remote target, which travels with the operations.
 *
 * The request is a record of the message under construction.  If the epoch
 * fits into that message, its unlock ends it and is answered: one round
 * trip.  Else the request is given a slot before the message leaves, and
 * nothing more is sent before the lock is held, so that an owner who cannot
 * grant it has to keep one message of this link, not many.
 */
#include "remote.h"

#include <errno.h>

/* After the answer; data is NULL if there will be none: refused, or lost. */
static void lazy_granted(struct orl_link *link, void *dst, const void *data,
			 size_t len)
{
	/* Release: pairs with the acquire in is_settled. */
	__atomic_store_n(&link->lock, data ? ORL_LAZY_HELD : ORL_LAZY_NONE,
			 __ATOMIC_RELEASE);
}

/* -- the links with such a lock, and some that had one --------------------- */

static struct orl_link *lazy_links;
static _Atomic(uint32_t) nlazy;

static void enlist(struct orl_link *link)
{
	link->thread = (uint64_t)pthread_self();
	if (link->listed)
		return;
	link->listed = true;
	link->next_lazy = lazy_links;
	lazy_links = link;
	atomic_fetch_add_explicit(&nlazy, 1, memory_order_relaxed);
}

static void delist(struct orl_link **at)
{
	struct orl_link *link = *at;

	*at = link->next_lazy;
	link->listed = false;
	atomic_fetch_sub_explicit(&nlazy, 1, memory_order_relaxed);
}

/* A link of this thread's whose lock nobody has asked for. */
static struct orl_link *find_own(void)
{
	struct orl_link **at = &lazy_links, *link;

	while ((link = *at)) {
		if (!link->lock_record)
			delist(at);
		else if (link->thread == (uint64_t)pthread_self())
			return link;
		else
			at = &link->next_lazy;
	}
	return NULL;
}

int orl_path_settle(void)
{
	struct orl_link *link;
	int rc = 0;

	if (orl_likely(!atomic_load_explicit(&nlazy, memory_order_relaxed)))
		return 0;
	orl_progress_lock();
	while (!rc && (link = find_own()))
		rc = orl_lazy_settle(link);
	orl_progress_unlock();
	return rc;
}

void orl_path_forget(struct orl_link *link)
{
	struct orl_link **at = &lazy_links;

	orl_path_drop_afters(link);
	orl_keys_free(link);
	if (!link->listed)
		return;
	while (*at != link)
		at = &(*at)->next_lazy;
	delist(at);
}

/* -- the lock -------------------------------------------------------------- */

int orl_path_lock(struct orl_link *link, uint8_t mode)
{
	struct orl_record_lock *record;
	bool unasked;
	int rc = 0;

	orl_progress_lock();
	unasked = link->unasked;
	link->lone = NULL;
	record = orl_am_record(link, ORL_AM_LOCK, sizeof(*record));
	if (orl_likely(record != NULL)) {
		record->head.a = mode;
		record->slot = 0;
		record->idle = orl_now_us() - link->unlocked;
		link->lock = ORL_LAZY_NEW;
		link->lock_record = record;
		enlist(link);
		/* By itself it asks for no message. */
		link->unasked = unasked;
	} else {
		rc = orl_path_lost(link);
	}
	orl_progress_unlock();
	return rc;
}

void orl_lazy_ask(struct orl_link *link)
{
	struct orl_record_lock *record = link->lock_record;

	if (orl_likely(!record))
		return;
	link->lock = ORL_LAZY_ASKED;
	record->slot = orl_am_slot_of(link, record, lazy_granted, NULL, 0);
	link->lock_record = NULL;
	/* Without the memory for a slot nobody would ever know. */
	if (orl_unlikely(!record->slot))
		orl_am_lose(link->peer, -ENOMEM);
}

static bool is_settled(void *arg)
{
	const struct orl_link *link = arg;

	return __atomic_load_n(&link->lock, __ATOMIC_ACQUIRE) !=
		       ORL_LAZY_ASKED ||
	       __atomic_load_n(&link->peer->error, __ATOMIC_RELAXED);
}

int orl_lazy_settle(struct orl_link *link)
{
	orl_lazy_ask(link);
	if (orl_likely(is_settled(link)))
		return 0;
	orl_am_send(link);
	orl_progress_unlock();
	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_settled, link);
	orl_progress_lock();
	if (orl_likely(link->lock == ORL_LAZY_HELD))
		return 0;
	return orl_path_lost(link);
}

int orl_path_order(struct orl_link *link)
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

void orl_path_send(struct orl_link *link)
{
	orl_lazy_ask(link);
	orl_am_send(link);
}

void orl_path_push(struct orl_link *link)
{
	orl_lone_post(link);
	orl_lazy_ask(link);
	orl_am_push(link);
}

void orl_path_hurry(struct orl_link *link)
{
	if (link->out && !link->lock_record && !orl_am_is_under_way(link))
		orl_path_push(link);
}

void orl_path_flush_begin(struct orl_link *link)
{
	if (orl_link_is_quiet(link))
		return;
	orl_lone_post(link);
	orl_lazy_ask(link);
	orl_am_flush_begin(link);
}

/* Without a slot nobody has been told of the lock: it never was. */
static bool forget_lock(struct orl_link *link)
{
	if (!link->lock_record || !orl_link_is_quiet(link))
		return false;
	orl_am_discard(link);
	link->lock_record = NULL;
	return true;
}

static int send_unlock(struct orl_link *link, uint8_t mode)
{
	struct orl_record_unlock *record;
	bool asks = !orl_link_is_quiet(link);

	record = orl_path_record(link, ORL_AM_UNLOCK, sizeof(*record));
	if (!record)
		return orl_path_lost(link);
	record->head.a = mode;
	/* Nobody waits for an unlock that ends nothing but the lock. */
	record->pad = 0;
	record->slot =
		asks ? orl_am_slot(link, orl_am_copy_answer, NULL, 0) : 0;
	link->lock_record = NULL;
	link->unasked = false;
	orl_am_send(link);
	return 0;
}

/*
 * Reads and writes do not keep their order with messages: they end first.
 */
int orl_path_unlock(struct orl_link *link, uint8_t mode)
{
	int rc = 0;

	if (__atomic_load_n(&link->transfers, __ATOMIC_ACQUIRE))
		rc = orl_am_flush(link);
	orl_progress_lock();
	if (!forget_lock(link)) {
		int one = send_unlock(link, mode);

		rc = rc ? rc : one;
	}
	link->lock = ORL_LAZY_NONE;
	orl_progress_unlock();
	return rc;
}

void *orl_path_record(struct orl_link *link, int type, size_t bytes)
{
	if (orl_unlikely(link->lock == ORL_LAZY_ASKED ||
			 (link->lock_record && orl_am_room(link) < bytes)) &&
	    orl_lazy_settle(link))
		return NULL;
	link->lone = NULL;
	return orl_am_record(link, (enum orl_am_type)type, bytes);
}

int orl_path_lost(const struct orl_link *link)
{
	return link->error ? link->error : -EHOSTDOWN;
}
