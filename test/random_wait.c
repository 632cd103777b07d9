/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_wait.c - completes the requests of R-calls, in every way MPI has.
 */
#include "random.h"

struct pending {
	struct prog *prog;
	struct phase *phase;
	int n;
	struct op **ops;
	MPI_Request *reqs;
	int *indices;
	MPI_Status *statuses;
};

static struct pending collect(struct prog *prog, struct phase *phase)
{
	struct pending p = { .prog = prog, .phase = phase };

	p.ops = arena_alloc((phase->nops + 1) * sizeof(p.ops[0]));
	p.reqs = arena_alloc((phase->nops + 1) * sizeof(p.reqs[0]));
	p.indices = arena_alloc((phase->nops + 1) * sizeof(int));
	p.statuses = arena_alloc((phase->nops + 1) * sizeof(MPI_Status));
	for (int i = 0; i < phase->nops; i++) {
		struct op *op = phase->ops[i];

		if (op->origin != prog->me || op->request == MPI_REQUEST_NULL)
			continue;
		p.ops[p.n] = op;
		p.reqs[p.n++] = op->request;
	}
	return p;
}

static void finished(struct pending *p, int i)
{
	p->ops[i]->request = p->reqs[i];
	if (p->reqs[i] != MPI_REQUEST_NULL)
		must(MPI_ERR_REQUEST, p->prog, "completion of a request");
	op_done(p->prog, p->phase, p->ops[i]);
}

static void wait_one(struct pending *p, bool test)
{
	int flag = 0;

	if (!test)
		must(MPI_Wait(&p->reqs[0], MPI_STATUS_IGNORE), p->prog,
		     "MPI_Wait");
	while (test && !flag)
		must(MPI_Test(&p->reqs[0], &flag, MPI_STATUS_IGNORE), p->prog,
		     "MPI_Test");
	finished(p, 0);
}

static void wait_all(struct pending *p, bool test)
{
	int flag = 0;

	if (!test)
		must(MPI_Waitall(p->n, p->reqs, p->statuses), p->prog,
		     "MPI_Waitall");
	while (test && !flag)
		must(MPI_Testall(p->n, p->reqs, &flag, p->statuses), p->prog,
		     "MPI_Testall");
	for (int i = 0; i < p->n; i++)
		finished(p, i);
}

static void wait_any(struct pending *p, bool test)
{
	int flag = 0, i = MPI_UNDEFINED;

	if (!test)
		must(MPI_Waitany(p->n, p->reqs, &i, MPI_STATUS_IGNORE), p->prog,
		     "MPI_Waitany");
	while (test && !flag)
		must(MPI_Testany(p->n, p->reqs, &i, &flag, MPI_STATUS_IGNORE),
		     p->prog, "MPI_Testany");
	if (i == MPI_UNDEFINED)
		must(MPI_ERR_REQUEST, p->prog, "completion of any request");
	finished(p, i);
}

static void wait_some(struct pending *p, bool test)
{
	int n = 0;

	if (!test)
		must(MPI_Waitsome(p->n, p->reqs, &n, p->indices, p->statuses),
		     p->prog, "MPI_Waitsome");
	while (test && !n)
		must(MPI_Testsome(p->n, p->reqs, &n, p->indices, p->statuses),
		     p->prog, "MPI_Testsome");
	if (n == MPI_UNDEFINED)
		must(MPI_ERR_REQUEST, p->prog, "completion of some requests");
	for (int i = 0; i < n; i++)
		finished(p, p->indices[i]);
}

void wait_requests(struct prog *prog, struct phase *phase, enum wait mode)
{
	struct pending p = collect(prog, phase);
	bool test = mode >= WAIT_TEST;

	if (!p.n)
		return;
	if (mode == WAIT_ONE || mode == WAIT_TEST)
		wait_one(&p, test);
	else if (mode == WAIT_ALL || mode == WAIT_TESTALL)
		wait_all(&p, test);
	else if (mode == WAIT_ANY || mode == WAIT_TESTANY)
		wait_any(&p, test);
	else
		wait_some(&p, test);
}
