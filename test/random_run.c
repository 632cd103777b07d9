/* SPDX-License-Identifier: BSD-3-Clause */
/* random_run.c - carries out this rank's share of a program. */
#include "random.h"

static void do_stores(struct prog *prog, struct phase *phase)
{
	struct window *win = &prog->wins[phase->win];

	for (const struct store *s = phase->stores; s; s = s->next)
		if (s->rank == prog->me)
			store_bytes(s, win->base[s->seg]);
}

static bool is_mine(const struct prog *prog, const struct op *op)
{
	return op->origin == prog->me && !op->skip;
}

/* Issued calls are complete; target -1: those to any. */
static void done_to(struct prog *prog, struct phase *phase, int target)
{
	for (int i = 0; i < phase->nops; i++) {
		struct op *op = phase->ops[i];

		if (is_mine(prog, op) && op->issued &&
		    (target < 0 || op->target == target))
			op_done(prog, phase, op);
	}
}

static void sync_call(struct prog *prog, struct phase *phase, struct op *op)
{
	MPI_Win win = prog->wins[phase->win].win;
	int rc = MPI_SUCCESS;

	switch (op->call) {
	case CALL_LOCK:
		rc = MPI_Win_lock(op->lock_type, op->target, op->assertion,
				  win);
		break;
	case CALL_UNLOCK:
		rc = MPI_Win_unlock(op->target, win);
		break;
	case CALL_LOCK_ALL:
		rc = MPI_Win_lock_all(op->assertion, win);
		break;
	case CALL_UNLOCK_ALL:
		rc = MPI_Win_unlock_all(win);
		break;
	case CALL_FLUSH:
		rc = MPI_Win_flush(op->target, win);
		break;
	case CALL_FLUSH_LOCAL:
		rc = MPI_Win_flush_local(op->target, win);
		break;
	case CALL_FLUSH_ALL:
		rc = MPI_Win_flush_all(win);
		break;
	case CALL_FLUSH_LOCAL_ALL:
		rc = MPI_Win_flush_local_all(win);
		break;
	default:
		rc = MPI_Win_sync(win);
		break;
	}
	must(rc, prog, call_names[op->call]);
}

static bool completes_all(enum call call)
{
	return call == CALL_UNLOCK_ALL || call == CALL_FLUSH_ALL ||
	       call == CALL_FLUSH_LOCAL_ALL;
}

static bool completes_target(enum call call)
{
	return call == CALL_UNLOCK || call == CALL_FLUSH ||
	       call == CALL_FLUSH_LOCAL;
}

static void do_op(struct prog *prog, struct phase *phase, struct op *op)
{
	now_op = op->id;
	if (op->call < CALL_RMA)
		call_issue(prog, &prog->wins[phase->win], op);
	else if (op->call == CALL_WAIT)
		wait_requests(prog, phase, op->wait);
	else
		sync_call(prog, phase, op);
	if (completes_all(op->call))
		done_to(prog, phase, -1);
	if (completes_target(op->call))
		done_to(prog, phase, op->target);
}

static void do_ops(struct prog *prog, struct phase *phase)
{
	for (int i = 0; i < phase->nops; i++)
		if (is_mine(prog, phase->ops[i]))
			do_op(prog, phase, phase->ops[i]);
}

static void run_fence(struct prog *prog, struct phase *phase)
{
	MPI_Win win = prog->wins[phase->win].win;
	int close = phase->close[prog->me];

	if (!phase->check) /* this fence opens the next phase, too */
		close |= phase[1].open[prog->me];
	if (!phase->chained) {
		do_stores(prog, phase);
		must(MPI_Win_fence(phase->open[prog->me], win), prog,
		     "MPI_Win_fence");
	}
	do_ops(prog, phase);
	must(MPI_Win_fence(close, win), prog, "MPI_Win_fence");
	done_to(prog, phase, -1);
}

/* -- post, start, complete, wait --------------------------------------------*/

