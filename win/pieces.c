/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.c - see pieces.h. */
#include "pieces.h"

#include <errno.h>
#include <stdlib.h>

/* Bytes of a piece: what stays in the cache and is no more than malloc keeps at
 * hand; what is worth a trip where each piece waits for what it fetches. */
#define PIECE	     ((size_t)64 << 10)
#define PIECE_A_TRIP ((size_t)4 << 20)

static size_t piece_elements(const struct orl_pieces_call *call)
{
	bool trips = call->place->path->remote && call->rtype;

	return (trips ? PIECE_A_TRIP : PIECE) /
	       orl_kinds[call->acc->kind].extent;
}

bool orl_pieces_fit(const struct orl_pieces_call *call)
{
	bool gathers = call->otype && !call->otype->packed;
	bool scatters = call->rtype && !call->rtype->packed;

	return (gathers || scatters) && call->acc->count > piece_elements(call);
}

/* An array for the elements of a piece, and the cursor over the buffer. */
static int take_side(struct orl_pieces *p, const struct orl_type *type,
		     size_t count, struct orl_cursor *cursor, void **array)
{
	*array = NULL;
	if (!type || type->packed)
		return 0;
	orl_cursor_bytes(cursor, type, count);
	*array = malloc(p->most * orl_kinds[p->acc.kind].extent);
	return *array ? 0 : -ENOMEM;
}

int orl_pieces_begin(struct orl_pieces *p, const struct orl_pieces_call *call)
{
	const struct orl_xacc *x = call->x;
	int rc;

	p->place = *call->place;
	p->addr = p->place.addr;
	p->acc = *call->acc;
	p->acc.items = 1;
	p->left = p->acc.count;
	p->most = piece_elements(call);
	p->layout = orl_basics[p->acc.kind];
	p->layout.runs = p->runs;
	p->domain = *p->acc.domain;
	p->counted = false;
	p->from = x->xfer.origin;
	p->to = call->rtype ? x->result : NULL;
	p->fetches = call->rtype;
	orl_cursor_elements(&p->target, call->ttype, (size_t)x->xfer.tcount);
	p->scattered = NULL;
	rc = take_side(p, call->otype, (size_t)x->xfer.ocount, &p->origin,
		       &p->gathered);
	return rc ? rc
		  : take_side(p, call->rtype, (size_t)x->rcount, &p->result,
			      &p->scattered);
}

/* -- the next piece -------------------------------------------------------- */

/* Runs of the target, of at most n elements: how many elements they are. */
static size_t take_runs(struct orl_pieces *p, size_t n)
{
	struct orl_run *run = p->runs, *end = run + ORL_PIECES_RUNS;
	size_t taken = 0;

	for (; run < end && taken < n; run++) {
		if (!orl_cursor_row(&p->target, n - taken, run)) {
			run->stride = 0;
			run->blocks = 1;
			run->blocklen = orl_cursor_next(&p->target, n - taken,
							&run->off);
			run->kind = p->acc.kind;
		}
		taken += run->blocks * run->blocklen;
	}
	p->layout.nruns = (size_t)(run - p->runs);
	p->layout.elements = taken;
	p->layout.size = taken * orl_kinds[p->acc.kind].size;
	return taken;
}

static void shape_target(struct orl_pieces *p)
{
	bool row = p->layout.nruns > 1 || p->runs[0].blocks > 1;

	p->acc.layout = row ? &p->layout : NULL;
	p->acc.items = row ? 1 : p->acc.count;
	p->place.addr = p->addr + (row ? 0 : (uint64_t)p->runs[0].off);
}

static void shape_origin(struct orl_pieces *p, size_t bytes)
{
	p->acc.origin = p->gathered ? p->gathered : p->from;
	p->acc.lasting = !p->gathered;
	if (p->gathered)
		orl_type_gather_next(&p->origin, p->from, p->acc.kind,
				     p->acc.count, p->gathered);
	else if (p->acc.op != ORL_NO_OP)
		p->from = (const char *)p->from + bytes;
}

static void shape_result(struct orl_pieces *p, size_t bytes)
{
	p->acc.result = p->scattered ? p->scattered : p->to;
	if (p->fetches && !p->scattered)
		p->to = (char *)p->to + bytes;
}

bool orl_pieces_next(struct orl_pieces *p)
{
	size_t n = p->left < p->most ? p->left : p->most, bytes;

	if (!n)
		return false;
	if (p->counted)
		p->acc.domain = &p->domain;
	p->counted = true;
	p->acc.count = take_runs(p, n);
	p->left -= p->acc.count;
	bytes = p->acc.count * orl_kinds[p->acc.kind].extent;
	shape_target(p);
	shape_origin(p, bytes);
	shape_result(p, bytes);
	return true;
}

void orl_pieces_scatter(struct orl_pieces *p)
{
	orl_type_scatter_next(&p->result, p->to, p->acc.kind, p->acc.count,
			      p->scattered);
}

void orl_pieces_end(struct orl_pieces *p)
{
	free(p->scattered);
	free(p->gathered);
}
