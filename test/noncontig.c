/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks may differ in alloc_shared_noncontig: the window is made, all reach
 * all of it, and as long as one rank has not set the key, the parts are
 * contiguous, as that rank may rely on.  Of a part of no bytes that is not
 * contiguous the address is NULL.
 */
/* ranks: 2 3; paths: default; hosts: none */
#include "test.h"

#define BYTES 72

/* true, false, or not at all. */
static MPI_Info make_info(const char *value)
{
	MPI_Info info = MPI_INFO_NULL;

	if (!value)
		return info;
	MPI_Info_create(&info);
	MPI_Info_set(info, "alloc_shared_noncontig", value);
	return info;
}

static void check_parts(MPI_Win win, int round)
{
	char *base, *end = NULL;
	MPI_Aint size;
	int r, unit;

	for (r = 0; r < test_size; r++) {
		size_t bad;

		ok(MPI_Win_shared_query(win, r, &size, &unit, &base));
		check(size == BYTES, "%ld bytes of rank %d", (long)size, r);
		bad = test_differs(base, BYTES, r, round);
		check(bad == BYTES, "byte %zu of rank %d", bad, r);
		check(!end || base == end, "a gap of %ld before rank %d",
		      (long)(base - end), r);
		end = base + BYTES;
	}
}

/* One rank asks otherwise than all the others. */
static void differ(int odd, const char *its, const char *others, int round)
{
	MPI_Info info = make_info(test_rank == odd ? its : others);
	char *base = NULL;
	MPI_Win win;

	if (!ok(MPI_Win_allocate_shared(BYTES, 1, info, MPI_COMM_WORLD, &base,
					&win)))
		return;
	MPI_Win_fence(0, win);
	test_fill(base, BYTES, test_rank, round);
	MPI_Win_fence(0, win);
	check_parts(win, round);
	MPI_Win_fence(0, win);
	ok(MPI_Win_free(&win));
	if (info != MPI_INFO_NULL)
		MPI_Info_free(&info);
}

/*
 * A part of nothing that is apart is nowhere, as on the hosts.  Parts are apart
 * if all ranks ask for it; the last says "its".
 */
static void nothing(const char *its)
{
	const bool last = test_rank == test_size - 1;
	const bool apart = its && *its == 't';
	MPI_Info info = make_info(last ? its : "true");
	char *own = NULL, *base = NULL;
	MPI_Aint size;
	MPI_Win win;
	int r, unit;

	ok(MPI_Win_allocate_shared(test_rank % 2 ? 0 : BYTES, 1, info,
				   MPI_COMM_WORLD, &own, &win));
	for (r = 0; r < test_size; r++) {
		ok(MPI_Win_shared_query(win, r, &size, &unit, &base));
		check(size == (r % 2 ? 0 : BYTES), "%ld bytes of rank %d",
		      (long)size, r);
		check(r != test_rank || base == own, "%p, not %p", base, own);
		check((base == NULL) == (apart && r % 2), "rank %d is at %p", r,
		      (void *)base);
	}
	ok(MPI_Win_free(&win));
	if (info != MPI_INFO_NULL)
		MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	int odd;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("the hosts take the key to be the same");
	test_errors_return();
	for (odd = 0; odd < test_size; odd++) {
		differ(odd, NULL, "true", 1);
		differ(odd, "true", NULL, 2);
		differ(odd, "false", "true", 3);
		differ(odd, "true", "false", 4);
	}
	nothing("true");
	nothing("false");
	nothing(NULL);
	return test_finish();
}
