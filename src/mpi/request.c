/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.c - MPI-3.1 sections 3.7.3 to 3.7.6: the calls that take requests.
 * They are the host's; only while the program has requests of RMA operations
 * that were not complete when their call returned, these are looked for among
 * the arguments first, and completed, so that the host sees no other that it
 * might wait for.
 *
 * An error of an RMA operation has been raised on its window's error handler.
 * If that returns, so does this call, with the code, or MPI_ERR_IN_STATUS and
 * the code in its status; the host, which would raise it on MPI_COMM_WORLD,
 * is not told.
 */
#include "block.h"

#include <stdlib.h>

#include "orl_progress.h"

/* -- one request ----------------------------------------------------------- */

static struct orl_request *find(const MPI_Request *request)
{
	return request ? orl_request_find(*request) : NULL;
}

/* What the call returns, whose host's half has returned rc. */
static int conclude(int rc, int code, MPI_Status *status)
{
	if (orl_likely(!code))
		return rc;
	if (status && status != MPI_STATUS_IGNORE)
		status->MPI_ERROR = code;
	return code;
}

/* Makes progress and looks again before it says no. */
static bool test(struct orl_request *request)
{
	if (orl_request_test(request))
		return true;
	orl_progress();
	return orl_request_test(request);
}

static int wait_one(MPI_Request *request, MPI_Status *status)
{
	struct orl_request *rma = find(request);
	int code = MPI_SUCCESS;

	if (rma) {
		orl_request_wait(rma);
		code = orl_request_code(rma);
	}
	return conclude(orl_block_wait(request, status), code, status);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	return orl_request_is_any() ? wait_one(request, status)
				    : orl_block_wait(request, status);
}
ORL_ALIAS(Wait);

static int test_one(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct orl_request *rma = find(request);
	int code = MPI_SUCCESS;

	if (rma && !test(rma)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	if (rma)
		code = orl_request_code(rma);
	return conclude(orl_host.Test(request, flag, status), code, status);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	return orl_request_is_any() ? test_one(request, flag, status)
				    : orl_host.Test(request, flag, status);
}
ORL_ALIAS(Test);

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	struct orl_request *rma;

	if (orl_request_is_any()) {
		rma = orl_request_find(request);
		if (rma && !test(rma)) {
			*flag = 0;
			return MPI_SUCCESS;
		}
	}
	return orl_host.Request_get_status(request, flag, status);
}
ORL_ALIAS(Request_get_status);

/* Erroneous for RMA requests, but programs do it: the epoch's end completes
 * the operation. */
int MPI_Request_free(MPI_Request *request)
{
	struct orl_request *rma;

	if (orl_request_is_any()) {
		rma = find(request);
		if (rma)
			orl_request_abandon(rma);
	}
	return orl_host.Request_free(request);
}
ORL_ALIAS(Request_free);

/* -- arrays ---------------------------------------------------------------- */

/* What there is of RMA requests in an array. */
struct found {
	int pending;
	int *codes; /* of the complete ones, by place in the array; NULL if
		     * there is no error */
};

static void note(struct found *found, int count, int i, int code)
{
	if (!found->codes)
		found->codes = calloc((size_t)count, sizeof(int));
	if (found->codes)
		found->codes[i] = code;
}

/* Completes those that are done; with wait, all. */
static struct found look(int count, const MPI_Request requests[], bool wait)
{
	struct found found = { .pending = 0, .codes = NULL };
	struct orl_request *rma;
	int i, code;

	for (i = 0; requests && i < count; i++) {
		rma = orl_request_find(requests[i]);
		if (!rma)
			continue;
		if (wait) {
			orl_request_wait(rma);
		} else if (!orl_request_test(rma)) {
			found.pending++;
			continue;
		}
		code = orl_request_code(rma);
		if (orl_unlikely(code))
			note(&found, count, i, code);
	}
	return found;
}

/* The same, with progress and a second look if any is pending. */
static struct found look_twice(int count, const MPI_Request requests[])
{
	struct found found = look(count, requests, false);

	if (!found.pending)
		return found;
	free(found.codes);
	orl_progress();
	return look(count, requests, false);
}

/*
 * What a call returns that has completed n requests, those of these indices or
 * the first, and the codes in their statuses.
 */
static ORL_COLD int blame(int rc, const int *codes, int n, const int *indices,
			  MPI_Status *statuses)
{
	bool any = false;
	int i, code;

	for (i = 0; i < n; i++) {
		code = codes[indices ? indices[i] : i];
		any = any || code;
		if (statuses == MPI_STATUSES_IGNORE)
			continue;
		/* The host sets them all, or none if it knows of no error. */
		if (code || rc == MPI_SUCCESS)
			statuses[i].MPI_ERROR = code;
	}
	return any ? MPI_ERR_IN_STATUS : rc;
}

static int end_many(struct found found, int rc, int n, const int *indices,
		    MPI_Status *statuses)
{
	if (orl_likely(!found.codes))
		return rc;
	if (n != MPI_UNDEFINED)
		rc = blame(rc, found.codes, n, indices, statuses);
	free(found.codes);
	return rc;
}

