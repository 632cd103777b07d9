/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.c - the calls that give a request (MPI-3.1 section 11.3.5).
 *
 * An operation that is complete at the origin when its call returns, as all
 * are on one node, gets a request of the host's that has completed.  Else what
 * is still to come is counted in a tally, and the request is a generalized one
 * of the host's, which the program's next Test or Wait completes: only threads
 * of the program call the host.
 *
 * struct orl_request exists while the program has the handle or the tally is
 * not over, whichever is longer: an unlock completes operations whose requests
 * have not been waited for, and the request of a lost process ends before its
 * tally may.  The tally, held and the list of idle ones are under the progress
 * lock; the rest is for the thread that has the request.
 */
#include "request.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "win.h"

struct orl_request {
	struct orl_am_tally tally; /* first */
	struct orl_request *next;  /* while idle */
	bool held;		   /* the program has the handle */
	bool is_sent;		   /* all its records have been */
	_Atomic(bool) is_complete; /* at the host */
	uint32_t rank;
	int code; /* the error that was raised, if any */
	const char *call;
	MPI_Win win;
	MPI_Request handle;
	struct orl_scatter scatter; /* from is NULL if there is none; it and
				     * type are ours */
};

struct orl_map orl_request_map = ORL_MAP_INIT;
_Atomic(uint32_t) orl_request_count;

static struct orl_request *idle;

static struct orl_request *request_of(struct orl_am_tally *tally)
{
	return (struct orl_request *)tally;
}

/* -- what is counted ------------------------------------------------------- */

static void put_idle(struct orl_request *request)
{
	request->next = idle;
	idle = request;
}

static void scatter(struct orl_request *request)
{
	struct orl_scatter *job = &request->scatter;

	if (orl_likely(!job->from))
		return;
	if (!request->tally.error)
		orl_scatter_run(job);
	free((void *)(uintptr_t)job->from);
	free((void *)(uintptr_t)job->type);
}

static void over(struct orl_am_tally *tally)
{
	struct orl_request *request = request_of(tally);

	scatter(request);
	/* Those that wait behind it in the link's message. */
	if (orl_likely(!tally->peer->error))
		orl_path_hurry(tally->link);
	if (!request->held)
		put_idle(request);
}

static struct orl_am_tally *make(void)
{
	struct orl_request *request = idle;

	if (request)
		idle = request->next;
	else
		request = malloc(sizeof(*request));
	if (!request)
		return NULL;
	request->tally.over = over;
	request->held = false;
	request->is_sent = false;
	request->is_complete = false;
	request->code = MPI_SUCCESS;
	request->scatter.from = NULL;
	return &request->tally;
}

bool orl_request_scatter(const struct orl_scatter *scatter)
{
	struct orl_am_tally *tally = orl_am_scope_tally();
	const struct orl_type *type;

	if (!tally)
		return false;
	type = orl_type_keep(scatter->type);
	if (!type)
		return false;
	request_of(tally)->scatter = *scatter;
	request_of(tally)->scatter.type = type;
	return true;
}

/* -- from an R-form to its request ----------------------------------------- */

static void let_go(struct orl_request *request)
{
	orl_progress_lock();
	request->held = false;
	if (!request->tally.left)
		put_idle(request);
	orl_progress_unlock();
}

static int on_free(void *state)
{
	struct orl_request *request = state;

	orl_map_del(&orl_request_map, (uintptr_t)request->handle, request);
	atomic_fetch_sub_explicit(&orl_request_count, 1, memory_order_relaxed);
	let_go(request);
	return MPI_SUCCESS;
}

static int give_done(struct orl_win *win, const struct orl_xfer *x,
		     MPI_Request *handle)
{
	int rc = orl_host_request_done(handle);

	if (orl_likely(!rc))
		return MPI_SUCCESS;
	return orl_win_fail(win, x->call, rc, "the host MPI gives no request");
}

static int give_pending(struct orl_win *win, const struct orl_xfer *x,
			struct orl_request *request, MPI_Request *handle)
{
	int rc = orl_host_request_start(on_free, request, handle);

