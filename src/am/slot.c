/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slot.c - slots: places for answers, and names of links, in one table that
 * grows.  A number is an index with a generation, so that what comes late or
 * is made up finds nothing.  Under the progress lock; link->answers is read
 * without it by orl_am_is_idle.
 */
#include "am.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_BITS  22
#define INDEX_MASK  ((1u << INDEX_BITS) - 1)
#define GENERATIONS (1u << (32 - INDEX_BITS))
#define FIRST_SLOTS 256
#define ERROR_BOUND 4096 /* of what a peer may report */
#define NO_INDEX    UINT32_MAX

struct slot {
	orl_am_answer_fn fn; /* NULL: free */
	void *dst;
	struct orl_link *link;
	struct orl_am_tally *tally; /* in which it counts, or NULL */
	uint32_t len;
	uint32_t serial;     /* of the message that carries it */
	uint16_t offset;     /* and of the record in it */
	uint16_t generation; /* 1 to GENERATIONS - 1 */
	uint32_t next;	     /* of the free */
};

static struct slot *slots;
static uint32_t nslots;
static uint32_t first_free = NO_INDEX;

uint32_t orl_am_awaited;

/* -- the table ------------------------------------------------------------- */

static void push_free(uint32_t index)
{
	slots[index].fn = NULL;
	slots[index].next = first_free;
	first_free = index;
}

static bool grow(void)
{
	uint32_t more = nslots ? 2 * nslots : FIRST_SLOTS, i;
	struct slot *larger;

	if (more > INDEX_MASK + 1)
		return false;
	larger = realloc(slots, more * sizeof(*slots));
	if (!larger)
		return false;
	slots = larger;
	for (i = more; i-- > nslots;) {
		slots[i].generation = 1;
		push_free(i);
	}
	nslots = more;
	return true;
}

static uint32_t number_of(const struct slot *slot)
{
	return (uint32_t)slot->generation << INDEX_BITS |
	       (uint32_t)(slot - slots);
}

/* NULL if there is no memory. */
static struct slot *take(void)
{
	struct slot *slot;

	if (orl_unlikely(first_free == NO_INDEX) && !grow())
		return NULL;
	slot = &slots[first_free];
	first_free = slot->next;
	return slot;
}

static void release(struct slot *slot)
{
	if (++slot->generation == GENERATIONS)
		slot->generation = 1;
	push_free((uint32_t)(slot - slots));
}

/* The slot in use that has the number, if it is the peer's to answer. */
static struct slot *find(uint32_t number, const struct orl_am_peer *peer)
{
	uint32_t index = number & INDEX_MASK;
	struct slot *slot;

	if (index >= nslots)
		return NULL;
	slot = &slots[index];
	if (slot->generation != number >> INDEX_BITS || !slot->fn ||
	    slot->link->peer != peer)
		return NULL;
	return slot;
}

/* -- names of links -------------------------------------------------------- */

/* What tells them from answers; never called. */
static void name_link(struct orl_link *link, void *dst, const void *data,
		      size_t len)
{
}

uint32_t orl_am_link_name(struct orl_link *link)
{
	struct slot *slot = take();

	if (!slot)
		return 0;
	slot->fn = name_link;
	slot->dst = NULL;
	slot->link = link;
	slot->tally = NULL;
	slot->len = 0;
	return number_of(slot);
}

void orl_am_link_unname(struct orl_link *link)
{
	struct slot *slot = find(link->id, link->peer);

	if (slot && slot->fn == name_link && slot->link == link)
		release(slot);
	link->id = 0;
}

void orl_am_link_fail(struct orl_link *link, int error)
{
	if (!link->error)
		__atomic_store_n(&link->error, error, __ATOMIC_RELEASE);
}

int orl_am_link_take_error(struct orl_link *link)
{
	int error = orl_link_error(link);

	__atomic_store_n(&link->error, 0, __ATOMIC_RELAXED);
	return error;
}

/* -- answers --------------------------------------------------------------- */

void orl_am_copy_answer(struct orl_link *link, void *dst, const void *data,
			size_t len)
{
	if (data && len)
		memcpy(dst, data, len);
}

static void count(struct orl_link *link, int change)
{
	orl_am_await(link->peer, change);
	/* Release: pairs with the acquire in orl_am_is_idle. */
	__atomic_store_n(&link->answers, link->answers + (uint32_t)change,
			 __ATOMIC_RELEASE);
}

