/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The info keys about accumulates can be read back as they are in force, those
 * that all ranks decide by at creation do not change after it, nonsense
 * changes nothing; and on memory that all ranks map, acc_single_intrinsic and
 * a small mpi_accumulate_granularity have many elements updated one by one,
 * while others may come in between, a large one or none all at once.
 */
/* ranks: 1 2; paths: default direct */
#include "agents.h"

#define N 32

static void open_kind(struct test_win *w, enum test_kind kind, MPI_Info info)
{
	test_win_open_info(w, kind, N * sizeof(long), sizeof(long), info);
}

static void open_with(struct test_win *w, const char *key, const char *value)
{
	MPI_Info info;

	MPI_Info_create(&info);
	if (key)
		MPI_Info_set(info, key, value);
	open_kind(w, KIND_ALLOCATE, info);
	MPI_Info_free(&info);
}

/* All elements of the next rank: 1 is added, once by each rank. */
static void use(struct test_win *w)
{
	long ones[N], *mine = (long *)(void *)w->base;
	int i;

	for (i = 0; i < N; i++)
		ones[i] = 1;
	MPI_Win_fence(0, w->win);
	MPI_Accumulate(ones, N, MPI_LONG, test_next(),
		       test_at(w, test_next(), 0), N, MPI_LONG, MPI_SUM,
		       w->win);
	MPI_Win_fence(0, w->win);
	for (i = 0; i < N; i++)
		check(mine[i] == 1, "element %d is %ld", i, mine[i]);
}

/* Given at creation, and told in these words. */
static void told(const char *key, const char *value, const char *want)
{
	char text[MPI_MAX_INFO_VAL];
	struct test_win w;

	open_with(&w, key, value);
	info_value(w.win, key, text);
	check(!strcmp(text, want), "%s=%s is told as %s", key, value, text);
	use(&w);
	test_win_close(&w);
}

static void all_told(void)
{
	told("which_accumulate_ops", "no_op,sum", "sum,no_op");
	told("which_accumulate_ops", "compare_and_swap,sum", "sum,cswap");
	told("which_accumulate_ops", "none", "none");
	told("which_accumulate_ops", "sum,difference",
	     "sum,prod,max,min,land,lor,lxor,band,bor,bxor,minloc,maxloc,"
	     "replace,no_op,cswap");
	told("acc_single_intrinsic", "true", "true");
	told("acc_single_intrinsic", "perhaps", "false");
	told("mpi_accumulate_granularity", "4096", "4096");
	told("mpi_accumulate_granularity", "-1", "0");
	told("mpi_accumulate_granularity", "8 or so", "0");
	told("accumulate_ops", "same_op", "same_op");
	told("accumulate_ops", "any", "same_op_no_op");
	told("accumulate_ordering", "waw,rar", "rar,waw");
	told("accumulate_ordering", "none", "none");
}

static void fixed(void)
{
	struct test_win w;
	MPI_Info info;

	open_with(&w, "accumulate_ops", "same_op");
	MPI_Info_create(&info);
	MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
	MPI_Info_set(info, "which_accumulate_ops", "sum");
	MPI_Info_set(info, "acc_single_intrinsic", "true");
	MPI_Info_set(info, "mpi_accumulate_granularity", "8");
	/* The one that each call looks at. */
	MPI_Info_set(info, "accumulate_ordering", "war,raw");
	ok(MPI_Win_set_info(w.win, info));
	MPI_Info_free(&info);
	check(info_is(w.win, "accumulate_ordering", "raw,war"),
	      "it has not changed");
	check(info_is(w.win, "accumulate_ops", "same_op"), "it has changed");
	check(!info_is(w.win, "which_accumulate_ops", "sum"), "it has changed");
	check(info_is(w.win, "acc_single_intrinsic", "false"),
	      "it has changed");
	check(info_is(w.win, "mpi_accumulate_granularity", "0"),
	      "it has changed");
	use(&w);
	test_win_close(&w);
}

static void executed(const char *key, const char *value, const char *agent)
{
	struct test_win w;

	open_with(&w, key, value);
	check(executed_by(w.win, agent) == 0, "%ld before the first",
	      executed_by(w.win, agent));
	use(&w);
	check(executed_by(w.win, agent) == 1, "%s=%s: %ld by %s",
	      key ? key : "no key", value, executed_by(w.win, agent), agent);
	test_win_close(&w);
}

/* Do all ranks map each other's memory? */
static bool is_mapped(void)
{
	const char *path = getenv("ORIEL_PATH");

	return !test_apart && (!path || strstr(path, "direct"));
}

/* Are all ranks to each other as if on other nodes? */
static bool is_remote(void)
{
	return test_apart || test_path_is("fabric") || test_path_is("software");
}

/* All keys at once; of memory that all map, with one effect to be seen. */
static void in_every_kind(void)
{
	static const char *const keys[][3] = {
		/* key, as it is given, as it is told */
		{ "accumulate_ops", "same_op", "same_op" },
		{ "accumulate_ordering", "waw,rar", "rar,waw" },
		{ "mpi_accumulate_granularity", "8", "8" },
		{ "which_accumulate_ops", "no_op,sum", "sum,no_op" },
		{ "acc_single_intrinsic", "true", "true" },
	};
	const size_t n = sizeof(keys) / sizeof(keys[0]);
	enum test_kind kind;
	struct test_win w;
	MPI_Info info;

	MPI_Info_create(&info);
	for (size_t i = 0; i < n; i++)
		MPI_Info_set(info, keys[i][0], keys[i][1]);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		open_kind(&w, kind, info);
		for (size_t i = 0; i < n; i++)
			check(info_is(w.win, keys[i][0], keys[i][2]),
			      "a window %s: %s", test_kind_name(kind),
			      keys[i][0]);
		use(&w);
		if (is_mapped() && !test_kind_is_heap(kind))
			check(executed_by(w.win, "atomic") == 1,
			      "a window %s: not one by one",
			      test_kind_name(kind));
		test_win_close(&w);
	}
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	test_start(argc, argv);
	if (test_on_host)
		return test_skip("the host knows other keys");
	all_told();
	fixed();
	in_every_kind();
	if (is_mapped()) {
		executed(NULL, "", "locked");
		executed("acc_single_intrinsic", "true", "atomic");
		executed("mpi_accumulate_granularity", "8", "atomic");
		executed("mpi_accumulate_granularity", "1", "atomic");
		executed("mpi_accumulate_granularity", "4096", "locked");
	} else if (test_size > 1 && is_remote()) {
		executed(NULL, "", getenv("ORIEL_ATOMICS") ? "nic" : "owner");
	}
	return test_finish();
}
