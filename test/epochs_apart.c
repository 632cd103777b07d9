/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks may be in different epochs at one time: whether a call is right is a
 * matter of the caller's own epochs alone, by section 11.5, and a refused one,
 * MPI_ERR_RMA_SYNC, disturbs nobody.  MPI_Win_free is refused where an epoch is
 * open, and waits for that rank on the others.  In windows of every kind, and
 * with each rank in each role in some of them.
 *
 * Left out is what would wait for ever, a NOCHECK on one side alone, and what
 * only another rank could find wrong: to lock a rank that exposes its window.
 */
/* ranks: 3; paths: default cma */
#include "test.h"

enum act {
	START,
	START_NOCHECK,
	POST,
	POST_NOCHECK,
	COMPLETE,
	WAIT,
	TEST_NOT_YET,
	TEST_DONE,
	LOCK,
	LOCK_ALONE,
	LOCK_NOCHECK,
	UNLOCK,
	LOCK_ALL,
	UNLOCK_ALL,
	FLUSH,
	FLUSH_ALL,
	PUT,
	RPUT,
	FENCE,
	FREE
};

static const char *const names[] = {
	[START] = "MPI_Win_start",
	[START_NOCHECK] = "MPI_Win_start",
	[POST] = "MPI_Win_post",
	[POST_NOCHECK] = "MPI_Win_post",
	[COMPLETE] = "MPI_Win_complete",
	[WAIT] = "MPI_Win_wait",
	[TEST_NOT_YET] = "MPI_Win_test",
	[TEST_DONE] = "MPI_Win_test",
	[LOCK] = "MPI_Win_lock",
	[LOCK_ALONE] = "MPI_Win_lock",
	[LOCK_NOCHECK] = "MPI_Win_lock",
	[UNLOCK] = "MPI_Win_unlock",
	[LOCK_ALL] = "MPI_Win_lock_all",
	[UNLOCK_ALL] = "MPI_Win_unlock_all",
	[FLUSH] = "MPI_Win_flush",
	[FLUSH_ALL] = "MPI_Win_flush_all",
	[PUT] = "MPI_Put",
	[RPUT] = "MPI_Rput",
	[FENCE] = "MPI_Win_fence",
	[FREE] = "MPI_Win_free",
};

#define ROLES 3
#define ALL   ROLES
#define SYNC  MPI_ERR_RMA_SYNC
#define STEPS 24

/* Who calls what, with which roles: a group of them, or the one target. */
struct step {
	int who;
	enum act act;
	const char *with;
	int want; /* an error class */
};

