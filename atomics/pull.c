/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pull.c - accumulates with so many operands that the owner reads them from
 * the origin's memory, instead of having them sent in pieces: both sides.
 *
 * The owner reads some chunks ahead and applies them in their order.  What
 * the link has sent behind the record stays parked until all are applied, so
 * that accumulates keep their order and a flush its meaning.  All under the
 * progress lock.
 */
#include "owner.h"

#include <errno.h>
#include <stdlib.h>

#include "orl_am.h"

#define PULL_LEAST (32 * 1024) /* bytes of operands that are worth it */
#define ROOM	   (1 << 20)   /* a pull's, for what it reads ahead */
#define CHUNKS	   4	       /* in it, at most */
#define IDLE_MOST  4	       /* pulls kept for later */

/* -- the origin ------------------------------------------------------------ */

/* What is exposed to the owner until it has answered. */
struct exposure {
	struct orl_mr mr;
};

static void withdraw(struct orl_link *link, void *dst, const void *data,
		     size_t len)
{
	struct exposure *exposure = dst;

	if (data)
		orl_push_accept(link->peer, data);
	orl_mr_close(&exposure->mr);
	free(exposure);
}

bool orl_pull_is_worth(const struct orl_place *place, const struct orl_acc *acc)
{
	return acc->lasting && !acc->layout && !acc->result &&
	       acc->op != ORL_NO_OP && place->path == &orl_path_fabric &&
	       acc->count >= PULL_LEAST / orl_kinds[acc->kind].extent;
}

static struct exposure *expose(const struct orl_acc *acc)
{
	size_t len = acc->count * orl_kinds[acc->kind].extent;
	struct exposure *exposure = malloc(sizeof(*exposure));

	if (exposure &&
	    orl_mr_open((void *)(uintptr_t)acc->origin, len, &exposure->mr)) {
		free(exposure);
		return NULL;
	}
	return exposure;
}

/* Writes the record. */
bool orl_pull_issue(const struct orl_place *place, const struct orl_acc *acc,
		    int *rc)
{
	struct orl_link *link = place->target->link;
	struct orl_record_pull *record;
	struct exposure *exposure = expose(acc);

	if (!exposure)
		return false;
	record = orl_path_record(link, ORL_AM_PULL, sizeof(*record));
	if (!record) {
		withdraw(link, exposure, NULL, 0);
		return false;
	}
	orl_am_expect(link->peer,
		      (size_t)acc->count * orl_kinds[acc->kind].extent);
	record->head.a = (uint8_t)acc->op;
	record->head.b = (uint8_t)acc->kind;
	record->off = orl_path_off(place->target, place->addr);
	record->count = acc->count;
	record->addr = exposure->mr.base;
	record->key = exposure->mr.key;
	record->pad = 0;
	record->slot =
		orl_am_slot(link, withdraw, exposure, sizeof(struct orl_offer));
	/* The owner refuses a record that it cannot answer. */
	if (!record->slot)
		withdraw(link, exposure, NULL, 0);
	*rc = record->slot ? 0 : -ENOMEM;
	orl_path_send(link);
	return true;
}

/* -- the owner ------------------------------------------------------------- */

struct pull;

struct chunk {
	struct orl_fabric_op op; /* first */
	struct pull *pull;
	size_t first, len; /* bytes, of the operands */
	bool here;
	unsigned char *buf;
};

struct pull {
	struct pull *next; /* while idle */
	struct chunk chunks[CHUNKS];
	unsigned char *room;
	struct orl_am_source source;
	struct orl_am_parked *parked;
	struct orl_record_pull record;
	struct orl_place place;
	size_t bytes, asked, applied;
	unsigned under_way;
	int error;
};

/*
 * A multiple of every element's size.  Where a device reads, one chunk is
 * applied while others come.  Where the owner's core has to take them from the
 * network, too, fewer and larger ones are quicker.
 */
static size_t chunk_bytes(void)
{
	return orl_fabric.passive ? ROOM / CHUNKS : ROOM / 2;
}

static unsigned chunks(void)
{
	return ROOM / (unsigned)chunk_bytes();
}

static struct pull *idle_pulls;
static unsigned nidle;

static struct pull *make_pull(void)
{
	struct pull *pull = calloc(1, sizeof(*pull));
	unsigned i;

