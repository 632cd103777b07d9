/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank in a blocking call of the host's answers for its memory, and the
 * call does what it does without windows: messages, statuses, requests, and
 * errors, which are raised once, on the communicator that they belong to.
 */
/* ranks: 2 3 4; paths: default fabric; hosts: 2x1 2x2 */
#include "test.h"

#define BIG   (1 << 20) /* no host sends this much eagerly */
#define TIMES 40
#define TAG   7
#define MARK  0x5a5a /* in MPI_ERROR, which calls of one status leave */

static struct test_win w; /* rank 0 waits, the last rank works on its memory */
static char *in, *out;
static int last;
static int64_t total; /* what the last rank has added */

static bool is_waiter(void)
{
	return !test_rank;
}

static bool is_worker(void)
{
	return test_rank == last;
}

/* While rank 0 waits: for what the last rank sends or receives after this. */
static void work(void)
{
	int64_t one = 1, before, got;
	int i;

	for (i = 0; i < TIMES; i++, total++) {
		MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0,
				 test_at(&w, 0, 0), MPI_SUM, w.win);
		MPI_Put(&total, 1, MPI_INT64_T, 0, test_at(&w, 0, 8), 1,
			MPI_INT64_T, w.win);
		MPI_Win_flush(0, w.win);
		MPI_Get(&got, 1, MPI_INT64_T, 0, test_at(&w, 0, 8), 1,
			MPI_INT64_T, w.win);
		MPI_Win_flush(0, w.win);
		check(before == total, "%ld before the addition", (long)before);
		check(got == total, "got %ld, put %ld", (long)got, (long)total);
	}
}

static void is_message(const MPI_Status *status, int source, int tag, int bytes,
		       const char *call)
{
	int count;

	MPI_Get_count(status, MPI_BYTE, &count);
	check(status->MPI_SOURCE == source && status->MPI_TAG == tag &&
		      count == bytes,
	      "%s: source %d, tag %d, %d bytes", call, status->MPI_SOURCE,
	      status->MPI_TAG, count);
}

static void holds(int bytes, int round, const char *call)
{
	size_t bad = test_differs(in, bytes, last, round);

	check(bad == (size_t)bytes, "%s: byte %zu of %d", call, bad, bytes);
	memset(in, 0, bytes);
}

/* -- receiving and probing ------------------------------------------------- */

static void receive(MPI_Comm comm, int bytes)
{
	MPI_Status status = { .MPI_ERROR = MARK };

	if (is_worker()) {
		test_fill(out, bytes, last, bytes);
		work();
		MPI_Send(out, bytes, MPI_BYTE, 0, TAG, comm);
		work();
		MPI_Send(out, bytes, MPI_BYTE, 0, TAG + 1, comm);
	} else if (is_waiter()) {
		ok(MPI_Recv(in, BIG, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
			    comm, &status));
		is_message(&status, last, TAG, bytes, "recv");
		check(status.MPI_ERROR == MARK, "is %d", status.MPI_ERROR);
		holds(bytes, bytes, "recv");
		ok(MPI_Recv(in, bytes, MPI_BYTE, last, TAG + 1, comm,
			    MPI_STATUS_IGNORE));
		holds(bytes, bytes, "recv without status");
	}
}

static void probe(int bytes)
{
	MPI_Status status;
	MPI_Message message;

	if (is_worker()) {
		test_fill(out, bytes, last, bytes);
		work();
		MPI_Send(out, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
		work();
		MPI_Send(out, bytes, MPI_BYTE, 0, TAG + 1, MPI_COMM_WORLD);
	} else if (is_waiter()) {
		ok(MPI_Probe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status));
		is_message(&status, last, TAG, bytes, "probe");
		ok(MPI_Recv(in, bytes, MPI_BYTE, last, TAG, MPI_COMM_WORLD,
			    &status));
		holds(bytes, bytes, "probe and recv");
		ok(MPI_Mprobe(last, MPI_ANY_TAG, MPI_COMM_WORLD, &message,
			      &status));
		is_message(&status, last, TAG + 1, bytes, "mprobe");
		ok(MPI_Mrecv(in, bytes, MPI_BYTE, &message, &status));
		check(message == MPI_MESSAGE_NULL, "is left");
		holds(bytes, bytes, "mrecv");
	}
}

