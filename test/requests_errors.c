/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An error of an operation that only the target can find is raised on the
 * window's error handler by the call that completes the request, which then
 * returns it (Wait, Test), or MPI_ERR_IN_STATUS with the class in the status
 * of that request and no other (Waitall, Waitsome).  Elsewhere the R-form
 * itself returns it.
 */
/* ranks: 2; paths: default */
#include "test.h"

static MPI_Win win;
static int raised, bad_class;
static int words[2];
static MPI_Aint theirs;

static void count(MPI_Win *w, int *code, ...)
{
	raised++;
	MPI_Error_class(*code, &bad_class);
}

static int class_of(int code)
{
	int class;

	MPI_Error_class(code, &class);
	return class;
}

/* One byte behind what is attached.  False: refused by the call itself. */
static bool begin(MPI_Request *r, int *good, int *bad)
{
	int t = test_next(), rc;

	raised = 0;
	bad_class = MPI_SUCCESS;
	r[0] = MPI_REQUEST_NULL;
	r[1] = r[2] = MPI_REQUEST_NULL;
	*good = -1;
	ok(MPI_Rget(good, 1, MPI_INT, t, theirs, 1, MPI_INT, win, &r[1]));
	rc = MPI_Rget(bad, 1, MPI_INT, t, theirs + 2 * (MPI_Aint)sizeof(int), 1,
		      MPI_INT, win, &r[2]);
	if (rc == MPI_SUCCESS)
		return true;
	check(class_of(rc) == MPI_ERR_RMA_RANGE, "class %d", class_of(rc));
	ok(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
	return false;
}

/* The flush may tell of it again. */
static void end(MPI_Request *r, int good, const char *call)
{
	check(raised == 1 && bad_class == MPI_ERR_RMA_RANGE,
	      "%s raised %d errors, class %d", call, raised, bad_class);
	check(good == 7, "%s: got %d", call, good);
	check(r[1] == MPI_REQUEST_NULL && r[2] == MPI_REQUEST_NULL,
	      "%s leaves requests", call);
	MPI_Win_flush(test_next(), win);
}

static void waits(void)
{
	MPI_Status status;
	MPI_Request r[3];
	int good, bad, rc;

	if (!begin(r, &good, &bad))
		return;
	rc = MPI_Wait(&r[2], &status);
	check(class_of(rc) == MPI_ERR_RMA_RANGE, "Wait: class %d",
	      class_of(rc));
	ok(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
	end(r, good, "Wait");
}

static void tests(void)
{
	int good, bad, rc, flag = 0;
	MPI_Request r[3];

	if (!begin(r, &good, &bad))
		return;
	do
		rc = MPI_Test(&r[2], &flag, MPI_STATUS_IGNORE);
	while (!flag && rc == MPI_SUCCESS);
	check(class_of(rc) == MPI_ERR_RMA_RANGE, "Test: class %d",
	      class_of(rc));
	ok(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
	end(r, good, "Test");
}

static void waits_for_all(void)
{
	MPI_Status statuses[3];
	MPI_Request r[3];
	int good, bad, rc;

	if (!begin(r, &good, &bad))
		return;
	rc = MPI_Waitall(3, r, statuses);
	check(class_of(rc) == MPI_ERR_IN_STATUS, "Waitall: class %d",
	      class_of(rc));
	check(statuses[0].MPI_ERROR == MPI_SUCCESS &&
		      statuses[1].MPI_ERROR == MPI_SUCCESS,
	      "statuses %d %d", statuses[0].MPI_ERROR, statuses[1].MPI_ERROR);
	check(class_of(statuses[2].MPI_ERROR) == MPI_ERR_RMA_RANGE, "status %d",
	      statuses[2].MPI_ERROR);
	end(r, good, "Waitall");
}

static void waits_for_some(void)
{
	int good, bad, rc, n, i, list[3], left = 2, errors = 0;
	MPI_Status statuses[3];
	MPI_Request r[3];

	if (!begin(r, &good, &bad))
		return;
	while (left > 0) {
		rc = MPI_Waitsome(3, r, &n, list, statuses);
		check(rc == MPI_SUCCESS || class_of(rc) == MPI_ERR_IN_STATUS,
		      "Waitsome: class %d", class_of(rc));
		if (!check(n > 0 && n <= left, "%d", n))
			return;
		left -= n;
		for (i = 0; rc != MPI_SUCCESS && i < n; i++) {
			bool is_bad = statuses[i].MPI_ERROR != MPI_SUCCESS;

			errors += is_bad;
			check(is_bad == (list[i] == 2), "status of request %d",
			      list[i]);
		}
	}
	check(errors == 1, "Waitsome found %d errors", errors);
	end(r, good, "Waitsome");
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	MPI_Aint mine;

	test_start(argc, argv);
	words[0] = words[1] = 7;
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_create_errhandler(count, &handler);
	MPI_Win_set_errhandler(win, handler);
	MPI_Errhandler_free(&handler);
	MPI_Win_attach(win, words, sizeof(words));
	MPI_Get_address(words, &mine);
	MPI_Sendrecv(&mine, 1, MPI_AINT, test_prev(), 0, &theirs, 1, MPI_AINT,
		     test_next(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_lock_all(0, win);
	waits();
	tests();
	waits_for_all();
	waits_for_some();
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_detach(win, words);
	MPI_Win_free(&win);
	return test_finish();
}
