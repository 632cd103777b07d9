/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * locked.c - accumulates with the gate shut: on mapped memory the kernels
 * work in place, small blocks at regular distances together; other memory
 * is batch.c's.  Padding in the target is never written.  The gate is shut
 * also where elements are never native: a range of many regions may reach
 * native ones by such a path.
 */
#include "locked.h"

#include "batch.h"
#include "gate.h"
#include "strided.h"

#include <string.h>

#define MAX_EXTENT 32 /* of one element */

/* -- mapped memory --------------------------------------------------------- */

/* Small blocks at regular distances. */
static bool apply_row(struct orl_job *job, struct orl_walk *walk)
{
	/* What is fetched is combined while it is in the nearest cache. */
	const size_t bytes = (job->acc->result ? 1 : 2) * ORL_JOB_SLICE;
	const size_t fit = bytes / job->info->extent;
	const size_t most = fit < walk->left ? fit : walk->left;
	const bool padded = orl_kind_is_padded(job->info);
	struct orl_run row;

	/* Padding of the result is the user's as well. */
	if (!walk->has_layout || !most || (padded && job->acc->result) ||
	    !orl_strided_next(&walk->cursor, most, &row))
		return false;
	orl_job_apply_row(
		job, orl_place_here(job->place, walk->addr + (uint64_t)row.off),
		&row);
	walk->left -= row.blocks * row.blocklen;
	orl_job_pass(job, 4 * row.blocks * row.blocklen * job->info->extent);
	return true;
}

static int issue_mapped(struct orl_job *job)
{
	const size_t max = ORL_JOB_CHUNK / job->info->extent;
	struct orl_walk walk;
	uint64_t addr;
	size_t n;

	orl_walk_begin(&walk, job);
	do {
		while (apply_row(job, &walk))
			;
		n = orl_walk_next(&walk, max, &addr);
		orl_job_apply(job, orl_place_here(job->place, addr), n);
		orl_job_pass(job, n * job->info->extent);
	} while (n);
	return 0;
}

/* -- entries --------------------------------------------------------------- */

/* Few enough elements in a row, in mapped memory, to need no machinery. */
static bool is_short_row(const struct orl_place *place,
			 const struct orl_acc *acc)
{
	const struct orl_kind_info *info = &orl_kinds[acc->kind];

	return place->path->mapped && !acc->layout &&
	       !orl_kind_is_padded(info) &&
	       acc->count <= ORL_JOB_SLICE / info->extent &&
	       (!acc->result || acc->result != acc->origin);
}

static void short_row(const struct orl_place *place, const struct orl_acc *acc)
{
	orl_kernel_fn kernel = orl_kernel(acc->op, acc->kind);
	void *target = orl_place_here(place, place->addr);

	orl_gate_shut(place->target->gate);
	if (acc->result)
		memcpy(acc->result, target,
		       acc->count * orl_kinds[acc->kind].extent);
	kernel(target, acc->origin, acc->count);
	orl_gate_open(place->target->gate);
}

int orl_locked_issue(const struct orl_place *place, const struct orl_acc *acc)
{
	struct orl_job job;
	int rc;

	if (is_short_row(place, acc)) {
		short_row(place, acc);
		return 0;
	}
	orl_job_begin(&job, place, acc);
	rc = orl_job_take_room(&job);
	if (rc)
		return rc;
	orl_gate_shut(place->target->gate);
	rc = place->path->mapped ? issue_mapped(&job) : orl_batch_issue(&job);
	orl_gate_open(place->target->gate);
	return rc;
}

int orl_locked_one(const struct orl_place *place, const struct orl_acc *acc)
{
	unsigned char elem[MAX_EXTENT] __attribute__((aligned(MAX_EXTENT)));
	unsigned char other[MAX_EXTENT];
	struct orl_block blocks[2];
	struct orl_job job;
	int rc = 0;

	orl_job_begin(&job, place, acc);
	job.blocks = blocks;
	job.elems = elem;
	job.other = other;
	orl_gate_shut(place->target->gate);
	if (place->path->mapped)
		orl_job_apply(&job, orl_place_here(place, place->addr), 1);
	else
		rc = orl_batch_issue_one(&job);
	orl_gate_open(place->target->gate);
	return rc;
}
