/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Over verbs;ofi_rxm, opened as the library opens it, messages of two
 * processes arrive, and writes and reads are complete while the target sleeps
 * outside libfabric.  Notes say how long each took.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#define PROVIDER "verbs;ofi_rxm"
#define MEMORY	 (1 << 20) /* of each process, registered */
#define ROUNDS	 200
#define PATIENCE 60 /* seconds */

/* What a process tells its peer. */
struct card {
	char name[64];
	size_t name_len;
	uint64_t base, key;
};

struct process {
	const char *who;
	int sock; /* to the peer: never libfabric's */
	char *memory;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_ep *ep;
	struct fid_cq *cq;
	struct fid_av *av;
	struct fid_mr *mr;
	void *desc; /* of memory, for local use */
	fi_addr_t peer;
	struct card card, theirs;
	struct fi_context2 context;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void fail(const struct process *p, const char *what, int rc)
{
	fprintf(stderr, "%s: %s: %s (%d)\n", p->who, what,
		fi_strerror(rc < 0 ? -rc : rc), rc);
	exit(1);
}

/* A call of libfabric's, which must return 0. */
#define must(p, call)                                                          \
	do {                                                                   \
		int rc_ = (int)(call);                                         \
		if (rc_)                                                       \
			fail(p, #call, rc_);                                   \
	} while (0)

/* -- by the socket --------------------------------------------------------- */

static void tell(struct process *p, const void *data, size_t len)
{
	if (write(p->sock, data, len) != (ssize_t)len)
		fail(p, "the peer is gone", errno);
}

/* Sleeps, outside libfabric. */
static void hear(struct process *p, void *data, size_t len)
{
	struct pollfd fd = { .fd = p->sock, .events = POLLIN };

	if (poll(&fd, 1, PATIENCE * 1000) != 1)
		fail(p, "the peer says nothing", ETIMEDOUT);
	if (read(p->sock, data, len) != (ssize_t)len)
		fail(p, "the peer is gone", EPIPE);
}

static void meet(struct process *p)
{
	char byte = 0;

	tell(p, &byte, 1);
	hear(p, &byte, 1);
}

/* -- opening --------------------------------------------------------------- */

/* As src/fabric does, what the environment does not say otherwise. */
static void set_environment(void)
{
	setenv("IPATH_NO_BACKTRACE", "1", 0);
	setenv("FI_UNIVERSE_SIZE", "2", 0);
	setenv("FI_OFI_RXM_MSG_RX_SIZE", "128", 0);
	setenv("FI_OFI_RXM_USE_SRX", "1", 0);
	setenv("FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100", 0);
}

static struct fi_info *make_hints(void)
{
	struct fi_info *hints = fi_allocinfo();

	hints->caps = FI_MSG | FI_RMA;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR |
				      FI_MR_ALLOCATED | FI_MR_PROV_KEY |
				      FI_MR_ENDPOINT;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->threading = FI_THREAD_SAFE;
	hints->fabric_attr->prov_name = strdup(PROVIDER);
	return hints;
}

static bool find(struct process *p)
{
	struct fi_info *hints = make_hints();
	int rc = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &p->info);

	fi_freeinfo(hints);
	if (rc)
		printf("# skip: no %s here: %s\n", PROVIDER, fi_strerror(-rc));
	return !rc;
}

static void open_endpoint(struct process *p)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG,
				 .wait_obj = FI_WAIT_FD };
	struct fi_av_attr av = { .type = FI_AV_TABLE };

	must(p, fi_fabric(p->info->fabric_attr, &p->fabric, NULL));
	must(p, fi_domain(p->fabric, p->info, &p->domain, NULL));
	must(p, fi_cq_open(p->domain, &cq, &p->cq, NULL));
	must(p, fi_av_open(p->domain, &av, &p->av, NULL));
	must(p, fi_endpoint(p->domain, p->info, &p->ep, NULL));
	must(p, fi_ep_bind(p->ep, &p->cq->fid, FI_TRANSMIT | FI_RECV));
	must(p, fi_ep_bind(p->ep, &p->av->fid, 0));
	must(p, fi_enable(p->ep));
}

