/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.h - attached memory of dynamic windows: the owner's tables
 * (dynamic.c), the origins' search in them (region.c), and which origins of
 * other nodes know of it (asker.c).
 */
#ifndef ORL_REGIONS_H
#define ORL_REGIONS_H

#include "win.h"

int orl_regions_make(struct orl_win *win);
void orl_regions_free(struct orl_win *win);
/* Bytes, of regions that are not empty.  Progress lock held. */
uint64_t orl_regions_held(const struct orl_win *win);
/* What is attached to one window to another that has nothing yet. */
int orl_regions_copy(struct orl_win *win, const struct orl_win *of);
/* How many of n sorted regions begin at or below addr. */
uint32_t orl_regions_below(const struct orl_region *table, uint32_t n,
			   uint64_t addr);
/*
 * Is [addr, addr + len) attached at the place's target?  Sets the path; 0,
 * or MPI_ERR_RMA_RANGE.
 */
int orl_regions_find(struct orl_win *win, struct orl_place *place,
		     uint64_t addr, uint64_t len);

/* For an origin on another node, which is told when the region goes: an error
 * class.  Progress lock held. */
int orl_regions_key(const struct orl_am_source *source, uint64_t off,
		    struct orl_key *key);

/* asker.c; the progress lock is held by who notes and frees.  False: there is
 * no memory. */
bool orl_asker_note(struct orl_win *win, uint32_t rank);
/*
 * Waits until nobody knows the region at addr any more: then memory may be
 * attached there again.  Communication: one message an origin that has ever
 * asked.
 */
void orl_askers_recall(struct orl_win *win, uint64_t addr);
void orl_askers_free(struct orl_win *win);
/* Bytes.  Progress lock held. */
uint64_t orl_askers_held(const struct orl_win *win);

#endif
