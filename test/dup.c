/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Oriel_Win_dup (oriel.h): what is put by one window is in the other's memory;
 * epochs, locks and hints are each one's own; either may be freed first, and
 * memory that MPI allocated stays until the last is; not of dynamic windows.
 * The attribute ORIEL_WIN_PROGRESS of all of them tells who answers.
 */
/* ranks: 1 2 4; paths: default direct cma; hosts: 2x1 2x2 */
#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#define BYTES 4096

static MPI_Win duplicate(MPI_Win of)
{
	MPI_Win win = MPI_WIN_NULL;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "oriel_notify_tags", "5");
	ok(Oriel_Win_dup(of, info, &win));
	MPI_Info_free(&info);
	return win;
}

/* Of the window's info; false if the key is not set. */
static bool told(MPI_Win win, const char *key, char value[16])
{
	MPI_Info info;
	int flag = 0;

	value[0] = 0;
	MPI_Win_get_info(win, &info);
	MPI_Info_get(info, key, 15, value, &flag);
	MPI_Info_free(&info);
	return flag;
}

static void check_tags(MPI_Win win, const char *want)
{
	char value[16];

	check(told(win, "oriel_notify_tags", value) && !strcmp(value, want),
	      "%s tags, not %s", value, want);
}

static void check_alike(MPI_Win a, MPI_Win b)
{
	void *one, *other;
	int flag;

	MPI_Win_get_attr(a, MPI_WIN_BASE, &one, &flag);
	MPI_Win_get_attr(b, MPI_WIN_BASE, &other, &flag);
	check(one == other, "base %p and %p", one, other);
	MPI_Win_get_attr(a, MPI_WIN_SIZE, &one, &flag);
	MPI_Win_get_attr(b, MPI_WIN_SIZE, &other, &flag);
	check(*(MPI_Aint *)one == *(MPI_Aint *)other, "sizes differ");
	MPI_Win_get_attr(a, MPI_WIN_CREATE_FLAVOR, &one, &flag);
	MPI_Win_get_attr(b, MPI_WIN_CREATE_FLAVOR, &other, &flag);
	check(*(int *)one == *(int *)other, "flavors differ");
}

/*
 * All put to the next rank by one and get from there by the other.  The two
 * locks of a rank are taken in the same order by all, and by one at a time.
 */
static void put_get(const struct test_win *w, MPI_Win put, MPI_Win get,
		    int round)
{
	char out[BYTES], in[BYTES];
	int t = test_next();

	test_fill(out, BYTES, test_rank, round);
	memset(in, 0, BYTES);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, put);
	MPI_Put(out, BYTES, MPI_BYTE, t, test_at(w, t, 0), BYTES, MPI_BYTE,
		put);
	MPI_Win_flush(t, put);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, get);
	MPI_Get(in, BYTES, MPI_BYTE, t, test_at(w, t, 0), BYTES, MPI_BYTE, get);
	MPI_Win_unlock(t, get);
	MPI_Win_unlock(t, put);
	check(test_differs(in, BYTES, test_rank, round) == BYTES,
	      "%s, round %d: other data", test_kind_name(w->kind), round);
	MPI_Barrier(MPI_COMM_WORLD);
	check(test_differs(w->base, BYTES, test_prev(), round) == BYTES,
	      "%s, round %d: not in memory", test_kind_name(w->kind), round);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void progress(MPI_Win win)
{
	int *mode = NULL, flag = 0, want;
	char value[16];

	MPI_Win_get_attr(win, ORIEL_WIN_PROGRESS, &mode, &flag);
	if (!told(win, "oriel_progress", value))
		want = ORIEL_PROGRESS_NONE;
	else if (!strcmp(value, "thread"))
		want = ORIEL_PROGRESS_THREAD;
	else
		want = ORIEL_PROGRESS_POLL;
	check(flag && mode && *mode == want, "mode %d, not %d",
	      mode ? *mode : -1, want);
}

static void one(enum test_kind kind, bool original_first)
{
	MPI_Win dup, again;
	struct test_win w;

	test_win_open(&w, kind, BYTES, 1);
	/* An epoch that is open does not matter. */
	MPI_Win_lock_all(0, w.win);
	dup = duplicate(w.win);
	MPI_Win_unlock_all(w.win);
	check_alike(w.win, dup);
	check_tags(w.win, "64");
	check_tags(dup, "5");
	progress(dup);
	put_get(&w, w.win, dup, 1);
	put_get(&w, dup, w.win, 2);
	again = duplicate(dup);
	MPI_Win_free(original_first ? &w.win : &dup);
	if (original_first)
		w.win = dup;
	put_get(&w, w.win, again, 3);
	MPI_Win_free(&again);
	memset(w.base, 1, BYTES);
	test_win_close(&w);
}

static void dynamic(void)
{
	MPI_Win win, dup;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	expect(Oriel_Win_dup(win, MPI_INFO_NULL, &dup), MPI_ERR_RMA_FLAVOR,
	       "Oriel_Win_dup MPI_Win_create_dynamic");
	MPI_Win_free(&win);
}

/* Windows of halves of the ranks; their communicator is gone. */
static void part(void)
{
	MPI_Comm half;
	MPI_Win win, dup;
	char *base;

	MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, 0, &half);
	MPI_Win_allocate(8, 1, MPI_INFO_NULL, half, &base, &win);
	MPI_Comm_free(&half);
	dup = duplicate(win);
	check_alike(win, dup);
	MPI_Win_free(&win);
	memset(base, 1, 8);
	MPI_Win_free(&dup);
}

int main(int argc, char **argv)
{
	enum test_kind kind;

	test_start(argc, argv);
	if (!Oriel_Win_dup)
		return test_skip("duplicates are Oriel's");
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (test_kind_is_dynamic(kind) || !test_kind_is_usable(kind))
			continue;
		one(kind, true);
		one(kind, false);
	}
	dynamic();
	part();
	return test_finish();
}
