/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking calls of the host's in a program that has windows: an error has
 * the class that the standard gives it, and is raised once, on the
 * communicator that it belongs to, whatever error handlers there are.
 */
/* ranks: 2 3; paths: default fabric; hosts: 2x1 2x2 */
#include "test.h"

#define TAG 7

static MPI_Comm world, copy;
static int last, other; /* other: rank 0 and the last one, of each other */
static char buf[64];

static int raised;
static MPI_Comm raised_on;

static void note(MPI_Comm *comm, int *code, ...)
{
	raised++;
	raised_on = *comm;
}

/* The call's class, raised on comm; returned only, if nobody was to count. */
#define fails(call, class, comm) fail_once(call, class, comm, #call)

static void fail_once(int rc, int class, MPI_Comm comm, const char *call)
{
	MPI_Errhandler handler;
	int expected;

	MPI_Comm_get_errhandler(comm, &handler);
	expected = handler != MPI_ERRORS_RETURN;
	if (expected)
		MPI_Errhandler_free(&handler);
	expect(rc, class, "");
	check(raised == expected, "%s: raised %d times", call, raised);
	check(!raised || raised_on == comm, "%s: on another communicator",
	      call);
	raised = 0;
}

/* -- arguments ------------------------------------------------------------- */

static void refuse_recv(MPI_Comm comm)
{
	MPI_Status status;

	fails(MPI_Recv(buf, -1, MPI_BYTE, other, TAG, comm, &status),
	      MPI_ERR_COUNT, comm);
	fails(MPI_Recv(buf, 1, MPI_DATATYPE_NULL, other, TAG, comm, &status),
	      MPI_ERR_TYPE, comm);
	fails(MPI_Recv(buf, 1, MPI_BYTE, test_size, TAG, comm, &status),
	      MPI_ERR_RANK, comm);
	fails(MPI_Recv(buf, 1, MPI_BYTE, other, -7, comm, &status), MPI_ERR_TAG,
	      comm);
	fails(MPI_Probe(test_size, TAG, comm, &status), MPI_ERR_RANK, comm);
	fails(MPI_Probe(other, -7, comm, &status), MPI_ERR_TAG, comm);
}

