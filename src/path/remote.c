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
#include <string.h>

/* A longer transfer is worth a read or write of its own. */
#define RECORD_MOST 4096
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

/* Of one record; leaves room for heads. */
static size_t piece_most(void)
{
	return orl_am_most() - ORL_RECORD_ROOM;
}

int orl_path_bound_answers(struct orl_link *link)
{
	return orl_likely(link->answers < ANSWERS_MOST)
		       ? 0
		       : orl_path_await_answers(link);
}

int orl_path_await_answers(struct orl_link *link)
{
	int rc;

	orl_lazy_ask(link);
	orl_progress_unlock();
	rc = orl_am_finish(link);
	orl_progress_lock();
	return rc;
}

/* One record, or as many as it takes. */
static int put_records(struct orl_link *link, uint64_t off, const void *src,
		       size_t len)
{
	const size_t most = piece_most();
	struct orl_record *record = NULL;
	size_t done, n;

	for (done = 0; done < len; done += n) {
		n = len - done < most ? len - done : most;
		record = add_put(link, off + done, (const char *)src + done, n);
		if (orl_unlikely(!record))
			return orl_path_lost(link);
	}
	orl_lone_note(link, record, NULL);
	return 0;
}

static int get_records(struct orl_link *link, uint64_t off, void *dst,
		       size_t len)
{
	const size_t most = piece_most();
	struct orl_record *record = NULL;
	size_t done, n;
	int rc;

	for (done = 0; done < len; done += n) {
		n = len - done < most ? len - done : most;
		rc = orl_path_bound_answers(link);
		if (orl_unlikely(rc))
			return rc;
		record = add_get(link, off + done, (char *)dst + done, n);
		if (orl_unlikely(!record))
			return orl_path_lost(link);
	}
	orl_lone_note(link, record, dst);
	return 0;
}

/* -- the paths ------------------------------------------------------------- */

bool orl_path_wants_key(uint64_t len)
{
	return orl_fabric.passive || len > RECORD_MOST;
}

/*
 * Where the device works alone, it does so for all but what has to travel
 * with a lock.
 */
static bool is_transfer(const struct orl_link *link, size_t len)
{
	if (link->key == ORL_NO_KEY && !link->has_regions)
		return false;
	return len > RECORD_MOST || len > piece_most() ||
	       (orl_fabric.passive && !link->lock_record);
}

static int remote_put(struct orl_target *target, uint64_t addr, const void *src,
		      size_t len)
{
	uint64_t off = orl_path_off(target, addr);
	struct orl_link *link = target->link;
	size_t done = 0;
	int rc = 0;

	orl_progress_lock();
	if (orl_unlikely(is_transfer(link, len)))
		rc = orl_transfer(link, ORL_WAY_PUT, off,
				  (void *)(uintptr_t)src, len, &done);
	if (orl_likely(!rc && done < len))
		rc = put_records(link, off + done, (const char *)src + done,
				 len - done);
	orl_progress_unlock();
	return rc;
}

static int remote_get(struct orl_target *target, uint64_t addr, void *dst,
		      size_t len)
{
	uint64_t off = orl_path_off(target, addr);
	struct orl_link *link = target->link;
	size_t done = 0;
	int rc = 0;

	orl_progress_lock();
	if (orl_unlikely(is_transfer(link, len)))
		rc = orl_transfer(link, ORL_WAY_GET, off, dst, len, &done);
	if (orl_likely(!rc && done < len))
		rc = get_records(link, off + done, (char *)dst + done,
				 len - done);
	orl_progress_unlock();
	return rc;
}

/* Blocks that are worth no record are not worth packing, and those that fill
 * more than one cannot be packed. */
static bool is_packed(const struct orl_link *link, const struct orl_vector *v)
{
	return v->len <= piece_most() && !is_transfer(link, v->len);
}

static int remote_put_vector(struct orl_target *target,
			     const struct orl_vector *v)
{
	if (is_packed(target->link, v))
		return orl_put_vector(target, v);
	return orl_path_put_each(remote_put, target, v);
}

static int remote_get_vector(struct orl_target *target,
			     const struct orl_vector *v)
{
	if (is_packed(target->link, v))
		return orl_get_vector(target, v);
	return orl_path_get_each(remote_get, target, v);
}

static int remote_finish(struct orl_target *target)
{
	struct orl_link *link = target->link;

	if (!link || (orl_am_is_idle(link) && !orl_link_error(link)))
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
	orl_path_settle_afters(link);
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

/* They differ by name alone: where all ranks are to use the path software,
 * no memory is registered, and no link has a key. */
#define REMOTE_PATH(its_name)                                                  \
	{                                                                      \
		.name = its_name, .remote = true, .put = remote_put,           \
		.get = remote_get, .put_vector = remote_put_vector,            \
		.get_vector = remote_get_vector, .finish = remote_finish,      \
		.flush = remote_flush, .load = no_load, .store = no_store      \
	}

const struct orl_path orl_path_fabric = REMOTE_PATH("fabric");
const struct orl_path orl_path_software = REMOTE_PATH("software");
