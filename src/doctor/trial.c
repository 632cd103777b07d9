/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trial.c - makes a window of one kind on all ranks and moves data between
 * them: by which path, how fast, and do they arrive?
 */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	  20
#define ALL_RANKS 32 /* up to as many each tries each, else some */

/* In the window: a word from each rank, and a counter. */
static long *make(int kind, int size, MPI_Win *win, char error[TEXT])
{
	MPI_Aint bytes = (size + 1) * (MPI_Aint)sizeof(long);
	char text[MPI_MAX_ERROR_STRING];
	long *base = NULL;
	int rc, len;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (kind == TRIAL_CREATE)
		base = malloc((size_t)bytes);
	if (kind == TRIAL_CREATE)
		rc = MPI_Win_create(base, bytes, sizeof(long), MPI_INFO_NULL,
				    MPI_COMM_WORLD, win);
	else
		rc = MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL,
				      MPI_COMM_WORLD, &base, win);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	if (!rc)
		return base;
	MPI_Error_string(rc, text, &len);
	snprintf(error, TEXT, "%.*s", TEXT - 1, text);
	if (kind == TRIAL_CREATE)
		free(base);
	return NULL;
}

static void find_progress(MPI_Win win, struct trial *trial)
{
	MPI_Info info;

	MPI_Win_get_info(win, &info);
	/* Only windows that span nodes tell. */
	MPI_Info_get(info, "oriel_progress", sizeof(trial->progress) - 1,
		     trial->progress, &(int){ 0 });
	trial->spans = trial->progress[0];
	MPI_Info_free(&info);
}

/* Powers of two where there are many ranks. */
static bool is_tried(int rank, int target, int size)
{
	int away = (target - rank + size) % size;

	return away && (size <= ALL_RANKS || !(away & (away - 1)));
}

static float put_word(MPI_Win win, int rank, int target)
{
	double least = 1e9, begin, took;
	long word;

	for (int i = 0; i < ROUNDS; i++) {
		word = 1000 * rank + i;
		begin = MPI_Wtime();
		MPI_Put(&word, 1, MPI_LONG, target, rank, 1, MPI_LONG, win);
		MPI_Win_flush(target, win);
		took = MPI_Wtime() - begin;
		least = took < least ? took : least;
	}
	return (float)(least * 1e6);
}

static void try_target(MPI_Win win, int rank, int target, int size,
		       struct way *way)
{
	long one = 1, before = -1, back = -1;

	way->us = put_word(win, rank, target);
	MPI_Get(&back, 1, MPI_LONG, target, rank, 1, MPI_LONG, win);
	MPI_Fetch_and_op(&one, &before, MPI_LONG, target, size, MPI_SUM, win);
	MPI_Win_flush(target, win);
	way->wrong = back != 1000 * rank + ROUNDS - 1 || before < 0 ||
		     before >= size;
}

static int count_tried(int target, int size)
{
	int n = 0;

	for (int i = 0; i < size; i++)
		n += is_tried(i, target, size);
	return n;
}

/* What the others put here, and how often they added. */
static void check_own(const long *base, int rank, int size, struct way *ways)
{
	for (int i = 0; i < size; i++)
		if (is_tried(i, rank, size) && base[i] != 1000 * i + ROUNDS - 1)
			ways[rank].wrong = 1;
	if (base[size] != count_tried(rank, size))
		ways[rank].wrong = 1;
}

void trial_run(int kind, struct trial *trial, struct way *ways)
{
	const char *(*path)(MPI_Win, int);
	int rank, size;
	MPI_Win win;
	long *base;

	*trial = (struct trial){ .error = "" };
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	base = make(kind, size, &win, trial->error);
	if (!base)
		return;
	find_progress(win, trial);
	*(void **)&path = library_function("oriel_path");
	MPI_Win_fence(0, win);
	memset(base, 0, (size_t)(size + 1) * sizeof(*base));
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < size; i++) {
		const char *name = path ? path(win, i) : NULL;

		snprintf(ways[i].path, sizeof(ways[i].path), "%s",
			 name ? name : "");
		if (is_tried(rank, i, size))
			try_target(win, rank, i, size, &ways[i]);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_fence(0, win);
	check_own(base, rank, size, ways);
	MPI_Win_free(&win);
	if (kind == TRIAL_CREATE)
		free(base);
}
