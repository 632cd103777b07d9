/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library holds for a window, by its own account, is what
 * doc/memory.md says, as a function of the ranks, of those of other nodes, and
 * of those of them that were accessed; the heap, as the C library sees it,
 * grows with the ranks by no more than that and the host MPI's group; and all
 * of it is given back when the window is freed.
 */
/* ranks: 2 16; paths: default cma */
#include <malloc.h>

#include "stats.h"
#include "test.h"

#define WINDOWS 8
/* malloc's own rounding, of the few blocks that a window has. */
#define SLACK 400
/* The host's group: of a rank, and besides. */
#define HOST_RANK  32
#define HOST_GROUP 2048

/* doc/memory.md, in bytes. */
#define OBJECT	   768
#define TARGET	   64
#define NEAR	   4
#define REMOTE	   33 /* a rank, where the window spans nodes */
#define LEASES	   40 /* rank 0, then; and of every rank: */
#define LEASE_RANK 8
#define LINK	   176 /* a rank of another node that was accessed */
#define BLOCK	   1424
#define LINE	   64
#define NOTICES	   520 /* behind the block, in lines of their own */

static long long heap(void)
{
	return (long long)mallinfo2().uordblks;
}

/* Ranks that are reached by messages: where they are, or by the path. */
static int count_far(void)
{
	MPI_Comm node;
	int near;

	if (test_path_is("fabric") || test_path_is("software"))
		return test_size - 1;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &near);
	MPI_Comm_free(&node);
	return test_size - near;
}

static long long expected(int ranks, int far, int accessed)
{
	long long bytes = OBJECT + (long long)TARGET * ranks +
			  (long long)NEAR * (ranks - far);

	if (far)
		bytes += (long long)REMOTE * ranks;
	if (far && !test_rank)
		bytes += LEASES + (long long)LEASE_RANK * ranks;
	return bytes + (long long)LINK * accessed;
}

static long long expected_shared(int ranks)
{
	return (BLOCK + ranks + LINE - 1) / LINE * LINE + NOTICES;
}

static void check_private(const char *when, long long got, long long want)
{
	check(got >= want - SLACK && got <= want + SLACK,
	      "%lld bytes a window %s, not %lld", got, when, want);
}

static void open_all(MPI_Win *wins, MPI_Comm comm)
{
	void *base;
	int i;

	for (i = 0; i < WINDOWS; i++)
		MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm, &base, &wins[i]);
}

static void free_all(MPI_Win *wins)
{
	int i;

	for (i = 0; i < WINDOWS; i++)
		MPI_Win_free(&wins[i]);
}

/*
 * Of the heap, a window of the communicator: the least, since meanwhile the
 * process may come to need what it has once (messages, connections).
 */
static long long growth(MPI_Comm comm)
{
	MPI_Win wins[WINDOWS];
	long long before, grown, least = 0;
	int i;

	for (i = 0; i < 5; i++) {
		before = heap();
		open_all(wins, comm);
		grown = (heap() - before) / WINDOWS;
		free_all(wins);
		if (!i || grown < least)
			least = grown;
	}
	return least;
}

/* The host's own window, of one process, is in both and cancels. */
static void check_growth(int far)
{
	long long one = growth(MPI_COMM_SELF), all = growth(MPI_COMM_WORLD);
	long long want = expected(test_size, far, 0) - expected(1, 0, 0);

	if (!test_rank)
		printf("# note: %lld bytes a window more than one of one "
		       "rank, %lld are Oriel's\n",
		       all - one, want);
	check(all - one <= want + HOST_GROUP + (long long)HOST_RANK * test_size,
	      "the heap grows by %lld bytes a window, not %lld", all - one,
	      want);
}

static void access_all(MPI_Win *wins, int most)
{
	char one = 1;
	int i, t;

	for (i = 0; i < WINDOWS; i++) {
		MPI_Win_lock_all(MPI_MODE_NOCHECK, wins[i]);
		for (t = 1; t <= most; t++)
			MPI_Put(&one, 1, MPI_CHAR, (test_rank + t) % test_size,
				0, 1, MPI_CHAR, wins[i]);
		MPI_Win_unlock_all(wins[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void check_account(int far)
{
	long long held = stat_of("window_bytes_private");
	long long shared = stat_of("window_bytes_shared");
	long long windows = stat_of("windows");
	MPI_Win wins[WINDOWS];

	open_all(wins, MPI_COMM_WORLD);
	check_private("when made",
		      (stat_of("window_bytes_private") - held) / WINDOWS,
		      expected(test_size, far, 0));
	check(stat_of("window_bytes_shared") - shared ==
		      WINDOWS * expected_shared(test_size),
	      "%lld shared bytes", stat_of("window_bytes_shared") - shared);
	/* All others are far. */
	if (far == test_size - 1) {
		access_all(wins, 1);
		check_private("with a peer",
			      (stat_of("window_bytes_private") - held) /
				      WINDOWS,
			      expected(test_size, far, 1));
		access_all(wins, far);
		check_private("with all peers",
			      (stat_of("window_bytes_private") - held) /
				      WINDOWS,
			      expected(test_size, far, far));
	}
	free_all(wins);
	check(stat_of("window_bytes_private") == held &&
		      stat_of("windows") == windows,
	      "%lld bytes of %lld windows are left",
	      stat_of("window_bytes_private"), stat_of("windows"));
}

int main(int argc, char **argv)
{
	int far;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("the host does not say what it holds");
	far = count_far();
	check_growth(far);
	check_account(far);
	return test_finish();
}
