/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor.h - what oriel-examine's files share: each rank finds its facts and
 * tries windows with all others, and rank 0 judges.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "oriel.h"

#define TEXT	 256
#define NETWORKS 6

/* What one rank sees of its machine.  Rank 0 gathers them as bytes. */
struct facts {
	char host[64];
	char version[64]; /* Oriel's; "": not loaded */
	char mpi[64];
	char options[TEXT]; /* ORIEL_... that are set */
	char strange[TEXT]; /* and those that are no options */
	cpu_set_t cores[8]; /* this rank may run on: of Linux's 8192 */
	int ptrace_scope;   /* kernel.yama's; -1: there is none */
	int cma;	    /* errno of a look into another process, or 0 */
	uint64_t memlock, files, files_most; /* UINT64_MAX: no limit */
	uint64_t shm_total, shm_free;	     /* of /dev/shm */
	uint64_t room; /* that the node's windows may take together */
	char fabric[TEXT];
	int nnetworks; /* -1: libfabric is missing or of no use */
	struct oriel_network networks[NETWORKS];
};

/* Before MPI_Init, since it forks. */
void facts_before(struct facts *facts);
void facts_find(struct facts *facts);

/* Windows of memory that MPI gives, and on memory of the program's own. */
enum { TRIAL_ALLOCATE, TRIAL_CREATE, TRIALS };

/* What came of one window; rows of all ranks, at rank 0. */
struct trial {
	char error[TEXT]; /* the window could not be made */
	bool spans;	  /* some ranks are reached over the network */
	char progress[16];
};

/* How one rank reaches another. */
struct way {
	char path[16]; /* "": not known */
	float us;      /* a put of 8 bytes and its flush, at the least */
	int wrong;     /* data did not arrive as they were sent */
};

/* Collective.  ways [size], of this rank's. */
void trial_run(int kind, struct trial *trial, struct way *ways);

/* Rank 0: prints, and counts what would fail. */
struct findings {
	int ranks;
	const struct facts *facts;	/* [ranks] */
	const struct trial *trials;	/* [TRIALS] */
	const struct way *ways[TRIALS]; /* [ranks * ranks] */
};

int report_print(const struct findings *found);

/* The library's functions, if it is loaded. */
void *library_function(const char *name);

#endif
