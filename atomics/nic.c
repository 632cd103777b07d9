/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic.c - accumulates by the network's atomics.  Each run of elements is one
 * atomic, or as many as its length takes.  The orders that the window asks
 * for and the provider does not keep are kept here: an atomic waits for those
 * before it on the same bytes.  All under the progress lock.
 */
#include "nic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orl_am.h"
#include "orl_util.h"

/* Under way at once, of all links. */
#define ATOMICS_MOST 256
/* Operands of this many bytes are copied, so that none is read too late. */
#define COPY_MOST 16

struct orl_amo {
	struct orl_fabric_atomic atomic; /* first */
	struct orl_link *link;
	struct orl_amo *next; /* of the link's, or while free */
	uint64_t off, len;    /* bytes of the target */
	bool reads, writes;
	void *copy; /* of the operands, or NULL */
	unsigned char small[COPY_MOST], compare[COPY_MOST];
};

static struct orl_amo *free_amos;
static _Atomic(uint32_t) namos;

/* -- one atomic ------------------------------------------------------------ */

static bool has_amo(void *arg)
{
	return atomic_load_explicit(&namos, memory_order_relaxed) <
	       ATOMICS_MOST;
}

static struct orl_amo *take_amo(void)
{
	struct orl_amo *amo = free_amos;

	if (!amo)
		return malloc(sizeof(*amo));
	free_amos = amo->next;
	return amo;
}

static void put_amo(struct orl_amo *amo)
{
	free(amo->copy);
	amo->next = free_amos;
	free_amos = amo;
}

static void unlist(struct orl_amo *amo)
{
	struct orl_amo **at = &amo->link->amos;

	while (*at != amo)
		at = &(*at)->next;
	*at = amo->next;
}

static void amo_done(struct orl_fabric_op *op, int error)
{
	struct orl_amo *amo = (struct orl_amo *)op;
	struct orl_link *link = amo->link;

	unlist(amo);
	put_amo(amo);
	atomic_fetch_sub_explicit(&namos, 1, memory_order_relaxed);
	if (orl_unlikely(error))
		orl_am_transfer_fail(link, error);
	orl_am_transfer_end(link, true);
}

static void start(struct orl_amo *amo, struct orl_link *link)
{
	amo->atomic.op.done = amo_done;
	amo->link = link;
	amo->next = link->amos;
	link->amos = amo;
	atomic_fetch_add_explicit(&namos, 1, memory_order_relaxed);
	orl_am_transfer_begin(link, true);
}

/* -- order ----------------------------------------------------------------- */

/* A piece of a call, as it will be posted. */
struct piece {
	struct orl_link *link;
	uint64_t off, len;
	bool reads, writes;
	unsigned missing; /* orders that must be kept, and are not */
};

static bool must_follow(const struct piece *piece, const struct orl_amo *amo)
{
	unsigned between = 0;

	if (piece->off >= amo->off + amo->len ||
	    amo->off >= piece->off + piece->len)
		return false;
	if (amo->reads)
		between |= (piece->reads ? ORL_ORDER_RAR : 0) |
			   (piece->writes ? ORL_ORDER_WAR : 0);
	if (amo->writes)
		between |= (piece->reads ? ORL_ORDER_RAW : 0) |
			   (piece->writes ? ORL_ORDER_WAW : 0);
	return between & piece->missing;
}

static bool is_held_up(const struct piece *piece)
{
	const struct orl_amo *amo;

	for (amo = piece->link->amos; amo; amo = amo->next)
		if (must_follow(piece, amo))
			return true;
	return false;
}

static bool may_go(void *arg)
{
	const struct orl_link *link = arg;

	/* Acquire: pairs with the releases in orl_am_transfer_end
	 * and orl_am_lose. */
	return !__atomic_load_n(&link->transfers, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&link->peer->error, __ATOMIC_ACQUIRE);
}

/* Progress lock held, released meanwhile. */
static int wait_for_turn(const struct piece *piece)
{
	struct orl_link *link = piece->link;

	while (!link->peer->error) {
		bool has_room = has_amo(NULL);

		if (has_room && orl_likely(!is_held_up(piece)))
			return 0;
		orl_progress_unlock();
		if (has_room)
			orl_wait(&orl_am_bell, ORL_BELL_ALL, may_go, link);
		else
			orl_wait(&orl_am_bell, ORL_BELL_ALL, has_amo, NULL);
		orl_progress_lock();
	}
	return -EHOSTDOWN;
}

/* -- a call ---------------------------------------------------------------- */

struct call {
	struct orl_link *link;
	const struct orl_place *place;
	const struct orl_acc *acc;
	const void *compare; /* of a compare-and-swap, or NULL */
	unsigned op;	     /* or ORL_OP_CAS */
	unsigned missing;    /* see struct piece */
};

/*
 * Where the provider may read the operands until the end: where they are, if
 * the user leaves them alone so long.  NULL: no memory.
 */
static const void *keep(struct orl_amo *amo, const void *operands, size_t len,
			bool lasting)
{
	amo->copy = NULL;
	if (len <= COPY_MOST)
		return memcpy(amo->small, operands, len);
	if (lasting)
		return operands;
	amo->copy = malloc(len);
	return amo->copy ? memcpy(amo->copy, operands, len) : NULL;
}

