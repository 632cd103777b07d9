/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * owner.h - accumulates on remote targets: the owner executes them, by
 * records.  The kernels, gates and rules there are those of its own node, so
 * all origins are atomic to each other.
 */
#ifndef OWNER_H
#define OWNER_H

#include "orl_acc.h"

/* These run at the origin, owner.c, and are named for who will execute what
 * they ask for, as nic.c's are.  Each writes a record, or several, and returns:
 * 0, -errno or an MPI error class.  The operands may be reused; results come
 * later. */
int orl_owner_issue(const struct orl_place *place, const struct orl_acc *acc);
int orl_owner_one(const struct orl_place *place, const struct orl_acc *acc);
int orl_owner_cas(const struct orl_place *place, enum orl_kind kind,
		  const void *origin, const void *compare, void *result);

/* -- many operands: pull.c, push.c; progress lock held --------------------- */

/* Are they worth either? */
bool orl_pull_is_worth(const struct orl_place *place,
		       const struct orl_acc *acc);
/* Each: false, it cannot be done so; else 0 or -errno in *rc. */
bool orl_push_issue(const struct orl_place *place, const struct orl_acc *acc,
		    int *rc);
bool orl_pull_issue(const struct orl_place *place, const struct orl_acc *acc,
		    int *rc);
void orl_pull_serve(void);
void orl_push_serve(void);

/* On the wire, behind every pull: where the origin may push. */
struct orl_offer {
	uint64_t base, key; /* or ORL_NO_KEY: nowhere */
	uint32_t loan;	    /* which, the owner's name for it */
	uint32_t pad;
};
/* The owner's part; all of it is set. */
void orl_push_offer(struct orl_am_peer *peer, struct orl_offer *offer);
/* The origin's. */
void orl_push_accept(struct orl_am_peer *peer, const struct orl_offer *offer);
void orl_push_end(void);

/* -- what the owner checks, serve.c ---------------------------------------- */

/* Are the record's op (a) and kind (b) known, and fit each other? */
bool orl_owner_is_known(const struct orl_record *head);
/* Bytes from an element's first to its last: padding at the end is nobody's,
 * and may lie outside the window. */
size_t orl_owner_reach(enum orl_kind kind);

/* Operands of a record, count elements in a row. */
struct orl_row_span {
	uint64_t off; /* of the first, see orl_path_off */
	uint64_t count;
};
/* Finds them: 0 or an MPI error class.  *bytes is of the operands. */
int orl_owner_find(const struct orl_am_source *source,
		   const struct orl_record *head,
		   const struct orl_row_span *span, struct orl_place *place,
		   size_t *bytes);
/* Applies elements, whose op and kind head says, to what lies at place. */
int orl_owner_apply(const struct orl_place *place,
		    const struct orl_record *head, const void *operands,
		    size_t count);

/* -- the records, checked by who receives them ----------------------------- */

/* ORL_AM_ACC: a is the op, b the kind; after the rows come the operands,
 * elements of the kind one after the other, none for NO_OP. */
struct orl_row {
	uint64_t off;	   /* of the first element, see orl_path_off */
	int64_t stride;	   /* from one block to the next */
	uint32_t blocks;   /* at least one */
	uint32_t blocklen; /* elements in each, at least one */
};
struct orl_record_acc {
	struct orl_record head;
	uint32_t slot; /* for the values before, 0: none */
	uint32_t nrows;
	struct orl_row rows[];
};

/* ORL_AM_FOP: one element; a is the op, b the kind; c: it is not fetched, the
 * answer tells the end alone.  Operand none for NO_OP. */
struct orl_record_fop {
	struct orl_record head;
	uint64_t off;
	uint32_t slot; /* 0: no answer */
	uint32_t pad;
	unsigned char operand[];
};

/* ORL_AM_PULL: a is the op, b the kind; contiguous elements, the operands are
 * to be read at addr, by key. */
struct orl_record_pull {
	struct orl_record head;
	uint64_t off;
	uint64_t count;
	uint64_t addr, key;
	uint32_t slot;
	uint32_t pad;
};

/* ORL_AM_PUSH: the same, but that the operands are at the byte at of the loan,
 * written before. */
struct orl_record_push {
	struct orl_record head;
	uint64_t off;
	uint64_t count;
	uint32_t loan;
	uint32_t at;
	uint32_t slot; /* 0: nobody waits for its end */
	uint32_t pad;
};

/* ORL_AM_CAS: b is the kind; the element to compare with, the one to put. */
struct orl_record_cas {
	struct orl_record head;
	uint64_t off;
	uint32_t slot;
	uint32_t pad;
	unsigned char operands[];
};

#endif
