/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whatever synchronisation calls a rank makes one after the other, each is
 * either carried out or refused with MPI_ERR_RMA_SYNC, as section 11.5 says
 * (epochs.h); a refused call changes neither memory nor the epochs that are
 * open.  All triples of calls on one rank, all pairs on several, which make
 * the same calls.  The groups of post and start are one neighbour or empty.
 *
 * Left out is what would wait for ever, and what only another rank could find
 * wrong: locking a rank while it exposes its window, and the reverse.
 */
/* ranks: 1 2 3; paths: default cma; hosts: 2x1 */
#include "epochs.h"

/* -- the calls --------------------------------------------------------------*/

static MPI_Win win;
static volatile int *memory; /* what we put here, what the rank before does */
static MPI_Group before, after;
static int value;

static void open_window(void)
{
	int *base;

	MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &base, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	base[0] = base[1] = 0;
	memory = base;
	MPI_Barrier(MPI_COMM_WORLD);
}

static int free_window(void)
{
	int rc = MPI_Win_free(&win);

	if (!rc)
		open_window();
	return rc;
}

static int request_put(void)
{
	MPI_Request request;
	int rc = MPI_Rput(&value, 1, MPI_INT, test_rank, 0, 1, MPI_INT, win,
			  &request);

	return rc ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* No rank may be ahead: its complete would make the flag true too early; and
 * the word that one has completed may still be under way. */
static int test(bool completed)
{
	int rc, flag = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	do
		rc = MPI_Win_test(win, &flag);
	while (!rc && completed && !flag);
	if (!rc)
		check(flag == completed, "flag %d, completed %d", flag,
		      completed);
	MPI_Barrier(MPI_COMM_WORLD);
	return rc;
}

/* Several ranks that hold their own may not wait for each other's. */
static int lock_type(void)
{
	return test_size == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
}

static const int assertions[] = {
	[FENCE_NOPRECEDE] = MPI_MODE_NOPRECEDE,
	[FENCE_NOSUCCEED] = MPI_MODE_NOSUCCEED,
	[FENCE_NEITHER] = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED,
	[FENCE_NOSTORE] = MPI_MODE_NOSTORE | MPI_MODE_NOPUT,
};

static int make(enum call call, bool completed)
{
	const int self = test_rank, next = test_next();

	if (call <= FENCE_NOSTORE)
		return MPI_Win_fence(assertions[call], win);
	switch (call) {
	case START:
		return MPI_Win_start(after, 0, win);
	case START_EMPTY:
		return MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
	case COMPLETE:
		return MPI_Win_complete(win);
	case POST:
		return MPI_Win_post(before, 0, win);
	case POST_EMPTY:
		return MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
	case WAIT:
		return MPI_Win_wait(win);
	case TEST:
		return test(completed);
	case LOCK_SELF:
		return MPI_Win_lock(lock_type(), self, 0, win);
	case LOCK_SELF_NOCHECK:
		return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, self, MPI_MODE_NOCHECK,
				    win);
	case UNLOCK_SELF:
		return MPI_Win_unlock(self, win);
	case LOCK_ALL:
		return MPI_Win_lock_all(0, win);
	case LOCK_ALL_NOCHECK:
		return MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	case UNLOCK_ALL:
		return MPI_Win_unlock_all(win);
	case FLUSH_SELF:
		return MPI_Win_flush(self, win);
	case FLUSH_LOCAL_SELF:
		return MPI_Win_flush_local(self, win);
	case FLUSH_ALL:
		return MPI_Win_flush_all(win);
	case FLUSH_LOCAL_ALL:
		return MPI_Win_flush_local_all(win);
	case SYNC:
		return MPI_Win_sync(win);
	case PUT_SELF:
		return MPI_Put(&value, 1, MPI_INT, self, 0, 1, MPI_INT, win);
	case RPUT_SELF:
		return request_put();
	case FREE:
		return free_window();
	case LOCK_NEXT:
		return MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
	case UNLOCK_NEXT:
		return MPI_Win_unlock(next, win);
	case FLUSH_NEXT:
		return MPI_Win_flush(next, win);
	case PUT_NEXT:
		return MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, win);
	default:
		return MPI_SUCCESS;
	}
}

