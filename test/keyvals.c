/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Users' attributes: keyvals with their extra state; values set, replaced,
 * deleted and read; delete callbacks run when a value is replaced, deleted,
 * or its window freed, can still query the window then, and are not run
 * for others; a freed keyval lives on in its attributes.
 */
/* ranks: 1 2; paths: default */
#include "test.h"

#define VALUES 3

static int deleted[VALUES]; /* how often the callback saw each value */
static int values[VALUES];
static int extra;
static MPI_Aint expected_size;

static int on_delete(MPI_Win win, int keyval, void *value, void *state)
{
	MPI_Aint *size = NULL;
	MPI_Group group;
	int flag = 0;

	check(state == &extra, "extra state %p", state);
	deleted[(int *)value - values]++;
	ok(MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag));
	check(flag && *size == expected_size, "size in the callback: %ld",
	      flag ? (long)*size : -1L);
	ok(MPI_Win_get_group(win, &group));
	ok(MPI_Group_free(&group));
	return MPI_SUCCESS;
}

static int get(MPI_Win win, int keyval)
{
	int *value, flag = -1;

	ok(MPI_Win_get_attr(win, keyval, &value, &flag));
	return flag ? (int)(value - values) : -1;
}

static void expect_deleted(int a, int b, int c)
{
	check(deleted[0] == a && deleted[1] == b && deleted[2] == c,
	      "deleted %d %d %d, not %d %d %d", deleted[0], deleted[1],
	      deleted[2], a, b, c);
}

static void lifetime(enum test_kind kind)
{
	struct test_win w, other;
	int keyval, more, freed;

	memset(deleted, 0, sizeof(deleted));
	test_win_open(&w, kind, expected_size, 1);
	test_win_open(&other, kind, expected_size, 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	if (test_kind_is_dynamic(kind))
		expected_size = 0;
	ok(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval,
				 &extra));
	ok(MPI_Win_create_keyval(MPI_WIN_DUP_FN, on_delete, &more, &extra));
	check(get(w.win, keyval) == -1, "set before it was set");
	ok(MPI_Win_set_attr(w.win, keyval, &values[0]));
	check(get(w.win, keyval) == 0, "value %d", get(w.win, keyval));
	check(get(other.win, keyval) == -1, "set on the other window");
	check(get(w.win, more) == -1, "set for the other keyval");
	ok(MPI_Win_set_attr(w.win, keyval, &values[1]));
	expect_deleted(1, 0, 0);
	check(get(w.win, keyval) == 1, "value %d", get(w.win, keyval));
	ok(MPI_Win_delete_attr(w.win, keyval));
	expect_deleted(1, 1, 0);
	check(get(w.win, keyval) == -1, "still set");
	ok(MPI_Win_set_attr(w.win, keyval, &values[0]));
	ok(MPI_Win_set_attr(w.win, more, &values[2]));
	freed = keyval;
	ok(MPI_Win_free_keyval(&freed));
	check(freed == MPI_KEYVAL_INVALID, "keyval %d", freed);
	expect_deleted(1, 1, 0);
	test_win_close(&w);
	expect_deleted(2, 1, 1);
	ok(MPI_Win_free_keyval(&more));
	test_win_close(&other);
	expect_deleted(2, 1, 1);
}

/* No callbacks at all. */
static void plain(void)
{
	struct test_win w;
	int keyval;

	test_win_open(&w, KIND_ALLOCATE, 8, 1);
	ok(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN,
				 &keyval, NULL));
	ok(MPI_Win_set_attr(w.win, keyval, &values[2]));
	check(get(w.win, keyval) == 2, "value %d", get(w.win, keyval));
	ok(MPI_Win_set_attr(w.win, keyval, NULL));
	{
		void *value = &value;
		int flag = 0;

		ok(MPI_Win_get_attr(w.win, keyval, &value, &flag));
		check(flag && !value, "a NULL value: %d %p", flag, value);
	}
	ok(MPI_Win_free_keyval(&keyval));
	test_win_close(&w);
}

static int refuses(MPI_Win win, int keyval, void *value, void *state)
{
	return *(int *)state ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* A callback that fails keeps the attribute where it is. */
static void refusal(void)
{
	int no = 1, keyval;
	struct test_win w;

	test_win_open(&w, KIND_ALLOCATE, 8, 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	ok(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, refuses, &keyval, &no));
	ok(MPI_Win_set_attr(w.win, keyval, &values[1]));
	check(MPI_Win_delete_attr(w.win, keyval) != MPI_SUCCESS,
	      "deleted though the callback failed");
	check(get(w.win, keyval) == 1, "value %d", get(w.win, keyval));
	no = 0;
	test_win_close(&w);
	ok(MPI_Win_free_keyval(&keyval));
}

int main(int argc, char **argv)
{
	enum test_kind kind;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		expected_size = 64;
		lifetime(kind);
	}
	plain();
	refusal();
	return test_finish();
}