static bool has(const struct process *p, int mode)
{
	return (p->info->domain_attr->mr_mode & mode) != 0;
}

static void open_memory(struct process *p)
{
	must(p, fi_mr_reg(p->domain, p->memory, MEMORY,
			  FI_SEND | FI_RECV | FI_READ | FI_WRITE |
				  FI_REMOTE_READ | FI_REMOTE_WRITE,
			  0, has(p, FI_MR_PROV_KEY) ? 0 : 77, 0, &p->mr, NULL));
	if (has(p, FI_MR_ENDPOINT)) {
		must(p, fi_mr_bind(p->mr, &p->ep->fid, 0));
		must(p, fi_mr_enable(p->mr));
	}
	p->desc = has(p, FI_MR_LOCAL) ? fi_mr_desc(p->mr) : NULL;
	p->card.base = has(p, FI_MR_VIRT_ADDR) ? (uintptr_t)p->memory : 0;
	p->card.key = fi_mr_key(p->mr);
}

static void wire(struct process *p)
{
	p->card.name_len = sizeof(p->card.name);
	must(p, fi_getname(&p->ep->fid, p->card.name, &p->card.name_len));
	tell(p, &p->card, sizeof(p->card));
	hear(p, &p->theirs, sizeof(p->theirs));
	if (fi_av_insert(p->av, p->theirs.name, 1, &p->peer, 0, NULL) != 1)
		fail(p, "fi_av_insert", EINVAL);
}

static void close_all(struct process *p)
{
	must(p, fi_close(&p->ep->fid));
	must(p, fi_close(&p->mr->fid));
	must(p, fi_close(&p->av->fid));
	must(p, fi_close(&p->cq->fid));
	must(p, fi_close(&p->domain->fid));
	must(p, fi_close(&p->fabric->fid));
	fi_freeinfo(p->info);
}

/* -- operations ------------------------------------------------------------ */

static void fail_completion(struct process *p)
{
	struct fi_cq_err_entry entry = { 0 };

	fi_cq_readerr(p->cq, &entry, 0);
	fail(p, "an operation failed", entry.err);
}

/* One completion, of whatever; gives the only CPU away between looks. */
static uint64_t completion(struct process *p)
{
	struct fi_cq_msg_entry entry;
	double end = now() + PATIENCE;

	for (;;) {
		ssize_t rc = fi_cq_read(p->cq, &entry, 1);

		if (rc == 1)
			return entry.flags;
		if (rc == -FI_EAVAIL)
			fail_completion(p);
		if (rc != -FI_EAGAIN)
			fail(p, "fi_cq_read", (int)rc);
		if (now() > end)
			fail(p, "no completion", ETIMEDOUT);
		sched_yield();
	}
}

/* Has the operation been posted?  If not, there may be room soon. */
static bool is_posted(struct process *p, ssize_t rc, double end)
{
	if (!rc)
		return true;
	if (rc != -FI_EAGAIN)
		fail(p, "posting", (int)rc);
	if (now() > end)
		fail(p, "no room to post", ETIMEDOUT);
	/* Nothing is outstanding: this only moves the connection on. */
	if (fi_cq_read(p->cq, NULL, 0) == -FI_EAVAIL)
		fail_completion(p);
	sched_yield();
	return false;
}

static void rma(struct process *p, bool is_write, size_t len)
{
	struct iovec iov = { .iov_base = p->memory, .iov_len = len };
	struct fi_rma_iov rma = { .addr = p->theirs.base,
				  .len = len,
				  .key = p->theirs.key };
	struct fi_msg_rma msg = { .msg_iov = &iov,
				  .desc = &p->desc,
				  .iov_count = 1,
				  .addr = p->peer,
				  .rma_iov = &rma,
				  .rma_iov_count = 1,
				  .context = &p->context };
	double end = now() + PATIENCE;

	while (!is_posted(
		p,
		is_write ? fi_writemsg(p->ep, &msg, FI_DELIVERY_COMPLETE)
			 : fi_readmsg(p->ep, &msg, 0),
		end))
		;
	completion(p);
}

