/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crowd.c - rmacrowd, synchronisation of any number of ranks at once: a plain
 * MPI program that prints the microseconds of a fence, of a ring of post,
 * start, complete, wait, and of one grant of an exclusive lock that all ranks
 * ask for all the time; beside them, on one node, those of a barrier, a ticket
 * lock and an MCS lock in shared memory, without MPI.
 *
 * Each time is the median of ROUNDS, each of a tenth of a second at least.
 */
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
#define LONG   0.1  /* seconds of a round */
#define SPINS  1000 /* looks before a waiter yields, where each has a core */

static int rank, size, spins;
static MPI_Win win;
static MPI_Group before, after;

/* -- without MPI ----------------------------------------------------------- */

struct node {
	_Atomic(int) next; /* rank + 1, or 0 */
	_Atomic(int) waits;
	char pad[56];
};

struct raw {
	_Atomic(unsigned) next, serving;
	char pad[56];
	_Atomic(int) tail; /* rank + 1, or 0 */
	char pad2[60];
	_Atomic(unsigned) come, past; /* ranks at the barrier; barriers */
	char pad3[56];
	struct node nodes[];
};

static struct raw *raw;

static void pause_or_yield(int looks)
{
	if (looks % (spins + 1) == spins)
		sched_yield();
	else
		__builtin_ia32_pause();
}

static void ticket(void)
{
	unsigned mine = atomic_fetch_add(&raw->next, 1);
	int i;

	for (i = 0;
	     atomic_load_explicit(&raw->serving, memory_order_acquire) != mine;
	     i++)
		pause_or_yield(i);
	atomic_store_explicit(&raw->serving, mine + 1, memory_order_release);
}

static void mcs_enter(struct node *mine)
{
	int last, i;

	atomic_store_explicit(&mine->next, 0, memory_order_relaxed);
	atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
	last = atomic_exchange(&raw->tail, rank + 1);
	if (!last)
		return;
	atomic_store_explicit(&raw->nodes[last - 1].next, rank + 1,
			      memory_order_release);
	for (i = 0; atomic_load_explicit(&mine->waits, memory_order_acquire);
	     i++)
		pause_or_yield(i);
}

static void mcs(void)
{
	struct node *mine = &raw->nodes[rank];
	int self = rank + 1, next, i;

	mcs_enter(mine);
	if (!atomic_load_explicit(&mine->next, memory_order_acquire) &&
	    atomic_compare_exchange_strong(&raw->tail, &self, 0))
		return;
	for (i = 0;
	     !(next = atomic_load_explicit(&mine->next, memory_order_acquire));
	     i++)
		pause_or_yield(i);
	atomic_store_explicit(&raw->nodes[next - 1].waits, 0,
			      memory_order_release);
}

/* The last to come tells the others: each runs once a barrier, no more. */
static void barrier(void)
{
	unsigned mine = atomic_load_explicit(&raw->past, memory_order_relaxed);
	int i;

	if (atomic_fetch_add(&raw->come, 1) == (unsigned)size - 1) {
		atomic_store_explicit(&raw->come, 0, memory_order_relaxed);
		atomic_store_explicit(&raw->past, mine + 1,
				      memory_order_release);
		return;
	}
	for (i = 0;
	     atomic_load_explicit(&raw->past, memory_order_acquire) == mine;
	     i++)
		pause_or_yield(i);
}

/* -- MPI's ------------------------------------------------------------------*/

static void fence(void)
{
	MPI_Win_fence(0, win);
}

static void ring(void)
{
	MPI_Win_post(before, 0, win);
	MPI_Win_start(after, 0, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
}

static void lock(void)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Win_unlock(0, win);
}

/* -- measuring --------------------------------------------------------------*/

/* Seconds until the last rank has done n, after all have begun. */
static double run(void (*fn)(void), int n)
{
	double start, seconds, most;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	for (int i = 0; i < n; i++)
		fn();
	seconds = MPI_Wtime() - start;
	MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return most;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* share: how many of all ranks' calls make one operation. */
static void measure(const char *name, void (*fn)(void), int share)
{
	double times[ROUNDS];
	int n = 16;

	while (run(fn, n) < LONG)
		n *= 2;
	for (int i = 0; i < ROUNDS; i++)
		times[i] = 1e6 * run(fn, n) / n / share;
	qsort(times, ROUNDS, sizeof(*times), ascending);
	if (!rank) {
		printf("%-8s %10.3f %10.3f %10.3f\n", name, times[ROUNDS / 2],
		       times[0], times[ROUNDS - 1]);
		fflush(stdout);
	}
}

static MPI_Group group_of(int member)
{
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &member, &group);
	MPI_Group_free(&world);
	return group;
}

static void measure_raw(void)
{
	MPI_Aint bytes = (MPI_Aint)(sizeof(struct raw) +
				    (size_t)size * sizeof(struct node));
	MPI_Win memory;
	void *base;
	int unit;

	MPI_Win_allocate_shared(rank ? 0 : bytes, 1, MPI_INFO_NULL,
				MPI_COMM_WORLD, &base, &memory);
	MPI_Win_shared_query(memory, 0, &bytes, &unit, &base);
	raw = base;
	if (!rank)
		memset(raw, 0, (size_t)bytes);
	measure("barrier", barrier, 1);
	measure("ticket", ticket, size);
	measure("mcs", mcs, size);
	MPI_Win_free(&memory);
}

static int is_one_node(void)
{
	MPI_Comm node;
	int near;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &near);
	MPI_Comm_free(&node);
	return near == size;
}

/* Of all ranks together: launchers give each its own. */
static int count_cores(void)
{
	cpu_set_t mine, all;

	sched_getaffinity(0, sizeof(mine), &mine);
	MPI_Allreduce(&mine, &all, sizeof(mine), MPI_BYTE, MPI_BOR,
		      MPI_COMM_WORLD);
	return CPU_COUNT(&all);
}

int main(int argc, char **argv)
{
	int cores;
	void *base;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	cores = count_cores();
	spins = cores < size ? 0 : SPINS;
	before = group_of((rank + size - 1) % size);
	after = group_of((rank + 1) % size);
	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	if (!rank)
		printf("# %d ranks, %d cores\n%-8s %10s %10s %10s\n", size,
		       cores, "# test", "median us", "least", "most");
	measure("fence", fence, 1);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	measure("pscw", ring, 1);
	measure("lock", lock, size);
	if (is_one_node())
		measure_raw();
	MPI_Win_free(&win);
	MPI_Group_free(&before);
	MPI_Group_free(&after);
	MPI_Finalize();
	return 0;
}
