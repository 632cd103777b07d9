/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A dynamic window's memory has to be attached when the target posts, not
 * when the origin begins: each access waits for the post, and then finds
 * what is attached in that exposure, though it was not before and will not
 * be after.
 */
/* ranks: 2 4; paths: default direct cma */
#include <unistd.h>

#include "test.h"

#define ROUNDS 60
#define WORDS  40

static MPI_Win win;
static MPI_Group targets; /* all ranks but 0, the origin */
static MPI_Group origin;

static void make_groups(void)
{
	MPI_Group world;
	int zero = 0;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &zero, &origin);
	MPI_Group_excl(world, 1, &zero, &targets);
	MPI_Group_free(&world);
}

/* Two places, known to the origin before anything is attached there. */
static void share_addresses(long *const *memory, MPI_Aint *at)
{
	MPI_Aint mine[2];

	MPI_Get_address(memory[0], &mine[0]);
	MPI_Get_address(memory[1], &mine[1]);
	MPI_Allgather(mine, 2, MPI_AINT, at, 2, MPI_AINT, MPI_COMM_WORLD);
}

/* The first access of the epoch is another call from round to round. */
static void call(int round, int t, MPI_Aint at, long *buf)
{
	const long ten = 10;
	long *result = buf + WORDS;
	int i;

	for (i = 0; i < WORDS; i++)
		buf[i] = 1000 * round + t;
	switch (round / 2 % 5) {
	case 0:
		ok(MPI_Put(buf, WORDS, MPI_LONG, t, at, WORDS, MPI_LONG, win));
		break;
	case 1:
		ok(MPI_Accumulate(buf, WORDS, MPI_LONG, t, at, WORDS, MPI_LONG,
				  MPI_SUM, win));
		break;
	case 2:
		ok(MPI_Get(result, WORDS, MPI_LONG, t, at, WORDS, MPI_LONG,
			   win));
		break;
	case 3:
		ok(MPI_Fetch_and_op(&ten, result, MPI_LONG, t, at, MPI_SUM,
				    win));
		break;
	default:
		ok(MPI_Get_accumulate(NULL, 0, MPI_LONG, result, WORDS,
				      MPI_LONG, t, at, WORDS, MPI_LONG,
				      MPI_NO_OP, win));
	}
}

/* What call() leaves in the first and the last word, which held round. */
static long expected(int round, bool first)
{
	long value = 1000 * round + test_rank;

	switch (round / 2 % 5) {
	case 0:
		return value;
	case 1:
		return value + round;
	case 3:
		return first ? round + 10 : round;
	default:
		return round;
	}
}

static void access_all(int round, const MPI_Aint *at)
{
	static long buf[64][2 * WORDS];
	int t;

	MPI_Win_start(targets, 0, win);
	for (t = 1; t < test_size; t++)
		call(round, t, at[2 * t + round % 2], buf[t]);
	ok(MPI_Win_complete(win));
	for (t = 1; t < test_size && round / 2 % 5 >= 2; t++)
		check(buf[t][WORDS] == round, "got %ld of rank %d, round %d",
		      buf[t][WORDS], t, round);
}

static void expose(int round, long *memory)
{
	int i;

	for (i = 0; i < WORDS; i++)
		memory[i] = round;
	/* Lets the origin come first. */
	usleep(round % 3 * 500);
	ok(MPI_Win_attach(win, memory, WORDS * sizeof(long)));
	MPI_Win_post(origin, 0, win);
	MPI_Win_wait(win);
	ok(MPI_Win_detach(win, memory));
	check(memory[0] == expected(round, true) &&
		      memory[WORDS - 1] == expected(round, false),
	      "%ld and %ld in round %d", memory[0], memory[WORDS - 1], round);
}

static void run(bool heap)
{
	MPI_Aint *at = calloc(2 * test_size, sizeof(*at));
	long *memory[2];
	int i;

	for (i = 0; i < 2; i++)
		memory[i] = test_memory(heap, WORDS * sizeof(long));
	share_addresses(memory, at);
	for (i = 0; i < ROUNDS; i++) {
		if (test_rank)
			expose(i, memory[i % 2]);
		else
			access_all(i, at);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 2; i++)
		test_memory_free(heap, memory[i]);
	free(at);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	make_groups();
	ok(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	run(false);
	if (!test_path_is("direct"))
		run(true);
	ok(MPI_Win_free(&win));
	MPI_Group_free(&origin);
	MPI_Group_free(&targets);
	return test_finish();
}