static struct orl_amo *make_amo(const struct call *call,
				const struct piece *piece, const void *operands)
{
	struct orl_amo *amo = take_amo();
	struct orl_fabric_atomic *atomic;

	if (!amo)
		return NULL;
	atomic = &amo->atomic;
	amo->copy = NULL;
	atomic->operand =
		operands ? keep(amo, operands, piece->len, call->acc->lasting)
			 : NULL;
	if (operands && !atomic->operand) {
		put_amo(amo);
		return NULL;
	}
	atomic->verb = orl_nic_verb(call->op);
	atomic->kind = call->acc->kind;
	atomic->count = piece->len / orl_kinds[atomic->kind].extent;
	atomic->compare = NULL;
	if (call->compare)
		atomic->compare =
			memcpy(amo->compare, call->compare, piece->len);
	amo->off = piece->off;
	amo->len = piece->len;
	amo->reads = piece->reads;
	amo->writes = piece->writes;
	return amo;
}

/* n elements, the call's done-th and those behind it. */
static int post(const struct call *call, uint64_t addr, size_t done, size_t n)
{
	const struct orl_acc *acc = call->acc;
	const size_t extent = orl_kinds[acc->kind].extent;
	const char *origin = acc->origin;
	char *result = acc->result;
	const struct piece piece = {
		.link = call->link,
		.off = orl_path_off(call->place->target, addr),
		.len = n * extent,
		.reads = result,
		.writes = acc->op != ORL_NO_OP,
		.missing = call->missing,
	};
	struct orl_amo *amo;
	int rc = wait_for_turn(&piece);

	if (rc)
		return rc;
	amo = make_amo(call, &piece,
		       piece.writes ? origin + done * extent : NULL);
	if (!amo)
		return -ENOMEM;
	amo->atomic.result = result ? result + done * extent : NULL;
	start(amo, call->link);
	orl_fabric_atomic(&amo->atomic, call->link->peer->addr,
			  call->link->base + piece.off, call->link->key);
	return 0;
}

/* A run that is not aligned is nobody's atomic. */
static int post_other(const struct call *call, uint64_t addr, size_t done,
		      size_t n)
{
	struct orl_place place = *call->place;
	struct orl_acc acc = *call->acc;
	const size_t off = done * orl_kinds[acc.kind].extent;
	int rc;

	place.addr = addr;
	acc.origin = acc.origin ? (const char *)acc.origin + off : NULL;
	acc.result = acc.result ? (char *)acc.result + off : NULL;
	acc.layout = NULL;
	acc.count = acc.items = n;
	orl_progress_unlock();
	rc = orl_acc_issue(&place, &acc);
	orl_progress_lock();
	return rc;
}

static int post_run(const struct call *call, uint64_t addr, size_t done,
		    size_t n)
{
	const enum orl_kind kind = call->acc->kind;
	const size_t extent = orl_kinds[kind].extent;
	const size_t most =
		orl_fabric_atomic_most(kind, orl_nic_verb(call->op));
	size_t now;
	int rc = 0;

	if (addr % extent)
		return post_other(call, addr, done, n);
	for (; n && !rc; n -= now, done += now, addr += now * extent) {
		now = n < most ? n : most;
		rc = post(call, addr, done, now);
	}
	return rc;
}

static int post_all(const struct call *call)
{
	const struct orl_acc *acc = call->acc;
	const uint64_t addr = call->place->addr;
	struct orl_cursor cursor;
	size_t n, done = 0;
	ptrdiff_t off;
	int rc = 0;

	if (!acc->layout)
		return post_run(call, addr, 0, acc->count);
	orl_cursor_elements(&cursor, acc->layout, acc->items);
	while (!rc && done < acc->count &&
	       (n = orl_cursor_next(&cursor, acc->count - done, &off))) {
		rc = post_run(call, addr + (uint64_t)off, done, n);
		done += n;
	}
	return rc;
}

/* Locks are held, and what might be overtaken is over. */
static int begin(const struct call *call)
{
	const struct orl_acc *acc = call->acc;
	int rc = call->place->path->remote ? orl_path_order(call->link) : 0;

	orl_acc_count(acc->domain, ORL_AGENT_NIC);
	if (rc || !acc->domain->hints.same_op || !call->link->unasked)
		return rc;
	orl_progress_unlock();
	rc = orl_am_flush(call->link);
	orl_progress_lock();
	return rc;
}

static int issue(struct call *call)
{
	int rc;

	call->missing =
		call->acc->domain->hints.ordering & ~orl_fabric.atomic_order;
	orl_progress_lock();
	rc = begin(call);
	rc = rc ? rc : post_all(call);
	orl_progress_unlock();
	return rc;
}

int orl_nic_issue(struct orl_link *link, const struct orl_place *place,
		  const struct orl_acc *acc)
{
	struct call call = {
		.link = link,
		.place = place,
		.acc = acc,
		.compare = NULL,
		.op = acc->op,
		.missing = 0,
	};

	if (acc->op == ORL_NO_OP && !acc->result)
		return 0;
	return issue(&call);
}

int orl_nic_cas(struct orl_link *link, const struct orl_place *place,
		const struct orl_acc *acc, const void *compare)
{
	struct call call = {
		.link = link,
		.place = place,
		.acc = acc,
		.compare = compare,
		.op = ORL_OP_CAS,
		.missing = 0,
	};

	return issue(&call);
}
