/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * locked.c - accumulates with the gate shut: on mapped memory the kernels
 * work in place; other memory is loaded, combined and stored, a batch of
 * blocks at a time.  Padding in the target is never written: of a padded pair
 * only its fields are transferred.  The gate is shut also where elements are
 * never native: a range of many regions may reach native ones by such a path.
 */
#include "locked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "strided.h"

#define CHUNK	   (64 * 1024)	/* bytes of elements worked on at once */
#define SLICE	   (8 * 1024)	/* of them, worked on twice in a row */
#define HOLD	   (256 * 1024) /* bytes after which others get their turn */
#define BLOCK_COST 64		/* what a block costs beside its bytes */
#define BLOCKS	   256		/* blocks in one load or store */
#define MAX_EXTENT 32		/* of one element */

/* Where batches are worked on: one a thread, made at first use. */
struct room {
	struct orl_block blocks[BLOCKS];
	unsigned char elems[CHUNK];
	unsigned char other[CHUNK];
};

/* The target's blocks in order, contiguous or of a layout. */
struct walk {
	struct orl_cursor cursor;
	bool has_layout;
	uint64_t addr;
	size_t left; /* without a layout: elements */
	size_t extent;
};

/* One call's work. */
struct job {
	const struct orl_place *place;
	const struct orl_acc *acc;
	const struct orl_kind_info *info;
	orl_kernel_fn kernel;
	size_t done; /* elements */
	size_t held; /* bytes since the gate was shut */
	/* What is worked on now, see struct room. */
	struct orl_block *blocks;
	unsigned char *elems, *other;
	size_t nblocks, count;
};

/* -- the room -------------------------------------------------------------- */

static pthread_key_t room_key;
static pthread_once_t room_once = PTHREAD_ONCE_INIT;
static bool room_has_key;
static _Thread_local struct room *my_room;

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

static int job_take_room(struct job *job)
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

/* Work on bytes more is done: others who wait may be due. */
static void job_pass(struct job *job, size_t bytes)
{
	job->held += bytes + BLOCK_COST;
	if (job->held < HOLD)
		return;
	job->held = 0;
	if (orl_gate_is_claimed(job->place->target->gate)) {
		orl_gate_open(job->place->target->gate);
		orl_gate_shut(job->place->target->gate);
	}
}

/* -- elements -------------------------------------------------------------- */

static bool is_padded(const struct orl_kind_info *info)
{
	return info->size != info->extent;
}

