/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extent.h - a range of addresses, divided into live and free extents.  The
 * bookkeeping is private memory: nothing here touches the range itself.  No
 * function may run beside another on the same space: the arena's lock is
 * the caller's.
 */
#ifndef ORL_EXTENT_H
#define ORL_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lengths and addresses are multiples of this. */
#define ORL_EXTENT_UNIT	   64
#define ORL_EXTENT_CLASSES 640

/*
 * One piece of the range.  Neighbours in address order are linked; two free
 * ones are never neighbours.
 */
struct orl_extent {
	uint64_t addr, len;
	uint64_t warm, warm_end; /* free: outside of it there are no pages */
	struct orl_extent *before, *after;
	struct orl_extent *prev, *next; /* free: its class; live: its bucket */
	bool live;
};

struct orl_space {
	struct orl_extent *first;
	struct orl_extent *unused; /* descriptions to be had */
	uint64_t warm;		   /* sum over the free extents */
	struct orl_extent **buckets;
	size_t mask; /* buckets - 1 */
	size_t live;
	struct orl_extent *heads[ORL_EXTENT_CLASSES];
	uint64_t map[ORL_EXTENT_CLASSES / 64]; /* which heads are not NULL */
};

/* space is zero.  0 or -ENOMEM. */
int orl_space_init(struct orl_space *space, uint64_t addr, uint64_t len);

/* A live extent of that length, aligned; NULL where none fits. */
struct orl_extent *orl_space_take(struct orl_space *space, uint64_t len,
				  uint64_t align);

/*
 * Makes the extent free, its pages warm, and joins it with its neighbours:
 * the extent that it is a part of now.
 */
struct orl_extent *orl_space_give(struct orl_space *space,
				  struct orl_extent *extent);

/* The live extent that begins at addr, or NULL. */
struct orl_extent *orl_space_find(const struct orl_space *space, uint64_t addr);

/* Forgets that a free extent has pages: the caller has dropped them. */
void orl_space_cool(struct orl_space *space, struct orl_extent *extent);

#endif
