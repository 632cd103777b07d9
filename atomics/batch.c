/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * batch.c - accumulates on memory that is not mapped here, with the gate shut:
 * loaded, combined and stored, a batch of blocks at a time.  Of a padded pair
 * only its fields are transferred.
 */
#include "batch.h"

#include <string.h>

/* -- its blocks ------------------------------------------------------------ */

/* Blocks that one element of a padded pair takes. */
static size_t pair_blocks(const struct orl_kind_info *info)
{
	return info->first == info->second ? 1 : 2;
}

static void add_block(struct orl_job *job, uint64_t addr, size_t len)
{
	job->blocks[job->nblocks].addr = addr;
	job->blocks[job->nblocks].len = len;
	job->nblocks++;
}

static void add_pair(struct orl_job *job, uint64_t addr)
{
	const struct orl_kind_info *info = job->info;

	if (info->first == info->second) {
		add_block(job, addr, info->size);
		return;
	}
	add_block(job, addr, info->first);
	add_block(job, addr + info->second, info->size - info->first);
}

static void add_elements(struct orl_job *job, uint64_t addr, size_t n)
{
	size_t i;

	job->count += n;
	if (!orl_kind_is_padded(job->info)) {
		add_block(job, addr, n * job->info->extent);
		return;
	}
	for (i = 0; i < n; i++)
		add_pair(job, addr + i * job->info->extent);
}

/* How many more elements the next block of the batch may have. */
static size_t count_space(const struct orl_job *job)
{
	size_t elements = ORL_JOB_CHUNK / job->info->extent - job->count;
	size_t blocks = ORL_JOB_BLOCKS - job->nblocks;

	if (!orl_kind_is_padded(job->info))
		return blocks ? elements : 0;
	blocks /= pair_blocks(job->info);
	return blocks < elements ? blocks : elements;
}

static bool fill(struct orl_job *job, struct orl_walk *walk)
{
	size_t max, n;
	uint64_t addr;

	job->nblocks = 0;
	job->count = 0;
	while ((max = count_space(job))) {
		n = orl_walk_next(walk, max, &addr);
		if (!n)
			break;
		add_elements(job, addr, n);
	}
	return job->count;
}

/* -- working on them ------------------------------------------------------- */

/* Between padded elements and their fields without padding. */
static void pack(const struct orl_job *job)
{
	const struct orl_kind_info *info = job->info;
	const size_t first = info->first, rest = info->size - first;
	const unsigned char *elem = job->elems;
	unsigned char *packed = job->other;
	size_t i;

	for (i = 0; i < job->count; i++) {
		memcpy(packed, elem, first);
		memcpy(packed + first, elem + info->second, rest);
		packed += info->size;
		elem += info->extent;
	}
}

static void unpack(struct orl_job *job)
{
	const struct orl_kind_info *info = job->info;
	const size_t first = info->first, rest = info->size - first;
	const unsigned char *packed = job->other;
	unsigned char *elem = job->elems;
	size_t i;

	for (i = 0; i < job->count; i++) {
		memcpy(elem, packed, first);
		memcpy(elem + info->second, packed + first, rest);
		packed += info->size;
		elem += info->extent;
	}
}

static int load(struct orl_job *job, void *buf)
{
	return job->place->path->load(job->place->target, job->blocks,
				      job->nblocks, buf);
}

static int store(struct orl_job *job, const void *buf)
{
	return job->place->path->store(job->place->target, job->blocks,
				       job->nblocks, buf);
}

/* The batch where nothing is combined: straight to result, from origin. */
static int move(struct orl_job *job)
{
	const struct orl_acc *acc = job->acc;
	size_t off = job->done * job->info->extent;
	int rc = 0;

	job->done += job->count;
	if (acc->result)
		rc = load(job, (unsigned char *)acc->result + off);
	if (!rc && acc->op == ORL_REPLACE)
		rc = store(job, (const unsigned char *)acc->origin + off);
	return rc;
}

static bool can_move(const struct orl_job *job)
{
	const struct orl_acc *acc = job->acc;

	if (orl_kind_is_padded(job->info))
		return false;
	return acc->op == ORL_NO_OP ||
	       (acc->op == ORL_REPLACE && acc->origin != acc->result);
}

static int combine(struct orl_job *job)
{
	const bool padded = orl_kind_is_padded(job->info);
	int rc = load(job, padded ? job->other : job->elems);

	if (rc)
		return rc;
	if (padded)
		unpack(job);
	orl_job_apply(job, job->elems, job->count);
	if (job->acc->op == ORL_NO_OP)
		return 0;
	if (padded)
		pack(job);
	return store(job, padded ? job->other : job->elems);
}

int orl_batch_issue(struct orl_job *job)
{
	int (*batch)(struct orl_job *) = can_move(job) ? move : combine;
	struct orl_walk walk;
	int rc = 0;

	orl_walk_begin(&walk, job);
	while (!rc && fill(job, &walk)) {
		rc = batch(job);
		orl_job_pass(job, job->count * job->info->extent +
					  job->nblocks * ORL_BLOCK_COST);
	}
	return rc;
}

int orl_batch_issue_one(struct orl_job *job)
{
	add_elements(job, job->place->addr, 1);
	return can_move(job) ? move(job) : combine(job);
}