	if (!pull)
		return NULL;
	pull->room = aligned_alloc(ORL_CACHELINE, ROOM);
	if (!pull->room) {
		free(pull);
		return NULL;
	}
	for (i = 0; i < chunks(); i++) {
		pull->chunks[i].buf = pull->room + i * chunk_bytes();
		pull->chunks[i].pull = pull;
	}
	return pull;
}

static struct pull *take_pull(void)
{
	struct pull *pull = idle_pulls;

	if (!pull)
		return make_pull();
	idle_pulls = pull->next;
	nidle--;
	return pull;
}

static void put_pull(struct pull *pull)
{
	if (nidle < IDLE_MOST) {
		pull->next = idle_pulls;
		idle_pulls = pull;
		nidle++;
		return;
	}
	free(pull->room);
	free(pull);
}

static void chunk_done(struct orl_fabric_op *op, int error);

static void ask(struct pull *pull, struct chunk *chunk)
{
	size_t left = pull->bytes - pull->asked;

	chunk->first = pull->asked;
	chunk->len = left < chunk_bytes() ? left : chunk_bytes();
	chunk->here = false;
	chunk->op.done = chunk_done;
	pull->asked += chunk->len;
	pull->under_way++;
	orl_fabric_read(&chunk->op, pull->source.peer->addr,
			pull->record.addr + chunk->first, pull->record.key,
			chunk->buf, chunk->len);
}

static int apply(struct pull *pull, const struct chunk *chunk)
{
	const struct orl_record *head = &pull->record.head;
	struct orl_place place = pull->place;

	place.addr += chunk->first;
	return orl_owner_apply(&place, head, chunk->buf,
			       chunk->len / orl_kinds[head->b].extent);
}

static struct chunk *next_here(struct pull *pull)
{
	struct chunk *chunk =
		&pull->chunks[pull->applied / chunk_bytes() % chunks()];

	return pull->applied < pull->asked && chunk->here ? chunk : NULL;
}

static void answer(struct orl_am_peer *peer, uint32_t slot)
{
	struct orl_offer *offer = orl_am_answer(peer, slot, sizeof(*offer));

	if (offer)
		orl_push_offer(peer, offer);
}

static void end(struct pull *pull)
{
	struct orl_am_peer *peer = pull->source.peer;

	if (pull->error)
		orl_am_park_fail(pull->parked, pull->error);
	else
		answer(peer, pull->record.slot);
	orl_am_resume(pull->parked);
	orl_am_answers_send(peer);
	put_pull(pull);
}

static void chunk_done(struct orl_fabric_op *op, int error)
{
	struct chunk *chunk = (struct chunk *)op;
	struct pull *pull = chunk->pull;

	/* Else it is this process that cannot read, and the origin is told. */
	if (error && !orl_fabric_is_of_operation(error))
		orl_am_lose(pull->source.peer, error);
	pull->under_way--;
	pull->error = pull->error ? pull->error : error;
	chunk->here = true;
	while (!pull->error && (chunk = next_here(pull))) {
		pull->error = apply(pull, chunk);
		pull->applied += chunk->len;
		chunk->here = false;
		if (pull->asked < pull->bytes)
			ask(pull, chunk);
	}
	if (!pull->under_way && (pull->error || pull->applied == pull->bytes))
		end(pull);
}

static int serve_pull(const struct orl_am_source *source,
		      const struct orl_record *head)
{
	const struct orl_record_pull *record =
		(const struct orl_record_pull *)head;
	const struct orl_row_span span = { record->off, record->count };
	struct orl_place place;
	struct pull *pull;
	unsigned i;
	size_t bytes;
	int rc;

	if (head->bytes < sizeof(*record) || !record->slot)
		return MPI_ERR_INTERN;
	rc = orl_owner_find(source, head, &span, &place, &bytes);
	if (rc)
		return rc;
	pull = take_pull();
	if (!pull)
		return MPI_ERR_NO_MEM;
	pull->source = *source;
	pull->record = *record;
	pull->place = place;
	pull->bytes = bytes;
	pull->asked = pull->applied = 0;
	pull->under_way = 0;
	pull->error = 0;
	pull->parked = orl_am_park();
	if (!pull->parked) {
		put_pull(pull);
		return -ENOMEM;
	}
	for (i = 0; i < chunks() && pull->asked < bytes; i++)
		ask(pull, &pull->chunks[i]);
	return ORL_AM_PARK;
}

void orl_pull_serve(void)
{
	orl_am_handle(ORL_AM_PULL, serve_pull);
}
