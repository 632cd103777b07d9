/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows live on any intracommunicator: duplicates, halves, reordered
 * ones, MPI_COMM_SELF, several at once; they outlive their communicator; an
 * intercommunicator is an error.  Target ranks are those of the window.
 */
/* ranks: 1 2 3 8; paths: default cma */
#include "test.h"

/* Everybody puts its world rank into the memory of the next of comm. */
static void ring(MPI_Win win, const int *base, MPI_Comm comm)
{
	int rank, size, to, from, world_from;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	to = (rank + 1) % size;
	from = (rank + size - 1) % size;
	MPI_Sendrecv(&test_rank, 1, MPI_INT, to, 1, &world_from, 1, MPI_INT,
		     from, 1, comm, MPI_STATUS_IGNORE);
	MPI_Win_fence(0, win);
	MPI_Put(&test_rank, 1, MPI_INT, to, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	check(base[0] == world_from, "%d from rank %d of %d, not %d", base[0],
	      from, size, world_from);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win);
	MPI_Accumulate(&(int){ 1 }, 1, MPI_INT, to, 1, 1, MPI_INT, MPI_SUM,
		       win);
	MPI_Win_unlock(to, win);
	MPI_Barrier(comm);
	check(base[1] == 1, "%d by a lock", base[1]);
}

static void on(MPI_Comm comm, bool free_comm)
{
	MPI_Comm again;
	MPI_Win win, second;
	int *base, *other;

	MPI_Comm_dup(comm, &again);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, comm, &base, &win);
	memset(base, 0, 8);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, comm, &other, &second);
	memset(other, 0, 8);
	if (free_comm)
		MPI_Comm_free(&comm);
	ring(win, base, again);
	ring(second, other, again);
	MPI_Win_free(&win);
	MPI_Win_free(&second);
	MPI_Comm_free(&again);
}

static void split(void)
{
	MPI_Comm half, reversed;

	MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, 0, &half);
	on(half, true);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &reversed);
	on(reversed, true);
	/* Only some ranks of the job take part at all. */
	MPI_Comm_split(MPI_COMM_WORLD, test_rank < 2 ? 0 : MPI_UNDEFINED, 0,
		       &half);
	if (half != MPI_COMM_NULL)
		on(half, true);
}

static void self(void)
{
	int *base, *mine = malloc(8), value = 3, old = -1;
	MPI_Win win, created;

	MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
	base[1] = 4;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Fetch_and_op(&value, &old, MPI_INT, 0, 1, MPI_SUM, win);
	MPI_Win_unlock(0, win);
	check(old == 4 && base[1] == 7, "%d, then %d", old, base[1]);
	MPI_Win_fence(0, win);
	MPI_Win_fence(0, win);
	/* Heap memory that nobody else has to reach. */
	MPI_Win_create(mine, 8, 4, MPI_INFO_NULL, MPI_COMM_SELF, &created);
	MPI_Win_fence(0, created);
	MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, created);
	MPI_Win_fence(0, created);
	check(mine[1] == 3, "%d on the heap", mine[1]);
	MPI_Win_free(&created);
	MPI_Win_free(&win);
	free(mine);
}

static void group_of_window(void)
{
	MPI_Comm half;
	MPI_Win win;
	MPI_Group of_win, of_comm;
	int result, *base;

	MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, -test_rank, &half);
	MPI_Win_allocate(4, 4, MPI_INFO_NULL, half, &base, &win);
	MPI_Comm_group(half, &of_comm);
	MPI_Win_get_group(win, &of_win);
	MPI_Group_compare(of_win, of_comm, &result);
	check(result == MPI_IDENT, "groups compare as %d", result);
	MPI_Group_free(&of_win);
	MPI_Group_free(&of_comm);
	MPI_Comm_free(&half);
	MPI_Win_free(&win);
}

static void inter(void)
{
	MPI_Comm half, between;
	MPI_Win win = MPI_WIN_NULL;
	void *base;

	if (test_size < 2)
		return;
	MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - test_rank % 2, 2,
			     &between);
	MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
	expect(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, between, &win),
	       MPI_ERR_COMM, "MPI_Win_create");
	expect(MPI_Win_allocate(8, 1, MPI_INFO_NULL, between, &base, &win),
	       MPI_ERR_COMM, "MPI_Win_allocate");
	expect(MPI_Win_create_dynamic(MPI_INFO_NULL, between, &win),
	       MPI_ERR_COMM, "MPI_Win_create_dynamic");
	MPI_Comm_free(&between);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Comm dup;

	test_start(argc, argv);
	on(MPI_COMM_WORLD, false);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	on(dup, true);
	split();
	self();
	group_of_window();
	inter();
	return test_finish();
}
