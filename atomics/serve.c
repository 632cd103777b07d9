/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - accumulates that arrive as records: the owner's side.  Runs in
 * any thread that makes progress, with the progress lock held, and does what
 * an origin of this node would do.  Nothing that a record says is used before
 * it has been checked.
 */
#include "owner.h"

#include <stdalign.h>
#include <string.h>

#include "orl_am.h"

/*
 * Operands and results where kernels may expect their elements to be
 * aligned: more bytes than a message has.  Under the progress lock.
 */
#define ALIGNMENT 16
#define ROOM	  (64 * 1024)
static alignas(ALIGNMENT) unsigned char operand_room[ROOM];
static alignas(ALIGNMENT) unsigned char result_room[ROOM];

/* Of elements of that extent, which bounds what they may ask for. */
static const void *aligned_operand(const void *operand, size_t len,
				   size_t extent)
{
	size_t align = extent & -extent;

	if (align > ALIGNMENT)
		align = ALIGNMENT;
	if (orl_likely(!((uintptr_t)operand & (align - 1))))
		return operand;
	memcpy(operand_room, operand, len);
	return operand_room;
}

bool orl_owner_is_known(const struct orl_record *head)
{
	return head->a < ORL_OP_COUNT && head->b < ORL_KIND_COUNT &&
	       orl_op_fits((enum orl_op)head->a, (enum orl_kind)head->b);
}

static int send_result(const struct orl_am_source *source, uint32_t slot,
		       const void *result, size_t len)
{
	void *answer = orl_am_answer(source->peer, slot, len);

	if (orl_unlikely(!answer))
		return MPI_ERR_NO_MEM;
	orl_copy(answer, result, len);
	return 0;
}

size_t orl_owner_reach(enum orl_kind kind)
{
	const struct orl_kind_info *info = &orl_kinds[kind];

	if (info->size == info->extent)
		return info->extent;
	return (size_t)info->second + info->size - info->first;
}

int orl_owner_find(const struct orl_am_source *source,
		   const struct orl_record *head,
		   const struct orl_row_span *span, struct orl_place *place,
		   size_t *bytes)
{
	size_t extent;

	if (!orl_owner_is_known(head) || head->a == ORL_NO_OP || !span->count)
		return MPI_ERR_INTERN;
	extent = orl_kinds[head->b].extent;
	if (__builtin_mul_overflow(span->count, extent, bytes))
		return MPI_ERR_RMA_RANGE;
	return orl_path_find(source, span->off,
			     *bytes - extent +
				     orl_owner_reach((enum orl_kind)head->b),
			     place);
}

int orl_owner_apply(const struct orl_place *place,
		    const struct orl_record *head, const void *operands,
		    size_t count)
{
	const struct orl_acc acc = {
		.op = (enum orl_op)head->a,
		.kind = (enum orl_kind)head->b,
		.count = count,
		.origin = operands,
		.result = NULL,
		.layout = NULL,
		.items = count,
		.domain = NULL,
		.lasting = false,
		.alike = false,
	};

	return orl_acc_issue(place, &acc);
}

/* -- rows ------------------------------------------------------------------ */

/* The elements of all rows; false if they are more than a message's, or than
 * an answer has room for. */
static bool count_elements(const struct orl_record_acc *acc, size_t extent,
			   size_t *elements)
{
	const size_t most = (orl_am_most() - sizeof(*acc)) / extent;
	uint32_t i;

	*elements = 0;
	for (i = 0; i < acc->nrows; i++) {
		const struct orl_row *row = &acc->rows[i];
		uint64_t n = (uint64_t)row->blocks * row->blocklen;

		if (!n || n > most || *elements + n > most)
			return false;
		*elements += n;
	}
	return true;
}