	if (orl_unlikely(rc)) {
		let_go(request);
		return orl_win_fail(win, x->call, rc,
				    "the host MPI gives no request");
	}
	request->handle = *handle;
	atomic_fetch_add_explicit(&orl_request_count, 1, memory_order_relaxed);
	rc = orl_map_set(&orl_request_map, (uintptr_t)*handle, request);
	if (orl_likely(!rc))
		return MPI_SUCCESS;
	orl_host_request_complete(*handle);
	orl_host.Request_free(handle);
	return orl_win_fail(win, x->call, rc,
			    "there is no memory to keep the request in");
}

/* The scope's own count ends.  True if there is something to wait for. */
static bool drop_scope(struct orl_request *request, bool good)
{
	struct orl_am_tally *tally = &request->tally;
	bool pending;

	orl_progress_lock();
	request->held = good;
	pending = tally->left > 1;
	if (good && pending)
		orl_path_hurry(tally->link);
	orl_am_tally_drop(tally, 0);
	orl_progress_unlock();
	return pending;
}

static __attribute__((noinline)) int give(struct orl_win *win,
					  const struct orl_xfer *x, int rc,
					  MPI_Request *handle)
{
	struct orl_request *request = request_of(orl_am_scope_end());

	if (!request)
		return rc ? rc : give_done(win, x, handle);
	request->win = win->handle;
	request->call = x->call;
	request->rank = (uint32_t)x->rank;
	if (drop_scope(request, !rc) && !rc)
		return give_pending(win, x, request, handle);
	if (rc)
		return rc;
	rc = request->tally.error;
	let_go(request);
	if (rc)
		return orl_win_fail(win, x->call, rc, "target %d", x->rank);
	return give_done(win, x, handle);
}

/* Is anything counted: may there be something to wait for? */
static bool begin(struct orl_win *win, const struct orl_xfer *x,
		  struct orl_am_scope *scope)
{
	struct orl_target *target;

	if (orl_likely(!win->spans) || (uint32_t)x->rank >= win->size)
		return false;
	target = &win->targets[x->rank];
	if (!target->path->remote)
		return false;
	scope->link = orl_remote_link(win, target);
	scope->make = make;
	orl_am_scope_begin(scope);
	return true;
}

static int end(struct orl_win *win, const struct orl_xfer *x, bool counted,
	       int rc, MPI_Request *handle)
{
	orl_progress_tick();
	if (orl_unlikely(counted))
		return give(win, x, rc, handle);
	return orl_unlikely(rc) ? rc : give_done(win, x, handle);
}

int orl_win_rput(struct orl_win *win, const struct orl_xfer *x,
		 MPI_Request *request)
{
	struct orl_am_scope scope;
	bool counted = begin(win, x, &scope);

	return end(win, x, counted, orl_win_put(win, x), request);
}

int orl_win_rget(struct orl_win *win, const struct orl_xfer *x,
		 MPI_Request *request)
{
	struct orl_am_scope scope;
	bool counted = begin(win, x, &scope);

	return end(win, x, counted, orl_win_get(win, x), request);
}

int orl_win_raccumulate(struct orl_win *win, const struct orl_xacc *x,
			MPI_Request *request)
{
	struct orl_am_scope scope;
	bool counted = begin(win, &x->xfer, &scope);

	return end(win, &x->xfer, counted, orl_win_accumulate(win, x), request);
}

int orl_win_rget_accumulate(struct orl_win *win, const struct orl_xacc *x,
			    MPI_Request *request)
{
	struct orl_am_scope scope;
	bool counted = begin(win, &x->xfer, &scope);

	return end(win, &x->xfer, counted, orl_win_get_accumulate(win, x),
		   request);
}

/* -- those beyond MPI's, include/oriel.h ----------------------------------- */

int orl_win_rfetch_and_op(struct orl_win *win, const struct orl_xacc *x,
			  MPI_Request *request)
{
	struct orl_am_scope scope;
	bool counted = begin(win, &x->xfer, &scope);

	return end(win, &x->xfer, counted,
		   orl_win_calls(win)->fetch_any(win, x), request);
}

