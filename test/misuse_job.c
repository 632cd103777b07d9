/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What misuse.sh runs on three ranks: each case misuses a window of its name
 * in one way, or with the argument "right" does nearly the same within the
 * rules; with "unnamed" the window has no name.
 */
#include "test.h"

#include <sys/mman.h>

static bool right, named;
static int *base;
static MPI_Win win;
static int one = 1, two = 2, old, old2;

static void open_window(const char *name)
{
	MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &base, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	if (named)
		MPI_Win_set_name(win, name);
	memset(base, 0, 64 * sizeof(int));
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Inline: where it is called is told. */
static inline __attribute__((always_inline)) void put(int *from, int at)
{
	MPI_Put(from, 1, MPI_INT, 0, at, 1, MPI_INT, win);
}

/* Before rank, or ranks, that come after it. */
static void pass_on(int rank)
{
	if (test_rank == rank)
		MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	if (test_rank == rank + 1)
		MPI_Recv(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

/* -- accesses that conflict ------------------------------------------------ */

/* Ranks 1 and 2 put to the same place in one epoch. */
static void fence_puts(void)
{
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		put(&one, 1);
	pass_on(1);
	if (test_rank == 2)
		put(&one, right ? 2 : 1);
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		put(&one, 2);
	MPI_Win_fence(0, win);
}

/* One before the other, but in the same epoch of the target's. */
static void exposure_puts(void)
{
	MPI_Group world, target, origins;
	const int zero = 0, others[] = { 1, 2 };

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &zero, &target);
	MPI_Group_incl(world, 2, others, &origins);
	if (!test_rank) {
		MPI_Win_post(origins, 0, win);
		MPI_Win_wait(win);
	} else {
		if (test_rank == 2)
			pass_on(1);
		MPI_Win_start(target, 0, win);
		put(&one, right ? test_rank : 1);
		MPI_Win_complete(win);
		if (test_rank == 1)
			pass_on(1);
	}
	MPI_Group_free(&world);
	MPI_Group_free(&target);
	MPI_Group_free(&origins);
}

/* Rank 2 puts what rank 1 has put, told by a message, but not flushed. */
static void lock_puts(void)
{
	MPI_Win_lock_all(0, win);
	if (test_rank == 1)
		put(&one, 3);
	if (right)
		MPI_Win_flush_all(win);
	else
		MPI_Win_flush_local_all(win);
	if (test_rank)
		pass_on(1);
	if (test_rank == 2)
		put(&one, 3);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
}

/* What rank 1 itself has put, rank 1 gets. */
static void own_get(void)
{
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	if (test_rank == 1) {
		put(&one, 4);
		if (right)
			MPI_Win_flush(0, win);
		MPI_Get(&old, 1, MPI_INT, 0, 4, 1, MPI_INT, win);
	}
	MPI_Win_unlock(0, win);
}

/* A get is complete after flush_local, and its place may be written. */
static void get_first(void)
{
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	if (test_rank == 1) {
		MPI_Get(&old, 1, MPI_INT, 0, 4, 1, MPI_INT, win);
		if (right)
			MPI_Win_flush_local(0, win);
		put(&one, 4);
	}
	MPI_Win_unlock(0, win);
}

/* Columns of which one has a row too many. */
static void columns(void)
{
	int values[8] = { 0 }, rows = test_rank == 1 && !right ? 5 : 4;
	MPI_Datatype column;

	MPI_Type_vector(rows, test_rank == 1 && !right ? 2 : 1, 4, MPI_INT,
			&column);
	MPI_Type_commit(&column);
	MPI_Win_fence(0, win);
	if (test_rank == 2)
		MPI_Put(values, 4, MPI_INT, 0, 2, 1, column, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 1)
		MPI_Put(values, right ? 4 : 8, MPI_INT, 0, 1, 1, column, win);
	MPI_Win_fence(0, win);
	MPI_Type_free(&column);
}

static void accumulate(MPI_Op op, MPI_Datatype type)
{
	MPI_Accumulate(&one, 1, type, 0, 5, 1, type, op, win);
}

/* Sums and products of different ranks at once. */
static void operations(void)
{
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		accumulate(MPI_SUM, MPI_INT);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 2)
		accumulate(right ? MPI_SUM : MPI_PROD, MPI_INT);
	MPI_Win_fence(0, win);
}

static void elements(void)
{
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		accumulate(MPI_SUM, MPI_INT);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 2)
		accumulate(MPI_SUM, right ? MPI_INT : MPI_FLOAT);
	MPI_Win_fence(0, win);
}

static void put_and_sum(void)
{
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		accumulate(MPI_REPLACE, MPI_INT);
	MPI_Barrier(MPI_COMM_WORLD);
	if (test_rank == 2 && !right)
		put(&one, 5);
	if (test_rank == 2 && right)
		accumulate(MPI_REPLACE, MPI_INT);
	MPI_Win_fence(0, win);
}