/* One step after the other; STEPS of nobody's end it. */
static const struct script {
	const char *claim;
	struct step steps[STEPS];
} scripts[] = {
	{ "an exposure, and a lock of another rank",
	  { { 1, POST, "2", 0 },
	    { 2, START, "1", 0 },
	    { 0, LOCK_ALONE, "0", 0 },
	    { 0, PUT, "0", 0 },
	    { 2, PUT, "1", 0 },
	    { 0, FLUSH, "0", 0 },
	    { 0, COMPLETE, "", SYNC },
	    { 2, FLUSH, "1", SYNC },
	    { 2, UNLOCK, "1", SYNC },
	    { 2, COMPLETE, "", 0 },
	    { 0, PUT, "0", 0 },
	    { 1, WAIT, "", 0 },
	    { 0, UNLOCK, "0", 0 } } },
	{ "who is in an epoch may not begin another, who is not may",
	  { { 0, START, "1", 0 },
	    { 1, POST, "0", 0 },
	    { 0, LOCK, "2", SYNC },
	    { 0, LOCK_ALL, "", SYNC },
	    { 0, START, "1", SYNC },
	    { 0, FENCE, "", SYNC },
	    { 1, FENCE, "", SYNC },
	    { 1, POST, "2", SYNC },
	    { 1, LOCK, "1", SYNC },
	    { 1, LOCK_ALL, "", SYNC },
	    { 2, LOCK, "2", 0 },
	    { 2, LOCK, "0", 0 },
	    { 2, PUT, "0", 0 },
	    { 0, PUT, "1", 0 },
	    { 2, UNLOCK, "0", 0 },
	    { 0, COMPLETE, "", 0 },
	    { 1, WAIT, "", 0 },
	    { 2, UNLOCK, "2", 0 } } },
	{ "a start before the post, to one of two",
	  { { 0, START, "1", 0 },
	    { 0, PUT, "2", SYNC },
	    { 1, PUT, "0", SYNC },
	    { 1, POST, "0", 0 },
	    { 1, PUT, "0", SYNC },
	    { 0, PUT, "1", 0 },
	    { 0, PUT, "2", SYNC },
	    { 0, RPUT, "1", SYNC },
	    { 0, COMPLETE, "", 0 },
	    { 0, PUT, "1", SYNC },
	    { 1, WAIT, "", 0 },
	    { 1, WAIT, "", SYNC } } },
	{ "an exposure to two ends with the second complete",
	  { { 1, POST, "02", 0 },
	    { 0, START, "1", 0 },
	    { 0, PUT, "1", 0 },
	    { 0, COMPLETE, "", 0 },
	    { 1, TEST_NOT_YET, "", 0 },
	    { 0, COMPLETE, "", SYNC },
	    { 2, COMPLETE, "", SYNC },
	    { 2, WAIT, "", SYNC },
	    { 1, TEST_NOT_YET, "", 0 },
	    { 2, START, "1", 0 },
	    { 2, COMPLETE, "", 0 },
	    { 1, TEST_DONE, "", 0 },
	    { 1, TEST_DONE, "", SYNC } } },
	{ "exposed and started at once, the other way round each",
	  { { 0, POST, "1", 0 },
	    { 1, POST, "0", 0 },
	    { 1, START, "0", 0 },
	    { 1, PUT, "0", 0 },
	    { 0, START, "1", 0 },
	    { 0, PUT, "1", 0 },
	    { 1, COMPLETE, "", 0 },
	    { 1, TEST_NOT_YET, "", 0 },
	    { 0, WAIT, "", 0 },
	    { 0, WAIT, "", SYNC },
	    { 0, COMPLETE, "", 0 },
	    { 1, WAIT, "", 0 } } },
	{ "NOCHECK on both sides",
	  { { 1, POST_NOCHECK, "02", 0 },
	    { 0, START_NOCHECK, "1", 0 },
	    { 0, PUT, "1", 0 },
	    { 2, PUT, "1", SYNC },
	    { 2, START_NOCHECK, "1", 0 },
	    { 1, POST_NOCHECK, "0", SYNC },
	    { 2, PUT, "1", 0 },
	    { 0, LOCK_NOCHECK, "2", SYNC },
	    { 0, COMPLETE, "", 0 },
	    { 1, TEST_NOT_YET, "", 0 },
	    { 2, COMPLETE, "", 0 },
	    { 1, WAIT, "", 0 } } },
	{ "with NOCHECK, then without, then with",
	  { { 1, POST_NOCHECK, "0", 0 },
	    { 0, START_NOCHECK, "1", 0 },
	    { 0, COMPLETE, "", 0 },
	    { 1, WAIT, "", 0 },
	    { 0, START, "1", 0 },
	    { 1, POST, "0", 0 },
	    { 0, PUT, "1", 0 },
	    { 0, COMPLETE, "", 0 },
	    { 1, WAIT, "", 0 },
	    { 1, POST_NOCHECK, "0", 0 },
	    { 0, START_NOCHECK, "1", 0 },
	    { 0, PUT, "1", 0 },
	    { 1, TEST_NOT_YET, "", 0 },
	    { 0, COMPLETE, "", 0 },
	    { 1, TEST_DONE, "", 0 } } },
	{ "a lock is its holder's alone",
	  { { 0, LOCK_ALONE, "1", 0 },
	    { 1, UNLOCK, "1", SYNC },
	    { 2, UNLOCK, "1", SYNC },
	    { 2, FLUSH, "1", SYNC },
	    { 1, FLUSH_ALL, "", SYNC },
	    { 1, PUT, "1", SYNC },
	    { 2, PUT, "1", SYNC },
	    { 2, RPUT, "1", SYNC },
	    { 1, WAIT, "", SYNC },
	    { 0, PUT, "1", 0 },
	    { 0, PUT, "2", SYNC },
	    { 0, LOCK, "1", SYNC },
	    { 1, LOCK, "2", 0 },
	    { 1, RPUT, "2", 0 },
	    { 0, UNLOCK, "2", SYNC },
	    { 0, UNLOCK, "1", 0 },
	    { 1, UNLOCK, "2", 0 } } },
	{ "one that is locked starts and locks itself",
	  { { 0, LOCK, "1", 0 },
	    { 2, POST, "1", 0 },
	    { 1, START, "2", 0 },
	    { 1, PUT, "2", 0 },
	    { 0, PUT, "1", 0 },
	    { 1, COMPLETE, "", 0 },
	    { 2, WAIT, "", 0 },
	    { 1, LOCK, "1", 0 },
	    { 1, PUT, "1", 0 },
	    { 1, UNLOCK, "1", 0 },
	    { 0, FLUSH, "1", 0 },
	    { 0, UNLOCK, "1", 0 } } },
	{ "lock_all beside locks",
	  { { 0, LOCK_ALL, "", 0 },
	    { 1, LOCK, "2", 0 },
	    { 1, UNLOCK_ALL, "", SYNC },
	    { 0, UNLOCK, "2", SYNC },
	    { 0, POST, "1", SYNC },
	    { 1, POST, "0", 0 },
	    { 1, PUT, "2", 0 },
	    { 0, PUT, "2", 0 },
	    { 2, FLUSH_ALL, "", SYNC },
	    { 2, LOCK_NOCHECK, "1", 0 },
	    { 0, UNLOCK_ALL, "", 0 },
	    { 0, START, "1", 0 },
	    { 0, COMPLETE, "", 0 },
	    { 1, WAIT, "", 0 },
	    { 2, UNLOCK, "1", 0 },
	    { 1, UNLOCK, "2", 0 } } },
	{ "after a fence one puts, one locks, one exposes nothing",
	  { { ALL, FENCE, "", 0 },
	    { 0, PUT, "1", 0 },
	    { 0, LOCK, "2", SYNC },
	    { 0, START, "1", SYNC },
	    { 0, POST, "1", SYNC },
	    { 0, RPUT, "1", SYNC },
	    { 2, LOCK, "2", 0 },
	    { 2, FENCE, "", SYNC },
	    { 2, PUT, "1", SYNC },
	    { 2, PUT, "2", 0 },
	    { 1, POST, "", 0 },
	    { 1, FENCE, "", SYNC },
	    { 1, WAIT, "", 0 },
	    { 2, UNLOCK, "2", 0 },
	    { ALL, FENCE, "", 0 },
	    { 1, LOCK_ALL, "", 0 },
	    { 1, PUT, "0", 0 },
	    { 1, UNLOCK_ALL, "", 0 } } },
	{ "no free in an epoch",
	  { { 0, LOCK, "1", 0 },
	    { 0, FREE, "", SYNC },
	    { 0, UNLOCK, "1", 0 },
	    { 1, POST, "02", 0 },
	    { 0, START, "1", 0 },
	    { 0, FREE, "", SYNC },
	    { 1, FREE, "", SYNC },
	    { 0, COMPLETE, "", 0 },
	    { 1, FREE, "", SYNC },
	    { 2, START, "1", 0 },
	    { 2, FREE, "", SYNC },
	    { 2, PUT, "1", 0 },
	    { 2, COMPLETE, "", 0 },
	    { 1, FREE, "", SYNC },
	    { 1, WAIT, "", 0 },
	    { 2, LOCK_ALL, "", 0 },
	    { 2, FREE, "", SYNC },
	    { 2, PUT, "0", 0 },
	    { 2, UNLOCK_ALL, "", 0 } } },
};
#define SCRIPTS (sizeof(scripts) / sizeof(scripts[0]))

