/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * create.c - making and freeing a window: each rank prepares its part, all
 * exchange what the others must know in one allgather (in windows that span
 * nodes another one, see remote.c), each builds its table of targets, and a
 * last allgather makes sure that the window exists everywhere or nowhere.
 * What a rank finds wrong with its arguments travels in the first one, so
 * that no rank waits for another that has given up, unless it lacks even the
 * memory to take part.
 */
#include "check.h"
#include "watch.h"

#include "regions.h"

#include <stdlib.h>
#include <string.h>

struct orl_map orl_win_map = ORL_MAP_INIT;

/* -- this rank's part ------------------------------------------------------ */

static int check_args(struct orl_creation *creation)
{
	const struct orl_win_args *args = creation->args;

	if (args->size < 0) {
		ORL_EXPLAIN(creation, "size %lld is negative",
			    (long long)args->size);
		return MPI_ERR_SIZE;
	}
	if (args->disp_unit <= 0 || args->disp_unit > INT32_MAX) {
		ORL_EXPLAIN(creation, "displacement unit %lld is not positive",
			    (long long)args->disp_unit);
		return MPI_ERR_DISP;
	}
	if (args->flavor == MPI_WIN_FLAVOR_CREATE && args->size &&
	    !args->base) {
		ORL_EXPLAIN(creation, "the base of %lld bytes is NULL",
			    (long long)args->size);
		return MPI_ERR_BASE;
	}
	return 0;
}

/* This process waits on it in every window's barriers; lives until exit. */
static struct orl_bell *arrival_bell(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct orl_bell *bell;

	pthread_mutex_lock(&lock);
	if (!bell) {
		bell = orl_arena_alloc(ORL_CACHELINE, ORL_CACHELINE);
		if (bell)
			memset(bell, 0, sizeof(*bell));
	}
	pthread_mutex_unlock(&lock);
	return bell;
}

static int make_ctl(struct orl_win *win)
{
	size_t bytes = orl_ctl_bytes(win->size, win->notice_tags);
	struct orl_bell *bell = arrival_bell();

	win->ctl_bytes = (uint32_t)bytes;
	win->ctl = orl_arena_alloc(bytes, ORL_CACHELINE);
	if (!win->ctl || !bell)
		return MPI_ERR_NO_MEM;
	memset(win->ctl, 0, bytes);
	win->ctl->arrival = (char *)bell - (char *)win->ctl;
	return 0;
}

static int open_arena(struct orl_creation *creation)
{
	const char *what = NULL;
	int rc = orl_arena_open(&what);

	if (!rc)
		return 0;
	ORL_EXPLAIN(creation, "shared memory: %s: %s", what, strerror(-rc));
	return MPI_ERR_NO_MEM;
}

static int prepare(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	int rc = check_args(creation);

	win->bytes = rc ? 0 : creation->args->size;
	rc = rc ? rc : open_arena(creation);
	if (!rc && win->flavor != MPI_WIN_FLAVOR_SHARED)
		rc = orl_win_memory(creation);
	rc = rc ? rc : make_ctl(win);
	if (!rc && win->dynamic)
		rc = orl_regions_make(win) ? MPI_ERR_NO_MEM : 0;
	return rc;
}

/* Of all that this process has begun to make. */
static uint32_t next_ordinal(void)
{
	static _Atomic(uint32_t) windows;

	return atomic_fetch_add_explicit(&windows, 1, memory_order_relaxed) + 1;
}

static void fill_part(struct orl_win *win, int error, struct orl_part *part)
{
	bool mapped = !win->bytes || win->flavor == MPI_WIN_FLAVOR_SHARED ||
		      orl_arena_holds(win->base, (size_t)win->bytes);

	*part = (struct orl_part){
		.ctl = (uint64_t)win->ctl,
		.base = win->dynamic ? 0 : (uint64_t)win->base,
		.size = (uint64_t)win->bytes,
		.room = orl_node_room(),
		.disp_unit = (uint32_t)win->disp_unit,
		.error = error,
		.notice_tags = win->notice_tags,
		.paths = (uint8_t)orl_options.path,
		.mapped = mapped,
		.fences = orl_fence_is_able(),
		.noncontig = orl_info_is_noncontig(win),
		.crowded = orl_wait_is_crowded(),
		.stats = win->rank ? ORL_STATS_NONE : orl_stats_wanted(),
		.check = orl_options.check != ORL_CHECK_OFF,
		.threads = orl_threaded,
		.ordinal = next_ordinal(),
	};
	orl_card_fill(&part->card);
	orl_progress_cores(part->cores);
}

/* -- the object ------------------------------------------------------------ */

static struct orl_win *make_object(const struct orl_win_args *args)
{
	struct orl_win *win = calloc(1, sizeof(*win));

	if (!win)
		return NULL;
	pthread_mutex_init(&win->mutex, NULL);
	win->head.calls = &orl_calls_plain;
	win->handle = MPI_WIN_NULL;
	win->flavor = args->flavor;
	win->dynamic = args->flavor == MPI_WIN_FLAVOR_DYNAMIC;
	win->disp_unit = (int)args->disp_unit;
	orl_info_read(win, args->info, true);
	return win;
}

static void free_object(struct orl_win *win)
{
	uint32_t i;

	for (i = 0; i < win->nnear && win->targets; i++)
		orl_path_release(&win->targets[win->near[i]]);
	orl_check_close(win);
	orl_watch_close(win);
	orl_win_part(win);
	orl_remote_free(win);
	free(win->targets);
	free(win->near);
	orl_regions_free(win);
	if (win->ctl)
		orl_arena_free(win->ctl);
	if (win->memory)
		orl_arena_free(win->memory);
	orl_host_comm_close(&win->comm);
	free(win);
}

