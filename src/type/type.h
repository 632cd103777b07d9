/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * type.h - what the files of src/type share: the basic types, lists of runs
 * under construction, the flattener.
 */
#ifndef ORL_TYPE_TYPE_H
#define ORL_TYPE_TYPE_H

#include "orl_type.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes from one element of the run to the next. */
static inline ptrdiff_t orl_run_unit(const struct orl_run *run)
{
	return orl_kinds[run->kind].extent;
}

/* Offset of the run's last block. */
static inline ptrdiff_t orl_run_last(const struct orl_run *run)
{
	return run->off + (ptrdiff_t)(run->blocks - 1) * run->stride;
}

/* -- basic.c --------------------------------------------------------------*/

/* Puts the predefined datatypes into orl_type_map, once: 0 or -ENOMEM. */
int orl_type_start(void);

/* -- run.c ----------------------------------------------------------------*/

/*
 * Runs in the order of the type map, neighbours merged.  Begins as all
 * zeroes.  The first failure sticks in err, after which the list does not
 * grow: checked once, at the end.  Only copies of one part may be repeats.
 */
struct orl_runs {
	struct orl_run *at;
	size_t n, room;
	size_t repeats; /* all runs so many times more, */
	ptrdiff_t step; /* so many bytes further on each time */
	int err;	/* 0, -ENOMEM or MPI_ERR_TYPE */
};

/* A run of no elements is left out. */
void orl_runs_add(struct orl_runs *list, const struct orl_run *run);

/* count copies of part, which is another list, the first at off. */
void orl_runs_repeat(struct orl_runs *list, const struct orl_runs *part,
		     ptrdiff_t off, size_t count, ptrdiff_t step);

/* a * b, or an error in the list. */
ptrdiff_t orl_runs_product(struct orl_runs *list, ptrdiff_t a, ptrdiff_t b);

/* To be called after the last run was added. */
void orl_runs_close(struct orl_runs *list);

/* The bytes of runs: one more list to be closed and freed. */
void orl_runs_pieces(struct orl_runs *pieces, const struct orl_runs *runs);

void orl_runs_free(struct orl_runs *list);

/* -- array.c --------------------------------------------------------------*/

/*
 * Add an array of part, extent bytes from element to element; args are those
 * of the constructor, up to the order.
 */
void orl_runs_add_subarray(struct orl_runs *list, const struct orl_runs *part,
			   ptrdiff_t extent, const ptrdiff_t *args);
void orl_runs_add_darray(struct orl_runs *list, const struct orl_runs *part,
			 ptrdiff_t extent, const ptrdiff_t *args);

/* -- flatten.c ------------------------------------------------------------*/

/* 0, -ENOMEM or MPI_ERR_TYPE; *type is for free(). */
int orl_type_flatten(MPI_Datatype handle, struct orl_type **type);

#endif