/* In the order in which they were sent, however they are received. */
static void in_order(void)
{
	MPI_Request request;
	int i, got[4];

	for (i = 0; i < 4 && is_worker(); i++) {
		work();
		MPI_Send(&i, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
	}
	if (!is_waiter())
		return;
	MPI_Irecv(&got[0], 1, MPI_INT, last, TAG, MPI_COMM_WORLD, &request);
	ok(MPI_Recv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
		    MPI_STATUS_IGNORE));
	ok(MPI_Recv(&got[2], 1, MPI_INT, last, MPI_ANY_TAG, MPI_COMM_WORLD,
		    MPI_STATUS_IGNORE));
	ok(MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &got[3], 1, MPI_INT,
			last, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
	for (i = 0; i < 4; i++)
		check(got[i] == i, "message %d is the %dth", i, got[i]);
}

/* -- sending --------------------------------------------------------------- */

typedef int (*send_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static void send_by(send_fn send, int bytes, const char *call)
{
	MPI_Request request;

	if (is_worker())
		MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
			  &request);
	MPI_Barrier(MPI_COMM_WORLD);
	if (is_worker()) {
		work();
		ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
		holds(bytes, bytes, call);
	} else if (is_waiter()) {
		test_fill(out, bytes, last, bytes);
		ok(send(out, bytes, MPI_BYTE, last, TAG, MPI_COMM_WORLD));
	}
	if (is_worker() && send != MPI_Rsend) {
		work();
		ok(MPI_Recv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
			    MPI_STATUS_IGNORE));
		holds(bytes, bytes, call);
	} else if (is_waiter() && send != MPI_Rsend) {
		ok(send(out, bytes, MPI_BYTE, last, TAG, MPI_COMM_WORLD));
	}
}

static void sendrecv(int bytes)
{
	MPI_Status status = { .MPI_ERROR = MARK };
	int other = is_worker() ? 0 : last;

	if (!is_worker() && !is_waiter())
		return;
	if (is_worker())
		work();
	test_fill(out, bytes, last, bytes);
	ok(MPI_Sendrecv(out, bytes, MPI_BYTE, other, test_rank, in, bytes,
			MPI_BYTE, other, other, MPI_COMM_WORLD, &status));
	is_message(&status, other, other, bytes, "sendrecv");
	check(status.MPI_ERROR == MARK, "is %d", status.MPI_ERROR);
	holds(bytes, bytes, "sendrecv");
}

static void nobody(void)
{
	MPI_Status status;
	MPI_Message message;

	ok(MPI_Send(out, 1, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD));
	ok(MPI_Ssend(out, 1, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD));
	ok(MPI_Rsend(out, 1, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD));
	ok(MPI_Recv(in, 1, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
		    &status));
	is_message(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0, "recv of nobody");
	ok(MPI_Sendrecv(out, 1, MPI_BYTE, MPI_PROC_NULL, TAG, in, 1, MPI_BYTE,
			MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status));
	is_message(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0, "sendrecv, nobody");
	ok(MPI_Probe(MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status));
	is_message(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0, "probe, nobody");
	ok(MPI_Mprobe(MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &message, &status));
	check(message == MPI_MESSAGE_NO_PROC, "another message");
	ok(MPI_Mrecv(in, 1, MPI_BYTE, &message, &status));
}

/* -- requests -------------------------------------------------------------- */

#define N 4

/* One is null; the others come with tags TAG + i, the last first. */
static void post(MPI_Request request[N])
{
	int i;

	for (i = 0; i < N; i++)
		if (i == 1)
			request[i] = MPI_REQUEST_NULL;
		else
			MPI_Irecv(in + i, 1, MPI_BYTE, last, TAG + i,
				  MPI_COMM_WORLD, &request[i]);
}

static void send_each(void)
{
	int i;

	for (i = N - 1; i >= 0; i--) {
		char c = (char)(i + 1);

		if (i == 1)
			continue;
		work();
		MPI_Send(&c, 1, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD);
	}
}

static void is_got(int i, const MPI_Status *status, MPI_Request request,
		   const char *call)
{
	is_message(status, last, TAG + i, 1, call);
	check(in[i] == i + 1, "%s: message %d is %d", call, i, in[i]);
	check(request == MPI_REQUEST_NULL, "%s: request %d is left", call, i);
	in[i] = 0;
}

static void is_empty(const MPI_Status *status, const char *call)
{
	is_message(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, call);
}

static void wait_each(void)
{
	MPI_Request request[N];
	MPI_Status status;
	int i;

	post(request);
	for (i = 0; i < N; i++) {
		ok(MPI_Wait(&request[i], &status));
		if (i == 1)
			is_empty(&status, "wait for nothing");
		else
			is_got(i, &status, request[i], "wait");
	}
}

