/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With MPI_THREAD_MULTIPLE two threads of a process work on one window: while
 * one waits for a post the other attaches memory, and detaches it; while one
 * exposes the window the other begins and ends epochs of its own, of start
 * and of lock.
 */
/* ranks: 2 4; paths: default cma */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "test.h"

#define ATTACH_ROUNDS 30
#define EPOCH_ROUNDS  200

static MPI_Win win;
static MPI_Group before, after; /* the rank before, the rank after */

static MPI_Group group_of(int rank)
{
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &rank, &group);
	MPI_Group_free(&world);
	return group;
}

/* -- attach beside a waiting put --------------------------------------------*/

static MPI_Aint there;
static _Atomic bool begun;

static void *put_early(void *arg)
{
	long *value = arg;

	MPI_Win_start(after, 0, win);
	atomic_store(&begun, true);
	MPI_Put(value, 1, MPI_LONG, test_next(), there, 1, MPI_LONG, win);
	MPI_Win_complete(win);
	return NULL;
}

/* Even ranks are origins of the next ones. */
static void attach_meanwhile(int round, char *spare)
{
	long value = 10 * round + test_rank;
	pthread_t thread;

	atomic_store(&begun, false);
	pthread_create(&thread, NULL, put_early, &value);
	while (!atomic_load(&begun))
		sched_yield();
	/* Likely to wait by now; it cannot be done before our message. */
	usleep(round * 50);
	MPI_Win_attach(win, spare, 64);
	MPI_Win_detach(win, spare);
	MPI_Send(NULL, 0, MPI_INT, test_next(), 0, MPI_COMM_WORLD);
	pthread_join(thread, NULL);
}

static void expose_after(int round, const long *word)
{
	MPI_Recv(NULL, 0, MPI_INT, test_prev(), 0, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	MPI_Win_post(before, 0, win);
	MPI_Win_wait(win);
	check(*word == 10 * round + test_prev(), "%ld in round %d", *word,
	      round);
}

static void attach_beside_put(void)
{
	char *spare = test_memory(false, 64);
	long *word = test_memory(false, sizeof(*word));
	MPI_Aint here;
	int i;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_attach(win, word, sizeof(*word));
	MPI_Get_address(word, &here);
	MPI_Sendrecv(&here, 1, MPI_AINT, test_prev(), 0, &there, 1, MPI_AINT,
		     test_next(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (i = 0; i < ATTACH_ROUNDS; i++) {
		if (test_rank % 2)
			expose_after(i, word);
		else
			attach_meanwhile(i, spare);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_detach(win, word);
	MPI_Win_free(&win);
	test_memory_free(false, word);
	test_memory_free(false, spare);
}

/* -- exposure beside an access ----------------------------------------------*/

static _Atomic int asked, done;

static void *expose(void *arg)
{
	const bool *exposes = arg;
	int i;

	for (i = 1; i <= EPOCH_ROUNDS; i++) {
		while (atomic_load(&asked) < i)
			sched_yield();
		if (*exposes) {
			MPI_Win_post(before, 0, win);
			MPI_Win_wait(win);
		}
		atomic_store(&done, i);
	}
	return NULL;
}

static void begin(int round)
{
	/* Opens an epoch that nothing follows, so others may. */
	MPI_Win_fence(0, win);
	atomic_store(&asked, round);
}

static void finish(int round)
{
	while (atomic_load(&done) < round)
		sched_yield();
}

static void start_epoch(const long *value)
{
	ok(MPI_Win_start(after, 0, win));
	ok(MPI_Put(value, 1, MPI_LONG, test_next(), 0, 1, MPI_LONG, win));
	ok(MPI_Win_complete(win));
}

static void lock_epoch(int type, const long *value)
{
	ok(MPI_Win_lock(type, test_prev(), 0, win));
	ok(MPI_Put(value, 1, MPI_LONG, test_prev(), 1, 1, MPI_LONG, win));
	ok(MPI_Win_unlock(test_prev(), win));
}

static pthread_t begin_exposing(long **words, bool *exposes)
{
	pthread_t thread;

	MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL,
			 MPI_COMM_WORLD, words, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	memset(*words, 0, 2 * sizeof(long));
	atomic_store(&asked, 0);
	atomic_store(&done, 0);
	pthread_create(&thread, NULL, expose, exposes);
	return thread;
}

/* Every rank exposes to the one before and accesses the one after. */
static void post_beside_start(void)
{
	bool exposes = true;
	long *words;
	pthread_t thread = begin_exposing(&words, &exposes);
	int i;

	for (i = 1; i <= EPOCH_ROUNDS; i++) {
		long value = 10 * i + test_rank;

		begin(i);
		start_epoch(&value);
		finish(i);
		check(words[0] == 10 * i + test_prev(), "%ld in round %d",
		      words[0], i);
	}
	pthread_join(thread, NULL);
	MPI_Win_free(&win);
}

/*
 * Even ranks start, odd ones expose to them and lock the rank before, which
 * is not exposed.
 */
static void post_beside_lock(void)
{
	bool exposes = test_rank % 2;
	long *words;
	pthread_t thread = begin_exposing(&words, &exposes);
	int i;

	for (i = 1; i <= EPOCH_ROUNDS; i++) {
		long value = 10 * i + test_rank;

		begin(i);
		if (exposes)
			lock_epoch(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE,
				   &value);
		else
			start_epoch(&value);
		finish(i);
		MPI_Win_fence(0, win);
		check(words[!exposes] ==
			      10 * i + (exposes ? test_prev() : test_next()),
		      "%ld in round %d", words[!exposes], i);
	}
	pthread_join(thread, NULL);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	if (!test_start_threads(argc, argv))
		return test_skip("the host has no MPI_THREAD_MULTIPLE");
	if (test_on_host)
		return test_skip("hosts hang when a thread waits for a post");
	if (test_size % 2)
		return test_skip("every second rank has its part in this");
	before = group_of(test_prev());
	after = group_of(test_next());
	attach_beside_put();
	post_beside_start();
	post_beside_lock();
	MPI_Group_free(&before);
	MPI_Group_free(&after);
	return test_finish();
}
