/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.c - the calls of windows that are checked: each is the one that would
 * be called otherwise, with what it completes settled before it and what it
 * moved noted after it.
 */
#include "check_parts.h"

#include <malloc.h>
#include <stdlib.h>

ORL_THREAD_LOCAL const struct orl_xfer *orl_check_current;

static const struct orl_calls *inner(const struct orl_win *win)
{
	return win->check->inner;
}

/* -- calls that move data -------------------------------------------------- */

/* What was refused, or addressed to nobody, has moved nothing. */
static int moved(struct orl_win *win, const struct orl_move *move, int rc)
{
	orl_check_current = NULL;
	if (!rc && (uint32_t)move->x->rank < win->size)
		orl_check_move(win, move);
	return rc;
}

static struct orl_move begin_put(const struct orl_xfer *x)
{
	orl_check_current = x;
	return (struct orl_move){ .x = x, .what = ORL_CHECK_PUT };
}

/* What a get calls its origin buffer is the one that it fills. */
static struct orl_move begin_get(const struct orl_xfer *x)
{
	orl_check_current = x;
	return (struct orl_move){
		.x = x,
		.what = ORL_CHECK_GET,
		.fetches = true,
		.result = (void *)x->origin,
		.rcount = x->ocount,
		.rtype = x->otype,
	};
}

static struct orl_move begin_acc(const struct orl_xacc *x, bool fetches)
{
	enum orl_op op;

	orl_check_current = &x->xfer;
	return (struct orl_move){
		.x = &x->xfer,
		.what = ORL_CHECK_ACC,
		.op = orl_op_find(x->op, &op) ? ORL_OP_CAS : (uint8_t)op,
		.fetches = fetches,
		.result = x->result,
		.rcount = x->rcount,
		.rtype = x->rtype,
	};
}

static int put(struct orl_win *win, const struct orl_xfer *x)
{
	struct orl_move move = begin_put(x);

	return moved(win, &move, inner(win)->put(win, x));
}

static int get(struct orl_win *win, const struct orl_xfer *x)
{
	struct orl_move move = begin_get(x);

	return moved(win, &move, inner(win)->get(win, x));
}

static int accumulate(struct orl_win *win, const struct orl_xacc *x)
{
	struct orl_move move = begin_acc(x, false);

	return moved(win, &move, inner(win)->accumulate(win, x));
}

static int get_accumulate(struct orl_win *win, const struct orl_xacc *x)
{
	struct orl_move move = begin_acc(x, true);

	return moved(win, &move, inner(win)->get_accumulate(win, x));
}

static int fetch_any(struct orl_win *win, const struct orl_xacc *x)
{
	struct orl_move move = begin_acc(x, true);

	return moved(win, &move, inner(win)->fetch_any(win, x));
}

static int fetch_and_op(struct orl_win *win, const struct orl_xone *x)
{
	const struct orl_xacc any = orl_xone_any(x, "MPI_Fetch_and_op");

	return fetch_any(win, &any);
}

static int swap_any(struct orl_win *win, const struct orl_xacc *x,
		    const void *compare)
{
	struct orl_move move = begin_acc(x, true);

	move.compare = compare;
	return moved(win, &move, inner(win)->swap_any(win, x, compare));
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
	struct orl_move move = begin_put(x);

	return moved(win, &move, inner(win)->rput(win, x, request));
}

static int rget(struct orl_win *win, const struct orl_xfer *x,
		MPI_Request *request)
{
	struct orl_move move = begin_get(x);

	return moved(win, &move, inner(win)->rget(win, x, request));
}

static int raccumulate(struct orl_win *win, const struct orl_xacc *x,
		       MPI_Request *request)
{
	struct orl_move move = begin_acc(x, false);

	return moved(win, &move, inner(win)->raccumulate(win, x, request));
}

static int rget_accumulate(struct orl_win *win, const struct orl_xacc *x,
			   MPI_Request *request)
{
	struct orl_move move = begin_acc(x, true);

	return moved(win, &move, inner(win)->rget_accumulate(win, x, request));
}

/* -- active targets -------------------------------------------------------- */

static void settle(struct orl_win *win, const char *call,
		   enum orl_check_mode mode, int target, bool local)
{
	const struct orl_settled settled = {
		.call = call,
		.mode = mode,
		.target = target,
		.local = local,
	};

	orl_buffer_settle(win, &settled);
	orl_access_settle(win, &settled);
}

static void check_noprecede(struct orl_win *win)
{
	struct orl_access one;
	unsigned n = orl_access_count(win, &one);

	if (n)
		orl_check_report(win, "MPI_Win_fence", orl_check_place(),
				 "MPI_MODE_NOPRECEDE is asserted, but the "
				 "epoch that it ends has communication: %s to "
				 "target %u, called at %s",
				 one.call, one.target, one.place);
}

static int fence(struct orl_win *win, int assertion)
{
	int rc;

	if (assertion & MPI_MODE_NOPRECEDE)
		check_noprecede(win);
	settle(win, "MPI_Win_fence", ORL_CHECK_FENCE, -1, false);
	if (assertion & MPI_MODE_NOPUT)
		orl_access_forbid_epoch(win, win->check->fences + 1);
	rc = inner(win)->fence(win, assertion);
	if (rc)
		return rc;
	win->check->fences++;
	orl_access_fenced(win);
	return MPI_SUCCESS;
}

