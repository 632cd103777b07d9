/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vector.c - rows of equal blocks to and from remote targets.  Small blocks
 * travel packed, many in one record, which says where they belong; large ones
 * go one by one.
 */
#include "remote.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* Room in a message that is worth a record of its own: where there is less,
 * the blocks all go into the next one, and of most messages, of 16 KiB, an
 * eighth stays empty at worst. */
#define WORTH 2048

/* A record's blocks: as many as fit into this message, or into the next. */
static size_t count_fitting(const struct orl_link *link, size_t head,
			    const struct orl_vector *v)
{
	size_t room = orl_am_room(link);
	size_t all = head + v->n * v->len, n;

	if (room < all && room < head + v->len + WORTH)
		room = orl_am_most() - ORL_RECORD_ROOM + head;
	n = (room - head) / v->len;
	assert(n);
	return n < v->n ? n : v->n;
}

/* The rest, behind the first n blocks. */
static void skip(struct orl_vector *v, size_t n)
{
	v->addr += n * (uint64_t)v->stride;
	v->buf = (char *)((uintptr_t)v->buf + n * (uintptr_t)v->buf_stride);
	v->n -= n;
}

static int put_record(struct orl_link *link, uint64_t off,
		      const struct orl_vector *v, size_t n)
{
	struct orl_record_put_vector *record = orl_path_record(
		link, ORL_AM_PUT_VECTOR, sizeof(*record) + n * v->len);

	if (orl_unlikely(!record))
		return orl_path_lost(link);
	record->off = off;
	record->stride = v->stride;
	record->len = (uint32_t)v->len;
	record->n = (uint32_t)n;
	orl_copy_steps(record->data, (ptrdiff_t)v->len, v->buf, v->buf_stride,
		       v->len, n);
	return 0;
}

int orl_put_vector(struct orl_target *target, const struct orl_vector *vector)
{
	struct orl_link *link = target->link;
	struct orl_vector v = *vector;
	size_t n;
	int rc = 0;

	orl_progress_lock();
	for (; v.n && !rc; skip(&v, n)) {
		n = count_fitting(link, sizeof(struct orl_record_put_vector),
				  &v);
		rc = put_record(link, orl_path_off(target, v.addr), &v, n);
	}
	orl_progress_unlock();
	return rc;
}

/* Where the blocks of an answer belong. */
struct scatter {
	char *buf;
	ptrdiff_t stride;
	size_t len, n;
};

static void scatter_answer(struct orl_link *link, void *dst, const void *data,
			   size_t len)
{
	struct scatter *scatter = dst;

	if (data)
		orl_copy_steps(scatter->buf, scatter->stride, data,
			       (ptrdiff_t)scatter->len, scatter->len,
			       scatter->n);
	free(scatter);
}

/* The slot for an answer of n blocks; 0 if there is no memory. */
static uint32_t take_slot(struct orl_link *link, const struct orl_vector *v,
			  size_t n)
{
	struct scatter *scatter;
	uint32_t slot;

	if (v->buf_stride == (ptrdiff_t)v->len)
		return orl_am_slot(link, orl_am_copy_answer, v->buf,
				   n * v->len);
	scatter = malloc(sizeof(*scatter));
	if (!scatter)
		return 0;
	*scatter = (struct scatter){
		.buf = v->buf,
		.stride = v->buf_stride,
		.len = v->len,
		.n = n,
	};
	slot = orl_am_slot(link, scatter_answer, scatter, n * v->len);
	if (!slot)
		free(scatter);
	return slot;
}

static int get_record(struct orl_link *link, uint64_t off,
		      const struct orl_vector *v, size_t n)
{
	struct orl_record_get_vector *record =
		orl_path_record(link, ORL_AM_GET_VECTOR, sizeof(*record));

	if (orl_unlikely(!record))
		return orl_path_lost(link);
	record->off = off;
	record->stride = v->stride;
	record->len = (uint32_t)v->len;
	record->n = (uint32_t)n;
	record->pad = 0;
	record->slot = take_slot(link, v, n);
	return orl_likely(record->slot != 0) ? 0 : -ENOMEM;
}

int orl_get_vector(struct orl_target *target, const struct orl_vector *vector)
{
	struct orl_link *link = target->link;
	struct orl_vector v = *vector;
	const size_t most = (orl_am_most() - ORL_RECORD_ROOM) / v.len;
	size_t n = 0;
	int rc = 0;

	assert(most);
	orl_progress_lock();
	for (; v.n && !rc; skip(&v, n)) {
		n = v.n < most ? v.n : most;
		rc = orl_path_bound_answers(link);
		rc = rc ? rc
			: get_record(link, orl_path_off(target, v.addr), &v, n);
	}
	orl_progress_unlock();
	return rc;
}
