/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between nodes a small epoch is one round trip, whatever its lock and however
 * many operations are in it: lock, operations and unlock travel in one message,
 * which is answered once; so do any number of small operations before a flush.
 * What ends nothing (a flush when all is complete, an epoch without operations,
 * a local flush of data that have been copied) waits for nobody.  Within a node
 * nothing waits, and no message is sent.
 */
/* ranks: 2; paths: software fabric default; hosts: 2x1 */
#include "stats.h"
#include "test.h"

#define EPOCHS 100
#define OPS    20
/* In all: signs of life, hints that reads and writes are under way. */
#define MORE_MESSAGES 10

/* Where ranks wait for a core, an answer in so many may come before it is
 * waited for; that is no round trip. */
#define UNWAITED 4

static struct test_win w;
static const int target = 1;
static bool far;
static long value = 1, fetched[OPS];

static void put(int i)
{
	MPI_Put(&value, 1, MPI_LONG, target, test_at(&w, target, 8 * i), 1,
		MPI_LONG, w.win);
}

static void get(int i)
{
	MPI_Get(&fetched[i], 1, MPI_LONG, target, test_at(&w, target, 8 * i), 1,
		MPI_LONG, w.win);
}

static void add(int i)
{
	MPI_Accumulate(&value, 1, MPI_LONG, target, test_at(&w, target, 8 * i),
		       1, MPI_LONG, MPI_SUM, w.win);
}

static void fetch_add(int i)
{
	MPI_Fetch_and_op(&value, &fetched[i], MPI_LONG, target,
			 test_at(&w, target, 8 * i), MPI_SUM, w.win);
}

static void swap(int i)
{
	MPI_Compare_and_swap(&value, &value, &fetched[i], MPI_LONG, target,
			     test_at(&w, target, 8 * i), w.win);
}

/* Of each kind, and many. */
static void several(int i)
{
	put(i);
	add(i + 1);
	get(i + 2);
	fetch_add(i + 3);
	swap(i + 4);
}

static void nothing(int i)
{
}

/* -- epochs ----------------------------------------------------------------*/

typedef void (*operation)(int i);

static void shared(operation op)
{
	MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
	op(0);
	MPI_Win_unlock(target, w.win);
}

static void exclusive(operation op)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
	op(0);
	MPI_Win_unlock(target, w.win);
}

static void unchecked(operation op)
{
	MPI_Win_lock(MPI_LOCK_SHARED, target, MPI_MODE_NOCHECK, w.win);
	op(0);
	MPI_Win_unlock(target, w.win);
}

static void all(operation op)
{
	MPI_Win_lock_all(0, w.win);
	op(0);
	MPI_Win_unlock_all(w.win);
}

/* In an epoch of lock_all that stays open: */
static void flushed(operation op)
{
	op(0);
	MPI_Win_flush(target, w.win);
}

static void all_flushed(operation op)
{
	op(0);
	MPI_Win_flush_all(w.win);
}

static void many_flushed(operation op)
{
	int i;

	for (i = 0; i < OPS; i++)
		op(i);
	MPI_Win_flush(target, w.win);
}

static void twice_flushed(operation op)
{
	op(0);
	MPI_Win_flush(target, w.win);
	MPI_Win_flush(target, w.win);
	MPI_Win_flush_all(w.win);
}

static void flushed_here(operation op)
{
	op(0);
	MPI_Win_flush_local(target, w.win);
}

/* -- counted ---------------------------------------------------------------*/

struct count {
	long long trips, messages;
};

static struct count count_now(void)
{
	return (struct count){
		.trips = stat_of("round_trips"),
		.messages = stat_of("messages_sent"),
	};
}

static void check_epochs(const char *name, void (*epoch)(operation op),
			 operation op, int trips)
{
	struct count before, after;
	int i, want = far ? EPOCHS * trips : 0;

	MPI_Barrier(MPI_COMM_WORLD);
	if (!test_rank)
		epoch(op); /* what is to be done once */
	MPI_Barrier(MPI_COMM_WORLD);
	before = count_now();
	for (i = 0; !test_rank && i < EPOCHS; i++)
		epoch(op);
	MPI_Barrier(MPI_COMM_WORLD);
	after = count_now();
	check(after.trips - before.trips <= (test_rank ? 0 : want) &&
		      after.trips - before.trips >=
			      (test_rank ? 0 : want - want / UNWAITED),
	      "%lld round trips for %d times %s", after.trips - before.trips,
	      EPOCHS, name);
	check(after.messages - before.messages <=
		      (far ? want + MORE_MESSAGES : 0),
	      "%lld messages for %d times %s", after.messages - before.messages,
	      EPOCHS, name);
}

#define CHECK(epoch, op, trips) check_epochs(#epoch " " #op, epoch, op, trips)

static void check_locks(void)
{
	CHECK(shared, put, 1);
	CHECK(shared, get, 1);
	CHECK(shared, add, 1);
	CHECK(shared, several, 1);
	CHECK(shared, nothing, 0);
	CHECK(exclusive, put, 1);
	CHECK(exclusive, fetch_add, 1);
	CHECK(exclusive, several, 1);
	CHECK(exclusive, nothing, 0);
	CHECK(unchecked, put, 1);
	CHECK(unchecked, swap, 1);
	CHECK(unchecked, several, 1);
	CHECK(unchecked, nothing, 0);
	CHECK(all, put, 1);
	CHECK(all, several, 1);
	CHECK(all, nothing, 0);
}

static void check_flushes(void)
{
	MPI_Win_lock_all(0, w.win);
	CHECK(flushed, put, 1);
	CHECK(flushed, get, 1);
	CHECK(flushed, add, 1);
	CHECK(flushed, fetch_add, 1);
	CHECK(flushed, swap, 1);
	CHECK(flushed, several, 1);
	CHECK(flushed, nothing, 0);
	CHECK(all_flushed, put, 1);
	CHECK(all_flushed, nothing, 0);
	CHECK(many_flushed, put, 1);
	CHECK(many_flushed, get, 1);
	CHECK(many_flushed, add, 1);
	CHECK(many_flushed, fetch_add, 1);
	CHECK(twice_flushed, put, 1);
	CHECK(twice_flushed, fetch_add, 1);
	CHECK(flushed_here, put, 0);
	CHECK(flushed_here, add, 0);
	MPI_Win_unlock_all(w.win);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	if (test_on_host)
		return test_skip("the host does not count");
	far = test_apart || test_path_is("software") || test_path_is("fabric");
	test_win_open(&w, KIND_ALLOCATE, 8 * (OPS + 5), 1);
	check_locks();
	check_flushes();
	test_win_close(&w);
	return test_finish();
}