static int post(struct orl_win *win, MPI_Group group, int assertion)
{
	orl_access_forbid_exposure(win, assertion & MPI_MODE_NOPUT);
	return inner(win)->post(win, group, assertion);
}

static int start(struct orl_win *win, MPI_Group group, int assertion)
{
	return inner(win)->start(win, group, assertion);
}

static int complete(struct orl_win *win)
{
	settle(win, "MPI_Win_complete", ORL_CHECK_START, -1, false);
	return inner(win)->complete(win);
}

static int wait(struct orl_win *win)
{
	int rc = inner(win)->wait(win);

	if (!rc)
		orl_access_exposed(win);
	return rc;
}

static int test(struct orl_win *win, int *flag)
{
	int rc = inner(win)->test(win, flag);

	if (!rc && *flag)
		orl_access_exposed(win);
	return rc;
}

/* -- passive targets ------------------------------------------------------- */

static int lock(struct orl_win *win, int type, int rank, int assertion)
{
	return inner(win)->lock(win, type, rank, assertion);
}

static int unlock(struct orl_win *win, int rank)
{
	settle(win, "MPI_Win_unlock", ORL_CHECK_PASSIVE, rank, false);
	return inner(win)->unlock(win, rank);
}

static int lock_all(struct orl_win *win, int assertion)
{
	return inner(win)->lock_all(win, assertion);
}

static int unlock_all(struct orl_win *win)
{
	settle(win, "MPI_Win_unlock_all", ORL_CHECK_PASSIVE, -1, false);
	return inner(win)->unlock_all(win);
}

static int flush(struct orl_win *win, int rank)
{
	settle(win, "MPI_Win_flush", ORL_CHECK_PASSIVE, rank, false);
	return inner(win)->flush(win, rank);
}

static int flush_all(struct orl_win *win)
{
	settle(win, "MPI_Win_flush_all", ORL_CHECK_PASSIVE, -1, false);
	return inner(win)->flush_all(win);
}

static int flush_local(struct orl_win *win, int rank)
{
	settle(win, "MPI_Win_flush_local", ORL_CHECK_PASSIVE, rank, true);
	return inner(win)->flush_local(win, rank);
}

static int flush_local_all(struct orl_win *win)
{
	settle(win, "MPI_Win_flush_local_all", ORL_CHECK_PASSIVE, -1, true);
	return inner(win)->flush_local_all(win);
}

static int sync(struct orl_win *win)
{
	return inner(win)->sync(win);
}

/* What it completes it settles itself. */
static int rflush(struct orl_win *win, int rank, MPI_Request *request)
{
	return inner(win)->rflush(win, rank, request);
}

/* -- notifications, of which the check knows nothing ----------------------- */

static int notify_wait(struct orl_win *win, int tag, int count)
{
	return inner(win)->notify_wait(win, tag, count);
}

static int notify_test(struct orl_win *win, int tag, int count, int *flag)
{
	return inner(win)->notify_test(win, tag, count, flag);
}

const struct orl_calls orl_calls_checked = {
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

void orl_check_released(struct orl_win *win, int rank, bool all)
{
	orl_access_release(win, rank);
	orl_buffer_release(win, rank, all);
}

/* -- choosing -------------------------------------------------------------- */

static bool all_want(const struct orl_creation *creation)
{
	uint32_t i;

	for (i = 0; i < creation->win->size; i++)
		if (!creation->parts[i].check)
			return false;
	return true;
}

static int make_log(struct orl_win *win)
{
	struct orl_check *check = win->check;

	if (win->rank != win->near[0])
		return 0;
	check->memory =
		orl_arena_alloc(orl_access_log_bytes(win->size), ORL_CACHELINE);
	if (!check->memory)
		return MPI_ERR_NO_MEM;
	orl_access_log_init(check->memory, win->size);
	return 0;
}

int orl_check_open(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;

	if (orl_likely(!orl_options.check) || !all_want(creation))
		return 0;
	win->check = calloc(1, sizeof(*win->check));
	if (!win->check)
		return MPI_ERR_NO_MEM;
	pthread_mutex_init(&win->check->lock, NULL);
	win->check->inner = win->head.calls;
	win->head.calls = &orl_calls_checked;
	return make_log(win);
}

uint64_t orl_check_address(const struct orl_win *win)
{
	return orl_unlikely(win->check != NULL) ? (uint64_t)win->check->memory
						: 0;
}

/* By the way in which its control block is mapped here: of shared windows
 * target->delta is another rank's. */
void orl_check_join(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	uint32_t first;

	if (orl_likely(!win->check))
		return;
	first = win->near[0];
	win->check->log = (void *)(creation->verdicts[first].log +
				   (uint64_t)win->targets[first].gate -
				   creation->parts[first].ctl);
	orl_check_count_window();
}

void orl_check_close(struct orl_win *win)
{
	if (orl_likely(!win->check))
		return;
	if (win->check->memory)
		orl_arena_free(win->check->memory);
	free(win->check->buffers);
	free(win->check);
}

uint64_t orl_check_held(const struct orl_win *win)
{
	if (!win->check)
		return 0;
	return malloc_usable_size(win->check) +
	       malloc_usable_size(win->check->buffers);
}