/* -- sequences --------------------------------------------------------------*/

static long done[3]; /* by verdict */

/* Of a failure, what led to it. */
static void tell(const enum call *calls, int n, bool wrong)
{
	int i;

	fprintf(stderr, "rank %d: the last should be %s:", test_rank,
		wrong ? "refused" : "right");
	for (i = 0; i < n; i++)
		fprintf(stderr, " %s(%d)", names[calls[i]], calls[i]);
	fputc('\n', stderr);
}

/* The n-th of the calls: false if it is to be left out. */
static bool step(struct epochs *e, const enum call *calls, int n)
{
	enum call call = calls[n - 1];
	struct epochs old = *e;
	enum verdict verdict = judge(e, call);
	int failures = test_failures;

	done[verdict]++;
	if (verdict != RIGHT)
		*e = old;
	if (verdict == LEFT_OUT)
		return false;
	/* The same on all ranks. */
	value++;
	if (verdict == WRONG)
		expect(make(call, false), MPI_ERR_RMA_SYNC, names[call]);
	else
		ok(make(call, e->completed));
	if (failures != test_failures && failures < 10)
		tell(calls, n, verdict == WRONG);
	if (verdict == RIGHT && (call == PUT_SELF || call == RPUT_SELF))
		e->own = value;
	if (verdict == RIGHT && call == PUT_NEXT)
		e->other = value;
	return true;
}

static void end_with(struct epochs *e, enum call call)
{
	check(step(e, &call, 1), "the test itself would wait in %s",
	      names[call]);
}

/* Ends every epoch that is open, by the calls that the standard says do. */
static void settle(struct epochs *e)
{
	if (e->started && e->towards && !e->met && !e->posted) {
		if (e->exposed)
			end_with(e, WAIT);
		end_with(e, POST);
	}
	if (e->started)
		end_with(e, COMPLETE);
	if (e->self)
		end_with(e, UNLOCK_SELF);
	if (e->next)
		end_with(e, UNLOCK_NEXT);
	if (e->all)
		end_with(e, UNLOCK_ALL);
	if (e->exposed && !e->completed) {
		end_with(e, START);
		end_with(e, COMPLETE);
	}
	if (e->exposed)
		end_with(e, WAIT);
	end_with(e, FENCE_NOSUCCEED);
}

static void sequence(const enum call *calls, int n)
{
	/* Values stay from one sequence to the next. */
	static struct epochs e;
	int i;

	for (i = 1; i <= n && step(&e, calls, i); i++)
		;
	settle(&e);
	if (!check(memory[0] == e.own && memory[1] == e.other,
		   "memory is %d %d, not %d %d", memory[0], memory[1], e.own,
		   e.other))
		tell(calls, n, false);
	/* Nobody puts before all have looked. */
	end_with(&e, FENCE_NOSUCCEED);
}

int main(int argc, char **argv)
{
	enum call c[3], most;
	int prev, next;
	MPI_Group world;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts find few of these errors");
	prev = test_prev();
	next = test_next();
	most = test_size > 1 ? CALLS : LOCK_NEXT;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &prev, &before);
	MPI_Group_incl(world, 1, &next, &after);
	open_window();
	for (c[0] = 0; c[0] < most; c[0]++) {
		for (c[1] = 0; c[1] < most; c[1]++) {
			if (test_size > 1)
				sequence(c, 2);
			for (c[2] = 0; test_size == 1 && c[2] < most; c[2]++)
				sequence(c, 3);
		}
	}
	if (!test_rank)
		printf("# note: %ld calls right, %ld refused, %ld left out\n",
		       done[RIGHT], done[WRONG], done[LEFT_OUT]);
	check(done[RIGHT] && done[WRONG], "nothing was judged");
	MPI_Win_free(&win);
	MPI_Group_free(&world);
	MPI_Group_free(&before);
	MPI_Group_free(&after);
	return test_finish();
}
