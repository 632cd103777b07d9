/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations do not overtake what must come before them: not puts of the epoch
 * before a fence, of whichever origin; not the exclusive lock they are under,
 * where MPI_Win_post or a large accumulate comes between; and of two threads'
 * puts under one lock none is left behind by a flush.  Nor does what tells the
 * target of their end, fence or complete, overtake puts and gets, however long,
 * or a notification (oriel.h) that waits for these.
 */
/* ranks: 2 3; paths: default */
#include <pthread.h>
#include <unistd.h>

#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#define FENCES	    300
#define LARGE	    1024 /* words of a put that travels by itself */
#define LOCK_ROUNDS 5
#define LOCK_WORDS  65536
#define ENDS	    20
#define LONG_WORDS  131072
#define GETS	    8 /* more than a socket takes */
#define NOTICES	    40
#define HUGE_WORDS  (1 << 20) /* their put outlasts a get before it by far */
#define RACES	    150
#define PIECES	    4 /* together more than one message holds */
#define PIECE	    512

static struct test_win w;

/* An even number: MPICH by itself puts beside the memory of odd ones. */
static void open_words(int words)
{
	words += words % 2;
	test_win_open(&w, KIND_ALLOCATE, words * sizeof(long), sizeof(long));
}

static void put(const long *src, int words, int target, int at)
{
	MPI_Put(src, words, MPI_LONG, target, at, words, MPI_LONG, w.win);
}

static void get(long *dst, int words, int target, int at)
{
	MPI_Get(dst, words, MPI_LONG, target, at, words, MPI_LONG, w.win);
}

static void fill(long *dst, int words, long value)
{
	int i;

	for (i = 0; i < words; i++)
		dst[i] = value;
}

/* The first word that is not value, or the number of words. */
static int differs(const long *src, int words, long value)
{
	int i;

	for (i = 0; i < words && src[i] == value; i++)
		;
	return i;
}

/* -- across a fence: rank 0 puts to rank 1 ----------------------------------*/

/* The origin reads the one word, every third rank the other. */
static void get_after_put(int round)
{
	const long *mine = (const long *)w.base;
	long src[2] = { round, round }, got = -1;

	if (test_rank == 0) {
		put(&src[0], 1, 1, 0);
		put(&src[1], 1, 1, 1);
	}
	MPI_Win_fence(0, w.win);
	if (test_rank != 1)
		get(&got, 1, 1, test_rank ? 1 : 0);
	MPI_Win_fence(0, w.win);
	if (test_rank != 1)
		check(got == round, "got %ld after fence %d", got, round);
	else
		check(mine[0] == round && mine[1] == round,
		      "%ld and %ld after fence %d", mine[0], mine[1], round);
}

/* The large put covers the word of the small one. */
static void large_after_small(int round)
{
	const long *mine = (const long *)w.base + 2;
	long small = -round, large[LARGE];

	if (test_rank == 0)
		put(&small, 1, 1, 2);
	MPI_Win_fence(0, w.win);
	fill(large, LARGE, 10L * round);
	if (test_rank == 0)
		put(large, LARGE, 1, 2);
	MPI_Win_fence(0, w.win);
	if (test_rank == 1) {
		int i = differs(mine, LARGE, 10L * round);

		check(i == LARGE, "%ld in word %d of the large put, round %d",
		      mine[i], i, round);
	}
}

static void across_fences(void)
{
	int i;

	open_words(LARGE + 3);
	MPI_Win_fence(0, w.win);
	for (i = 1; i <= FENCES; i++) {
		get_after_put(i);
		large_after_small(i);
	}
	test_win_close(&w);
}

/* -- a lock, a post and a large put -----------------------------------------*/

static MPI_Group group_of(int rank)
{
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &rank, &group);
	MPI_Group_free(&world);
	return group;
}

/* Rank 2 has the lock while rank 0 asks for it: nobody else writes. */
static void hold(long *words, int round)
{
	int i;

	fill(words, LOCK_WORDS, 2L * round);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w.win);
	put(words, LOCK_WORDS, 1, 0);
	MPI_Win_flush(1, w.win);
	MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
	/* A put that is ahead of its lock is likely to be there by then. */
	usleep(20000);
	get(words, LOCK_WORDS, 1, 0);
	MPI_Win_flush(1, w.win);
	i = differs(words, LOCK_WORDS, 2L * round);
	check(i == LOCK_WORDS, "%ld in word %d under the lock, round %d",
	      words[i], i, round);
	MPI_Win_unlock(1, w.win);
}

