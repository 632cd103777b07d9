/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flush and flush_all complete what was issued at origin and target; after
 * flush_local and flush_local_all origin buffers may be reused and results
 * read; all within one passive epoch, for small and for large transfers.
 */
/* ranks: 1 2 4; paths: default cma */
#include "test.h"

#define SMALL 24
#define LARGE 300007 /* of each origin in each target's memory */

static MPI_Aint part(const struct test_win *w, int target)
{
	return test_at(w, target, (MPI_Aint)test_rank * LARGE);
}

static void put(struct test_win *w, int t, const char *buf, int len)
{
	MPI_Put(buf, len, MPI_BYTE, t, part(w, t), len, MPI_BYTE, w->win);
}

/* Both ends know by a barrier that the flush has returned. */
static void check_all(struct test_win *w, int len, int round, const char *call)
{
	int o;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(w->win);
	for (o = 0; o < test_size; o++) {
		size_t bad = test_differs(w->base + (MPI_Aint)o * LARGE, len, o,
					  round);

		check(bad == (size_t)len, "%s: byte %zu of %d after %s of %d",
		      test_kind_name(w->kind), bad, len, call, o);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void remote(struct test_win *w, char *buf, int len, int round)
{
	int t;

	test_fill(buf, len, test_rank, round);
	for (t = 0; t < test_size; t++) {
		put(w, t, buf, len);
		MPI_Win_flush(t, w->win);
	}
	check_all(w, len, round, "flush");
	test_fill(buf, len, test_rank, round + 1);
	for (t = 0; t < test_size; t++)
		put(w, t, buf, len);
	MPI_Win_flush_all(w->win);
	check_all(w, len, round + 1, "flush_all");
}

/* The buffer is overwritten at once; what was in it has to arrive. */
static void local(struct test_win *w, char *buf, int len, int round)
{
	int t;

	for (t = 0; t < test_size; t++) {
		test_fill(buf, len, test_rank, round);
		put(w, t, buf, len);
		MPI_Win_flush_local(t, w->win);
		memset(buf, 0x5a, len);
	}
	MPI_Win_flush_all(w->win);
	check_all(w, len, round, "flush_local");
	test_fill(buf, len, test_rank, round + 1);
	for (t = 0; t < test_size; t++)
		put(w, t, buf, len);
	MPI_Win_flush_local_all(w->win);
	memset(buf, 0x5a, len);
	MPI_Win_flush_all(w->win);
	check_all(w, len, round + 1, "flush_local_all");
}

/* Results may be read after a local flush; the round before put them. */
static void results(struct test_win *w, char *buf, int len, int round)
{
	int t;

	for (t = 0; t < test_size; t++) {
		memset(buf, 0, len);
		MPI_Get(buf, len, MPI_BYTE, t, part(w, t), len, MPI_BYTE,
			w->win);
		MPI_Win_flush_local(t, w->win);
		check(test_differs(buf, len, test_rank, round) == (size_t)len,
		      "Get, flush_local, %d bytes of %d", len, t);
		memset(buf, 0, len);
		MPI_Get_accumulate(NULL, 0, MPI_BYTE, buf, len, MPI_BYTE, t,
				   part(w, t), len, MPI_BYTE, MPI_NO_OP,
				   w->win);
		MPI_Win_flush_local_all(w->win);
		check(test_differs(buf, len, test_rank, round) == (size_t)len,
		      "Get_accumulate, flush_local_all, %d bytes of %d", len,
		      t);
	}
}

/* A flush with nothing outstanding, of one and of several targets. */
static void idle(struct test_win *w)
{
	int t;

	for (t = 0; t < test_size; t++) {
		MPI_Win_flush(t, w->win);
		MPI_Win_flush_local(t, w->win);
	}
	MPI_Win_flush_all(w->win);
	MPI_Win_flush_local_all(w->win);
}

static void epoch(struct test_win *w, char *buf, int len)
{
	MPI_Win_lock_all(0, w->win);
	idle(w);
	remote(w, buf, len, 1);
	local(w, buf, len, 3);
	results(w, buf, len, 4);
	MPI_Win_unlock_all(w->win);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	char *buf = malloc(LARGE);
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, (MPI_Aint)test_size * LARGE, 1);
		epoch(&w, buf, SMALL);
		epoch(&w, buf, LARGE);
		test_win_close(&w);
	}
	free(buf);
	return test_finish();
}