static int enter_map(struct orl_win *win)
{
	int rc = orl_host_win_make(&win->handle);

	if (!rc && orl_map_set(&orl_win_map, (uintptr_t)win->handle, win)) {
		orl_host_win_free(&win->handle);
		rc = MPI_ERR_NO_MEM;
	}
	return rc;
}

/*
 * On failure the window stays as it is.  Delete callbacks still find it; as
 * soon as the handle is free another thread may have entered it again.
 */
static int leave_map(struct orl_win *win)
{
	uintptr_t key = (uintptr_t)win->handle;
	int rc = orl_host_win_free(&win->handle);

	if (!rc)
		orl_map_del(&orl_win_map, key, win);
	return rc;
}

/* -- together -------------------------------------------------------------- */

static int build(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	int rc = orl_watch_open(creation);

	/* All ranks meet there, those that have failed too. */
	if (win->spans)
		rc = orl_remote_meet(creation, rc);
	rc = rc ? rc : orl_creation_targets(creation);
	rc = rc ? rc : orl_check_open(creation);
	if (!rc && win->flavor == MPI_WIN_FLAVOR_SHARED)
		rc = orl_win_memory(creation);
	if (!rc && creation->args->of && orl_win_join(win, creation->args->of))
		rc = MPI_ERR_NO_MEM;
	return rc ? rc : enter_map(win);
}

static int exchange(struct orl_creation *creation)
{
	struct orl_win *win = creation->win;
	struct orl_part mine;
	int rc = prepare(creation);
	bool expected;

	fill_part(win, rc, &mine);
	expected = orl_absent_expect(creation);
	rc = orl_host_allgather(&win->comm, &mine, creation->parts,
				sizeof(mine));
	orl_absent_met(expected);
	rc = rc ? rc : orl_creation_decide(creation);
	if (rc)
		return rc;
	rc = orl_creation_agree(creation, build(creation));
	if (!rc)
		rc = orl_creation_finish(creation);
	if (!rc)
		orl_check_join(creation);
	if (rc && win->handle != MPI_WIN_NULL)
		leave_map(win);
	return rc;
}

static int make(struct orl_creation *creation)
{
	uint32_t size = creation->win->size;
	int rc = MPI_ERR_NO_MEM;

	creation->parts = calloc(size, sizeof(*creation->parts));
	creation->introductions =
		calloc(size, sizeof(*creation->introductions));
	creation->verdicts = calloc(size, sizeof(*creation->verdicts));
	if (creation->parts && creation->introductions && creation->verdicts)
		rc = exchange(creation);
	free(creation->parts);
	free(creation->introductions);
	free(creation->verdicts);
	return rc;
}

/* What no step has explained. */
static void explain_class(struct orl_creation *creation, int class)
{
	if (class == MPI_ERR_COMM)
		ORL_EXPLAIN(creation, "the communicator is null, invalid or an "
				      "intercommunicator");
	else if (class == MPI_ERR_WIN)
		ORL_EXPLAIN(creation, "the host MPI makes no window, not even "
				      "of one process, to serve as handle");
	else if (class == MPI_ERR_NO_MEM)
		ORL_EXPLAIN(creation, "no memory");
	else
		ORL_EXPLAIN(creation, "the host MPI reports an error");
}

static ORL_COLD int fail(struct orl_creation *creation, int class)
{
	char text[512];

	if (!creation->why[0])
		explain_class(creation, class);
	if (creation->args->of)
		return orl_win_fail(creation->args->of, creation->args->call,
				    class, "%s", creation->why);
	snprintf(text, sizeof(text), "%s: %s", creation->args->call,
		 creation->why);
	orl_log(ORL_LOG_INFO, "%s", text);
	return orl_host_raise_comm(creation->args->comm,
				   orl_host_error_code(class, text));
}

int orl_win_create(const struct orl_win_args *args, MPI_Win *handle)
{
	struct orl_creation creation = { .args = args };
	struct orl_comm comm;
	struct orl_win *win;
	int rc = orl_host_start();

	rc = rc ? rc : orl_host_comm_open(args->comm, &comm);
	if (rc)
		return fail(&creation, rc);
	win = make_object(args);
	if (!win) {
		orl_host_comm_close(&comm);
		return fail(&creation, MPI_ERR_NO_MEM);
	}
	creation.win = win;
	win->comm = comm;
	win->rank = (uint32_t)comm.rank;
	win->size = (uint32_t)comm.size;
	rc = make(&creation);
	if (rc) {
		free_object(win);
		return fail(&creation, rc);
	}
	orl_win_announce(win, args->call);
	*handle = win->handle;
	return MPI_SUCCESS;
}

void *orl_win_base(const struct orl_win *win)
{
	return win->base;
}

int orl_win_free(MPI_Win *handle, struct orl_win *win)
{
	const char *why = orl_epoch_objection(win, ORL_CALL_FREE);
	int rc = 0;

	if (why)
		return orl_win_fail(win, "MPI_Win_free", MPI_ERR_RMA_SYNC, "%s",
				    why);
	/* The others may be gone when a refused call is repeated. */
	if (!win->is_leaving)
		rc = orl_win_barrier(win);
	if (rc)
		return orl_win_fail(win, "MPI_Win_free", rc, "%s", "");
	if (orl_unlikely(win->watch != NULL) && !win->is_leaving)
		orl_stats_report(win);
	win->is_leaving = true;
	rc = leave_map(win);
	if (rc)
		return orl_win_fail(win, "MPI_Win_free", rc,
				    "an attribute's delete callback or the "
				    "host MPI refused");
	free_object(win);
	*handle = MPI_WIN_NULL;
	return MPI_SUCCESS;
}
