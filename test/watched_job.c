/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What watched.sh counts: each rank's calls are known to the byte.  The last
 * window is left to MPI_Finalize.
 */
#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

static void access_next(MPI_Win win, int next)
{
	int four[4] = { 1, 2, 3, 4 }, one = 1, old, i;
	char bytes[16] = "";
	MPI_Request request;
	int flag;

	MPI_Win_lock_all(0, win);
	for (i = 0; i < 10; i++)
		ok(MPI_Put(bytes, 8, MPI_BYTE, next, 8, 8, MPI_BYTE, win));
	ok(MPI_Rput(bytes, 8, MPI_BYTE, next, 8, 8, MPI_BYTE, win, &request));
	ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
	ok(Oriel_Rfetch_and_op(&one, &old, MPI_INT, next, 128, MPI_SUM, win,
			       &request));
	ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
	ok(Oriel_Rcompare_and_swap(&one, &one, &old, MPI_INT, next, 132, win,
				   &request));
	ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
	for (i = 0; i < 3; i++)
		ok(MPI_Get(bytes, 16, MPI_BYTE, next, 0, 16, MPI_BYTE, win));
	for (i = 0; i < 2; i++)
		ok(MPI_Accumulate(four, 4, MPI_INT, next, 64, 4, MPI_INT,
				  MPI_SUM, win));
	ok(MPI_Fetch_and_op(&one, &old, MPI_INT, next, 128, MPI_SUM, win));
	ok(MPI_Compare_and_swap(&one, &one, &old, MPI_INT, next, 132, win));
	ok(MPI_Put(bytes, 8, MPI_BYTE, MPI_PROC_NULL, 0, 8, MPI_BYTE, win));
	expect(MPI_Put(bytes, 8, MPI_BYTE, next, 4093, 8, MPI_BYTE, win),
	       MPI_ERR_RMA_RANGE, "");
	ok(MPI_Win_flush(next, win));
	ok(Oriel_Put_notify(bytes, 8, MPI_BYTE, next, 8, 8, MPI_BYTE, 0, win));
	ok(Oriel_Rflush(next, win, &request));
	ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
	ok(Oriel_Notify_wait(win, 0, 1));
	for (i = 0; i < 2; i++)
		ok(Oriel_Notify_test(win, 0, 1, &flag));
	MPI_Win_unlock_all(win);
}

static void use_memory(MPI_Comm comm, int next)
{
	char *base;
	MPI_Win win;

	MPI_Win_allocate(4096, 1, MPI_INFO_NULL, comm, &base, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_set_name(win, "a \"window\"\n\xc3\xbc \xff");
	access_next(win, next);
	MPI_Win_fence(0, win);
	MPI_Win_fence(0, win);
	ok(MPI_Win_free(&win));
}

/* Memory of MPI_Alloc_mem and of malloc in one window; freed when the
 * communicator is gone. */
static void use_dynamic(int next)
{
	char bytes[8] = "", *theirs, *mine[2];
	MPI_Aint addr[2], others[2];
	MPI_Comm comm;
	MPI_Win win;
	int i;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
	MPI_Comm_free(&comm);
	MPI_Alloc_mem(64, MPI_INFO_NULL, &theirs);
	mine[0] = theirs;
	mine[1] = malloc(64);
	for (i = 0; i < 2; i++) {
		MPI_Win_attach(win, mine[i], 64);
		MPI_Get_address(mine[i], &addr[i]);
	}
	MPI_Sendrecv(addr, 2, MPI_AINT, (test_rank + test_size - 1) % test_size,
		     0, others, 2, MPI_AINT, next, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
	ok(MPI_Put(bytes, 8, MPI_BYTE, next, others[0], 8, MPI_BYTE, win));
	ok(MPI_Put(bytes, 4, MPI_BYTE, next, others[1], 4, MPI_BYTE, win));
	MPI_Win_unlock(next, win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 2; i++)
		MPI_Win_detach(win, mine[i]);
	ok(MPI_Win_free(&win));
	MPI_Free_mem(theirs);
	free(mine[1]);
}

static void leave_one(int next)
{
	MPI_Win win;
	char *base;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_fence(0, win);
	ok(MPI_Put("x", 1, MPI_BYTE, next, 0, 1, MPI_BYTE, win));
	MPI_Win_fence(0, win);
}

int main(int argc, char **argv)
{
	int next;

	test_start(argc, argv);
	next = (test_rank + 1) % test_size;
	use_memory(MPI_COMM_WORLD, next);
	use_dynamic(next);
	leave_one(next);
	return test_finish();
}
