/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block.c - calls of the host's that block.  Where its progress loop has no
 * place for us (orl_host_hook), a rank in one of them would answer other
 * nodes by its progress thread alone, against the host's spinning.  So with a
 * network on, each is its nonblocking form, and then a loop of tests between
 * which the network is polled.  With none it is the host's own.
 *
 * The program must not see the difference: arguments are checked by the
 * nonblocking form, which raises the same errors, and those of completion
 * are raised by MPI_Test on MPI_COMM_WORLD (MPICH 4.0), so calls on
 * communicators with another error handler are left to the host.  No lock is
 * held: libraries of the host's come through here too.
 *
 * Left to the thread are collectives: MPI forbids a blocking one on some ranks
 * to meet a nonblocking one on others, and of the network a rank knows only
 * its own; besides, short ones take longer by their nonblocking forms, a
 * barrier a fifth, a reduction or broadcast up to twice.  So are
 * MPI_Sendrecv_replace, MPI_Mrecv, whose message is there, the large-count
 * forms, and what seldom blocks for long.
 */
#include "block.h"

#include "orl_progress.h"

/* Is the host's own blocking call as good? */
static bool is_left_to_host(void)
{
	return orl_likely(!orl_progress_is_on()) ||
	       atomic_load_explicit(&orl_host_hooked, memory_order_relaxed);
}

/* The host refuses it, but in nonblocking forms as late as at the end. */
static bool is_missing(const MPI_Status *status)
{
	return !status && status != MPI_STATUS_IGNORE;
}

/* -- error handlers -------------------------------------------------------- */

/* Knows nothing of who calls it: it may be called for another communicator. */
static bool is_blind(MPI_Errhandler handler)
{
	return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN;
}

static int handler_of(MPI_Comm comm, MPI_Errhandler *handler)
{
	MPI_Errhandler held;
	int rc = PMPI_Comm_get_errhandler(comm, &held);

	*handler = held;
	if (!rc && !is_blind(held))
		PMPI_Errhandler_free(&held);
	return rc;
}

/*
 * May an error on comm be raised on MPI_COMM_WORLD?  Returns 0 or an error
 * that has been raised: there is no such communicator.
 */
static int find_handlers(MPI_Comm comm, bool *alike)
{
	MPI_Errhandler its, worlds;
	int rc;

	*alike = comm == MPI_COMM_WORLD;
	if (*alike || !orl_host_has_world())
		return 0;
	rc = handler_of(comm, &its);
	if (!rc)
		*alike = is_blind(its) &&
			 !handler_of(MPI_COMM_WORLD, &worlds) && its == worlds;
	return rc;
}

/* -- one request ----------------------------------------------------------- */

static int finish(MPI_Request *request, MPI_Status *status)
{
	int done = 0, rc;

	for (;;) {
		rc = orl_host.Test(request, &done, status);
		if (rc || done)
			return rc;
		orl_progress_hook();
	}
}

int orl_block_wait(MPI_Request *request, MPI_Status *status)
{
	return is_left_to_host() ? orl_host.Wait(request, status)
				 : finish(request, status);
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag,
	     MPI_Comm comm, MPI_Status *status)
{
	MPI_Request request;
	bool alike;
	int rc;

	if (is_left_to_host() || source == MPI_PROC_NULL || is_missing(status))
		return orl_host.Recv(buf, count, datatype, source, tag, comm,
				     status);
	rc = find_handlers(comm, &alike);
	if (rc)
		return rc;
	if (!alike)
		return orl_host.Recv(buf, count, datatype, source, tag, comm,
				     status);
	rc = PMPI_Irecv(buf, count, datatype, source, tag, comm, &request);
	return rc ? rc : finish(&request, status);
}
ORL_ALIAS(Recv);

typedef int (*send_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*isend_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
			MPI_Request *);

static int send_by(send_fn host, isend_fn start, const void *buf, int count,
		   MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	MPI_Request request;
	bool alike;
	int rc = find_handlers(comm, &alike);

	if (rc)
		return rc;
	if (!alike)
		return host(buf, count, datatype, dest, tag, comm);
	rc = start(buf, count, datatype, dest, tag, comm, &request);
	return rc ? rc : finish(&request, MPI_STATUS_IGNORE);
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest,
	     int tag, MPI_Comm comm)
{
	if (is_left_to_host())
		return orl_host.Send(buf, count, datatype, dest, tag, comm);
	return send_by(orl_host.Send, PMPI_Isend, buf, count, datatype, dest,
		       tag, comm);
}
ORL_ALIAS(Send);