static void wait_all(bool ignoring)
{
	MPI_Request request[N];
	MPI_Status status[N];
	int i;

	post(request);
	ok(MPI_Waitall(N, request, ignoring ? MPI_STATUSES_IGNORE : status));
	for (i = 0; i < N; i++)
		if (!ignoring && i == 1)
			is_empty(&status[i], "waitall");
		else if (!ignoring)
			is_got(i, &status[i], request[i], "waitall");
		else
			check(request[i] == MPI_REQUEST_NULL, "request %d", i);
	ok(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
}

static void wait_any(void)
{
	MPI_Request request[N];
	MPI_Status status;
	int i, index;

	post(request);
	for (i = 0; i < N - 1; i++) {
		ok(MPI_Waitany(N, request, &index, &status));
		if (check(index >= 0 && index < N, "index %d", index))
			is_got(index, &status, request[index], "waitany");
	}
	ok(MPI_Waitany(N, request, &index, &status));
	check(index == MPI_UNDEFINED, "index %d", index);
	is_empty(&status, "waitany for nothing");
}

static void wait_some(void)
{
	MPI_Request request[N];
	MPI_Status status[N];
	int i, n, all = 0, index[N];

	post(request);
	while (all < N - 1) {
		ok(MPI_Waitsome(N, request, &n, index, status));
		if (!check(n > 0 && n < N, "%d at once", n))
			return;
		for (i = 0; i < n; i++)
			is_got(index[i], &status[i], request[index[i]],
			       "waitsome");
		all += n;
	}
	ok(MPI_Waitsome(N, request, &n, index, status));
	check(n == MPI_UNDEFINED, "%d of nothing", n);
}

/* Requests that stay, and then are inactive. */
static void persistent(void)
{
	MPI_Request request[2];
	MPI_Status status[2];
	int i, n, index[2];

	for (i = 0; i < 2; i++)
		MPI_Recv_init(in + i, 1, MPI_BYTE, last, TAG + 2 * i,
			      MPI_COMM_WORLD, &request[i]);
	MPI_Startall(2, request);
	ok(MPI_Waitall(2, request, status));
	check(in[0] == 1 && in[1] == 3, "got %d and %d", in[0], in[1]);
	check(request[0] != MPI_REQUEST_NULL, "has gone");
	ok(MPI_Wait(&request[0], status));
	is_empty(status, "wait for an inactive one");
	ok(MPI_Waitall(2, request, status));
	is_empty(&status[1], "waitall, inactive");
	ok(MPI_Waitany(2, request, index, status));
	check(index[0] == MPI_UNDEFINED, "index %d", index[0]);
	ok(MPI_Waitsome(2, request, &n, index, status));
	check(n == MPI_UNDEFINED, "%d inactive ones", n);
	MPI_Recv(in, 1, MPI_BYTE, last, TAG + 3, MPI_COMM_WORLD, status);
	for (i = 0; i < 2; i++)
		MPI_Request_free(&request[i]);
}

static void requests(void)
{
	int i;

	for (i = 0; i < 6; i++)
		if (is_worker())
			send_each();
	if (!is_waiter())
		return;
	wait_each();
	wait_all(false);
	wait_all(true);
	wait_any();
	wait_some();
	persistent();
}

/* -- barriers -------------------------------------------------------------- */

static void barrier(MPI_Comm comm)
{
	int i;

	for (i = 0; i < 10; i++) {
		if (is_worker())
			work();
		ok(MPI_Barrier(comm));
	}
}

static void barriers(void)
{
	MPI_Comm dup, part, inter;
	int upper = test_rank == last;

	barrier(MPI_COMM_WORLD);
	ok(MPI_Barrier(MPI_COMM_SELF));
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	barrier(dup);
	MPI_Comm_split(MPI_COMM_WORLD, upper, -test_rank, &part);
	barrier(part);
	MPI_Intercomm_create(part, 0, dup, upper ? last - 1 : last, TAG,
			     &inter);
	barrier(inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&part);
	MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
	MPI_Comm dup;

	test_start(argc, argv);
	last = test_size - 1;
	in = calloc(1, BIG);
	out = calloc(1, BIG);
	test_win_open(&w, KIND_ALLOCATE, 64, 1);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Win_lock_all(0, w.win);
	receive(MPI_COMM_WORLD, 1);
	receive(MPI_COMM_WORLD, BIG);
	receive(dup, 100);
	probe(100);
	probe(BIG);
	in_order();
	send_by(MPI_Send, 100, "send");
	send_by(MPI_Send, BIG, "a long send");
	send_by(MPI_Ssend, 100, "ssend");
	send_by(MPI_Rsend, BIG, "rsend");
	sendrecv(100);
	sendrecv(BIG);
	nobody();
	requests();
	barriers();
	MPI_Win_unlock_all(w.win);
	MPI_Comm_free(&dup);
	test_win_close(&w);
	free(in);
	free(out);
	return test_finish();
}
