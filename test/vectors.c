/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of blocks of every length, from less than what travels in one message
 * to much more: put and got, from and to rows or one piece, with requests and
 * without, on every kind of window.
 */
/* ranks: 1 2; paths: default direct cma */
#include "test.h"

#define BLOCKS 3
#define GAP    24    /* bytes between blocks */
#define MOST   40000 /* bytes of a block */
#define AREA   (BLOCKS * (MOST + GAP))

static const int lengths[] = { 1000, 4104, 8192, 16000, 16384, MOST };

/* How a row is moved. */
struct way {
	bool is_put, has_request, is_strided;
	int len;
};

static char *piece, *row; /* origin buffers: without and with gaps */

static void transfer(const struct test_win *w, const struct way *way,
		     MPI_Datatype type)
{
	void *buf = way->is_strided ? row : piece;
	MPI_Datatype otype = way->is_strided ? type : MPI_BYTE;
	int n = way->is_strided ? 1 : BLOCKS * way->len, t = test_next();
	MPI_Aint at = test_at(w, t, 0);
	MPI_Request request;

	if (way->has_request && way->is_put)
		ok(MPI_Rput(buf, n, otype, t, at, 1, type, w->win, &request));
	else if (way->has_request)
		ok(MPI_Rget(buf, n, otype, t, at, 1, type, w->win, &request));
	else if (way->is_put)
		ok(MPI_Put(buf, n, otype, t, at, 1, type, w->win));
	else
		ok(MPI_Get(buf, n, otype, t, at, 1, type, w->win));
	if (way->has_request)
		ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
	if (way->is_put || !way->has_request)
		ok(MPI_Win_flush(t, w->win));
}

/* What stands in a rank's blocks, each step from the one before. */
static void fill_blocks(char *area, size_t step, int len, int rank)
{
	for (size_t i = 0; i < BLOCKS; i++)
		test_fill(area + i * step, len, rank, (int)i);
}

static void check_blocks(const char *area, size_t step, const struct way *way,
			 int rank)
{
	size_t len = way->len;

	for (size_t i = 0; i < BLOCKS; i++) {
		size_t bad = test_differs(area + i * step, len, rank, (int)i);

		check(bad == len, "%s%s, blocks of %zu %s: block %zu, byte %zu",
		      way->has_request ? "R" : "", way->is_put ? "put" : "get",
		      len, way->is_strided ? "from rows" : "from one piece", i,
		      bad);
		if (step == len)
			continue;
		bad = test_differs_from(area + i * step + len, step - len, 0);
		check(bad == step - len, "the gap after block %zu: byte %zu", i,
		      bad);
	}
}

static void move(const struct test_win *w, const struct way *way)
{
	size_t step = (size_t)way->len + GAP;
	size_t near = way->is_strided ? step : (size_t)way->len;
	char *buf = way->is_strided ? row : piece;
	MPI_Datatype type;

	MPI_Type_vector(BLOCKS, way->len, (int)step, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	memset(w->base, 0, AREA);
	memset(buf, 0, AREA);
	fill_blocks(way->is_put ? buf : w->base, way->is_put ? near : step,
		    way->len, test_rank);
	MPI_Win_sync(w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	transfer(w, way, type);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(w->win);
	check_blocks(way->is_put ? w->base : buf, way->is_put ? step : near,
		     way, way->is_put ? test_prev() : test_next());
	MPI_Type_free(&type);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void move_all(enum test_kind kind)
{
	struct test_win w;

	test_win_open(&w, kind, AREA, 1);
	MPI_Win_lock_all(0, w.win);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (int k = 0; k < 8; k++) {
			const struct way way = {
				.is_put = k & 1,
				.has_request = k & 2,
				.is_strided = k & 4,
				.len = lengths[i],
			};

			move(&w, &way);
		}
	MPI_Win_unlock_all(w.win);
	test_win_close(&w);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	piece = malloc(AREA);
	row = malloc(AREA);
	for (int kind = 0; kind < KIND_COUNT; kind++)
		if (test_kind_is_usable(kind))
			move_all(kind);
	free(piece);
	free(row);
	return test_finish();
}