typedef int (*send_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static void refuse_send(send_fn send, MPI_Comm comm)
{
	fails(send(buf, -1, MPI_BYTE, other, TAG, comm), MPI_ERR_COUNT, comm);
	fails(send(buf, 1, MPI_DATATYPE_NULL, other, TAG, comm), MPI_ERR_TYPE,
	      comm);
	fails(send(buf, 1, MPI_BYTE, test_size, TAG, comm), MPI_ERR_RANK, comm);
	fails(send(buf, 1, MPI_BYTE, other, -7, comm), MPI_ERR_TAG, comm);
}

static void refuse_sendrecv(MPI_Comm comm)
{
	MPI_Status status;

	fails(MPI_Sendrecv(buf, 1, MPI_BYTE, test_size, TAG, buf + 8, 1,
			   MPI_BYTE, other, TAG, comm, &status),
	      MPI_ERR_RANK, comm);
	fails(MPI_Sendrecv(buf, 1, MPI_BYTE, other, TAG, buf + 8, -1, MPI_BYTE,
			   other, TAG, comm, &status),
	      MPI_ERR_COUNT, comm);
}

/* Nothing of what was refused is left: this is the next message. */
static void is_clean(MPI_Comm comm)
{
	MPI_Status status;
	char c = (char)test_rank, got = -1;

	if (other < 0)
		return;
	ok(MPI_Sendrecv(&c, 1, MPI_BYTE, other, TAG, &got, 1, MPI_BYTE, other,
			TAG, comm, &status));
	check(got == other, "got %d", got);
}

static void refuse_nothing(void)
{
	MPI_Status status;

	fails(MPI_Recv(buf, 1, MPI_BYTE, 0, TAG, MPI_COMM_NULL, &status),
	      MPI_ERR_COMM, world);
	fails(MPI_Send(buf, 1, MPI_BYTE, 0, TAG, MPI_COMM_NULL), MPI_ERR_COMM,
	      world);
	fails(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, world);
}

/* -- messages that are too long -------------------------------------------- */

static void send_long(int times, MPI_Comm comm)
{
	int i;

	for (i = 0; i < times && test_rank == last; i++)
		MPI_Send(buf, 8, MPI_BYTE, 0, TAG, comm);
}

static void truncate_recv(MPI_Comm comm)
{
	MPI_Status status;

	send_long(2, comm);
	if (!test_rank) {
		fails(MPI_Recv(buf, 4, MPI_BYTE, last, TAG, comm, &status),
		      MPI_ERR_TRUNCATE, comm);
		check(status.MPI_SOURCE == last && status.MPI_TAG == TAG,
		      "source %d, tag %d", status.MPI_SOURCE, status.MPI_TAG);
		fails(MPI_Sendrecv(buf, 0, MPI_BYTE, MPI_PROC_NULL, 0, buf, 4,
				   MPI_BYTE, last, TAG, comm, &status),
		      MPI_ERR_TRUNCATE, comm);
	}
	is_clean(comm);
}

static void truncate_wait(void)
{
	MPI_Request request;
	MPI_Status status;
	int index;

	send_long(2, world);
	if (!test_rank) {
		MPI_Irecv(buf, 4, MPI_BYTE, last, TAG, world, &request);
		fails(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE, world);
		check(request == MPI_REQUEST_NULL, "is left");
		MPI_Irecv(buf, 4, MPI_BYTE, last, TAG, world, &request);
		fails(MPI_Waitany(1, &request, &index, &status),
		      MPI_ERR_TRUNCATE, world);
		check(!index, "index %d", index);
	}
	is_clean(world);
}

static int class_of(const MPI_Status *status)
{
	int class;

	MPI_Error_class(status->MPI_ERROR, &class);
	return class;
}

static void truncate_all(bool some)
{
	MPI_Request request[2];
	MPI_Status status[2];
	int n, index[2], i;

	send_long(2, world);
	if (!test_rank) {
		MPI_Irecv(buf, 4, MPI_BYTE, last, TAG, world, &request[0]);
		MPI_Irecv(buf + 8, 8, MPI_BYTE, last, TAG, world, &request[1]);
		if (some)
			fails(MPI_Waitsome(1, request, &n, index, status),
			      MPI_ERR_IN_STATUS, world);
		else
			fails(MPI_Waitall(2, request, status),
			      MPI_ERR_IN_STATUS, world);
		check(class_of(&status[0]) == MPI_ERR_TRUNCATE, "class %d",
		      class_of(&status[0]));
		/* It may have been left for another call. */
		for (i = 0; i < 2; i++)
			if (request[i] != MPI_REQUEST_NULL)
				MPI_Wait(&request[i], MPI_STATUS_IGNORE);
		raised = 0;
	}
	is_clean(world);
}

static void all_on(MPI_Comm comm)
{
	refuse_recv(comm);
	refuse_send(MPI_Send, comm);
	refuse_send(MPI_Ssend, comm);
	refuse_send(MPI_Rsend, comm);
	refuse_sendrecv(comm);
	/* A receive that is refused late may take what comes meanwhile. */
	MPI_Barrier(world);
	is_clean(comm);
	truncate_recv(comm);
}

/* By each pair of handlers. */
static void all(MPI_Errhandler on_world, MPI_Errhandler on_copy)
{
	MPI_Comm_set_errhandler(world, on_world);
	MPI_Comm_set_errhandler(copy, on_copy);
	all_on(world);
	all_on(copy);
	refuse_nothing();
	truncate_wait();
	truncate_all(false);
	truncate_all(true);
	MPI_Barrier(world);
}

int main(int argc, char **argv)
{
	struct test_win w;
	MPI_Errhandler count;

	test_start(argc, argv);
	world = MPI_COMM_WORLD;
	last = test_size - 1;
	other = !test_rank ? last : test_rank == last ? 0 : MPI_PROC_NULL;
	test_win_open(&w, KIND_ALLOCATE, 64, 1);
	MPI_Comm_dup(world, &copy);
	MPI_Comm_create_errhandler(note, &count);
	all(MPI_ERRORS_RETURN, MPI_ERRORS_RETURN);
	all(count, count);
	all(count, MPI_ERRORS_RETURN);
	all(MPI_ERRORS_RETURN, count);
	MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&count);
	MPI_Comm_free(&copy);
	test_win_close(&w);
	return test_finish();
}