/* -- a step ----------------------------------------------------------------*/

static struct test_win w;
static int turn;	  /* role 0 is this rank's */
static int value;	  /* what the step puts, each another */
static int wanted[ROLES]; /* here, by origin */
static MPI_Win turns;	  /* of the same ranks */

/* A barrier that gives the core to who has none, as MPICH's does not. */
static void meet(void)
{
	MPI_Win_fence(0, turns);
}

static int rank_of(int role)
{
	return (role + turn) % ROLES;
}

static int target_of(const struct step *s)
{
	return s->with[0] ? rank_of(s->with[0] - '0') : 0;
}

static int put(int target, MPI_Request *request)
{
	const MPI_Aint at =
		test_at(&w, target, (MPI_Aint)sizeof(int) * test_rank);

	return request ? MPI_Rput(&value, 1, MPI_INT, target, at, 1, MPI_INT,
				  w.win, request)
		       : MPI_Put(&value, 1, MPI_INT, target, at, 1, MPI_INT,
				 w.win);
}

static int request_put(int target)
{
	MPI_Request request;
	int rc = put(target, &request);

	return rc ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The word that all have completed may still be under way. */
static int test(bool done)
{
	int rc, flag = 0;

	do
		rc = MPI_Win_test(w.win, &flag);
	while (!rc && done && !flag);
	check(flag == (done && !rc), "MPI_Win_test: the flag is %d", flag);
	return rc;
}

static int with_group(const struct step *s)
{
	int ranks[ROLES], n = 0, rc;
	MPI_Group world, group;

	for (; s->with[n]; n++)
		ranks[n] = rank_of(s->with[n] - '0');
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, n, ranks, &group);
	if (s->act == POST || s->act == POST_NOCHECK)
		rc = MPI_Win_post(group, s->act == POST ? 0 : MPI_MODE_NOCHECK,
				  w.win);
	else
		rc = MPI_Win_start(
			group, s->act == START ? 0 : MPI_MODE_NOCHECK, w.win);
	MPI_Group_free(&world);
	if (group != MPI_GROUP_EMPTY)
		MPI_Group_free(&group);
	return rc;
}

