/* SPDX-License-Identifier: BSD-3-Clause */
/* random_print.c - programs and failures in words. */
#include "random.h"

#include <stdio.h>
#include <unistd.h>

const char *const call_names[CALL_COUNT] = { "put",	     "get",
					     "accumulate",   "get_accumulate",
					     "fetch_and_op", "compare_and_swap",
					     "rput",	     "rget",
					     "raccumulate",  "rget_accumulate",
					     "lock",	     "unlock",
					     "lock_all",     "unlock_all",
					     "flush",	     "flush_local",
					     "flush_all",    "flush_local_all",
					     "win_sync",     "wait" };
const char *const wait_names[WAIT_MODES] = { "wait",	 "waitall", "waitany",
					     "waitsome", "test",    "testall",
					     "testany",	 "testsome" };

static void print_ints(const char *label, const int *ints, int n)
{
	fprintf(stderr, " %s{", label);
	for (int i = 0; i < n; i++)
		fprintf(stderr, "%s%d", i ? "," : "", ints[i]);
	fprintf(stderr, "}");
}

static void print_array(const struct array_args *args)
{
	fprintf(stderr, "%s", args->order == MPI_ORDER_C ? "C" : "F");
	print_ints("sizes", args->sizes, args->dims);
	if (args->procs == 0) {
		print_ints("subsizes", args->subsizes, args->dims);
		print_ints("starts", args->starts, args->dims);
		return;
	}
	fprintf(stderr, " rank %d of %d", args->rank, args->procs);
	for (int d = 0; d < args->dims; d++)
		fprintf(stderr, " %s",
			args->distribs[d] == MPI_DISTRIBUTE_BLOCK    ? "block"
			: args->distribs[d] == MPI_DISTRIBUTE_CYCLIC ? "cyclic"
								     : "none");
	print_ints("dargs", args->dargs, args->dims);
	print_ints("psizes", args->psizes, args->dims);
}

static void print_disps(const struct tree *tree)
{
	fprintf(stderr, " disps{");
	for (int i = 0; i < tree->n; i++)
		fprintf(stderr, "%s%td", i ? "," : "", tree->disps[i]);
	fprintf(stderr, "}");
}

static void print_args(const struct tree *tree)
{
	switch (tree->comb) {
	case COMB_CONTIG:
		fprintf(stderr, "%d", tree->n);
		break;
	case COMB_VECTOR:
	case COMB_HVECTOR:
		fprintf(stderr, "%d,%d,%td", tree->n, tree->blocklen,
			tree->stride);
		break;
	case COMB_INDEXED:
	case COMB_HINDEXED:
	case COMB_STRUCT:
		print_ints("lens", tree->lens, tree->n);
		print_disps(tree);
		break;
	case COMB_IBLOCK:
	case COMB_HIBLOCK:
		fprintf(stderr, "len %d", tree->blocklen);
		print_disps(tree);
		break;
	case COMB_RESIZED:
		fprintf(stderr, "lb %td, extent %td", tree->lb, tree->extent);
		break;
	case COMB_SUBARRAY:
	case COMB_DARRAY:
		print_array(tree->array);
		break;
	default:
		break;
	}
}

static void print_tree(const struct tree *tree)
{
	if (tree->comb == COMB_BASIC) {
		fprintf(stderr, "%s", basics[tree->basic].name);
		return;
	}
	fprintf(stderr, "%s(", comb_names[tree->comb]);
	print_args(tree);
	for (int i = 0; i < (tree->comb == COMB_STRUCT ? tree->n : 1); i++) {
		fprintf(stderr, "; ");
		print_tree(tree->kids[i]);
	}
	fprintf(stderr, ")");
}

static void print_side(const char *name, const struct side *side)
{
	fprintf(stderr, "      %s: %s%d x ", name,
		side->null     ? "NULL, "
		: side->bottom ? "MPI_BOTTOM, "
			       : "",
		side->count);
	print_tree(side->tree);
	if (side->n)
		fprintf(stderr, " (bytes %td..%td)", side->first, side->last);
	fprintf(stderr, "\n");
}

static void print_sync(const struct op *op)
{
	fprintf(stderr, "  op %d: rank %d %s", op->id, op->origin,
		call_names[op->call]);
	if (op->call == CALL_LOCK)
		fprintf(stderr, " %s",
			op->lock_type == MPI_LOCK_SHARED ? "shared"
							 : "exclusive");
	if (op->call == CALL_LOCK || op->call == CALL_UNLOCK ||
	    op->call == CALL_FLUSH || op->call == CALL_FLUSH_LOCAL)
		fprintf(stderr, " %d", op->target);
	if (op->assertion)
		fprintf(stderr, " NOCHECK");
	if (op->call == CALL_WAIT)
		fprintf(stderr, " by %s", wait_names[op->wait]);
	fprintf(stderr, "\n");
}

static bool uses_src(enum call call)
{
	return call != CALL_GET && call != CALL_RGET;
}

