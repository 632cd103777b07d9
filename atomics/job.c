/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - see job.h. */
#include "job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "locked.h"
#include "strided.h"

/* Bytes after which others get their turn. */
#define HOLD (256 * 1024)

/* Where batches are worked on: one a thread, made at first use. */
struct room {
	struct orl_block blocks[ORL_JOB_BLOCKS];
	unsigned char elems[ORL_JOB_CHUNK];
	unsigned char other[ORL_JOB_CHUNK];
};

void orl_job_begin(struct orl_job *job, const struct orl_place *place,
		   const struct orl_acc *acc)
{
	job->place = place;
	job->acc = acc;
	job->info = &orl_kinds[acc->kind];
	job->kernel = orl_kernel_forms(acc->op, acc->kind);
	job->done = 0;
	job->held = 0;
	job->nblocks = 0;
	job->count = 0;
}

/* -- the room -------------------------------------------------------------- */

static pthread_key_t room_key;
static pthread_once_t room_once = PTHREAD_ONCE_INIT;
static bool room_has_key;
static ORL_THREAD_LOCAL struct room *my_room;

static void make_key(void)
{
	room_has_key = !pthread_key_create(&room_key, free);
}

static ORL_COLD struct room *make_room(void)
{
	struct room *room = aligned_alloc(
		ORL_CACHELINE, ORL_ALIGN_UP(sizeof(*room), ORL_CACHELINE));

	/* The key frees it with the thread; without one it stays. */
	pthread_once(&room_once, make_key);
	if (room && room_has_key)
		pthread_setspecific(room_key, room);
	my_room = room;
	return room;
}

int orl_job_take_room(struct orl_job *job)
{
	struct room *room = my_room ? my_room : make_room();

	if (!room)
		return -ENOMEM;
	job->blocks = room->blocks;
	job->elems = room->elems;
	job->other = room->other;
	return 0;
}

/* -- the gate -------------------------------------------------------------- */

void orl_job_pass(struct orl_job *job, size_t bytes)
{
	job->held += bytes + ORL_BLOCK_COST;
	if (job->held < HOLD)
		return;
	job->held = 0;
	if (orl_gate_is_claimed(job->place->target->gate)) {
		orl_gate_open(job->place->target->gate);
		orl_gate_shut(job->place->target->gate);
	}
}

/* -- elements -------------------------------------------------------------- */

/* Bytes from the first to the last that n elements have data in. */
static size_t span(const struct orl_kind_info *info, size_t n)
{
	if (!orl_kind_is_padded(info))
		return n * info->extent;
	return (n - 1) * info->extent + info->second + info->size - info->first;
}

/* Not the padding: the result's is the user's as well. */
static void fetch_pairs(const struct orl_kind_info *info, unsigned char *to,
			const unsigned char *from, size_t n)
{
	const size_t rest = info->size - info->first;

	for (; n; n--, to += info->extent, from += info->extent) {
		memcpy(to, from, info->first);
		memcpy(to + info->second, from + info->second, rest);
	}
}

static void fetch(struct orl_job *job, const void *elems, size_t off, size_t n)
{
	unsigned char *result = (unsigned char *)job->acc->result + off;

	if (orl_kind_is_padded(job->info))
		fetch_pairs(job->info, result, elems, n);
	else
		memcpy(result, elems, n * job->info->extent);
}

/* As far from the origin as they are from the place: not on pointers, it may
 * be MPI_BOTTOM. */
static const void *like_place(const struct orl_job *job, const void *elems)
{
	const void *place = orl_place_here(job->place, job->place->addr);

	return (void *)((uintptr_t)job->acc->origin + (uintptr_t)elems -
			(uintptr_t)place);
}

/* Of the next n elements, which lie at elems.  The result is about to
 * overwrite it if it is the same. */
static const void *operand(struct orl_job *job, const void *elems, size_t n)
{
	const unsigned char *origin = job->acc->origin;

	if (job->acc->op == ORL_NO_OP)
		return NULL;
	if (job->acc->alike)
		return like_place(job, elems);
	origin += job->done * job->info->extent;
	if (job->acc->origin == job->acc->result)
		memcpy(job->other, origin, span(job->info, n));
	return job->acc->origin == job->acc->result ? job->other : origin;
}

void orl_job_apply(struct orl_job *job, unsigned char *elems, size_t n)
{
	const size_t extent = job->info->extent;
	/* What is fetched is combined while it is in the nearest cache. */
	const size_t max = job->acc->result ? ORL_JOB_SLICE / extent : n;
	size_t len;

	for (; n; n -= len, elems += len * extent) {
		size_t off = job->done * extent;
		const void *origin;

		len = n < max ? n : max;
		origin = operand(job, elems, len);
		if (job->acc->result)
			fetch(job, elems, off, len);
		job->kernel->array(elems, origin, len);
		job->done += len;
	}
}

void orl_job_apply_row(struct orl_job *job, unsigned char *blocks,
		       const struct orl_run *row)
{
	const struct orl_acc *acc = job->acc;
	const size_t extent = job->info->extent, off = job->done * extent;
	const size_t n = row->blocks * row->blocklen;
	const size_t len = row->blocklen * extent;
	const void *origin = operand(job, blocks, n);

	if (acc->result)
		orl_copy_steps((unsigned char *)acc->result + off,
			       (ptrdiff_t)len, blocks, row->stride, len,
			       row->blocks);
	if (acc->op != ORL_NO_OP)
		orl_strided_combine(job, blocks, row, origin,
				    acc->alike ? row->stride : (ptrdiff_t)len);
	job->done += n;
}

/* -- the walk -------------------------------------------------------------- */

void orl_walk_begin(struct orl_walk *walk, const struct orl_job *job)
{
	const struct orl_acc *acc = job->acc;

	walk->addr = job->place->addr;
	walk->left = acc->count;
	walk->extent = job->info->extent;
	walk->has_layout = acc->layout;
	if (acc->layout)
		orl_cursor_elements(&walk->cursor, acc->layout, acc->items);
}

size_t orl_walk_next(struct orl_walk *walk, size_t max, uint64_t *addr)
{
	ptrdiff_t off;
	size_t n;

	n = max < walk->left ? max : walk->left;
	*addr = walk->addr;
	if (!walk->has_layout) {
		walk->addr += n * walk->extent;
	} else if (n) {
		n = orl_cursor_next(&walk->cursor, n, &off);
		*addr += (uint64_t)off;
	}
	walk->left -= n;
	return n;
}
