/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counter.c - both ranks at once on one word of the target's, and, for
 * comparison, the CPU's own atomic on such a word, without MPI.
 */
#include "bench.h"

#include <stdatomic.h>

double bench_run_together(struct bench *b, int n)
{
	double start = bench_now();

	for (int i = 0; i < n; i++) {
		b->test->op->issue(b, 0);
		b->done++;
		MPI_Win_flush(TARGET, b->win);
	}
	return bench_now() - start;
}

double bench_run_atomic(struct bench *b, int n)
{
	_Atomic(int64_t) *word;
	MPI_Aint bytes;
	double seconds;
	MPI_Win win;
	int unit;

	MPI_Win_allocate_shared(sizeof(*word), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
				&word, &win);
	*word = 0;
	MPI_Win_shared_query(win, TARGET, &bytes, &unit, &word);
	MPI_Barrier(MPI_COMM_WORLD);
	seconds = bench_now();
	for (int i = 0; i < n; i++)
		atomic_fetch_add(word, 1);
	seconds = bench_now() - seconds;
	MPI_Win_free(&win);
	return seconds;
}