static int make(const struct step *s)
{
	const int target = target_of(s);
	MPI_Win copy = w.win;

	switch (s->act) {
	case COMPLETE:
		return MPI_Win_complete(w.win);
	case WAIT:
		return MPI_Win_wait(w.win);
	case TEST_NOT_YET:
	case TEST_DONE:
		return test(s->act == TEST_DONE);
	case LOCK:
		return MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
	case LOCK_ALONE:
		return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
	case LOCK_NOCHECK:
		return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target,
				    MPI_MODE_NOCHECK, w.win);
	case UNLOCK:
		return MPI_Win_unlock(target, w.win);
	case LOCK_ALL:
		return MPI_Win_lock_all(0, w.win);
	case UNLOCK_ALL:
		return MPI_Win_unlock_all(w.win);
	case FLUSH:
		return MPI_Win_flush(target, w.win);
	case FLUSH_ALL:
		return MPI_Win_flush_all(w.win);
	case PUT:
		return put(target, NULL);
	case RPUT:
		return request_put(target);
	case FENCE:
		return MPI_Win_fence(0, w.win);
	case FREE:
		return MPI_Win_free(&copy);
	default:
		return with_group(s);
	}
}

/* -- scripts ---------------------------------------------------------------*/

static void play_step(const struct script *script, const struct step *s)
{
	const int failures = test_failures;
	const int who = s->who == ALL ? test_rank : rank_of(s->who);

	value++;
	if (who == test_rank)
		expect(make(s), s->want, s->want ? names[s->act] : "");
	if (!s->want && (s->act == PUT || s->act == RPUT) &&
	    target_of(s) == test_rank)
		wanted[who] = value;
	if (failures != test_failures)
		fprintf(stderr, "rank %d: \"%s\", step %td, %s, turn %d\n",
			test_rank, script->claim, s - script->steps,
			test_kind_name(w.kind), turn);
	meet();
}

static void play(const struct script *script)
{
	const struct step *s;
	int i, got[ROLES];

	for (s = script->steps; s < script->steps + STEPS && s->with; s++)
		play_step(script, s);
	ok(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, w.win));
	memcpy(got, w.base, sizeof(got));
	ok(MPI_Win_unlock(test_rank, w.win));
	for (i = 0; i < ROLES; i++)
		check(got[i] == wanted[i], "\"%s\", %s: of rank %d %d, not %d",
		      script->claim, test_kind_name(w.kind), i, got[i],
		      wanted[i]);
	meet();
}

static void open_window(enum test_kind kind)
{
	test_win_open(&w, kind, sizeof(wanted), 1);
	MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
	memset(wanted, 0, sizeof(wanted));
}

/* The others are in MPI_Win_free, or on their way, all the time. */
static void free_late(enum test_kind kind, bool exposed)
{
	MPI_Win copy;

	open_window(kind);
	if (test_kind_is_dynamic(kind))
		MPI_Win_detach(w.win, w.base);
	copy = w.win;
	if (test_rank == rank_of(0)) {
		ok(exposed ? MPI_Win_post(MPI_GROUP_EMPTY, 0, w.win)
			   : MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0,
					  w.win));
		expect(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC, "MPI_Win_free");
		check(copy == w.win, "the handle has changed");
		ok(exposed ? MPI_Win_wait(w.win)
			   : MPI_Win_unlock(test_rank, w.win));
	}
	ok(MPI_Win_free(&w.win));
	check(w.win == MPI_WIN_NULL, "the handle is left");
	if (kind != KIND_ALLOCATE && kind != KIND_SHARED)
		test_memory_free(test_kind_is_heap(kind), w.base);
	free(w.first);
}

int main(int argc, char **argv)
{
	enum test_kind kind;
	size_t i;

	test_start(argc, argv);
	if (test_on_host)
		return test_skip("hosts find few of these errors");
	if (test_size != ROLES)
		return test_skip("as many ranks as roles");
	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &turns);
	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (!test_kind_is_usable(kind))
			continue;
		turn = kind % ROLES;
		open_window(kind);
		for (i = 0; i < SCRIPTS; i++)
			play(&scripts[i]);
		test_win_close(&w);
		free_late(kind, kind % 2);
	}
	MPI_Win_free(&turns);
	return test_finish();
}
