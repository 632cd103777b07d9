/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PETSc's star forests, which communicate by one-sided calls with -sf_type
 * window, by each kind of synchronisation: broadcasts give leaves their roots'
 * values, reductions add leaves to their roots, and fetch-and-op counts.
 * (Debian's build knows no windows but those of MPI_Win_create.)
 */
#include <petscsf.h>

#define LEAVES 100

static PetscErrorCode graph(PetscSF sf, int rank, int size)
{
	PetscSFNode remote[LEAVES];
	PetscInt i;

	for (i = 0; i < LEAVES; i++) {
		remote[i].rank = (rank + 1 + i) % size;
		remote[i].index = i;
	}
	return PetscSFSetGraph(sf, LEAVES, LEAVES, NULL, PETSC_COPY_VALUES,
			       remote, PETSC_COPY_VALUES);
}

/* How many are wrong. */
static PetscErrorCode broadcast(PetscSF sf, int rank, int size, PetscInt *bad)
{
	PetscInt roots[LEAVES], leaves[LEAVES], i;

	for (i = 0; i < LEAVES; i++) {
		roots[i] = 1000 * rank + i;
		leaves[i] = -1;
	}
	PetscCall(PetscSFBcastBegin(sf, MPIU_INT, roots, leaves, MPI_REPLACE));
	PetscCall(PetscSFBcastEnd(sf, MPIU_INT, roots, leaves, MPI_REPLACE));
	for (i = 0; i < LEAVES; i++)
		*bad += leaves[i] != 1000 * ((rank + 1 + i) % size) + i;
	return 0;
}

/* Each root has one leaf of each of size ranks in turns: one in all. */
static PetscErrorCode reduce(PetscSF sf, int rank, int size, PetscInt *bad)
{
	PetscInt roots[LEAVES], leaves[LEAVES], i;

	for (i = 0; i < LEAVES; i++) {
		roots[i] = 5;
		leaves[i] = 100 + i;
	}
	PetscCall(PetscSFReduceBegin(sf, MPIU_INT, leaves, roots, MPI_SUM));
	PetscCall(PetscSFReduceEnd(sf, MPIU_INT, leaves, roots, MPI_SUM));
	for (i = 0; i < LEAVES; i++)
		*bad += roots[i] != 105 + i;
	return 0;
}

static PetscErrorCode fetch(PetscSF sf, int rank, int size, PetscInt *bad)
{
	PetscInt roots[LEAVES], leaves[LEAVES], old[LEAVES], i;

	for (i = 0; i < LEAVES; i++) {
		roots[i] = rank;
		leaves[i] = 1;
		old[i] = -1;
	}
	PetscCall(PetscSFFetchAndOpBegin(sf, MPIU_INT, roots, leaves, old,
					 MPI_SUM));
	PetscCall(PetscSFFetchAndOpEnd(sf, MPIU_INT, roots, leaves, old,
				       MPI_SUM));
	for (i = 0; i < LEAVES; i++)
		*bad += roots[i] != rank + 1 || old[i] != (rank + 1 + i) % size;
	return 0;
}

static PetscErrorCode try(PetscSFWindowSyncType sync, PetscInt *failures)
{
	static PetscErrorCode (*const moves[])(
		PetscSF, int, int, PetscInt *) = { broadcast, reduce, fetch };
	static const char *const names[] = { "broadcast", "reduce", "fetch" };
	PetscBool by_windows;
	PetscInt i, bad;
	int rank, size;
	PetscSF sf;

	MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
	MPI_Comm_size(PETSC_COMM_WORLD, &size);
	PetscCall(PetscSFCreate(PETSC_COMM_WORLD, &sf));
	PetscCall(PetscSFSetFromOptions(sf));
	PetscCall(PetscObjectTypeCompare((PetscObject)sf, PETSCSFWINDOW,
					 &by_windows));
	if (!by_windows) {
		printf("rank %d: -sf_type window is not heard\n", rank);
		++*failures;
	}
	PetscCall(PetscSFWindowSetSyncType(sf, sync));
	PetscCall(graph(sf, rank, size));
	for (i = 0; i < 3; i++) {
		/* PETSc fetches under locks alone. */
		if (i == 2 && sync != PETSCSF_WINDOW_SYNC_LOCK)
			continue;
		bad = 0;
		PetscCall(moves[i](sf, rank, size, &bad));
		if (bad)
			printf("rank %d: %s, %s: %d values are wrong\n", rank,
			       names[i], PetscSFWindowSyncTypes[sync],
			       (int)bad);
		*failures += bad;
	}
	return PetscSFDestroy(&sf);
}

int main(int argc, char **argv)
{
	static const PetscSFWindowSyncType syncs[] = {
		PETSCSF_WINDOW_SYNC_FENCE, PETSCSF_WINDOW_SYNC_LOCK,
		PETSCSF_WINDOW_SYNC_ACTIVE
	};
	PetscInt failures = 0, all;
	int i;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	for (i = 0; i < 3; i++)
		PetscCall(try(syncs[i], &failures));
	MPI_Allreduce(&failures, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
	PetscCall(PetscFinalize());
	return all ? 1 : 0;
}
