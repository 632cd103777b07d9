/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-4.1 section 3.7.6: MPI_Request_get_status_all, _any and _some, called in
 * a loop, tell in the end that an R-form is complete, with what it has
 * fetched in place, leave the requests as they are, and take
 * MPI_REQUEST_NULL and requests of messages beside them.
 */
/* ranks: 2; paths: default cma */
#include "test.h"

#include <dlfcn.h>

#define LARGE 100000
#define TAG   4

enum { NOTHING, RGET, IRECV, COUNT };

/* By name: few hosts have them, and mpi.h declares them with const or not. */
static struct {
	int (*all)(int, MPI_Request *, int *, MPI_Status *);
	int (*any)(int, MPI_Request *, int *, int *, MPI_Status *);
	int (*some)(int, MPI_Request *, int *, int *, MPI_Status *);
} status;

static bool find(const char *name, void *fn)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	memcpy(fn, &found, sizeof(found));
	return found;
}

/* MPI's version is the host's own word. */
static bool must_have_them(void)
{
	int version, subversion;

	MPI_Get_version(&version, &subversion);
	return version > 4 || (version == 4 && subversion >= 1);
}

static bool has_them(void)
{
	return find("MPI_Request_get_status_all", &status.all) &&
	       find("MPI_Request_get_status_any", &status.any) &&
	       find("MPI_Request_get_status_some", &status.some);
}

struct batch {
	MPI_Request r[COUNT];
	char *got;
	int received;
};

static void begin(struct batch *b, const struct test_win *w, int t)
{
	memset(b->got, 0, LARGE);
	b->received = -1;
	b->r[NOTHING] = MPI_REQUEST_NULL;
	MPI_Rget(b->got, LARGE, MPI_BYTE, t, test_at(w, t, 0), LARGE, MPI_BYTE,
		 w->win, &b->r[RGET]);
	MPI_Irecv(&b->received, 1, MPI_INT, t, TAG, MPI_COMM_WORLD,
		  &b->r[IRECV]);
}

static void arrived(const struct batch *b, int t, const char *when)
{
	check(test_differs(b->got, LARGE, t, 5) == LARGE, "byte %zu %s",
	      test_differs(b->got, LARGE, t, 5), when);
	check(b->r[RGET] != MPI_REQUEST_NULL, "no request %s", when);
}

static void end(struct batch *b)
{
	MPI_Waitall(COUNT, b->r, MPI_STATUSES_IGNORE);
	check(b->received == 7, "received %d", b->received);
}

static void send_to(int t)
{
	int seven = 7;

	MPI_Send(&seven, 1, MPI_INT, t, TAG, MPI_COMM_WORLD);
}

/* All: not before the message is there. */
static void by_all(struct batch *b, const struct test_win *w, int t)
{
	MPI_Status statuses[COUNT];
	int flag = -1;

	begin(b, w, t);
	ok(status.all(COUNT, b->r, &flag, statuses));
	check(!flag, "flag %d before the message is sent", flag);
	MPI_Barrier(MPI_COMM_WORLD);
	send_to(t);
	for (flag = 0; !flag;)
		ok(status.all(COUNT, b->r, &flag, statuses));
	arrived(b, t, "when all are");
	check(b->received == 7, "received %d", b->received);
	check(statuses[IRECV].MPI_SOURCE == t, "from %d",
	      statuses[IRECV].MPI_SOURCE);
	end(b);
}

static void by_any(struct batch *b, const struct test_win *w, int t)
{
	int flag, index = -1;

	begin(b, w, t);
	for (flag = 0; !flag;)
		ok(status.any(COUNT, b->r, &index, &flag, MPI_STATUS_IGNORE));
	check(index == RGET, "any is %d", index);
	arrived(b, t, "when any is");
	MPI_Barrier(MPI_COMM_WORLD);
	send_to(t);
	end(b);
}

static void by_some(struct batch *b, const struct test_win *w, int t)
{
	MPI_Status statuses[COUNT];
	int n = 0, indices[COUNT];

	begin(b, w, t);
	while (!n)
		ok(status.some(COUNT, b->r, &n, indices, statuses));
	check(n == 1 && indices[0] == RGET, "%d, the first %d", n, indices[0]);
	arrived(b, t, "when some are");
	MPI_Barrier(MPI_COMM_WORLD);
	send_to(t);
	end(b);
}

int main(int argc, char **argv)
{
	struct test_win w;
	struct batch b;
	int t;

	test_start(argc, argv);
	if (!must_have_them())
		return test_skip("they are of MPI-4.1");
	if (!check(has_them(), "MPI-4.1's functions"))
		return test_finish();
	t = test_next();
	b.got = malloc(LARGE);
	test_win_open(&w, test_path_is("direct") ? KIND_ALLOCATE : KIND_CREATE,
		      LARGE, 1);
	test_fill(w.base, LARGE, test_rank, 5);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, w.win);
	by_all(&b, &w, t);
	by_any(&b, &w, t);
	by_some(&b, &w, t);
	MPI_Win_unlock_all(w.win);
	free(b.got);
	test_win_close(&w);
	return test_finish();
}