/* Behind the words that are locked: it changes nothing. */
static void accumulate_zeros(void)
{
	static const long zeros[LOCK_WORDS];

	MPI_Accumulate(zeros, LOCK_WORDS, MPI_LONG, 1,
		       test_at(&w, 1, LOCK_WORDS * (int)sizeof(long)),
		       LOCK_WORDS, MPI_LONG, MPI_SUM, w.win);
}

/* Rank 0 exposes its memory to the target before it puts. */
static void follow(long *words, MPI_Group target, int round)
{
	fill(words, LOCK_WORDS, 2L * round + 1);
	MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w.win);
	if (round % 2)
		accumulate_zeros();
	MPI_Win_post(target, 0, w.win);
	put(words, LOCK_WORDS, 1, 0);
	MPI_Win_unlock(1, w.win);
	MPI_Win_wait(w.win);
}

static void check_followed(int round)
{
	const long *mine = (const long *)w.base;
	int i;

	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w.win);
	i = differs(mine, LOCK_WORDS, 2L * round + 1);
	check(i == LOCK_WORDS, "%ld in word %d at last, round %d", mine[i], i,
	      round);
	MPI_Win_unlock(1, w.win);
}

static void behind_a_lock(void)
{
	long *words = calloc(LOCK_WORDS + 1, sizeof(*words));
	MPI_Group origin = group_of(0), target = group_of(1);
	int i;

	open_words(2 * LOCK_WORDS);
	for (i = 1; i <= LOCK_ROUNDS; i++) {
		if (test_rank == 0) {
			follow(words, target, i);
		} else if (test_rank == 1) {
			MPI_Win_start(origin, 0, w.win);
			MPI_Win_complete(w.win);
		} else if (test_rank == 2) {
			hold(words, i);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		if (test_rank == 1)
			check_followed(i);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	test_win_close(&w);
	MPI_Group_free(&origin);
	MPI_Group_free(&target);
	free(words);
}

/* -- what tells of their end, of puts to and gets from the next -------------*/

/* What is put is in the first half and behind the second, which is got, unless
 * there are to be puts alone: messages may overtake gets. */
static void move(const long *src, long *dst)
{
	int next = (test_rank + 1) % test_size, i;

	put(src, LONG_WORDS, next, 0);
	put(src, 1, next, 2 * LONG_WORDS);
	for (i = 0; dst && i < GETS; i++)
		get(dst + i * LONG_WORDS, LONG_WORDS, next, LONG_WORDS);
}

static void end_by_fence(const long *src, long *dst)
{
	move(src, dst);
	MPI_Win_fence(0, w.win);
}

static void end_by_complete(const long *src, long *dst)
{
	MPI_Group before = group_of((test_rank + test_size - 1) % test_size);
	MPI_Group after = group_of((test_rank + 1) % test_size);

	MPI_Win_post(before, 0, w.win);
	MPI_Win_start(after, 0, w.win);
	move(src, dst);
	MPI_Win_complete(w.win);
	MPI_Win_wait(w.win);
	MPI_Group_free(&before);
	MPI_Group_free(&after);
}

/* As the call returns, and before anybody may begin the next round. */
static void check_ended(const long *words, long value, const char *what)
{
	int i = differs(words, LONG_WORDS, value);

	check(i == LONG_WORDS, "%ld in word %d of %s, not %ld", words[i], i,
	      what, value);
}

static void ends(void)
{
	long *src = calloc((GETS + 1) * LONG_WORDS, sizeof(*src));
	long *dst = src + LONG_WORDS, *mine;
	int i;

	open_words(2 * LONG_WORDS + 1);
	mine = (long *)w.base;
	for (i = 1; i <= ENDS; i++) {
		bool gets = i / 2 % 2;

		fill(src, LONG_WORDS, i);
		fill(mine + LONG_WORDS, LONG_WORDS, -i);
		MPI_Win_fence(i % 2 ? 0 : MPI_MODE_NOSUCCEED, w.win);
		(i % 2 ? end_by_fence : end_by_complete)(src,
							 gets ? dst : NULL);
		/* A get that is late would see it. */
		fill(mine + LONG_WORDS, LONG_WORDS, 0);
		check_ended(mine, i, "what was put");
		if (gets)
			check_ended(dst + (GETS - 1) * LONG_WORDS, -i,
				    "what was got");
		check(mine[2 * LONG_WORDS] == i, "%ld in round %d",
		      mine[2 * LONG_WORDS], i);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	test_win_close(&w);
	free(src);
}

/* -- a notification that waits, from rank 0 to rank 1 -----------------------*/

enum { TOLD, NEVER };

static int has_notice(int tag)
{
	int flag = 0;

	Oriel_Notify_test(w.win, tag, 1, &flag);
	return flag;
}

/* When the get has ended there is nothing under way that a message might
 * overtake, but the notification waits for the put as well. */
static void notify_late(const long *src, long *dst, long value)
{
	const volatile long *last = dst + LARGE - 1;

	get(dst, LARGE, 1, HUGE_WORDS);
	put(src, HUGE_WORDS, 1, 0);
	Oriel_Put_notify(NULL, 0, MPI_LONG, 1, 0, 0, MPI_LONG, TOLD, w.win);
	do {
		check(!has_notice(NEVER), "a notification of nobody's");
	} while (*last != value);
	has_notice(NEVER); /* a poll tells of its end, if none has */
}

static void notify_and_fence(const long *src, long *dst, long value)
{
	if (test_rank == 0)
		notify_late(src, dst, value);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
}

static void notify_and_complete(const long *src, long *dst, long value)
{
	MPI_Group origin = group_of(0), target = group_of(1);

	if (test_rank == 0) {
		MPI_Win_start(target, 0, w.win);
		notify_late(src, dst, value);
		MPI_Win_complete(w.win);
	} else if (test_rank == 1) {
		MPI_Win_post(origin, 0, w.win);
		MPI_Win_wait(w.win);
	}
	MPI_Group_free(&origin);
	MPI_Group_free(&target);
}

static void notices(void)
{
	long *src = calloc(HUGE_WORDS + LARGE, sizeof(*src));
	int i;

	open_words(HUGE_WORDS + LARGE);
	for (i = 1; i <= NOTICES; i++) {
		fill(src, HUGE_WORDS, i);
		fill((long *)w.base + HUGE_WORDS, LARGE, i);
		MPI_Win_fence(i % 2 ? 0 : MPI_MODE_NOSUCCEED, w.win);
		(i % 2 ? notify_and_fence
		       : notify_and_complete)(src, src + HUGE_WORDS, i);
		if (test_rank == 1)
			check(has_notice(TOLD), "told too late, round %d", i);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	test_win_close(&w);
	free(src);
}

/* -- two threads under one lock ---------------------------------------------*/

static pthread_barrier_t meeting; /* of both threads and main */
static long one, pieces[PIECES * PIECE];

/* The last rank holds what all others put. */
static int race_target(void)
{
	return test_size - 1;
}

static long race_value(int round)
{
	return 16L * round + test_rank;
}

/* So small that it may wait for company in a message. */
static void *put_one(void *arg)
{
	int i;

	for (i = 1; i <= RACES; i++) {
		pthread_barrier_wait(&meeting);
		usleep(i * 7 % 60); /* now before, now amid the pieces */
		one = race_value(i);
		put(&one, 1, race_target(), 0);
		pthread_barrier_wait(&meeting);
	}
	return arg;
}

static void *put_pieces(void *arg)
{
	int i, j;

	for (i = 1; i <= RACES; i++) {
		pthread_barrier_wait(&meeting);
		for (j = 0; j < PIECES; j++) {
			long *piece = pieces + j * PIECE;

			fill(piece, PIECE, race_value(i));
			put(piece, PIECE, race_target(), 1 + j * PIECE);
		}
		pthread_barrier_wait(&meeting);
	}
	return arg;
}

/* Others wait for the same lock. */
static void race(long *got, int round)
{
	int i, words = 1 + PIECES * PIECE;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, race_target(), 0, w.win);
	pthread_barrier_wait(&meeting);
	pthread_barrier_wait(&meeting);
	MPI_Win_flush(race_target(), w.win);
	get(got, words, race_target(), 0);
	MPI_Win_unlock(race_target(), w.win);
	i = differs(got, words, race_value(round));
	check(i == words, "%ld in word %d of two threads, round %d", got[i], i,
	      round);
}

static void races(void)
{
	long *got = calloc(2 + PIECES * PIECE, sizeof(*got));
	pthread_t threads[2];
	int i;

	pthread_barrier_init(&meeting, NULL, 3);
	pthread_create(&threads[0], NULL, put_one, NULL);
	pthread_create(&threads[1], NULL, put_pieces, NULL);
	for (i = 1; i <= RACES; i++)
		race(got, i);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&meeting);
	free(got);
}

static void two_threads(void)
{
	open_words(1 + PIECES * PIECE);
	if (test_rank != race_target())
		races();
	test_win_close(&w);
}

int main(int argc, char **argv)
{
	const bool threaded = test_start_threads(argc, argv);

	if (test_size < 2)
		return test_skip("one rank has nobody to overtake");
	across_fences();
	if (test_size > 2)
		behind_a_lock();
	/* Gets end behind complete in MPICH 4.0, now and then. */
	if (!test_on_host)
		ends();
	if (Oriel_Put_notify)
		notices();
	if (threaded)
		two_threads();
	return test_finish();
}
