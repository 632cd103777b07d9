/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_call.c - one communication call handed to MPI, in the _c form now
 * and then where there is one.
 */
#include "random.h"

#include <stdio.h>
#include <string.h>

#define SPOILT 0xee

/* The arguments in MPI's terms. */
struct args {
	void *src, *res, *cmp;
	int nsrc, nres, ntgt, target;
	MPI_Datatype tsrc, tres, ttgt;
	MPI_Aint disp;
	MPI_Op op;
	MPI_Win win;
};

static void *address(struct side *side)
{
	if (side->null)
		return NULL;
	return side->bottom ? MPI_BOTTOM : side->real + side->base;
}

static MPI_Datatype type_of(struct side *side)
{
	if (side->bottom && !side->null)
		side->type = tree_make_at(side->tree, side->real + side->base);
	else
		side->type = tree_make(side->tree);
	return side->type;
}

static struct args arguments(struct window *win, struct op *op)
{
	struct args a = { .nsrc = op->src.count,
			  .nres = op->res.count,
			  .ntgt = op->tgt.count,
			  .target = op->target,
			  .op = rop_handle(op->rop),
			  .win = win->win };

	a.src = address(&op->src);
	a.tsrc = type_of(&op->src);
	a.ttgt = type_of(&op->tgt);
	if (op->res.want) {
		a.res = address(&op->res);
		a.tres = type_of(&op->res);
	}
	if (op->cmp.want)
		a.cmp = address(&op->cmp);
	if (op->target == MPI_PROC_NULL)
		return a;
	a.disp = op->base / win->rank[op->target].unit;
	if (win->kind == WIN_DYNAMIC)
		a.disp = MPI_Aint_add(win->addr[op->target][op->seg], op->base);
	return a;
}

static int issue(const struct args *a, struct op *op)
{
	MPI_Request *req = &op->request;

	switch (op->call) {
	case CALL_PUT:
		return MPI_Put(a->src, a->nsrc, a->tsrc, a->target, a->disp,
			       a->ntgt, a->ttgt, a->win);
	case CALL_GET:
		return MPI_Get(a->res, a->nres, a->tres, a->target, a->disp,
			       a->ntgt, a->ttgt, a->win);
	case CALL_ACC:
		return MPI_Accumulate(a->src, a->nsrc, a->tsrc, a->target,
				      a->disp, a->ntgt, a->ttgt, a->op, a->win);
	case CALL_GACC:
		return MPI_Get_accumulate(a->src, a->nsrc, a->tsrc, a->res,
					  a->nres, a->tres, a->target, a->disp,
					  a->ntgt, a->ttgt, a->op, a->win);
	case CALL_FOP:
		return MPI_Fetch_and_op(a->src, a->res, a->ttgt, a->target,
					a->disp, a->op, a->win);
	case CALL_CAS:
		return MPI_Compare_and_swap(a->src, a->cmp, a->res, a->ttgt,
					    a->target, a->disp, a->win);
	case CALL_RPUT:
		return MPI_Rput(a->src, a->nsrc, a->tsrc, a->target, a->disp,
				a->ntgt, a->ttgt, a->win, req);
	case CALL_RGET:
		return MPI_Rget(a->res, a->nres, a->tres, a->target, a->disp,
				a->ntgt, a->ttgt, a->win, req);
	case CALL_RACC:
		return MPI_Raccumulate(a->src, a->nsrc, a->tsrc, a->target,
				       a->disp, a->ntgt, a->ttgt, a->op, a->win,
				       req);
	default:
		return MPI_Rget_accumulate(a->src, a->nsrc, a->tsrc, a->res,
					   a->nres, a->tres, a->target, a->disp,
					   a->ntgt, a->ttgt, a->op, a->win,
					   req);
	}
}