static void send_bytes(struct process *p, size_t len)
{
	double end = now() + PATIENCE;

	while (!is_posted(
		p,
		fi_send(p->ep, p->memory, len, p->desc, p->peer, &p->context),
		end))
		;
	if (!(completion(p) & FI_SEND))
		fail(p, "no completion of a send", EINVAL);
}

static void receive_bytes(struct process *p, size_t len)
{
	must(p, fi_recv(p->ep, p->memory, len, p->desc, FI_ADDR_UNSPEC,
			&p->context));
	if (!(completion(p) & FI_RECV))
		fail(p, "no completion of a receive", EINVAL);
}

/* -- the two processes ----------------------------------------------------- */

static void note(const char *what, double seconds, int count)
{
	printf("# note: %s: %.0f us\n", what, seconds * 1e6 / count);
	fflush(stdout);
}

static void open_all(struct process *p)
{
	double start = now();

	open_endpoint(p);
	open_memory(p);
	wire(p);
	meet(p);
	if (!strcmp(p->who, "origin"))
		note("opening the endpoint", now() - start, 1);
}

static void target(struct process *p)
{
	int i;

	open_all(p);
	receive_bytes(p, 8);
	send_bytes(p, 8);
	meet(p); /* asleep until the origin has written and read */
	meet(p);
	for (i = 0; i < ROUNDS; i++) {
		receive_bytes(p, 8);
		send_bytes(p, 8);
	}
	meet(p);
	close_all(p);
}

/* Writes and reads to the sleeper's memory, of which we see it all. */
static void reach_sleeper(struct process *p, char *theirs, size_t len)
{
	char text[64];
	double start;
	int i, value, rounds = len > 4096 ? ROUNDS / 10 : ROUNDS;

	for (start = now(), i = 0; i < rounds; i++) {
		value = 1 + i % 255;
		memset(p->memory, value, len);
		rma(p, true, len);
		if (memcmp(theirs, p->memory, len))
			fail(p, "a write is complete, its data not there", EIO);
	}
	snprintf(text, sizeof(text), "write of %zu bytes", len);
	note(text, now() - start, rounds);
	for (start = now(), i = 0; i < rounds; i++) {
		value = 255 - i % 255;
		memset(theirs, value, len);
		memset(p->memory, 0, len);
		rma(p, false, len);
		if (memcmp(theirs, p->memory, len))
			fail(p, "a read is complete, its data not here", EIO);
	}
	snprintf(text, sizeof(text), "read of %zu bytes", len);
	note(text, now() - start, rounds);
}

static void origin(struct process *p, char *theirs)
{
	double start;
	int i;

	printf("# note: %s on %s, mr_mode 0x%x, keys of %zu bytes\n",
	       p->info->fabric_attr->prov_name, p->info->domain_attr->name,
	       p->info->domain_attr->mr_mode,
	       p->info->domain_attr->mr_key_size);
	open_all(p);
	start = now();
	send_bytes(p, 8);
	note("first message: the connection", now() - start, 1);
	receive_bytes(p, 8);
	meet(p);
	reach_sleeper(p, theirs, 8);
	reach_sleeper(p, theirs, MEMORY);
	meet(p);
	for (start = now(), i = 0; i < ROUNDS; i++) {
		send_bytes(p, 8);
		receive_bytes(p, 8);
	}
	note("message there and back", now() - start, ROUNDS);
	meet(p);
	close_all(p);
}

static char *shared_memory(void)
{
	return mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

int main(void)
{
	struct process p = { .who = "origin", .memory = shared_memory() };
	struct process q = { .who = "target", .memory = shared_memory() };
	int sock[2], status;
	pid_t child;

	set_environment();
	if (p.memory == MAP_FAILED || q.memory == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sock))
		return 1;
	child = fork();
	if (!child) {
		q.sock = sock[1];
		close(sock[0]);
		if (find(&q))
			target(&q);
		exit(0);
	}
	p.sock = sock[0];
	close(sock[1]);
	if (!find(&p))
		return 77;
	origin(&p, q.memory);
	if (waitpid(child, &status, 0) != child || status)
		return 1;
	return 0;
}
