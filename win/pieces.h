/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pieces.h - an accumulate of many elements whose origin or result is no array,
 * piece by piece: each goes through arrays of bounded size, so that a call
 * needs no memory as large as its data.  Allowed as accumulates are atomic by
 * element; the order of elements is kept.
 */
#ifndef ORL_PIECES_H
#define ORL_PIECES_H

#include "orl_acc.h"
#include "orl_win.h"

#define ORL_PIECES_RUNS 64

struct orl_pieces_call {
	const struct orl_xacc *x;
	const struct orl_type *ttype;
	const struct orl_type *otype, *rtype; /* NULL: there is no such side */
	const struct orl_place *place;
	const struct orl_acc *acc; /* op, kind, count, domain */
};

struct orl_pieces {
	/* The next piece, to be issued: its target is no layout or this. */
	struct orl_place place;
	struct orl_acc acc;
	struct orl_type layout;
	struct orl_run runs[ORL_PIECES_RUNS];

	/* What is left of the call. */
	size_t left, most; /* elements; of a piece */
	uint64_t addr;
	struct orl_cursor target;
	struct orl_cursor origin, result; /* bytes, of what is no array */
	const void *from; /* the user's; of an array what is left */
	void *to;
	bool fetches;
	void *gathered, *scattered; /* a piece's arrays, or NULL */
	/* The call counts once; what follows counts here. */
	bool counted;
	struct orl_acc_domain domain;
};

/* Are there so many elements that pieces are worth it? */
bool orl_pieces_fit(const struct orl_pieces_call *call);

/* 0 or -ENOMEM. */
int orl_pieces_begin(struct orl_pieces *p, const struct orl_pieces_call *call);
/* Makes place and acc the next piece's; false: there is none. */
bool orl_pieces_next(struct orl_pieces *p);
/* The piece has been fetched into scattered: on to the user's buffer. */
void orl_pieces_scatter(struct orl_pieces *p);
void orl_pieces_end(struct orl_pieces *p);

#endif
