/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where all ranks share one core, nobody leaves a fence before all have come,
 * also of many in a row and in windows by turns, and a window that is freed
 * right behind one leaves no trace in those that are made of its memory; one
 * rank at a time holds an exclusive lock, and each wait ends when all origins
 * have completed, not before.
 */
/* ranks: 3 8 16; paths: default cma */
#include <sched.h>

#include "test.h"

#define FENCES	100
#define WINDOWS 30
#define WORDS	512
#define LOCKS	30 /* of each rank */
#define POSTS	30

/* The first core that rank 0 has; false where it is not ours to use. */
static bool share_core(void)
{
	cpu_set_t set;
	int core = 0, can, all;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(core, &set))
		core++;
	MPI_Bcast(&core, 1, MPI_INT, 0, MPI_COMM_WORLD);
	CPU_ZERO(&set);
	CPU_SET(core, &set);
	can = !sched_setaffinity(0, sizeof(set), &set);
	MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	return all;
}

/* Every rank writes a word for every other, and counts those who have come. */
static void fence_and_count(MPI_Win win, const int *mine, int round)
{
	int to, from, came = 0;

	for (to = 0; to < test_size; to++)
		ok(MPI_Put(&round, 1, MPI_INT, to, test_rank, 1, MPI_INT, win));
	ok(MPI_Win_fence(0, win));
	for (from = 0; from < test_size; from++)
		came += mine[from] == round;
	check(came == test_size, "%d came to fence %d", came, round);
	ok(MPI_Win_fence(0, win));
}

static void many_fences(void)
{
	MPI_Aint bytes = test_size * (MPI_Aint)sizeof(int);
	MPI_Win wins[2];
	int *words[2], i;

	for (i = 0; i < 2; i++) {
		ok(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL,
				    MPI_COMM_WORLD, &words[i], &wins[i]));
		ok(MPI_Win_fence(0, wins[i]));
	}
	for (i = 1; i <= FENCES; i++)
		fence_and_count(wins[i % 3 == 0], words[i % 3 == 0], i);
	for (i = 0; i < 2; i++)
		ok(MPI_Win_free(&wins[i]));
}

/* What a rank's window holds is its own until somebody puts. */
static void is_untouched(const int *words, int fill)
{
	int i, same = 0;

	for (i = 0; i < WORDS; i++)
		same += words[i] == fill;
	check(same == WORDS, "%d words of %d", same, fill);
}

static void made_anew(int round)
{
	int *words, i, fences = round % 4;
	MPI_Win win;

	ok(MPI_Win_allocate(WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL,
			    MPI_COMM_WORLD, &words, &win));
	for (i = 0; i < WORDS; i++)
		words[i] = round;
	for (i = 0; i < fences; i++)
		ok(MPI_Win_fence(0, win));
	is_untouched(words, round);
	ok(MPI_Win_free(&win));
}

/* What is read is what is written: nobody else comes between. */
static void add_locked(MPI_Win win)
{
	int word;

	ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
	ok(MPI_Get(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
	ok(MPI_Win_flush(0, win));
	sched_yield();
	word++;
	ok(MPI_Put(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
	ok(MPI_Win_unlock(0, win));
}

static void many_locks(void)
{
	int *words, i, got;
	MPI_Win win;

	ok(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
			    MPI_COMM_WORLD, &words, &win));
	*words = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < LOCKS; i++)
		add_locked(win);
	MPI_Barrier(MPI_COMM_WORLD);
	ok(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	ok(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
	ok(MPI_Win_unlock(0, win));
	check(got == LOCKS * test_size, "%d of %d", got, LOCKS * test_size);
	MPI_Barrier(MPI_COMM_WORLD);
	ok(MPI_Win_free(&win));
}

static void post_and_count(MPI_Win win, MPI_Group all, const int *mine,
			   int round)
{
	int to, from, came = 0;

	ok(MPI_Win_post(all, 0, win));
	ok(MPI_Win_start(all, 0, win));
	for (to = 0; to < test_size; to++)
		ok(MPI_Put(&round, 1, MPI_INT, to, test_rank, 1, MPI_INT, win));
	ok(MPI_Win_complete(win));
	ok(MPI_Win_wait(win));
	for (from = 0; from < test_size; from++)
		came += mine[from] == round;
	check(came == test_size, "%d came to wait %d", came, round);
}

static void many_posts(void)
{
	MPI_Group all;
	MPI_Win win;
	int *words, i;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	ok(MPI_Win_allocate(test_size * (MPI_Aint)sizeof(int), sizeof(int),
			    MPI_INFO_NULL, MPI_COMM_WORLD, &words, &win));
	for (i = 1; i <= POSTS; i++)
		post_and_count(win, all, words, i);
	ok(MPI_Win_free(&win));
	MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
	int i;

	test_start(argc, argv);
	if (!share_core())
		return test_skip("the ranks have no core in common");
	many_fences();
	many_locks();
	many_posts();
	for (i = 0; i < WINDOWS; i++)
		made_anew(i);
	return test_finish();
}