/* First byte and length of what a row covers; false if it wraps around. */
static bool row_span(const struct orl_row *row, enum orl_kind kind,
		     uint64_t *first, uint64_t *len)
{
	uint64_t block =
		(uint64_t)(row->blocklen - 1) * orl_kinds[kind].extent +
		orl_owner_reach(kind);
	int64_t path;
	uint64_t last;

	if (__builtin_mul_overflow(row->stride, (int64_t)row->blocks - 1,
				   &path))
		return false;
	last = row->off + (uint64_t)path;
	if (path < 0 ? last > row->off : last < row->off)
		return false;
	*first = path < 0 ? last : row->off;
	*len = (path < 0 ? 0 - (uint64_t)path : (uint64_t)path) + block;
	return *len >= block && *first + *len >= *first;
}

static int apply_row(const struct orl_am_source *source,
		     const struct orl_row *row, const struct orl_acc *operands);

/* What lies between the blocks may belong to nobody: each block alone. */
static int apply_blocks(const struct orl_am_source *source,
			const struct orl_row *row, struct orl_acc acc)
{
	size_t bytes = row->blocklen * orl_kinds[acc.kind].extent;
	struct orl_row block = *row;
	uint32_t i;
	int rc = 0;

	block.blocks = 1;
	for (i = 0; i < row->blocks && !rc; i++) {
		rc = apply_row(source, &block, &acc);
		block.off += (uint64_t)row->stride;
		if (acc.origin)
			acc.origin = (const char *)acc.origin + bytes;
		if (acc.result)
			acc.result = (char *)acc.result + bytes;
	}
	return rc;
}

/* Of operands all but how many, which the row says. */
static int apply_row(const struct orl_am_source *source,
		     const struct orl_row *row, const struct orl_acc *operands)
{
	struct orl_acc acc = *operands;
	const struct orl_kind_info *info = &orl_kinds[acc.kind];
	struct orl_run run = {
		.stride = row->stride,
		.blocks = row->blocks,
		.blocklen = row->blocklen,
		.kind = acc.kind,
	};
	struct orl_type layout = orl_basics[acc.kind];
	uint64_t first, len;
	struct orl_place place;
	int rc;

	if (!row_span(row, acc.kind, &first, &len))
		return MPI_ERR_RMA_RANGE;
	rc = orl_path_find(source, first, len, &place);
	if (rc)
		return row->blocks > 1 ? apply_blocks(source, row, *operands)
				       : rc;
	place.addr += row->off - first;
	acc.count = (size_t)row->blocks * row->blocklen;
	layout.nruns = 1;
	layout.runs = &run;
	layout.elements = acc.count;
	layout.size = acc.count * info->size;
	acc.layout = row->blocks > 1 ? &layout : NULL;
	acc.items = row->blocks > 1 ? 1 : acc.count;
	return orl_acc_issue(&place, &acc);
}

static int apply_rows(const struct orl_am_source *source,
		      const struct orl_record_acc *record,
		      const unsigned char *operands)
{
	enum orl_kind kind = (enum orl_kind)record->head.b;
	size_t done = 0, extent = orl_kinds[kind].extent;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < record->nrows && !rc; i++) {
		const struct orl_row *row = &record->rows[i];
		struct orl_acc acc = {
			.op = (enum orl_op)record->head.a,
			.kind = kind,
			.count = 0,
			.origin = operands ? operands + done : NULL,
			.result = record->slot ? result_room + done : NULL,
			.layout = NULL,
			.items = 0,
			.domain = NULL,
			.lasting = false,
			.alike = false,
		};

		rc = apply_row(source, row, &acc);
		done += (size_t)row->blocks * row->blocklen * extent;
	}
	return rc;
}

/* Bytes of the operands, which end the record: false if that cannot be. */
static bool check_acc(const struct orl_record_acc *acc, size_t *len)
{
	size_t rows, elements, extent, operands;

	if (acc->head.bytes < sizeof(*acc) || !orl_owner_is_known(&acc->head))
		return false;
	if (acc->nrows >
	    (acc->head.bytes - sizeof(*acc)) / sizeof(struct orl_row))
		return false;
	extent = orl_kinds[acc->head.b].extent;
	if (!count_elements(acc, extent, &elements))
		return false;
	rows = acc->nrows * sizeof(struct orl_row);
	*len = elements * extent;
	operands = acc->head.a == ORL_NO_OP ? 0 : *len;
	return acc->head.bytes == sizeof(*acc) + rows + operands;
}