static int end_any(struct found found, int rc, int index, MPI_Status *status)
{
	if (orl_likely(!found.codes))
		return rc;
	if (index != MPI_UNDEFINED)
		rc = conclude(rc, found.codes[index], status);
	free(found.codes);
	return rc;
}

static int wait_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
	struct found found;
	int i, rc;

	for (i = 0; requests && i < count; i++) {
		struct orl_request *rma = orl_request_find(requests[i]);

		if (rma)
			orl_request_send(rma);
	}
	found = look(count, requests, true);
	rc = orl_block_waitall(count, requests, statuses);
	return end_many(found, rc, count, NULL, statuses);
}

int MPI_Waitall(int count, MPI_Request array_of_requests[],
		MPI_Status array_of_statuses[])
{
	return orl_request_is_any()
		       ? wait_all(count, array_of_requests, array_of_statuses)
		       : orl_block_waitall(count, array_of_requests,
					   array_of_statuses);
}
ORL_ALIAS(Waitall);

static int test_all(int count, MPI_Request requests[], int *flag,
		    MPI_Status statuses[])
{
	struct found found = look_twice(count, requests);
	int rc;

	if (found.pending) {
		free(found.codes);
		*flag = 0;
		return MPI_SUCCESS;
	}
	rc = orl_host.Testall(count, requests, flag, statuses);
	return end_many(found, rc, *flag ? count : 0, NULL, statuses);
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
		MPI_Status array_of_statuses[])
{
	return orl_request_is_any() ? test_all(count, array_of_requests, flag,
					       array_of_statuses)
				    : orl_host.Testall(count, array_of_requests,
						       flag, array_of_statuses);
}
ORL_ALIAS(Testall);

/* *flag says whether one has completed, or there is none. */
static int test_any(int count, MPI_Request requests[], int *index, int *flag,
		    MPI_Status *status)
{
	struct found found = look(count, requests, false);
	int rc = orl_host.Testany(count, requests, index, flag, status);

	if (!rc && !*flag && found.pending)
		orl_progress();
	return end_any(found, rc, *flag ? *index : MPI_UNDEFINED, status);
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int *index,
		int *flag, MPI_Status *status)
{
	return orl_request_is_any()
		       ? test_any(count, array_of_requests, index, flag, status)
		       : orl_host.Testany(count, array_of_requests, index, flag,
					  status);
}
ORL_ALIAS(Testany);

struct kinds {
	bool rma, others;
};

static struct kinds kinds_of(int count, const MPI_Request requests[])
{
	struct kinds kinds = { false, false };
	int i;

	for (i = 0; requests && i < count; i++) {
		if (orl_request_find(requests[i]))
			kinds.rma = true;
		else if (requests[i] != MPI_REQUEST_NULL)
			kinds.others = true;
	}
	return kinds;
}

/* Asleep, if nothing but this library can complete one of them. */
static void wait_between(struct kinds kinds, int count,
			 const MPI_Request requests[])
{
	if (kinds.others)
		orl_progress_tick();
	else
		orl_request_wait_some(count, requests);
}

static int wait_any(int count, MPI_Request requests[], int *index,
		    MPI_Status *status)
{
	struct kinds kinds = kinds_of(count, requests);
	int flag = 0, rc;

	if (!kinds.rma)
		return orl_block_waitany(count, requests, index, status);
	for (;;) {
		rc = test_any(count, requests, index, &flag, status);
		if (rc || flag)
			return rc;
		wait_between(kinds, count, requests);
	}
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int *index,
		MPI_Status *status)
{
	return orl_request_is_any()
		       ? wait_any(count, array_of_requests, index, status)
		       : orl_block_waitany(count, array_of_requests, index,
					   status);
}
ORL_ALIAS(Waitany);

static int test_some(int count, MPI_Request requests[], int *done,
		     int indices[], MPI_Status statuses[])
{
	struct found found = look(count, requests, false);
	int rc = orl_host.Testsome(count, requests, done, indices, statuses);

	if (!rc && !*done && found.pending)
		orl_progress();
	return end_many(found, rc, *done, indices, statuses);
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
		 int array_of_indices[], MPI_Status array_of_statuses[])
{
	return orl_request_is_any()
		       ? test_some(incount, array_of_requests, outcount,
				   array_of_indices, array_of_statuses)
		       : orl_host.Testsome(incount, array_of_requests, outcount,
					   array_of_indices, array_of_statuses);
}
ORL_ALIAS(Testsome);

static int wait_some(int count, MPI_Request requests[], int *done,
		     int indices[], MPI_Status statuses[])
{
	struct kinds kinds = kinds_of(count, requests);
	int rc;

	if (!kinds.rma)
		return orl_block_waitsome(count, requests, done, indices,
					  statuses);
	for (;;) {
		rc = test_some(count, requests, done, indices, statuses);
		if (rc || *done)
			return rc;
		wait_between(kinds, count, requests);
	}
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
		 int array_of_indices[], MPI_Status array_of_statuses[])
{
	return orl_request_is_any()
		       ? wait_some(incount, array_of_requests, outcount,
				   array_of_indices, array_of_statuses)
		       : orl_block_waitsome(incount, array_of_requests,
					    outcount, array_of_indices,
					    array_of_statuses);
}
ORL_ALIAS(Waitsome);
