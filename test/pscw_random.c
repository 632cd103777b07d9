/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Post, start, complete and wait with random groups, which all ranks draw
 * alike: of any size, the rank itself in them or not, other groups in each
 * round, with several windows whose epochs overlap, ended in random order, by
 * MPI_Win_wait or MPI_Win_test.  Each origin finds its target open, each target
 * the data of all its origins, and no others.  Between nodes a round sends
 * messages in proportion to the groups, not to the ranks.
 */
/* ranks: 1 3 8; paths: default cma */
#include "stats.h"
#include "test.h"

#define WINDOWS 3
#define ROUNDS	60
#define RANKS	64
/* A member's: post, operation and complete, and what answers them. */
#define MESSAGES 3

static struct test_win windows[WINDOWS];
static MPI_Group world;

/* -- what all draw alike ---------------------------------------------------*/

static unsigned long long state = 88172645463325252ull;

static unsigned draw(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 32) % n;
}

/* [origin][target]: it accesses it. */
static bool accesses[WINDOWS][RANKS][RANKS];
static long members;

/* Every fourth round is sparse, every fourth full. */
static void draw_groups(int round)
{
	static const unsigned percent[] = { 30, 100, 5, 60 };
	int w, from, to;

	members = 0;
	for (w = 0; w < WINDOWS; w++) {
		for (from = 0; from < test_size; from++) {
			for (to = 0; to < test_size; to++) {
				bool drawn = draw(100) < percent[round % 4];

				accesses[w][from][to] = drawn;
				members += drawn && from != to;
			}
		}
	}
}

static MPI_Group group_of(int w, bool origins)
{
	int ranks[RANKS], n = 0, i;
	MPI_Group group;

	for (i = 0; i < test_size; i++)
		if (origins ? accesses[w][i][test_rank]
			    : accesses[w][test_rank][i])
			ranks[n++] = i;
	MPI_Group_incl(world, n, ranks, &group);
	return group;
}

/* -- a round ---------------------------------------------------------------*/

static int value_of(int round, int w, int from)
{
	return 10000 * round + 100 * w + from;
}

static void expose_all(void)
{
	int w;

	for (w = 0; w < WINDOWS; w++) {
		MPI_Group origins = group_of(w, true);

		memset(windows[w].base, 0, windows[w].size);
		MPI_Win_post(origins, 0, windows[w].win);
		MPI_Group_free(&origins);
	}
}

static void access_all(int round)
{
	static int values[WINDOWS]; /* until complete */
	int w, to;

	for (w = 0; w < WINDOWS; w++) {
		MPI_Group targets = group_of(w, false);

		values[w] = value_of(round, w, test_rank);
		MPI_Win_start(targets, 0, windows[w].win);
		MPI_Group_free(&targets);
		for (to = 0; to < test_size; to++)
			if (accesses[w][test_rank][to])
				MPI_Accumulate(
					&values[w], 1, MPI_INT, to,
					test_at(&windows[w], to,
						test_rank *
							(MPI_Aint)sizeof(int)),
					1, MPI_INT, MPI_SUM, windows[w].win);
	}
}

static void end_exposure(struct test_win *w, bool by_test)
{
	int flag = !by_test;

	if (!by_test)
		MPI_Win_wait(w->win);
	while (!flag)
		MPI_Win_test(w->win, &flag);
}

static void check_data(int round, int w)
{
	const volatile int *mine = (int *)windows[w].base;
	int from;

	for (from = 0; from < test_size; from++) {
		int want = accesses[w][from][test_rank]
				   ? value_of(round, w, from)
				   : 0;

		check(mine[from] == want,
		      "%d of rank %d, not %d, window %d, round %d", mine[from],
		      from, want, w, round);
	}
}

static void one_round(int round)
{
	int first = (int)draw(WINDOWS), last = (int)draw(WINDOWS), i;
	bool by_test = draw(2);

	expose_all();
	access_all(round);
	for (i = 0; i < WINDOWS; i++)
		MPI_Win_complete(windows[(first + i) % WINDOWS].win);
	for (i = 0; i < WINDOWS; i++) {
		int w = (last + i) % WINDOWS;

		end_exposure(&windows[w], by_test);
		check_data(round, w);
	}
}

static void counted_round(int round)
{
	long long sent = stat_sum("messages_sent");

	one_round(round);
	sent = stat_sum("messages_sent") - sent;
	if (!test_rank)
		printf("# note: %lld messages for %ld members\n", sent,
		       members);
	check(sent <= MESSAGES * members + test_size,
	      "%lld messages for %ld members", sent, members);
}

int main(int argc, char **argv)
{
	int round, w;

	test_start(argc, argv);
	if (test_size > RANKS)
		return test_skip("groups of at most 64 ranks are drawn");
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	for (w = 0; w < WINDOWS; w++)
		test_win_open(&windows[w], KIND_ALLOCATE,
			      test_size * (MPI_Aint)sizeof(int), sizeof(int));
	for (round = 1; round <= ROUNDS; round++) {
		draw_groups(round);
		/* Every tenth by itself, so that it can be counted. */
		if (round % 10)
			one_round(round);
		else
			counted_round(round);
	}
	for (w = 0; w < WINDOWS; w++)
		test_win_close(&windows[w]);
	MPI_Group_free(&world);
	return test_finish();
}
