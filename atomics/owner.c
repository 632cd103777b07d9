/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * owner.c - accumulates on remote targets, the origin's side: a call becomes
 * one record, or as many as its size takes.  Accumulates are atomic element
 * by element, so the records of one call need nothing of each other but
 * their order, which a link keeps.
 */
#include "owner.h"

#include <errno.h>
#include <string.h>

#include "orl_am.h"

#define ROWS_MOST 64 /* in one record */

/* Takes the target's elements in order, row by row. */
struct walk {
	struct orl_cursor cursor;
	bool has_layout;
	uint64_t off;
	size_t left; /* elements without a layout */
	/* A block that did not fit into the record before. */
	ptrdiff_t block_off;
	size_t block_len;
};

/* One record under construction. */
struct batch {
	struct orl_row rows[ROWS_MOST];
	uint32_t nrows;
	size_t elements;
};

static void walk_begin(struct walk *walk, const struct orl_place *place,
		       const struct orl_acc *acc)
{
	walk->off = orl_path_off(place->target, place->addr);
	walk->has_layout = acc->layout;
	walk->left = acc->count;
	walk->block_len = 0;
	if (acc->layout)
		orl_cursor_elements(&walk->cursor, acc->layout, acc->items);
}

/* The next block of at most max elements, 0 at the end. */
static size_t walk_next(struct walk *walk, size_t max, ptrdiff_t *off)
{
	size_t n = walk->left < max ? walk->left : max;

	if (walk->has_layout && n)
		n = orl_cursor_next(&walk->cursor, n, off);
	else
		*off = 0;
	return n;
}

/* Does the block continue the row? */
static bool row_takes(struct orl_row *row, uint64_t off, size_t len)
{
	uint64_t last = row->off + (uint64_t)row->stride * (row->blocks - 1);

	if (row->blocklen != len)
		return false;
	if (row->blocks == 1)
		row->stride = (int64_t)(off - row->off);
	else if (off - last != (uint64_t)row->stride)
		return false;
	row->blocks++;
	return true;
}

/* False: there is no room for one more row. */
static bool batch_add(struct batch *batch, uint64_t off, size_t len)
{
	if (batch->nrows && row_takes(&batch->rows[batch->nrows - 1], off, len))
		return true;
	if (batch->nrows == ROWS_MOST)
		return false;
	batch->rows[batch->nrows++] = (struct orl_row){
		.off = off,
		.stride = 0,
		.blocks = 1,
		.blocklen = (uint32_t)len,
	};
	return true;
}

/* Rows of as many elements as a record may have. */
static void batch_fill(struct batch *batch, struct walk *walk, size_t most,
		       size_t extent)
{
	batch->nrows = 0;
	batch->elements = 0;
	while (batch->elements < most) {
		ptrdiff_t off = walk->block_off;
		size_t n = walk->block_len;

		if (!n)
			n = walk_next(walk, most - batch->elements, &off);
		if (!n)
			return;
		walk->block_len = 0;
		if (!batch_add(batch, walk->off + (uint64_t)off, n)) {
			walk->block_off = off;
			walk->block_len = n;
			return;
		}
		batch->elements += n;
		walk->left -= n;
		if (!walk->has_layout)
			walk->off += n * extent;
	}
}

/* -- records --------------------------------------------------------------- */

/* Where elements have padding, the user's own stays as it is. */
static void copy_fields(enum orl_kind kind, char *dst, const char *src,
			size_t len)
{
	const struct orl_kind_info *info = &orl_kinds[kind];
	size_t i;

	for (i = 0; src && i < len; i += info->extent) {
		memcpy(dst + i, src + i, info->first);
		memcpy(dst + i + info->second, src + i + info->second,
		       info->size - info->first);
	}
}

