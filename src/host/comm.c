/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c - the user's communicators and groups, and the exchange on them. */
#include "orl_host.h"

#include <stdlib.h>

#include "host.h"

int orl_host_comm_open(MPI_Comm handle, struct orl_comm *comm)
{
	int inter, rc;

	if (handle == MPI_COMM_NULL)
		return MPI_ERR_COMM;
	rc = PMPI_Comm_test_inter(handle, &inter);
	if (rc)
		return orl_host_error_class(rc);
	if (inter)
		return MPI_ERR_COMM;
	comm->handle = handle;
	PMPI_Comm_rank(handle, &comm->rank);
	PMPI_Comm_size(handle, &comm->size);
	if (comm->size > 1)
		orl_host_has_met = true;
	rc = PMPI_Comm_group(handle, &comm->group);
	return rc ? orl_host_error_class(rc) : 0;
}

void orl_host_comm_close(struct orl_comm *comm)
{
	PMPI_Group_free(&comm->group);
}

int orl_host_world_size(void)
{
	int size;

	if (!orl_host_has_world())
		return orl_session_world_size();
	return PMPI_Comm_size(MPI_COMM_WORLD, &size) ? 1 : size;
}

int orl_host_world_rank(void)
{
	int rank;

	if (!orl_host_has_world())
		return orl_session_world_rank();
	return PMPI_Comm_rank(MPI_COMM_WORLD, &rank) ? 0 : rank;
}

int orl_host_world_ranks(const struct orl_comm *comm, int *ranks)
{
	int *own, i, rc;
	MPI_Group world;

	if (!orl_host_has_world())
		return MPI_ERR_OTHER;
	own = calloc((size_t)comm->size, sizeof(*own));
	if (!own)
		return MPI_ERR_NO_MEM;
	for (i = 0; i < comm->size; i++)
		own[i] = i;
	rc = PMPI_Comm_group(MPI_COMM_WORLD, &world);
	if (!rc) {
		rc = PMPI_Group_translate_ranks(comm->group, comm->size, own,
						world, ranks);
		PMPI_Group_free(&world);
	}
	free(own);
	return rc ? orl_host_error_class(rc) : 0;
}

int orl_host_allgather(const struct orl_comm *comm, const void *mine, void *all,
		       size_t bytes)
{
	int rc = PMPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes,
				MPI_BYTE, comm->handle);

	return rc ? orl_host_error_class(rc) : 0;
}

int orl_host_comm_copy(const struct orl_comm *comm, MPI_Comm *copy)
{
	int rc = PMPI_Comm_create(comm->handle, comm->group, copy);

	return rc ? orl_host_error_class(rc) : 0;
}

void orl_host_comm_drop(MPI_Comm *copy)
{
	PMPI_Comm_free(copy);
}

int orl_host_tell(MPI_Comm comm, int root, void *value, size_t bytes)
{
	int rc = PMPI_Bcast(value, (int)bytes, MPI_BYTE, root, comm);

	return rc ? orl_host_error_class(rc) : 0;
}

/* -- to rank 0 ------------------------------------------------------------- */

static int send_to(MPI_Comm copy, int rank, const void *data, size_t bytes)
{
	int rc = orl_host.Send(data, (int)bytes, MPI_BYTE, rank, 0, copy);

	return rc ? orl_host_error_class(rc) : 0;
}

static int take_from(MPI_Comm copy, int rank, void *data, size_t most,
		     size_t *bytes)
{
	MPI_Status status;
	int n = 0, rc = orl_host.Recv(data, (int)most, MPI_BYTE, rank, 0, copy,
				      &status);

	rc = rc ? rc : PMPI_Get_count(&status, MPI_BYTE, &n);
	*bytes = (size_t)n;
	return rc ? orl_host_error_class(rc) : 0;
}

int orl_host_reduce(MPI_Comm copy, void *value, void *other, size_t bytes,
		    orl_host_merge_fn merge)
{
	int rank, size, step, one, rc = 0;
	size_t taken;

	PMPI_Comm_rank(copy, &rank);
	PMPI_Comm_size(copy, &size);
	for (step = 1; step < size; step *= 2) {
		/* Nothing, after an error: nobody waits in vain. */
		if (rank & step) {
			one = send_to(copy, rank - step, value, rc ? 0 : bytes);
			return rc ? rc : one;
		}
		if (rank + step >= size)
			continue;
		one = take_from(copy, rank + step, other, bytes, &taken);
		if (!one && taken != bytes)
			one = MPI_ERR_OTHER;
		rc = rc ? rc : one;
		if (!rc)
			merge(value, other, bytes);
	}
	return rc;
}

/* A text comes in pieces of this, of which the last is shorter. */
#define PIECE 16384

int orl_host_text_send(MPI_Comm copy, const char *text, size_t len)
{
	size_t n;
	int rc;

	do {
		n = len < PIECE ? len : PIECE;
		rc = send_to(copy, 0, text, n);
		text += n;
		len -= n;
	} while (!rc && n == PIECE);
	return rc;
}

int orl_host_text_take(MPI_Comm copy, int rank, FILE *out)
{
	char piece[PIECE];
	size_t n;
	int rc;

	do {
		rc = take_from(copy, rank, piece, PIECE, &n);
		if (!rc && out)
			fwrite(piece, 1, n, out);
	} while (!rc && n == PIECE);
	return rc;
}

/* -- groups ---------------------------------------------------------------- */

static int translate(const struct orl_comm *comm, MPI_Group group, int count,
		     int *theirs, int *ours)
{
	int i;

	for (i = 0; i < count; i++)
		theirs[i] = i;
	if (PMPI_Group_translate_ranks(group, count, theirs, comm->group, ours))
		return MPI_ERR_GROUP;
	for (i = 0; i < count; i++)
		if (ours[i] == MPI_UNDEFINED)
			return MPI_ERR_GROUP;
	return 0;
}

int orl_host_group_ranks(const struct orl_comm *comm, MPI_Group group,
			 int **ranks, int *count)
{
	int *theirs;
	int rc;

	if (group == MPI_GROUP_NULL || PMPI_Group_size(group, count))
		return MPI_ERR_GROUP;
	theirs = calloc((size_t)*count * 2 + 1, sizeof(*theirs));
	if (!theirs)
		return MPI_ERR_NO_MEM;
	rc = translate(comm, group, *count, theirs + *count, theirs);
	if (rc) {
		free(theirs);
		return rc;
	}
	*ranks = theirs;
	return 0;
}

int orl_host_group_copy(MPI_Group group, MPI_Group *copy)
{
	int rc = PMPI_Group_excl(group, 0, NULL, copy);

	return rc ? orl_host_error_class(rc) : 0;
}

static bool is_of_world(MPI_Group group)
{
	int size, i, found = MPI_UNDEFINED;
	MPI_Group world;

	PMPI_Group_size(group, &size);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	for (i = 0; i < size; i++) {
		PMPI_Group_translate_ranks(group, 1, &i, world, &found);
		if (found == MPI_UNDEFINED)
			break;
	}
	PMPI_Group_free(&world);
	return i == size;
}

/* What the host allows of them. */
static uint32_t most_tags(void)
{
	int *most, flag;

	if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag) ||
	    !flag)
		return INT16_MAX;
	return (uint32_t)*most;
}

int orl_host_comm_make(MPI_Group group, uint32_t number, MPI_Comm *comm)
{
	int rc;

	if (!is_of_world(group))
		return MPI_ERR_GROUP;
	rc = PMPI_Comm_create_group(MPI_COMM_WORLD, group,
				    (int)(number % most_tags()), comm);
	return rc ? orl_host_error_class(rc) : 0;
}
