/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notify.c - operations that tell their target when they are done: a counter
 * for each tag behind the target's control block, and a bell.
 *
 * The count is added when the data are there, and those of all that this
 * process has done at the target before.  An origin of the node completes its
 * operations, adds with release order and rings; for one of another node the
 * owner does so when it comes to a record behind theirs in the same message,
 * which leaves at once, or when the reads and writes that it might overtake
 * have ended.
 */
#include "check.h"
#include "place.h"

#include <assert.h>
#include <stdlib.h>

#define TAGS_DEFAULT 64
#define TAGS_MOST    (1 << 20)

uint32_t orl_notify_tags(MPI_Info info)
{
	char text[32], *end;
	long value;

	if (!orl_host_info_get(info, "oriel_notify_tags", text, sizeof(text)))
		return TAGS_DEFAULT;
	value = strtol(text, &end, 10);
	if (end == text || *end || value < 0 || value > TAGS_MOST) {
		orl_info_strange("oriel_notify_tags", text);
		return TAGS_DEFAULT;
	}
	return (uint32_t)value;
}

/* -- the origin ------------------------------------------------------------ */

static void add(struct orl_notices *notices, uint32_t tag)
{
	/* Release: pairs with the acquire in take. */
	atomic_fetch_add_explicit(&notices->counts[tag], 1,
				  memory_order_release);
	orl_bell_ring(&notices->bell, ORL_BELL_ALL);
}

/* A notification that waits for reads and writes that it might overtake. */
struct notice {
	struct orl_after after; /* first */
	uint32_t tag;
};

static void fill(struct orl_record_word *record, uint32_t tag)
{
	record->value = tag;
	record->pad = 0;
}

/* Must not wait, not even for credit or for room in a message.  No lock is
 * about to be taken where reads and writes are under way. */
static void send_late(struct orl_link *link, struct orl_after *after)
{
	struct notice *notice = (struct notice *)after;
	struct orl_record_word *record;

	assert(!link->lock_record);
	if (orl_am_room(link) < sizeof(*record))
		orl_path_push(link);
	link->lone = NULL;
	record = orl_am_record(link, ORL_AM_NOTIFY, sizeof(*record));
	if (orl_likely(record != NULL)) {
		fill(record, notice->tag);
		orl_path_push(link);
	}
	free(notice);
}

static int tell_late(struct orl_link *link, uint32_t tag)
{
	struct notice *notice = malloc(sizeof(*notice));

	if (orl_unlikely(!notice))
		return -ENOMEM;
	notice->after.run = send_late;
	notice->tag = tag;
	orl_path_after(link, &notice->after);
	return 0;
}

static int tell_now(struct orl_link *link, uint32_t tag)
{
	struct orl_record_word *record =
		orl_path_record(link, ORL_AM_NOTIFY, sizeof(*record));

	if (orl_unlikely(!record))
		return orl_path_lost(link);
	fill(record, tag);
	orl_path_send(link);
	return 0;
}

static int tell_remote(struct orl_target *target, uint32_t tag)
{
	struct orl_link *link = target->link;
	int rc;

	orl_progress_lock();
	rc = orl_unlikely(orl_am_has_overtakable(link) || link->afters)
		     ? tell_late(link, tag)
		     : tell_now(link, tag);
	orl_progress_unlock();
	return rc;
}

static int tell_near(struct orl_win *win, struct orl_target *target,
		     uint32_t tag)
{
	int rc = target->path->flush(target);

	if (orl_likely(!rc))
		add(orl_ctl_notices(orl_target_ctl(target), win->size), tag);
	return rc;
}

