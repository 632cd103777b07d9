/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_buffer.c - this process's origin and result buffers of calls that are
 * not complete: no two that overlap if either is a result, and their contents
 * must be at the end what they were after the call.  The same of what a put
 * has stored, where that can be looked at.  Under the check's lock.
 */
#include "check_parts.h"

#include <stdlib.h>

#define MOST 4096

static const char *const parts[] = {
	[ORL_CHECK_ORIGIN] = "origin",
	[ORL_CHECK_RESULT] = "result",
	[ORL_CHECK_COMPARE] = "compare",
};

/* -- conflicts ------------------------------------------------------------- */

static bool is_in_conflict(const struct orl_buffer *a,
			   const struct orl_buffer *b)
{
	return (a->part == ORL_CHECK_RESULT || b->part == ORL_CHECK_RESULT) &&
	       orl_stripe_meets(&a->where, &b->where);
}

/* Its contents are nobody's any more: one report is enough. */
static bool find_conflict(struct orl_check *check,
			  const struct orl_buffer *buffer,
			  struct orl_buffer *other)
{
	bool found = false;

	for (uint32_t i = 0; i < check->nbuffers; i++) {
		struct orl_buffer *old = &check->buffers[i];

		if (!is_in_conflict(buffer, old))
			continue;
		if (!found)
			*other = *old;
		found = true;
		old->summed = false;
	}
	return found;
}

static void report_conflict(const struct orl_win *win,
			    const struct orl_buffer *mine,
			    const struct orl_buffer *other)
{
	orl_check_report(win, mine->call, mine->place,
			 "target %u: its %s buffer, %llu bytes at %#llx, is "
			 "the %s buffer of %s to target %u, which is not "
			 "complete, called at %s",
			 mine->target, parts[mine->part],
			 (unsigned long long)orl_stripe_bytes(&mine->where),
			 (unsigned long long)mine->where.at, parts[other->part],
			 other->call, other->target, other->place);
}

/* -- noting ---------------------------------------------------------------- */

/* Sums of whole words go on where the other begins. */
static bool extends(struct orl_buffer *last, const struct orl_buffer *buffer)
{
	if (last->target != buffer->target || last->mode != buffer->mode ||
	    last->part != buffer->part || last->place != buffer->place ||
	    !last->summed || !buffer->summed || last->where.len % 8 ||
	    !orl_stripe_continues(&last->where, &buffer->where))
		return false;
	if (last->stored ? last->stored + last->where.len != buffer->stored
			 : buffer->stored != 0)
		return false;
	if (!orl_stripe_sum(&buffer->where, &last->sum))
		return false;
	last->where.len += buffer->where.len;
	return true;
}

static bool grow(struct orl_check *check)
{
	uint32_t room = check->room ? 2 * check->room : 16;
	struct orl_buffer *more;

	if (room > MOST)
		return false;
	more = realloc(check->buffers, room * sizeof(*more));
	if (!more)
		return false;
	check->buffers = more;
	check->room = room;
	return true;
}

static void append(struct orl_check *check, const struct orl_buffer *buffer)
{
	struct orl_buffer *slot;

	if (check->nbuffers &&
	    extends(&check->buffers[check->nbuffers - 1], buffer))
		return;
	if (check->nbuffers == check->room && !grow(check)) {
		orl_check_lost();
		return;
	}
	slot = &check->buffers[check->nbuffers++];
	*slot = *buffer;
	slot->sum = ORL_STRIPE_SUM;
	if (slot->summed)
		slot->summed = orl_stripe_sum(&slot->where, &slot->sum);
}

void orl_buffer_note(struct orl_win *win, const struct orl_buffer *buffer,
		     bool keep)
{
	struct orl_check *check = win->check;
	struct orl_buffer mine = *buffer, other = mine;
	bool found;

	pthread_mutex_lock(&check->lock);
	found = find_conflict(check, buffer, &other);
	mine.summed &= !found;
	if (keep)
		append(check, &mine);
	pthread_mutex_unlock(&check->lock);
	if (found)
		report_conflict(win, buffer, &other);
}

/* -- what is over ---------------------------------------------------------- */

static void verify(const struct orl_win *win, const struct orl_buffer *buffer,
		   const struct orl_settled *settled)
{
	uint64_t sum = ORL_STRIPE_SUM;
	bool mapped = orl_stripe_sum(&buffer->where, &sum);

	if (mapped && sum == buffer->sum)
		return;
	orl_check_report(win, buffer->call, buffer->place,
			 "target %u: its %s buffer, %llu bytes at %#llx, was "
			 "%s before %s completed it",
			 buffer->target, parts[buffer->part],
			 (unsigned long long)orl_stripe_bytes(&buffer->where),
			 (unsigned long long)buffer->where.at,
			 mapped ? "changed" : "unmapped", settled->call);
}

/*
 * In epochs that the target takes part in, it must leave alone what is put
 * there until it ends its own.  Under a lock it may answer with a store as
 * soon as it has seen the data.
 */
static void verify_stored(const struct orl_win *win,
			  const struct orl_buffer *buffer,
			  const struct orl_settled *settled)
{
	const struct orl_stripe stored = { .at = buffer->stored,
					   .len = buffer->where.len,
					   .n = 1 };
	const struct orl_target *target = &win->targets[buffer->target];
	uint64_t sum = ORL_STRIPE_SUM;
	uint64_t at = stored.at - (uint64_t)target->delta - target->base;

	if (!orl_stripe_sum(&stored, &sum) || sum == buffer->sum)
		return;
	orl_check_report(win, buffer->call, buffer->place,
			 "target %u, bytes %llu to %llu: what was put there "
			 "was changed before %s completed it, by a store of "
			 "rank %u or a call that conflicts",
			 buffer->target, (unsigned long long)at,
			 (unsigned long long)(at + stored.len - 1),
			 settled->call, buffer->target);
}

static bool is_settled(const struct orl_buffer *buffer,
		       const struct orl_settled *settled)
{
	return buffer->mode == settled->mode &&
	       (settled->target < 0 ||
		(uint32_t)settled->target == buffer->target);
}

static void settle_one(const struct orl_win *win,
		       const struct orl_buffer *buffer,
		       const struct orl_settled *settled)
{
	if (!buffer->summed)
		return;
	verify(win, buffer, settled);
	if (buffer->stored && settled->mode != ORL_CHECK_PASSIVE)
		verify_stored(win, buffer, settled);
}

void orl_buffer_settle(struct orl_win *win, const struct orl_settled *settled)
{
	struct orl_check *check = win->check;
	uint32_t i, left = 0;

	pthread_mutex_lock(&check->lock);
	for (i = 0; i < check->nbuffers; i++) {
		const struct orl_buffer *buffer = &check->buffers[i];

		if (is_settled(buffer, settled))
			settle_one(win, buffer, settled);
		else
			check->buffers[left++] = *buffer;
	}
	check->nbuffers = left;
	pthread_mutex_unlock(&check->lock);
}

void orl_buffer_release(struct orl_win *win, int target, bool all)
{
	struct orl_check *check = win->check;
	uint32_t i, left = 0;

	pthread_mutex_lock(&check->lock);
	for (i = 0; i < check->nbuffers; i++) {
		struct orl_buffer *buffer = &check->buffers[i];
		bool is_his = buffer->target == (uint32_t)target;

		if (is_his)
			buffer->stored = 0;
		if (!is_his || !all)
			check->buffers[left++] = *buffer;
	}
	check->nbuffers = left;
	pthread_mutex_unlock(&check->lock);
}
