/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.c - the calls of windows that are watched: each is the plain one, and
 * what it did is told to the sums and the trace.  Which calls a window has is
 * chosen when it is made, so that others pay nothing.
 */
#include "watch.h"

#include "regions.h"

#include <stdlib.h>

const char *const orl_watch_names[ORL_WATCH_CALLS] = {
	[ORL_WATCH_PUT] = "MPI_Put",
	[ORL_WATCH_GET] = "MPI_Get",
	[ORL_WATCH_ACC] = "MPI_Accumulate",
	[ORL_WATCH_GET_ACC] = "MPI_Get_accumulate",
	[ORL_WATCH_FOP] = "MPI_Fetch_and_op",
	[ORL_WATCH_CAS] = "MPI_Compare_and_swap",
	[ORL_WATCH_FENCE] = "MPI_Win_fence",
	[ORL_WATCH_POST] = "MPI_Win_post",
	[ORL_WATCH_START] = "MPI_Win_start",
	[ORL_WATCH_COMPLETE] = "MPI_Win_complete",
	[ORL_WATCH_WAIT] = "MPI_Win_wait",
	[ORL_WATCH_TEST] = "MPI_Win_test",
	[ORL_WATCH_LOCK] = "MPI_Win_lock",
	[ORL_WATCH_UNLOCK] = "MPI_Win_unlock",
	[ORL_WATCH_LOCK_ALL] = "MPI_Win_lock_all",
	[ORL_WATCH_UNLOCK_ALL] = "MPI_Win_unlock_all",
	[ORL_WATCH_FLUSH] = "MPI_Win_flush",
	[ORL_WATCH_FLUSH_ALL] = "MPI_Win_flush_all",
	[ORL_WATCH_FLUSH_LOCAL] = "MPI_Win_flush_local",
	[ORL_WATCH_FLUSH_LOCAL_ALL] = "MPI_Win_flush_local_all",
	[ORL_WATCH_SYNC] = "MPI_Win_sync",
	[ORL_WATCH_RFLUSH] = "Oriel_Rflush",
	[ORL_WATCH_NOTIFY_WAIT] = "Oriel_Notify_wait",
	[ORL_WATCH_NOTIFY_TEST] = "Oriel_Notify_test",
};

const struct orl_path *const orl_watch_paths[ORL_WATCH_PATHS] = {
	&orl_path_direct, &orl_path_self, &orl_path_cma, &orl_path_fabric,
	&orl_path_software
};

/* -- a call's begin and end ------------------------------------------------ */

struct moment {
	uint64_t ns, messages, trips;
};

static struct moment now(void)
{
	return (struct moment){
		.ns = orl_now_ns(),
		.messages = orl_am_counts.sent,
		.trips = orl_am_counts.trips,
	};
}

static void tell(struct orl_win *win, const struct moment *begin,
		 struct orl_event *event)
{
	struct moment end = now();

	event->begin = begin->ns;
	event->end = end.ns;
	event->messages = end.messages - begin->messages;
	event->trips = end.trips - begin->trips;
	if (win->watch->stats)
		orl_stats_add(win, event);
	if (win->watch->is_traced && !event->vain)
		orl_trace_add(win, event);
}

static void tell_sync(struct orl_win *win, const struct moment *begin,
		      enum orl_watched call, int target, bool vain)
{
	struct orl_event event = {
		.call = call,
		.name = orl_watch_names[call],
		.target = target,
		.vain = vain,
	};

	tell(win, begin, &event);
}

static int end_sync(struct orl_win *win, const struct moment *begin,
		    enum orl_watched call, int target, int rc)
{
	tell_sync(win, begin, call, target, false);
	return rc;
}

/* A program that tests in a loop would fill the trace with nothing else. */
static int end_test(struct orl_win *win, const struct moment *begin,
		    enum orl_watched call, const int *flag, int rc)
{
	tell_sync(win, begin, call, -1, !rc && !*flag);
	return rc;
}

static uint64_t bytes_of(int64_t count, MPI_Datatype handle)
{
	const struct orl_type *type;

	return orl_type_find(handle, &type) ? 0 : (uint64_t)count * type->size;
}

/* Of dynamic windows the region decides, if it is there. */
static const struct orl_path *path_to(struct orl_win *win,
				      const struct orl_xfer *x)
{
	struct orl_target *target = &win->targets[x->rank];
	struct orl_place place = { .target = target, .path = target->path };

	if (win->dynamic)
		orl_regions_find(win, &place, (uint64_t)x->disp, 1);
	return place.path;
}

