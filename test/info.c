/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Win_get_info lists every key of MPI-3.1 with the value that is in force:
 * the default, what creation was given, or what Win_set_info has changed;
 * keys that no window knows are ignored; windows with hints work.
 */
/* ranks: 1 2; paths: default */
#include "test.h"

static void value_of(MPI_Win win, const char *key, char *value)
{
	MPI_Info info = MPI_INFO_NULL;
	int flag = 0;

	value[0] = '\0';
	ok(MPI_Win_get_info(win, &info));
	MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag);
	if (!flag)
		strcpy(value, "(not set)");
	MPI_Info_free(&info);
}

static void expect_value(MPI_Win win, const char *key, const char *want)
{
	char value[MPI_MAX_INFO_VAL];

	value_of(win, key, value);
	check(!strcmp(value, want), "%s is %s, not %s", key, value, want);
}

static void defaults(const struct test_win *w)
{
	expect_value(w->win, "no_locks", "false");
	expect_value(w->win, "accumulate_ordering", "rar,raw,war,waw");
	expect_value(w->win, "accumulate_ops", "same_op_no_op");
	expect_value(w->win, "same_size", "false");
	expect_value(w->win, "same_disp_unit", "false");
	if (w->kind == KIND_SHARED)
		expect_value(w->win, "alloc_shared_noncontig", "false");
}

static MPI_Info hints(void)
{
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "true");
	MPI_Info_set(info, "accumulate_ordering", "none");
	MPI_Info_set(info, "accumulate_ops", "same_op");
	MPI_Info_set(info, "same_size", "true");
	MPI_Info_set(info, "same_disp_unit", "true");
	MPI_Info_set(info, "alloc_shared_noncontig", "true");
	MPI_Info_set(info, "a_key_of_nobody", "some value");
	return info;
}

/* no_locks: fence and post/start are all that is left. */
static void use(struct test_win *w)
{
	int one = 1, t = test_next();

	MPI_Win_fence(0, w->win);
	MPI_Accumulate(&one, 1, MPI_INT, t, test_at(w, t, 0), 1, MPI_INT,
		       MPI_SUM, w->win);
	MPI_Accumulate(&one, 1, MPI_INT, t, test_at(w, t, 0), 1, MPI_INT,
		       MPI_SUM, w->win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
	check(*(int *)(void *)w->base == 2, "%s: sum %d",
	      test_kind_name(w->kind), *(int *)(void *)w->base);
}

static void given(enum test_kind kind)
{
	MPI_Info info = hints();
	struct test_win w;

	test_win_open_info(&w, kind, 64, 1, info);
	MPI_Info_free(&info);
	expect_value(w.win, "no_locks", "true");
	expect_value(w.win, "accumulate_ordering", "none");
	expect_value(w.win, "accumulate_ops", "same_op");
	expect_value(w.win, "same_size", "true");
	expect_value(w.win, "same_disp_unit", "true");
	if (kind == KIND_SHARED)
		expect_value(w.win, "alloc_shared_noncontig", "true");
	use(&w);
	test_win_close(&w);
}

/* Every rank gives the same; a value in force may stay what it was. */
static void changed(enum test_kind kind)
{
	struct test_win w;
	MPI_Info info;
	char value[MPI_MAX_INFO_VAL];

	test_win_open(&w, kind, 64, 1);
	defaults(&w);
	MPI_Info_create(&info);
	MPI_Info_set(info, "accumulate_ordering", "rar,waw");
	MPI_Info_set(info, "a_key_of_nobody", "some value");
	ok(MPI_Win_set_info(w.win, info));
	MPI_Info_free(&info);
	value_of(w.win, "accumulate_ordering", value);
	check(!strcmp(value, "rar,waw") || !strcmp(value, "rar,raw,war,waw"),
	      "accumulate_ordering is %s", value);
	MPI_Info_create(&info); /* without any key */
	ok(MPI_Win_set_info(w.win, info));
	MPI_Info_free(&info);
	expect_value(w.win, "no_locks", "false");
	use(&w);
	test_win_close(&w);
}

/* Between nodes: a thread that answers them can be asked for. */
static void thread(void)
{
	struct test_win w;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "oriel_progress", "thread");
	test_win_open_info(&w, KIND_ALLOCATE, 64, 1, info);
	MPI_Info_free(&info);
	expect_value(w.win, "oriel_progress", "thread");
	use(&w);
	test_win_close(&w);
}

int main(int argc, char **argv)
{
	enum test_kind kind;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		given(kind);
		changed(kind);
	}
	if (!test_on_host && test_size > 1 &&
	    (test_apart || test_path_is("fabric") || test_path_is("software")))
		thread();
	return test_finish();
}