int orl_win_rcompare_and_swap(struct orl_win *win, const struct orl_xacc *x,
			      const void *compare, MPI_Request *request)
{
	struct orl_am_scope scope;
	bool counted = begin(win, &x->xfer, &scope);

	return end(win, &x->xfer, counted,
		   orl_win_calls(win)->swap_any(win, x, compare), request);
}

/* What is not remote is flushed at once, and the network's atomics, which are
 * not counted, are waited for. */
static bool is_flushed_later(const struct orl_win *win, int rank)
{
	return win->spans && !win->nic && (uint32_t)rank < win->size &&
	       win->targets[rank].path->remote && win->targets[rank].link &&
	       orl_flush_may(win, rank);
}

int orl_win_rflush(struct orl_win *win, int rank, MPI_Request *request)
{
	const struct orl_xfer x = { .call = "Oriel_Rflush",
				    .origin = NULL,
				    .ocount = 0,
				    .otype = MPI_DATATYPE_NULL,
				    .tcount = 0,
				    .ttype = MPI_DATATYPE_NULL,
				    .disp = 0,
				    .rank = rank,
				    .request = true };
	struct orl_am_scope scope;
	int rc;

	orl_check_release(win, rank, true);
	if (!is_flushed_later(win, rank))
		return end(win, &x, false, orl_flush_one(win, x.call, rank),
			   request);
	begin(win, &x, &scope);
	orl_progress_lock();
	rc = orl_path_flush_counted(scope.link);
	orl_progress_unlock();
	if (orl_unlikely(rc))
		rc = orl_win_fail(win, x.call, rc, "target %d", rank);
	return end(win, &x, true, rc, request);
}

/* -- from the program's tests and waits ------------------------------------ */

static void push(struct orl_request *request)
{
	struct orl_am_tally *tally = &request->tally;

	request->is_sent = true;
	orl_progress_lock();
	if (!orl_am_tally_is_over(tally))
		orl_path_push(tally->link);
	orl_progress_unlock();
}

/* On the window's error handler, if the window still exists. */
static int report(struct orl_request *request, int error)
{
	struct orl_win *win = orl_win_find(request->win);

	if (!win)
		return orl_host_error_code(MPI_ERR_OTHER, request->call);
	return orl_win_fail(win, request->call, error, "target %u",
			    request->rank);
}

static int error_of(const struct orl_request *request)
{
	const struct orl_am_tally *tally = &request->tally;
	int error;

	orl_progress_lock();
	error = tally->error;
	if (!error && tally->left)
		error = tally->peer->error;
	orl_progress_unlock();
	return error;
}

static void complete(struct orl_request *request)
{
	int error = error_of(request);

	if (atomic_exchange_explicit(&request->is_complete, true,
				     memory_order_relaxed))
		return;
	if (orl_unlikely(error))
		request->code = report(request, error);
	orl_host_request_complete(request->handle);
}

void orl_request_send(struct orl_request *request)
{
	if (!request->is_sent && !orl_am_tally_is_over(&request->tally))
		push(request);
}

bool orl_request_test(struct orl_request *request)
{
	if (!orl_am_tally_is_over(&request->tally)) {
		orl_request_send(request);
		return false;
	}
	complete(request);
	return true;
}

static bool is_over(void *arg)
{
	const struct orl_request *request = arg;

	return orl_am_tally_is_over(&request->tally);
}

void orl_request_wait(struct orl_request *request)
{
	orl_request_send(request);
	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_over, request);
	complete(request);
}

struct some {
	int count;
	const MPI_Request *requests;
};

static bool is_one_over(void *arg)
{
	const struct some *some = arg;
	struct orl_request *request;
	int i;

	for (i = 0; i < some->count; i++) {
		request = orl_request_find(some->requests[i]);
		if (request && is_over(request))
			return true;
	}
	return false;
}

void orl_request_wait_some(int count, const MPI_Request requests[])
{
	struct some some = { .count = count, .requests = requests };

	orl_wait(&orl_am_bell, ORL_BELL_ALL, is_one_over, &some);
}

int orl_request_code(const struct orl_request *request)
{
	return request->code;
}

void orl_request_abandon(struct orl_request *request)
{
	if (!atomic_exchange_explicit(&request->is_complete, true,
				      memory_order_relaxed))
		orl_host_request_complete(request->handle);
}