/* What was refused, or addressed to nobody, has moved nothing. */
static int end_move(struct orl_win *win, const struct moment *begin,
		    enum orl_watched call, const struct orl_xfer *x, int rc)
{
	struct orl_event event = {
		.call = call,
		.name = x->call,
		.target = -1,
	};

	if (!rc && (uint32_t)x->rank < win->size) {
		event.target = x->rank;
		event.path = path_to(win, x);
		event.bytes = call == ORL_WATCH_PUT
				      ? bytes_of(x->ocount, x->otype)
				      : bytes_of(x->tcount, x->ttype);
	}
	tell(win, begin, &event);
	return rc;
}

/* -- the calls ------------------------------------------------------------- */

static int put(struct orl_win *win, const struct orl_xfer *x)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_PUT, x, orl_win_put(win, x));
}

static int get(struct orl_win *win, const struct orl_xfer *x)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_GET, x, orl_win_get(win, x));
}

static int accumulate(struct orl_win *win, const struct orl_xacc *x)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_ACC, &x->xfer,
			orl_win_accumulate(win, x));
}

static int get_accumulate(struct orl_win *win, const struct orl_xacc *x)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_GET_ACC, &x->xfer,
			orl_win_get_accumulate(win, x));
}

static int fetch_any(struct orl_win *win, const struct orl_xacc *x)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_FOP, &x->xfer,
			orl_fetch_any(win, x));
}

static int fetch_and_op(struct orl_win *win, const struct orl_xone *x)
{
	const struct orl_xacc any = orl_xone_any(x, "MPI_Fetch_and_op");

	return fetch_any(win, &any);
}

static int swap_any(struct orl_win *win, const struct orl_xacc *x,
		    const void *compare)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_CAS, &x->xfer,
			orl_swap_any(win, x, compare));
}

static int compare_and_swap(struct orl_win *win, const struct orl_xone *x,
			    const void *compare)
{
	const struct orl_xacc any = orl_xone_any(x, "MPI_Compare_and_swap");

	return swap_any(win, &any, compare);
}

static int rput(struct orl_win *win, const struct orl_xfer *x,
		MPI_Request *request)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_PUT, x,
			orl_win_rput(win, x, request));
}

static int rget(struct orl_win *win, const struct orl_xfer *x,
		MPI_Request *request)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_GET, x,
			orl_win_rget(win, x, request));
}

static int raccumulate(struct orl_win *win, const struct orl_xacc *x,
		       MPI_Request *request)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_ACC, &x->xfer,
			orl_win_raccumulate(win, x, request));
}

static int rget_accumulate(struct orl_win *win, const struct orl_xacc *x,
			   MPI_Request *request)
{
	struct moment begin = now();

	return end_move(win, &begin, ORL_WATCH_GET_ACC, &x->xfer,
			orl_win_rget_accumulate(win, x, request));
}

static int fence(struct orl_win *win, int assertion)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_FENCE, -1,
			orl_win_fence(win, assertion));
}

static int post(struct orl_win *win, MPI_Group group, int assertion)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_POST, -1,
			orl_win_post(win, group, assertion));
}

static int start(struct orl_win *win, MPI_Group group, int assertion)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_START, -1,
			orl_win_start(win, group, assertion));
}

static int complete(struct orl_win *win)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_COMPLETE, -1,
			orl_win_complete(win));
}

static int wait(struct orl_win *win)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_WAIT, -1, orl_win_wait(win));
}

static int test(struct orl_win *win, int *flag)
{
	struct moment begin = now();

	return end_test(win, &begin, ORL_WATCH_TEST, flag,
			orl_win_test(win, flag));
}

static int lock(struct orl_win *win, int type, int rank, int assertion)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_LOCK, rank,
			orl_win_lock(win, type, rank, assertion));
}

static int unlock(struct orl_win *win, int rank)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_UNLOCK, rank,
			orl_win_unlock(win, rank));
}

static int lock_all(struct orl_win *win, int assertion)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_LOCK_ALL, -1,
			orl_win_lock_all(win, assertion));
}

static int unlock_all(struct orl_win *win)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_UNLOCK_ALL, -1,
			orl_win_unlock_all(win));
}

static int flush(struct orl_win *win, int rank)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_FLUSH, rank,
			orl_win_flush(win, rank));
}

static int flush_all(struct orl_win *win)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_FLUSH_ALL, -1,
			orl_win_flush_all(win));
}

static int flush_local(struct orl_win *win, int rank)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_FLUSH_LOCAL, rank,
			orl_win_flush_local(win, rank));
}

static int flush_local_all(struct orl_win *win)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_FLUSH_LOCAL_ALL, -1,
			orl_win_flush_local_all(win));
}

