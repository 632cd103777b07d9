/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agreed.c - communicators in which a rank may choose how to do a collective,
 * since all others choose alike: MPI forbids a blocking one on some ranks to
 * meet a nonblocking one on others.
 *
 * The choice is made once, for all of MPI_COMM_WORLD, in the creation of a
 * window of all its ranks.  A collective that one rank calls before it, no
 * rank calls behind it, or the program would be wrong; but where threads make
 * calls side by side there is no such order, and no agreement.
 */
#include "orl_host.h"

#include "config.h"
#include "orl_util.h"

/* Open MPI's progress can be joined on every rank. */
#ifdef ORL_HOST_OPENMPI
#define NEEDS_NONE true
#else
#define NEEDS_NONE false
#endif

static bool is_everyone;
static int keyval = MPI_KEYVAL_INVALID;
static char yes, no; /* the attribute's values */

static bool covers_world(const struct orl_comm *comm)
{
	MPI_Group world;
	int how = MPI_UNEQUAL;

	if (comm->size != orl_host_world_size() ||
	    PMPI_Comm_group(MPI_COMM_WORLD, &world))
		return false;
	PMPI_Group_compare(world, comm->group, &how);
	PMPI_Group_free(&world);
	return how != MPI_UNEQUAL;
}

/* Asked each time where some rank has threads: they may create windows side
 * by side, so no rank can tell who has asked already. */
void orl_host_agree(const struct orl_comm *comm)
{
	int mine, all;

	if (NEEDS_NONE || is_everyone || !covers_world(comm))
		return;
	if (!orl_threaded && keyval == MPI_KEYVAL_INVALID)
		PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN,
					MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	mine = !orl_threaded && !orl_host_hooked &&
	       keyval != MPI_KEYVAL_INVALID;
	if (!PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm->handle))
		is_everyone = all;
}

/* Has it only ranks of MPI_COMM_WORLD, in one group? */
static bool is_within_world(MPI_Comm handle)
{
	MPI_Group world, group, others;
	int inter, rest;

	PMPI_Comm_test_inter(handle, &inter);
	if (inter)
		return false;
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Comm_group(handle, &group);
	PMPI_Group_difference(group, world, &others);
	PMPI_Group_size(others, &rest);
	PMPI_Group_free(&others);
	PMPI_Group_free(&group);
	PMPI_Group_free(&world);
	return !rest;
}

static ORL_COLD bool learn(MPI_Comm handle)
{
	bool is = is_within_world(handle);

	PMPI_Comm_set_attr(handle, keyval, is ? &yes : &no);
	return is;
}

int orl_host_is_agreed(MPI_Comm handle, bool *agreed)
{
	void *value;
	int found, rc;

	*agreed = is_everyone && handle == MPI_COMM_WORLD;
	if (!is_everyone || *agreed)
		return 0;
	rc = PMPI_Comm_get_attr(handle, keyval, &value, &found);
	if (!rc)
		*agreed = found ? value == &yes : learn(handle);
	return rc;
}