/* The origins of a rank's exposure epoch, or the targets of its access. */
static MPI_Group peers(struct prog *prog, struct phase *phase, bool origins,
		       int *n)
{
	MPI_Group all, out;
	int ranks[MAX_RANKS];

	*n = 0;
	for (int r = 0; r < prog->nranks; r++)
		if (origins ? phase->targets[r][prog->me]
			    : phase->targets[prog->me][r])
			ranks[(*n)++] = r;
	MPI_Comm_group(comms[prog->comm].comm, &all);
	MPI_Group_incl(all, *n, ranks, &out);
	MPI_Group_free(&all);
	return out;
}

static void end_exposure(struct prog *prog, struct phase *phase)
{
	MPI_Win win = prog->wins[phase->win].win;
	int flag = 0;

	if (!phase->by_test[prog->me]) {
		must(MPI_Win_wait(win), prog, "MPI_Win_wait");
		return;
	}
	while (!flag)
		must(MPI_Win_test(win, &flag), prog, "MPI_Win_test");
}

static void free_group(MPI_Group *group)
{
	if (*group != MPI_GROUP_EMPTY)
		MPI_Group_free(group);
}

static void run_pscw(struct prog *prog, struct phase *phase)
{
	MPI_Win win = prog->wins[phase->win].win;
	int norigins, ntargets, nocheck = phase->nocheck ? MPI_MODE_NOCHECK : 0;
	MPI_Group origins = peers(prog, phase, true, &norigins);
	MPI_Group targets = peers(prog, phase, false, &ntargets);
	bool exposed = norigins || phase->empty_groups;
	bool access = ntargets || phase->empty_groups;

	do_stores(prog, phase);
	if (exposed)
		must(MPI_Win_post(origins, phase->open[prog->me] | nocheck,
				  win),
		     prog, "MPI_Win_post");
	if (nocheck)
		MPI_Barrier(comms[prog->comm].comm);
	if (access)
		must(MPI_Win_start(targets, nocheck, win), prog,
		     "MPI_Win_start");
	free_group(&origins);
	free_group(&targets);
	do_ops(prog, phase);
	if (access)
		must(MPI_Win_complete(win), prog, "MPI_Win_complete");
	done_to(prog, phase, -1);
	if (exposed)
		end_exposure(prog, phase);
}

/* -- passive target ---------------------------------------------------------*/

static void run_passive(struct prog *prog, struct phase *phase)
{
	MPI_Win win = prog->wins[phase->win].win;
	MPI_Comm comm = comms[prog->comm].comm;

	must(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, prog->me, 0, win), prog,
	     "MPI_Win_lock of itself");
	do_stores(prog, phase);
	must(MPI_Win_unlock(prog->me, win), prog, "MPI_Win_unlock of itself");
	MPI_Barrier(comm);
	do_ops(prog, phase);
	wait_requests(prog, phase, WAIT_ALL);
	MPI_Barrier(comm);
}

static void check_phase(struct prog *prog, struct phase *phase)
{
	MPI_Win win = prog->wins[phase->win].win;
	bool passive = phase->sync >= SYNC_LOCK;

	if (passive)
		must(MPI_Win_lock(MPI_LOCK_SHARED, prog->me, 0, win), prog,
		     "MPI_Win_lock of itself");
	contest_check(prog, phase);
	if (phase->check)
		win_check(prog, phase);
	if (passive)
		must(MPI_Win_unlock(prog->me, win), prog,
		     "MPI_Win_unlock of itself");
	for (int i = 0; i < phase->nops; i++)
		if (is_mine(prog, phase->ops[i]) &&
		    phase->ops[i]->call < CALL_RMA)
			op_check(prog, phase, phase->ops[i]);
}

static void run_phase(struct prog *prog, struct phase *phase)
{
	now_phase = phase->id;
	model_phase(prog, phase);
	if (phase->sync == SYNC_FENCE)
		run_fence(prog, phase);
	else if (phase->sync == SYNC_PSCW)
		run_pscw(prog, phase);
	else
		run_passive(prog, phase);
	check_phase(prog, phase);
}

void run_program(struct prog *prog)
{
	model_start(prog);
	for (int w = 0; w < prog->nwins; w++)
		win_make(prog, &prog->wins[w]);
	for (int i = 0; i < prog->nphases; i++)
		run_phase(prog, &prog->phases[i]);
	for (int w = 0; w < prog->nwins; w++)
		win_drop(prog, &prog->wins[w]);
}
