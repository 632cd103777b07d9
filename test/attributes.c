/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window's predefined attributes tell its base, size, displacement unit,
 * flavor and memory model; its group is that of its communicator; its name
 * is empty until it is set.
 */
/* ranks: 1 3; paths: default cma */
#include "test.h"

static void *attribute(MPI_Win win, int keyval, const char *name)
{
	void *value = NULL;
	int flag = 0;

	ok(MPI_Win_get_attr(win, keyval, &value, &flag));
	check(flag, "%s is not set", name);
	return flag ? value : NULL;
}

static void predefined(const struct test_win *w, int flavor)
{
	const char *kind = test_kind_name(w->kind);
	bool dynamic = flavor == MPI_WIN_FLAVOR_DYNAMIC;
	void *base = attribute(w->win, MPI_WIN_BASE, "MPI_WIN_BASE");
	MPI_Aint *size = attribute(w->win, MPI_WIN_SIZE, "MPI_WIN_SIZE");
	int *unit = attribute(w->win, MPI_WIN_DISP_UNIT, "MPI_WIN_DISP_UNIT");
	int *got = attribute(w->win, MPI_WIN_CREATE_FLAVOR, "flavor");
	int *model = attribute(w->win, MPI_WIN_MODEL, "MPI_WIN_MODEL");

	check(base == (dynamic ? MPI_BOTTOM : w->base), "%s: base %p, not %p",
	      kind, base, w->base);
	check(size && *size == (dynamic ? 0 : w->size), "%s: size %ld", kind,
	      size ? (long)*size : -1L);
	check(unit && *unit == w->unit, "%s: unit %d", kind, unit ? *unit : -1);
	check(got && *got == flavor, "%s: flavor %d", kind, got ? *got : -1);
	check(model && *model == MPI_WIN_UNIFIED, "%s: model %d", kind,
	      model ? *model : -1);
}

static void group(MPI_Win win)
{
	MPI_Group mine, world;
	int result = -1;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	ok(MPI_Win_get_group(win, &mine));
	MPI_Group_compare(mine, world, &result);
	check(result == MPI_IDENT, "groups compare as %d", result);
	ok(MPI_Group_free(&mine));
	MPI_Group_free(&world);
	ok(MPI_Win_get_group(win, &mine)); /* ours was a copy */
	ok(MPI_Group_free(&mine));
}

static void name(MPI_Win win)
{
	char got[MPI_MAX_OBJECT_NAME] = "x", longest[MPI_MAX_OBJECT_NAME];
	int len = -1;

	ok(MPI_Win_get_name(win, got, &len));
	check(len == (int)strlen(got), "length %d of \"%s\"", len, got);
	ok(MPI_Win_set_name(win, "halo of the field"));
	ok(MPI_Win_get_name(win, got, &len));
	check(!strcmp(got, "halo of the field") && len == 17,
	      "\"%s\" of length %d", got, len);
	memset(longest, 'n', sizeof(longest));
	longest[MPI_MAX_OBJECT_NAME - 1] = '\0';
	ok(MPI_Win_set_name(win, longest));
	ok(MPI_Win_get_name(win, got, &len));
	check(!strcmp(got, longest), "\"%s\"", got);
	ok(MPI_Win_set_name(win, ""));
	ok(MPI_Win_get_name(win, got, &len));
	check(!len && !got[0], "\"%s\" of length %d", got, len);
}

/* The handle goes to Fortran and back. */
static void fortran(MPI_Win win)
{
	check(MPI_Win_f2c(MPI_Win_c2f(win)) == win, "another handle");
}

int main(int argc, char **argv)
{
	static const int flavors[KIND_COUNT] = {
		MPI_WIN_FLAVOR_CREATE,	 MPI_WIN_FLAVOR_CREATE,
		MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
		MPI_WIN_FLAVOR_DYNAMIC,	 MPI_WIN_FLAVOR_DYNAMIC
	};
	enum test_kind kind;
	struct test_win w;

	test_start(argc, argv);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		test_win_open(&w, kind, 1000 + test_rank, 3 + test_rank);
		MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
		predefined(&w, flavors[kind]);
		group(w.win);
		name(w.win);
		fortran(w.win);
		test_win_close(&w);
		check(w.win == MPI_WIN_NULL, "handle after Win_free");
	}
	return test_finish();
}