void print_op(const struct prog *prog, const struct phase *phase,
	      const struct op *op)
{
	const struct window *win = &prog->wins[phase->win];

	if (op->call >= CALL_RMA) {
		print_sync(op);
		return;
	}
	fprintf(stderr, "  op %d%s: rank %d %s%s", op->id,
		op->skip ? " (skipped)" : "", op->origin, call_names[op->call],
		op->large ? "_c" : "");
	if (call_is_acc(op->call) && op->rop != ROP_CAS)
		fprintf(stderr, " %s", rop_names[op->rop]);
	if (op->target == MPI_PROC_NULL)
		fprintf(stderr, " to MPI_PROC_NULL\n");
	else
		fprintf(stderr,
			" to rank %d, segment %d, byte %td (unit %d), window "
			"bytes %td..%td\n",
			op->target, op->seg, op->base,
			win->rank[op->target].unit, op->base + op->tgt.first,
			op->base + op->tgt.last);
	if (uses_src(op->call))
		print_side("origin", &op->src);
	if (call_fetches(op->call))
		print_side("result", &op->res);
	print_side("target", &op->tgt);
}

static void print_segment(const struct window *win, int r, int s)
{
	fprintf(stderr, " %zu", win->rank[r].size[s]);
	if (win->rank[r].hole_len[s])
		fprintf(stderr, " (but %zu from %zu)", win->rank[r].hole_len[s],
			win->rank[r].hole[s]);
}

void print_window(const struct prog *prog, int index)
{
	const struct window *win = &prog->wins[index];

	fprintf(stderr, "window %d: %s%s%s\n", index, win_names[win->kind],
		win->no_locks ? ", no_locks" : "",
		win->noncontig ? ", alloc_shared_noncontig" : "");
	for (int r = 0; r < prog->nranks; r++) {
		fprintf(stderr, "  rank %d: unit %d, bytes", r,
			win->rank[r].unit);
		for (int s = 0; s < win->nsegs; s++)
			print_segment(win, r, s);
		if (win->kind >= WIN_CREATE)
			fprintf(stderr, ", skew %d", win->rank[r].skew);
		fprintf(stderr, "\n");
	}
}

static void print_assertion(int assertion)
{
	fprintf(stderr, "%s%s%s%s%s", assertion ? "" : " none",
		assertion & MPI_MODE_NOSTORE ? " NOSTORE" : "",
		assertion & MPI_MODE_NOPUT ? " NOPUT" : "",
		assertion & MPI_MODE_NOPRECEDE ? " NOPRECEDE" : "",
		assertion & MPI_MODE_NOSUCCEED ? " NOSUCCEED" : "");
}

static void print_edges(const struct prog *prog, const struct phase *phase)
{
	for (int o = 0; o < prog->nranks; o++)
		for (int t = 0; t < prog->nranks; t++)
			if (phase->targets[o][t])
				fprintf(stderr, " %d->%d", o, t);
	fprintf(stderr, "\n");
}

static void print_phase(const struct prog *prog, const struct phase *phase)
{
	bool fence = phase->sync == SYNC_FENCE;

	fprintf(stderr, "phase %d: window %d, %s%s%s%s%s\n", phase->id,
		phase->win, sync_names[phase->sync],
		phase->chained ? ", opened by the last fence" : "",
		phase->check ? "" : ", closed by the fence of the next",
		phase->nocheck ? ", NOCHECK" : "",
		phase->empty_groups ? ", empty groups" : "");
	if (phase->sync == SYNC_PSCW)
		print_edges(prog, phase);
	for (int r = 0; r < prog->nranks && phase->sync <= SYNC_PSCW; r++) {
		fprintf(stderr, "  rank %d asserts:", r);
		print_assertion(phase->open[r]);
		if (fence) {
			fprintf(stderr, "; closing:");
			print_assertion(phase->close[r]);
		}
		fprintf(stderr, "\n");
	}
	for (const struct store *s = phase->stores; s; s = s->next)
		fprintf(stderr,
			"  rank %d stores %s at segment %d, bytes "
			"%zu..%zu\n",
			s->rank, s->basic < 0 ? "bytes" : basics[s->basic].name,
			s->seg, s->off, s->off + s->len);
	for (int i = 0; i < phase->nops; i++)
		print_op(prog, phase, phase->ops[i]);
}

void print_program(const struct prog *prog)
{
	fprintf(stderr, "seed %llu, communicator %s of %d\n",
		(unsigned long long)prog->seed, comm_names[prog->comm],
		prog->nranks);
	for (int w = 0; w < prog->nwins; w++)
		print_window(prog, w);
	for (int i = 0; i < prog->nphases; i++)
		print_phase(prog, &prog->phases[i]);
}

void print_bytes(const char *label, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	fprintf(stderr, "%s:", label);
	for (size_t i = 0; i < len; i++)
		fprintf(stderr, " %02x", p[i]);
	fprintf(stderr, "\n");
}

void fail_head(const struct prog *prog, const struct phase *phase,
	       const char *what)
{
	fprintf(stderr,
		"\nFAILED seed %llu, rank %d of %d (%s), phase %d: %s\n",
		(unsigned long long)prog->seed, prog->me, prog->nranks,
		comm_names[prog->comm], phase->id, what);
	fprintf(stderr, "phase %d is %s; ", phase->id, sync_names[phase->sync]);
	print_window(prog, phase->win);
}

_Noreturn void fail_end(void)
{
	fflush(stderr);
	MPI_Abort(MPI_COMM_WORLD, 1);
	_exit(1);
}

void must(int rc, const struct prog *prog, const char *call)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	if (rc == MPI_SUCCESS)
		return;
	MPI_Error_string(rc, text, &len);
	fprintf(stderr,
		"\nFAILED seed %llu, rank %d, phase %d, op %d: %s: %s\n",
		(unsigned long long)prog->seed, prog->me, now_phase, now_op,
		call, text);
	fail_end();
}
