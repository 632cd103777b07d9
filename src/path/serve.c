/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - puts and gets that arrive as records: the owner's side.  Runs in
 * any thread that makes progress, with the progress lock held.
 */
#include "remote.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>

#include "orl_type.h"

static orl_path_find_fn find_place;

int orl_path_find(const struct orl_am_source *source, uint64_t off,
		  uint64_t len, struct orl_place *place)
{
	return find_place(source, off, len, place);
}

static void *here(const struct orl_place *place)
{
	return (void *)(uintptr_t)(place->addr +
				   (uint64_t)place->target->delta);
}

static int serve_put(const struct orl_am_source *source,
		     const struct orl_record *head)
{
	const struct orl_record_put *put = (const struct orl_record_put *)head;
	struct orl_place place;
	size_t len;
	int rc;

	if (head->bytes < sizeof(*put))
		return MPI_ERR_INTERN;
	len = head->bytes - sizeof(*put);
	rc = find_place(source, put->off, len, &place);
	if (orl_unlikely(rc))
		return rc;
	orl_copy(here(&place), put->data, len);
	return 0;
}

static int serve_get(const struct orl_am_source *source,
		     const struct orl_record *head)
{
	const struct orl_record_get *get = (const struct orl_record_get *)head;
	struct orl_place place;
	void *answer;
	int rc;

	if (head->bytes < sizeof(*get) ||
	    get->len > orl_am_most() - ORL_RECORD_ROOM)
		return MPI_ERR_INTERN;
	rc = find_place(source, get->off, get->len, &place);
	if (orl_unlikely(rc))
		return rc;
	answer = orl_am_answer(source->peer, get->slot, get->len);
	if (orl_unlikely(!answer))
		return MPI_ERR_NO_MEM;
	orl_copy(answer, here(&place), get->len);
	return 0;
}

/* -- many blocks in one record --------------------------------------------- */

struct blocks {
	uint64_t off;
	int64_t stride;
	uint32_t len, n;
};

/*
 * Where all that lies between the first and the last block is in the window,
 * one look finds it, and *first is where the first block is here.
 */
static bool find_span(const struct orl_am_source *source,
		      const struct blocks *b, char **first)
{
	int64_t far = 0;
	uint64_t low, span;
	struct orl_place place;

	if (__builtin_mul_overflow((int64_t)b->n - 1, b->stride, &far))
		return false;
	low = far < 0 ? b->off + (uint64_t)far : b->off;
	span = far < 0 ? -(uint64_t)far : (uint64_t)far;
	if ((far < 0 && low > b->off) ||
	    __builtin_add_overflow(span, b->len, &span) ||
	    find_place(source, low, span, &place))
		return false;
	*first = (char *)here(&place) + (b->off - low);
	return true;
}

/* Is each block in the window?  What lies between may belong to nobody. */
static int check_each(const struct orl_am_source *source,
		      const struct blocks *b)
{
	struct orl_place place;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < b->n && !rc; i++)
		rc = find_place(source, b->off + i * (uint64_t)b->stride,
				b->len, &place);
	return rc;
}

/* Each block alone. */
static int move_each(const struct orl_am_source *source, const struct blocks *b,
		     unsigned char *data, bool is_put)
{
	struct orl_place place;
	uint32_t i;
	int rc;

	for (i = 0; i < b->n; i++, data += b->len) {
		rc = find_place(source, b->off + i * (uint64_t)b->stride,
				b->len, &place);
		if (rc)
			return rc;
		if (is_put)
			orl_copy(here(&place), data, b->len);
		else
			orl_copy(data, here(&place), b->len);
	}
	return 0;
}

static int serve_put_vector(const struct orl_am_source *source,
			    const struct orl_record *head)
{
	const struct orl_record_put_vector *put =
		(const struct orl_record_put_vector *)head;
	struct blocks b;
	char *first;

	/* Blocks of nothing would cost time, as many as there may be. */
	if (head->bytes < sizeof(*put) || !put->n || !put->len ||
	    (uint64_t)put->len * put->n != head->bytes - sizeof(*put))
		return MPI_ERR_INTERN;
	b = (struct blocks){ put->off, put->stride, put->len, put->n };
	if (!find_span(source, &b, &first))
		return move_each(source, &b, (unsigned char *)put->data, true);
	orl_copy_steps(first, b.stride, put->data, b.len, b.len, b.n);
	return 0;
}

static int serve_get_vector(const struct orl_am_source *source,
			    const struct orl_record *head)
{
	const struct orl_record_get_vector *get =
		(const struct orl_record_get_vector *)head;
	struct blocks b;
	void *answer;
	char *first;
	bool whole;
	int rc;

	if (head->bytes < sizeof(*get) || !get->n || !get->len ||
	    (uint64_t)get->len * get->n > orl_am_most() - ORL_RECORD_ROOM)
		return MPI_ERR_INTERN;
	b = (struct blocks){ get->off, get->stride, get->len, get->n };
	whole = find_span(source, &b, &first);
	/* First, since an answer cannot be taken back. */
	rc = whole ? 0 : check_each(source, &b);
	if (orl_unlikely(rc))
		return rc;
	answer = orl_am_answer(source->peer, get->slot, (size_t)b.len * b.n);
	if (orl_unlikely(!answer))
		return MPI_ERR_NO_MEM;
	if (!whole)
		return move_each(source, &b, answer, false);
	orl_copy_steps(answer, b.len, first, b.stride, b.len, b.n);
	return 0;
}

void orl_path_serve(orl_path_find_fn find)
{
	find_place = find;
	orl_am_handle(ORL_AM_PUT_VECTOR, serve_put_vector);
	orl_am_handle(ORL_AM_GET_VECTOR, serve_get_vector);
	orl_am_handle(ORL_AM_PUT, serve_put);
	orl_am_handle(ORL_AM_GET, serve_get);
}
