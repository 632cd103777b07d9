/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * push.c - accumulates with many operands that the origin writes into memory
 * of the owner's, with a record behind them that says what they are for: both
 * sides.  One trip, where a pull takes two, but it needs a loan of that memory,
 * which the answer of the first pull brings, and messages that stay behind
 * writes.  In pieces, of which one is applied while the next is under way, it
 * takes longer: the owner's core, which copies them from the socket too, has no
 * time to spare.
 *
 * A loan is the origin's for good, in slots that it gives out itself.  Those
 * of a call are free again when its record has been answered.  All under the
 * progress lock.
 */
#include "owner.h"

#include <stdlib.h>
#include <string.h>

#include "orl_am.h"

#define SLOT_BYTES (64 * 1024) /* a multiple of every element's size */
#define SLOTS	   16
#define LOAN_BYTES ((size_t)SLOTS * SLOT_BYTES)
#define LOANS_MOST 16 /* of an owner's memory */

/* -- the origin ------------------------------------------------------------ */

struct orl_loan {
	uint64_t base, key;
	uint32_t name;	    /* the owner's */
	uint32_t taken;	    /* a bit a slot */
	uint8_t run[SLOTS]; /* that the call has, which has this first */
};
_Static_assert(SLOTS <= 32, "a bit each");

/* A write of operands. */
struct load {
	struct orl_fabric_op op; /* first */
	struct orl_am_peer *peer;
	struct load *next; /* while free */
};

static struct load *free_loads;

void orl_push_accept(struct orl_am_peer *peer, const struct orl_offer *offer)
{
	struct orl_loan *loan;

	if (offer->key == ORL_NO_KEY || peer->loan || !orl_fabric.in_order)
		return;
	loan = calloc(1, sizeof(*loan));
	if (!loan)
		return;
	loan->base = offer->base;
	loan->key = offer->key;
	loan->name = offer->loan;
	peer->loan = loan;
}

static uint32_t mask_of(unsigned first, unsigned n)
{
	return (uint32_t)(((UINT64_C(1) << n) - 1) << first);
}

/* The first of so many free slots in a row, now taken; -1: there are none. */
static int take_slots(struct orl_loan *loan, unsigned n)
{
	for (unsigned first = 0; first + n <= SLOTS; first++) {
		if (loan->taken & mask_of(first, n))
			continue;
		loan->taken |= mask_of(first, n);
		loan->run[first] = (uint8_t)n;
		return (int)first;
	}
	return -1;
}

static void give_slots(struct orl_loan *loan, unsigned first)
{
	loan->taken &= ~mask_of(first, loan->run[first]);
}

/* Done or refused, the owner has come to the call's record. */
static void push_done(struct orl_link *link, void *dst, const void *data,
		      size_t len)
{
	struct orl_loan *loan = link->peer->loan;
	uint8_t *run = dst;

	give_slots(loan, (unsigned)(run - loan->run));
}

static void give_load(struct load *load)
{
	load->next = free_loads;
	free_loads = load;
}

static void load_done(struct orl_fabric_op *op, int error)
{
	struct load *load = (struct load *)op;
	struct orl_am_peer *peer = load->peer;

	give_load(load);
	if (error)
		orl_am_lose(peer, error);
}

static struct load *take_load(struct orl_am_peer *peer)
{
	struct load *load = free_loads;

	if (load)
		free_loads = load->next;
	else
		load = calloc(1, sizeof(*load));
	if (!load)
		return NULL;
	load->op.done = load_done;
	load->peer = peer;
	return load;
}

/* A call. */
struct push {
	struct orl_link *link;
	const struct orl_acc *acc;
	uint64_t off;
	size_t bytes;
	unsigned first; /* slot */
};

/* NULL: the target is lost. */
static struct orl_record_push *write_record(const struct push *push)
{
	struct orl_record_push *record =
		orl_path_record(push->link, ORL_AM_PUSH, sizeof(*record));
	struct orl_loan *loan = push->link->peer->loan;

	if (!record)
		return NULL;
	record->head.a = (uint8_t)push->acc->op;
	record->head.b = (uint8_t)push->acc->kind;
	record->off = push->off;
	record->count = push->acc->count;
	record->loan = loan->name;
	record->at = (uint32_t)(push->first * SLOT_BYTES);
	record->pad = 0;
	record->slot =
		orl_am_slot(push->link, push_done, &loan->run[push->first], 0);
	return record;
}

/*
 * The record is made first, since that may wait for the target's lock, but
 * leaves behind the write.  Without an answer the slots stay taken.
 */