/* After an operation on that target that has been admitted. */
static int tell(struct orl_win *win, const struct orl_xfer *x, int tag)
{
	struct orl_target *target;
	int rc = 0;

	if (orl_unlikely(x->rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	target = &win->targets[x->rank];
	orl_check_release(win, x->rank, false);
	if (orl_unlikely(win->nic != NULL))
		rc = orl_nic_settle(win, target);
	if (orl_likely(!rc))
		rc = target->path->remote
			     ? tell_remote(target, (uint32_t)tag)
			     : tell_near(win, target, (uint32_t)tag);
	return orl_likely(!rc) ? MPI_SUCCESS : orl_place_fail(win, x, rc);
}

static ORL_COLD int refuse_tag(struct orl_win *win, const char *call, int tag)
{
	return orl_win_fail(win, call, MPI_ERR_TAG,
			    "tag %d: the window has %u, from 0 on "
			    "(oriel_notify_tags)",
			    tag, win->notice_tags);
}

int orl_win_put_notify(struct orl_win *win, const struct orl_xfer *x, int tag)
{
	int rc;

	if (orl_unlikely((uint32_t)tag >= win->notice_tags))
		return refuse_tag(win, x->call, tag);
	rc = orl_win_calls(win)->put(win, x);
	return orl_likely(!rc) ? tell(win, x, tag) : rc;
}

int orl_win_get_notify(struct orl_win *win, const struct orl_xfer *x, int tag)
{
	int rc;

	if (orl_unlikely((uint32_t)tag >= win->notice_tags))
		return refuse_tag(win, x->call, tag);
	rc = orl_win_calls(win)->get(win, x);
	return orl_likely(!rc) ? tell(win, x, tag) : rc;
}

int orl_win_accumulate_notify(struct orl_win *win, const struct orl_xacc *x,
			      int tag)
{
	int rc;

	if (orl_unlikely((uint32_t)tag >= win->notice_tags))
		return refuse_tag(win, x->xfer.call, tag);
	rc = orl_win_calls(win)->accumulate(win, x);
	return orl_likely(!rc) ? tell(win, &x->xfer, tag) : rc;
}

/* -- the owner ------------------------------------------------------------- */

int orl_notify_told(struct orl_win *win, uint32_t tag)
{
	if (tag >= win->notice_tags)
		return MPI_ERR_TAG;
	add(orl_ctl_notices(win->ctl, win->size), tag);
	return 0;
}

struct wanted {
	_Atomic(uint64_t) *from;
	uint64_t count;
	bool taken;
};

/* All or nothing; other threads may take from the same. */
static bool take(void *arg)
{
	struct wanted *wanted = arg;
	uint64_t have;

	if (wanted->taken)
		return true;
	/* Acquire: pairs with the release in add. */
	have = atomic_load_explicit(wanted->from, memory_order_acquire);
	while (have >= wanted->count && !wanted->taken)
		wanted->taken = atomic_compare_exchange_weak_explicit(
			wanted->from, &have, have - wanted->count,
			memory_order_acquire, memory_order_acquire);
	return wanted->taken;
}

/* What is wrong with the arguments is raised. */
static int check(struct orl_win *win, const char *call, int tag, int count,
		 struct wanted *wanted)
{
	if (orl_unlikely((uint32_t)tag >= win->notice_tags))
		return refuse_tag(win, call, tag);
	if (orl_unlikely(count < 0))
		return orl_win_fail(win, call, MPI_ERR_COUNT,
				    "count %d is negative", count);
	wanted->from = &orl_ctl_notices(win->ctl, win->size)->counts[tag];
	wanted->count = (uint64_t)count;
	wanted->taken = false;
	return MPI_SUCCESS;
}

int orl_win_notify_wait(struct orl_win *win, int tag, int count)
{
	static const char call[] = "Oriel_Notify_wait";
	struct wanted wanted = { NULL, 0, true };
	int rc = check(win, call, tag, count, &wanted);

	if (orl_unlikely(rc))
		return rc;
	rc = orl_win_wait_for(win, &orl_ctl_notices(win->ctl, win->size)->bell,
			      take, &wanted);
	if (orl_unlikely(rc))
		return orl_win_fail(win, call, rc, "tag %d", tag);
	return MPI_SUCCESS;
}

int orl_win_notify_test(struct orl_win *win, int tag, int count, int *flag)
{
	static const char call[] = "Oriel_Notify_test";
	struct wanted wanted = { NULL, 0, true };
	int rc = check(win, call, tag, count, &wanted);

	if (orl_unlikely(rc))
		return rc;
	*flag = take(&wanted);
	if (!*flag) {
		orl_progress();
		*flag = take(&wanted);
	}
	if (orl_unlikely(!*flag && win->spans && orl_remote_is_broken(win)))
		return orl_win_fail(win, call, -EHOSTDOWN, "tag %d", tag);
	return MPI_SUCCESS;
}