#define COPY_PADDED(kind)                                                      \
	static void copy_##kind(struct orl_link *link, void *dst,              \
				const void *data, size_t len)                  \
	{                                                                      \
		copy_fields(ORL_##kind, dst, data, len);                       \
	}
COPY_PADDED(DOUBLE_INT)
COPY_PADDED(LONG_INT)
COPY_PADDED(SHORT_INT)
COPY_PADDED(LD_INT)

static orl_am_answer_fn copy_answer(enum orl_kind kind)
{
	switch (kind) {
	case ORL_DOUBLE_INT:
		return copy_DOUBLE_INT;
	case ORL_LONG_INT:
		return copy_LONG_INT;
	case ORL_SHORT_INT:
		return copy_SHORT_INT;
	case ORL_LD_INT:
		return copy_LD_INT;
	default:
		return orl_am_copy_answer;
	}
}

/* A slot for n elements, 0 in *slot if nothing is fetched. */
static int want_answer(struct orl_link *link, enum orl_kind kind, size_t n,
		       void *result, uint32_t *slot)
{
	*slot = 0;
	if (!result)
		return 0;
	*slot = orl_am_slot(link, copy_answer(kind), result,
			    n * orl_kinds[kind].extent);
	return orl_likely(*slot != 0) ? 0 : -ENOMEM;
}

static int write_acc(struct orl_link *link, const struct batch *batch,
		     const struct orl_acc *acc, size_t done)
{
	const size_t extent = orl_kinds[acc->kind].extent;
	size_t rows = batch->nrows * sizeof(struct orl_row);
	size_t len = batch->elements * extent;
	size_t operands = acc->op == ORL_NO_OP ? 0 : len;
	char *result = acc->result;
	struct orl_record_acc *record;

	record = orl_path_record(link, ORL_AM_ACC,
				 sizeof(*record) + rows + operands);
	if (orl_unlikely(!record))
		return orl_path_lost(link);
	record->head.a = (uint8_t)acc->op;
	record->head.b = (uint8_t)acc->kind;
	record->nrows = batch->nrows;
	memcpy(record->rows, batch->rows, rows);
	if (operands)
		memcpy((char *)record->rows + rows,
		       (const char *)acc->origin + done * extent, operands);
	return want_answer(link, acc->kind, batch->elements,
			   result ? result + done * extent : NULL,
			   &record->slot);
}

static int issue(struct orl_link *link, struct walk *walk,
		 const struct orl_acc *acc)
{
	const size_t extent = orl_kinds[acc->kind].extent;
	const size_t most = (orl_am_most() - sizeof(struct orl_record_acc) -
			     ROWS_MOST * sizeof(struct orl_row)) /
			    extent;
	struct batch batch;
	size_t done;
	int rc = 0;

	for (done = 0; done < acc->count && !rc; done += batch.elements) {
		batch_fill(&batch, walk, most, extent);
		if (acc->result)
			rc = orl_path_bound_answers(link);
		rc = rc ? rc : write_acc(link, &batch, acc, done);
	}
	/* The caller gives up the result, to which answers may come. */
	if (orl_unlikely(rc) && acc->result && link->answers)
		orl_path_await_answers(link);
	return rc;
}

/* -- one element ----------------------------------------------------------- */

static int write_fop(struct orl_link *link, const struct orl_place *place,
		     const struct orl_acc *acc)
{
	const size_t extent = orl_kinds[acc->kind].extent;
	size_t operand = acc->op == ORL_NO_OP ? 0 : extent;
	struct orl_record_fop *record;
	int rc = acc->result ? orl_path_bound_answers(link) : 0;

	if (orl_unlikely(rc))
		return rc;
	record = orl_path_record(link, ORL_AM_FOP, sizeof(*record) + operand);
	if (orl_unlikely(!record))
		return orl_path_lost(link);
	record->head.a = (uint8_t)acc->op;
	record->head.b = (uint8_t)acc->kind;
	record->head.c = !acc->result;
	record->off = orl_path_off(place->target, place->addr);
	record->pad = 0;
	if (operand)
		orl_copy(record->operand, acc->origin, operand);
	if (acc->result)
		return want_answer(link, acc->kind, 1, acc->result,
				   &record->slot);
	orl_am_may_end(link, &record->slot);
	return 0;
}

int orl_owner_one(const struct orl_place *place, const struct orl_acc *acc)
{
	struct orl_link *link = place->target->link;
	int rc;

	orl_progress_lock();
	rc = write_fop(link, place, acc);
	orl_progress_unlock();
	return rc;
}

/* -- any number of them ---------------------------------------------------- */

static int issue_many(const struct orl_place *place, const struct orl_acc *acc)
{
	struct walk walk;
	int rc;

	if (orl_pull_is_worth(place, acc) && (orl_push_issue(place, acc, &rc) ||
					      orl_pull_issue(place, acc, &rc)))
		return rc;
	walk_begin(&walk, place, acc);
	return issue(place->target->link, &walk, acc);
}

int orl_owner_issue(const struct orl_place *place, const struct orl_acc *acc)
{
	int rc;

	if (acc->count == 1 && !acc->layout)
		return orl_owner_one(place, acc);
	orl_progress_lock();
	rc = issue_many(place, acc);
	orl_progress_unlock();
	return rc;
}

/* -- compare-and-swap ------------------------------------------------------ */

struct compare {
	const void *origin, *compare;
	void *result;
	enum orl_kind kind;
};

static int write_cas(struct orl_link *link, uint64_t off,
		     const struct compare *call)
{
	const size_t extent = orl_kinds[call->kind].extent;
	struct orl_record_cas *record;
	int rc = orl_path_bound_answers(link);

	if (orl_unlikely(rc))
		return rc;
	record =
		orl_path_record(link, ORL_AM_CAS, sizeof(*record) + 2 * extent);
	if (orl_unlikely(!record))
		return orl_path_lost(link);
	record->head.b = (uint8_t)call->kind;
	record->off = off;
	record->pad = 0;
	orl_copy(record->operands, call->compare, extent);
	orl_copy(record->operands + extent, call->origin, extent);
	return want_answer(link, call->kind, 1, call->result, &record->slot);
}

int orl_owner_cas(const struct orl_place *place, enum orl_kind kind,
		  const void *origin, const void *compare, void *result)
{
	const struct compare call = { origin, compare, result, kind };
	int rc;

	orl_progress_lock();
	rc = write_cas(place->target->link,
		       orl_path_off(place->target, place->addr), &call);
	orl_progress_unlock();
	return rc;
}
