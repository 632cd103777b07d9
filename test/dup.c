/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Oriel_Win_dup (oriel.h): what is put by one window is in the other's memory;
 * epochs, locks and hints are each one's own; either may be freed first, and
 * memory that MPI allocated stays until the last is.  What is attached to one
 * dynamic window is attached to its duplicates, and detached from all at once.
 * The attribute ORIEL_WIN_PROGRESS of all of them tells who answers.
 */
/* ranks: 1 2 4; paths: default direct cma; hosts: 2x1 2x2 */
#define ORIEL_OPTIONAL
#include "oriel.h"
#include "test.h"

#define BYTES 4096
#define LARGE 20000 /* registered, between nodes */
#define MANY  30
#define MUCH  (1 << 20)

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

/* Is the next rank's int at its address at there, by the window? */
static void reach(MPI_Win win, MPI_Aint at, bool there)
{
	int in = -1, t = test_next(), rc;

	MPI_Win_lock(MPI_LOCK_SHARED, t, 0, win);
	rc = MPI_Get(&in, 1, MPI_INT, t, at, 1, MPI_INT, win);
	/* Of another node the owner finds out. */
	if (!rc)
		rc = MPI_Win_flush(t, win);
	MPI_Win_unlock(t, win);
	if (there)
		check(!rc && in == t, "read %d", in);
	else
		expect(rc, MPI_ERR_RMA_RANGE, "");
	MPI_Barrier(MPI_COMM_WORLD);
}

/* One region is there before the duplicates are, one comes by one of these. */
static void attach(bool heap)
{
	MPI_Win wins[3];
	MPI_Aint at[2];
	int *mem[2], i;

	for (i = 0; i < 2; i++) {
		mem[i] = test_memory(heap, LARGE);
		*mem[i] = test_rank;
		MPI_Get_address(mem[i], &at[i]);
		MPI_Sendrecv_replace(&at[i], 1, MPI_AINT, test_prev(), 0,
				     test_next(), 0, MPI_COMM_WORLD,
				     MPI_STATUS_IGNORE);
	}
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &wins[0]);
	ok(MPI_Win_attach(wins[0], mem[0], LARGE));
	wins[1] = duplicate(wins[0]);
	wins[2] = duplicate(wins[0]);
	for (i = 0; i < 3; i++)
		MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN);
	ok(MPI_Win_attach(wins[1], mem[1], LARGE));
	expect(MPI_Win_attach(wins[2], mem[1], LARGE), MPI_ERR_RMA_ATTACH,
	       "MPI_Win_attach");
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 6; i++)
		reach(wins[i / 2], at[i % 2], true);
	ok(MPI_Win_detach(wins[2], mem[0]));
	expect(MPI_Win_detach(wins[0], mem[0]), MPI_ERR_RMA_ATTACH,
	       "MPI_Win_detach");
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 6; i++)
		reach(wins[i / 2], at[i % 2], i % 2);
	MPI_Win_free(&wins[1]);
	ok(MPI_Win_detach(wins[0], mem[1]));
	MPI_Win_free(&wins[0]);
	MPI_Win_free(&wins[2]);
	for (i = 0; i < 2; i++)
		test_memory_free(heap, mem[i]);
}

/*
 * Duplicates of duplicates, freed in an order of their own: the memory goes
 * with the last of them, and every one has its own counts.
 */
static void many(void)
{
	long long before = oriel_stat("arena_bytes"), windows;
	int i, k, t = test_next();
	MPI_Win wins[MANY];
	char *base;

	windows = oriel_stat("windows");
	MPI_Win_allocate(MUCH, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
			 &wins[0]);
	for (i = 1; i < MANY; i++)
		wins[i] = duplicate(wins[(i - 1) / 2]);
	for (i = 0; i < MANY; i++) {
		k = i * 7 % MANY;
		MPI_Win_fence(0, wins[k]);
		ok(Oriel_Put_notify(&k, 1, MPI_INT, t, 0, 1, MPI_INT, 4,
				    wins[k]));
		ok(Oriel_Notify_wait(wins[k], 4, 1));
		check(*(int *)(void *)base == k, "%d, not %d",
		      *(int *)(void *)base, k);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, wins[k]);
		check(oriel_stat("arena_bytes") >= before + MUCH,
		      "the memory went before duplicate %d", i);
		MPI_Win_free(&wins[k]);
	}
	check(oriel_stat("windows") == windows &&
		      oriel_stat("arena_bytes") == before,
	      "%lld bytes are left, before %lld", oriel_stat("arena_bytes"),
	      before);
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
		if (!test_kind_is_usable(kind))
			continue;
		one(kind, true);
		one(kind, false);
	}
	if (test_kind_is_usable(KIND_DYNAMIC))
		attach(true);
	attach(false);
	part();
	many();
	return test_finish();
}
