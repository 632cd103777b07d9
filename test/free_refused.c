/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A delete callback that fails makes MPI_Win_free fail on its rank; the
 * handle is left, and no epoch can be begun.  The call may be repeated, by
 * that rank alone, when the others have freed the window long since and use
 * their memory for something else; then it succeeds.
 */
/* ranks: 1 4; paths: default cma */
#include "test.h"

#define SPARE 200000

static int refusals, keyval;

static int refuse(MPI_Win win, int key, void *value, void *state)
{
	return refusals-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Hosts may not look at what a callback returns. */
static bool host_heeds_callbacks(void)
{
	MPI_Win win;
	void *base;
	int rc;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	refusals = 1;
	MPI_Win_set_attr(win, keyval, NULL);
	rc = MPI_Win_free(&win);
	if (rc != MPI_SUCCESS)
		ok(MPI_Win_free(&win));
	return rc != MPI_SUCCESS;
}

static void check_left(MPI_Win win)
{
	check(win != MPI_WIN_NULL, "the handle is gone");
	expect(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, "MPI_Win_fence");
	expect(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC,
	       "MPI_Win_lock");
	expect(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC, "MPI_Win_lock_all");
}

/* What the others' memory is used for next. */
static char *take_memory(void)
{
	char *memory;

	MPI_Alloc_mem(SPARE, MPI_INFO_NULL, &memory);
	memset(memory, 9, SPARE);
	return memory;
}

/* A host may drop the attribute whose callback failed. */
static void be_refused(MPI_Win *win)
{
	ok(MPI_Win_set_attr(*win, keyval, NULL));
	refusals = 1;
	check(MPI_Win_free(win) != MPI_SUCCESS, "freed though refused");
	check_left(*win);
}

static void test_kind(enum test_kind kind, int times)
{
	struct test_win w;
	char *spare;
	size_t bad;
	int i;

	test_win_open(&w, kind, 64, 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	for (i = 0; i < times; i++)
		be_refused(&w.win);
	if (!times)
		ok(MPI_Win_free(&w.win));
	spare = take_memory();
	MPI_Barrier(MPI_COMM_WORLD);
	if (times)
		ok(MPI_Win_free(&w.win));
	check(w.win == MPI_WIN_NULL, "a window %s: the handle is left",
	      test_kind_name(kind));
	MPI_Barrier(MPI_COMM_WORLD);
	bad = test_differs_from(spare, SPARE, 9);
	check(bad == SPARE, "a window %s: byte %zu of other memory",
	      test_kind_name(kind), bad);
	MPI_Free_mem(spare);
	if (kind != KIND_ALLOCATE && kind != KIND_SHARED)
		test_memory_free(test_kind_is_heap(kind), w.base);
	free(w.first);
}

int main(int argc, char **argv)
{
	enum test_kind kind;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts wait for the other ranks again");
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, refuse, &keyval, NULL);
	if (!host_heeds_callbacks())
		return test_skip("the host frees whatever a callback returns");
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_kind(kind, test_rank == 0);
		test_kind(kind, test_rank == test_size - 1 ? 2 : 0);
		test_kind(kind, 1);
	}
	MPI_Win_free_keyval(&keyval);
	return test_finish();
}