int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest,
	      int tag, MPI_Comm comm)
{
	if (is_left_to_host())
		return orl_host.Ssend(buf, count, datatype, dest, tag, comm);
	return send_by(orl_host.Ssend, PMPI_Issend, buf, count, datatype, dest,
		       tag, comm);
}
ORL_ALIAS(Ssend);

int MPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest,
	      int tag, MPI_Comm comm)
{
	if (is_left_to_host())
		return orl_host.Rsend(buf, count, datatype, dest, tag, comm);
	return send_by(orl_host.Rsend, PMPI_Irsend, buf, count, datatype, dest,
		       tag, comm);
}
ORL_ALIAS(Rsend);

/* The send has been refused: as if the receive had been, too, but what came
 * meanwhile is lost. */
static int take_back(MPI_Request *recv, int rc)
{
	PMPI_Cancel(recv);
	orl_host.Request_free(recv);
	return rc;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		 int dest, int sendtag, void *recvbuf, int recvcount,
		 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
		 MPI_Status *status)
{
	MPI_Request recv, send;
	bool alike = false;
	int rc = 0, sent;

	if (!is_left_to_host() && source != MPI_PROC_NULL &&
	    !is_missing(status))
		rc = find_handlers(comm, &alike);
	if (rc)
		return rc;
	if (!alike)
		return orl_host.Sendrecv(sendbuf, sendcount, sendtype, dest,
					 sendtag, recvbuf, recvcount, recvtype,
					 source, recvtag, comm, status);
	rc = PMPI_Irecv(recvbuf, recvcount, recvtype, source, recvtag, comm,
			&recv);
	if (rc)
		return rc;
	rc = PMPI_Isend(sendbuf, sendcount, sendtype, dest, sendtag, comm,
			&send);
	if (rc)
		return take_back(&recv, rc);
	rc = finish(&recv, status);
	sent = finish(&send, MPI_STATUS_IGNORE);
	return rc ? rc : sent;
}
ORL_ALIAS(Sendrecv);

/* -- a message, not received yet ------------------------------------------- */

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	int found = 0, rc;

	if (is_left_to_host())
		return orl_host.Probe(source, tag, comm, status);
	for (;;) {
		rc = PMPI_Iprobe(source, tag, comm, &found, status);
		if (rc || found)
			return rc;
		orl_progress_hook();
	}
}
ORL_ALIAS(Probe);

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
	       MPI_Status *status)
{
	int found = 0, rc;

	if (is_left_to_host())
		return orl_host.Mprobe(source, tag, comm, message, status);
	for (;;) {
		rc = PMPI_Improbe(source, tag, comm, &found, message, status);
		if (rc || found)
			return rc;
		orl_progress_hook();
	}
}
ORL_ALIAS(Mprobe);

/* -- several requests ------------------------------------------------------ */

/* A look that leaves the request as it is; an error counts as its end. */
static void await(MPI_Request request)
{
	int done = 0;

	while (!orl_host.Request_get_status(request, &done,
					    MPI_STATUS_IGNORE) &&
	       !done)
		orl_progress_hook();
}

/*
 * Not MPI_Testall, which goes through all each time, and treats those behind
 * one that has failed in another way.  The look raises an error, too: that is
 * not seen if its handler does nothing but return or end the program.
 */
int orl_block_waitall(int count, MPI_Request array_of_requests[],
		      MPI_Status array_of_statuses[])
{
	MPI_Errhandler handler;
	int i;

	if (!is_left_to_host() && array_of_requests && orl_host_has_world() &&
	    !handler_of(MPI_COMM_WORLD, &handler) && is_blind(handler))
		for (i = 0; i < count; i++)
			await(array_of_requests[i]);
	return orl_host.Waitall(count, array_of_requests, array_of_statuses);
}

int orl_block_waitany(int count, MPI_Request array_of_requests[], int *index,
		      MPI_Status *status)
{
	int done = 0, rc;

	if (is_left_to_host())
		return orl_host.Waitany(count, array_of_requests, index,
					status);
	for (;;) {
		rc = orl_host.Testany(count, array_of_requests, index, &done,
				      status);
		if (rc || done)
			return rc;
		orl_progress_hook();
	}
}

int orl_block_waitsome(int incount, MPI_Request array_of_requests[],
		       int *outcount, int array_of_indices[],
		       MPI_Status array_of_statuses[])
{
	int rc;

	if (is_left_to_host())
		return orl_host.Waitsome(incount, array_of_requests, outcount,
					 array_of_indices, array_of_statuses);
	for (;;) {
		rc = orl_host.Testsome(incount, array_of_requests, outcount,
				       array_of_indices, array_of_statuses);
		if (rc || *outcount)
			return rc;
		orl_progress_hook();
	}
}
