/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * examine.c - the part of oriel-doctor that is an MPI program: it runs under
 * orielrun on every rank, as any program would, and rank 0 tells what all of
 * them found.
 */
#include "doctor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *library_function(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* Rank 0 alone gets all. */
static void *gather(const void *mine, size_t bytes, int rank, int size)
{
	void *all = calloc(rank ? 1 : (size_t)size, bytes);

	if (!all)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0,
		   MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	struct findings found;
	struct trial trials[TRIALS];
	struct facts facts = { .host = "" };
	void *ways[TRIALS];
	int rank, size, bad = 0, i;

	facts_before(&facts);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	facts_find(&facts);
	found = (struct findings){ .ranks = size, .trials = trials };
	found.facts = gather(&facts, sizeof(facts), rank, size);
	for (i = 0; i < TRIALS; i++) {
		struct way *mine = calloc((size_t)size, sizeof(*mine));

		if (!mine)
			MPI_Abort(MPI_COMM_WORLD, 1);
		trial_run(i, &trials[i], mine);
		ways[i] =
			gather(mine, (size_t)size * sizeof(*mine), rank, size);
		found.ways[i] = ways[i];
		free(mine);
	}
	if (!rank)
		bad = report_print(&found);
	MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (i = 0; i < TRIALS; i++)
		free(ways[i]);
	free((void *)found.facts);
	MPI_Finalize();
	return bad != 0;
}
