/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-IO works beside windows: a host that uses requests, or windows, in its
 * file functions finds its own; what is written is read back, collectively,
 * by views and without blocking, while a window's epoch is open.
 */
/* ranks: 1 3; paths: default cma */
#include <unistd.h>

#include "test.h"

#define N 1000

static char path[64];

static void blocks(MPI_File file, const int *out, int *in)
{
	MPI_Offset at = (MPI_Offset)test_rank * N * sizeof(int);
	MPI_Request r[2];

	ok(MPI_File_write_at_all(file, at, out, N, MPI_INT, MPI_STATUS_IGNORE));
	ok(MPI_File_sync(file));
	MPI_Barrier(MPI_COMM_WORLD);
	ok(MPI_File_iread_at(file, at, in, N / 2, MPI_INT, &r[0]));
	ok(MPI_File_iread_at(file, at + N / 2 * sizeof(int), in + N / 2, N / 2,
			     MPI_INT, &r[1]));
	ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	check(!memcmp(in, out, N * sizeof(int)), "other words were read");
}

/* Ranks take turns in the file, word by word. */
static void view(MPI_File file, const int *out, int *in)
{
	MPI_Datatype type;

	MPI_Type_vector(N, 1, test_size, MPI_INT, &type);
	MPI_Type_commit(&type);
	ok(MPI_File_set_view(file, test_rank * sizeof(int), MPI_INT, type,
			     "native", MPI_INFO_NULL));
	ok(MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE));
	ok(MPI_File_sync(file));
	MPI_Barrier(MPI_COMM_WORLD);
	memset(in, 0, N * sizeof(int));
	ok(MPI_File_read_at_all(file, 0, in, N, MPI_INT, MPI_STATUS_IGNORE));
	check(!memcmp(in, out, N * sizeof(int)), "other words by a view");
	MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
	int out[N], in[N] = { 0 }, i, value = 5, t;
	struct test_win w;
	MPI_File file;

	test_start(argc, argv);
	t = test_next();
	snprintf(path, sizeof(path), "oriel-test-file-%d", (int)getpid());
	MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
	for (i = 0; i < N; i++)
		out[i] = test_rank * N + i;
	test_win_open(&w, KIND_ALLOCATE, 64, 1);
	MPI_Win_lock_all(0, w.win);
	MPI_Put(&value, 1, MPI_INT, t, test_at(&w, t, 0), 1, MPI_INT, w.win);
	ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
			 MPI_INFO_NULL, &file));
	blocks(file, out, in);
	view(file, out, in);
	ok(MPI_File_close(&file));
	MPI_Win_unlock_all(w.win);
	MPI_Barrier(MPI_COMM_WORLD);
	check(*(int *)(void *)w.base == 5, "%d in the window",
	      *(int *)(void *)w.base);
	test_win_close(&w);
	if (!test_rank)
		unlink(path);
	return test_finish();
}
