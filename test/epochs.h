/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * epochs.h - section 11.5 of the standard as a function: which
 * synchronisation call is right, which is wrong, in the epochs that the calls
 * before have opened.  Knows nothing of the library.
 */
#ifndef EPOCHS_H
#define EPOCHS_H

#include "test.h"

enum call {
	FENCE,
	FENCE_NOPRECEDE,
	FENCE_NOSUCCEED,
	FENCE_NEITHER,
	FENCE_NOSTORE,
	START,
	START_EMPTY,
	COMPLETE,
	POST,
	POST_EMPTY,
	WAIT,
	TEST,
	LOCK_SELF,
	LOCK_SELF_NOCHECK,
	UNLOCK_SELF,
	LOCK_ALL,
	LOCK_ALL_NOCHECK,
	UNLOCK_ALL,
	FLUSH_SELF,
	FLUSH_LOCAL_SELF,
	FLUSH_ALL,
	FLUSH_LOCAL_ALL,
	SYNC,
	PUT_SELF,
	RPUT_SELF,
	FREE,
	/* Where there is a next rank: */
	LOCK_NEXT,
	UNLOCK_NEXT,
	FLUSH_NEXT,
	PUT_NEXT,
	CALLS
};

static const char *const names[CALLS] = {
	[FENCE] = "MPI_Win_fence",
	[FENCE_NOPRECEDE] = "MPI_Win_fence",
	[FENCE_NOSUCCEED] = "MPI_Win_fence",
	[FENCE_NEITHER] = "MPI_Win_fence",
	[FENCE_NOSTORE] = "MPI_Win_fence",
	[START] = "MPI_Win_start",
	[START_EMPTY] = "MPI_Win_start",
	[COMPLETE] = "MPI_Win_complete",
	[POST] = "MPI_Win_post",
	[POST_EMPTY] = "MPI_Win_post",
	[WAIT] = "MPI_Win_wait",
	[TEST] = "MPI_Win_test",
	[LOCK_SELF] = "MPI_Win_lock",
	[LOCK_SELF_NOCHECK] = "MPI_Win_lock",
	[UNLOCK_SELF] = "MPI_Win_unlock",
	[LOCK_ALL] = "MPI_Win_lock_all",
	[LOCK_ALL_NOCHECK] = "MPI_Win_lock_all",
	[UNLOCK_ALL] = "MPI_Win_unlock_all",
	[FLUSH_SELF] = "MPI_Win_flush",
	[FLUSH_LOCAL_SELF] = "MPI_Win_flush_local",
	[FLUSH_ALL] = "MPI_Win_flush_all",
	[FLUSH_LOCAL_ALL] = "MPI_Win_flush_local_all",
	[SYNC] = "MPI_Win_sync",
	[PUT_SELF] = "MPI_Put",
	[RPUT_SELF] = "MPI_Rput",
	[FREE] = "MPI_Win_free",
	[LOCK_NEXT] = "MPI_Win_lock",
	[UNLOCK_NEXT] = "MPI_Win_unlock",
	[FLUSH_NEXT] = "MPI_Win_flush",
	[PUT_NEXT] = "MPI_Put",
};

/* The epochs of every rank, since all make the same calls. */
struct epochs {
	bool fenced, used; /* a fence may have begun one; something followed */
	bool started, towards, met; /* by start; its group is not empty; its
				     * post has been met */
	bool self, next, all;	    /* locked */
	bool exposed, completed;    /* by post; all origins have completed */
	bool posted;		    /* a post that no access has met */
	int own, other; /* the last values that we, and the rank before, put
			 * here */
};

enum verdict { RIGHT, WRONG, LEFT_OUT };

/* Accesses of distinct epochs of a window are disjoint (11.5). */
static bool has_access(const struct epochs *e)
{
	return e->used || e->started || e->self || e->next || e->all;
}

static void begin_access(struct epochs *e)
{
	e->fenced = false;
}

static enum verdict judge_fence(struct epochs *e, bool succeeded)
{
	if (e->started || e->self || e->next || e->all || e->exposed)
		return WRONG;
	e->fenced = succeeded;
	e->used = false;
	return RIGHT;
}

static enum verdict judge_start(struct epochs *e, bool towards)
{
	if (has_access(e))
		return WRONG;
	begin_access(e);
	e->started = true;
	e->towards = towards;
	e->met = false;
	return RIGHT;
}