static int sync(struct orl_win *win)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_SYNC, -1, orl_win_sync(win));
}

static int rflush(struct orl_win *win, int rank, MPI_Request *request)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_RFLUSH, rank,
			orl_win_rflush(win, rank, request));
}

static int notify_wait(struct orl_win *win, int tag, int count)
{
	struct moment begin = now();

	return end_sync(win, &begin, ORL_WATCH_NOTIFY_WAIT, -1,
			orl_win_notify_wait(win, tag, count));
}

static int notify_test(struct orl_win *win, int tag, int count, int *flag)
{
	struct moment begin = now();

	return end_test(win, &begin, ORL_WATCH_NOTIFY_TEST, flag,
			orl_win_notify_test(win, tag, count, flag));
}

const struct orl_calls orl_calls_watched = {
	.put = put,
	.get = get,
	.accumulate = accumulate,
	.get_accumulate = get_accumulate,
	.fetch_and_op = fetch_and_op,
	.compare_and_swap = compare_and_swap,
	.fetch_any = fetch_any,
	.swap_any = swap_any,
	.rput = rput,
	.rget = rget,
	.raccumulate = raccumulate,
	.rget_accumulate = rget_accumulate,
	.fence = fence,
	.post = post,
	.start = start,
	.complete = complete,
	.wait = wait,
	.test = test,
	.lock = lock,
	.unlock = unlock,
	.lock_all = lock_all,
	.unlock_all = unlock_all,
	.flush = flush,
	.flush_all = flush_all,
	.flush_local = flush_local,
	.flush_local_all = flush_local_all,
	.sync = sync,
	.rflush = rflush,
	.notify_wait = notify_wait,
	.notify_test = notify_test,
};

const struct orl_calls orl_calls_plain = {
	.put = orl_win_put,
	.get = orl_win_get,
	.accumulate = orl_win_accumulate,
	.get_accumulate = orl_win_get_accumulate,
	.fetch_and_op = orl_win_fetch_and_op,
	.compare_and_swap = orl_win_compare_and_swap,
	.fetch_any = orl_fetch_any,
	.swap_any = orl_swap_any,
	.rput = orl_win_rput,
	.rget = orl_win_rget,
	.raccumulate = orl_win_raccumulate,
	.rget_accumulate = orl_win_rget_accumulate,
	.fence = orl_win_fence,
	.post = orl_win_post,
	.start = orl_win_start,
	.complete = orl_win_complete,
	.wait = orl_win_wait,
	.test = orl_win_test,
	.lock = orl_win_lock,
	.unlock = orl_win_unlock,
	.lock_all = orl_win_lock_all,
	.unlock_all = orl_win_unlock_all,
	.flush = orl_win_flush,
	.flush_all = orl_win_flush_all,
	.flush_local = orl_win_flush_local,
	.flush_local_all = orl_win_flush_local_all,
	.sync = orl_win_sync,
	.rflush = orl_win_rflush,
	.notify_wait = orl_win_notify_wait,
	.notify_test = orl_win_notify_test,
};

/* -- choosing -------------------------------------------------------------- */

/* Rank 0's wish for sums is all ranks', so that it can gather them; a trace
 * is each process's own. */
int orl_watch_open(struct orl_creation *creation)
{
	enum orl_stats_form form = creation->parts[0].stats;
	bool sums = form != ORL_STATS_NONE, is_traced = orl_trace_begin();
	struct orl_win *win = creation->win;
	MPI_Comm copy = MPI_COMM_NULL;
	int rc;

	if (orl_likely(!sums && !is_traced))
		return 0;
	/* With all ranks, before anything can fail on one alone. */
	rc = sums ? orl_host_comm_copy(&win->comm, &copy) : 0;
	win->watch = rc ? NULL : calloc(1, sizeof(*win->watch));
	if (!win->watch) {
		if (copy != MPI_COMM_NULL)
			orl_host_comm_drop(&copy);
		return rc ? rc : MPI_ERR_NO_MEM;
	}
	pthread_mutex_init(&win->watch->lock, NULL);
	win->watch->is_traced = is_traced;
	win->watch->call = creation->args->call;
	win->watch->born = orl_now_ns();
	win->watch->win = win;
	win->watch->comm = copy;
	win->watch->form = form;
	win->head.calls = &orl_calls_watched;
	return sums ? orl_stats_open(win) : 0;
}

void orl_watch_close(struct orl_win *win)
{
	if (orl_likely(!win->watch))
		return;
	orl_stats_close(win);
	free(win->watch);
}