#if MPI_VERSION >= 4
static int issue_large(const struct args *a, struct op *op)
{
	MPI_Request *req = &op->request;

	switch (op->call) {
	case CALL_PUT:
		return MPI_Put_c(a->src, a->nsrc, a->tsrc, a->target, a->disp,
				 a->ntgt, a->ttgt, a->win);
	case CALL_GET:
		return MPI_Get_c(a->res, a->nres, a->tres, a->target, a->disp,
				 a->ntgt, a->ttgt, a->win);
	case CALL_ACC:
		return MPI_Accumulate_c(a->src, a->nsrc, a->tsrc, a->target,
					a->disp, a->ntgt, a->ttgt, a->op,
					a->win);
	case CALL_GACC:
		return MPI_Get_accumulate_c(
			a->src, a->nsrc, a->tsrc, a->res, a->nres, a->tres,
			a->target, a->disp, a->ntgt, a->ttgt, a->op, a->win);
	case CALL_RPUT:
		return MPI_Rput_c(a->src, a->nsrc, a->tsrc, a->target, a->disp,
				  a->ntgt, a->ttgt, a->win, req);
	case CALL_RGET:
		return MPI_Rget_c(a->res, a->nres, a->tres, a->target, a->disp,
				  a->ntgt, a->ttgt, a->win, req);
	case CALL_RACC:
		return MPI_Raccumulate_c(a->src, a->nsrc, a->tsrc, a->target,
					 a->disp, a->ntgt, a->ttgt, a->op,
					 a->win, req);
	case CALL_RGACC:
		return MPI_Rget_accumulate_c(a->src, a->nsrc, a->tsrc, a->res,
					     a->nres, a->tres, a->target,
					     a->disp, a->ntgt, a->ttgt, a->op,
					     a->win, req);
	default:
		return issue(a, op);
	}
}
#else
static int issue_large(const struct args *a, struct op *op)
{
	return issue(a, op);
}
#endif

/* A NULL operand of a call that ignores it comes without a type, too. */
static void drop_operand(struct args *a, struct op *op)
{
	if (op->rop != ROP_NO_OP || !op->src.null || !op->src.count)
		return;
	a->nsrc = 0;
	a->tsrc = MPI_BYTE;
}

static void drop_types(struct op *op)
{
	tree_drop(&op->src.type);
	tree_drop(&op->res.type);
	tree_drop(&op->tgt.type);
}

void call_issue(struct prog *prog, struct window *win, struct op *op)
{
	struct args a;

	op->src.type = op->res.type = op->tgt.type = MPI_DATATYPE_NULL;
	a = arguments(win, op);
	drop_operand(&a, op);
	must(op->large ? issue_large(&a, op) : issue(&a, op), prog,
	     call_names[op->call]);
	op->issued = true;
	if (op->free_early)
		drop_types(op);
}

/* -- completion -------------------------------------------------------------*/

static void check_side(struct prog *prog, struct phase *phase, struct op *op,
		       struct side *side, const char *name)
{
	ptrdiff_t at;

	if (!side->real)
		return;
	if (side->spoilt)
		memset(side->want, SPOILT, side->size);
	at = model_differs(side->want, side->unsure, side->real, side->size);
	if (at < 0)
		return;
	fail_head(prog, phase, "a buffer differs");
	print_op(prog, phase, op);
	fprintf(stderr,
		"%s buffer, byte %td of its address: should be %02x, is "
		"%02x\n",
		name, at - side->base, side->want[at], side->real[at]);
	at = at > 8 ? at - 8 : 0;
	fprintf(stderr, "from byte %td:\n", at - side->base);
	print_bytes("  should be", side->want + at,
		    side->size - at < 32 ? side->size - at : 32);
	print_bytes("  is       ", side->real + at,
		    side->size - at < 32 ? side->size - at : 32);
	fail_end();
}

void op_check(struct prog *prog, struct phase *phase, struct op *op)
{
	check_side(prog, phase, op, &op->src, "origin");
	check_side(prog, phase, op, &op->res, "result");
	check_side(prog, phase, op, &op->cmp, "compare");
}

void op_done(struct prog *prog, struct phase *phase, struct op *op)
{
	if (op->done)
		return;
	op->done = true;
	op_check(prog, phase, op);
	contest_record(phase, op);
	if (op->scribble) {
		memset(op->src.real, SPOILT, op->src.size);
		op->src.spoilt = true;
	}
	if (!op->free_early)
		drop_types(op);
}
