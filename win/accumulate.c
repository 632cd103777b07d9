/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * accumulate.c - the accumulate family's arguments: checked, and brought to
 * the shape that atomics/ works on, operands of one kind, contiguous or where
 * the target's elements would be.  An origin or result with another layout goes
 * through a temporary array; if that would be large, through a small one piece
 * by piece.
 */
#include "place.h"

#include <stdlib.h>

#include "pieces.h"
#include "request.h"

/* One call, checked. */
struct job {
	struct orl_checked c;
	struct orl_acc acc;
	const struct orl_type *rtype; /* NULL where nothing is fetched */
	void *gathered;		      /* temporary operands, or NULL */
	void *scattered;
};

int orl_accumulate_fail(struct orl_win *win, const struct orl_xacc *x, int rc)
{
	if (x->xfer.rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (rc == MPI_ERR_COUNT && x->rcount < 0)
		return orl_win_fail(win, x->xfer.call, rc,
				    "target %d: result count %lld is negative",
				    x->xfer.rank, (long long)x->rcount);
	return orl_place_fail(win, &x->xfer, rc);
}

/* More than any memory holds are as many as no memory holds. */
static size_t multiply(size_t a, size_t b)
{
	size_t product;

	return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static size_t elements(const struct orl_type *type, int64_t count)
{
	return multiply(type->elements, (size_t)count);
}

static int check_types(const struct orl_xacc *x, struct job *job)
{
	const struct orl_xfer *f = &x->xfer;
	struct orl_checked *c = &job->c;
	int rc = orl_type_find(f->ttype, &c->ttype);

	if (orl_unlikely(rc))
		return rc;
	c->otype = NULL;
	if (job->acc.op != ORL_NO_OP) {
		c->otype = c->ttype;
		if (f->otype != f->ttype)
			rc = orl_type_find(f->otype, &c->otype);
	}
	return rc;
}

/* Of elements there must be one kind, on which the operation is defined. */
static int check_kinds(struct job *job)
{
	const struct orl_checked *c = &job->c;

	job->acc.kind = c->ttype->kind;
	if (orl_unlikely(!job->acc.count))
		return 0;
	if (job->acc.kind == ORL_MIXED)
		return MPI_ERR_TYPE;
	if (c->otype && c->otype->kind != job->acc.kind)
		return MPI_ERR_TYPE;
	return orl_op_fits(job->acc.op, job->acc.kind) ? 0 : MPI_ERR_OP;
}

static int check_counts(const struct orl_xacc *x, struct job *job)
{
	const struct orl_xfer *f = &x->xfer;
	struct orl_checked *c = &job->c;
	size_t sent;

	job->acc.count = elements(c->ttype, f->tcount);
	if (!c->otype)
		return 0;
	sent = elements(c->otype, f->ocount);
	if (orl_unlikely(sent > job->acc.count))
		return MPI_ERR_TRUNCATE;
	job->acc.count = sent;
	return 0;
}

/* MPI_BOTTOM is a result like any other, so NULL tells nothing. */
static int check_result(const struct orl_xacc *x, struct job *job, bool fetch)
{
	int rc;

	job->rtype = NULL;
	if (!fetch)
		return 0;
	if (x->rcount < 0)
		return MPI_ERR_COUNT;
	rc = orl_type_find(x->rtype, &job->rtype);
	if (rc)
		return rc;
	if (job->acc.count && job->rtype->kind != job->acc.kind)
		return MPI_ERR_TYPE;
	if (job->acc.count > elements(job->rtype, x->rcount))
		return MPI_ERR_TRUNCATE;
	return 0;
}

static int check_no_op(struct orl_win *win, const struct orl_xacc *x)
{
	struct orl_xfer no_origin = x->xfer;

	no_origin.ocount = 0;
	return orl_place_call(win, &no_origin);
}

/*
 * Of MPI_NO_OP nothing at the origin counts, and only calls that fetch may
 * have it (section 11.3.4).
 */
static int check_op(struct orl_win *win, const struct orl_xacc *x,
		    struct job *job, bool fetch)
{
	int rc = orl_op_find(x->op, &job->acc.op);

	if (rc || job->acc.op != ORL_NO_OP)
		return rc ? rc : orl_place_call(win, &x->xfer);
	return fetch ? check_no_op(win, x) : MPI_ERR_OP;
}

static int check(struct orl_win *win, const struct orl_xacc *x, struct job *job,
		 bool fetch)
{
	int rc = check_op(win, x, job, fetch);

	rc = rc ? rc : check_types(x, job);
	rc = rc ? rc : check_counts(x, job);
	rc = rc ? rc : check_kinds(job);
	rc = rc ? rc : check_result(x, job, fetch);
	return rc ? rc
		  : orl_place_target(win, &x->xfer, job->c.ttype,
				     &job->c.place);
}

static size_t bytes(const struct job *job)
{
	return multiply(job->acc.count, orl_kinds[job->acc.kind].extent);
}

/* Contiguous operands, made where the user's are not. */
static int shape_origin(const struct orl_xacc *x, struct job *job)
{
	const struct orl_type *type = job->c.otype;

	job->gathered = NULL;
	job->acc.origin = x->xfer.origin;
	job->acc.lasting = true;
	if (!type || type->packed)
		return 0;
	job->gathered = malloc(bytes(job));
	if (!job->gathered)
		return -ENOMEM;
	orl_type_gather(type, (size_t)x->xfer.ocount, x->xfer.origin,
			job->gathered);
	job->acc.origin = job->gathered;
	job->acc.lasting = false;
	return 0;
}

static int shape_result(struct job *job)
{
	job->scattered = NULL;
	if (!job->rtype || job->rtype->packed)
		return 0;
	job->scattered = malloc(bytes(job));
	if (!job->scattered)
		return -ENOMEM;
	job->acc.result = job->scattered;
	return 0;
}

static void shape_target(const struct orl_xacc *x, struct job *job)
{
	const struct orl_type *type = job->c.ttype;

	job->acc.layout = type->packed ? NULL : type;
	job->acc.items = (size_t)x->xfer.tcount;
}

/* -- who executes it: all kinds of most windows as atomics/ decides -------- */

/* One element, if a CPU atomic does. */
static inline bool issue_native(struct orl_win *win,
				const struct orl_place *place,
				const struct orl_acc *acc)
{
	if (orl_unlikely(win->nic != NULL || !place->path->native) ||
	    !orl_acc_native(place->target, place->addr, acc->op, acc->kind,
			    acc->origin, acc->result))
		return false;
	if (!ORL_ATOMIC_FENCES || (acc->op == ORL_REPLACE && !acc->result))
		orl_win_note_store(win);
	return true;
}

static inline int issue(struct orl_win *win, const struct orl_place *place,
			const struct orl_acc *acc)
{
	orl_win_note_store(win);
	return orl_likely(!win->nic) ? orl_acc_issue(place, acc)
				     : orl_nic_accumulate(win, place, acc);
}

/* Operands may be reused, and results are here. */
static int finish(struct orl_win *win, const struct orl_place *place)
{
	int rc = place->path->finish(place->target);

	if (orl_unlikely(win->nic != NULL) && !rc)
		rc = orl_nic_flush(win, place->target);
	return rc;
}

/* May it be complete after the call, as request.c counts?  What the network's
 * atomics do is not counted. */
static bool is_late(const struct orl_win *win, const struct orl_place *place)
{
	return place->path->remote && !win->nic;
}

int orl_accumulate_finish(struct orl_win *win, const struct orl_xacc *x,
			  const struct orl_place *place)
{
	if (orl_likely(!x->xfer.request) || is_late(win, place))
		return 0;
	return finish(win, place);
}

/* At once, or when it is there and the request is waited for. */
static int scatter_result(struct orl_win *win, const struct orl_xacc *x,
			  struct job *job)
{
	const struct orl_place *place = &job->c.place;
	const struct orl_scatter scatter = { .type = job->rtype,
					     .to = x->result,
					     .from = job->scattered,
					     .count = job->acc.count };
	int rc;

	if (x->xfer.request && is_late(win, place) &&
	    orl_request_scatter(&scatter)) {
		job->scattered = NULL;
		return 0;
	}
	rc = finish(win, place);
	if (!rc)
		orl_scatter_run(&scatter);
	return rc;
}

static int run_pieces(struct orl_win *win, const struct orl_pieces_call *call)
{
	struct orl_pieces p;
	int rc = orl_pieces_begin(&p, call);

	while (!rc && orl_pieces_next(&p)) {
		rc = issue(win, &p.place, &p.acc);
		if (rc || !p.scattered)
			continue;
		rc = finish(win, &p.place);
		if (!rc)
			orl_pieces_scatter(&p);
	}
	orl_pieces_end(&p);
	return rc;
}

static int run_whole(struct orl_win *win, const struct orl_xacc *x,
		     struct job *job)
{
	int rc = shape_origin(x, job);

	if (rc)
		return rc;
	rc = shape_result(job);
	if (!rc) {
		shape_target(x, job);
		rc = issue(win, &job->c.place, &job->acc);
	}
	if (!rc && job->scattered)
		rc = scatter_result(win, x, job);
	free(job->scattered);
	free(job->gathered);
	return rc;
}

/* Operands that lie as the target's elements do are combined where they are,
 * by who reaches these by loads and stores. */
static bool is_alike(const struct orl_win *win, const struct orl_xacc *x,
		     const struct job *job, ptrdiff_t *shift)
{
	const struct orl_checked *c = &job->c;

	return c->place.path->mapped && !win->nic && c->otype &&
	       !c->otype->packed && !c->ttype->packed && !job->rtype &&
	       orl_type_is_alike(c->otype, (size_t)x->xfer.ocount, c->ttype,
				 (size_t)x->xfer.tcount, shift);
}

static int run_alike(struct orl_win *win, const struct orl_xacc *x,
		     struct job *job, ptrdiff_t shift)
{
	/* Not on pointers: it may be MPI_BOTTOM. */
	job->acc.origin =
		(void *)((uintptr_t)x->xfer.origin + (uintptr_t)shift);
	job->acc.alike = true;
	job->acc.lasting = true;
	shape_target(x, job);
	return issue(win, &job->c.place, &job->acc);
}

static int run(struct orl_win *win, const struct orl_xacc *x, struct job *job)
{
	const struct orl_pieces_call call = {
		.x = x,
		.otype = job->c.otype,
		.ttype = job->c.ttype,
		.rtype = job->rtype,
		.place = &job->c.place,
		.acc = &job->acc,
	};
	ptrdiff_t shift;

	if (is_alike(win, x, job, &shift))
		return run_alike(win, x, job, shift);
	return orl_pieces_fit(&call) ? run_pieces(win, &call)
				     : run_whole(win, x, job);
}

static int accumulate_any(struct orl_win *win, const struct orl_xacc *x,
			  bool fetch)
{
	struct job job;
	int rc = check(win, x, &job, fetch);

	if (orl_unlikely(rc))
		return orl_accumulate_fail(win, x, rc);
	if (!job.acc.count)
		return MPI_SUCCESS;
	job.acc.result = fetch ? x->result : NULL;
	job.acc.domain = &win->domain;
	job.acc.alike = false;
	rc = run(win, x, &job);
	rc = rc ? rc : orl_accumulate_finish(win, x, &job.c.place);
	return orl_likely(!rc) ? MPI_SUCCESS : orl_accumulate_fail(win, x, rc);
}

/* -- the same type and count on all sides, without layout: the usual call -- */

static bool is_uniform(const struct orl_xacc *x, const struct orl_type *type,
		       bool fetch)
{
	const struct orl_xfer *f = &x->xfer;

	if (f->otype != f->ttype || f->ocount != f->tcount || f->tcount <= 0)
		return false;
	if (fetch && (x->rtype != f->ttype || x->rcount != f->tcount))
		return false;
	return type->packed && type->elements;
}

static int check_uniform(struct orl_win *win, const struct orl_xacc *x,
			 const struct orl_type *type, struct orl_place *place)
{
	int rc = orl_place_call(win, &x->xfer);

	return orl_likely(!rc) ? orl_place_target(win, &x->xfer, type, place)
			       : rc;
}

/* What no CPU atomic does. */
static __attribute__((noinline)) int issue_uniform(
	struct orl_win *win, const struct orl_xacc *x,
	const struct orl_place *place, const struct orl_acc *acc)
{
	int rc;

	orl_win_note_store(win);
	if (acc->count == 1 && !win->nic)
		rc = orl_acc_one(place, acc);
	else
		rc = issue(win, place, acc);
	rc = rc ? rc : orl_accumulate_finish(win, x, place);
	return orl_likely(!rc) ? MPI_SUCCESS : orl_accumulate_fail(win, x, rc);
}

static int accumulate(struct orl_win *win, const struct orl_xacc *x, bool fetch)
{
	const struct orl_type *type;
	struct orl_place place;
	struct orl_acc acc;
	int rc = orl_type_find(x->xfer.ttype, &type);

	if (orl_unlikely(rc || orl_op_find(x->op, &acc.op) ||
			 acc.op == ORL_NO_OP || !is_uniform(x, type, fetch)))
		return accumulate_any(win, x, fetch);
	if (orl_unlikely(!orl_op_fits(acc.op, type->kind)))
		return orl_accumulate_fail(win, x, MPI_ERR_OP);
	rc = check_uniform(win, x, type, &place);
	if (orl_unlikely(rc))
		return orl_accumulate_fail(win, x, rc);
	acc.kind = type->kind;
	acc.count = (size_t)x->xfer.tcount * type->elements;
	acc.result = fetch ? x->result : NULL;
	acc.origin = x->xfer.origin;
	if (acc.count == 1 && issue_native(win, &place, &acc))
		return MPI_SUCCESS;
	acc.layout = NULL;
	acc.items = acc.count;
	acc.domain = &win->domain;
	acc.lasting = true;
	acc.alike = false;
	return issue_uniform(win, x, &place, &acc);
}

int orl_win_accumulate(struct orl_win *win, const struct orl_xacc *x)
{
	return accumulate(win, x, false);
}

int orl_win_get_accumulate(struct orl_win *win, const struct orl_xacc *x)
{
	return accumulate(win, x, true);
}
