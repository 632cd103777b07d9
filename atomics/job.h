/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job.h - an accumulate that is worked on with the gate shut, piece by piece:
 * its state, its walk over the target's blocks, and combining elements once
 * they are at hand.  Where they come from is locked.c's and batch.c's matter.
 */
#ifndef JOB_H
#define JOB_H

#include "kernel.h"

#define ORL_JOB_CHUNK  (64 * 1024) /* bytes of elements worked on at once */
#define ORL_JOB_SLICE  (8 * 1024)  /* of them, worked on twice in a row */
#define ORL_JOB_BLOCKS 256	   /* blocks in one load or store */
#define ORL_BLOCK_COST 64	   /* what a block costs, in bytes */

/* The target's blocks in order, contiguous or of a layout. */
struct orl_walk {
	struct orl_cursor cursor;
	bool has_layout;
	uint64_t addr;
	size_t left; /* without a layout: elements */
	size_t extent;
};

/* One call's work. */
struct orl_job {
	const struct orl_place *place;
	const struct orl_acc *acc;
	const struct orl_kind_info *info;
	const struct orl_kernel *kernel;
	size_t done; /* elements */
	size_t held; /* bytes since the gate was shut */
	/* What is worked on now, see struct room. */
	struct orl_block *blocks;
	unsigned char *elems, *other;
	size_t nblocks, count;
};

/* Is it a pair whose fields leave room between them, which is never written? */
static inline bool orl_kind_is_padded(const struct orl_kind_info *info)
{
	return info->size != info->extent;
}

void orl_job_begin(struct orl_job *job, const struct orl_place *place,
		   const struct orl_acc *acc);
/* The thread's memory to work in: 0 or -ENOMEM. */
int orl_job_take_room(struct orl_job *job);
/* Combines the next n elements, which lie at elems. */
void orl_job_apply(struct orl_job *job, unsigned char *elems, size_t n);
/* The same of the elements of a row, the first of which is at blocks: at most
 * ORL_JOB_CHUNK bytes; padded pairs only if nothing is fetched. */
void orl_job_apply_row(struct orl_job *job, unsigned char *blocks,
		       const struct orl_run *row);
/* A block of so many bytes is done: others who wait may be due. */
void orl_job_pass(struct orl_job *job, size_t bytes);

void orl_walk_begin(struct orl_walk *walk, const struct orl_job *job);
/* The next block of at most max elements: its length, 0 at the end. */
size_t orl_walk_next(struct orl_walk *walk, size_t max, uint64_t *addr);

#endif