/* Bytes from the first to the last that n elements have data in. */
static size_t span(const struct orl_kind_info *info, size_t n)
{
	if (!is_padded(info))
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

static void fetch(struct job *job, const void *elems, size_t off, size_t n)
{
	unsigned char *result = (unsigned char *)job->acc->result + off;

	if (is_padded(job->info))
		fetch_pairs(job->info, result, elems, n);
	else
		memcpy(result, elems, n * job->info->extent);
}

/* At off of the operand, which result is about to overwrite if it is it. */
static const void *operand(struct job *job, size_t off, size_t n)
{
	const unsigned char *origin = job->acc->origin;

	if (job->acc->op == ORL_NO_OP)
		return NULL;
	origin += off;
	if (job->acc->origin == job->acc->result)
		memcpy(job->other, origin, span(job->info, n));
	return job->acc->origin == job->acc->result ? job->other : origin;
}

/* Combines the next n elements, which lie at elems. */
static void apply(struct job *job, unsigned char *elems, size_t n)
{
	const size_t extent = job->info->extent;
	/* What is fetched is combined while it is in the nearest cache. */
	const size_t max = job->acc->result ? SLICE / extent : n;
	size_t len;

	for (; n; n -= len, elems += len * extent) {
		size_t off = job->done * extent;
		const void *origin;

		len = n < max ? n : max;
		origin = operand(job, off, len);
		if (job->acc->result)
			fetch(job, elems, off, len);
		job->kernel(elems, origin, len);
		job->done += len;
	}
}

static void walk_begin(struct walk *walk, const struct job *job)
{
	const struct orl_acc *acc = job->acc;

	walk->addr = job->place->addr;
	walk->left = acc->count;
	walk->extent = job->info->extent;
	walk->has_layout = acc->layout;
	if (acc->layout)
		orl_cursor_elements(&walk->cursor, acc->layout, acc->items);
}

/* The next block of at most max elements: its length, 0 at the end. */
static size_t walk_next(struct walk *walk, size_t max, uint64_t *addr)
{
	ptrdiff_t off;
	size_t n;

	if (walk->has_layout) {
		n = orl_cursor_next(&walk->cursor, max, &off);
		*addr = walk->addr + off;
		return n;
	}
	n = max < walk->left ? max : walk->left;
	*addr = walk->addr;
	walk->addr += n * walk->extent;
	walk->left -= n;
	return n;
}

/* -- mapped memory --------------------------------------------------------- */

/* Small blocks at regular distances, in an array of their elements. */
static bool apply_row(struct job *job, struct walk *walk)
{
	const size_t most = SLICE / job->info->extent;
	struct orl_run row;
	unsigned char *blocks;
	size_t len;

	if (!walk->has_layout || is_padded(job->info) ||
	    !orl_strided_next(&walk->cursor, most, &row))
		return false;
	len = row.blocklen * job->info->extent;
	blocks = orl_place_here(job->place, walk->addr + (uint64_t)row.off);
	orl_copy_steps(job->elems, (ptrdiff_t)len, blocks, row.stride, len,
		       row.blocks);
	apply(job, job->elems, row.blocks * row.blocklen);
	if (job->acc->op != ORL_NO_OP)
		orl_copy_steps(blocks, row.stride, job->elems, (ptrdiff_t)len,
			       len, row.blocks);
	job_pass(job, 4 * row.blocks * len);
	return true;
}

static int issue_mapped(struct job *job)
{
	const size_t max = CHUNK / job->info->extent;
	struct walk walk;
	uint64_t addr;
	size_t n;

	walk_begin(&walk, job);
	do {
		while (apply_row(job, &walk))
			;
		n = walk_next(&walk, max, &addr);
		apply(job, orl_place_here(job->place, addr), n);
		job_pass(job, n * job->info->extent);
	} while (n);
	return 0;
}

/* -- other memory ---------------------------------------------------------- */

/* Blocks that one element of a padded pair takes. */
static size_t pair_blocks(const struct orl_kind_info *info)
{
	return info->first == info->second ? 1 : 2;
}

static void add_block(struct job *job, uint64_t addr, size_t len)
{
	job->blocks[job->nblocks].addr = addr;
	job->blocks[job->nblocks].len = len;
	job->nblocks++;
}

static void add_pair(struct job *job, uint64_t addr)
{
	const struct orl_kind_info *info = job->info;

	if (info->first == info->second) {
		add_block(job, addr, info->size);
		return;
	}
	add_block(job, addr, info->first);
	add_block(job, addr + info->second, info->size - info->first);
}

static void add_elements(struct job *job, uint64_t addr, size_t n)
{
	size_t i;

	job->count += n;
	if (!is_padded(job->info)) {
		add_block(job, addr, n * job->info->extent);
		return;
	}
	for (i = 0; i < n; i++)
		add_pair(job, addr + i * job->info->extent);
}

/* How many more elements the next block of the batch may have. */
static size_t batch_space(const struct job *job)
{
	size_t elements = CHUNK / job->info->extent - job->count;
	size_t blocks = BLOCKS - job->nblocks;

	if (!is_padded(job->info))
		return blocks ? elements : 0;
	blocks /= pair_blocks(job->info);
	return blocks < elements ? blocks : elements;
}

static bool batch_fill(struct job *job, struct walk *walk)
{
	size_t max, n;
	uint64_t addr;

	job->nblocks = 0;
	job->count = 0;
	while ((max = batch_space(job))) {
		n = walk_next(walk, max, &addr);
		if (!n)
			break;
		add_elements(job, addr, n);
	}
	return job->count;
}

/* Between padded elements and their fields without padding. */
static void pack(const struct job *job)
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

static void unpack(struct job *job)
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

static int load(struct job *job, void *buf)
{
	return job->place->path->load(job->place->target, job->blocks,
				      job->nblocks, buf);
}

static int store(struct job *job, const void *buf)
{
	return job->place->path->store(job->place->target, job->blocks,
				       job->nblocks, buf);
}

/* The batch where nothing is combined: straight to result, from origin. */
static int batch_move(struct job *job)
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

static bool can_move(const struct job *job)
{
	const struct orl_acc *acc = job->acc;

	if (is_padded(job->info))
		return false;
	return acc->op == ORL_NO_OP ||
	       (acc->op == ORL_REPLACE && acc->origin != acc->result);
}

static int batch_combine(struct job *job)
{
	const bool padded = is_padded(job->info);
	int rc = load(job, padded ? job->other : job->elems);

	if (rc)
		return rc;
	if (padded)
		unpack(job);
	apply(job, job->elems, job->count);
	if (job->acc->op == ORL_NO_OP)
		return 0;
	if (padded)
		pack(job);
	return store(job, padded ? job->other : job->elems);
}

static int issue_batches(struct job *job)
{
	int (*batch)(struct job *) = can_move(job) ? batch_move : batch_combine;
	struct walk walk;
	int rc = 0;

	walk_begin(&walk, job);
	while (!rc && batch_fill(job, &walk)) {
		rc = batch(job);
		job_pass(job, job->count * job->info->extent +
				      job->nblocks * BLOCK_COST);
	}
	return rc;
}

/* -- entries --------------------------------------------------------------- */

static void job_begin(struct job *job, const struct orl_place *place,
		      const struct orl_acc *acc)
{
	job->place = place;
	job->acc = acc;
	job->info = &orl_kinds[acc->kind];
	job->kernel = orl_kernel(acc->op, acc->kind);
	job->done = 0;
	job->held = 0;
	job->nblocks = 0;
	job->count = 0;
}

/* Few enough elements in a row, in mapped memory, to need no machinery. */
static bool is_short_row(const struct orl_place *place,
			 const struct orl_acc *acc)
{
	const struct orl_kind_info *info = &orl_kinds[acc->kind];

	return place->path->mapped && !acc->layout && !is_padded(info) &&
	       acc->count <= SLICE / info->extent &&
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
	struct job job;
	int rc;

	if (is_short_row(place, acc)) {
		short_row(place, acc);
		return 0;
	}
	job_begin(&job, place, acc);
	rc = job_take_room(&job);
	if (rc)
		return rc;
	orl_gate_shut(place->target->gate);
	rc = place->path->mapped ? issue_mapped(&job) : issue_batches(&job);
	orl_gate_open(place->target->gate);
	return rc;
}

int orl_locked_one(const struct orl_place *place, const struct orl_acc *acc)
{
	unsigned char elem[MAX_EXTENT] __attribute__((aligned(MAX_EXTENT)));
	unsigned char other[MAX_EXTENT];
	struct orl_block blocks[2];
	struct job job;
	int rc = 0;

	job_begin(&job, place, acc);
	job.blocks = blocks;
	job.elems = elem;
	job.other = other;
	orl_gate_shut(place->target->gate);
	if (place->path->mapped) {
		apply(&job, orl_place_here(place, place->addr), 1);
	} else {
		add_elements(&job, place->addr, 1);
		rc = can_move(&job) ? batch_move(&job) : batch_combine(&job);
	}
	orl_gate_open(place->target->gate);
	return rc;
}