static int serve_acc(const struct orl_am_source *source,
		     const struct orl_record *head)
{
	const struct orl_record_acc *acc = (const struct orl_record_acc *)head;
	const void *operands = NULL;
	size_t len;
	int rc;

	if (!check_acc(acc, &len))
		return MPI_ERR_INTERN;
	if (head->a != ORL_NO_OP)
		operands = aligned_operand(&acc->rows[acc->nrows], len,
					   orl_kinds[head->b].extent);
	rc = apply_rows(source, acc, operands);
	if (rc || !acc->slot)
		return rc;
	return send_result(source, acc->slot, result_room, len);
}

/* -- one element ----------------------------------------------------------- */

static int serve_fop(const struct orl_am_source *source,
		     const struct orl_record *head)
{
	const struct orl_record_fop *fop = (const struct orl_record_fop *)head;
	struct orl_place place;
	struct orl_acc acc;
	size_t extent;
	int rc;

	if (head->bytes < sizeof(*fop) || !orl_owner_is_known(head))
		return MPI_ERR_INTERN;
	extent = orl_kinds[head->b].extent;
	if (head->bytes - sizeof(*fop) != (head->a == ORL_NO_OP ? 0 : extent))
		return MPI_ERR_INTERN;
	rc = orl_path_find(source, fop->off,
			   orl_owner_reach((enum orl_kind)head->b), &place);
	if (orl_unlikely(rc))
		return rc;
	acc = (struct orl_acc){
		.op = (enum orl_op)head->a,
		.kind = (enum orl_kind)head->b,
		.count = 1,
		.origin =
			head->a == ORL_NO_OP
				? NULL
				: aligned_operand(fop->operand, extent, extent),
		.result = fop->slot && !head->c ? result_room : NULL,
		.layout = NULL,
		.items = 1,
		.domain = NULL,
		.lasting = false,
		.alike = false,
	};
	rc = acc.op == ORL_NO_OP && !acc.result ? 0 : orl_acc_one(&place, &acc);
	if (rc || !fop->slot)
		return rc;
	return send_result(source, fop->slot, result_room,
			   acc.result ? extent : 0);
}

static int serve_cas(const struct orl_am_source *source,
		     const struct orl_record *head)
{
	const struct orl_record_cas *cas = (const struct orl_record_cas *)head;
	const unsigned char *operands;
	struct orl_acc acc;
	struct orl_place place;
	size_t extent;
	int rc;

	if (head->bytes < sizeof(*cas) || !cas->slot ||
	    head->b >= ORL_KIND_COUNT ||
	    !orl_op_fits(ORL_OP_CAS, (enum orl_kind)head->b))
		return MPI_ERR_INTERN;
	extent = orl_kinds[head->b].extent;
	if (head->bytes != sizeof(*cas) + 2 * extent)
		return MPI_ERR_INTERN;
	rc = orl_path_find(source, cas->off,
			   orl_owner_reach((enum orl_kind)head->b), &place);
	if (orl_unlikely(rc))
		return rc;
	operands = aligned_operand(cas->operands, 2 * extent, extent);
	acc = (struct orl_acc){ .kind = (enum orl_kind)head->b,
				.count = 1,
				.origin = operands + extent,
				.result = result_room };
	rc = orl_acc_cas(&place, &acc, operands);
	return rc ? rc : send_result(source, cas->slot, result_room, extent);
}

void orl_acc_serve(void)
{
	orl_am_handle(ORL_AM_ACC, serve_acc);
	orl_am_handle(ORL_AM_FOP, serve_fop);
	orl_am_handle(ORL_AM_CAS, serve_cas);
	orl_pull_serve();
	orl_push_serve();
}

void orl_acc_end(void)
{
	orl_push_end();
}