static int issue(const struct push *push, struct load *load)
{
	struct orl_am_peer *peer = push->link->peer;
	struct orl_record_push *record = write_record(push);
	int rc;

	if (!record) {
		give_slots(peer->loan, push->first);
		give_load(load);
		return orl_path_lost(push->link);
	}
	rc = record->slot ? 0 : -ENOMEM;
	orl_fabric_write_ahead(&load->op, peer->addr,
			       peer->loan->base + push->first * SLOT_BYTES,
			       peer->loan->key, push->acc->origin, push->bytes);
	orl_path_send(push->link);
	return rc;
}

bool orl_push_issue(const struct orl_place *place, const struct orl_acc *acc,
		    int *rc)
{
	struct orl_link *link = place->target->link;
	struct orl_loan *loan = link->peer->loan;
	size_t bytes = acc->count * orl_kinds[acc->kind].extent;
	struct load *load;
	int first;

	if (!loan || bytes > LOAN_BYTES)
		return false;
	first = take_slots(loan,
			   (unsigned)((bytes + SLOT_BYTES - 1) / SLOT_BYTES));
	if (first < 0)
		return false;
	load = take_load(link->peer);
	if (!load) {
		give_slots(loan, (unsigned)first);
		return false;
	}
	orl_am_expect(link->peer, bytes);
	*rc = issue(
		&(struct push){
			.link = link,
			.acc = acc,
			.off = orl_path_off(place->target, place->addr),
			.bytes = bytes,
			.first = (unsigned)first,
		},
		load);
	return true;
}

/* -- the owner ------------------------------------------------------------- */

static struct lent {
	struct orl_am_peer *peer; /* NULL: nobody's */
	unsigned char *bytes;
	struct orl_mr mr;
} all_lent[LOANS_MOST];

static void take_back(struct lent *lent)
{
	if (!lent->peer)
		return;
	orl_mr_close(&lent->mr);
	free(lent->bytes);
	lent->peer = NULL;
}

/* False: there is no memory. */
static bool lend(struct lent *lent, struct orl_am_peer *peer)
{
	lent->bytes = aligned_alloc(ORL_CACHELINE, LOAN_BYTES);
	if (!lent->bytes)
		return false;
	if (orl_mr_open(lent->bytes, LOAN_BYTES, &lent->mr)) {
		free(lent->bytes);
		return false;
	}
	lent->peer = peer;
	return true;
}

/* The peer's, or one that is free, or a lost peer's. */
static struct lent *find_lent(const struct orl_am_peer *peer)
{
	struct lent *usable = NULL;

	for (int i = 0; i < LOANS_MOST; i++) {
		if (all_lent[i].peer == peer)
			return &all_lent[i];
		if (!all_lent[i].peer || all_lent[i].peer->error)
			usable = &all_lent[i];
	}
	return usable;
}

void orl_push_offer(struct orl_am_peer *peer, struct orl_offer *offer)
{
	struct lent *lent = orl_fabric.in_order ? find_lent(peer) : NULL;

	memset(offer, 0, sizeof(*offer));
	offer->key = ORL_NO_KEY;
	if (!lent)
		return;
	if (lent->peer != peer) {
		take_back(lent);
		if (!lend(lent, peer))
			return;
	}
	offer->base = lent->mr.base;
	offer->key = lent->mr.key;
	offer->loan = (uint32_t)(lent - all_lent);
}

/* The operands; NULL if they are not in the peer's loan. */
static const void *find_operands(const struct orl_am_source *source,
				 const struct orl_record_push *record,
				 size_t bytes)
{
	const struct lent *lent;

	if (record->loan >= LOANS_MOST ||
	    record->at % SLOT_BYTES % ORL_CACHELINE)
		return NULL;
	lent = &all_lent[record->loan];
	if (lent->peer != source->peer || bytes > LOAN_BYTES ||
	    record->at > LOAN_BYTES - bytes)
		return NULL;
	return lent->bytes + record->at;
}

static int serve_push(const struct orl_am_source *source,
		      const struct orl_record *head)
{
	const struct orl_record_push *record =
		(const struct orl_record_push *)head;
	const struct orl_row_span span = { record->off, record->count };
	struct orl_place place;
	const void *operands;
	size_t bytes;
	int rc;

	if (head->bytes < sizeof(*record))
		return MPI_ERR_INTERN;
	rc = orl_owner_find(source, head, &span, &place, &bytes);
	if (rc)
		return rc;
	operands = find_operands(source, record, bytes);
	if (!operands)
		return MPI_ERR_INTERN;
	rc = orl_owner_apply(&place, head, operands, record->count);
	if (rc || !record->slot)
		return rc;
	return orl_am_answer(source->peer, record->slot, 0) ? 0
							    : MPI_ERR_NO_MEM;
}

void orl_push_serve(void)
{
	orl_am_handle(ORL_AM_PUSH, serve_push);
}

void orl_push_end(void)
{
	orl_progress_lock();
	for (int i = 0; i < LOANS_MOST; i++)
		take_back(&all_lent[i]);
	orl_progress_unlock();
}
