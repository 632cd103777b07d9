/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - puts and gets that arrive as records: the owner's side.  Runs in
 * any thread that makes progress, with the progress lock held.
 */
#include "remote.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>

#include "copy.h"

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

void orl_path_serve(orl_path_find_fn find)
{
	find_place = find;
	orl_am_handle(ORL_AM_PUT, serve_put);
	orl_am_handle(ORL_AM_GET, serve_get);
}