uint32_t orl_am_slot_of(struct orl_link *link, const void *record,
			orl_am_answer_fn fn, void *dst, size_t len)
{
	struct orl_am_tally *tally;
	struct slot *slot;

	assert(link->out && link->out->latest);
	slot = take();
	if (orl_unlikely(!slot))
		return 0;
	if (orl_unlikely(orl_am_tally_take(link, &tally))) {
		push_free((uint32_t)(slot - slots));
		return 0;
	}
	slot->tally = tally;
	slot->fn = fn;
	slot->dst = dst;
	slot->link = link;
	slot->len = (uint32_t)len;
	slot->serial = link->out->serial;
	slot->offset = (uint16_t)((const char *)record -
				  (const char *)link->out->data);
	link->out->slots++;
	count(link, 1);
	return number_of(slot);
}

uint32_t orl_am_slot(struct orl_link *link, orl_am_answer_fn fn, void *dst,
		     size_t len)
{
	const char *latest = (const char *)link->out->data + link->out->latest;
	uint32_t number = orl_am_slot_of(link, latest, fn, dst, len);

	/* Release: pairs with the acquire in orl_am_flush. */
	if (orl_likely(number != 0))
		__atomic_store_n(&link->unasked, false, __ATOMIC_RELEASE);
	return number;
}

/* The slot is free before its function runs: that may take others. */
static void finish(struct slot *slot, const void *data, int error)
{
	const struct slot was = *slot;

	release(slot);
	was.fn(was.link, was.dst, data, was.len);
	count(was.link, -1);
	orl_am_tally_drop(was.tally, error);
}

int orl_am_handle_answer(const struct orl_am_source *source,
			 const struct orl_record *record)
{
	const struct orl_record_answer *answer =
		(const struct orl_record_answer *)record;
	struct slot *slot;

	if (orl_unlikely(record->bytes < sizeof(*answer)))
		return -EPROTO;
	slot = find(answer->slot, source->peer);
	if (orl_unlikely(!slot || slot->fn == name_link)) {
		orl_am_counts.dropped++;
		return 0;
	}
	if (orl_unlikely(record->bytes - sizeof(*answer) != slot->len)) {
		orl_am_counts.dropped++;
		orl_am_link_fail(slot->link, -EPROTO);
		finish(slot, NULL, -EPROTO);
		return 0;
	}
	finish(slot, answer->data, 0);
	return 0;
}

/* -- failure --------------------------------------------------------------- */

static bool is_chosen(const struct slot *slot,
		      const struct orl_am_choice *choice)
{
	return slot->fn && slot->fn != name_link &&
	       (!choice->peer || slot->link->peer == choice->peer) &&
	       (!choice->link || slot->link == choice->link) &&
	       (!choice->serial || slot->serial == choice->serial) &&
	       (!choice->offset || slot->offset == choice->offset);
}

struct orl_am_tally *orl_am_slot_drop(struct orl_link *link, uint32_t number)
{
	struct slot *slot = find(number, link->peer);
	struct orl_am_tally *tally;

	if (!slot || slot->link != link || slot->fn == name_link)
		return NULL;
	tally = slot->tally;
	slot->tally = NULL;
	finish(slot, NULL, 0);
	return tally;
}

ORL_COLD void orl_am_slots_fail(const struct orl_am_choice *choice, int error)
{
	uint32_t i;

	for (i = 0; i < nslots; i++) {
		if (!is_chosen(&slots[i], choice))
			continue;
		orl_am_link_fail(slots[i].link, error);
		finish(&slots[i], NULL, error);
	}
}

int orl_am_handle_error(const struct orl_am_source *source,
			const struct orl_record *record)
{
	const struct orl_record_error *report =
		(const struct orl_record_error *)record;
	struct orl_am_choice choice;
	struct slot *slot;

	if (record->bytes != sizeof(*report) || !report->error ||
	    report->error <= -ERROR_BOUND || report->error >= ERROR_BOUND)
		return -EPROTO;
	slot = find(report->link, source->peer);
	if (!slot || slot->fn != name_link || !report->serial) {
		orl_am_counts.dropped++;
		return 0;
	}
	choice = (struct orl_am_choice){
		.peer = source->peer,
		.link = slot->link,
		.serial = report->serial,
		.offset = report->offset,
	};
	orl_am_link_fail(slot->link, report->error);
	if (slot->link->answers)
		orl_am_slots_fail(&choice, report->error);
	return 0;
}
