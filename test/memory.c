/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library holds for a window, by its own account, is what
 * doc/memory.md says, as a function of the ranks, of those of other nodes, of
 * those of them that were accessed, and of what is open, attached, asked for
 * and counted; the heap, as the C library sees it, grows with the ranks by no
 * more than that and the host MPI's group; and all of it is given back when
 * the window is freed.  test/watched.sh runs it with ORIEL_STATS.
 */
/* ranks: 2 16; paths: default cma */
#include <malloc.h>

#include <stdint.h>

#include "agents.h"
#include "stats.h"

#define WINDOWS 8
/* malloc's own rounding, of a block that it does not split for so few bytes,
 * and of the few that a window has. */
#define ROUNDING 40
#define SLACK	 100
/* The host's group: of a rank, and besides. */
#define HOST_RANK  32
#define HOST_GROUP 2048

/* doc/memory.md, in bytes. */
#ifdef OPEN_MPI
#define OBJECT 832
#else
#define OBJECT 768
#endif
#define TARGET	   64
#define NEAR	   4
#define REMOTE	   33 /* a rank, where the window spans nodes */
#define LEASES	   40 /* rank 0, then; and of every rank: */
#define LEASE_RANK 8
#define LEASE	   200 /* of a rank that ever had one */
#define LINK	   176 /* a rank of another node that was accessed */
#define BLOCK	   1488
#define LINE	   64
#define NOTICES	   520 /* behind the block, in lines of their own */
#define MEMBER	   8   /* of a group that is open */
#define REGION	   24  /* attached; in the arena, */
#define OWN	   32  /* and beside it */
#define REGIONS	   64  /* for which there is room at first */
#define KEYS	   8200
#define ASKER	   192
#define NIC_RANK   8
#define WATCH	   1300 /* with ORIEL_STATS; and of every rank: */
#define WATCH_RANK 16
#define CELL	   32 /* of its picture, at most 64 x 64; and of every rank: */
#define CELL_RANK  4

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

/* Of the sums that ORIEL_STATS asks for. */
static long long expected_watch(int ranks)
{
	const char *stats = getenv("ORIEL_STATS");
	const int side = test_size < 64 ? test_size : 64;

	if (!stats)
		return 0;
	return WATCH + (long long)WATCH_RANK * ranks +
	       (strstr(stats, ".svg")
			? CELL * side * side + (long long)CELL_RANK * ranks
			: 0);
}

static long long expected(int ranks, int far, int accessed)
{
	long long bytes = OBJECT + (long long)TARGET * ranks +
			  (long long)NEAR * (ranks - far) +
			  expected_watch(ranks);

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

/* -- what comes and goes ---------------------------------------------------*/

/* In so many blocks, more than there was. */
static void check_grown(const char *what, long long before, long long want,
			int blocks)
{
	const long long got = stat_of("window_bytes_private") - before;

	check(got >= want && got <= want + ROUNDING * blocks,
	      "%s: %lld bytes, not %lld", what, got, want);
}

/* A post makes the links to those of other nodes. */
static void check_groups(int far)
{
	long long before;
	MPI_Group world;
	void *base;
	MPI_Win win;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	before = stat_of("window_bytes_private");
	MPI_Win_post(world, 0, win);
	MPI_Win_start(world, 0, win);
	check_grown("groups", before,
		    2LL * MEMBER * test_size + (long long)LINK * far, 2 + far);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	check_grown("without groups", before, (long long)LINK * far, far);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
}

/* Room for them doubles. */
static void check_regions(void)
{
	static char memory[REGIONS + 1][LINE];
	long long before, arena;
	MPI_Win win;
	int i;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	before = stat_of("window_bytes_private");
	arena = stat_of("arena_bytes");
	for (i = 0; i < REGIONS; i++)
		MPI_Win_attach(win, memory[i], LINE);
	check_grown("regions", before, REGIONS * OWN, 1);
	check(stat_of("arena_bytes") - arena == REGIONS * REGION,
	      "%lld bytes of the arena", stat_of("arena_bytes") - arena);
	MPI_Win_attach(win, memory[i], LINE);
	check_grown("one more", before, 2 * REGIONS * OWN, 1);
	check(stat_of("arena_bytes") - arena == 2 * REGIONS * REGION,
	      "%lld bytes of the arena for one more",
	      stat_of("arena_bytes") - arena);
	for (i = 0; i <= REGIONS; i++)
		MPI_Win_detach(win, memory[i]);
	MPI_Win_free(&win);
}

/* Of the next rank's region by this one, of this one's by the rank before. */
static void check_keys(void)
{
	static char memory[1 << 16], source[1 << 16];
	const bool by_network = !test_path_is("software");
	long long before;
	MPI_Aint at;
	MPI_Win win;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_attach(win, memory, sizeof(memory));
	MPI_Get_address(memory, &at);
	MPI_Sendrecv_replace(&at, 1, MPI_AINT, test_prev(), 0, test_next(), 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	before = stat_of("window_bytes_private");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	MPI_Put(source, sizeof(source), MPI_BYTE, test_next(), at,
		sizeof(source), MPI_BYTE, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (by_network)
		check_grown("keys", before, LINK + KEYS + ASKER, 3);
	else
		check_grown("no keys", before, LINK, 1);
	MPI_Win_detach(win, memory);
	MPI_Win_free(&win);
}

/* Rank 0 gives them out, also to itself; to the others they cost nothing. */
static void check_leases(void)
{
	long long before;
	void *base;
	MPI_Win win;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	before = stat_of("window_bytes_private");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!test_rank)
		check_grown("leases", before, (long long)LEASE * test_size,
			    test_size);
	else
		check_grown("a lease", before, 0, 0);
	MPI_Win_free(&win);
}

/* Where there is a network that has them. */
static void check_nic(int far)
{
	const int near = test_size - far;
	long long before, with, without;
	MPI_Info info;
	void *base;
	MPI_Win win;
	bool nic;

	before = stat_of("window_bytes_private");
	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	without = stat_of("window_bytes_private") - before;
	MPI_Win_free(&win);
	MPI_Info_create(&info);
	MPI_Info_set(info, "oriel_atomics", "nic");
	MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &base, &win);
	MPI_Info_free(&info);
	with = stat_of("window_bytes_private") - before;
	nic = info_is(win, "oriel_atomics", "nic");
	MPI_Win_free(&win);
	check_private("by the network's atomics", with - without,
		      nic ? (long long)NIC_RANK * test_size + LINK * near : 0);
}

int main(int argc, char **argv)
{
	int far;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("the host does not say what it holds");
	far = count_far();
	/* The host's copy of the communicator would be in it. */
	if (!getenv("ORIEL_STATS"))
		check_growth(far);
	check_account(far);
	check_groups(far);
	check_regions();
	if (far == test_size - 1) {
		check_keys();
		check_leases();
		check_nic(far);
	}
	return test_finish();
}