/* The target stores where rank 1 has put. */
static void target_stores(void)
{
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		put(&one, 6);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!test_rank)
		base[right ? 7 : 6] = 77;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_fence(0, win);
}

/* -- local buffers --------------------------------------------------------- */

static void origin_changed(void)
{
	static int mine = 1;

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	if (test_rank == 1) {
		put(&mine, 8);
		if (right)
			MPI_Win_flush_local(0, win);
		mine = 2;
	}
	MPI_Win_unlock(0, win);
}

static void origin_unmapped(void)
{
	int *mine = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	if (test_rank == 1)
		put(mine, 8);
	if (right)
		MPI_Win_flush_local(0, win);
	munmap(mine, 4096);
	MPI_Win_unlock(0, win);
}

static void result_changed(void)
{
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	if (test_rank == 1) {
		MPI_Get(&old, 1, MPI_INT, 0, 8, 1, MPI_INT, win);
		if (right)
			MPI_Win_flush(0, win);
		old = 2;
	}
	MPI_Win_unlock(0, win);
}

/* What a get is to bring is put before it is there. */
static void result_sent(void)
{
	MPI_Win_lock_all(0, win);
	if (test_rank == 1) {
		MPI_Get(&old, 1, MPI_INT, 0, 9, 1, MPI_INT, win);
		if (right)
			MPI_Win_flush(0, win);
		MPI_Put(&old, 1, MPI_INT, 2, 9, 1, MPI_INT, win);
	}
	MPI_Win_unlock_all(win);
}

static void origin_is_result(void)
{
	MPI_Win_lock_all(0, win);
	if (test_rank == 1)
		MPI_Fetch_and_op(&one, right ? &old : &one, MPI_INT, 0, 10,
				 MPI_SUM, win);
	MPI_Win_unlock_all(win);
}

/* -- epochs, ranges, assertions -------------------------------------------- */

static void no_epoch(void)
{
	if (right)
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	if (test_rank == 1)
		put(&one, 11);
	if (right)
		MPI_Win_unlock(0, win);
}

static void unlocked(void)
{
	if (right)
		MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
	if (test_rank == 1 || right)
		MPI_Win_unlock(2, win);
}

static void out_of_range(void)
{
	int three[3] = { 0 };

	MPI_Win_fence(0, win);
	if (test_rank == 1)
		MPI_Put(three, 3, MPI_INT, 2, right ? 61 : 62, 3, MPI_INT, win);
	MPI_Win_fence(0, win);
}

static void noprecede(void)
{
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		put(&two, 12);
	MPI_Win_fence(right ? 0 : MPI_MODE_NOPRECEDE, win);
	MPI_Win_fence(right ? MPI_MODE_NOPRECEDE : 0, win);
}

static void noput(void)
{
	MPI_Win_fence(!test_rank ? MPI_MODE_NOPUT : 0, win);
	if (test_rank == 1 && !right)
		put(&two, 13);
	if (test_rank == 1 && right)
		MPI_Get(&old2, 1, MPI_INT, 0, 13, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	if (test_rank == 1)
		put(&two, 13);
	MPI_Win_fence(0, win);
}

/* Rank 1 updates what rank 0 has promised to be left alone. */
static void noput_post(void)
{
	MPI_Group world, target, origin;
	const int zero = 0, first = 1;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &zero, &target);
	MPI_Group_incl(world, 1, &first, &origin);
	if (!test_rank) {
		MPI_Win_post(origin, right ? 0 : MPI_MODE_NOPUT, win);
		MPI_Win_wait(win);
	} else if (test_rank == 1) {
		MPI_Win_start(target, 0, win);
		accumulate(MPI_SUM, MPI_INT);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&world);
	MPI_Group_free(&target);
	MPI_Group_free(&origin);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "fence_puts", fence_puts },
	{ "exposure_puts", exposure_puts },
	{ "lock_puts", lock_puts },
	{ "own_get", own_get },
	{ "get_first", get_first },
	{ "columns", columns },
	{ "operations", operations },
	{ "elements", elements },
	{ "put_and_sum", put_and_sum },
	{ "target_stores", target_stores },
	{ "origin_changed", origin_changed },
	{ "origin_unmapped", origin_unmapped },
	{ "result_changed", result_changed },
	{ "result_sent", result_sent },
	{ "origin_is_result", origin_is_result },
	{ "no_epoch", no_epoch },
	{ "unlocked", unlocked },
	{ "out_of_range", out_of_range },
	{ "noprecede", noprecede },
	{ "noput", noput },
	{ "noput_post", noput_post },
};

/* misuse_job wrong|right|unnamed [case] */
int main(int argc, char **argv)
{
	size_t i;

	test_start(argc, argv);
	right = !strcmp(argv[1], "right");
	named = strcmp(argv[1], "unnamed");
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (argc > 2 && strcmp(argv[2], cases[i].name))
			continue;
		open_window(cases[i].name);
		cases[i].run();
		MPI_Win_free(&win);
	}
	return test_finish();
}