/* Access to a started target, and complete, wait for its post (11.5.2). */
static enum verdict meet(struct epochs *e)
{
	if (!e->towards || e->met)
		return RIGHT;
	if (!e->posted)
		return LEFT_OUT;
	e->posted = false;
	e->met = true;
	return RIGHT;
}

static enum verdict judge_complete(struct epochs *e)
{
	if (!e->started)
		return WRONG;
	if (meet(e) == LEFT_OUT)
		return LEFT_OUT;
	e->started = false;
	e->completed |= e->towards;
	return RIGHT;
}

/* Not while the own window is locked (11.5.3), nor in another exposure. */
static enum verdict judge_post(struct epochs *e, bool towards)
{
	if (e->exposed || e->self || e->all || e->used)
		return WRONG;
	if (e->next)
		return LEFT_OUT;
	begin_access(e);
	e->exposed = true;
	e->posted = towards;
	e->completed = !towards;
	return RIGHT;
}

static enum verdict judge_wait(struct epochs *e, bool blocks)
{
	if (!e->exposed)
		return WRONG;
	if (!e->completed)
		return blocks ? LEFT_OUT : RIGHT;
	e->exposed = false;
	return RIGHT;
}

static enum verdict judge_lock(struct epochs *e, bool next)
{
	bool *locked = next ? &e->next : &e->self;

	if (e->used || e->started || e->all || *locked || (e->exposed && !next))
		return WRONG;
	if (e->exposed)
		return LEFT_OUT;
	begin_access(e);
	*locked = true;
	return RIGHT;
}

static enum verdict judge_lock_all(struct epochs *e)
{
	if (has_access(e) || e->exposed)
		return WRONG;
	begin_access(e);
	e->all = true;
	return RIGHT;
}

static enum verdict judge_end(bool *open)
{
	if (!*open)
		return WRONG;
	*open = false;
	return RIGHT;
}

static enum verdict judge_put(struct epochs *e, bool next)
{
	if (e->all || (next ? e->next : e->self))
		return RIGHT;
	if (e->started && e->towards && (next || test_size == 1))
		return meet(e);
	e->used |= e->fenced;
	return e->fenced ? RIGHT : WRONG;
}

static enum verdict judge_free(struct epochs *e)
{
	if (has_access(e) || e->exposed)
		return WRONG;
	*e = (struct epochs){ .own = 0 };
	return RIGHT;
}

static enum verdict right_if(bool legal)
{
	return legal ? RIGHT : WRONG;
}

/* And lets the call change what is open. */
static inline enum verdict judge(struct epochs *e, enum call call)
{
	switch (call) {
	case FENCE:
	case FENCE_NOPRECEDE:
	case FENCE_NOSTORE:
		return judge_fence(e, true);
	case FENCE_NOSUCCEED:
	case FENCE_NEITHER:
		return judge_fence(e, false);
	case START:
	case START_EMPTY:
		return judge_start(e, call == START);
	case COMPLETE:
		return judge_complete(e);
	case POST:
	case POST_EMPTY:
		return judge_post(e, call == POST);
	case WAIT:
	case TEST:
		return judge_wait(e, call == WAIT);
	case LOCK_SELF:
	case LOCK_SELF_NOCHECK:
	case LOCK_NEXT:
		return judge_lock(e, call == LOCK_NEXT);
	case UNLOCK_SELF:
		return judge_end(&e->self);
	case UNLOCK_NEXT:
		return judge_end(&e->next);
	case LOCK_ALL:
	case LOCK_ALL_NOCHECK:
		return judge_lock_all(e);
	case UNLOCK_ALL:
		return judge_end(&e->all);
	case FLUSH_SELF:
	case FLUSH_LOCAL_SELF:
	case RPUT_SELF:
		return right_if(e->all || e->self);
	case FLUSH_NEXT:
		return right_if(e->all || e->next);
	case FLUSH_ALL:
	case FLUSH_LOCAL_ALL:
		return right_if(e->all || e->self || e->next);
	case PUT_SELF:
	case PUT_NEXT:
		return judge_put(e, call == PUT_NEXT);
	case FREE:
		return judge_free(e);
	default: /* MPI_Win_sync: MPI-4.1 allows it anywhere */
		return RIGHT;
	}
}

#endif
